# SPDX-License-Identifier: GPL-3.0-or-later
"""The codes of an image to its signature."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from ._arrays import check_range, pointer
from ._base import TensorTransformer
from ._engine import Call
from ._native import ffi, lib
from .recipe import Recipe

_KINDS = {name: getattr(lib, "TOSST_POOL_" + name.upper().replace("-", "_"))
          for name in ("average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n")}


class CodePooling(TensorTransformer):
    """Pooling of the codes of each image, then signed power and normalization: section 6.

    Parameters
    ----------
    kind : {"average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n"}
        Operator, after Koniusz, Yan & Mikolajczyk (2013).
    parameter : float, optional
        Of the operator: trials of "maxexp", power of "gamma", factor of "axmin", codes of "at-n". None: its default.
    power : float
        Values become :math:`sgn(h) |h|^p`. 1: off.
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

    def __init__(self, kind: str = "average", *, parameter: Optional[float] = None, power: float = 0.4,
                 normalize: Optional[str] = "l2") -> None:
        self.kind = kind
        self.parameter = parameter
        self.power = power
        self.normalize = normalize

    @classmethod
    def from_recipe(cls, recipe: Recipe, **parameters: Any) -> "CodePooling":
        """Return a transformer with the values of [pooling] of a recipe.

        Parameters
        ----------
        recipe : Recipe
        **parameters
            Override those of the recipe.
        """
        normalize = recipe["pooling.normalise"]
        values = {"kind": recipe["pooling.kind"], "parameter": recipe["pooling.parameter"], "power": recipe["pooling.power"],
                  "normalize": None if normalize == "none" else normalize}
        return cls(**{**values, **parameters})  # type: ignore[arg-type]

    def fit(self, X: Any, y: Any = None) -> "CodePooling":
        """Check the codes.

        Parameters
        ----------
        X : array of shape (n_images, n_patches, n_components), or as for transform()
        y : ignored

        Returns
        -------
        self
        """
        rows = self._rows(X, reset=True)
        with Call(1) as call:
            check_range(call, rows.array, "X")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Pool codes.

        Parameters
        ----------
        X : array of shape (n_images, n_patches, n_components), or list of arrays (n_patches, n_components)
            Of an array (n_images, n_components) each row is the code of an image.

        Returns
        -------
        ndarray of shape (n_images, n_components)
            Of the type of X.
        """
        self._check_fitted()
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join(_KINDS)}, not {self.kind!r}")
        if self.normalize not in ("l2", None):
            raise ValueError(f"normalize must be 'l2' or None, not {self.normalize!r}")
        rows = self._rows(X, reset=False)
        codes = np.ascontiguousarray(rows.array, dtype=np.float32)
        counts = rows.counts if rows.counts is not None else [1] * len(codes)
        out = np.empty((len(counts), codes.shape[1]), dtype=np.float32)
        with Call(1) as call:
            check_range(call, rows.array, "X")
            self._pool(codes, counts, out)
        return out.astype(rows.array.dtype, copy=False)

    def _pool(self, codes: np.ndarray, counts: Any, out: np.ndarray) -> None:
        parameter = float("nan") if self.parameter is None else float(self.parameter)
        K, start = codes.shape[1], 0
        wrong = lib.tosst_pool_check(_KINDS[self.kind], parameter)
        if wrong:
            raise ValueError(ffi.string(wrong).decode())
        code, signature = pointer(codes), pointer(out, writable=True)
        for i, count in enumerate(counts):
            if count == 0:
                raise ValueError(f"image {i} has no codes")
            at = signature + i * K
            if lib.tosst_pool(_KINDS[self.kind], parameter, code + start * K, K, ffi.NULL, count, at) != lib.TOSST_OK:
                raise MemoryError("not enough memory to pool codes")
            lib.tosst_normalise_signature(at, K, self.power, self.normalize == "l2")
            start += count

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the values of a signature.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        self._check_fitted()
        return np.array([f"x{i}" for i in range(self.n_features_in_)], dtype=object)
