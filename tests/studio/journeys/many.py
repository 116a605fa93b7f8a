#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of a thousand images is opened where a thousand runs are stored: its classes are gone through, the runs are
listed, searched and compared."""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from journey import main, stripes, until, walk, write_pgm, write_recipe

CLASSES, EACH, RUNS = 20, 50, 1000
CHECK = re.compile(r"^Compare Run \d+, ")


def make_images(folder):
    for number in range(CLASSES):
        place = os.path.join(folder, f"class-{number:02}")
        os.makedirs(place)
        for index in range(EACH):
            write_pgm(os.path.join(place, f"{index:03}.pgm"), stripes(number, 1 + index / 100, 64))


def copy_runs(store):
    """The run of the store as often as wanted, with other numbers of atoms; as rows, as learning a thousand takes long."""
    with sqlite3.connect(store) as base:
        for number in range(2, RUNS + 1):
            for table in ("runs", "parameters", "series", "results", "metrics", "timings"):
                key = "id" if table == "runs" else "run"
                columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                values = ", ".join(str(number) if column == key else column for column in columns)
                base.execute(f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {key} = 1")
            base.execute("UPDATE parameters SET text = ?1, number = ?1 WHERE run = ?2 AND name = 'dictionary.atoms'",
                         (number % 50 + 1, number))
    base.close()


def make_home(home, folder):
    place = os.path.join(home, "data", "tosst-studio")
    os.makedirs(place)
    recipe, store = write_recipe(os.path.join(folder, "tiny.tosst")), os.path.join(place, "runs.sqlite")
    subprocess.run([sys.argv[2], "classify", "-q", "--workspace", store, recipe], check=True, stdout=subprocess.DEVNULL)
    copy_runs(store)


def journey(studio):
    studio.see(f"{CLASSES} classes · {CLASSES * EACH} images", "label", "Data")
    studio.click(studio.see(re.compile("^class-00: "), "list item", "Data"))
    for number in range(1, 6):
        studio.key("Down")
        studio.see(f"class-{number:02}/000.pgm", "label", "Data")
    studio.show("Compare")
    checks = until(lambda: [node for node in walk(studio.place("Compare")) if CHECK.match(node.name)], "runs in the list")
    assert f"Run {RUNS}," in checks[0].name, checks[0].name
    studio.write("Search runs", "dictionary.atoms=50", "entry", "Compare")
    until(lambda: sum(bool(CHECK.match(node.name)) for node in walk(studio.place("Compare"))) == RUNS // 50 or None,
          "runs that are found")
    for node in [node for node in walk(studio.place("Compare")) if CHECK.match(node.name)][:3]:
        studio.click(node)
    studio.see("3 runs chosen", "label", "Compare")
    studio.write("Search runs", "", "entry", "Compare")
    until(lambda: sum(bool(CHECK.match(node.name)) for node in walk(studio.place("Compare"))) > 100, "all runs again")


with tempfile.TemporaryDirectory() as images, tempfile.TemporaryDirectory() as rest:
    home = tempfile.mkdtemp(prefix="tosst-journey-")
    make_images(images)
    make_home(home, rest)
    main(journey, images, home=home)
