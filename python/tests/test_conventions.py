# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of parameters, weights, sparse codes, and what is printed and reported."""

import os
import re
import warnings

import numpy as np
import pytest
from conftest import make_tensors

import tosst

CLASSES = [tosst.TextureDescriptor, tosst.EigenvaluePowerNormalizer, tosst.TensorDictionaryLearning, tosst.TensorSparseCoder,
           tosst.CodePooling]


@pytest.mark.parametrize("kind, old, new", [
    (tosst.TensorDictionaryLearning, {"sample": 300}, {"max_samples": 300}),
    (tosst.TensorDictionaryLearning, {"minibatch": 50}, {"batch_size": 50}),
    (tosst.TensorDictionaryLearning, {"minibatch": 0}, {"batch_size": None}),
    (tosst.TensorDictionaryLearning, {"signed_alpha": True}, {"positive_code": False}),
    (tosst.TensorDictionaryLearning, {"atoms": 9, "lambda": 0.1, "iterations": 3}, {"n_components": 9, "alpha": 0.1, "max_iter": 3}),
    (tosst.TensorSparseCoder, {"signed_alpha": False, "threads": 1}, {"positive_code": True, "n_jobs": 1}),
    (tosst.TextureDescriptor, {"patch": 16, "shape": "affine"}, {"patch_size": 16, "frame_shape": "affine"}),
    (tosst.CodePooling, {"normalise": "none"}, {"normalize": None}),
    (tosst.TextureClassifier, {"threads": 2}, {"n_jobs": 2}),
])
def test_keys_of_the_programs_are_accepted(kind, old, new):
    with pytest.warns(FutureWarning, match="in Python") as found:
        estimator = kind(**old)
    assert len(found) == len(old) and all(warning.filename == __file__ for warning in found)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert estimator.get_params() == kind(**new).get_params()
    with pytest.warns(FutureWarning):
        assert kind().set_params(**old).get_params() == estimator.get_params()
    with pytest.warns(FutureWarning), pytest.raises(TypeError, match="both"):
        kind(**old, **new)


def test_unknown_parameters():
    with pytest.raises(TypeError, match="colour"):
        tosst.CodePooling(colour=1)
    with pytest.raises(ValueError, match="colour"):
        tosst.CodePooling().set_params(colour=1)


def test_table_of_names(program):
    """The table of the documentation has each parameter of a class, and the name that programs and window have for it."""
    page = os.path.join(os.environ["TOSST_EXAMPLES"], "..", "doc", "python.md")
    with open(page, encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\w+)` \| `([a-z-]+\.[a-z-]+)` \| (.*) \|$", file.read(), re.MULTILINE)
    expected = {(name, key) for kind in CLASSES for name, key in kind._KEYS.items()}
    assert {(name, key) for name, key, _ in rows} == expected and len(rows) == len(expected)
    for _, key, label in rows:
        assert program("recipe", "--explain", key).splitlines()[0] == f"{key}: {label}"
    for kind in CLASSES:
        assert set(kind._KEYS) <= set(kind().get_params())


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_samples_have_no_weights_in_learning(method, tensors):
    learner = tosst.TensorDictionaryLearning(20, max_iter=2)
    with pytest.raises(TypeError, match="has no sample_weight"):
        getattr(learner, method)(tensors, sample_weight=np.ones(len(tensors)))
    assert not hasattr(learner, "dictionary_")
    getattr(learner, method)(tensors, sample_weight=None)


@pytest.mark.parametrize("kind", [tosst.TextureClassifier, tosst.TextureDescriptor, tosst.EigenvaluePowerNormalizer, tosst.TensorSparseCoder,
                                  tosst.CodePooling])
def test_no_estimator_has_weights_in_fit(kind):
    """The sentence names score() where there is one."""
    with pytest.raises(TypeError) as error:
        kind().fit([np.zeros((30, 30))], [0], sample_weight=[1])
    assert "has no sample_weight: all samples count alike there" in str(error.value)
    assert str(error.value).endswith("score() has it") == hasattr(kind, "score")


def test_samples_have_weights_in_the_score(tensors):
    learner = tosst.TensorDictionaryLearning(20, max_iter=2).fit(tensors)
    values, weights = learner.objective(tensors), np.arange(len(tensors)) % 3
    assert np.isclose(learner.score(tensors, sample_weight=weights), -(values * weights).sum() / weights.sum())
    assert np.isclose(learner.score(tensors, sample_weight=weights), learner.score(np.repeat(tensors, weights, axis=0)))
    for wrong in (weights[1:], -weights, 0 * weights, np.where(weights, np.nan, 1), ["a"] * len(tensors)):
        with pytest.raises(ValueError, match="sample_weight"):
            learner.score(tensors, sample_weight=wrong)


def test_sparse_codes(tensors, monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    from tosst import _code

    dictionary = tosst.TensorDictionaryLearning(20, max_iter=2).fit(tensors).dictionary_
    dense = tosst.TensorSparseCoder(dictionary).fit(tensors)
    coder = tosst.TensorSparseCoder(dictionary, sparse_output=True)
    codes = coder.fit_transform(tensors)
    assert sparse.issparse(codes) and codes.dtype == tensors.dtype and codes.nnz == np.count_nonzero(dense.transform(tensors))
    assert np.array_equal(codes.toarray(), dense.transform(tensors))
    assert np.array_equal(coder.inverse_transform(codes), dense.inverse_transform(codes.toarray()))
    assert np.array_equal(coder.objective(tensors, codes), dense.objective(tensors))
    sets = coder.transform(tensors.reshape(40, 10, -1))
    assert len(sets) == 40 and np.array_equal(sets[7].toarray(), codes[70:80].toarray())
    pooling = tosst.CodePooling()
    assert np.array_equal(pooling.fit_transform(sets), pooling.fit_transform(codes.toarray().reshape(40, 10, -1)))
    monkeypatch.setattr(_code, "_DENSE", 128)
    np.testing.assert_allclose(coder.transform(tensors).toarray(), codes.toarray(), atol=1e-6 * codes.max())
    with pytest.raises(ValueError, match="sparse_output"):
        coder.set_output(transform="pandas").transform(tensors)


def test_verbose(tensors, capsys):
    learner = tosst.TensorDictionaryLearning(20, max_iter=3, tol=0, verbose=1, callback=lambda row: None).fit(tensors)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[2].startswith(f"iteration 3 of at most 3: objective {learner.objective_:.6g}, ")
    learner.partial_fit(tensors)
    assert "of 400 tensors: objective" in capsys.readouterr().out
    tosst.TensorDictionaryLearning(20, max_iter=3).fit(tensors)
    assert not capsys.readouterr().out


class Bar:
    """As of tqdm."""

    def __init__(self, total):
        self.total, self.n = total, 0
        self.steps = []

    def update(self, step):
        self.n += step
        self.steps.append(step)


@pytest.mark.parametrize("total", [1.0, 40, None])
def test_a_bar_only_grows(total, tensors):
    """Also by several calls, of which each takes as much of it."""
    bar = Bar(total)
    with tosst.progress(bar):
        codes = tosst.TensorDictionaryLearning(20, max_iter=3).fit_transform(tensors)
        tosst.TensorSparseCoder(n_components=20).fit(tensors).transform(tensors)
    assert codes.shape == (400, 20) and min(bar.steps) >= 0
    assert bar.total > (total or 1) and np.isclose(bar.n, bar.total)


def test_objective_is_a_sum_and_score_a_mean(tensors):
    learner = tosst.TensorDictionaryLearning(20, max_iter=200, tol=1e-7).fit(tensors)
    assert np.isclose(learner.objective_, -len(tensors) * learner.score(tensors), rtol=1e-3)
    assert learner.history_[-1]["objective"] == learner.objective_


@pytest.mark.parametrize("epoch", [3, 1000])
def test_objective_of_a_batch(epoch, tensors, monkeypatch):
    """The sum over the batch for the dictionary before its step, also where the engine ends an epoch."""
    from tosst import _learn

    monkeypatch.setattr(_learn, "_EPOCH", epoch)
    learner = tosst.TensorDictionaryLearning(20, max_iter=2).fit(tensors[:100])
    for number, batch in enumerate(np.split(tensors[100:], 5), 1):
        coder = tosst.TensorSparseCoder(learner.dictionary_).fit(batch)
        codes = coder.transform(batch)
        learner.partial_fit(batch)
        row = learner.history_[-1]
        assert np.isclose(learner.objective_, coder.objective(batch, codes).sum(), rtol=1e-5)
        assert row["objective"] == learner.objective_ and row["iteration"] == learner.n_iter_ and row["n_samples"] == len(batch)
        assert np.isclose(row["fit"] + row["proximity"] + row["sparsity"], row["objective"])
        assert np.isclose(row["mean_nonzeros"], np.count_nonzero(codes) / len(batch))
        assert len(learner.history_) == 2 + number


def test_progress_of_a_classifier(capsys):
    waves = [np.sin(np.linspace(0, 20 + 10 * (i % 2), 64))[None] * np.ones((64, 1)) * 0.4 + 0.5 for i in range(8)]
    recipe = tosst.Recipe({"descriptor.kind": "lbp"})
    try:
        tosst.TextureClassifier(recipe=recipe, verbose=1).fit(waves, 4 * ["wide", "narrow"])
    except ImportError as error:
        pytest.skip(str(error))
    lines = capsys.readouterr().out.splitlines()
    assert lines and lines[-1] == "TextureClassifier.fit(): 100 % done"
    assert all(re.fullmatch(r"TextureClassifier\.fit\(\): \d+ % done", line) for line in lines)


def test_batches_are_those_of_arrays_of_other_types():
    X = make_tensors(100, dtype=np.float64)
    learners = [tosst.TensorDictionaryLearning(20).partial_fit(X.astype(kind)) for kind in (np.float32, np.float64)]
    assert np.isclose(learners[0].objective_, learners[1].objective_)
