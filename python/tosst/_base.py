# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of estimators: those of scikit-learn where it is installed, else the part of them that is needed."""

from __future__ import annotations

import inspect
import sys
import warnings
from functools import wraps
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Type, TypeVar, cast

import numpy as np

from ._arrays import check_range
from ._checks import check_choice
from ._engine import Call
from .recipe import Recipe
from .shapes import ShapeLike, resolve_shape

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.exceptions import NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator is used before it is fitted."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name."""

        def get_params(self, deep: bool = True) -> Dict[str, Any]:
            """Return the parameters."""
            names = inspect.signature(type(self).__init__).parameters
            return {name: getattr(self, name) for name in names if name != "self"}

        def set_params(self, **params: Any) -> Any:
            """Set parameters by name."""
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"{type(self).__name__} has no parameter {name}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            return type(self).__name__ + "()"

    class TransformerMixin:  # type: ignore[no-redef]
        """fit_transform() by fit() and transform()."""

        def fit_transform(self, X: Any, y: Any = None) -> Any:
            """Fit to X, and transform it."""
            return self.fit(X, y).transform(X)  # type: ignore[attr-defined]


def _global_output() -> Any:
    """Return what scikit-learn is set to for all transformers."""
    sklearn = sys.modules.get("sklearn")
    return sklearn.get_config().get("transform_output") if sklearn is not None else None


_Method = TypeVar("_Method", bound=Callable[..., Any])


def all_or_nothing(method: _Method) -> _Method:
    """A method that leaves the estimator as it was unless it comes to its end."""

    @wraps(method)
    def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
        if named.pop("sample_weight", None) is not None:
            other = "; score() has it" if hasattr(self, "score") else ""
            raise TypeError(f"{type(self).__name__}.{method.__name__}() has no sample_weight: all samples count alike there{other}")
        before = dict(vars(self))
        try:
            return method(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return cast(_Method, guarded)


def _renamed(estimator: Any, given: Dict[str, Any]) -> Dict[str, Any]:
    """Parameters by their names here: those by their keys in recipes are renamed, with a warning."""
    kind = type(estimator)
    own = inspect.signature(kind.__init__).parameters
    keys = {"threads": ("n_jobs", "--threads")}
    for name, key in reversed(list(kind._KEYS.items())):
        keys[key.split(".")[1].replace("-", "_")] = name, key
    found: Dict[str, Any] = {}
    for name, value in given.items():
        if name not in own and name in keys and keys[name][0] in own:
            new, key = keys[name]
            warnings.warn(f"{key} of the programs is {new} in Python: {name} will not be accepted in the future", FutureWarning,
                          stacklevel=3)
            if new in given or new in found:
                raise TypeError(f"{kind.__name__} got both {name} and {new}")
            name, value = new, kind._from_key(new, value)
        found[name] = value
    return found


def accept_keys(method: _Method) -> _Method:
    """__init__() of an estimator that takes parameters by their keys in recipes, too: `sample` for `max_samples`."""

    @wraps(method)
    def wrapped(self: Any, *arguments: Any, **named: Any) -> None:
        method(self, *arguments, **_renamed(self, named))

    return cast(_Method, wrapped)


_Estimator = TypeVar("_Estimator", bound="FromRecipe")


class HasKeys:
    """An estimator some of whose parameters recipes have, under other names."""

    # Names of parameters, and keys of recipes.
    _KEYS: Dict[str, str] = {}

    @classmethod
    def _from_key(cls, name: str, value: Any) -> Any:
        """Return the value of a parameter that has this one in a recipe."""
        return value

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name.

        Parameters
        ----------
        **params
            As of the class.

        Returns
        -------
        self
        """
        return super().set_params(**_renamed(self, params))  # type: ignore[misc]


class FromRecipe:
    """An estimator whose parameters a recipe has."""

    @classmethod
    def _values(cls, recipe: Recipe) -> Dict[str, Any]:
        return {name: cls._from_key(name, recipe[key]) for name, key in cls._KEYS.items()}  # type: ignore[attr-defined]

    @classmethod
    def from_recipe(cls: Type[_Estimator], recipe: Recipe, **parameters: Any) -> _Estimator:
        """Return an estimator with the values of its group of a recipe: [descriptor], [dictionary] and [coding], or [pooling].

        Parameters
        ----------
        recipe : Recipe
        **parameters
            Override those of the recipe.

        Examples
        --------
        >>> import tosst
        >>> tosst.TensorDictionaryLearning.from_recipe(tosst.Recipe({"dictionary.atoms": 500})).n_components
        500
        """
        return cls(**{**cls._values(recipe), **parameters})


class Rows(NamedTuple):
    """The rows of X, and how they were given."""

    array: np.ndarray  # (N, m), C order, float32 or float64
    counts: Optional[List[int]] = None  # rows of each set, of a list of arrays or an array of shape (n, P, m)
    stacked: bool = False  # an array of shape (n, P, m)

    def like(self, out: np.ndarray) -> Any:
        """Return rows of a result arranged as X was."""
        if self.counts is None:
            return out
        if self.stacked:
            return out.reshape(len(self.counts), -1, out.shape[1])
        return np.split(out, np.cumsum(self.counts)[:-1])


def find_sets(X: Any) -> Optional[List[Any]]:
    """The arrays of a list of arrays (P_i, m), or None."""
    listed = isinstance(X, (list, tuple)) or getattr(X, "dtype", None) == object and getattr(X, "ndim", 0) == 1
    if not (listed and len(X) and all(getattr(part, "ndim", 0) == 2 for part in X)):
        return None
    return [part.toarray() if hasattr(part, "toarray") else part for part in X]  # sparse codes


def _plain_rows(X: Any) -> np.ndarray:
    """What scikit-learn's validation does, without it."""
    array = np.asarray(X)
    if array.dtype.kind not in "fiub":
        array = array.astype(np.float64)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"Expected a 2D array with samples and features, got an array of shape {array.shape}")
    return np.ascontiguousarray(array)


class FramesOut(TransformerMixin):
    """Base of transformers whose rows may be DataFrames of pandas."""

    def __init_subclass__(cls, **named: Any) -> None:
        # scikit-learn would make a DataFrame also of sets of rows.
        super().__init_subclass__(**({"auto_wrap_output_keys": None} if hasattr(TransformerMixin, "set_output") else {}), **named)

    def set_output(self, *, transform: Optional[str] = None) -> Any:
        """Choose what transform() and fit_transform() return for rows; sets of them remain arrays.

        Parameters
        ----------
        transform : {"default", "pandas"}, optional
            Arrays, or DataFrames of pandas with the names of get_feature_names_out(). None: as before.

        Returns
        -------
        self
        """
        if transform is not None:
            check_choice(transform, "transform", ("default", "pandas"))
            # The name that scikit-learn gives to a clone.
            self._sklearn_output_config = {"transform": transform}
        return self

    def _output(self, X: Any, out: Any) -> Any:
        """Return rows in the form that is wanted."""
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform") or _global_output()
        if wanted != "pandas" or getattr(out, "ndim", 0) != 2:
            return out
        if hasattr(out, "toarray"):
            raise ValueError("Pandas output does not support sparse data: set sparse_output=False")
        import pandas

        index = getattr(X, "index", None)  # of a list a function
        return pandas.DataFrame(out, index=None if callable(index) else index, columns=self.get_feature_names_out(), copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the numbers of a row."""
        raise NotImplementedError


class TensorTransformer(HasKeys, FramesOut, BaseEstimator):
    """Base of transformers of rows."""

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Call fit() and transform().

        Parameters
        ----------
        X : array-like
            As for fit().
        y : ignored

        Returns
        -------
        ndarray or list of ndarray
            As of transform().
        """
        return self.fit(X, y).transform(X)  # type: ignore[attr-defined]

    def _rows(self, X: Any, reset: bool) -> Rows:
        """Validate X: (N, m), (n, P, m), (N, d1, d2, d3) or a list of (P_i, m)."""
        sets = find_sets(X)
        if sets is not None:
            if len({part.shape[1] for part in sets}) > 1:
                raise ValueError("the arrays of X have rows of different lengths")
            return Rows(self._validate(np.concatenate(sets), reset), [len(part) for part in sets])
        shape: Tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) in (3, 4) and 0 in shape:
            raise ValueError(f"Found an array of shape {shape}, which has no numbers")
        if len(shape) == 3:
            return Rows(self._validate(np.asarray(X).reshape(-1, shape[2]), reset), [shape[1]] * shape[0], True)
        if len(shape) == 4:
            return Rows(self._validate(np.asarray(X).reshape(shape[0], -1), reset))
        return Rows(self._validate(X, reset))

    def _validate(self, X: Any, reset: bool) -> np.ndarray:
        kind = getattr(getattr(X, "dtype", None), "kind", "f")
        if kind in "cmM":
            raise ValueError("Complex data not supported" if kind == "c" else f"X must be numbers, not {X.dtype}")
        options = {"dtype": [np.float64, np.float32], "order": "C", "reset": reset}
        try:
            from sklearn.utils.validation import validate_data

            return validate_data(self, X, ensure_all_finite=False, **options)  # type: ignore[no-any-return]
        except ImportError:
            pass
        if hasattr(self, "_validate_data"):  # scikit-learn before 1.6
            return self._validate_data(X, force_all_finite=False, **options)  # type: ignore[no-any-return]
        array = _plain_rows(X)
        if reset:
            self.n_features_in_ = array.shape[1]
        elif array.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {array.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        return array

    def _finite_rows(self, X: Any, reset: bool) -> Rows:
        """Validate X, and that it is finite."""
        rows = self._rows(X, reset)
        with Call(1) as call:
            check_range(call, rows.array, "X")
        return rows

    def _is_fitted(self) -> bool:
        return any(name.endswith("_") and not name.startswith("__") for name in vars(self))

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class RowTransformer(FromRecipe, TensorTransformer):
    """Base of transformers to rows of as many numbers."""

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the numbers of a row.

        Parameters
        ----------
        input_features : array-like of str, optional
            Of the numbers of a row of X. None: those of a DataFrame that was fitted, else x0, x1, ...

        Returns
        -------
        ndarray of str
        """
        self._check_fitted()
        names = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        if len(names) != self.n_features_in_:
            raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_}), "
                             f"got {len(names)}")
        return np.array(names, dtype=object)


def tensor_shape(shape: ShapeLike, X: Any, m: int) -> Any:
    """The shape of the tensors of X; an array (N, d1, d2, d3) says it itself."""
    size = getattr(X, "shape", ())
    return resolve_shape(size[1:] if len(size) == 4 and isinstance(shape, str) and shape == "auto" else shape, m)
