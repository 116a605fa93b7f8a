# SPDX-License-Identifier: GPL-3.0-or-later
"""Images to tensors of their patches."""

from __future__ import annotations

import warnings
from itertools import combinations_with_replacement
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._arrays import check_range, pointer
from ._base import FromRecipe, TensorTransformer, accept_keys, all_or_nothing
from ._checks import check_choice, check_number, check_whole
from ._engine import Call
from ._native import ffi, lib
from .shapes import Shape, shape_from_c
from .whitening import check_exponents, whiten

_DETECTORS = {"dog": "TOSST_DETECTOR_DOG", "hessian": "TOSST_DETECTOR_HESSIAN"}

# Of resampled patches, as in the programs: pixels on each side that derivatives use, patches of a sheet, and in a row of it;
# half the side of a patch in scales of its frame; pixels of an image from which on it is not doubled for the detector.
_MARGIN, _SHEET, _COLUMNS = 2, 1024, 32
_EXTENT = 6.0

# Values of images as floating-point numbers that are no longer taken for such of 0 to 1, beyond which filters go a little.
_LOWEST, _HIGHEST = -1.0, 2.0
_LARGE = 1000000

# Fields of TosstFeatureOptions.
_FIELDS: Dict[str, Callable[[Any, str], Any]] = {
    "_Bool": lambda value, name: bool(value), "int": lambda value, name: check_whole(value, name, 2, 64),
    "double": lambda value, name: check_number(value, name, 0, above=True)}

_MOMENTS = {"covariance": "TOSST_MOMENT_COVARIANCE", "autocorrelation": "TOSST_MOMENT_AUTOCORRELATION"}


def _images(X: Any) -> List[Any]:
    """Return X as a list."""
    try:
        images = list(X)
    except TypeError:
        images = []
    if not images:
        raise ValueError("X must be a list of images, or an array of shape (n_images, height, width) or "
                         "(n_images, height, width, 3), with at least one image")
    return images


def _planes(image: Any) -> Any:
    """Return float32 planes in [0, 1] and the largest level of the file, as the programs read images; 0: none."""
    image = np.asarray(image)
    levels = {"u": 2 ** (8 * image.dtype.itemsize) - 1, "b": 1, "f": 0}.get(image.dtype.kind, -1)
    if not 0 <= levels <= 65535:
        raise ValueError(f"images have unsigned 8 or 16 bits, or floating-point values from 0 to 1, not {image.dtype}")
    if image.ndim == 3 and image.shape[2] in (1, 3):
        image = image.transpose(2, 0, 1)
    elif image.ndim == 2:
        image = image[None]
    else:
        raise ValueError(f"an image is (height, width) or (height, width, 3), not {image.shape}")
    planes = image / np.float64(levels) if levels else image
    return np.ascontiguousarray(planes, dtype=np.float32), levels


def _image(planes: np.ndarray, levels: int) -> Any:
    """Return planes as an image of the engine, which borrows them."""
    channels, height, width = planes.shape
    return ffi.new("TosstImage *", (width, height, channels, ffi.cast("float *", pointer(planes)), levels))


def _grey(planes: np.ndarray, longest_side: int) -> np.ndarray:
    """Return the luminance, reduced to the longest side (0: never)."""
    wide = planes.astype(np.float64)
    grey = wide[0] if len(wide) == 1 else 0.299 * wide[0] + 0.587 * wide[1] + 0.114 * wide[2]
    height, width = grey.shape
    longest = max(width, height)
    ratio = longest_side / longest if 0 < longest_side < longest else 1
    # Halves are rounded away from zero, as in C.
    columns, rows = max(1, int(width * ratio + 0.5)), max(1, int(height * ratio + 0.5))
    plane = np.empty((rows, columns), dtype=np.float32)
    grey = np.ascontiguousarray(grey)
    lib.tosst_image_reduce(pointer(grey), width, height, pointer(plane, writable=True), columns, rows)
    return plane


class TextureDescriptor(FromRecipe, TensorTransformer):
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
    frames : {"grid", "keypoints", "dense-scales"}
        Where patches are: on a grid of `step` pixels, at keypoints, whose scale and direction patches follow, or on a grid
        of several scales. Patches at frames are resampled to `patch_size` pixels.
    detector : {"dog", "hessian"}
        Of keypoints.
    frame_shape : {"similarity", "affine"}
        Of keypoints: discs, or ellipses, which follow the tilt of a surface, too.
    upright : bool
        Keypoints are not turned.
    most : int
        Largest number of frames of an image; 0: all.
    finest : float
        Scale of the finest level of "dense-scales" in pixels.
    longest_side : int
        Images in which frames are looked for are reduced to it; 0: never.
    photometric : bool
        Brightness and contrast of each patch are removed.
    gamma_eigen, gamma_coefficient : float
        Whitening; see :class:`EigenvaluePowerNormalizer`. 1: off.
    n_jobs : int, optional
        Threads; None: all, or those of :func:`tosst.set_threads`.

    Notes
    -----
    It needs no fit(). Tensors of images with 8 or 16 bits equal those of `tosst describe` to the bit. Tensors at frames are in
    the order of frames, from the strongest response to the weakest. An image in which none is found has one patch, upright,
    in the middle, as wide as its shorter side, with a warning.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> images = np.random.default_rng(1).random((4, 64, 64))
    >>> tosst.TextureDescriptor("linear", patch_size=20, step=20).transform(images).shape
    (4, 9, 84)
    """

    _KEYS = {
        "kind": "descriptor.kind", "patch_size": "descriptor.patch", "step": "descriptor.step",
        "features": "descriptor.features", "luminance": "descriptor.luminance", "opponent": "descriptor.opponent",
        "absolute": "descriptor.absolute", "pivots": "descriptor.pivots", "sigma_position": "descriptor.sigma-position",
        "sigma_luminance": "descriptor.sigma-luminance", "sigma_opponent": "descriptor.sigma-opponent",
        "sigma_first": "descriptor.sigma-first", "sigma_second": "descriptor.sigma-second",
        "range_first": "descriptor.range-first", "range_second": "descriptor.range-second",
        "range_opponent": "descriptor.range-opponent", "frames": "descriptor.frames", "detector": "descriptor.detector",
        "frame_shape": "descriptor.shape", "upright": "descriptor.upright", "most": "descriptor.most",
        "finest": "descriptor.finest", "longest_side": "descriptor.longest-side", "photometric": "descriptor.photometric",
        "gamma_eigen": "descriptor.gamma-eigen", "gamma_coefficient": "descriptor.gamma-coefficient",
    }

    @accept_keys
    def __init__(self, kind: str = "rbf", *, patch_size: int = 20, step: int = 10, features: str = "linear",
                 luminance: bool = True, opponent: bool = False, absolute: bool = False, pivots: int = 5,
                 sigma_position: float = 0.25, sigma_luminance: float = 0.25, sigma_opponent: float = 0.25,
                 sigma_first: float = 0.1, sigma_second: float = 0.15, range_first: float = 0.25, range_second: float = 0.5,
                 range_opponent: float = 0.7071067811865476, frames: str = "grid", detector: str = "dog",
                 frame_shape: str = "similarity", upright: bool = False, most: int = 2000, finest: float = 1.6,
                 longest_side: int = 500, photometric: bool = False, gamma_eigen: float = 1.0, gamma_coefficient: float = 1.0,
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
        self.frames = frames
        self.detector = detector
        self.frame_shape = frame_shape
        self.upright = upright
        self.most = most
        self.finest = finest
        self.longest_side = longest_side
        self.photometric = photometric
        self.gamma_eigen = gamma_eigen
        self.gamma_coefficient = gamma_coefficient
        self.n_jobs = n_jobs

    def _options(self) -> Any:
        check_choice(self.kind, "kind", ("rbf", "linear", *_MOMENTS))
        check_choice(self.features, "features", ("rbf", "linear"))
        check_whole(self.patch_size, "patch_size", 2)
        check_whole(self.step, "step", 1)
        features = self.features if self.kind in _MOMENTS else self.kind
        options = ffi.new("TosstFeatureOptions *")
        options.kind = lib.TOSST_FEATURES_RBF if features == "rbf" else lib.TOSST_FEATURES_LINEAR
        for name, field in ffi.typeof("TosstFeatureOptions").fields:
            if name != "kind":
                value = getattr(self, name)
                setattr(options, name, _FIELDS[field.type.cname](value, name))
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

    @all_or_nothing
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
        self._check()
        return self

    def _check(self) -> None:
        self._options()
        self._frame_options()
        check_exponents(self)

    def transform(self, X: Any) -> Any:
        """Describe images.

        Parameters
        ----------
        X : list of images, or array of shape (n_images, height, width) or (n_images, height, width, 3)
            uint8, uint16, or floating-point values from 0 to 1; what is below -1 or above 2 is refused.

        Returns
        -------
        ndarray of shape (n_images, n_patches, m), float32
            Of images with different numbers of patches a list of arrays (n_patches, m).
        """
        self._check()
        shape, images = self.shape, _images(X)
        with Call(self.n_jobs) as call:
            tensors = []
            for i, image in enumerate(images):
                call.span(i / len(images), (i + 1) / len(images))
                tensors.append(self._describe(call, image, shape))
        if len({len(part) for part in tensors}) == 1:
            return np.stack(tensors)
        return tensors

    def _describe(self, call: Call, image: Any, shape: Shape) -> np.ndarray:
        planes, levels = _planes(image)
        check_range(call, planes, "X")
        low, high = planes.min(initial=0), planes.max(initial=0)
        if low < _LOWEST or high > _HIGHEST:
            raise ValueError(f"floating-point images have values from 0 to 1, not from {low:g} to {high:g}")
        struct = _image(planes, levels)
        if self.frames != "grid":
            frames = self._find_frames(planes)
            tensors = self._describe_frames(call, struct, frames, len(frames), _EXTENT, shape)
        else:
            tensors = self._describe_grid(call, struct, shape)
        call.span(0, 0)
        if self.gamma_eigen != 1 or self.gamma_coefficient != 1:
            whiten(call, tensors, shape, self.gamma_eigen, self.gamma_coefficient)
        return tensors

    def _describe_grid(self, call: Call, struct: Any, shape: Shape) -> np.ndarray:
        width, height = struct.width, struct.height
        count = lib.tosst_patch_grid(width, height, self.patch_size, self.step, ffi.NULL)
        if count == 0:
            raise ValueError(f"an image of {width} x {height} pixels has no patch of {self.patch_size} pixels")
        points = ffi.new("TosstPoint[]", count)
        lib.tosst_patch_grid(width, height, self.patch_size, self.step, points)
        if self.photometric:
            middle = 0.5 * (self.patch_size - 1)
            frames = ffi.new("TosstFrame[]", [(point.x + middle, point.y + middle, (1, 0, 0, 1)) for point in points])
            return self._describe_frames(call, struct, frames, count, 0.5 * self.patch_size, shape)
        tensors = np.empty((count, shape.numbers), dtype=np.float32)
        call.run(lib.tosst_describe_moment, struct, self._options(), self._moment(), self.patch_size, points, count,
                 pointer(tensors, writable=True))
        return tensors

    def _frame_options(self) -> Any:
        check_choice(self.frames, "frames", ("grid", "keypoints", "dense-scales"))
        check_choice(self.detector, "detector", tuple(_DETECTORS))
        check_choice(self.frame_shape, "frame_shape", ("similarity", "affine"))
        check_whole(self.longest_side, "longest_side", 0)
        options = ffi.new("TosstFrameOptions *")
        lib.tosst_frame_options_default(options)
        options.dense = self.frames == "dense-scales"
        options.detector = getattr(lib, _DETECTORS[self.detector])
        options.affine = self.frame_shape == "affine"
        options.upright = bool(self.upright)
        options.most = check_whole(self.most, "most", 0)
        options.finest = check_number(self.finest, "finest", 0, above=True)
        wrong = lib.tosst_frame_options_check(options)
        if wrong:
            raise ValueError(ffi.string(wrong).decode())
        return options

    def _find_frames(self, planes: np.ndarray) -> Any:
        """Return the frames of an image, in its pixels."""
        options = self._frame_options()
        plane = _grey(planes, self.longest_side)
        (rows, columns), (height, width) = plane.shape, planes.shape[1:]
        options.doubled = options.doubled and rows * columns <= _LARGE
        found, n = ffi.new("TosstFrame **"), ffi.new("size_t *")
        status = lib.tosst_frames(options, pointer(plane), columns, rows, found, n)
        if status == lib.TOSST_ERROR_MEMORY:
            raise MemoryError("not enough memory to find the frames of an image")
        if status != lib.TOSST_OK:
            raise ValueError("the frames of an image cannot be found")
        if n[0] == 0:
            warnings.warn(f"an image of {width} x {height} pixels has no frames, as it is too small or flat: it is described by one "
                          "patch in its middle", stacklevel=4)
            scale = min(width, height) / (2 * _EXTENT)
            return ffi.new("TosstFrame[]", [(0.5 * (width - 1), 0.5 * (height - 1), (scale, 0, 0, scale))])
        frames = ffi.new("TosstFrame[]", n[0])
        ffi.memmove(frames, found[0], n[0] * ffi.sizeof("TosstFrame"))
        lib.tosst_python_free(found[0])
        across, down = width / columns, height / rows
        for frame in frames:
            frame.x = (frame.x + 0.5) * across - 0.5
            frame.y = (frame.y + 0.5) * down - 0.5
            for k in range(4):
                frame.a[k] *= np.float32(across if k < 2 else down)
        return frames

    def _describe_frames(self, call: Call, struct: Any, frames: Any, count: int, extent: float, shape: Shape) -> np.ndarray:
        """Tensors of resampled patches, which lie side by side in sheets, with the margins that derivatives need."""
        side = self.patch_size + 2 * _MARGIN
        options = ffi.new("TosstFramePatch *", (self.patch_size, _MARGIN, extent, bool(self.photometric)))
        tensors = np.empty((count, shape.numbers), dtype=np.float32)
        for first in range(0, count, _SHEET):
            n = min(_SHEET, count - first)
            rows = -(-n // _COLUMNS)
            patches = np.zeros((rows * _COLUMNS, struct.channels, side, side), dtype=np.float32)
            if lib.tosst_frames_patches(options, struct, frames + first, n, pointer(patches, writable=True)) != lib.TOSST_OK:
                raise MemoryError("not enough memory to resample patches")
            sheet = np.ascontiguousarray(
                patches.reshape(rows, _COLUMNS, struct.channels, side, side).transpose(2, 0, 3, 1, 4)
            ).reshape(struct.channels, rows * side, _COLUMNS * side)
            points = ffi.new("TosstPoint[]", [(i % _COLUMNS * side + _MARGIN, i // _COLUMNS * side + _MARGIN) for i in range(n)])
            call.run(lib.tosst_describe_moment, _image(sheet, 0), self._options(), self._moment(), self.patch_size, points, n,
                     pointer(tensors[first:first + n], writable=True))
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

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the numbers of a tensor: the features of which they are products, such as `I I_x I_x`.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        names, order = self.labels(), 2 if self.shape.kind == "symmetric" else 3
        return np.array([" ".join(product) for product in combinations_with_replacement(names, order)], dtype=object)

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "stateless": True, "requires_fit": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.requires_fit = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True
