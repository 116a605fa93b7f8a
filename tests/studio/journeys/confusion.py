#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two classes are confused: keys choose a cell of the matrix, its images are shown with the atoms they share, an atom is
opened in Atoms and a block in Inspect."""

import os
import re
import tempfile

from journey import main, size, until, write_recipe

CELL = re.compile(r"^(.+) predicted as (.+): (\d+)$")
BLOCK = re.compile(r": in \d+ of \d+ splits")
OPENED = re.compile(r"^Atom (\d+) of 12$")


def described(node):
    return node.description or ""


def choose_confusion(studio):
    """The first cell off the diagonal that counts something, with the arrow keys; the words of it."""
    matrix = studio.find("Confusion matrix", "image", "Results")
    studio.click(matrix, 0.99, 0.99)  # beside all cells: it has the focus now
    studio.key("Home")
    for number in range(1, 16):
        before = described(matrix)
        studio.key("Right")
        words = until(lambda: described(matrix) != before and CELL.match(described(matrix)), "cell that keys chose")
        if int(words[3]) > 0:
            break
    assert number < 15 and words[1] != words[2] and int(words[3]) > 0, words
    studio.key("Return")
    return words


def journey(studio):
    studio.show("Results")
    studio.find(re.compile(r"^mean accuracy of 2 splits"), "label", "Results")
    matrix = studio.find("Confusion matrix", "image", "Results")
    before = until(lambda: size(matrix)[1], "height of the matrix")
    words = choose_confusion(studio)
    studio.find(re.compile(re.escape(words[0].rsplit(":", 1)[0])), "label", "Results")
    assert size(matrix)[1] == before, (size(matrix), before)  # what comes below it takes nothing of it
    block = studio.find(BLOCK, within="Results")
    assert block.name.startswith(words[1] + "/"), (block.name, words[0])
    # What they share: the atom that keys choose is the one that opens.
    atoms = studio.find("Shared atoms", "image", "Results")
    studio.click(block)
    for _ in range(20):  # past the nearest images; what has the focus is scrolled to
        if studio.focus() == atoms:
            break
        studio.key("Tab")
    assert studio.focus() == atoms, studio.focus()
    studio.key("Right")
    until(lambda: described(atoms), "the atom that keys chose")
    studio.key("Return")
    studio.see(OPENED, "label", "Atoms")
    studio.find(OPENED, "label", "Atoms")
    first = OPENED.match(studio.find(OPENED, "label", "Atoms").name)[1]
    assert described(atoms).startswith(f"Atom {first} of 12: "), (described(atoms), first)
    studio.show("Results")
    studio.key("Right", "Return")
    until(lambda: OPENED.match(studio.find(OPENED, "label", "Atoms").name)[1] != first, "another atom in Atoms")
    # A block leads to Inspect.
    studio.show("Results")
    studio.click(block)
    studio.key("Return")
    studio.find(block.name.split(": in ")[0], "label", "Inspect")
    until(lambda: studio.stat("Non-zeros", "Inspect") is not None, "code in Inspect")


with tempfile.TemporaryDirectory() as folder:
    # So little is learned that some are confused.
    main(journey, write_recipe(os.path.join(folder, "poor.tosst"), dictionary={"lambda": 0.02}), "--start")
