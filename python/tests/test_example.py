# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys

import pytest


def test_draw_atoms(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    folder = os.environ.get("TOSST_EXAMPLES")
    if not folder:
        pytest.skip("TOSST_EXAMPLES does not name the folder of examples")
    done = subprocess.run([sys.executable, os.path.join(folder, "draw-atoms.py"), tmp_path / "atoms.png"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "atoms.png").read_bytes()[:4] == b"\x89PNG" and "accuracy" in done.stdout


# What trainDL() of SPAMS asks for, and what it returns: vectors are columns of a Fortran-ordered array, as are atoms.
SPAMS = """
import numpy as np

def trainDL(X, K, lambda1, iter, posAlpha, batchsize, verbose):
    assert X.flags.f_contiguous and X.dtype == np.float64 and X.shape == (364, 30), X.shape
    assert lambda1 == 0.01 and posAlpha and not verbose and iter > 0 and batchsize > 0
    assert np.isclose((X ** 2).sum(axis=0).mean(), 1)
    return np.asfortranarray(X[:, :K] / np.linalg.norm(X[:, :K], axis=0))
"""


def test_compare_without_images(tmp_path):
    """Without images, or without scikit-learn, it says so."""
    folder = os.environ.get("TOSST_EXAMPLES")
    if not folder:
        pytest.skip("TOSST_EXAMPLES does not name the folder of examples")
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("raise ImportError")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for path, message in ((os.environ.get("PYTHONPATH", ""), "skipped: there is no folder"), (paths, "skipped: scikit-learn")):
        done = subprocess.run([sys.executable, os.path.join(folder, "..", "bench", "python-compare.py")], stderr=subprocess.PIPE,
                              universal_newlines=True, env={**os.environ, "PYTHONPATH": path, "TOSST_SHARED": str(tmp_path)})
        if not path.startswith(str(tmp_path)) and "scikit-learn is not" in done.stderr:
            continue
        assert done.returncode == 1 and message in done.stderr, done.stderr


@pytest.mark.parametrize("module, line", [(SPAMS, "SPAMS, trainDL"), ("raise ImportError", "SPAMS is not installed")],
                         ids=["there", "missing"])
def test_compare(tmp_path, module, line):
    """The comparison with other packages, with a module in place of SPAMS, which Debian does not have."""
    pytest.importorskip("sklearn")
    folder = os.environ.get("TOSST_EXAMPLES")
    if not folder:
        pytest.skip("TOSST_EXAMPLES does not name the folder of examples")
    (tmp_path / "spams.py").write_text(module)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, os.path.join(folder, "..", "bench", "python-compare.py"), "-", "4", "40"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all(word in lines[1] for word in (" s ", "residual at 10 non-zeros", "non-zeros at 20 %"))
    assert len(lines) == 8 and lines[0].startswith("30 tensors of d = 12, 4 atoms") and lines[-1].startswith(line)
    objectives = [float(text.split("objective")[1].split()[0]) for text in lines if "objective" in text]
    assert len(objectives) == (7 if module == SPAMS else 6) and all(0 < value < 2 for value in objectives)
