# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of tensors and their storage."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, Sequence, Tuple, Union

import numpy as np

from ._checks import LARGEST, check_choice, check_whole
from ._native import ffi, lib

KINDS = ("super-symmetric", "whole", "symmetric", "general")

# What estimators accept as their parameter `shape`.
ShapeLike = Union[str, Sequence[int], "Shape"]


class Shape(NamedTuple):
    """Shape of the tensors of an array of shape (N, m).

    Parameters
    ----------
    kind : {"super-symmetric", "whole", "symmetric", "general"}
        Of "super-symmetric" tensors the entries :math:`X_{ijk}, i \\le j \\le k`, are stored, of "symmetric" matrices
        :math:`X_{ij}, i \\le j`, both in lexicographic order; "whole" is stored as "super-symmetric" and has atoms that are
        third-order tensors. "general" is a full array in C order.
    d1, d2, d3 : int
        All equal to the side d, except for general tensors.

    Examples
    --------
    >>> from tosst import Shape
    >>> Shape("super-symmetric", 30, 30, 30).numbers
    4960
    """

    kind: str
    d1: int
    d2: int
    d3: int

    @property
    def numbers(self) -> int:
        """Stored numbers m of a tensor."""
        return int(lib.tosst_shape_numbers(self.c))

    @property
    def slices(self) -> int:
        """Slices S of a tensor: the length of :math:`b_k`."""
        return int(lib.tosst_shape_slices(self.c))

    @property
    def atom(self) -> Tuple[int, ...]:
        """Shape of :math:`B_k` as an array."""
        return (self.d1,) * 3 if self.kind == "whole" else (self.d1, self.d2)

    @property
    def c(self) -> Any:
        """The struct of the engine."""
        check_choice(self.kind, "kind", KINDS)
        for name, side in zip(("d1", "d2", "d3"), self[1:]):
            check_whole(side, name, 1)
        if self.kind != "general" and len(set(self[1:])) > 1:
            raise ValueError(f"{self.kind} tensors have equal sides, not {self[1:]}")
        return ffi.new("TosstShape *", (KINDS.index(self.kind), self.d1, self.d2, self.d3))[0]

    def layout(self) -> Any:
        """Return a new layout of the engine."""
        layout = lib.tosst_layout_new_shape(self.c)
        if not layout:
            raise MemoryError("not enough memory for the layout of tensors")
        return ffi.gc(layout, lib.tosst_layout_free)


def shape_from_c(shape: Any) -> Shape:
    """Return the shape of a struct of the engine."""
    return Shape(KINDS[shape.kind], shape.d1, shape.d2, shape.d3)


def packed_size(d: int) -> int:
    """Return m = d(d+1)(d+2)/6, the stored numbers of a super-symmetric tensor of side d.

    Parameters
    ----------
    d : int

    Returns
    -------
    int

    Examples
    --------
    >>> import tosst
    >>> tosst.packed_size(30)
    4960
    """
    return comb(check_whole(d, "d", 0) + 2, 3)


def packed_side(m: int) -> int:
    """Return the side d of super-symmetric tensors of m stored numbers.

    Parameters
    ----------
    m : int

    Returns
    -------
    int
        0 if no side has m numbers.

    Examples
    --------
    >>> import tosst
    >>> tosst.packed_side(4960), tosst.packed_side(4961)
    (30, 0)
    """
    return int(lib.tosst_packed_side(check_whole(m, "m", 0, 2**64 - 1)))


def resolve_shape(shape: ShapeLike, m: int) -> Shape:
    """Return the shape of tensors of m stored numbers for the parameter `shape` of an estimator."""
    if isinstance(shape, Shape):
        found = shape
    elif isinstance(shape, (list, tuple, np.ndarray)) and len(shape) == 3:
        found = Shape("general", *(check_whole(side, "a side of shape", 1) for side in shape))
    elif not isinstance(shape, str):
        raise ValueError(f"shape must be a word or (d1, d2, d3), not {shape!r}")
    elif shape == "symmetric":
        side = int(((8 * m + 1) ** 0.5 - 1) / 2)
        found = Shape("symmetric", side, side, side)
    elif shape in ("auto", "super-symmetric"):
        side = packed_side(m)
        if side or shape == "super-symmetric":
            found = Shape("super-symmetric", side, side, side)
        else:
            found = Shape("general", m, 1, 1)
    elif shape == "vector":
        found = Shape("general", m, 1, 1)
    else:
        raise ValueError(f"shape must be 'auto', 'super-symmetric', 'symmetric', 'vector' or (d1, d2, d3), not {shape!r}")
    if min(found[1:]) < 1 or found.numbers != m:
        raise ValueError(f"tensors of {m} numbers do not have the shape {shape!r}")
    return found


def _packed_indices(order: int, d: int) -> Tuple[np.ndarray, ...]:
    """Indices i <= j (<= k) in lexicographic order."""
    return tuple(np.array(list(combinations_with_replacement(range(d), order)), dtype=np.intp).T)


def is_symmetric(full: np.ndarray) -> bool:
    """Whether tensors are equal under permutations of their indices, up to 1e-5 of the largest entry."""
    tolerance = 1e-5 * np.abs(full).max(initial=0)
    axes = list(range(full.ndim))
    return all(
        np.abs(full - full.transpose([*axes[:i], i + 1, i, *axes[i + 2:]])).max(initial=0) <= tolerance
        for i in axes[1:-1])


def pack(full: Any) -> np.ndarray:
    """Pack full super-symmetric tensors or symmetric matrices.

    Parameters
    ----------
    full : array-like of shape (N, d, d, d) or (N, d, d)
        Equal under permutations of the indices, up to 1e-5 of the largest entry.

    Returns
    -------
    ndarray of shape (N, d(d+1)(d+2)/6) or (N, d(d+1)/2)
        The entries i <= j <= k in lexicographic order, not weighted.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> x = np.random.default_rng(1).random((5, 3))
    >>> X = np.einsum("ni,nj,nk->nijk", x, x, x)
    >>> tosst.pack(X).shape
    (5, 10)
    >>> np.allclose(tosst.unpack(tosst.pack(X)), X)
    True
    """
    full = np.asarray(full)
    if full.ndim not in (3, 4) or len(set(full.shape[1:])) != 1 or full.shape[1] < 1:
        raise ValueError(f"tensors to pack have the shape (N, d, d, d) or (N, d, d), not {full.shape}")
    if not is_symmetric(full):
        raise ValueError("tensors to pack must be equal under permutations of their indices" if np.isfinite(full).all() else
                         "tensors to pack contain NaN or infinity")
    return np.ascontiguousarray(full[(slice(None), *_packed_indices(full.ndim - 1, full.shape[1]))])


def unpack(packed: Any, shape: ShapeLike = "super-symmetric") -> np.ndarray:
    """Return full arrays of packed tensors.

    Parameters
    ----------
    packed : array-like of shape (N, m)
    shape : {"super-symmetric", "symmetric"}, or a tuple (d1, d2, d3) of general tensors

    Returns
    -------
    ndarray of shape (N, d, d, d), (N, d, d) or (N, d1, d2, d3)

    Examples
    --------
    >>> import numpy as np, tosst
    >>> tosst.unpack(np.arange(3.0)[None], "symmetric")
    array([[[0., 1.],
            [1., 2.]]])
    """
    packed = np.asarray(packed)
    full: np.ndarray
    if packed.ndim != 2:
        raise ValueError(f"packed tensors have the shape (N, m), not {packed.shape}")
    found = resolve_shape(shape, packed.shape[1])
    if found.kind == "general":
        full = packed.reshape(-1, *found[1:])
        return full
    order = 2 if found.kind == "symmetric" else 3
    place = np.empty((found.d1,) * order, dtype=np.intp)
    indices = _packed_indices(order, found.d1)
    for axes in ((0, 1), (1, 0)) if order == 2 else ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        place[tuple(indices[axis] for axis in axes)] = np.arange(packed.shape[1])
    full = packed[:, place]
    return full
