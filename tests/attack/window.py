# SPDX-License-Identifier: GPL-3.0-or-later
"""The window: killed in the middle of a run and gone on with, and opened where hardly anything is as it should be."""

import glob
import os
import shutil
import sys

from cases import seeded
from commands import WINDOW
from world import Failed, Skipped, runs, same

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "window-driver.py")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
DISPLAY = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GDK_DEBUG": "gl-disable", "GSETTINGS_BACKEND": "memory",
           "GIO_USE_VFS": "local", "PYTHONDONTWRITEBYTECODE": "1", "TOSST_JOURNEY_PATIENCE": "60"}


def drive(world, folder, *arguments):
    """Runs the driver on a display and a session bus of their own."""
    if not os.path.exists(world.studio):
        raise Skipped("tosst-studio is not built")
    for tool in ("xvfb-run", "dbus-run-session", "xdotool"):
        if not shutil.which(tool):
            raise Skipped(f"{tool} is not installed")
    home = os.path.join(folder, "home")
    os.makedirs(home, exist_ok=True)
    ended = world.run(folder, ["-a", "-s", "-screen 0 1600x1000x24 -nolisten tcp -noreset", "dbus-run-session", "--", PYTHON, DRIVER,
                               world.studio, home, *arguments], seconds=300, program=shutil.which("xvfb-run"), environment=DISPLAY)
    if ended.status == 77:
        raise Skipped(ended.output.strip())
    world.went_on += "went on" in ended.output
    if ended.status or "status 0" not in ended.output:
        raise Failed(f"{ended.output[-300:]} {ended}")
    return home


def killed(world, index):
    command = WINDOW
    expected, _ = world.undisturbed(command)
    folder = world.folder(command.inputs)
    moment = seeded(world, "window", index).random() * 3
    home = drive(world, folder, "kill", "w.recipe", f"{moment:.3f}")
    for store in glob.glob(os.path.join(home, "**", "*.sqlite"), recursive=True):
        world.whole_store(os.path.dirname(store), os.path.basename(store))
        found = runs(store)
        if found:
            same(found, {key: value for key, value in expected["W.sqlite"].items() if key in found})
    rest = [path for path in glob.glob(os.path.join(home, "**", ".*.tmp"), recursive=True) + glob.glob(
        os.path.join(home, "**", "*.checkpoint"), recursive=True)]
    if rest:
        raise Failed(f"left after going on: {', '.join(map(os.path.basename, rest))}")
    shutil.rmtree(folder)


STARTS = {
    "plain": {},
    "no-tmpdir": {"TMPDIR": "/nowhere", "TMP": "/nowhere"},
    "strange-locale": {"LANG": "\x01\x02", "LC_ALL": "xx_YY.nothing@where"},
    "no-data-folders": {"XDG_DATA_DIRS": "/nowhere:::"},
    "no-home": {"HOME": "/dev/null", "XDG_RUNTIME_DIR": "/nowhere"},
}


def started(world, name):
    folder = world.folder(("images", "r.recipe"))
    drive(world, folder, "start", "r.recipe", *(f"{key}={value}" for key, value in STARTS[name].items()))
    shutil.rmtree(folder)


def cases(world):
    if world.quick:
        return
    for index in range(10):
        yield f"kill/{index}", lambda index=index: killed(world, index)
    for name in STARTS:
        yield f"start/{name}", lambda name=name: started(world, name)
