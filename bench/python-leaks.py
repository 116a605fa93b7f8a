#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""python-leaks.py [FITS]: the memory of a process before and after 1000 fits, codings, interrupted fits and partial fits."""

import gc
import sys

import numpy as np

import tosst


def resident():
    """Private memory in kB; files that are mapped do not count."""
    gc.collect()
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("Private_Dirty", "Private_Clean")))


def once(X):
    learner = tosst.TensorDictionaryLearning(40, max_iter=2)
    learner.fit_transform(X)
    learner.partial_fit(X).partial_fit(X)
    tosst.TensorDictionaryLearning(40, max_iter=2, batch_size=100).fit(X)

    def fail(row):
        raise KeyboardInterrupt

    try:
        tosst.TensorDictionaryLearning(40, callback=fail).fit(X)
    except KeyboardInterrupt:
        pass


def main(fits):
    x = np.random.default_rng(1).random((300, 8))
    X = tosst.pack(np.einsum("ni,nj,nk->nijk", x, x, x)).astype(np.float32)
    levels = []
    for i in range(fits + fits // 10):
        once(X)
        if i > fits // 10 and i % max(1, fits // 40) == 0:
            levels.append(resident())
    # Arenas of threads come and go by some MB: the lowest levels are compared.
    half = len(levels) // 2
    first, second = min(levels[:half]), min(levels[half:])
    print(f"{first / 1024:.1f} MB in the first half, {second / 1024:.1f} MB in the second half of {fits} rounds of 5 fits")
    return second - first > 1024

sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
