# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores of runs: SQLite databases that the programs write."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Dict, List

from ._io import PathLike, check_regular

_COLUMNS = ("id", "state", "title", "note", "hash", "started", "finished", "version", "cpu", "blas", "threads", "data",
            "dataset", "splits", "reason", "sweep")


def _open(path: PathLike) -> sqlite3.Connection:
    """Open a store for reading only, also while a program writes to it."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"{name} does not exist")
    if not os.path.isdir(name):  # sqlite3 says so
        check_regular(name, os.stat(name))
    store = None
    try:
        store = sqlite3.connect(Path(name).absolute().as_uri() + "?mode=ro", uri=True)
        version = store.execute("PRAGMA user_version").fetchone()[0]
        store.execute("SELECT 1 FROM runs LIMIT 1")
    except sqlite3.DatabaseError as error:
        if store is not None:
            store.close()
        raise ValueError(f"{name} is not a store of runs: {error}") from None
    if not 1 <= version <= 3:
        store.close()
        raise ValueError(f"{name} was written by a newer version of the programs (schema {version})")
    return store


def _frame(rows: List[Dict[str, Any]], as_frame: bool) -> Any:
    if not as_frame:
        return rows
    import pandas

    return pandas.DataFrame(rows)


def load_runs(path: PathLike, *, as_frame: bool = False) -> Any:
    """Read the runs of a store.

    Parameters
    ----------
    path : path of an SQLite database
    as_frame : bool
        Return a DataFrame of pandas, which must be installed.

    Returns
    -------
    list of dict or DataFrame
        A row for each run, by `id`: `state`, `title`, ..., the parameters by `group.key` as numbers where they are numbers,
        means of metrics by their name (`accuracy`), others with their kind (`accuracy.std`), `seconds` and
        `seconds.STAGE`, and `tags`.

    Examples
    --------
    The best runs of a store, with their numbers of atoms::

        runs = tosst.load_runs("runs.sqlite", as_frame=True)
        runs.sort_values("accuracy", ascending=False)[["id", "dictionary.atoms", "accuracy"]].head()
    """
    with closing(_open(path)) as store:
        rows = {
            row[0]: dict(zip(_COLUMNS, row))
            for row in store.execute(f"SELECT {', '.join(_COLUMNS)} FROM runs ORDER BY id")
        }
        for run, name, text, number in store.execute("SELECT run, name, text, number FROM parameters"):
            rows[run][name] = text if number is None else number
        for run, name, kind, value in store.execute("SELECT run, name, kind, value FROM metrics"):
            rows[run][name if kind == "mean" else f"{name}.{kind}"] = value
        for run, stage, seconds in store.execute("SELECT run, stage, seconds FROM timings"):
            rows[run]["seconds" if stage == "total" else f"seconds.{stage}"] = seconds
        for row in rows.values():
            row["tags"] = []
        for run, tag in store.execute("SELECT run, tag FROM tags ORDER BY tag"):
            rows[run]["tags"].append(tag)
    return _frame(list(rows.values()), as_frame)


def load_series(path: PathLike, run: int, *, as_frame: bool = False) -> Any:
    """Read what a run recorded after each iteration of learning, and the results of its splits.

    Parameters
    ----------
    path : path of an SQLite database
    run : int
        `id` of the run.
    as_frame : bool
        Return a DataFrame of pandas, which must be installed.

    Returns
    -------
    list of dict or DataFrame
        Rows with `split`, `iteration` (None: the result of the split), and the values by name.

    Examples
    --------
    The objective of each split by iteration::

        series = tosst.load_series("runs.sqlite", 1, as_frame=True).dropna(subset="iteration")
        series.pivot(index="iteration", columns="split", values="objective").plot()
    """
    rows: Dict[Any, Dict[str, Any]] = {}
    with closing(_open(path)) as store:
        if store.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
            raise ValueError(f"{os.fspath(path)} has no run {run}")
        values = list(store.execute("SELECT split, iteration, name, value FROM series WHERE run = ? ORDER BY 1, 2", (run,)))
        values += store.execute("SELECT split, NULL, name, value FROM results WHERE run = ? ORDER BY 1", (run,))
    for split, iteration, name, value in values:
        rows.setdefault((split, iteration), {"split": split, "iteration": iteration})[name] = value
    return _frame(list(rows.values()), as_frame)
