#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A dictionary from a file: its atoms are sorted and gone through with keys and mouse, one is opened; the patches that use
it are found by coding the data set with it, and lead to Inspect. A run knows those of its own atoms."""

import os
import re
import tempfile

from journey import learn_dictionary, main, until

PATCH = re.compile(r" at \d+, \d+: α = ")


def journey(studio):
    studio.show("Atoms")
    studio.find("12 atoms", "label", "Atoms")
    assert studio.has(re.compile("A run finds them"), "label", "Atoms")
    atoms = studio.find("Atoms", "image", "Atoms")
    studio.press("Rank", within="Atoms")
    shown = re.compile(r"^Atom \d+ of 12$")

    def goes(key):
        """Which atom is open after a key; the click gives the atoms the focus."""
        studio.click(atoms, 0.3, 0.05)
        studio.key(key)
        return studio.find(shown, "label", "Atoms").name
    until(lambda: goes("Home") != goes("End"), "atoms that keys go through")
    # A file does not say what uses an atom: the patches of the data set are coded with it.
    assert not studio.has(PATCH, "push button", "StudioAtomPanel")
    opened = studio.find(shown, "label", "Atoms").name
    studio.press("Find Patches", within="StudioAtomPanel")
    until(lambda: studio.has(PATCH, "push button", "StudioAtomPanel"), "patches of the file's atoms")
    assert studio.find(shown, "label", "Atoms").name == opened, "another atom is open"
    studio.press("Use", within="Atoms")
    studio.press(PATCH, within="StudioAtomPanel")
    until(lambda: studio.stat("Non-zeros", "Inspect"), "code in Inspect")
    # A run that learned its own knows.
    studio.do("win.start")
    # Beside the list of splits the caption has the dimension only.
    until(lambda: not studio.busy() and studio.has(re.compile(r"learned by|^d = \d+$"), "label", "Atoms"), "atoms of the run")
    studio.show("Atoms")
    until(lambda: studio.has(PATCH, "push button", "StudioAtomPanel"), "patches of the run's atoms")


with tempfile.TemporaryDirectory() as folder:
    main(journey, *learn_dictionary(folder))
