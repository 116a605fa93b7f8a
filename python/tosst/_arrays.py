# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays as pointers of C."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._engine import Call
from ._native import ffi, lib

_TYPES = {"float32": "float[]", "float64": "double[]", "int64": "int64_t[]"}


def pointer(array: np.ndarray, writable: bool = False) -> Any:
    """Return a pointer to a C-ordered array, which it keeps alive."""
    return ffi.from_buffer(_TYPES[array.dtype.name], array, require_writable=writable)


def check_real(values: Any, name: str) -> np.ndarray:
    """Return real numbers as an array."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be an array of real numbers, not {type(values).__name__} of {array.dtype}")
    return array


def check_range(call: Call, array: np.ndarray, name: str) -> None:
    """Raise an error unless all entries of a C-ordered array are finite and at most 1e30 in magnitude."""
    wide = array.dtype == np.float64
    if array.size and not lib.tosst_python_in_range(call.context, pointer(array), array.size, wide):
        raise ValueError(f"Input {name} contains NaN, infinity or entries above 1e30 in magnitude")
