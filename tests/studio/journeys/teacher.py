#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A teacher at a projector: presenter mode and the full screen, a lesson that is drawn anew and plays to its end, the harder
textures, a step of the learning and its undoing, the data, and the slices of an atom that play; the page of the atom is the
hand-out."""

import os
import re
import tempfile

from desktop import FullScreen
from journey import main, pyatspi, size, until, walk, write_recipe

SCREEN = (1600, 1000)
BORDER = 20  # of a window that draws its own decorations without a compositor, at both sides
STEP = re.compile(r"^Step (\d+)$")
DONE = re.compile(r"^Iteration 1: (codes|all B).*: objective ")
OPENED = re.compile(r"^Atom \d+ of 12$")


def present(studio):
    """Larger text, and the space of the recipe for the views."""
    label = studio.see("16 classes · 480 images", "label", "Data")
    before = size(label)
    studio.key("shift+F11")
    until(lambda: size(label)[1] > before[1], "larger text")
    button = studio.find("Show the recipe", "push button", studio.window)
    until(lambda: not button.getState().contains(pyatspi.STATE_PRESSED), "recipe to be hidden")


def full_screen(studio, frame=None):
    frame = frame or studio.window
    before = size(frame)
    studio.key("F11", frame=frame)
    until(lambda: all(whole - shown < BORDER for whole, shown in zip(SCREEN, size(frame))), "full screen")
    studio.key("Escape", frame=frame)
    until(lambda: size(frame) == before, f"window of {before} again")


def step_of(studio, frame):
    found = next((STEP.match(word) for word in studio.words(frame) if STEP.match(word)), None)
    return int(found[1]) if found else 0


def play_lesson(studio):
    studio.key("F2")
    frame = studio.frame("Lessons")
    studio.check_names(frame)
    studio.click(studio.see("A Step of Algorithm 1", "list item", frame))
    until(lambda: step_of(studio, frame) == 1, "first step")
    studio.press("Play to the end", "push button", frame)
    until(lambda: step_of(studio, frame) > 2, "steps that play")
    studio.find("One step forward", "push button", frame, sensitive=False)
    assert step_of(studio, frame) >= 20, step_of(studio, frame)
    before = studio.stat("objective", frame)
    studio.press("Other random first atoms", "push button", frame)
    until(lambda: step_of(studio, frame) == 1 and studio.stat("objective", frame) not in (None, before), "other atoms")
    studio.check_names(frame)
    full_screen(studio, frame)
    studio.key("ctrl+w", frame=frame)
    until(lambda: all(other is not None and other.name != "Lessons" for other in studio.application), "lessons to close")


def harder(studio):
    """They make the same recipe err more, or they would teach nothing."""
    studio.key("F9")
    studio.write("Search parameters", "Hard textures", "entry", "StudioRecipePanel")
    check = studio.see("Hard textures", "check box", "StudioRecipePanel")
    studio.click(check)
    until(lambda: check.getState().contains(pyatspi.STATE_CHECKED), "hard textures")
    studio.write("Search parameters", "", "entry", "StudioRecipePanel")
    studio.see("16 classes · 480 images", "label", "Data")


def steps(studio):
    """The blocks that were done, the last one first."""
    return [DONE.match(node.name)[1] for node in walk(studio.place("Learn"))
            if node.getRoleName() == "list item" and DONE.match(node.name)]


def step_and_back(studio):
    studio.key("F8")
    until(lambda: steps(studio) == ["codes"], "step of the codes")
    studio.find(re.compile("Step: all B$"), "push button", "Learn", sensitive=True)
    studio.key("F8")
    until(lambda: steps(studio) == ["all B", "codes"], "step of B")
    studio.find("Step Back", "push button", "Learn", sensitive=True)
    studio.key("shift+F8")
    until(lambda: steps(studio) == ["codes"], "step back")
    studio.check_names("Learn")
    studio.press("Done", "push button", "Learn")
    until(lambda: not steps(studio), "steps to be left")


def show_data(studio):
    """Class after class, with the keys."""
    studio.show("Data")
    studio.click(studio.see(re.compile("^bricks: "), "list item", "Data"))
    studio.key("Down")
    studio.see(re.compile("^corduroy.*hard-00.png$"), "label", "Data")
    studio.check_names("Data")


def play_slices(studio):
    studio.press("Start", "push button", studio.window)
    studio.press_message("Show Results", lambda: studio.show("Results"))
    studio.show("Atoms")
    studio.click(studio.find("Atoms", "image", "Atoms"), 0.1, 0.05)
    studio.see(OPENED, "label", "Atoms")
    strip = studio.find("Slices of the atom", "image", "Atoms")
    before = strip.description
    studio.press("Play the slices", within="Atoms")
    first = until(lambda: strip.description not in ("", before) and strip.description, "first slice")
    until(lambda: strip.description != first, "next slice")
    studio.press("Play the slices", within="Atoms")
    path = os.path.join(studio.home, "atom.pdf")
    studio.key("ctrl+shift+e")
    studio.save_as(path)
    with open(path, "rb") as file:
        assert file.read(5) == b"%PDF-"


def journey(studio):
    FullScreen(*SCREEN)
    present(studio)
    full_screen(studio)
    play_lesson(studio)
    harder(studio)
    step_and_back(studio)
    show_data(studio)
    play_slices(studio)


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "tiny.tosst")))
