#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run is stopped in the middle, the number of atoms changed, and another one started and finished."""

import json
import os
import re
import tempfile

from journey import main, until, write_recipe


def journey(studio):
    studio.do("win.start")
    studio.show("Learn")
    until(lambda: (studio.stat("Iteration", "Learn") or 0) >= 2, "second iteration", 120)
    studio.do("win.stop")
    until(lambda: not studio.busy(), "end of the run", 120)
    studio.set("Atoms", 16, "spin button", "StudioRecipePanel")
    studio.set("Iterations", 3, "spin button", "StudioRecipePanel")
    studio.do("win.start")
    until(lambda: not studio.busy() and studio.has(re.compile(r"^\d+(\.\d+)? ?%"), "label", "Results"), "accuracy")
    studio.show("Atoms")
    studio.find("16 atoms", "label", "Atoms")
    studio.quit()
    with open(studio.measures, encoding="utf-8") as file:
        measures = json.load(file)
    assert measures["stop_acknowledged_ms"] is not None and measures["stop_effective_ms"] is not None, measures


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "long.tosst"), dictionary={"iterations": 2000, "sample": 4000}))
