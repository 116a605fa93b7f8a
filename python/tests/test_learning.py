# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks, interrupts, batches, threads."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import make_tensors

import tosst
from tosst import _engine
from tosst._native import lib

INTERRUPTED = """
import sys
import tosst
from conftest import make_tensors
learner = tosst.TensorDictionaryLearning(60, max_iter=10**6, tol=0, {parameters})
told = []
def started(fraction):
    if not told:
        print("started", flush=True)
    told.append(fraction)
try:
    with tosst.progress(started):
        learner.fit(make_tensors(2000, 8))
except KeyboardInterrupt:
    print("interrupted", hasattr(learner, "dictionary_"))
"""


@pytest.mark.parametrize("parameters", ["", "batch_size=500", "solver='pqn'"])
def test_interrupt(parameters):
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(parameters=parameters)], cwd=__file__.rpartition("/")[0],
                          stdout=subprocess.PIPE, universal_newlines=True) as child:
        assert child.stdout.readline() == "started\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted False\n"


@pytest.mark.parametrize("report", [None, 5, "bar"])
def test_invalid_progress(report):
    with pytest.raises(ValueError, match="^report must be callable"):
        with tosst.progress(report):
            pass


def test_signal_cancels_the_engine_itself():
    """While the engine works no Python code runs, and Python only notes the signal."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with _engine.Call(1) as call:
            assert not lib.tosst_context_is_cancelled(call.context)
            signal.raise_signal(signal.SIGINT)
            assert lib.tosst_context_is_cancelled(call.context)
            with _engine.Call(1) as inner:
                assert not lib.tosst_context_is_cancelled(inner.context)
                signal.raise_signal(signal.SIGINT)
                assert lib.tosst_context_is_cancelled(inner.context)
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupt_restores_the_handler(tensors):
    before = signal.getsignal(signal.SIGINT)
    tosst.TensorDictionaryLearning(5, max_iter=1).fit(tensors)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_interrupt_between_iterations(tensors):
    learner = tosst.TensorDictionaryLearning(5, max_iter=10**6, tol=0,
                                             callback=lambda row: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        learner.fit(tensors)
    assert not hasattr(learner, "dictionary_")


def test_other_threads_are_not_interrupted(tensors):
    """A fit on another thread goes on, and ends, after an interrupt of the main thread."""
    learner = tosst.TensorDictionaryLearning(5, max_iter=20, tol=0)
    worker = threading.Thread(target=learner.fit, args=(tensors,))
    worker.start()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    worker.join()
    assert learner.n_iter_ == 20


def test_callback(tensors):
    rows = []
    learner = tosst.TensorDictionaryLearning(20, max_iter=4, tol=0, callback=rows.append).fit(tensors)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4] and rows == learner.history_
    assert all(a["objective"] >= b["objective"] for a, b in zip(rows, rows[1:]))
    assert learner.objective_ == rows[-1]["objective"] and learner.n_iter_ == 4


def test_callback_stops_early(tensors):
    def stop(row):
        if row["iteration"] == 2:
            raise StopIteration

    learner = tosst.TensorDictionaryLearning(20, max_iter=50, tol=0, callback=stop).fit(tensors)
    two = tosst.TensorDictionaryLearning(20, max_iter=2, tol=0).fit(tensors)
    assert np.array_equal(learner.dictionary_.B, two.dictionary_.B) and learner.n_iter_ == 2


def test_error_of_a_callback(tensors):
    def fail(row):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        tosst.TensorDictionaryLearning(20, callback=fail).fit(tensors)
    with pytest.raises(ZeroDivisionError), tosst.progress(lambda fraction: 1 / 0):
        tosst.TensorDictionaryLearning(20).fit(tensors)


def test_progress_to_tqdm(tensors):
    tqdm = pytest.importorskip("tqdm").tqdm
    learner = tosst.TensorDictionaryLearning(20, max_iter=3, tol=0)
    with tqdm(total=3.0, disable=False, file=open("/dev/null", "w")) as bar, tosst.progress(bar):
        learner.fit(tensors)
    assert 2.9 < bar.n <= 3.0001
    fractions = []
    with tosst.progress(fractions.append):
        learner.transform(make_tensors(5000))
    assert fractions == sorted(fractions) and 0 < fractions[-1] <= 1


def test_gil_is_released(tensors):
    """Python code runs while the engine works: the engine ends only when it has."""
    seen = threading.Event()
    learner = tosst.TensorDictionaryLearning(20, max_iter=10**6, tol=0)

    def stop(row):
        if seen.is_set():
            raise StopIteration

    learner.callback = stop
    worker = threading.Thread(target=learner.fit, args=(tensors,))
    worker.start()
    seen.set()
    worker.join()
    assert learner.n_iter_ >= 1


def test_fits_in_several_threads_give_the_same(tensors):
    def fit(learner):
        learner.fit(tensors)

    learners = [tosst.TensorDictionaryLearning(20, max_iter=5, n_jobs=2) for _ in range(4)]
    workers = [threading.Thread(target=fit, args=(learner,)) for learner in learners]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len({learner.dictionary_.B.tobytes() for learner in learners}) == 1


def test_threads_of_blas_are_restored(tensors):
    before = lib.tosst_python_blas_threads(0)
    if not before:
        pytest.skip("BLAS is not OpenBLAS")
    try:
        lib.tosst_python_blas_threads(2)
        inside = []
        tosst.TensorDictionaryLearning(5, max_iter=1, callback=lambda row: inside.append(lib.tosst_python_blas_threads(0))).fit(tensors)
        assert inside == [1] and lib.tosst_python_blas_threads(0) == 2
    finally:
        lib.tosst_python_blas_threads(before)


def test_number_of_threads():
    tosst.set_threads(3)
    try:
        assert _engine.resolve_threads(None) == 3 and _engine.resolve_threads(1) == 1 and _engine.resolve_threads(-1) >= 1
    finally:
        tosst.set_threads(None)


def test_partial_fit_learns_online():
    X = make_tensors(3000)
    held_out = make_tensors(500, seed=2)
    online = tosst.TensorDictionaryLearning(30)
    for batch in np.array_split(X[:2900], 15):
        online.partial_fit(batch)
    online.partial_fit(X[2900:2903])  # fewer tensors than atoms
    assert online.n_iter_ == 16
    start = tosst.TensorSparseCoder(n_components=30).fit(X)
    learned = tosst.TensorDictionaryLearning(30).fit(X)
    first, last, best = (-model.score(held_out) * model.dictionary_.scale**2 for model in (start, online, learned))
    assert last < best + 0.25 * (first - best)
    again = tosst.TensorDictionaryLearning(30)
    for batch in [*np.array_split(X[:2900], 15), X[2900:2903]]:
        again.partial_fit(batch)
    assert np.array_equal(again.dictionary_.B, online.dictionary_.B)


def test_partial_fit_refuses_another_scale(tensors):
    learner = tosst.TensorDictionaryLearning(n_components=12, max_iter=2, n_jobs=1, random_state=0).fit(tensors)
    with pytest.raises(tosst.NumericError, match="times as large"):
        learner.partial_fit(tensors * 1e20)
    learner.partial_fit(tensors * 1e6)


def test_partial_fit_goes_on_from_fit(tensors):
    learner = tosst.TensorDictionaryLearning(20, max_iter=5).fit(tensors)
    scale, before = learner.dictionary_.scale, learner.score(tensors)
    learner.partial_fit(tensors)
    assert learner.dictionary_.scale == scale and learner.score(tensors) > before - 0.01 * abs(before)


def test_initial_dictionary(tensors):
    five = tosst.TensorDictionaryLearning(20, max_iter=5, tol=0).fit(tensors)
    more = tosst.TensorDictionaryLearning(20, max_iter=1, tol=0, dict_init=five.dictionary_).fit(tensors)
    assert more.objective_ < five.objective_


def test_map_of_a_file(tensors, tmp_path):
    tosst.save(tmp_path / "T.npy", tensors)
    mapped = tosst.load(tmp_path / "T.npy", mmap_mode="r")
    for parameters in ({}, {"batch_size": 100}):
        a = tosst.TensorDictionaryLearning(20, max_iter=2, **parameters).fit(mapped)
        b = tosst.TensorDictionaryLearning(20, max_iter=2, **parameters).fit(tensors)
        assert np.array_equal(a.dictionary_.B, b.dictionary_.B)


def test_arrays_are_neither_changed_nor_copied(tensors):
    tensors.flags.writeable = False
    learner = tosst.TensorDictionaryLearning(20, max_iter=2)
    assert learner._rows(tensors, reset=True).array is tensors
    a = learner.fit_transform(tensors)
    assert np.array_equal(a, tosst.TensorDictionaryLearning(20, max_iter=2).fit_transform(np.asfortranarray(tensors)))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e31])
def test_entries_out_of_range(tensors, value):
    tensors[17, 3] = value
    for parameters in ({}, {"batch_size": 100} if value != 1e31 else {}):
        with pytest.raises(ValueError, match="NaN|finite"):
            tosst.TensorDictionaryLearning(20, **parameters).fit(tensors)
    with pytest.raises(ValueError, match="NaN"):
        tosst.TensorDictionaryLearning(20, max_iter=1).fit(tensors[20:]).transform(tensors)


class Interrupt:
    """Interrupts the n-th call of a callback."""

    def __init__(self, n):
        self.n = n

    def __call__(self, *arguments):
        self.n -= 1
        if self.n < 0:
            raise KeyboardInterrupt


ESTIMATORS = {
    "learning": (tosst.TensorDictionaryLearning, {"n_components": 6, "max_iter": 3, "tol": 0}),
    "batches": (tosst.TensorDictionaryLearning, {"n_components": 6, "max_iter": 2, "tol": 0, "batch_size": 50}),
    "coder": (tosst.TensorSparseCoder, {"n_components": 6}),
    "normalizer": (tosst.EigenvaluePowerNormalizer, {}),
    "pooling": (tosst.CodePooling, {}),
    "descriptor": (tosst.TextureDescriptor, {"kind": "linear"}),
}


def interrupt_everywhere(estimator, method, X):
    """Interrupt a method at each report of progress, until it comes to its end. Returns how often it was interrupted."""
    for n in range(1000):
        before = dict(vars(estimator))
        try:
            with tosst.progress(Interrupt(n)):
                getattr(estimator, method)(X)
        except KeyboardInterrupt:
            after = vars(estimator)
            assert {name: id(value) for name, value in after.items()} == {name: id(value) for name, value in before.items()}
        else:
            return n
    raise AssertionError


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_fit_leaves_the_estimator(name, method, fitted):
    """As it was, fitted before or not: also the number of features, which is known before the work."""
    make, parameters = ESTIMATORS[name]
    estimator, X = make(**parameters), make_tensors(120)
    if not hasattr(estimator, method):
        pytest.skip("has no such method")
    if name == "descriptor":
        X = np.random.default_rng(1).random((3, 40, 40))
    elif fitted:
        estimator.fit(make_tensors(80, 5 if method == "partial_fit" else 4))
    times = interrupt_everywhere(estimator, method, X)
    assert times > 0 or (name, method) == ("descriptor", "fit") or (name, method, fitted) == ("coder", "partial_fit", True)


def test_a_callback_that_fails_leaves_the_estimator(tensors):
    for n in range(3):
        learner = tosst.TensorDictionaryLearning(6, max_iter=3, tol=0, callback=Interrupt(n))
        before = dict(vars(learner))
        with pytest.raises(KeyboardInterrupt):
            learner.fit(tensors)
        assert vars(learner) == before


def test_a_refused_fit_leaves_the_estimator(tensors):
    """A parameter that is wrong is found after the number of features."""
    learner = tosst.TensorDictionaryLearning(6, max_iter=2).fit(tensors)
    before = dict(vars(learner.set_params(scheme="best")))
    with pytest.raises(ValueError, match="scheme must be"):
        learner.fit(make_tensors(80, 4))
    assert vars(learner) == before and learner.transform(tensors).shape == (400, 6)


@pytest.mark.parametrize("shape", ["super-symmetric", "symmetric", "general", "whole", "vector"])
@pytest.mark.parametrize("parameters", [{}, {"gamma": np.inf}, {"gamma": 0.1, "positive_code": False}], ids=str)
def test_alpha_max(shape, parameters):
    """From there on the code is zero, and below it is not: of each tensor, in whatever unit."""
    rng = np.random.default_rng(1)
    x = 30 * (rng.random((60, 4)) if parameters.get("positive_code", True) else rng.normal(size=(60, 4)))
    full = np.einsum("ni,nj->nij", x, x) if shape == "symmetric" else np.einsum("ni,nj,nk->nijk", x, x, x)
    X = full[:, :, :, :3] if shape == "general" else x if shape == "vector" else tosst.pack(full)
    learner = tosst.TensorDictionaryLearning(9, max_iter=3, shape=shape if shape in ("symmetric", "vector") else "auto",
                                             scheme="full" if shape == "whole" else "auto", **parameters).fit(X)
    limits = learner.alpha_max(X)
    assert limits.shape == (60,) and limits.max() > 0
    for i in np.flatnonzero(limits)[:5]:
        codes = [learner.set_params(transform_alpha=factor * limits[i]).transform(X[i:i + 1]) for factor in (0.999, 1.001)]
        assert codes[0].any() and not codes[1].any()


def test_alpha_max_is_of_sparse_codes(tensors):
    for parameters, message in (({"nonnegative_beta": True}, "nonnegative_beta"), ({"transform_algorithm": "span"}, "span")):
        with pytest.raises(ValueError, match=message):
            tosst.TensorDictionaryLearning(6, max_iter=1, **parameters).fit(tensors).alpha_max(tensors)
