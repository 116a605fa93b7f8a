# SPDX-License-Identifier: GPL-3.0-or-later
"""Images to tensors of their patches."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from ._arrays import check_range, pointer
from ._base import TensorTransformer
from ._engine import Call
from ._native import ffi, lib
from .recipe import Recipe
from .shapes import Shape, shape_from_c
from .whitening import whiten

_MOMENTS = {"covariance": "TOSST_MOMENT_COVARIANCE", "autocorrelation": "TOSST_MOMENT_AUTOCORRELATION"}


def _planes(image: Any) -> Any:
    """Return float32 planes in [0, 1] and the largest level of the file, as the programs read images; 0: none."""
    image = np.asarray(image)
    if image.ndim == 3 and image.shape[2] in (1, 3):
        image = image.transpose(2, 0, 1)
    elif image.ndim == 2:
        image = image[None]
    else:
        raise ValueError(f"an image is (height, width) or (height, width, 3), not {image.shape}")
    levels = {"u": 2 ** (8 * image.dtype.itemsize) - 1, "b": 1}.get(image.dtype.kind, 0)
    if levels > 65535:
        raise ValueError("images have 8 or 16 bits, or floating-point values from 0 to 1")
    planes = image / np.float64(levels) if levels else image
    return np.ascontiguousarray(planes, dtype=np.float32), levels


class TextureDescriptor(TensorTransformer):
    r"""Tensors of the patches of images, equations (1), (8) and (11)-(13).

    A pixel has the features position, luminance, and first and second derivatives; :math:`X = \frac1N \sum_n x_n \otimes x_n
    \otimes x_n` over the N pixels of a patch.

    Parameters
    ----------
    kind : {"rbf", "linear", "covariance", "autocorrelation"}
        "linear": features as they are, d = 6 to 9; "rbf": each by `pivots` Gaussians, d = 30 to 45. The other two are
        matrices of the features chosen by `features`: use shape="symmetric" for what follows.
    patch_size : int
        Side of a patch in pixels.
    step : int
        Distance of patches in pixels.
    features : {"linear", "rbf"}
        Of "covariance" and "autocorrelation".
    luminance, opponent, absolute : bool
        Luminance, opponent colours, absolute values of derivatives.
    pivots : int
        Gaussians for a value.
    sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second : float
        Widths of the Gaussians.
    range_first, range_second, range_opponent : float
        Values are clamped to [-range, range].
    gamma_eigen, gamma_coefficient : float
        Whitening; see :class:`EigenvaluePowerNormalizer`. 1: off.
    n_jobs : int, optional
        Threads; None: all, or those of :func:`tosst.set_threads`.

    Notes
    -----
    It needs no fit(). Tensors of images with 8 or 16 bits equal those of `tosst describe` to the bit.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> images = np.random.default_rng(1).random((4, 64, 64))
    >>> tosst.TextureDescriptor("linear", patch_size=20, step=20).transform(images).shape
    (4, 9, 84)
    """

    def __init__(self, kind: str = "rbf", *, patch_size: int = 20, step: int = 10, features: str = "linear",
                 luminance: bool = True, opponent: bool = False, absolute: bool = False, pivots: int = 5,
                 sigma_position: float = 0.25, sigma_luminance: float = 0.25, sigma_opponent: float = 0.25,
                 sigma_first: float = 0.1, sigma_second: float = 0.15, range_first: float = 0.25, range_second: float = 0.5,
                 range_opponent: float = 0.7071067811865476, gamma_eigen: float = 1.0, gamma_coefficient: float = 1.0,
                 n_jobs: Optional[int] = None) -> None:
        self.kind = kind
        self.patch_size = patch_size
        self.step = step
        self.features = features
        self.luminance = luminance
        self.opponent = opponent
        self.absolute = absolute
        self.pivots = pivots
        self.sigma_position = sigma_position
        self.sigma_luminance = sigma_luminance
        self.sigma_opponent = sigma_opponent
        self.sigma_first = sigma_first
        self.sigma_second = sigma_second
        self.range_first = range_first
        self.range_second = range_second
        self.range_opponent = range_opponent
        self.gamma_eigen = gamma_eigen
        self.gamma_coefficient = gamma_coefficient
        self.n_jobs = n_jobs

    @classmethod
    def from_recipe(cls, recipe: Recipe, **parameters: Any) -> "TextureDescriptor":
        """Return a descriptor with the values of [descriptor] of a recipe; `parameters` override them."""
        if recipe["descriptor.frames"] != "grid" or recipe["descriptor.photometric"]:
            raise ValueError("descriptor.frames must be grid, and descriptor.photometric false, in Python")
        names = [name for name in cls().get_params() if name not in ("patch_size", "n_jobs")]
        values: Dict[str, Any] = {name: recipe["descriptor." + name.replace("_", "-")] for name in names}
        values["patch_size"] = recipe["descriptor.patch"]
        return cls(**{**values, **parameters})

    def _options(self) -> Any:
        if self.kind not in ("rbf", "linear", *_MOMENTS):
            raise ValueError(f"kind must be rbf, linear, covariance or autocorrelation, not {self.kind!r}")
        features = self.features if self.kind in _MOMENTS else self.kind
        if features not in ("rbf", "linear"):
            raise ValueError(f"features must be rbf or linear, not {features!r}")
        options = ffi.new("TosstFeatureOptions *")
        options.kind = lib.TOSST_FEATURES_RBF if features == "rbf" else lib.TOSST_FEATURES_LINEAR
        for name, _ in ffi.typeof("TosstFeatureOptions").fields:
            if name != "kind":
                setattr(options, name, getattr(self, name))
        wrong = lib.tosst_feature_options_check(options)
        if wrong:
            raise ValueError(ffi.string(wrong).decode())
        return options

    def _moment(self) -> int:
        return int(getattr(lib, _MOMENTS.get(self.kind, "TOSST_MOMENT_THIRD_ORDER")))

    @property
    def shape(self) -> Shape:
        """Shape of the tensors."""
        return shape_from_c(lib.tosst_moment_shape(self._moment(), lib.tosst_feature_dimension(self._options())))

    def fit(self, X: Any, y: Any = None) -> "TextureDescriptor":
        """Check the parameters.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self
        """
        self._options()
        return self

    def transform(self, X: Any) -> Any:
        """Describe images.

        Parameters
        ----------
        X : list of images, or array of shape (n_images, height, width) or (n_images, height, width, 3)
            uint8, uint16, or floating-point values from 0 to 1.

        Returns
        -------
        ndarray of shape (n_images, n_patches, m), float32
            Of images with different numbers of patches a list of arrays (n_patches, m).
        """
        shape = self.shape
        with Call(self.n_jobs) as call:
            tensors = []
            for i, image in enumerate(X):
                call.span(i / len(X), (i + 1) / len(X))
                tensors.append(self._describe(call, image, shape))
        if len({len(part) for part in tensors}) == 1:
            return np.stack(tensors)
        return tensors

    def _describe(self, call: Call, image: Any, shape: Shape) -> np.ndarray:
        planes, levels = _planes(image)
        check_range(call, planes, "X")
        channels, height, width = planes.shape
        struct = ffi.new("TosstImage *", (width, height, channels, ffi.cast("float *", pointer(planes)), levels))
        count = lib.tosst_patch_grid(width, height, self.patch_size, self.step, ffi.NULL)
        if count == 0:
            raise ValueError(f"an image of {width} x {height} pixels has no patch of {self.patch_size} pixels")
        points = ffi.new("TosstPoint[]", count)
        lib.tosst_patch_grid(width, height, self.patch_size, self.step, points)
        tensors = np.empty((count, shape.numbers), dtype=np.float32)
        call.run(lib.tosst_describe_moment, struct, self._options(), self._moment(), self.patch_size, points, count,
                 pointer(tensors, writable=True))
        call.span(0, 0)
        if self.gamma_eigen != 1 or self.gamma_coefficient != 1:
            whiten(call, tensors, shape, self.gamma_eigen, self.gamma_coefficient)
        return tensors

    def labels(self) -> List[str]:
        """Return the names of the d features, such as `I_x`."""
        options = self._options()
        text = ffi.new("char[64]")
        names = []
        for i in range(lib.tosst_feature_dimension(options)):
            lib.tosst_feature_label(options, i, text, len(text))
            names.append(ffi.string(text).decode())
        return names

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "stateless": True, "requires_fit": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.requires_fit = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True
