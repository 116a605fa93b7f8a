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
