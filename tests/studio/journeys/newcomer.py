#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer or student: from the page of the first start to a picture to keep. The sample textures are learned and
watched, the results shown, an atom and a patch looked at; lambda is changed where its effect is seen, taken into the recipe
and learned with; the two runs are compared."""

import os
import re
import xml.etree.ElementTree

from journey import main, until

ACCURACY = re.compile(r"^\d+(\.\d+)? ?%$")
OPENED = re.compile(r"^Atom (\d+) of 16$")
PATCH = re.compile(r" at \d+, \d+: α = ")


def first_page(studio):
    studio.see("Learn a Dictionary of Textures", "label")
    studio.check_names(studio.window)
    studio.press("Use the Sample Textures")
    studio.see("16 classes · 480 images", "label", "Data")
    studio.check_names("Data")


def learn(studio):
    """With few atoms, so that it takes seconds."""
    studio.set("Atoms", 16, "spin button", "StudioRecipePanel")
    studio.set("Iterations", 4, "spin button", "StudioRecipePanel")
    studio.press("Start", "push button", studio.window)
    studio.see("Objective", "label", "Learn")
    until(lambda: (studio.stat("Iteration", "Learn") or 0) >= 1, "first iteration")
    assert studio.stat("Objective", "Learn") > 0
    studio.check_names("Learn")


def show_results(studio):
    studio.press_message("Show Results", lambda: studio.show("Results"))
    studio.see(re.compile(r"^mean accuracy of \d+ splits"), "label", "Results")
    accuracy = studio.see(ACCURACY, "label", "Results").name
    print("accuracy:", accuracy)
    studio.check_names("Results")


def look_at_atoms(studio):
    studio.show("Atoms")
    studio.see("16 atoms", "label", "Atoms")
    studio.click(studio.find("Atoms", "image", "Atoms"), 0.1, 0.05)
    first = studio.see(OPENED, "label", "Atoms").name
    studio.key("Right")
    until(lambda: studio.see(OPENED, "label", "Atoms").name != first, "next atom")
    studio.check_names("Atoms")
    studio.press(PATCH, within="StudioAtomPanel")


def change_lambda(studio):
    """In Inspect, where the code of the patch follows; then in the recipe."""
    studio.see("Recode", "label", "Inspect")
    before = until(lambda: studio.stat("Non-zeros", "Inspect"), "code")
    slider = studio.find("Sparsity", "slider", "Inspect")
    slider.queryValue().currentValue = -1.3
    until(lambda: (studio.stat("Non-zeros", "Inspect") or before) < before, "sparser code")
    studio.check_names("Inspect")
    studio.press("Use in Recipe", "push button", "Inspect")
    until(lambda: float(studio.read(studio.find("Sparsity", "text", "StudioRecipePanel")) or 0) > 0.04, "lambda in the recipe")


def compare(studio):
    studio.press("Start", "push button", studio.window)
    studio.press_message("Compare with Previous", lambda: (studio.show("Results"), studio.press("Compare", within="Results")))
    studio.see("2 runs chosen", "label", "Compare")
    studio.check_names("Compare")
    path = os.path.join(studio.home, "objectives.svg")
    studio.key("ctrl+shift+e")
    studio.save_as(path)
    words = "".join(xml.etree.ElementTree.parse(path).getroot().itertext())
    print("picture:", os.path.getsize(path), "bytes", words[:60])


def journey(studio):
    first_page(studio)
    learn(studio)
    show_results(studio)
    look_at_atoms(studio)
    change_lambda(studio)
    compare(studio)


main(journey)
