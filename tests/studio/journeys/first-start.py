#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user starts the program for the first time, lets it learn the sample textures, reads the accuracy and keeps the
dictionary. A start of another build meanwhile presents the window that is open, and says so."""

import os
import re
import subprocess
import zipfile

from journey import main, until


def start_another(studio):
    other = os.path.join(os.path.dirname(studio.program), f"another-build-{os.getpid()}")
    os.link(studio.program, other)
    try:
        for program, said in (studio.program, False), (other, True):
            done = subprocess.run([program], capture_output=True, text=True, check=True)
            assert (f"process {studio.process.pid}" in done.stderr) == said, done.stderr
    finally:
        os.remove(other)


def journey(studio):
    studio.press("Use the Sample Textures")
    studio.find("16 classes · 480 images", "label", "Data")
    studio.do("win.start")
    start_another(studio)
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
    until(lambda: not studio.busy(), "end of the run")


main(journey)
