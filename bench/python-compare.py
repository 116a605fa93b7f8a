#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""python-compare.py [T.npy] [ATOMS] [TENSORS]: time and objective beside scikit-learn's DictionaryLearning and SPAMS.

All minimize  sum_n ||X_n - sum_k alpha_k A_k||^2 + lambda ||alpha||_1,  alpha >= 0,  over tensors of mean square norm 1. Here an
atom is A_k = B_k (x) b_k, of d(d+3)/2 numbers: equation (3). In the others it is any tensor of norm 1, of d(d+1)(d+2)/6
numbers, so that they can reach a lower objective; they see packed tensors times the roots of multiplicities, whose products are
those of tensors. On test tensors all dictionaries are coded to the same precision. Without T.npy tensors are made.
"""

import sys
import time

import numpy as np

import tosst

LAMBDA = 0.02


def made(n):
    """Means of third powers of histograms."""
    x = np.random.default_rng(1).random((n, 8, 12)) ** 6
    X = np.zeros((n, tosst.packed_size(12)))
    index = np.array([(i, j, k) for i in range(12) for j in range(i, 12) for k in range(j, 12)]).T
    for r in range(8):
        X += np.prod([x[:, r, i] for i in index], axis=0)
    return X


def weights(m):
    """Roots of the multiplicities of packed entries."""
    d = tosst.packed_side(m)
    return np.sqrt([{1: 1, 2: 3, 3: 6}[len({i, j, k})] for i in range(d) for j in range(i, d) for k in range(j, d)])


def lasso_objective(V, atoms):
    """The objective of vectors for atoms, by coordinate descent to a small gap."""
    from sklearn.decomposition import sparse_encode

    codes = sparse_encode(V, atoms, algorithm="lasso_cd", alpha=LAMBDA / 2, positive=True, max_iter=10000)
    return ((V - codes @ atoms) ** 2).sum() / len(V) + LAMBDA * codes.sum() / len(V), np.count_nonzero(codes) / len(V)


def report(name, seconds, V, atoms, numbers):
    objective, nonzeros = lasso_objective(V, atoms)
    print(f"{name:34} {seconds:9.2f} s   objective {objective:.4f}   non-zeros {nonzeros:5.1f}   numbers an atom {numbers}",
          flush=True)


def main(path=None, atoms=100, n=2000):
    atoms, n = int(atoms), int(n)
    X = np.asarray(tosst.load(path), dtype=np.float64)[:n] if path and path != "-" else made(n)
    train, test = X[: 3 * len(X) // 4], X[3 * len(X) // 4:]
    w = weights(X.shape[1])
    scale = np.sqrt(((train * w) ** 2).sum(1).mean())
    V, T, d = train * w / scale, test * w / scale, tosst.packed_side(X.shape[1])
    print(f"{len(train)} tensors of d = {d}, {atoms} atoms, lambda {LAMBDA}")
    for scheme in ("psd", "free"):
        start = time.perf_counter()
        learner = tosst.TensorDictionaryLearning(atoms, alpha=LAMBDA, gamma=np.inf, scheme=scheme, max_iter=50).fit(train)
        seconds = time.perf_counter() - start
        report(f"tosst, scheme {scheme}", seconds, T, learner.components_ * w / scale, d * (d + 3) // 2)
    from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning

    for kind, options in ((DictionaryLearning, {"max_iter": 50, "tol": 1e-4}), (MiniBatchDictionaryLearning, {"batch_size": 256})):
        start = time.perf_counter()
        learner = kind(atoms, alpha=LAMBDA / 2, fit_algorithm="cd", positive_code=True, random_state=1, n_jobs=-1, **options)
        learner.fit(V)
        report(f"scikit-learn, {kind.__name__}", time.perf_counter() - start, T, learner.components_, X.shape[1])
    try:
        import spams
    except ImportError:
        print("SPAMS is not installed")
        return
    start = time.perf_counter()
    D = spams.trainDL(np.asfortranarray(V.T), K=atoms, lambda1=LAMBDA / 2, iter=1000, posAlpha=True, batchsize=256, verbose=False)
    report("SPAMS, trainDL", time.perf_counter() - start, T, np.ascontiguousarray(D.T), X.shape[1])


main(*sys.argv[1:])
