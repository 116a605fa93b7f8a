#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep over three schemes and three numbers of atoms is paused and left in the middle. The next start has it again
and does the rest; its table and its curves are written to files, and three of its runs are laid side by side. Its recipe,
saved and opened by another start, is the same sweep: nothing is left to do."""

import csv
import os
import re
import tempfile
import time
import xml.etree.ElementTree

from journey import main, until, walk, write_recipe

RUNS = re.compile(r"^9 runs(?: · (\d) done)?")
LEFT = re.compile(r"^9 runs · \d done")
CHECK = re.compile(r"^Compare Run (\d+), [\d.]+ ?%$")


def done(studio):
    """How many of the nine are done."""
    found = next((RUNS.match(word) for word in studio.words("Sweep") if RUNS.match(word)), None)
    return int(found.group(1) or 0) if found else 0


def leave_in_the_middle(studio):
    studio.show("Sweep")
    studio.click(studio.find("Which atoms, and how many?", "list item", "Sweep"))
    studio.find(RUNS, "label", "Sweep")
    studio.press("Start Sweep", within="Sweep")
    until(lambda: done(studio) >= 1, "first run", 120)
    studio.press("Pause the sweep", within="Sweep")
    studio.find("Resume the sweep", "push button", "Sweep")
    studio.do("window.close")
    studio.press("Stop and Save")
    studio.ended()


def go_on(studio):
    studio.start(arguments=())
    studio.show("Sweep")
    before = int(RUNS.match(studio.find(LEFT, "label", "Sweep").name).group(1))
    print(f"left after {before} of 9 runs")
    assert 1 <= before < 9, before
    studio.press("Resume", within="Sweep")
    until(lambda: done(studio) >= before, "sweep that goes on")
    until(lambda: done(studio) == 9, "all nine runs")


def export(studio, item, path):
    studio.press("Export and more", within="Sweep")
    studio.press(item)
    studio.save_as(path)


def choose_three(studio):
    """With Ctrl, a click adds a run to the selection, and another click takes it out."""
    runs = until(lambda: [node for node in walk(studio.place("Sweep")) if node.name == "done"][:4], "runs in the table")
    studio.click(runs[0])
    studio.xdotool("keydown", "Control_L")
    for at in (1, 2, 3, 2):
        studio.click(runs[at])
        time.sleep(0.3)  # no double click
    studio.xdotool("keyup", "Control_L")


def compare_three(studio):
    """They are laid side by side, and the list has all nine runs."""
    choose_three(studio)
    studio.press("Compare", "push button", "Sweep")
    studio.find("3 runs chosen", "label", "Compare")
    checks = until(lambda: [node for node in walk(studio.place("Compare")) if CHECK.match(node.name)], "runs in the list")
    assert len(checks) == 9, [node.name for node in checks]


def open_it_again(studio, recipe):
    studio.show("Sweep")
    export(studio, "Save Recipe of the Sweep…", recipe)
    studio.quit()
    studio.start(arguments=(recipe,))
    until(lambda: done(studio) == 9, "sweep of the recipe")
    studio.find("No runs remain", "label", "Sweep")


def journey(studio):
    leave_in_the_middle(studio)
    go_on(studio)
    table, curves = (os.path.join(studio.home, name) for name in ("nine.csv", "nine.svg"))
    export(studio, "Export Table…", table)
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9 and len({(row["dictionary.scheme"], row["dictionary.atoms"]) for row in rows}) == 9, rows
    assert all(0 <= float(row["accuracy"]) <= 100 for row in rows), rows
    export(studio, "Export Chart…", curves)
    assert xml.etree.ElementTree.parse(curves).getroot().tag.endswith("svg")
    compare_three(studio)
    open_it_again(studio, os.path.join(studio.home, "nine.recipe"))


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "tiny.tosst"), dictionary={"iterations": 30, "sample": 1000}))
