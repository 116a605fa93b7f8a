# SPDX-License-Identifier: GPL-3.0-or-later
"""The codes of an image to its signature."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import pointer
from ._base import RowTransformer, accept_keys, all_or_nothing
from ._checks import check_choice, check_number
from ._native import ffi, lib

_KINDS = {name.removeprefix("TOSST_POOL_").lower().replace("_", "-"): kind
          for kind, name in ffi.typeof("TosstPoolKind").elements.items()}


class CodePooling(RowTransformer):
    r"""Pooling of the codes of each image, then signed power and normalization: section 6.

    Parameters
    ----------
    kind : {"average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n"}
        Operator, after Koniusz, Yan & Mikolajczyk (2013).
    parameter : float, optional
        Of the operator: trials of "maxexp", power of "gamma", factor of "axmin", codes of "at-n". None: its default.
    power : float
        Values become :math:`sgn(h) |h|^p`; of order 2 the eigenvalues of the matrix :math:`e^p`. 1: off.
    order : {1, 2}
        1: a number for each atom. 2: the co-occurrence of atoms, :math:`M = \frac{1}{n} \sum_i a_i a_i^T`, its upper triangle
        row by row with entries off the diagonal times :math:`\sqrt 2`; `kind` and `parameter` have no effect.
    code_power : float
        Of order 2: the entries of codes become :math:`sgn(a) |a|^q` first.
    normalize : {"l2", None}
        Signatures of length 1.

    Notes
    -----
    It needs no fit(), and computes in float32.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> codes = np.array([[[1.0, 0.0], [0.0, 4.0]]])  # of one image with two patches
    >>> tosst.CodePooling("max", power=0.5, normalize=None).fit_transform(codes)
    array([[1., 2.]])
    """

    _KEYS = {"kind": "pooling.kind", "parameter": "pooling.parameter", "power": "pooling.power", "normalize": "pooling.normalise",
             "order": "pooling.order", "code_power": "pooling.code-power"}

    @accept_keys
    def __init__(self, kind: str = "average", *, parameter: Optional[float] = None, power: float = 0.4,
                 normalize: Optional[str] = "l2", order: int = 1, code_power: float = 1.0) -> None:
        self.kind = kind
        self.parameter = parameter
        self.power = power
        self.normalize = normalize
        self.order = order
        self.code_power = code_power

    @classmethod
    def _from_key(cls, name: str, value: Any) -> Any:
        return None if name == "normalize" and value == "none" else value

    def _parameter(self) -> float:
        """Check the parameters, and return that of the operator; NaN: its default."""
        check_choice(self.kind, "kind", tuple(_KINDS))
        check_choice(self.normalize, "normalize", ("l2", None))
        check_number(self.power, "power", 0, above=True)
        if self.order not in (1, 2):
            raise ValueError(f"order must be 1 or 2, not {self.order!r}")
        check_number(self.code_power, "code_power", 0, above=True)
        parameter = float("nan") if self.parameter is None else check_number(self.parameter, "parameter")
        wrong = lib.tosst_pool_check(_KINDS[self.kind], parameter)
        if wrong:
            raise ValueError(ffi.string(wrong).decode())
        return parameter

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> "CodePooling":
        """Check parameters and codes.

        Parameters
        ----------
        X : array of shape (n_images, n_patches, n_components), or as for transform()
        y : ignored

        Returns
        -------
        self
        """
        self._parameter()
        self._finite_rows(X, reset=True)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Pool codes.

        Parameters
        ----------
        X : array of shape (n_images, n_patches, n_components), or list of arrays (n_patches, n_components)
            Of an array (n_images, n_components) each row is the code of an image.

        Returns
        -------
        ndarray of shape (n_images, n_components), of order 2 (n_images, n_components * (n_components + 1) / 2)
            Of the type of X.
        """
        self._check_fitted()
        parameter = self._parameter()
        rows = self._finite_rows(X, reset=False)
        codes = np.ascontiguousarray(rows.array, dtype=np.float32)
        counts = rows.counts if rows.counts is not None else [1] * len(codes)
        length = lib.tosst_pool_pairs(codes.shape[1]) if self.order == 2 else codes.shape[1]
        out = np.empty((len(counts), length), dtype=np.float32)
        self._pool(codes, counts, parameter, out)
        result: np.ndarray = self._output(X, out.astype(rows.array.dtype, copy=False))
        return result

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the numbers of a signature: those of atoms, of order 2 of pairs of them.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the atoms. None: those of a DataFrame that was fitted, else x0, x1, ...

        Returns
        -------
        ndarray of str
        """
        names = super().get_feature_names_out(input_features)
        if self.order != 2:
            return names
        return np.array([f"{names[i]} {names[j]}" for i in range(len(names)) for j in range(i, len(names))], dtype=object)

    def _pool(self, codes: np.ndarray, counts: Any, parameter: float, out: np.ndarray) -> None:
        K, start = codes.shape[1], 0
        code, signature = pointer(codes), pointer(out, writable=True)
        for i, count in enumerate(counts):
            if count == 0:
                raise ValueError(f"image {i} has no codes")
            at, first, l2 = signature + i * out.shape[1], code + start * K, self.normalize == "l2"
            if self.order == 2:
                status = lib.tosst_pool_second_order(first, K, ffi.NULL, count, self.code_power, self.power, l2, at)
            else:
                status = lib.tosst_pool(_KINDS[self.kind], parameter, first, K, ffi.NULL, count, at)
                lib.tosst_normalise_signature(at, K, self.power, l2)
            if status != lib.TOSST_OK:
                raise MemoryError("not enough memory to pool codes")
            start += count
