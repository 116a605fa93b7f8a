# SPDX-License-Identifier: GPL-3.0-or-later
"""Dictionary learning and sparse coding for third-order super-symmetric tensors.

The numerics are those of TOSST Studio and of its terminal program `tosst`: the same parameters, seed, number of threads and
BLAS kernel give the same bits, and files of one can be read by the others.

Estimators follow the conventions of scikit-learn, which is used where it is installed and not needed otherwise.

======================================  ===========================================================================
:class:`TextureClassifier`              classes of images, with the methods of the programs
:class:`TextureDescriptor`              images to tensors of their patches: equations (1), (8), (11)-(13)
:class:`EigenvaluePowerNormalizer`      whitening of tensors: equations (15)-(20)
:class:`TensorDictionaryLearning`       a dictionary, and sparse codes: equation (5)
:class:`TensorSparseCoder`              sparse codes for a given dictionary
:class:`CodePooling`                    the codes of an image to its signature
:class:`Dictionary`                     atoms :math:`B_k, b_k`, as in files
:class:`Recipe`                         the parameters of a job, as in files
:func:`load`, :func:`save`              dictionaries, models, arrays, recipes
:func:`load_runs`, :func:`load_series`  the runs of a store
:func:`find_duplicates`                 images of a folder that are there twice
:func:`pack`, :func:`unpack`            packed tensors and full arrays
:func:`progress`                        progress of calls, for example to a bar of tqdm
======================================  ===========================================================================
"""

from __future__ import annotations

from ._version import __version__

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from ._engine import NumericError, blas, progress, set_threads
    from .classifier import ClassMap, Explanation, Neighbour, TextureClassifier
    from .dictionary import Dictionary
    from .duplicates import ImagePair, find_duplicates
    from .estimators import TensorDictionaryLearning, TensorSparseCoder
    from .files import load, save
    from .pooling import CodePooling
    from .recipe import Recipe
    from .runs import load_runs, load_series
    from .shapes import Shape, pack, packed_side, packed_size, unpack
    from .texture import TextureDescriptor
    from .whitening import EigenvaluePowerNormalizer

# Modules are imported at the first use of a name: `import tosst` takes a few milliseconds.
_MODULES = {
    "ClassMap": "classifier",
    "CodePooling": "pooling",
    "Dictionary": "dictionary",
    "EigenvaluePowerNormalizer": "whitening",
    "Explanation": "classifier",
    "ImagePair": "duplicates",
    "Neighbour": "classifier",
    "NumericError": "_engine",
    "Recipe": "recipe",
    "Shape": "shapes",
    "TensorDictionaryLearning": "estimators",
    "TensorSparseCoder": "estimators",
    "TextureClassifier": "classifier",
    "TextureDescriptor": "texture",
    "blas": "_engine",
    "find_duplicates": "duplicates",
    "load": "files",
    "load_runs": "runs",
    "load_series": "runs",
    "pack": "shapes",
    "packed_side": "shapes",
    "packed_size": "shapes",
    "progress": "_engine",
    "save": "files",
    "set_threads": "_engine",
    "unpack": "shapes",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'tosst' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("." + _MODULES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
