# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that repeat a run, as `tosst runs --script` prints them."""

import ast
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tosst

NAME = "it's a \"name\"\nof $HOME `two` \\\\ lines"


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """Stripes, in a folder whose name needs quoting in both languages."""
    folder = tmp_path_factory.mktemp("the 'images'") / 'of "two" $HOME \\ kinds'
    for number in range(3):
        (folder / f"class-{number}").mkdir(parents=True)
        for index in range(8):
            y, x = np.mgrid[:48, :48]
            noise = np.random.default_rng(10 * number + index).normal(0, 110, x.shape)
            pixels = np.clip(128 + 40 * np.sin((x * (1 + number) + y * index) / 5) + noise, 0, 255).astype(np.uint8)
            (folder / f"class-{number}" / f"{index}.pgm").write_bytes(b"P5 48 48 255\n" + pixels.tobytes())
    return folder


def run_and_repeat(program, folder, images, method, kind):
    """Returns the run, its script, and the report of the script."""
    store, results = folder / "runs.sqlite", folder / "the results"
    settings = {"dataset.kind": "folders", "dataset.path": images, "dataset.splits": 2, "dataset.seed": 3,
                "descriptor.patch": 24, "descriptor.step": 12, "descriptor.pivots": 2, "descriptor.range-first": "1e-1",
                "dictionary.atoms": 6, "dictionary.iterations": 3, "dictionary.tolerance": 0, "coding.method": method}
    program("classify", *[word for key, value in settings.items() for word in ("--set", f"{key}={value}")], "--workspace",
            store, "--quiet", "--threads", 1)
    program("runs", store, "--show", 1, "--title", NAME, "--quiet")
    script = program("runs", store, "--show", 1, "--script", kind)
    path = folder / "script"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(["sh" if kind == "shell" else sys.executable, path, results], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=dict(os.environ, TOSST=os.environ["TOSST_PROGRAM"]), text=True)
    assert done.returncode == 0, done.stderr
    run = tosst.load_runs(store)[0]
    assert f"{run['accuracy']:.2f}" in done.stdout
    return run, script, json.loads((results / "report.json").read_text(encoding="utf-8")), results


@pytest.mark.parametrize("kind", ["shell", "python"])
def test_repeats(program, tmp_path, images, kind):
    run, script, report, results = run_and_repeat(program, tmp_path, images, "sparse", kind)
    assert 34 < run["accuracy"] < 100 and report["accuracy_mean"] == run["accuracy"]
    objectives = [row["objective"] for row in tosst.load_series(tmp_path / "runs.sqlite", 1) if row["iteration"] is None]
    assert [split["objective"] for split in report["splits"]] == objectives
    assert len(tosst.load(results / "dictionary.npz")) == 6
    assert (results / "confusion.csv").stat().st_size > 0
    if kind == "python":
        ast.parse(script)


@pytest.mark.parametrize("kind", ["shell", "python"])
def test_without_dictionary(program, tmp_path, images, kind):
    run, script, report, results = run_and_repeat(program, tmp_path, images, "raw", kind)
    assert report["accuracy_mean"] == run["accuracy"] and "dictionary.npz" not in script


def test_refused(program, tmp_path, images):
    run_and_repeat(program, tmp_path, images, "raw", "shell")
    with pytest.raises(AssertionError, match="shell or python"):
        program("runs", tmp_path / "runs.sqlite", "--show", 1, "--script", "perl")
    with pytest.raises(AssertionError, match="need a run"):
        program("runs", tmp_path / "runs.sqlite", "--script", "shell")
