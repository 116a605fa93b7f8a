#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One patch through a dictionary: dragging lambda up makes the code sparser and its error larger, another patch has
another code, and the recipe's values come back."""

import tempfile

from journey import learn_dictionary, main, until


def numbers(studio):
    return studio.stat("Error", "Inspect"), studio.stat("Non-zeros", "Inspect")


def other_numbers(studio, before):
    def changed():
        now = numbers(studio)
        # The two labels change one after the other: a pair counts once it stays.
        return now if None not in now and now != before and now == numbers(studio) else None
    return until(changed, f"other numbers than {before}")


def journey(studio):
    studio.show("Inspect")
    first = other_numbers(studio, None)
    slider = studio.find("Sparsity", "slider", "Inspect")
    slider.queryValue().currentValue = -1
    sparse = other_numbers(studio, first)
    slider.queryValue().currentValue = -5
    exact = other_numbers(studio, sparse)
    assert sparse[0] > exact[0] and sparse[1] < exact[1], (exact, sparse)
    studio.drag(slider, 0.05, 0.9)
    dragged = other_numbers(studio, exact)
    assert dragged[0] > exact[0] and dragged[1] < exact[1], (exact, dragged)
    studio.press("Reset to the values of the recipe", within="Inspect")
    until(lambda: numbers(studio) == first, f"the first numbers, {first}")
    # Another patch, with the mouse and with keys.
    image = studio.find("bricks/bricks-00.png", "image", "Inspect")
    studio.click(image, 0.2, 0.4)
    clicked = other_numbers(studio, first)
    studio.key("Right")
    other_numbers(studio, clicked)
    studio.press("Next image", within="Inspect")
    studio.find("bricks/bricks-01.png", "label", "Inspect")


with tempfile.TemporaryDirectory() as folder:
    main(journey, *learn_dictionary(folder))
