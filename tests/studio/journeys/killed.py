#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program is killed while it learns. The next start is where the last one was, offers to go on with the run, and
brings it to its end."""

import os
import re
import tempfile

from journey import main, until, write_recipe

OFFER = re.compile(r"interrupted with \d of 3 splits done")


def journey(studio):
    studio.do("win.start")
    studio.show("Learn")
    # Into the second split, which takes longer than a look at the window: the first is in the store.
    until(lambda: any("split 2" in word for word in studio.words("Learn")), "second split", 240)
    studio.kill()
    studio.start(arguments=())
    studio.find(OFFER, "label", seconds=120)
    studio.press("Resume")
    until(lambda: studio.busy() or studio.has("3", "label", "Results"), "run that goes on", 120)
    until(lambda: not studio.busy() and any("3 splits" in word for word in studio.words("Results")),
          "all three splits", 300)


with tempfile.TemporaryDirectory() as folder:
    main(journey, write_recipe(os.path.join(folder, "long.tosst"), dataset={"splits": 3},
                               dictionary={"iterations": 500, "sample": 2000}))
