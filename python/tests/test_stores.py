# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores of runs."""

import sqlite3

import numpy as np
import pytest

import tosst


@pytest.fixture(scope="module")
def store(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    recipe = folder / "r.tosst"
    changes = {"dataset.splits": 2, "dataset.train-per-class": 6, "descriptor.kind": "linear", "descriptor.patch": 40,
               "descriptor.step": 40, "dictionary.atoms": 5, "dictionary.iterations": 3, "dictionary.tolerance": 0}
    tosst.save(recipe, tosst.Recipe(changes))
    program("classify", recipe, "--workspace", folder / "runs.sqlite", "--quiet", "--threads", 2)
    program("runs", folder / "runs.sqlite", "--show", 1, "--tag", "mine", "--csv", folder / "runs.csv", "--quiet")
    return folder / "runs.sqlite"


def test_runs(store):
    runs = tosst.load_runs(store)
    assert len(runs) == 1
    run = runs[0]
    assert run["id"] == 1 and run["state"] == "done" and run["dictionary.atoms"] == 5 and run["tags"] == ["mine"]
    assert run["descriptor.kind"] == "linear" and 0 <= run["accuracy"] <= 100 and run["seconds"] > 0


def test_series(store):
    rows = tosst.load_series(store, 1)
    learning = [row for row in rows if row["iteration"] is not None and row["split"] == rows[0]["split"]]
    assert [row["iteration"] for row in learning] == [1, 2, 3]
    results = [row["accuracy"] for row in rows if "accuracy" in row]
    assert len(results) == 2 and np.isclose(np.mean(results), tosst.load_runs(store)[0]["accuracy"])


def test_frames(store):
    pytest.importorskip("pandas")
    assert tosst.load_runs(store, as_frame=True).loc[0, "dictionary.atoms"] == 5
    assert set(tosst.load_series(store, 1, as_frame=True).columns) >= {"split", "iteration", "objective"}


def test_errors(store, tmp_path):
    with pytest.raises(FileNotFoundError, match="no.sqlite does not exist"):
        tosst.load_runs(tmp_path / "no.sqlite")
    assert not (tmp_path / "no.sqlite").exists()
    (tmp_path / "text.sqlite").write_text("no database " * 100)
    with pytest.raises(ValueError, match="text.sqlite is not a store of runs"):
        tosst.load_runs(tmp_path / "text.sqlite")
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE runs (id)")
    other.commit()
    with pytest.raises(ValueError, match="not|newer"):
        tosst.load_runs(tmp_path / "other.sqlite")
    with pytest.raises(ValueError, match="no run 9"):
        tosst.load_series(store, 9)
    with pytest.raises(ValueError, match="load_runs"):
        tosst.load(store)
