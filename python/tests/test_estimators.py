# SPDX-License-Identifier: GPL-3.0-or-later
"""Conventions of scikit-learn, and work without it."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import make_tensors

import tosst

WITHOUT = """
import sys
sys.modules["sklearn"] = None
import numpy as np, tosst
from conftest import make_tensors
X = make_tensors()
learner = tosst.TensorDictionaryLearning(20, max_iter=3)
codes = learner.fit_transform(X)
assert learner.get_params()["n_components"] == 20 and learner.set_params(alpha=0.1).alpha == 0.1
assert np.array_equal(tosst.TensorSparseCoder(learner.dictionary_).fit_transform(X), codes)
assert tosst.CodePooling().fit_transform(codes.reshape(40, 10, 20)).shape == (40, 20)
assert tosst.EigenvaluePowerNormalizer().fit_transform(X).shape == X.shape
for wrong in ([[1.0]], [1.0], np.full_like(X, np.nan)):
    try:
        learner.transform(wrong)
    except ValueError:
        continue
    raise AssertionError
assert "sklearn.base" not in sys.modules
"""


def estimators():
    return [tosst.TensorDictionaryLearning(), tosst.TensorDictionaryLearning(batch_size=20), tosst.TensorSparseCoder(),
            tosst.EigenvaluePowerNormalizer(), tosst.CodePooling(), tosst.TextureDescriptor()]


@pytest.mark.parametrize("estimator", estimators(), ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_check_estimator(estimator):
    pytest.importorskip("sklearn").set_config(print_changed_only=True)
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(estimator)


def stripes(n, angle, seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:48, :48]
    phase = rng.uniform(0, 6, (n, 1, 1))
    return 0.5 + 0.3 * np.sin(0.7 * (np.cos(angle) * x + np.sin(angle) * y) + phase) + 0.05 * rng.normal(size=(n, 48, 48))


def test_pipeline_and_grid_search():
    pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    images = np.concatenate([stripes(8, angle, seed) for seed, angle in enumerate((0.2, 1.0, 1.8))]).clip(0, 1)
    labels = np.repeat([0, 1, 2], 8)
    pipeline = make_pipeline(tosst.TextureDescriptor("linear", step=14), tosst.EigenvaluePowerNormalizer(0.5),
                             tosst.TensorDictionaryLearning(max_iter=5), tosst.CodePooling(), LinearSVC(random_state=1))
    search = GridSearchCV(pipeline, {"tensordictionarylearning__n_components": [5, 20], "codepooling__kind": ["average", "max"]},
                          cv=2, error_score="raise")
    search.fit(images, labels)
    assert search.best_score_ > 0.9
    # Images of several sizes are a list.
    assert search.predict([images[0, :40], images[23]]).shape == (2,)


def test_sets_of_tensors_give_the_same_codes():
    X = make_tensors()
    learner = tosst.TensorDictionaryLearning(20, max_iter=3).fit(X.reshape(40, 10, -1))
    codes = learner.transform(X)
    assert np.array_equal(learner.transform(X.reshape(40, 10, -1)), codes.reshape(40, 10, 20))
    parts = learner.transform([X[:150], X[150:]])
    # Some kernels of BLAS round products of other numbers of rows in another way.
    np.testing.assert_allclose(np.concatenate(parts), codes, atol=1e-6 * np.abs(codes).max())
    assert len(parts[0]) == 150
    np.testing.assert_allclose(learner.inverse_transform(parts)[1], learner.inverse_transform(codes)[150:],
                               atol=1e-6 * np.abs(X).max())


@pytest.mark.parametrize("shape", ["super-symmetric", "symmetric", "general", "whole"])
def test_reconstruction_is_that_of_the_objective(shape):
    """For gamma = inf the fit is the distance from the reconstruction, in which symmetric parts count alone."""
    x = np.random.default_rng(1).random((200, 4))
    full = np.einsum("ni,nj->nij", x, x) if shape == "symmetric" else np.einsum("ni,nj,nk->nijk", x, x, x)
    X = full if shape == "general" else tosst.pack(full)
    learner = tosst.TensorDictionaryLearning(15, alpha=1e-3, gamma=np.inf, max_iter=5, shape="symmetric" if shape == "symmetric" else "auto",
                                             scheme="full" if shape == "whole" else "auto").fit(X)
    D, codes = learner.dictionary_, learner.transform(X)
    values = learner.objective(X, codes)
    B = D.B[..., None] if shape in ("symmetric",) else D.B
    atoms = D.B if shape == "whole" else (D.B * D.b[:, :, None]) if shape == "symmetric" else np.einsum("kij,ks->kijs", D.B, D.b)
    error = full / D.scale - np.tensordot(codes, atoms, 1)
    assert np.allclose(values, (error.reshape(len(error), -1)**2).sum(1) + 1e-3 * codes.sum(1), rtol=1e-9, atol=1e-12)
    assert np.isclose(learner.score(X), -values.mean())
    back = learner.inverse_transform(codes)
    dense = D.scale * np.tensordot(codes, atoms, 1)
    if shape == "super-symmetric":
        dense = sum(dense.transpose(0, *(1 + i for i in p)) for p in ((0, 1, 2), (0, 2, 1), (2, 1, 0))) / 3
    assert np.allclose(back, dense.reshape(len(dense), -1) if shape == "general" else tosst.pack(dense))


def test_pickle_and_clone():
    X = make_tensors()
    learner = tosst.TensorDictionaryLearning(20, max_iter=3).fit(X)
    codes = learner.transform(X)
    assert np.array_equal(pickle.loads(pickle.dumps(learner)).transform(X), codes)
    base = pytest.importorskip("sklearn.base")
    coder = tosst.TensorSparseCoder(learner.dictionary_)
    assert np.array_equal(base.clone(coder).fit(X).transform(X), codes)


def test_without_sklearn():
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=__file__.rpartition("/")[0], stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert done.returncode == 0, done.stderr


def test_import_is_lazy():
    script = "import sys, tosst; print([name for name in ('numpy', 'sklearn', 'tosst._native') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, universal_newlines=True)
    assert done.stdout == "[]\n"


NAN = float("nan")
WHOLE = [-1, 2.5, NAN, "1", 2**70]
NUMBERS = [-1, NAN, "1", [1.0], 1j]
WORDS = ["best", 1, ["psd"]]
EXPONENTS = [0, 2, None, *NUMBERS]
WRONG = {
    "TensorDictionaryLearning": {
        "n_components": WHOLE, "alpha": [*NUMBERS, None, np.inf], "gamma": [*NUMBERS, None, 0], "scheme": [*WORDS, None],
        "rank": WHOLE, "max_iter": [*WHOLE, None, 0, np.inf], "tol": [*NUMBERS, None, np.inf], "solver": [*WORDS, None],
        "eta": [*NUMBERS, np.inf], "init": [*WORDS, None], "dict_init": [5, np.eye(3)], "batch_size": WHOLE,
        "forgetting": [*NUMBERS, None], "max_samples": [*WHOLE, 0], "transform_alpha": NUMBERS, "transform_gamma": [*NUMBERS, 0],
        "transform_algorithm": [*WORDS, None], "shape": [None, 5, (5, 7), "best"],
        "random_state": [-1, 2.5, NAN, "1", 2**64, np.random.default_rng(1)], "n_jobs": [0, 2.5, NAN, "1", 2**40],
    },
    "TensorSparseCoder": {
        "dictionary": [5, np.eye(3)], "n_components": WHOLE, "alpha": NUMBERS, "gamma": [*NUMBERS, 0], "tol": [*NUMBERS, 0, np.inf],
        "transform_algorithm": WORDS, "random_state": [-1, "1"], "n_jobs": [0, "1"],
    },
    "EigenvaluePowerNormalizer": {"gamma_eigen": EXPONENTS, "gamma_coefficient": EXPONENTS},
    "CodePooling": {"kind": WORDS, "parameter": ["1", np.inf, NAN], "power": [*NUMBERS, None, 0, np.inf], "normalize": WORDS,
                    "order": [0, 3, "1", None], "code_power": [*NUMBERS, None, 0, np.inf]},
}


@pytest.mark.parametrize("estimator, name, value", [
    (estimator, name, value) for estimator, parameters in WRONG.items() for name, values in parameters.items() for value in values])
def test_invalid_parameters(estimator, name, value, tensors):
    """One sentence names the parameter and what it may be."""
    parameters = {"n_components": 5} if estimator.startswith("Tensor") else {}
    with pytest.raises(ValueError, match=f"^{name} must be ") as error:
        getattr(tosst, estimator)(**{**parameters, name: value}).fit_transform(tensors)
    assert repr(value) in str(error.value)


def test_numbers_of_numpy_are_parameters(tensors):
    parameters = {"n_components": np.int32(5), "alpha": np.float32(0.5), "gamma": np.float64(2), "max_iter": np.uint8(2),
                  "random_state": np.int64(3), "n_jobs": np.int16(1), "max_samples": np.int64(100)}
    given = tosst.TensorDictionaryLearning(**parameters).fit(tensors)
    plain = tosst.TensorDictionaryLearning(**{name: value.item() for name, value in parameters.items()}).fit(tensors)
    assert np.array_equal(given.dictionary_.B, plain.dictionary_.B) and given.n_iter_ == 2


@pytest.mark.parametrize("parameters, message", [
    ({"n_components": 10**6}, "more than the 2000 slices"),
    ({"shape": "symmetric"}, "do not have the shape 'symmetric'"),
    ({"shape": (2, 3, 4)}, "do not have the shape"),
    ({"shape": (5, 7, 0)}, "a side of shape must be"),
    ({"shape": tosst.Shape("super-symmetric", 5, 4, 3)}, "equal sides"),
    ({"shape": tosst.Shape("best", 5, 5, 5)}, "kind must be"),
    ({"scheme": "low-rank", "rank": 6}, "rank"),
    ({"batch_size": 2, "n_components": 20}, "batch"),
    ({"dict_init": tosst.Dictionary([np.eye(4)], [[1, 0, 0, 0]])}, "dict_init is .*4x4x4"),
    ({"dict_init": tosst.Dictionary([np.eye(5)], [[1, 0, 0, 0, 0]])}, "dict_init has 1 atoms, but n_components is 5"),
])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_parameters_that_do_not_fit(parameters, message, method, tensors):
    if method == "partial_fit" and "batch_size" in parameters:
        pytest.skip("batches are those given")
    with pytest.raises(ValueError, match=message):
        getattr(tosst.TensorDictionaryLearning(**{"n_components": 5, "max_iter": 1, **parameters}), method)(tensors)


def fitted():
    return {name: getattr(tosst, name)(**parameters).fit(make_tensors()) for name, parameters in {
        "TensorDictionaryLearning": {"n_components": 5, "max_iter": 1}, "TensorSparseCoder": {"n_components": 5},
        "EigenvaluePowerNormalizer": {}, "CodePooling": {}}.items()}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["fit", "partial_fit", "transform", "objective", "score"])
def test_invalid_arrays(method, tensors):
    """Each is refused with a message, without a warning, whatever the estimator and the method."""
    def with_entry(value, dtype=np.float64):
        array = tensors.astype(dtype)
        array[7, 3] = value
        return array

    wrong = [with_entry(value) for value in (np.nan, np.inf, -np.inf, 1e31, 1e300)]
    wrong += [with_entry(np.nan, np.float32), tensors.astype(complex), np.zeros((9, 35), "M8[s]"), np.full((9, 35), "word"),
              np.empty((0, 35)), np.empty((9, 0)), np.empty((0, 4, 35)), np.empty((4, 0, 35)), np.empty((0, 5, 5, 5)), tensors[0],
              np.zeros((2,) * 5), None, "word", [], [[]], [[1.0, 2], [3.0]], [tensors, tensors[:, :20]]]
    if method != "fit":
        wrong += [tensors[:, :20], np.zeros((9, 4, 4, 4))]
    for name, estimator in fitted().items():
        if hasattr(estimator, method):
            for X in wrong:
                if method == "partial_fit" and isinstance(estimator, tosst.TensorSparseCoder):
                    continue
                with pytest.raises((ValueError, TypeError)) as error:
                    getattr(estimator, method)(X)
                assert str(error.value), name


def test_layouts_in_memory_give_the_same_bits(tensors):
    learner = tosst.TensorDictionaryLearning(10, max_iter=2)
    codes = learner.fit_transform(tensors)
    read_only = tensors.copy()
    read_only.flags.writeable = False
    bytes_apart = np.frombuffer(b"." + tensors.tobytes(), np.uint8)[1:].view(np.float32).reshape(tensors.shape)
    for X in (np.asfortranarray(tensors), np.repeat(tensors, 2, axis=1)[:, ::2], np.repeat(tensors, 3, axis=0)[::3],
              tensors[::-1].copy()[::-1], read_only, bytes_apart):
        assert np.array_equal(tosst.TensorDictionaryLearning(10, max_iter=2).fit(X).dictionary_.B, learner.dictionary_.B)
        assert np.array_equal(learner.transform(X), codes)


def test_mixed_precision(tensors):
    """Float64 is rounded for learning, and coded in float64."""
    learner = tosst.TensorDictionaryLearning(10, max_iter=2)
    codes, wide = learner.fit_transform(tensors), learner.fit_transform(tensors.astype(np.float64))
    assert codes.dtype == np.float32 and wide.dtype == np.float64 and np.allclose(codes, wide, atol=1e-4 * np.abs(wide).max())
    assert np.array_equal(learner.partial_fit(tensors[:50]).partial_fit(tensors[50:].astype(np.float64)).dictionary_.B,
                          tosst.TensorDictionaryLearning(10, max_iter=2).fit(tensors).partial_fit(tensors[:50]).partial_fit(tensors[50:])
                          .dictionary_.B)


def test_sides_of_one():
    X = np.random.default_rng(1).random((30, 1))
    learner = tosst.TensorDictionaryLearning(3, max_iter=3).fit(X)
    assert learner.transform(X).shape == (30, 3) and learner.shape_ == tosst.Shape("super-symmetric", 1, 1, 1)
    assert tosst.EigenvaluePowerNormalizer(0.5).fit_transform(X).shape == (30, 1)


@pytest.mark.parametrize("codes", [
    np.zeros((5, 5)), np.zeros((400, 3)), np.zeros(5), np.zeros((0, 5)), np.full((400, 5), np.nan), np.zeros((400, 5), complex),
    np.full((400, 5), "word"), "word", [np.zeros((3, 5)), np.zeros((4, 5))]], ids=range(9))
def test_invalid_codes(codes, tensors):
    """Codes that do not belong to the tensors are not read beyond their end."""
    learner = tosst.TensorDictionaryLearning(5, max_iter=1).fit(tensors)
    with pytest.raises(ValueError, match="codes"):
        learner.objective(tensors, codes)


@pytest.mark.parametrize("codes", [np.zeros((400, 3)), np.zeros((400, 5), complex), np.float64(1), None, "word"], ids=range(5))
def test_invalid_codes_to_reconstruct(codes, tensors):
    learner = tosst.TensorDictionaryLearning(5, max_iter=1).fit(tensors)
    with pytest.raises(ValueError, match="codes"):
        learner.inverse_transform(codes)


def test_objective_of_sets(tensors):
    learner = tosst.TensorDictionaryLearning(5, max_iter=1).fit(tensors)
    codes, sets = learner.transform(tensors), [tensors[:150], tensors[150:]]
    values = learner.objective(tensors, codes)
    assert np.array_equal(learner.objective(sets, learner.transform(sets)), values)
    assert np.array_equal(learner.objective(tensors.reshape(40, 10, -1), codes.reshape(40, 10, -1)), values)


def test_initial_dictionary(tensors, tmp_path):
    first = tosst.TensorDictionaryLearning(5, max_iter=2).fit(tensors)
    tosst.save(tmp_path / "D.npz", first)
    for given in (first.dictionary_, tmp_path / "D.npz"):
        learner = tosst.TensorDictionaryLearning(dict_init=given, max_iter=1).fit(tensors)
        assert learner.n_components_ == 5 and learner.objective_ < first.objective_


def objective(seed):
    return tosst.TensorDictionaryLearning(10, max_iter=2, random_state=seed).fit(make_tensors()).objective_


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_fits_in_processes(backend):
    """Also in processes forked after the library has computed."""
    joblib = pytest.importorskip("joblib")
    alone = [objective(seed) for seed in range(4)]
    assert joblib.Parallel(2, backend=backend)(joblib.delayed(objective)(seed) for seed in range(4)) == alone


def make_pipeline(order=1, transform=None):
    pipeline = pytest.importorskip("sklearn.pipeline")
    steps = [("describe", tosst.TextureDescriptor("linear", step=14)), ("learn", tosst.TensorDictionaryLearning(4, max_iter=2)),
             ("pool", tosst.CodePooling(order=order))]
    return pipeline.Pipeline(steps).set_output(transform=transform)


@pytest.mark.parametrize("order", [1, 2])
def test_names_through_the_pipeline(order):
    """Signatures have the names of atoms, of order 2 of pairs, and are DataFrames where these are wanted; sets of rows are none."""
    pandas = pytest.importorskip("pandas")
    images = np.random.default_rng(1).random((3, 48, 48))
    plain = make_pipeline(order).fit_transform(images)
    pipeline = make_pipeline(order, "pandas")
    frame = pipeline.fit_transform(images)
    atoms = [f"tensordictionarylearning{i}" for i in range(4)]
    names = atoms if order == 1 else [f"{atoms[i]} {atoms[j]}" for i in range(4) for j in range(i, 4)]
    assert list(pipeline.get_feature_names_out()) == names
    assert isinstance(frame, pandas.DataFrame) and np.array_equal(frame.to_numpy(), plain) and frame.shape == (3, len(names))
    assert np.array_equal(pipeline.transform(images).to_numpy(), plain)
    assert isinstance(pipeline[:-1].transform(images), np.ndarray)
    from sklearn import clone, config_context

    with config_context(transform_output="pandas"):
        assert isinstance(make_pipeline(order).fit_transform(images), pandas.DataFrame)
    assert isinstance(clone(pipeline).fit_transform(images), pandas.DataFrame)
    assert isinstance(pipeline.set_output(transform="default").transform(images), np.ndarray)


def test_names_of_tensors():
    for kind, order in (("linear", 3), ("covariance", 2)):
        descriptor = tosst.TextureDescriptor(kind)
        names, labels = descriptor.get_feature_names_out(), descriptor.labels()
        assert len(names) == len(set(names)) == descriptor.shape.numbers
        assert list(names[:2]) == [" ".join([labels[0]] * order), " ".join([labels[0]] * (order - 1) + [labels[1]])]
    with pytest.raises(ValueError, match="transform must be default or pandas, not 'table'"):
        descriptor.set_output(transform="table")


def test_frames_of_lists():
    """A list has a method `index`, which is none of rows."""
    pytest.importorskip("pandas")
    rows = make_tensors(40).tolist()
    learner = tosst.TensorDictionaryLearning(5, max_iter=2).set_output(transform="pandas")
    frame = learner.fit_transform(rows)
    assert frame.index.tolist() == list(range(40)) and frame.columns.tolist() == learner.get_feature_names_out().tolist()
    assert tosst.CodePooling().set_output(transform="pandas").fit_transform([np.eye(2), np.ones((3, 2))]).shape == (2, 2)


def test_frames_of_pandas():
    """They keep their index and their names."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(make_tensors(30), index=[f"n{i}" for i in range(30)]).add_prefix("t")
    normalizer = tosst.EigenvaluePowerNormalizer().set_output(transform="pandas")
    out = normalizer.fit_transform(X)
    assert list(out.columns) == list(X.columns) and list(out.index) == list(X.index)
    codes = tosst.TensorDictionaryLearning(4, max_iter=2).set_output(transform="pandas").fit_transform(X)
    assert list(codes.columns) == [f"tensordictionarylearning{i}" for i in range(4)] and list(codes.index) == list(X.index)
