#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""New images are predicted by the model of a run: a folder is chosen, each of its images has a class and a probability, and one
made of two classes has a map whose opacity and windows are changed. Map and predictions are exported. One image is
corrected, and trains the next run."""

import csv
import os
import re
import tempfile
import xml.etree.ElementTree

from journey import main, make_textures, pyatspi, stripes, until, walk, write_pgm, write_recipe

SIDE = 64
PROBABILITIES = re.compile(r"^probability (> )?\d+ % · then class-\d (< )?\d+ %$")
SHARE = re.compile(r"(class-\d) ([\d.]+)")
ROW = re.compile(r"^(new-\w+\.pgm): (.+)$")


def make_images(folder):
    """Of stripes that the data set has not: one of each class, one with two classes, and a file that is no image."""
    os.makedirs(folder)
    for number in range(3):
        write_pgm(os.path.join(folder, f"new-{number}.pgm"), stripes(number, 0.5, SIDE))
    both = [left + right for left, right in zip(stripes(0, 0.5, SIDE), stripes(2, 0.5, SIDE))]
    write_pgm(os.path.join(folder, "new-both.pgm"), both)
    with open(os.path.join(folder, "new-none.pgm"), "w", encoding="utf-8") as file:
        file.write("no image at all\n")


def said(studio):
    """What is said of each image in the list."""
    return dict(ROW.match(node.name).groups() for node in walk(studio.find("Images to predict", within="Predict"))
                if node.getRoleName() == "list item" and ROW.match(node.name))


def run(studio, number):
    studio.do("win.start")
    studio.find(f"Run {number}", "label", "Results")
    until(lambda: not studio.busy(), f"end of run {number}")
    studio.show("Predict")


def predict_folder(studio, folder):
    studio.see("Predict New Images", "label", "Predict")
    studio.click(studio.see("Choose Folder…", "push button", "Predict"))
    studio.choose(folder)
    done = until(lambda: len(said(studio)) == 5 and not any("…" in text for text in said(studio).values()) and said(studio),
                 "all images")
    print(done)
    assert all(re.match(r"class-\d −?\d", text) for name, text in done.items() if name != "new-none.pgm"), done
    assert done["new-none.pgm"] == "is a text file, not an image", done
    studio.see(PROBABILITIES, "label", "Predict")
    assert studio.focus(), "nothing has the focus after the images came"
    studio.check_names("Predict")


def shares(studio, other_than=None):
    """Of each class in the map, in percent."""
    def words():
        text = studio.find("Map of classes", "image", "Predict").description
        return text if text and text != other_than else None
    text = until(words, "map of classes")
    return text, {name: float(value) for name, value in SHARE.findall(text)}


def look_at_map(studio):
    """Of the image with two classes: in windows as small as its halves the right one is of its class."""
    studio.click(studio.find("_Map of classes", "check box", "Predict"), 0.1)
    before = shares(studio)[0]
    studio.click(studio.find("new-both.pgm", "label", "Predict"))
    wide = shares(studio, before)[0]
    studio.set("Window of the map in pixels Window", 16, "spin button", "Predict")
    narrow = shares(studio, wide)[1]
    print("shares in windows of 16 pixels:", narrow)
    assert narrow.get("class-2", 0) > 35 and abs(sum(narrow.values()) - 100) < 1, narrow
    studio.set("Opacity of the map Opacity", 0.9, "slider", "Predict")
    fade = studio.find(re.compile("Show _uncertainty"), "check box", "Predict")
    studio.click(fade, 0.1)
    until(lambda: fade.getState().contains(pyatspi.STATE_CHECKED), "uncertainty")


def export(studio, item, path):
    studio.press("Model and export", "push button", "Predict")
    studio.press(item)
    studio.save_as(path)


def export_both(studio):
    picture, table = (os.path.join(studio.home, name) for name in ("map.svg", "predictions.csv"))
    export(studio, "Export the Map (PNG, SVG, PDF)…", picture)
    assert xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg")
    export(studio, "Export Predictions as CSV…", table)
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    print(rows)
    assert len(rows) == 1 + 4, rows  # the broken one has no prediction


def correct(studio):
    """To a class that it is not predicted as; then it is an image more of that class in the data set, and of its training
    alone."""
    wrong = said(studio)["new-both.pgm"].split()[0]
    right = "class-0" if wrong != "class-0" else "class-2"
    box = studio.find("True class", "combo box", "Predict")
    studio.click(box)
    studio.click(studio.see(right, "label", box))
    studio.press("Add to Training", "push button", "Predict")
    studio.see(re.compile(rf"^new-both\.pgm trains {right} from the next run on"), "label", "Predict")
    studio.find(re.compile(rf"^new-both\.pgm: {right}, not {wrong}$"), "list item", "Predict")
    studio.find("3 classes · 37 images", "label", "Data")
    return right


def tests(studio):
    """How many tests each class has, from the table of classes."""
    words = studio.words("Results")
    words = words[words.index("Most confused with"):]
    return {name: words[words.index(name) + 2] for name in ("class-0", "class-1", "class-2")}


def journey(studio):
    studio.show("Predict")
    studio.see("No Model Yet", "label", "Predict")
    studio.check_names("Predict")
    run(studio, 1)
    before = tests(studio)
    predict_folder(studio, os.path.join(os.path.dirname(studio.arguments[0]), "new"))
    look_at_map(studio)
    export_both(studio)
    right = correct(studio)
    run(studio, 2)
    assert tests(studio) == before, (tests(studio), before)
    again = until(lambda: not any("…" in text for text in said(studio).values()) and said(studio), "images of the next model")
    print("corrected to", right, "then:", again)


with tempfile.TemporaryDirectory() as place:
    make_textures(os.path.join(place, "images"), classes=3, each=12, side=SIDE)
    make_images(os.path.join(place, "new"))
    main(journey, write_recipe(os.path.join(place, "tiny.tosst"),
                               dataset={"kind": "folders", "path": os.path.join(place, "images"), "block": 0},
                               descriptor={"patch": 16, "step": 8}))
