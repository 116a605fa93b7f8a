# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess

import numpy as np
import pytest

import tosst


@pytest.fixture(scope="session")
def program():
    """Runs the terminal program, and returns what it prints."""
    path = os.environ.get("TOSST_PROGRAM")
    if not path:
        pytest.skip("TOSST_PROGRAM does not name the program tosst")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def make_tensors(n=400, d=5, seed=1, dtype=np.float32):
    """Means of third powers of few vectors, packed."""
    x = np.random.default_rng(seed).random((n, 3, d))
    return tosst.pack(np.einsum("nri,nrj,nrk->nijk", x, x, x) / 3).astype(dtype)


@pytest.fixture
def tensors():
    return make_tensors()
