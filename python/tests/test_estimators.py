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
    assert np.array_equal(np.concatenate(parts), codes) and len(parts[0]) == 150
    assert np.array_equal(learner.inverse_transform(parts)[1], learner.inverse_transform(codes)[150:])


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


@pytest.mark.parametrize("parameters, message", [
    ({"n_components": 0}, "n_components"),
    ({"n_components": 10**6}, "slices"),
    ({"alpha": -1}, "lambda"),
    ({"gamma": 0}, "gamma"),
    ({"scheme": "best"}, "scheme must be one of psd, low-rank, free, full"),
    ({"solver": "best"}, "solver must be one of"),
    ({"shape": "symmetric"}, "shape"),
    ({"shape": (2, 3, 4)}, "shape"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"batch_size": 2, "n_components": 20}, "batch"),
])
def test_invalid_parameters(parameters, message, tensors):
    X = tensors[:, :34] if parameters.get("shape") == "symmetric" else tensors
    with pytest.raises(ValueError, match=message):
        tosst.TensorDictionaryLearning(**{"n_components": 5, "max_iter": 1, **parameters}).fit(X)
