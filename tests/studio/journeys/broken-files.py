#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of images in which some files are broken: they are named with a reason, and the run uses the others. (A file
manager cannot be played here: the folder comes as an argument, which goes the way that a dropped one goes.)"""

import os
import re
import tempfile

from journey import main, make_textures, until


def break_files(folder):
    """Into the first class: an image cut in its middle, an empty one, a text, and one too small for a patch."""
    first = os.path.join(folder, "class-0")
    with open(os.path.join(first, "00.pgm"), "rb") as file:
        whole = file.read()
    with open(os.path.join(first, "cut.pgm"), "wb") as file:
        file.write(whole[:len(whole) // 2])
    with open(os.path.join(first, "empty.pgm"), "wb"):
        pass
    with open(os.path.join(first, "words.pgm"), "w", encoding="utf-8") as file:
        file.write("no image at all\n")


def journey(studio):
    studio.find("3 files skipped", None, "Data")
    studio.press(re.compile("3 files skipped"), within="Data")
    for name in ("cut.pgm", "empty.pgm", "words.pgm"):
        studio.find(re.compile(rf"{name}: \w+"), "label", "Data")
    studio.find("3 classes · 24 images", "label", "Data")
    studio.set("Atoms", 12, "spin button", "StudioRecipePanel")
    studio.set("Iterations", 4, "spin button", "StudioRecipePanel")
    studio.do("win.start")
    studio.find(re.compile(r"^\d+(\.\d+)? ?%"), "label", "Results")
    studio.show("Results")
    until(lambda: not studio.busy(), "end of the run")


with tempfile.TemporaryDirectory() as images:
    make_textures(images, classes=3, each=8, side=64)
    break_files(images)
    main(journey, images)
