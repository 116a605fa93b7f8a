# SPDX-License-Identifier: GPL-3.0-or-later
"""Whitening of tensors."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import check_range, pointer
from ._base import RowTransformer, accept_keys, all_or_nothing, tensor_shape
from ._checks import check_number
from ._engine import Call
from ._native import lib
from .shapes import Shape, ShapeLike


def check_exponents(estimator: Any) -> Tuple[float, float]:
    """Return the parameters gamma_eigen and gamma_coefficient of an estimator."""
    return (check_number(estimator.gamma_eigen, "gamma_eigen", 0, 1, above=True),
            check_number(estimator.gamma_coefficient, "gamma_coefficient", 0, 1, above=True))


def whiten(call: Call, tensors: np.ndarray, shape: Shape, gamma_eigen: float, gamma_coefficient: float) -> None:
    """Apply equations (15)-(20) to C-ordered float32 tensors in place."""
    call.run(lib.tosst_whiten, shape.layout(), pointer(tensors, writable=True), len(tensors), gamma_eigen, gamma_coefficient)


class EigenvaluePowerNormalizer(RowTransformer):
    r"""Eigenvalue power normalization (EPN, "whitening") of tensors, equations (15)-(20).

    With A the eigenvectors of the Gram matrix of the unfolding of a tensor,

    .. math::
        E = X \times_1 A' \times_2 A' \times_3 A', \quad E \leftarrow \mathrm{sgn}(E) |E|^{\gamma_e}, \quad
        X \leftarrow E \times_1 A \times_2 A \times_3 A, \quad X \leftarrow \mathrm{sgn}(X) |X|^{\gamma_c}.

    Parameters
    ----------
    gamma_eigen : float
        :math:`\gamma_e` in (0, 1]; 1: off.
    gamma_coefficient : float
        :math:`\gamma_c` in (0, 1]; 1: off.
    shape : {"auto", "super-symmetric", "symmetric", "vector"}
        How rows of X are tensors; see :class:`TensorDictionaryLearning`. A vector is scaled to the power of its length.
    n_jobs : int, optional
        Threads; None: all, or those of :func:`tosst.set_threads`.

    Notes
    -----
    Computed from float32; directions below its precision are set to zero. It needs no fit().

    Examples
    --------
    >>> import numpy as np, tosst
    >>> X = tosst.pack(np.diag([4.0, 9.0])[None])
    >>> tosst.EigenvaluePowerNormalizer(0.5, shape="symmetric").fit_transform(X).round(4)
    array([[2., 0., 3.]])
    """

    _KEYS = {"gamma_eigen": "descriptor.gamma-eigen", "gamma_coefficient": "descriptor.gamma-coefficient"}

    @accept_keys
    def __init__(self, gamma_eigen: float = 0.5, gamma_coefficient: float = 1.0, *, shape: ShapeLike = "auto",
                 n_jobs: Optional[int] = None) -> None:
        self.gamma_eigen = gamma_eigen
        self.gamma_coefficient = gamma_coefficient
        self.shape = shape
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> "EigenvaluePowerNormalizer":
        """Check parameters and tensors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_exponents(self)
        rows = self._finite_rows(X, reset=True)
        self.shape_ = tensor_shape(self.shape, X, rows.array.shape[1])
        return self

    def transform(self, X: Any) -> Any:
        """Normalize tensors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Or sets of tensors: a list of arrays (n_patches, n_features), or an array (n_images, n_patches, n_features).

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Arranged as X, and of its type.
        """
        self._check_fitted()
        gamma_eigen, gamma_coefficient = check_exponents(self)
        rows = self._rows(X, reset=False)
        with Call(self.n_jobs) as call:
            check_range(call, rows.array, "X")
            out = np.array(rows.array, dtype=np.float32, order="C")
            if self.shape_.kind == "general":
                length = np.linalg.norm(out, axis=1, keepdims=True)
                out *= np.where(length > 0, length, 1) ** (gamma_eigen - 1)
                out = np.sign(out) * np.abs(out) ** np.float32(gamma_coefficient)
            else:
                whiten(call, out, self.shape_, gamma_eigen, gamma_coefficient)
        return self._output(X, rows.like(out.astype(rows.array.dtype, copy=False)))
