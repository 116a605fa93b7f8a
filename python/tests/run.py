# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs pytest for a file of tests, or for the examples in the docstrings of a folder; status 77 where something is missing."""

import importlib.util
import sys

missing = [name for name in ("numpy", "pytest", "_cffi_backend") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} does not have {', '.join(missing)}")
    sys.exit(77)

import pytest

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--doctest-modules", "-W", "error::pytest.PytestUnraisableExceptionWarning",
                      sys.argv[1]]))
