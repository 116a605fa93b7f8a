# SPDX-License-Identifier: GPL-3.0-or-later
"""What needs core of the programs, an optional part of the package."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from importlib import import_module
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._engine import Call
from ._native import ffi as engine_ffi
from ._native import lib

_PACKAGES = ("libglib2.0-dev libcairo2-dev libpango1.0-dev libpng-dev libtiff-dev libgdk-pixbuf-2.0-dev libzip-dev "
             "libmatio-dev libjson-glib-dev libsqlite3-dev")


# A wheel with libraries of its own: modules of a system's GLib, which belong to other libraries, would end the process.
_LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tosst.libs")
_loading = threading.Lock()


def _load() -> Any:
    with _loading:
        if "tosst._core" in sys.modules or not os.path.isdir(_LIBRARIES):
            return import_module("tosst._core")
        with tempfile.NamedTemporaryFile("w", prefix="tosst-", encoding="utf-8", errors="surrogateescape") as loaders:
            _list_loaders(loaders)
            own = {"GIO_MODULE_DIR": os.devnull, "GIO_EXTRA_MODULES": "", "GIO_USE_VFS": "local", "GDK_PIXBUF_MODULE_FILE": loaders.name,
                   "XDG_DATA_DIRS": _LIBRARIES}
            before = {name: os.environ.get(name) for name in own}
            os.environ.update(own)
            try:
                core = import_module("tosst._core")
                core.lib.tosst_core_settle()
            finally:
                for name, value in before.items():
                    if value is None:
                        del os.environ[name]
                    else:
                        os.environ[name] = value
        return core


def _list_loaders(file: Any) -> None:
    """Write the list of the wheel's modules of GdkPixbuf, with the folder that they are in now."""
    folder = _LIBRARIES.replace("\\", "\\\\").replace('"', '\\"')
    with open(os.path.join(_LIBRARIES, "loaders.cache"), encoding="utf-8") as listed:
        file.write(listed.read().replace('"libpixbufloader-', f'"{folder}/libpixbufloader-'))
    file.flush()


def find_core(what: str) -> Any:
    """Return the binding to core; `what` needs it."""
    try:
        return _load()
    except ModuleNotFoundError:
        raise ImportError(f"{what} needs libraries of the programs, which this package was built without: on Debian install "
                          f"{_PACKAGES}, then build it again") from None
    except ImportError as error:
        raise ImportError(f"{what} needs libraries of the programs, of which one is missing: {error}") from None


class CoreError:
    """The failure of a call of core, if it has one."""

    def __init__(self, core: Any) -> None:
        self.core = core
        self.c = core.ffi.new("TosstCoreError *")

    def check(self, call: Any = None) -> None:
        """Raise what failed."""
        kind, codes = self.c.kind, self.core.lib
        text = take_text(self.core, self.c.text) if kind != codes.TOSST_CORE_FINE else ""
        if call is not None and call.error is not None:
            raise call.error
        if kind == codes.TOSST_CORE_FINE:
            return
        if kind == codes.TOSST_CORE_CANCELLED:
            raise KeyboardInterrupt
        raise (MemoryError if kind == codes.TOSST_CORE_MEMORY else ValueError)(text)


def take_text(core: Any, text: Any) -> str:
    """Return a new text of core, which is freed."""
    result: str = core.ffi.string(text).decode(errors="surrogateescape")
    core.lib.tosst_core_free(text)
    return result


def take_list(core: Any, texts: Any) -> List[str]:
    """Return a new list of texts of core, which is freed."""
    result: List[str] = []
    while texts[len(result)]:
        result.append(core.ffi.string(texts[len(result)]).decode(errors="surrogateescape"))
    core.lib.tosst_core_free_list(texts)
    return result


def context_of(core: Any, call: Call) -> Any:
    """Return the context of a call for core."""
    return core.ffi.cast("TosstContext *", int(engine_ffi.cast("uintptr_t", call.context)))


class Images(NamedTuple):
    """Images that train, as core takes them."""

    paths: Sequence[str]
    names: Sequence[str]  # in messages
    labels: np.ndarray  # indices of classes, or (n, classes): 1 shows the class, -1 does not, 0 has no part in it
    classes: Sequence[str]
    numbers: Optional[Sequence[int]]  # places in another data set
    total: int  # images of that one
    alone: bool  # of which the training images alone have copies


class Model:
    """A trained model of whole images."""

    def __init__(self, core: Any, c: Any) -> None:
        self.core = core
        self.c = core.ffi.gc(c, core.lib.tosst_core_model_free)
        self.classes: List[str] = [self._text(core.lib.tosst_core_model_class(self.c, i))
                                   for i in range(core.lib.tosst_core_model_classes(self.c))]

    def _text(self, text: Any) -> str:
        return str(self.core.ffi.string(text).decode(errors="surrogateescape"))

    @classmethod
    def train(cls, call: Call, recipe: str, images: Images) -> "Model":
        """Train with all images, in their order."""
        core = find_core("TextureClassifier")
        ffi, error = core.ffi, CoreError(core)
        texts = [[ffi.new("char[]", os.fsencode(text)) for text in listed] for listed in (images.paths, images.names, images.classes)]
        kept = [ffi.new("char *[]", listed) for listed in texts]
        several = images.labels.ndim == 2
        labels = ffi.from_buffer("signed char[]" if several else "int[]", np.ascontiguousarray(images.labels, np.int8 if several else np.intc))
        places = ffi.NULL if images.numbers is None else ffi.new("unsigned[]", images.numbers)
        title = ffi.new("char[]", b"images of Python")
        c = ffi.new("TosstCoreImages *", {"paths": kept[0], "names": kept[1], "targets" if several else "labels": labels, "numbers": places,
                                          "total": images.total, "alone": images.alone, "n": len(images.paths), "classes": kept[2],
                                          "n_classes": len(images.classes), "where": title})
        report = int(engine_ffi.cast("uintptr_t", lib.tosst_python_progress)) if call.show else 0
        data = int(engine_ffi.cast("uintptr_t", call.handle))
        made = core.lib.tosst_core_train(context_of(core, call), recipe.encode(errors="surrogateescape"), c,
                                         ffi.cast("void (*) (double, void *)", report), ffi.cast("void *", data), error.c)
        model = cls(core, made) if made else None
        error.check(call)
        assert model is not None
        return model

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> "Model":
        """Return the model of the content of a file."""
        core = find_core("a model of the programs")
        error = CoreError(core)
        with Call(1) as call:
            made = core.lib.tosst_core_model_from_bytes(context_of(core, call), core.ffi.from_buffer(data), len(data), os.fsencode(name),
                                                        error.c)
            error.check(call)
        return cls(core, made)

    def to_bytes(self) -> bytes:
        """Return the content of its file."""
        size, error = self.core.ffi.new("size_t *"), CoreError(self.core)
        data = self.core.lib.tosst_core_model_to_bytes(self.c, size, error.c)
        error.check()
        content = bytes(self.core.ffi.buffer(data, size[0]))
        self.core.lib.tosst_core_free(data)
        return content

    def __reduce__(self) -> Any:
        return _unpickle, (self.to_bytes(),)

    @property
    def has_labels(self) -> bool:
        """Whether an image may show several classes."""
        return bool(self.core.lib.tosst_core_model_has_labels(self.c))

    def recipe(self) -> str:
        """Return the text of its recipe."""
        return take_text(self.core, self.core.lib.tosst_core_model_recipe(self.c))

    def weights(self) -> Dict[str, float]:
        """Return the weights of its parts by their names; NaN: not known."""
        weight, weights = self.core.ffi.new("double *"), {}
        for i in range(self.core.lib.tosst_core_model_parts(self.c)):
            name = self._text(self.core.lib.tosst_core_model_part(self.c, i, weight))
            weights[name] = weight[0]
        return weights

    def predict(self, call: Call, path: str, name: str) -> "Tuple[np.ndarray, np.ndarray]":
        """Return the margins of an image, and its probabilities."""
        margins, probabilities, error = np.empty(len(self.classes)), np.empty(len(self.classes)), CoreError(self.core)
        self.core.lib.tosst_core_predict(context_of(self.core, call), self.c, os.fsencode(path), os.fsencode(name),
                                         self._numbers(margins), self._numbers(probabilities), error.c)
        error.check(call)
        return margins, probabilities

    def lengths(self) -> Dict[str, int]:
        """Return how many numbers of a signature each part has."""
        return {name: self.core.lib.tosst_core_model_length(self.c, i) for i, name in enumerate(self.weights())}

    def sign(self, call: Call, path: str, name: str, signature: np.ndarray) -> None:
        """Compute the signature of an image."""
        error = CoreError(self.core)
        self.core.lib.tosst_core_sign(context_of(self.core, call), self.c, os.fsencode(path), os.fsencode(name),
                                      self.core.ffi.from_buffer("float[]", signature, require_writable=True), error.c)
        error.check(call)

    def map(self, call: Call, path: str, name: str, window: int, step: int) -> "Tuple[np.ndarray, np.ndarray, int, int]":
        """Return the index of the class of each window of an image, their margins, and side and step of windows."""
        ffi, error = self.core.ffi, CoreError(self.core)
        size, margins = ffi.new("int[4]", [0, 0, window, step]), ffi.new("float **")
        index = self.core.lib.tosst_core_map(context_of(self.core, call), self.c, os.fsencode(path), os.fsencode(name), size, margins, error.c)
        error.check(call)
        rows, columns, count = size[0], size[1], len(self.classes)
        found = (np.frombuffer(ffi.buffer(index, rows * columns * 4), np.intc).reshape(rows, columns).copy(),
                 np.frombuffer(ffi.buffer(margins[0], rows * columns * count * 4), np.float32).reshape(rows, columns, count).copy())
        self.core.lib.tosst_core_free(index)
        self.core.lib.tosst_core_free(margins[0])
        return (*found, size[2], size[3])

    def explain(self, call: Call, path: str, name: str) -> "Tuple[np.ndarray, np.ndarray]":
        """Return the terms of the margins, (parts, classes), and the distances from the training images, if they are known."""
        terms = np.empty((self.core.lib.tosst_core_model_parts(self.c), len(self.classes)))
        squares, error = np.zeros(self.core.lib.tosst_core_model_training(self.c)), CoreError(self.core)
        with _explaining:
            self.core.lib.tosst_core_explain(context_of(self.core, call), self.c, os.fsencode(path), os.fsencode(name),
                                             self._numbers(terms), self._numbers(squares), error.c)
        error.check(call)
        return terms, np.sqrt(squares.clip(0))

    def _numbers(self, array: np.ndarray) -> Any:
        return self.core.ffi.from_buffer("double[]", array, require_writable=True)


# Similarities of training images are computed at the first explanation.
_explaining = threading.Lock()


def _unpickle(data: bytes) -> Model:
    return Model.from_bytes(data, "the model")
