#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One block of the learning at a time: a step with the button of the header bar, another with its key, one back, and the
same one again, which leads to the same objective."""

import os
import re
import tempfile

from journey import main, until, walk, write_recipe

STEP = re.compile(r"^(Iteration \d+: .+): objective (.+); ")


def steps(studio):
    """What is said of each step that was done, the last one first."""
    return [node.name for node in walk(studio.place("Learn"))
            if node.getRoleName() == "list item" and STEP.match(node.name)]


def after(studio, count, last):
    """So many steps are done, the last one of that block: what is said of them, and the objective that they led to."""
    def done():
        said = steps(studio)
        return (said, studio.stat("Objective", "Learn")) if len(said) == count else None
    said, objective = until(done, f"{count} steps")
    print(f"objective {objective} after", [STEP.match(name).group(1) for name in reversed(said)])
    assert STEP.match(said[0]).group(1).startswith(f"Iteration 1: {last}"), said
    button = studio.find(re.compile("Step: "), "push button", "Learn")
    until(lambda: button.description == said[0], "step in the words of the button")
    return said, objective


def press_key(studio, key, button):
    """As soon as the panel's button for the same can be pressed: a step is work of another thread."""
    studio.find(button, "push button", "Learn", sensitive=True)
    studio.key(key)


def journey(studio):
    studio.press("Step", "push button", studio.window)
    first = after(studio, 1, "codes")
    press_key(studio, "F8", re.compile("Step: all B$"))
    second = after(studio, 2, "all B")
    assert second[0][1:] == first[0] and second[1] < first[1], (first, second)
    press_key(studio, "shift+F8", "Step Back")
    back = after(studio, 1, "codes")
    assert back == first, (back, first)
    press_key(studio, "F8", re.compile("Step: all B$"))
    again = after(studio, 2, "all B")
    assert again == second, (again, second)
    studio.press("Done", "push button", "Learn")
    until(lambda: not steps(studio), "steps to be left")


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "tiny.tosst")))
