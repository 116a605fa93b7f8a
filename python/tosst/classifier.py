# SPDX-License-Identifier: GPL-3.0-or-later
"""Classification of whole images, as the programs do it."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from contextlib import ExitStack
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from ._base import BaseEstimator, FramesOut, HasKeys, NotFittedError, accept_keys, all_or_nothing
from ._checks import check_whole
from ._engine import Call
from ._io import PathLike, reading, replacing
from ._models import CoreError, Images, Model, find_core, take_text
from .dictionary import Dictionary, _read
from .recipe import Recipe, Value
from .texture import _HIGHEST, _LOWEST, _planes

try:
    from sklearn.base import ClassifierMixin
except ImportError:

    class ClassifierMixin:  # type: ignore[no-redef]
        """A classifier."""


_Classifier = TypeVar("_Classifier", bound="TextureClassifier")


class Neighbour(NamedTuple):
    """A training image that is near another one.

    Parameters
    ----------
    index : int
        Its place in X of fit().
    label : object
        Its class.
    distance : float
        In the feature space of the classifier.
    """

    index: int
    label: Any
    distance: float


class Explanation(NamedTuple):
    """Why an image is predicted as it is.

    Parameters
    ----------
    label : object
        The class that is predicted.
    margins : dict
        The margin of each class.
    terms : dict of dict
        By part of the model and class the term of that margin; margins are the sums over parts.
    nearest : list of Neighbour
        The training images that are nearest, the nearest first. Empty of a model from a file.
    """

    label: Any
    margins: Dict[Any, float]
    terms: Dict[str, Dict[Any, float]]
    nearest: List[Neighbour]


class ClassMap(NamedTuple):
    """The classes of the windows of an image.

    Parameters
    ----------
    labels : ndarray of shape (rows, columns)
        Of each window the class with the largest margin.
    margins : ndarray of shape (rows, columns, n_classes), float32
    window : int
        Side of the windows in pixels.
    step : int
        Their distance: the top left corner of window (i, j) is row i step, column j step.
    """

    labels: np.ndarray
    margins: np.ndarray
    window: int
    step: int


class _Files:
    """Images, or features of them, as files: paths as they are, arrays as files for the duration of a `with` block."""

    def __init__(self, X: Any, features: bool = False) -> None:
        self.write = _write_features if features else _write
        self.suffix = "npz" if features else "pnm"
        if isinstance(X, (str, bytes, os.PathLike)):
            raise ValueError("X must be a list of paths or of images, not one of them")
        try:
            self.images = list(X)
        except TypeError:
            self.images = []
        if not self.images:
            raise ValueError("X must be a list of paths or of images, with at least one of them")

    def __len__(self) -> int:
        return len(self.images)

    def __enter__(self) -> "_Files":
        with ExitStack() as stack:
            self.paths: List[str] = []
            self.names: List[str] = []
            folder = ""
            for i, image in enumerate(self.images):
                if isinstance(image, (str, os.PathLike)):
                    self.paths.append(os.fsdecode(image))
                    self.names.append(self.paths[-1])
                    continue
                folder = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="tosst-"))
                self.paths.append(os.path.join(folder, f"{i}.{self.suffix}"))
                self.names.append(f"image {i}")
                self.write(self.paths[-1], image, self.names[-1])
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stack.close()


def _write(path: str, image: Any, name: str) -> None:
    """Write an array as PGM or PPM: all its bits, and of floating-point values 16."""
    try:
        planes, levels = _planes(image)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    pixels = np.asarray(image)
    if levels == 0:
        low, high = planes.min(initial=0), planes.max(initial=0)
        if not (low >= _LOWEST and high <= _HIGHEST):  # NaN, too
            raise ValueError(f"{name}: floating-point images have values from 0 to 1, not from {low:g} to {high:g}")
        levels, pixels = 65535, np.rint(pixels.clip(0, 1) * 65535.0)
    height, width = pixels.shape[:2]
    with open(path, "wb") as file:
        file.write(b"P%d %d %d %d\n" % (6 if len(planes) == 3 else 5, width, height, levels))
        file.write(np.ascontiguousarray(pixels, dtype=">u2" if levels > 255 else np.uint8).tobytes())


def _write_features(path: str, features: Any, name: str) -> None:
    """Write a map of features, or features and their positions, as `tosst features` does."""
    if isinstance(features, tuple) and len(features) == 2:
        x, xy = (np.asarray(part) for part in features)
    else:
        x = np.asarray(features)
        if x.ndim != 3:
            raise ValueError(f"{name}: features are an array (height, width, D), or a tuple of arrays x (N, D) and xy (N, 2), positions from "
                             f"0 to 1, not shape {x.shape}")
        height, width = x.shape[:2]
        down, right = np.indices((height, width))
        xy = np.stack([(right + 0.5) / width, (down + 0.5) / height], axis=-1).reshape(-1, 2)
        x = x.reshape(height * width, -1)
    if x.dtype.kind != "f" or x.ndim != 2 or xy.shape != (len(x), 2) or not len(x):
        raise ValueError(f"{name}: features are floating-point arrays x (N, D) and xy (N, 2), not {x.dtype} {x.shape} and {xy.shape}")
    if not ((abs(x) <= 1e12).all() and (xy >= 0).all() and (xy <= 1).all()):
        raise ValueError(f"{name}: features must be finite and at most 1e12, and their positions from 0 to 1")
    np.savez(path, x=x, xy=xy.astype(np.float64))


class _Tenths:
    """Prints the progress of a fit."""

    shown = 0

    def show(self, fraction: float) -> None:
        """Print a tenth that is done."""
        tenths = int(10 * fraction + 1e-9)
        if tenths > self.shown:
            self.shown = tenths
            print(f"TextureClassifier.fit(): {10 * tenths} % done", flush=True)


def _targets(y: Any, n: int) -> "Tuple[np.ndarray, np.ndarray]":
    """Return the index of the class of each image, or 1, -1 and 0 for each class, and the classes."""
    labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if labels.ndim not in (1, 2) or len(labels) != n:
        raise ValueError(f"y must have one label for each of the {n} images, or one row, not shape {labels.shape}")
    if labels.ndim == 1:
        try:
            classes, index = np.unique(labels, return_inverse=True)
        except TypeError:
            raise ValueError("y must be labels of one type") from None
        return index, classes
    try:
        values = labels.astype(np.float64)
    except (TypeError, ValueError):
        values = np.full(labels.shape, 2.0)
    unknown = np.isnan(values)
    if not labels.shape[1] or not (unknown | (values == 0) | (values == 1)).all():
        raise ValueError("rows of y must say of each class whether an image shows it: true or 1, false or 0, or NaN")
    columns = getattr(y, "columns", None)
    return (np.where(unknown, 0, np.where(values == 1, 1, -1)).astype(np.int8),
            np.arange(labels.shape[1]) if columns is None else np.asarray(columns))


def is_model(members: Sequence[str]) -> bool:
    """Whether a file with these members is a model with a classifier."""
    return "meta.json" in members and any(name in members for name in ("w.npy", "coefficients.npy", "part1.npz"))


class TextureClassifier(HasKeys, ClassifierMixin, FramesOut, BaseEstimator):
    """Classification of images of textures: what `tosst classify` and `tosst predict` do.

    A model is trained with all images given. With the same images, recipe, seed, number of threads and BLAS kernel it equals that
    of `tosst classify --model` whose training images they are to the bit. Parts with local features (Fisher vectors, in "balanced" and
    "best") and copies (`dataset.copies`) draw by the number of an image among all of the data set, tests included, and need `numbers` of
    fit() for that.
    Predictions are those of `tosst predict` to the bit.

    Parameters
    ----------
    preset : {"quick", "balanced", "best", "tensors"}
        Effort: "quick" is a tensor dictionary at keypoints; "balanced" a larger one with Fisher vectors and covariances beside it;
        "best" has the highest accuracy, in several times the time; "tensors" has tensor dictionaries alone.
    method : str, optional
        A method of `tosst compare --list`, such as "fisher", "lbp" or "tensor", in place of the preset.
    recipe : Recipe or mapping, optional
        A :class:`Recipe` takes the place of preset and method. The values of another mapping, by `group.key`, change those of the
        preset or method. What the recipe says of the data set and its splits has no effect.
    seed : int, optional
        Of learning, and of dividing the images to calibrate probabilities. None: those of the recipe, which are 1 by default.
    verbose : int
        1: fit() prints what share of it is done, in tenths.
    n_jobs : int, optional
        Threads; negative values count from all processors. None: all, or those of :func:`tosst.set_threads`.

    Attributes
    ----------
    classes_ : ndarray
        Labels; of a model from a file their names. Of several labels an image the columns of y.
    recipe_ : Recipe
        Of the model.
    dictionary_ : Dictionary or None
        Its atoms, if it has any.
    weights_ : dict
        The parts of the model, whose similarities are added, and their weights; NaN of a model from a file, or of several labels an
        image, which do not have them.

    Notes
    -----
    An image is a path, or an array (height, width) or (height, width, 3), uint8, uint16, or floating-point values from 0 to 1,
    which are rounded to 16 bits. Paths and arrays may be mixed. As in the programs, descriptions of images are kept on the disk
    for the next time (`TOSST_CACHE_MB=0`: not). It needs the libraries of the programs.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> rng = np.random.default_rng(1)
    >>> y, x = np.mgrid[:64, :64]
    >>> waves = [0.5 + 0.3 * np.sin(a * x + b * y + rng.uniform(0, 6)) for a, b in 6 * [(0.7, 0.1), (0.3, 0.9)]]
    >>> images = [wave + rng.normal(0, 0.02, wave.shape) for wave in waves]
    >>> labels = 6 * ["across", "down"]
    >>> classifier = tosst.TextureClassifier(recipe=tosst.Recipe({"descriptor.kind": "lbp"})).fit(images[:8], labels[:8])
    >>> classifier.predict(images[8:]).tolist()
    ['across', 'down', 'across', 'down']
    """

    @accept_keys
    def __init__(self, preset: str = "balanced", *, method: Optional[str] = None,
                 recipe: Union[None, Recipe, Mapping[str, Value]] = None, seed: Optional[int] = None,
                 verbose: int = 0, n_jobs: Optional[int] = None) -> None:
        self.preset = preset
        self.method = method
        self.recipe = recipe
        self.seed = seed
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _preset(self) -> Recipe:
        core = find_core("TextureClassifier")
        error = CoreError(core)
        if not isinstance(self.preset, str):
            raise ValueError(f"preset must be quick, balanced, best or tensors, not {self.preset!r}")
        if not (self.method is None or isinstance(self.method, str)):
            raise ValueError(f"method must be a name of tosst compare --list, not {self.method!r}")
        text = (core.lib.tosst_core_preset(self.preset.encode(), error.c) if self.method is None else
                core.lib.tosst_core_method(self.method.encode(), error.c))
        error.check()
        return Recipe.parse(take_text(core, text), "preset")

    def _recipe(self) -> Recipe:
        if not (self.recipe is None or isinstance(self.recipe, Mapping)):
            raise ValueError(f"recipe must be a Recipe or a mapping, not {self.recipe!r}")
        base = self.recipe if isinstance(self.recipe, Recipe) else self._preset()
        values: Dict[str, Value] = {key: base[key] for key in base._changes}
        if not isinstance(self.recipe, Recipe):
            values.update(self.recipe or {})
        if self.seed is not None:
            seed = check_whole(self.seed, "seed", 0, 2**64 - 1)
            values.update({"dataset.seed": seed, "dictionary.seed": seed})
        return Recipe(values)

    @all_or_nothing
    def fit(self, X: Any, y: Any, numbers: Any = None, total: Optional[int] = None) -> "TextureClassifier":
        """Train with all images.

        Parameters
        ----------
        X : list of paths or of arrays, or array of shape (n_images, height, width) or (n_images, height, width, 3)
            With `descriptor.kind` features the features of images: paths of files `.npz` or `.npy`, arrays (height, width, D), or tuples
            of arrays x (N, D) and xy (N, 2), positions from 0 to 1.
        y : array-like of shape (n_images,) or (n_images, n_classes)
            Labels; at least two different ones. Or for images that show several classes whether an image shows each of them: true or
            1, false or 0, NaN for images that neither train nor test a class. Names of classes are the columns of a DataFrame, else
            0, 1, ...
        numbers : array-like of shape (n_images,), optional
            The place of each image among all of a data set, tests included, in the order of the programs: by class, then by name; with
            several labels by name. Local features and copies are drawn at random by it, so that a model of training images equals
            that of `tosst classify`. None: the places among the images given, by class.
        total : int, optional
            How many images the data set has, tests included, whose copies (`dataset.copies`) follow them: needed with `numbers` and
            copies. `dataset.protocol` of the recipe says which images have copies: with fixed the training images alone, else all.

        Returns
        -------
        self
        """
        find_core("TextureClassifier")
        recipe = self._recipe()
        files = _Files(X, recipe["descriptor.kind"] == "features")
        targets, classes = _targets(y, len(files))
        names = [str(label) for label in classes]
        if len(set(names)) < len(names) or targets.ndim == 1 and len(names) < 2:
            raise ValueError(f"y must have at least two different labels, not {names}" if targets.ndim == 1 else
                             f"the classes of y must have different names, not {names}")
        # By class, as in folders.
        order = np.argsort(targets, kind="stable") if targets.ndim == 1 else np.arange(len(files))
        places: Optional[List[int]] = None
        if numbers is not None:
            given = np.asarray(numbers)
            if given.shape != (len(files),) or given.dtype.kind not in "iu" or len(set(given.tolist())) < len(given) or given.min() < 0:
                raise ValueError(f"numbers must be {len(files)} different whole numbers of at least 0")
            order = np.lexsort((given, targets)) if targets.ndim == 1 else np.argsort(given)
            places = [check_whole(place, "numbers", 0) for place in given[order]]
            if recipe["dataset.copies"] and total is None:
                raise ValueError("numbers and dataset.copies need total, how many images the data set has")
        count = check_whole(total, "total", 1 + max(places or [0]), 2**31) if total is not None else 0
        with files, Call(self.n_jobs) as call:
            if check_whole(self.verbose, "verbose", 0):
                call.show_also(_Tenths().show)
            model = Model.train(call, recipe.to_text(), Images([files.paths[i] for i in order], [files.names[i] for i in order], targets[order],
                                                               names, places, count, recipe["dataset.protocol"] == "fixed"))
        self._keep(model, classes)
        self._training = order, targets if targets.ndim == 2 else np.asarray(y)
        return self

    def _keep(self, model: Model, classes: np.ndarray) -> None:
        self._model = model
        self.classes_ = classes
        self.recipe_ = Recipe.parse(model.recipe(), "the model")
        self.weights_ = model.weights()
        self._training: Optional[Tuple[np.ndarray, np.ndarray]] = None

    @property
    def dictionary_(self) -> Optional[Dictionary]:
        """Atoms of the model, or None if it has none."""
        self._check_fitted()
        with zipfile.ZipFile(io.BytesIO(self._model.to_bytes())) as archive:
            return _read(archive) if {"B.npy", "b.npy"} <= set(archive.namelist()) else None

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This TextureClassifier instance is not fitted yet. Call 'fit' with appropriate arguments before "
                                 "using this estimator.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def _files(self, X: Any) -> _Files:
        return _Files(X, self.recipe_["descriptor.kind"] == "features")

    def _margins(self, X: Any) -> "Tuple[np.ndarray, np.ndarray]":
        """Margins and probabilities, (n_images, n_classes) each."""
        self._check_fitted()
        found = []
        with self._files(X) as files, Call(self.n_jobs) as call:
            for i, (path, name) in enumerate(zip(files.paths, files.names)):
                call.span(i / len(files), (i + 1) / len(files))
                found.append(self._model.predict(call, path, name))
            call.span(0, 0)
        return np.stack([row[0] for row in found]), np.stack([row[1] for row in found])

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margins of images.

        Parameters
        ----------
        X : list of paths or of arrays

        Returns
        -------
        ndarray of shape (n_images, n_classes)
            Of two classes, as scikit-learn has it, (n_images,): the margin of the second minus that of the first.
        """
        margins: np.ndarray = self._margins(X)[0]
        return margins[:, 1] - margins[:, 0] if len(self.classes_) == 2 and not self._model.has_labels else margins

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of classes, calibrated by cross-validation on the training images.

        Parameters
        ----------
        X : list of paths or of arrays

        Returns
        -------
        ndarray of shape (n_images, n_classes)
        """
        probabilities = self._margins(X)[1]
        if np.isnan(probabilities).any():
            raise ValueError("the model has no probabilities: it has too few training images to calibrate them, or is of an earlier "
                             "version")
        return probabilities

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each image, that of the largest margin.

        Parameters
        ----------
        X : list of paths or of arrays

        Returns
        -------
        ndarray of shape (n_images,)
            Of a model of several labels an image, bool of shape (n_images, n_classes): whether the image shows the class, with a
            probability of at least 1/2.
        """
        margins, probabilities = self._margins(X)
        if self._model.has_labels:
            return np.where(np.isnan(probabilities), margins > 0, probabilities >= 0.5)
        chosen: np.ndarray = self.classes_[margins.argmax(axis=1)]
        return chosen

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of images whose class is predicted, of several labels an image all of them, as in scikit-learn.

        For the average precision of each class that `tosst classify` reports, give `decision_function(X)` to
        `sklearn.metrics.average_precision_score`.

        Parameters
        ----------
        X : list of paths or of arrays
        y : array-like of shape (n_images,) or (n_images, n_classes)
        sample_weight : array-like of shape (n_images,), optional

        Returns
        -------
        float
        """
        right = self.predict(X) == np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        return float(np.average(right.all(axis=1) if right.ndim == 2 else right, weights=sample_weight))

    def transform(self, X: Any) -> Any:
        """Return the signatures of images: what the classifier compares, of any descriptor and pooling of a recipe.

        Parameters
        ----------
        X : list of paths or of arrays

        Returns
        -------
        ndarray of shape (n_images, n_features), float32, or DataFrame
            Those of the parts of the model, side by side, before they are weighted.
        """
        self._check_fitted()
        if self.recipe_["descriptor.kind"] == "features":
            raise ValueError("transform() is for models of images, and this one has features from elsewhere")
        with _Files(X) as files, Call(self.n_jobs) as call:
            signatures = np.empty((len(files), sum(self._model.lengths().values())), np.float32)
            for i, (path, name) in enumerate(zip(files.paths, files.names)):
                call.span(i / len(files), (i + 1) / len(files))
                self._model.sign(call, path, name, signatures[i])
            call.span(0, 0)
        return self._output(X, signatures)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the numbers of signatures: a part of the model and a number.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        self._check_fitted()
        return np.array([f"{part}{i}" for part, length in self._model.lengths().items() for i in range(length)], dtype=object)

    def explain(self, X: Any, n_nearest: int = 3) -> List[Explanation]:
        """Explain predictions by the parts of the model and by training images.

        Parameters
        ----------
        X : list of paths or of arrays
        n_nearest : int
            How many training images to name; those that are nearest in the feature space of the classifier. A model from a file
            does not have them.

        Returns
        -------
        list of Explanation
        """
        self._check_fitted()
        check_whole(n_nearest, "n_nearest", 0)
        if self._model.has_labels:
            raise ValueError("explain() is for models of one class an image, and images of this one have several labels")
        if self.recipe_["descriptor.kind"] == "features":
            raise ValueError("explain() is for models of images, and this one has features from elsewhere")
        found = []
        with self._files(X) as files, Call(self.n_jobs) as call:
            for i, (path, name) in enumerate(zip(files.paths, files.names)):
                call.span(i / len(files), (i + 1) / len(files))
                found.append(self._explanation(*self._model.explain(call, path, name), n_nearest))
            call.span(0, 0)
        return found

    def _explanation(self, terms: np.ndarray, distances: np.ndarray, n_nearest: int) -> Explanation:
        labels = self.classes_.tolist()
        margins = np.zeros(len(labels))
        for part in terms:  # in this order, as in predictions
            margins += part
        nearest: List[Neighbour] = []
        if self._training is not None and len(distances):
            order, of_images = self._training
            near = np.argsort(distances[:len(order)], kind="stable")[:n_nearest]  # copies of images follow these
            nearest = [Neighbour(int(order[i]), of_images[order[i]].item(), float(distances[i])) for i in near]
        return Explanation(labels[int(margins.argmax())], dict(zip(labels, margins.tolist())),
                           {name: dict(zip(labels, part.tolist())) for name, part in zip(self.weights_, terms)}, nearest)

    def class_map(self, X: Any, window: int = 0, step: int = 0) -> List[ClassMap]:
        """Return the classes of windows that slide over images, as `tosst predict --map` does.

        Parameters
        ----------
        X : list of paths or of arrays
        window : int
            Side of the windows in pixels. 0: that of the training images, or of their blocks.
        step : int
            Their distance; with patches a multiple of `descriptor.step`. 0: that of the patches, else a quarter of the window.

        Returns
        -------
        list of ClassMap
        """
        self._check_fitted()
        check_whole(window, "window", 0)
        check_whole(step, "step", 0)
        if self.recipe_["descriptor.kind"] == "features":
            raise ValueError("class_map() is for models of images, and this one has features from elsewhere")
        found = []
        with _Files(X) as files, Call(self.n_jobs) as call:
            for i, (path, name) in enumerate(zip(files.paths, files.names)):
                call.span(i / len(files), (i + 1) / len(files))
                index, *rest = self._model.map(call, path, name, window, step)
                found.append(ClassMap(self.classes_[index], *rest))
            call.span(0, 0)
        return found

    def save(self, path: PathLike) -> None:
        """Write the model to a file that `tosst predict` and :func:`tosst.load` read.

        Parameters
        ----------
        path : path of a file `.npz`
        """
        self._check_fitted()
        with replacing(path) as file:
            file.write(self._model.to_bytes())

    @classmethod
    def load(cls: Type[_Classifier], path: PathLike) -> _Classifier:
        """Read a model of the programs, or of save().

        Parameters
        ----------
        path : path of a file `.npz`

        Returns
        -------
        TextureClassifier
            Fitted; fit() would train another one by the same recipe.
        """
        with reading(path) as file:
            model = Model.from_bytes(file.read(), os.fspath(path))
        self = cls(recipe=Recipe.parse(model.recipe(), os.fspath(path)))
        self._keep(model, np.array(model.classes))
        return self

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["string", "3darray"], "no_validation": True, "multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
