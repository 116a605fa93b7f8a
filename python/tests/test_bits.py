# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers equal those of the programs to the bit."""

import numpy as np
import pytest
from conftest import make_tensors

import tosst

THREADS = 2


def learn(program, folder, tensors, *settings):
    tosst.save(folder / "T.npy", tensors)
    options = [word for setting in settings for word in ("--set", setting)]
    program("learn", folder / "T.npy", "-o", folder / "D.npz", "--threads", THREADS, "--quiet", *options)
    return tosst.load(folder / "D.npz")


def code(program, folder, tensors, *options):
    tosst.save(folder / "T.npy", tensors)
    program("code", folder / "T.npy", "--dictionary", folder / "D.npz", "-o", folder / "A.npy", "--threads", THREADS, "--quiet",
            *options)
    return tosst.load(folder / "A.npy")


def assert_same(a, b):
    assert np.array_equal(a.B, b.B) and np.array_equal(a.b, b.b) and a.scale == b.scale


CASES = {
    "default": ({}, ["dictionary.atoms=30"]),
    "low-rank": ({"scheme": "low-rank"}, ["dictionary.atoms=30", "dictionary.scheme=low-rank"]),
    "free": ({"scheme": "free", "signed_b": True, "positive_code": False},
             ["dictionary.atoms=30", "dictionary.scheme=free", "dictionary.signed-b=true", "coding.signed-alpha=true"]),
    "whole": ({"scheme": "full"}, ["dictionary.atoms=30", "dictionary.scheme=full"]),
    "problem (3)": ({"gamma": np.inf, "alpha": 1e-4}, ["dictionary.atoms=30", "dictionary.gamma=inf", "dictionary.lambda=1e-4"]),
    "batches": ({"batch_size": 64}, ["dictionary.atoms=30", "dictionary.minibatch=64"]),
    "samples": ({"max_samples": 100}, ["dictionary.atoms=30", "dictionary.sample=100"]),
    "random": ({"init": "random", "random_state": 7}, ["dictionary.atoms=30", "dictionary.init=random", "dictionary.seed=7"]),
    "beta": ({"nonnegative_beta": True}, ["dictionary.atoms=30", "coding.nonnegative-beta=true"]),
    "pqn": ({"solver": "pqn", "max_iter": 3}, ["dictionary.atoms=30", "dictionary.solver=pqn", "dictionary.iterations=3"]),
}


@pytest.mark.parametrize("case", CASES)
def test_learning(program, tmp_path, case):
    parameters, settings = CASES[case]
    X = make_tensors()
    parameters = {"max_iter": 8, **parameters}
    theirs = learn(program, tmp_path, X, "dictionary.iterations=8", *settings)
    learner = tosst.TensorDictionaryLearning(30, n_jobs=THREADS, **parameters)
    codes = learner.fit_transform(X)
    assert_same(learner.dictionary_, theirs)
    assert np.array_equal(codes, code(program, tmp_path, X))
    # The recipe in the file says how tensors are coded; so does that of the dictionary learned here.
    assert np.array_equal(codes, tosst.TensorSparseCoder(theirs, n_jobs=THREADS).fit_transform(X))
    assert np.array_equal(codes, tosst.TensorSparseCoder(learner.dictionary_, n_jobs=THREADS).fit_transform(X))
    recipe = tosst.Recipe.parse(theirs.meta["recipe"])
    again = tosst.TensorDictionaryLearning.from_recipe(recipe, n_jobs=THREADS).fit(X)
    assert_same(again.dictionary_, theirs)


def test_double(program, tmp_path):
    X = make_tensors(dtype=np.float64)
    theirs = learn(program, tmp_path, X, "dictionary.atoms=30", "dictionary.iterations=5")
    learner = tosst.TensorDictionaryLearning(30, max_iter=5, n_jobs=THREADS).fit(X)
    assert_same(learner.dictionary_, theirs)
    codes = learner.transform(X)
    assert codes.dtype == np.float64
    assert np.array_equal(codes, code(program, tmp_path, X))


def test_parameters_of_coding(program, tmp_path):
    X = make_tensors()
    D = learn(program, tmp_path, X, "dictionary.atoms=30", "dictionary.iterations=5")
    theirs = code(program, tmp_path, X, "--set", "coding.lambda=0.01", "--set", "coding.gamma=5")
    assert np.array_equal(theirs, tosst.TensorSparseCoder(D, alpha=0.01, gamma=5, n_jobs=THREADS).fit_transform(X))
    theirs = code(program, tmp_path, X, "--set", "coding.method=span")
    assert np.array_equal(theirs, tosst.TensorSparseCoder(D, transform_algorithm="span", n_jobs=THREADS).fit_transform(X))


def test_dictionary_of_python_in_the_program(program, tmp_path):
    X = make_tensors()
    learner = tosst.TensorDictionaryLearning(30, alpha=0.004, max_iter=5, n_jobs=THREADS)
    codes = learner.fit_transform(X)
    tosst.save(tmp_path / "D.npz", learner)
    assert_same(tosst.load(tmp_path / "D.npz"), learner.dictionary_)
    assert np.array_equal(code(program, tmp_path, X), codes)
    # The programs go on from there.
    program("learn", tmp_path / "T.npy", "-o", tmp_path / "E.npz", "--resume", tmp_path / "D.npz", "--set",
            "dictionary.iterations=6", "--quiet")
    assert tosst.load(tmp_path / "E.npz").meta["iterations"] == 6


@pytest.mark.parametrize("shape", ["symmetric", "general"])
def test_other_shapes(program, tmp_path, shape):
    x = np.random.default_rng(1).random((300, 4, 5)).astype(np.float32)
    full = np.einsum("nri,nrj->nij", x, x) if shape == "symmetric" else np.einsum("ni,nj,nk->nijk", x[:, 0], x[:, 1, :4],
                                                                                  x[:, 2, :3])
    settings = ["dictionary.atoms=30", "dictionary.iterations=5", "dictionary.scheme=" + ("psd" if shape == "symmetric" else "free")]
    theirs = learn(program, tmp_path, full, *settings)
    learner = tosst.TensorDictionaryLearning(30, max_iter=5, n_jobs=THREADS, shape="symmetric" if shape == "symmetric" else "auto")
    learner.fit(tosst.pack(full) if shape == "symmetric" else full)
    assert learner.dictionary_.shape.kind == shape
    assert_same(learner.dictionary_, theirs)
