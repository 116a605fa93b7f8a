# SPDX-License-Identifier: GPL-3.0-or-later
"""Dictionaries: atoms and their files."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from typing import Any, Dict, Mapping, Optional

import numpy as np

from ._arrays import check_real, pointer
from ._checks import check_number
from ._io import PathLike, reading, replacing
from ._native import ffi, lib
from ._version import __version__
from .recipe import Recipe
from .shapes import Shape, is_symmetric, pack, shape_from_c


def _frozen(values: Any, name: str) -> np.ndarray:
    array = np.array(check_real(values, name), dtype=np.float64, order="C")
    if not np.all(np.abs(array) <= 1e30):
        raise ValueError(f"{name} contains NaN, infinity or entries above 1e30 in magnitude")
    array.flags.writeable = False
    return array


def _find_shape(B: np.ndarray, b: np.ndarray, symmetric: bool) -> Shape:
    if B.ndim in (3, 4) and b.ndim == 2 and len(B) == len(b) >= 1 and B.size and b.size:
        (d1, d2), slices, square = B.shape[1:3], b.shape[1], len(set(B.shape[1:])) == 1
        if B.ndim == 4 and square and slices == 1:
            return Shape("whole", d1, d1, d1)
        if B.ndim == 3 and not symmetric:
            return Shape("general", d1, d2, slices)
        if B.ndim == 3 and square and slices in (1, d1):
            return Shape("super-symmetric" if slices == d1 else "symmetric", d1, d1, d1)
    raise ValueError(f"B of shape {B.shape} and b of shape {b.shape} are not the atoms of a dictionary")


class Dictionary:
    """Atoms :math:`(B_k, b_k), k = 1..K`, of equation (5); immutable.

    Parameters
    ----------
    B : array-like of shape (K, d, d)
        Symmetric matrices. Of general tensors (K, d1, d2); of whole atoms (K, d, d, d).
    b : array-like of shape (K, d)
        Of symmetric matrices and whole atoms (K, 1); of general tensors (K, d3).
    scale : float
        Tensors are divided by it before coding.
    symmetric : bool
        False: the tensors are general ones, and `B` need not be symmetric.
    meta : mapping, optional
        What a file says of the dictionary: `recipe`, `objective`, `iterations`, `seed` ...

    Attributes
    ----------
    B, b : ndarray
        float64, read-only.
    scale : float
    shape : Shape
        Of the tensors.
    meta : dict

    Examples
    --------
    >>> import numpy as np, tosst
    >>> D = tosst.Dictionary(B=[np.eye(3) / 3], b=[[1, 0, 0]])
    >>> D
    Dictionary(K=1, shape=super-symmetric 3x3x3)
    >>> D.components().shape
    (1, 10)
    """

    def __init__(self, B: Any, b: Any, scale: float = 1.0, *, symmetric: bool = True,
                 meta: Optional[Mapping[str, Any]] = None) -> None:
        self.B, self.b, self.scale = _frozen(B, "B"), _frozen(b, "b"), check_number(scale, "scale", 1e-30, 1e30)
        self.meta: Dict[str, Any] = dict(meta or {})
        self.shape = _find_shape(self.B, self.b, symmetric)
        if self.shape.kind != "general" and not is_symmetric(self.B):
            raise ValueError("B must be symmetric; with symmetric=False it is that of general tensors")
        self._coders: Dict[Any, Any] = {}
        self._c: Any = None

    def __len__(self) -> int:
        return len(self.B)

    def __repr__(self) -> str:
        return f"Dictionary(K={len(self)}, shape={self.shape.kind} {'x'.join(str(side) for side in self.shape[1:])})"

    def __reduce__(self) -> Any:
        return _rebuild, (self.B, self.b, self.scale, self.shape.kind != "general", self.meta)

    def __copy__(self) -> "Dictionary":
        return self

    def __deepcopy__(self, memo: Any) -> "Dictionary":
        return self

    @property
    def recipe(self) -> Optional[Recipe]:
        """The recipe by which it was learned, or None."""
        return Recipe.parse(self.meta["recipe"], "meta.json") if self.meta.get("recipe") else None

    @property
    def c(self) -> Any:
        """The dictionary of the engine."""
        if self._c is None:
            made = lib.tosst_dictionary_new_shape(self.shape.c, len(self))
            if not made:
                raise MemoryError("not enough memory for a dictionary")
            made = ffi.gc(made, lib.tosst_dictionary_free)
            lib.tosst_dictionary_set(made, pointer(self.B), pointer(self.b))
            made.scale = self.scale
            self._c = made
        return self._c

    def components(self) -> np.ndarray:
        """Return the atoms as tensors of the unit of the data.

        Returns
        -------
        ndarray of shape (K, m)
            The packed symmetric part of :math:`s B_k \\otimes b_k` with the scale s, so that codes @ components is the
            reconstruction of tensors by their codes.
        """
        shape = self.shape
        out: np.ndarray
        if shape.kind == "whole":
            out = self.scale * pack(self.B)
            return out
        if shape.kind == "symmetric":
            out = self.scale * self.b * pack(self.B)
            return out
        if shape.kind == "general":
            out = (self.scale * np.einsum("kij,ks->kijs", self.B, self.b)).reshape(len(self), -1)
            return out
        out = np.empty((len(self), shape.numbers))
        end = 0
        # Entries i <= j <= k, for each i those of a matrix: (B_ij b_k + B_ik b_j + B_jk b_i) / 3.
        for i in range(shape.d1):
            j, k = np.triu_indices(shape.d1 - i)
            start, end = end, end + len(j)
            j, k = j + i, k + i
            part = self.B[:, i, j] * self.b[:, k] + self.B[:, i, k] * self.b[:, j] + self.B[:, j, k] * self.b[:, i, None]
            np.multiply(part, self.scale / 3, out=out[:, start:end])
        return out

    def save(self, path: PathLike) -> None:
        """Write the dictionary to a file that the programs read, under a temporary name that is renamed when complete.

        Parameters
        ----------
        path : path of a file `.npz`
        """
        members = {"B": self.B, "b": self.b, "scale": np.float64(self.scale)}
        if self.shape.kind == "general":
            members["symmetric"] = np.float64(0)
        meta = {"program": "tosst for Python", "version": __version__, **self.meta}
        with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, array in members.items():
                with archive.open(name + ".npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(  # type: ignore[no-untyped-call]
                        member, np.asanyarray(array), allow_pickle=False)
            archive.writestr("meta.json", json.dumps(meta, indent=2))

    @classmethod
    def load(cls, path: PathLike) -> "Dictionary":
        """Read a dictionary or a model of the programs, or a file written by `numpy.savez` with `B` and `b`.

        Parameters
        ----------
        path : path of a file `.npz`
        """
        with reading(path) as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    return _read(archive)
            # JSON and Unicode raise ValueError, zipfile RuntimeError for what is encrypted or compressed by an unknown method.
            except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
                raise ValueError(f"{os.fspath(path)} is not a dictionary: {error}") from None


def find_dictionary(value: Any, name: str) -> Dictionary:
    """Return the dictionary of a parameter that is one, or the path of its file."""
    if isinstance(value, Dictionary):
        return value
    if isinstance(value, (str, os.PathLike)):
        return Dictionary.load(value)
    raise ValueError(f"{name} must be a Dictionary or the path of one, not {value!r}")


def _rebuild(B: np.ndarray, b: np.ndarray, scale: float, symmetric: bool, meta: Dict[str, Any]) -> Dictionary:
    return Dictionary(B, b, scale, symmetric=symmetric, meta=meta)


def _read(archive: zipfile.ZipFile) -> Dictionary:
    names = set(archive.namelist())
    missing = sorted({"B.npy", "b.npy"} - names)
    if missing:
        raise ValueError(f"it has no member {missing[0][:-4]}")
    arrays = {
        member[:-4]: np.lib.format.read_array(  # type: ignore[no-untyped-call]
            io.BytesIO(archive.read(member)), allow_pickle=False)
        for member in ("B.npy", "b.npy", "scale.npy", "symmetric.npy") if member in names
    }
    meta = json.loads(archive.read("meta.json")) if "meta.json" in names else {}
    if not isinstance(meta, dict) or not isinstance(meta.get("recipe") or "", str):
        raise ValueError("its member meta.json is not a JSON object, or has a recipe that is not a text")
    return Dictionary(arrays["B"], arrays["b"], arrays.get("scale", 1.0), symmetric="symmetric" not in arrays, meta=meta)


def dictionary_from_c(made: Any, meta: Optional[Mapping[str, Any]] = None) -> Dictionary:
    """Return a copy of a dictionary of the engine."""
    shape = shape_from_c(made.shape)
    B, b = np.empty((made.K, *shape.atom)), np.empty((made.K, made.S))
    lib.tosst_dictionary_get(made, pointer(B), pointer(b))
    return Dictionary(B, b, made.scale, symmetric=shape.kind != "general", meta=meta)
