# SPDX-License-Identifier: GPL-3.0-or-later
"""Codes of tensors for a dictionary."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import check_range, pointer
from ._engine import Call
from ._native import ffi, lib
from .dictionary import Dictionary
from .shapes import unpack


class Problem(NamedTuple):
    """Parameters of equation (5)."""

    alpha: float = 2e-3
    gamma: float = 1.0
    signed_alpha: bool = False
    nonnegative_beta: bool = False

    @property
    def c(self) -> Any:
        """The struct of the engine."""
        return ffi.new("TosstProblem *", tuple(self))[0]


class Options(NamedTuple):
    """How tensors are coded."""

    problem: Problem
    span: bool = False
    tol: Optional[float] = None


def _coder(call: Call, dictionary: Dictionary, options: Options, wide: bool) -> Any:
    """Return the dictionary prepared for coding; the last one is kept, since it takes as long as some thousand codes."""
    key = (options, wide)
    coder = dictionary._coders.get(key)
    if coder is None:
        struct = ffi.new("TosstCodingOptions *")
        lib.tosst_coding_options_default(struct)
        struct.problem, struct.span, struct.wide = options.problem.c, options.span, wide
        # As in the programs.
        tolerance = options.tol if options.tol is not None else 1e-12 if wide else struct.tolerance
        struct.tolerance = tolerance
        cell = ffi.gc(ffi.new("TosstCoder **"), _free_coder)
        call.span(0, 0)
        call.run(lib.tosst_coder_new, dictionary.c, dictionary.shape.layout(), struct, cell)
        dictionary._coders = {key: cell}
        coder = cell
        call.span(0, 1)
    return coder


def _free_coder(cell: Any) -> None:
    lib.tosst_coder_free(cell[0])


def code(call: Call, tensors: np.ndarray, dictionary: Dictionary, options: Options) -> np.ndarray:
    """Return the codes of C-ordered tensors (N, m) of float32 or float64, of the same type."""
    wide = tensors.dtype == np.float64
    check_range(call, tensors, "X")
    coder = _coder(call, dictionary, options, wide)
    codes = np.empty((len(tensors), len(dictionary)), tensors.dtype)
    function = lib.tosst_code_double if wide else lib.tosst_code
    call.run(function, coder[0], pointer(tensors), len(tensors), False, pointer(codes, writable=True), ffi.NULL)
    return codes


# Tensors whose codes are in memory as an array before they become sparse.
_DENSE = 1 << 16


def sparse_code(call: Call, tensors: np.ndarray, dictionary: Dictionary, options: Options) -> Any:
    """Return the codes as a sparse matrix."""
    try:
        from scipy.sparse import csr_matrix, vstack
    except ImportError:
        raise ImportError("sparse_output needs SciPy, which is not installed") from None
    count = len(tensors)
    parts = []
    for first in range(0, count, _DENSE):
        call.span(first / count, min(1, (first + _DENSE) / count))
        parts.append(csr_matrix(code(call, tensors[first:first + _DENSE], dictionary, options)))
    call.span(0, 0)
    return vstack(parts, format="csr") if len(parts) > 1 else parts[0]


def objective(call: Call, tensors: np.ndarray, codes: np.ndarray, dictionary: Dictionary, options: Options,
              parts: Optional[np.ndarray] = None) -> np.ndarray:
    """Return equation (5) of each tensor at its code; parts: (N, 3), receives fit, proximity and sparsity."""
    tensors, codes = (np.ascontiguousarray(array, dtype=np.float64) for array in (tensors, codes))
    check_range(call, tensors, "X")
    check_range(call, codes, "codes")
    values = np.empty(len(tensors))
    coder = _coder(call, dictionary, options, True)
    call.run(lib.tosst_code_objective, coder[0], pointer(tensors), len(tensors), pointer(codes), pointer(values),
             ffi.NULL if parts is None else pointer(parts, writable=True))
    return values


# Tensors of a step, whose full arrays are in memory.
_STEP = 512


def largest_alphas(tensors: np.ndarray, dictionary: Dictionary, problem: Problem) -> np.ndarray:
    """Return the sparsity from which on the code of each tensor is zero."""
    shape, K = dictionary.shape, len(dictionary)
    whole = shape.kind == "whole"
    atoms = dictionary.B.reshape(K, -1)
    # (I + V V' / gamma)^-1 V = V (I + V' V / gamma)^-1
    weighted = atoms if whole or np.isinf(problem.gamma) else np.linalg.solve(np.eye(K) + atoms @ atoms.T / problem.gamma, atoms)
    found = np.empty(len(tensors))
    for first in range(0, len(tensors), _STEP):
        part = tensors[first:first + _STEP].astype(np.float64) / dictionary.scale
        if shape.kind == "general":
            full = part.reshape(len(part), *shape[1:])
        else:
            full = unpack(part, "symmetric" if shape.kind == "symmetric" else "super-symmetric")
        if whole:
            gradient = full.reshape(len(part), -1) @ weighted.T
        else:
            slices = full.reshape(len(part), atoms.shape[1], -1)
            gradient = np.einsum("kp,nps,ks->nk", weighted, slices, dictionary.b, optimize=True)
        if problem.signed_alpha:
            gradient = np.abs(gradient)
        found[first:first + _STEP] = 2 * gradient.max(axis=1)
    return found.clip(0)
