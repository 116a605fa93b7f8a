#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The teacher's atom: what an atom is, seen by a class. A step of the learning and its atoms; the atoms of a run as the
patches that use them, one of them in words, its patches and what they have in common; the same in the first lesson."""

import os
import re
import tempfile

from journey import main, until, walk, write_recipe

OPENED = re.compile(r"^Atom (\d+) of (\d+)$")
WORDS = re.compile(r"^Its strongest feature is .*: the square of the diagonal with the most intense colour\.")
SHARED = re.compile(WORDS.pattern + r".*(It belongs to the class|Several classes use it)")
PATCH = re.compile(r".*-\d+\.png at \d+, \d+: α = ")
STEPS = "steps of learning, iteration 1 · d = 21"


def number(studio, within):
    return next((int(OPENED.match(word)[1]) for word in studio.words(within) if OPENED.match(word)), None)


def choose(studio, within, across, down):
    """Another atom of the pictures."""
    before = number(studio, within)
    studio.click(studio.find("Atoms", "image", within), across, down)
    return until(lambda: number(studio, within) not in (None, before) and number(studio, within), "another atom")


def patches(studio, within):
    return [node.name for node in walk(studio.place(within) if isinstance(within, str) else within)
            if node.getRoleName() == "push button" and PATCH.match(node.name)]


def step(studio):
    """The atoms of a step are those of the steps, and not of a run."""
    studio.press("Step", "push button", studio.window)
    studio.see(re.compile(r"Step: all B$"), "push button", "Learn")
    studio.show("Atoms")
    studio.see(STEPS, "label", "Atoms")
    studio.see(WORDS, "label", "Atoms")
    studio.show("Learn")
    studio.press("Done", "push button", "Learn")


def run(studio):
    """Each atom is a patch that uses it, and the chosen one has its patches, and words on what they have in common."""
    studio.press("Start", "push button", studio.window)
    studio.find("Run 1", "label", "Results")
    until(lambda: not studio.busy(), "end of the run")
    studio.show("Atoms")
    studio.see(OPENED, "label", "Atoms")
    until(lambda: not studio.has(STEPS, "label", "Atoms"), "atoms of the run")
    first = choose(studio, "Atoms", 0.6, 0.1)
    shown = until(lambda: patches(studio, "Atoms"), "patches of the atom")
    assert len(shown) >= 4, shown
    words = studio.see(SHARED, "label", "Atoms").name
    print(f"atom {first}: {shown[0]} ... {words}")
    studio.check_names("Atoms")


def lesson(studio):
    studio.key("F2")
    frame = studio.frame("Lessons")
    studio.see("The Tensor of a Texture", "list item", frame)
    studio.key("Return", frame=frame)  # the first one
    for title in ("Means ignore co-occurrence", "Products of three features", "Symmetry", "From tensors to atoms"):
        studio.press("Next", within=frame)
        studio.see(title, "label", frame)
    studio.see(OPENED, "label", frame)
    first = until(lambda: patches(studio, frame), "patches of the first atom")
    choose(studio, frame, 0.5, 0.2)
    until(lambda: patches(studio, frame) not in ([], first), "patches of another atom")
    studio.check_names(frame)
    studio.key("ctrl+w", frame=frame)
    until(lambda: all(other is not None and other.name != "Lessons" for other in studio.application), "lessons to close")


def journey(studio):
    step(studio)
    run(studio)
    lesson(studio)


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "tiny.tosst")))
