#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program is killed while it learns. The next start is where the last one was, offers to go on with the run, and
brings it to its end."""

import os
import re
import tempfile

from journey import main, until, write_recipe

SPLITS = 12
OFFER = re.compile(rf"interrupted with \d+ of {SPLITS} splits done")


def journey(studio):
    studio.do("win.start")
    studio.show("Learn")
    # From the second split on the first is in the store; many follow, so that a slow look at the window comes in time.
    until(lambda: any(re.search(r"split ([2-9]|1\d)", word) for word in studio.words("Learn")), "second split")
    studio.kill()
    studio.start(arguments=())
    studio.find(OFFER, "label")
    studio.press("Resume")
    until(lambda: studio.busy() or studio.has(str(SPLITS), "label", "Results"), "run that goes on")
    until(lambda: not studio.busy() and any(f"{SPLITS} splits" in word for word in studio.words("Results")),
          "all splits")


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "long.tosst"), dataset={"splits": SPLITS},
                               dictionary={"iterations": 125, "sample": 2000}))
