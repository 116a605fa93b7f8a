#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""python-compare.py [IMAGES|T.npy|-] [ATOMS] [TENSORS]: TensorDictionaryLearning beside scikit-learn's DictionaryLearning and
MiniBatchDictionaryLearning, and SPAMS where it is installed.

All minimize  sum_n ||X_n - sum_k alpha_k A_k||^2 + lambda ||alpha||_1,  alpha >= 0,  over tensors of mean square norm 1. Here an
atom is A_k = B_k (x) b_k, of d(d+3)/2 numbers: equation (3). In the others it is any tensor of norm 1, of d(d+1)(d+2)/6
numbers, so that they can reach a lower objective, as the shape "vector" of TensorDictionaryLearning can; they see packed tensors times the roots of multiplicities, whose products are
those of tensors. On test tensors all dictionaries are coded by the same solver to the same precision, at lambda and at other
sparsities: the residual ||X - sum_k alpha_k A_k|| / ||X|| at 10 non-zeros a code, and the non-zeros at a residual of 20 %. One
dictionary of scikit-learn has as many numbers as that of tosst, in fewer atoms.

Time is that of the processor for learning, on one thread. IMAGES is a folder of images, by default kth_tips_grey in the folder
datasets of $TOSST_SHARED; of T.npy tensors are read; - makes some.
"""

import os
import sys
import time
from pathlib import Path

# Read when OpenBLAS is loaded: it would otherwise spend time of other processors.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import tosst

LAMBDA = 0.02
NONZEROS = 10
RESIDUAL = 0.2
# Sparsities of the curve of residuals.
SPARSITIES = np.geomspace(0.5, 1e-3, 8)
# Images of a folder from which tensors are drawn.
IMAGES = 40


def made(n):
    """Means of third powers of histograms."""
    x = np.random.default_rng(1).random((n, 8, 12)) ** 6
    X = np.zeros((n, tosst.packed_size(12)))
    index = np.array([(i, j, k) for i in range(12) for j in range(i, 12) for k in range(j, 12)]).T
    for r in range(8):
        X += np.prod([x[:, r, i] for i in index], axis=0)
    return X


def described(folder, n):
    """Tensors of patches of images of all subfolders, drawn at random; d = 12."""
    from PIL import Image

    files = sorted(path for path in Path(folder).rglob("*") if path.suffix.lower() in (".png", ".jpg", ".pgm"))
    chosen = np.random.default_rng(1).permutation(len(files))[:IMAGES]
    images = [np.asarray(Image.open(files[i]).convert("L")) for i in chosen]
    sets = tosst.TextureDescriptor("rbf", pivots=2, n_jobs=1).transform(images)
    X = np.concatenate(list(sets)).astype(np.float64)
    return X[np.random.default_rng(2).permutation(len(X))[:n]]


def tensors_of(path, n):
    if path == "-":
        return made(n)
    if path is None:
        path = os.path.join(os.environ.get("TOSST_SHARED", "../shared"), "datasets", "kth_tips_grey")
        if not os.path.isdir(path):
            sys.exit(f"skipped: there is no folder {path}; give a folder of images, or - for tensors that are made")
    return described(path, n) if os.path.isdir(path) else np.asarray(tosst.load(path), dtype=np.float64)[:n]


def weights(m):
    """Roots of the multiplicities of packed entries."""
    d = tosst.packed_side(m)
    return np.sqrt([{1: 1, 2: 3, 3: 6}[len({i, j, k})] for i in range(d) for j in range(i, d) for k in range(j, d)])


def measure(V, atoms, sparsity):
    """Objective, residual and non-zeros of vectors for atoms, by coordinate descent to a small gap."""
    from sklearn.decomposition import sparse_encode

    codes = sparse_encode(V, atoms, algorithm="lasso_cd", alpha=sparsity / 2, positive=True, max_iter=3000)
    errors = ((V - codes @ atoms) ** 2).sum(1)
    residual = np.sqrt(errors.sum() / (V ** 2).sum())
    return (errors.sum() + sparsity * codes.sum()) / len(V), residual, np.count_nonzero(codes) / len(V)


def crossing(x, y, at):
    """y where x is `at`, between points of a curve in logarithms; NaN beyond its ends."""
    order = np.argsort(x)
    x, y = np.log(np.maximum(x, 1e-9))[order], np.log(np.maximum(y, 1e-9))[order]
    return float(np.exp(np.interp(np.log(at), x, y, left=np.nan, right=np.nan)))


def report(name, seconds, V, atoms, numbers):
    objective, _, _ = measure(V, atoms, LAMBDA)
    curve = np.array([measure(V, atoms, sparsity) for sparsity in SPARSITIES])
    print(f"{name:52} {seconds:8.2f} s   objective {objective:.4f}   residual at {NONZEROS} non-zeros "
          f"{100 * crossing(curve[:, 2], curve[:, 1], NONZEROS):5.1f} %   non-zeros at {100 * RESIDUAL:.0f} % "
          f"{crossing(curve[:, 1], curve[:, 2], RESIDUAL):5.1f}   numbers an atom {numbers}", flush=True)


def timed(learner, X):
    start = time.process_time()
    learner.fit(X)
    return time.process_time() - start


def main(path=None, atoms=100, n=1200):
    try:
        from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning
    except ImportError:
        sys.exit("skipped: scikit-learn is not installed")
    atoms, n = int(atoms), int(n)
    X = tensors_of(path, n)
    train, test = X[: 3 * len(X) // 4], X[3 * len(X) // 4:]
    w = weights(X.shape[1])
    scale = np.sqrt(((train * w) ** 2).sum(1).mean())
    V, T, d = train * w / scale, test * w / scale, tosst.packed_side(X.shape[1])
    print(f"{len(train)} tensors of d = {d}, {atoms} atoms, lambda {LAMBDA}; tested on {len(test)}; {tosst.blas()['name']}, "
          f"kernel {tosst.blas()['kernel']}")
    for scheme in ("psd", "free"):
        learner = tosst.TensorDictionaryLearning(atoms, alpha=LAMBDA, gamma=np.inf, scheme=scheme, max_iter=50, n_jobs=1)
        seconds = timed(learner, train)
        report(f"tosst, scheme {scheme}", seconds, T, learner.components_ * w / scale, d * (d + 3) // 2)
    learner = tosst.TensorDictionaryLearning(atoms, alpha=LAMBDA, gamma=np.inf, shape="vector", max_iter=50, n_jobs=1)
    seconds = timed(learner, V)
    report("tosst, shape vector: any atoms", seconds, T, learner.components_, X.shape[1])
    fewer = max(1, round(atoms * d * (d + 3) // 2 / X.shape[1]))
    whole, batches = {"max_iter": 50, "tol": 1e-4}, {"batch_size": 256, "max_iter": 50}
    for kind, count, options in ((DictionaryLearning, atoms, whole), (DictionaryLearning, fewer, whole),
                                 (MiniBatchDictionaryLearning, atoms, batches)):
        learner = kind(count, alpha=LAMBDA / 2, fit_algorithm="cd", positive_code=True, random_state=1, n_jobs=1, **options)
        seconds = timed(learner, V)
        report(f"scikit-learn, {kind.__name__}, {count} atoms", seconds, T, learner.components_, X.shape[1])
    try:
        import spams
    except ImportError:
        print("SPAMS is not installed")
        return
    start = time.process_time()
    D = spams.trainDL(np.asfortranarray(V.T), K=atoms, lambda1=LAMBDA / 2, iter=1000, posAlpha=True, batchsize=256, verbose=False)
    report("SPAMS, trainDL", time.process_time() - start, T, np.ascontiguousarray(D.T), X.shape[1])


main(*sys.argv[1:])
