# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the programs by their suffix."""

from __future__ import annotations

import os
import zipfile
from typing import Any, Optional

import numpy as np

from ._arrays import check_real
from ._io import PathLike, reading, replacing
from .classifier import TextureClassifier, is_model
from .dictionary import Dictionary
from .recipe import Recipe


def load(path: PathLike, mmap_mode: Optional[str] = None) -> Any:
    """Read a file of the programs.

    Parameters
    ----------
    path : path
        `.npz` with `B` and `b`: a dictionary; a model with its classifier: a :class:`TextureClassifier`; other `.npz`: arrays,
        such as local features. `.npy`: tensors or codes. Other files are recipes. Stores of runs: :func:`load_runs`.
    mmap_mode : {None, "r", "c"}
        Map tensors of a `.npy` into memory instead of reading them. Estimators read float32 in C order as it is.

    Returns
    -------
    Dictionary, TextureClassifier, dict of ndarray, ndarray or Recipe

    Examples
    --------
    >>> import numpy as np, os, tempfile, tosst
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "D.npz")
    ...     tosst.save(path, tosst.Dictionary(B=[np.eye(3) / 3], b=[[1, 0, 0]]))
    ...     tosst.load(path)
    Dictionary(K=1, shape=super-symmetric 3x3x3)
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix == ".npy":
        with reading(path) as file:
            try:
                source = file if mmap_mode is None else path
                return np.load(source, mmap_mode=mmap_mode, allow_pickle=False)  # type: ignore[no-any-return,arg-type]
            except (ValueError, EOFError) as error:
                raise ValueError(f"{os.fspath(path)} is not an array of numbers: {error}") from None
    if suffix == ".npz":
        with reading(path) as file:
            if not zipfile.is_zipfile(file):
                raise ValueError(f"{os.fspath(path)} is not a file of arrays, which .npz stands for")
            with zipfile.ZipFile(file) as archive:
                members = set(archive.namelist())
            if is_model(members):
                return TextureClassifier.load(path)
            if {"B.npy", "b.npy"} <= members:
                return Dictionary.load(path)
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files if name != "meta.json"}
    if suffix in (".sqlite", ".db"):
        raise ValueError(f"{os.fspath(path)} is a store of runs: use load_runs()")
    return Recipe.load(path)


def save(path: PathLike, value: Any) -> None:
    """Write a dictionary, a model, a recipe or an array to a file that the programs read.

    The file is written under a temporary name and renamed when complete; a device or a pipe is refused.

    Parameters
    ----------
    path : path
    value : Dictionary, TextureClassifier, other fitted estimator with `dictionary_`, Recipe or array-like
        Arrays are written as `.npy` of float32 or float64 in C order.

    Examples
    --------
    >>> import numpy as np, os, tempfile, tosst
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tosst.save(os.path.join(folder, "T.npy"), np.zeros((5, 10), np.float32))
    ...     tosst.load(os.path.join(folder, "T.npy")).shape
    (5, 10)
    """
    if isinstance(value, (Dictionary, TextureClassifier)):
        value.save(path)
    elif hasattr(value, "dictionary_"):
        value.dictionary_.save(path)
    elif isinstance(value, Recipe):
        with replacing(path) as file:
            file.write(value.to_text(only_changes=False).encode())
    else:
        array = check_real(value, "value")
        array = np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)
        with replacing(path) as file:
            np.lib.format.write_array(file, array, allow_pickle=False)  # type: ignore[no-untyped-call]
