#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user starts the program for the first time, lets it learn the sample textures, reads the accuracy and keeps the
dictionary."""

import os
import re
import zipfile

from journey import main, until


def journey(studio):
    studio.press("Use the Sample Textures")
    studio.find("16 classes · 480 images", "label", "Data")
    studio.do("win.start")
    studio.show("Learn")
    until(lambda: studio.stat("Iteration", "Learn"), "iteration in Learn")
    studio.show("Results")
    accuracy = studio.find(re.compile(r"^\d+(\.\d+)? ?%"), "label", "Results").name
    print("accuracy:", accuracy)
    studio.do("win.export-dictionary-as")
    path = os.path.join(studio.home, "learned.npz")
    studio.save_as(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and "B.npy" in archive.namelist(), archive.namelist()
    until(lambda: not studio.busy(), "end of the run", 240)


main(journey)
