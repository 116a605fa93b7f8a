#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""python-overhead.py [PAIRS]: what the package for Python adds to calls of libtosst, at N = 5000, d = 30, K = 2000.

transform() with its checks against tosst_code() alone with a context and memory of its own, as in a C program; both for a
dictionary that is prepared already. Median of the ratios of processor times of pairs on one thread, as others may use the
machine, too; and by the clock on all threads, which takes an idle machine.
"""

import subprocess
import sys
import time

import numpy as np

import tosst
from tosst import _code, _engine
from tosst._arrays import pointer
from tosst._native import ffi, lib


def import_times():
    script = ("import time; t = time.perf_counter(); import tosst; a = time.perf_counter(); tosst.Recipe; "
              "b = time.perf_counter(); tosst.Dictionary; print(a - t, b - t, time.perf_counter() - t)")
    runs = [subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True).stdout.split() for _ in range(7)]
    return 1e3 * np.median(np.array(runs, dtype=float), axis=0)


def ratios(plain, package, clock, pairs):
    times = np.empty((pairs, 2))
    for pair in times:
        for i, function in enumerate((plain, package)):
            start = clock()
            function()
            pair[i] = clock() - start
    return (*1e3 * np.median(times, axis=0), np.median(times[:, 1] / times[:, 0]))


def main(pairs):
    print("import tosst %.1f ms, with recipes %.1f ms, with NumPy and the engine %.1f ms" % tuple(import_times()))
    x = np.random.default_rng(1).random((5000, 3, 30), dtype=np.float32) ** 8
    i, j, k = (np.array(side) for side in zip(*[(i, j, k) for i in range(30) for j in range(i, 30) for k in range(j, 30)]))
    X = np.ascontiguousarray(sum(x[:, r, i] * x[:, r, j] * x[:, r, k] for r in range(3)))
    learner = tosst.TensorSparseCoder(n_components=2000, alpha=0.0015).fit(X)
    with _engine.Call() as call:
        coder = _code._coder(call, learner.dictionary_, learner._coding_options(), False)

    def plain():
        context = lib.tosst_context_new(threads)
        codes = np.empty((len(X), 2000), np.float32)
        lib.tosst_code(context, coder[0], pointer(X), len(X), False, pointer(codes), ffi.NULL)
        lib.tosst_context_free(context)
        return codes

    for name, clock, jobs in (("processor", time.process_time, 1), ("clock", time.perf_counter, None)):
        learner.n_jobs, threads = jobs, _engine.resolve_threads(jobs)
        codes = learner.transform(X)
        assert np.array_equal(plain(), codes)
        print("%-9s tosst_code() %.1f ms, transform() %.1f ms, ratio %.4f (median of %d pairs), threads %d, non-zeros %.0f" % (
            name, *ratios(plain, lambda: learner.transform(X), clock, pairs), pairs, threads,
            np.count_nonzero(codes) / len(X)), flush=True)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
