# SPDX-License-Identifier: GPL-3.0-or-later
"""Dictionary learning and sparse coding."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np

from . import _code, _learn
from ._arrays import check_range, check_real
from ._base import FromRecipe, Rows, TensorTransformer, accept_keys, all_or_nothing, find_sets, tensor_shape
from ._checks import check_choice, check_number, check_whole
from ._code import Options, Problem
from ._engine import Call
from ._io import PathLike
from .dictionary import Dictionary, find_dictionary
from .recipe import Recipe
from .shapes import Shape, ShapeLike

RandomState = Union[None, int, np.random.RandomState]

# Atoms of the programs' default recipe.
_ATOMS = 200


def _seed(random_state: RandomState) -> int:
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    try:
        seed = operator.index(random_state)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**64:
        raise ValueError(f"random_state must be a whole number from 0 to 2**64 - 1, a RandomState or None, not {random_state!r}")
    return seed


def _alpha(value: Any, name: str = "alpha") -> float:
    return check_number(value, name, 0)


def _gamma(value: Any, name: str = "gamma") -> float:
    return check_number(value, name, 0, above=True, infinite=True)


def _problem_of_recipe(recipe: Recipe) -> Problem:
    def first(*keys: str) -> float:
        return float(next(recipe[key] for key in keys if recipe[key] is not None))  # type: ignore[arg-type]

    return Problem(first("coding.lambda", "dictionary.lambda"), first("coding.gamma", "dictionary.gamma"),
                   bool(recipe["coding.signed-alpha"]), bool(recipe["coding.nonnegative-beta"]))


class _Coding(TensorTransformer):
    """transform() and what follows from a dictionary."""

    dictionary_: Dictionary
    shape_: Shape
    n_jobs: Optional[int]

    @classmethod
    def _from_key(cls, name: str, value: Any) -> Any:
        if name == "positive_code":
            return not value
        if name == "transform_algorithm":
            return "span" if value == "span" else "sparse"
        return (value or None) if name in ("rank", "batch_size") else value

    def _coding_options(self) -> Options:
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """Compute the codes of tensors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Also a list of arrays (n_patches, n_features) or an array (n_images, n_patches, n_features); tensors of float64 are
            coded in float64, those of float32 in float32.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Arranged as X, and of its type. With `sparse_output` a csr_matrix of SciPy, of sets a list of them.
        """
        self._check_fitted()
        return self._output(X, self._code(self._rows(X, reset=False)))

    def _code(self, rows: Rows) -> Any:
        with Call(self.n_jobs) as call:
            if not getattr(self, "sparse_output", False):
                return rows.like(_code.code(call, rows.array, self.dictionary_, self._coding_options()))
            found = _code.sparse_code(call, rows.array, self.dictionary_, self._coding_options())
        if rows.counts is None:
            return found
        ends = np.cumsum(rows.counts)
        return [found[end - count:end] for count, end in zip(rows.counts, ends)]

    def inverse_transform(self, codes: Any) -> Any:
        """Reconstruct tensors from their codes: :math:`s \\sum_k \\alpha_k B_k \\otimes b_k`, symmetrized.

        Parameters
        ----------
        codes : array-like or sparse matrix of shape (n_samples, n_components)
            Or arranged in sets, as for transform().

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        self._check_fitted()
        sets = find_sets(codes)
        if sets is not None:
            return [self.inverse_transform(part) for part in sets]
        codes = self._check_codes(codes)
        return codes @ self.dictionary_.components().astype(codes.dtype if codes.dtype == np.float32 else np.float64)

    def _check_codes(self, codes: Any) -> np.ndarray:
        """Return codes as an array, whose last axis are the atoms."""
        array = check_real(codes.toarray() if hasattr(codes, "toarray") else codes, "codes")
        if array.ndim == 0 or array.shape[-1] != len(self.dictionary_):
            raise ValueError(f"codes of shape {array.shape} are not those for {len(self.dictionary_)} atoms")
        return array

    def objective(self, X: Any, codes: Any = None) -> np.ndarray:
        """Compute equation (5) of each tensor at its code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        codes : array-like of shape (n_samples, n_components), optional
            Arranged as X; transform(X) if not given.

        Returns
        -------
        ndarray of shape (n_samples,)
            In the unit of the dictionary: tensors are divided by its scale.
        """
        self._check_fitted()
        rows = self._rows(X, reset=False)
        with Call(self.n_jobs) as call:
            options = self._coding_options()
            if codes is None:
                codes = _code.code(call, rows.array, self.dictionary_, options)
            else:
                codes = np.concatenate([self._check_codes(part).reshape(-1, len(self.dictionary_))
                                        for part in find_sets(codes) or [codes]])
                if len(codes) != len(rows.array):
                    raise ValueError(f"{len(codes)} codes do not belong to {len(rows.array)} tensors")
            return _code.objective(call, rows.array, codes, self.dictionary_, options)

    def alpha_max(self, X: Any) -> np.ndarray:
        r"""Return the sparsity from which on the code of each tensor is zero: the scale of `alpha`.

        With the gradient of equation (5) at :math:`\alpha = 0`, where :math:`\beta` minimizes it,

        .. math::
            \lambda_{max} = 2 \max_k \sum_s b_k^s \langle B_k, (I + V V^T / \gamma)^{-1} X^s / \sigma \rangle, \quad
            V = (\mathrm{vec} B_1 \dots \mathrm{vec} B_K),

        with the scale :math:`\sigma` of the dictionary, and of the largest magnitude for codes of both signs. A fraction of it,
        such as a hundredth, is a sparsity that means the same for other data, dictionaries and `gamma`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            In the unit of `alpha`. 0: no atom adds to the tensor, whatever alpha is.

        Examples
        --------
        >>> import numpy as np, tosst
        >>> x = np.random.default_rng(1).random((300, 4))
        >>> X = tosst.pack(np.einsum("ni,nj,nk->nijk", x, x, x))
        >>> learner = tosst.TensorDictionaryLearning(20, max_iter=5).fit(X)
        >>> limit = learner.alpha_max(X).max()
        >>> [bool(learner.set_params(transform_alpha=f * limit).transform(X).any()) for f in (0.99, 1.01)]
        [True, False]
        """
        self._check_fitted()
        rows = self._rows(X, reset=False)
        with Call(1) as call:
            check_range(call, rows.array, "X")
        options = self._coding_options()
        if options.span or options.problem.nonnegative_beta:
            raise ValueError("alpha_max() is for sparse codes with beta of both signs, not for "
                             + ("projections onto the span of the atoms" if options.span else "nonnegative_beta"))
        return _code.largest_alphas(rows.array, self.dictionary_, options.problem)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the mean of equation (5) over tensors: the larger the better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the tensors in the mean, at least 0.

        Returns
        -------
        float
            A mean of one tensor; `objective_` of :class:`TensorDictionaryLearning` is a sum.
        """
        values = self.objective(X)
        if sample_weight is None:
            return -float(np.mean(values))
        weights = check_real(sample_weight, "sample_weight").astype(np.float64)
        if weights.shape != values.shape or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError(f"sample_weight must be {len(values)} finite numbers of at least 0, not all 0")
        return -float(np.average(values, weights=weights))

    @property
    def components_(self) -> np.ndarray:
        """Atoms as tensors, (n_components, n_features), computed from `dictionary_`; see :meth:`Dictionary.components`."""
        if not self._is_fitted():
            raise AttributeError(f"{type(self).__name__} has no attribute components_ before it is fitted")
        return self.dictionary_.components()

    @property
    def n_components_(self) -> int:
        """Number of atoms K."""
        return len(self.dictionary_)

    @property
    def _n_features_out(self) -> int:
        return len(self.dictionary_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names of the atoms.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        self._check_fitted()
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(self._n_features_out)], dtype=object)


class TensorDictionaryLearning(FromRecipe, _Coding):
    r"""Learning of a dictionary of atoms :math:`B_k \otimes b_k` for third-order tensors, equation (5):

    .. math::
        \min \sum_n \Big[ \sum_s \|X_n^s - \sum_k B_k \beta_k^{s,n}\|_F^2 + \gamma \|\beta^{s,n} - b^s \odot \alpha^n\|^2 \Big]
        + \lambda \|\alpha^n\|_1

    with :math:`\alpha \ge 0`, :math:`B_k` positive semi-definite of trace at most 1 and :math:`\|b_k\|_1 \le 1`. Tensors are
    divided by a common scale first, so that the penalties mean the same for all data.

    With the same parameters, seed, number of threads and BLAS kernel, dictionary and codes equal those of `tosst learn` and
    `tosst code` to the bit.

    Parameters
    ----------
    n_components : int, optional
        Number of atoms K. None: 200, or fewer if the tensors have fewer slices.
    alpha : float
        Sparsity :math:`\lambda \ge 0`, counted once per tensor. Its scale is that of tensors with a mean square norm of 1:
        from alpha_max() on codes are zero, useful values are 1e-4 to 1e-1.
    gamma : float
        Proximity :math:`\gamma > 0`. `numpy.inf`: problem (3), :math:`\beta = b \odot \alpha`.
    scheme : {"auto", "psd", "low-rank", "free", "full"}
        Constraint of :math:`B_k`: positive semi-definite, of rank at most `rank` besides, with Frobenius norm at most 1, or a
        third-order tensor (sides up to 10). "auto": "psd", and "free" for general tensors and vectors.
    rank : int, optional
        R of "low-rank". None: half of the side.
    max_iter : int
        Iterations at most; with `batch_size` epochs.
    tol : float
        Learning ends when an iteration lowers the objective by less than this fraction. 0: never.
    solver : {"exact", "pqn", "gradient"}
        "exact" minimizes each block in closed form; the others are those of the paper.
    eta : float, optional
        Step of "gradient". None: the inverse of the largest curvature at the start.
    init : {"slices", "random"}
        Initial atoms: projected slices of the tensors, or random ones.
    dict_init : Dictionary or path, optional
        Initial atoms and scale instead; `n_components` is their number then.
    signed_b : bool
        Let :math:`b_k` have entries below 0.
    positive_code : bool
        :math:`\alpha \ge 0`. False: codes of both signs.
    nonnegative_beta : bool
        :math:`\beta \ge 0`.
    batch_size : int, optional
        Learn from batches of so many tensors: memory does not depend on their number. None: from all tensors at once.
    forgetting : float
        Exponent :math:`\rho` by which earlier batches lose weight.
    max_samples : int, optional
        Learn from so many of the tensors at most, drawn with the seed as `tosst learn` draws them, which does so from 20000 on.
    transform_alpha, transform_gamma : float, optional
        For transform(). None: `alpha`, `gamma`.
    transform_algorithm : {"sparse", "span"}
        "span" gives projections onto the span of the atoms, in an orthonormal basis of it, instead of codes.
    shape : {"auto", "super-symmetric", "symmetric", "vector"} or (d1, d2, d3)
        How rows of X are tensors. "auto": super-symmetric ones where m = d(d+1)(d+2)/6, and vectors otherwise, for which the
        atoms are vectors, too.
    verbose : int
        1: print the objective after each iteration.
    callback : callable, optional
        Called after each iteration with a dict: `iteration`, `seconds`, `objective`, `fit`, `proximity`, `sparsity`,
        `mean_nonzeros`, `unused_atoms`, `worst_kkt`. If it raises StopIteration learning ends with the dictionary of that
        iteration; other exceptions are raised from fit().
    random_state : int, RandomState or None
        Seed. None: drawn from `numpy.random`.
    n_jobs : int, optional
        Threads; negative values count from all processors. None: all, or those of :func:`tosst.set_threads`.

    Attributes
    ----------
    dictionary_ : Dictionary
    components_ : ndarray of shape (n_components, n_features)
        Atoms as tensors in the unit of the data; computed at each access.
    shape_ : Shape
    objective_ : float
        Equation (5) after the last iteration, the sum over the tensors learned from; with `batch_size` an estimate of it from above.
        After partial_fit() the sum over the tensors of the last batch, for the dictionary before its step. minus score() is the mean
        over tensors instead.
    n_iter_ : int
        Iterations, and calls of partial_fit().
    history_ : list of dict
        What `callback` receives, for each iteration; sums over tensors, but for `mean_nonzeros` and `worst_kkt`. partial_fit() appends
        `iteration`, `n_samples`, `objective`, `fit`, `proximity`, `sparsity` and `mean_nonzeros` of its batch.
    n_features_in_ : int

    See Also
    --------
    TensorSparseCoder : codes for a given dictionary.

    Notes
    -----
    Ctrl+C ends fit() within a fraction of a second; the estimator is then as it was before.

    Examples
    --------
    >>> import numpy as np, tosst
    >>> x = np.random.default_rng(1).random((300, 4))
    >>> X = tosst.pack(np.einsum("ni,nj,nk->nijk", x, x, x))
    >>> learner = tosst.TensorDictionaryLearning(20, alpha=1e-3, max_iter=10)
    >>> codes = learner.fit_transform(X)
    >>> codes.shape
    (300, 20)
    >>> bool((codes >= 0).all())
    True
    >>> errors = X - learner.inverse_transform(codes)
    >>> bool(np.linalg.norm(errors) < 0.2 * np.linalg.norm(X))
    True
    """

    _KEYS = {
        "n_components": "dictionary.atoms", "alpha": "dictionary.lambda", "gamma": "dictionary.gamma", "scheme": "dictionary.scheme",
        "rank": "dictionary.rank", "max_iter": "dictionary.iterations", "tol": "dictionary.tolerance", "solver": "dictionary.solver",
        "eta": "dictionary.eta", "init": "dictionary.init", "signed_b": "dictionary.signed-b", "batch_size": "dictionary.minibatch",
        "forgetting": "dictionary.forgetting", "max_samples": "dictionary.sample", "random_state": "dictionary.seed",
        "positive_code": "coding.signed-alpha", "nonnegative_beta": "coding.nonnegative-beta", "transform_alpha": "coding.lambda",
        "transform_gamma": "coding.gamma", "transform_algorithm": "coding.method",
    }

    @accept_keys
    def __init__(self, n_components: Optional[int] = None, *, alpha: float = 2e-3, gamma: float = 1.0, scheme: str = "auto",
                 rank: Optional[int] = None, max_iter: int = 50, tol: float = 1e-4, solver: str = "exact",
                 eta: Optional[float] = None, init: str = "slices", dict_init: Union[None, Dictionary, PathLike] = None,
                 signed_b: bool = False, positive_code: bool = True, nonnegative_beta: bool = False,
                 batch_size: Optional[int] = None, forgetting: float = 10.0, max_samples: Optional[int] = None,
                 transform_alpha: Optional[float] = None, transform_gamma: Optional[float] = None,
                 transform_algorithm: str = "sparse", shape: ShapeLike = "auto", verbose: int = 0,
                 callback: Optional[Callable[[Dict[str, Any]], object]] = None, random_state: RandomState = 1,
                 n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.gamma = gamma
        self.scheme = scheme
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.eta = eta
        self.init = init
        self.dict_init = dict_init
        self.signed_b = signed_b
        self.positive_code = positive_code
        self.nonnegative_beta = nonnegative_beta
        self.batch_size = batch_size
        self.forgetting = forgetting
        self.max_samples = max_samples
        self.transform_alpha = transform_alpha
        self.transform_gamma = transform_gamma
        self.transform_algorithm = transform_algorithm
        self.shape = shape
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self, rows: int, shape: Shape, initial: Optional[Dictionary] = None) -> _learn.Settings:
        batch = check_whole(self.batch_size or 0, "batch_size", 0)
        scheme = check_choice(self.scheme, "scheme", ("auto", *_learn.SCHEMES))
        if scheme == "auto":
            scheme = "free" if shape.kind == "general" else "psd"
        return _learn.Settings(
            self._atoms(rows, shape, batch) if initial is None else len(initial),
            self._problem(_alpha(self.alpha), _gamma(self.gamma)), scheme,
            check_whole(self.rank or max(1, shape.d1 // 2), "rank", 1), check_whole(self.max_iter, "max_iter", 1),
            check_number(self.tol, "tol", 0), _seed(self.random_state), check_choice(self.solver, "solver", _learn.SOLVERS),
            check_choice(self.init, "init", _learn.INITS), check_number(self.eta or 0, "eta", 0), bool(self.signed_b), batch,
            check_number(self.forgetting, "forgetting", 0, infinite=True))

    def _atoms(self, rows: int, shape: Shape, batch: int) -> int:
        limit = rows * shape.slices
        if self.n_components is None:
            return min(_ATOMS, limit, (batch or rows) * shape.slices)
        atoms = check_whole(self.n_components, "n_components", 1, 2**64)
        if atoms > limit:
            raise ValueError(f"n_components={atoms} atoms are more than the {limit} slices of tensors to learn from, "
                             f"n_samples={rows}")
        return atoms

    def _initial(self, shape: Shape) -> Optional[Dictionary]:
        if self.dict_init is None:
            return None
        found = find_dictionary(self.dict_init, "dict_init")
        if found.shape != shape:
            raise ValueError(f"dict_init is {found!r}, but the tensors are of {shape!r}")
        if self.n_components not in (None, len(found)):
            raise ValueError(f"dict_init has {len(found)} atoms, but n_components is {self.n_components!r}")
        return found

    def _problem(self, alpha: float, gamma: float) -> Problem:
        return Problem(alpha, gamma, not self.positive_code, bool(self.nonnegative_beta))

    def _coding_options(self) -> Options:
        algorithm = check_choice(self.transform_algorithm, "transform_algorithm", ("sparse", "span"))
        alpha = _alpha(self.alpha) if self.transform_alpha is None else _alpha(self.transform_alpha, "transform_alpha")
        gamma = _gamma(self.gamma) if self.transform_gamma is None else _gamma(self.transform_gamma, "transform_gamma")
        return Options(self._problem(alpha, gamma), algorithm == "span")

    def _shape(self, X: Any, rows: Rows) -> Shape:
        shape: Shape = tensor_shape(self.shape, X, rows.array.shape[1])
        return shape._replace(kind="whole") if self.scheme == "full" and shape.kind == "super-symmetric" else shape

    def _meta(self, settings: _learn.Settings, history: List[Dict[str, Any]]) -> Dict[str, Any]:
        recipe = Recipe({
            "dictionary.atoms": settings.atoms, "dictionary.scheme": settings.scheme,
            "dictionary.rank": settings.rank if settings.scheme == "low-rank" else None,
            "dictionary.lambda": settings.problem.alpha, "dictionary.gamma": settings.problem.gamma,
            "dictionary.iterations": settings.iterations, "dictionary.tolerance": settings.tolerance,
            "dictionary.solver": settings.solver, "dictionary.eta": settings.eta or None,
            "dictionary.minibatch": settings.batch, "dictionary.forgetting": settings.forgetting,
            "dictionary.seed": settings.seed, "dictionary.init": settings.init, "dictionary.signed-b": settings.signed_b,
            "coding.method": self.transform_algorithm, "coding.lambda": self.transform_alpha,
            "coding.gamma": self.transform_gamma, "coding.signed-alpha": settings.problem.signed_alpha,
            "coding.nonnegative-beta": settings.problem.nonnegative_beta,
        })
        meta: Dict[str, Any] = {"recipe": recipe.to_text(), "seed": settings.seed}
        if history:
            meta.update(iterations=history[-1]["iteration"], objective=history[-1]["objective"])
        return meta

    def _keep(self, learned: _learn.Learned, settings: _learn.Settings, shape: Shape) -> None:
        self.dictionary_ = learned.dictionary
        self.dictionary_.meta.update(self._meta(settings, [] if learned.online else learned.history))
        self.shape_, self._online = shape, learned.online

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> "TensorDictionaryLearning":
        """Learn the dictionary.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Packed tensors, float32 or float64 (rounded to float32); or sets of them, as for transform(). A memory map of float32
            is not copied.
        y : ignored

        Returns
        -------
        self
        """
        self._fit(self._rows(X, reset=True), X)
        return self

    def _fit(self, rows: Rows, X: Any) -> None:
        shape = self._shape(X, rows)
        array = rows.array
        most = len(array) if self.max_samples is None else check_whole(self.max_samples, "max_samples", 1, 2**63 - 1)
        if len(array) > most:
            array = array[_learn.draw_rows(len(array), most, _seed(self.random_state))]
        initial = self._initial(shape)
        settings = self._settings(len(array), shape, initial)
        learned = _learn.learn(array, shape, settings, self.n_jobs, self._reporter(), initial)
        self._keep(learned, settings, shape)
        self.history_ = learned.history
        self.n_iter_ = learned.history[-1]["iteration"] if learned.history else 0
        self.objective_ = learned.history[-1]["objective"] if learned.history else float("nan")

    def _reporter(self) -> Optional[Callable[[Dict[str, Any]], object]]:
        """What is called after each iteration."""
        if not check_whole(self.verbose, "verbose", 0):
            return self.callback

        def report(row: Dict[str, Any]) -> None:
            print(f"iteration {row['iteration']} of at most {self.max_iter}: objective {row['objective']:.6g}, "
                  f"{row['mean_nonzeros']:.1f} non-zeros in a code, {row['seconds']:.1f} s", flush=True)
            if self.callback:
                self.callback(row)

        return report

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the dictionary, and compute the codes of the same tensors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        rows = self._rows(X, reset=True)
        self._fit(rows, X)
        return self._output(X, self._code(rows))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> "TensorDictionaryLearning":
        """Take one step of online dictionary learning from a batch of tensors; needs the solver "exact".

        The first batch gives the scale and the initial atoms, unless fit() or `dict_init` gave them. The result is that of
        minimizing over all batches, the earlier ones with the codes they had, and less by `forgetting`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        first = not self._is_fitted()
        rows = self._rows(X, reset=first)
        shape = self._shape(X, rows) if first else self.shape_
        initial = self._initial(shape) if first else self.dictionary_
        if initial is None:
            settings = self._settings(len(rows.array), shape)
            initial = _learn.initial_atoms(rows.array, shape, settings, self.n_jobs)
        settings = self._settings(len(rows.array), shape, initial)
        online = None if first else self._online
        learned = _learn.learn_batch(rows.array, shape, settings, initial, online, self.n_jobs)
        self._keep(learned, settings, shape)
        self.n_iter_ = 1 if first else self.n_iter_ + 1
        row = {"iteration": self.n_iter_, **learned.history[-1]}
        self.history_ = [*(() if first else self.history_), row]
        self.objective_ = row["objective"]
        if check_whole(self.verbose, "verbose", 0):
            print(f"batch {self.n_iter_} of {row['n_samples']} tensors: objective {row['objective']:.6g}", flush=True)
        return self


class TensorSparseCoder(_Coding):
    """Sparse codes of tensors for a given dictionary.

    Parameters
    ----------
    dictionary : Dictionary or path, optional
        None: fit() takes projected slices of its tensors as atoms, without learning.
    n_components : int, optional
        Number of atoms without a dictionary. None: 200, or fewer if the tensors have fewer slices.
    alpha, gamma : float, optional
        Sparsity and proximity, as in :class:`TensorDictionaryLearning`. None: those for which the dictionary was learned, if it
        says so, else 2e-3 and 1.
    positive_code, nonnegative_beta : bool, optional
        None: as the dictionary was learned, else True and False.
    transform_algorithm : {"sparse", "span"}, optional
        None: as the dictionary was learned, else "sparse".
    tol : float, optional
        Target of the KKT residual, relative to the largest gradient at zero. None: 1e-6, and 1e-12 for float64.
    shape : {"auto", "super-symmetric", "symmetric", "vector"} or (d1, d2, d3)
        How rows of X are tensors, without a dictionary.
    sparse_output : bool
        Codes as csr_matrix of SciPy, which has the non-zeros alone. Codes of all tensors are not in memory as an array then.
    random_state : int, RandomState or None
        Seed of the choice of atoms.
    n_jobs : int, optional
        Threads; None: all, or those of :func:`tosst.set_threads`.

    Attributes
    ----------
    dictionary_ : Dictionary
    components_ : ndarray of shape (n_components, n_features)
    shape_ : Shape
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np, tosst
    >>> x = np.random.default_rng(1).random((300, 4))
    >>> X = tosst.pack(np.einsum("ni,nj,nk->nijk", x, x, x))
    >>> D = tosst.TensorDictionaryLearning(20, max_iter=5).fit(X).dictionary_
    >>> tosst.TensorSparseCoder(D).fit_transform(X).shape
    (300, 20)
    """

    _KEYS = {
        "n_components": "dictionary.atoms", "alpha": "coding.lambda", "gamma": "coding.gamma", "positive_code": "coding.signed-alpha",
        "nonnegative_beta": "coding.nonnegative-beta", "transform_algorithm": "coding.method", "random_state": "dictionary.seed",
    }

    @accept_keys
    def __init__(self, dictionary: Union[None, Dictionary, PathLike] = None, *, n_components: Optional[int] = None,
                 alpha: Optional[float] = None, gamma: Optional[float] = None, positive_code: Optional[bool] = None,
                 nonnegative_beta: Optional[bool] = None, transform_algorithm: Optional[str] = None,
                 tol: Optional[float] = None, shape: ShapeLike = "auto", sparse_output: bool = False,
                 random_state: RandomState = 1, n_jobs: Optional[int] = None) -> None:
        self.dictionary = dictionary
        self.n_components = n_components
        self.alpha = alpha
        self.gamma = gamma
        self.positive_code = positive_code
        self.nonnegative_beta = nonnegative_beta
        self.transform_algorithm = transform_algorithm
        self.tol = tol
        self.shape = shape
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _coding_options(self) -> Options:
        recipe = self.dictionary_.recipe
        problem = _problem_of_recipe(recipe) if recipe is not None else Problem()
        given: Dict[str, Any] = {"alpha": self.alpha if self.alpha is None else _alpha(self.alpha),
                                 "gamma": self.gamma if self.gamma is None else _gamma(self.gamma),
                                 "nonnegative_beta": self.nonnegative_beta,
                                 "signed_alpha": None if self.positive_code is None else not self.positive_code}
        algorithm = check_choice(self.transform_algorithm, "transform_algorithm", ("sparse", "span", None))
        if algorithm is None:
            algorithm = recipe["coding.method"] if recipe is not None else "sparse"
        return Options(problem._replace(**{name: value for name, value in given.items() if value is not None}),
                       algorithm == "span",
                       self.tol if self.tol is None else check_number(self.tol, "tol", 0, above=True))

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> "TensorSparseCoder":
        """Check that the dictionary fits the tensors, or take atoms from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        rows = self._rows(X, reset=True)
        if self.dictionary is None:
            learner = TensorDictionaryLearning(self.n_components, shape=self.shape, random_state=self.random_state)
            shape = learner._shape(X, rows)
            settings = learner._settings(len(rows.array), shape)
            found = _learn.initial_atoms(rows.array, shape, settings, self.n_jobs)
        else:
            found = find_dictionary(self.dictionary, "dictionary")
            if found.shape.numbers != rows.array.shape[1]:
                raise ValueError(f"X has {rows.array.shape[1]} features, but the tensors of the dictionary have "
                                 f"{found.shape.numbers} numbers")
        self.dictionary_, self.shape_ = found, found.shape
        return self

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> "TensorSparseCoder":
        """Call fit() with the first batch; further ones are only checked.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        if not self._is_fitted():
            return self.fit(X)
        self._rows(X, reset=False)
        return self
