#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""window-driver.py STUDIO HOME kill RECIPE SECONDS: kills the window so long after a run was started, starts it again, and
goes on with the run; window-driver.py STUDIO HOME start RECIPE NAME=VALUE...: opens it in that environment and closes it again. Needs
a display and a session bus."""

import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "studio", "journeys"))

from journey import Missing, Studio, until  # noqa: E402

OFFER = re.compile(r"was interrupted with")


def kill(studio, seconds):
    studio.do("win.start")
    time.sleep(seconds)
    studio.kill()
    studio.start(arguments=())
    # Killed before the run was in the store, or after its end, there is nothing to go on with.
    try:
        studio.find(OFFER, "label", seconds=10)
    except Missing:
        print("nothing to go on with")
        return
    studio.press("Resume")
    until(lambda: not studio.busy() and any("2 splits" in word for word in studio.words("Results")), "end of the run")
    print("went on")


def main():
    program, home, what, *rest = sys.argv[1:]
    if what == "start":
        os.environ.update(setting.split("=", 1) for setting in rest[1:])
    studio = Studio(program, rest[:1], home=home)
    try:
        if what == "kill":
            kill(studio, float(rest[1]))
        until(lambda: studio.process.poll() is not None or close(studio), "end")
        print("status", studio.process.wait(600))
    finally:
        if studio.process.poll() is None:
            studio.process.kill()


def close(studio):
    action = studio.window.queryAction()
    for i in range(action.nActions):
        if action.getName(i) == "window.close":
            action.doAction(i)
    return False


main()
