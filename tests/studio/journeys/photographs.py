#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Own photographs: a folder is opened as it is, a smaller effort chosen, and the run watched from its atoms to the sentence on
its results; the report is written to be mailed. A new image is predicted, corrected, and the model trained again with it; the
model is saved, and the whole as a project, which is opened again."""

import os
import re
import tempfile
import zipfile

from journey import main, make_textures, stripes, until, walk, write_pgm

SIDE = 96
EFFORT = re.compile(r"^Effort: ")
SENTENCE = re.compile(r"^\d+ of 10+ new images are classified correctly \(chance: 33\)\. Between [\d.]+ and [\d.]+ % in 3 splits\.$")


def choose_effort(studio):
    studio.see("3 classes · 18 images", "label", "Data")
    studio.find("Method: Tensor dictionary", "push button", "StudioRecipePanel")
    studio.press(EFFORT, "push button", "StudioRecipePanel")
    studio.click(studio.see("Quick", "list item", "StudioRecipePanel"))
    studio.find("Effort: Quick", "push button", "StudioRecipePanel")


def sentence(studio):
    studio.show("Results")
    return studio.see(SENTENCE, "label", "Results").name


def run(studio):
    studio.press("Start", "push button", studio.window)
    studio.see("Objective", "label", "Learn")
    until(lambda: (studio.stat("Iteration", "Learn") or 0) >= 1, "first iteration")
    until(lambda: not studio.busy(), "end of the run")
    return sentence(studio)


def write_report(studio, said):
    """The same sentence, and no parameter without influence."""
    path = os.path.join(studio.home, "report.html")
    studio.do("win.export-report-as")
    studio.save_as(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert said in text, text[:2000]
    assert "Atoms (K)" in text and "Gaussians" not in text and "Patch size" not in text


def predict(studio, folder):
    studio.show("Predict")
    studio.click(studio.see("Choose Folder…", "push button", "Predict"))
    studio.choose(folder)
    return studio.see(re.compile(r"^new\.pgm: class-\d (> )?\d+ %$"), "list item", "Predict").name.split()[1]


def retrain(studio, wrong):
    """With the right class of the image, which then trains."""
    right = "class-0" if wrong != "class-0" else "class-1"
    box = studio.find("True class", "combo box", "Predict")
    studio.click(box)
    studio.click(studio.see(right, "label", box))
    studio.press("Add to Training", "push button", "Predict")
    studio.find("3 classes · 19 images", "label", "Data")
    studio.show("Predict")
    studio.press("Retrain", "push button", "Predict")
    studio.see("Model of the run, with corrections", "label", "Predict")
    # A margin: a probability of what was trained says nothing.
    print(studio.see(re.compile(rf"^new\.pgm: {right} \d\.\d\d$"), "list item", "Predict").name)


def save_model(studio):
    path = os.path.join(studio.home, "model.npz")
    studio.show("Predict")
    studio.press("Model and export", "push button", "Predict")
    studio.press("Save Model…", "menu item")
    studio.save_as(path)
    with zipfile.ZipFile(path) as archive:
        assert "slope.npy" in archive.namelist(), archive.namelist()


def run_again(studio):
    """The corrected image trains in all splits."""
    studio.press("Start", "push button", studio.window)
    studio.find("Run 2", "label", "Results")
    until(lambda: not studio.busy(), "end of the second run")
    print("with the correction:", sentence(studio))


def mail_project(studio):
    """One file has all of it: recipe, runs, model and images."""
    path = os.path.join(studio.home, "work.tosst-project")
    studio.do("win.export-project-images-as")
    studio.save_as(path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert {"recipe.tosst", "runs.sqlite", "model.npz", "images/class-0/00.pgm"} <= set(names), names
    studio.do("win.open-project")
    studio.choose(path)
    studio.show("Predict")
    studio.see("model.npz", "label", "Predict")
    studio.show("Data")
    studio.see(re.compile("^3 classes · 19 images"), "label", "Data")
    studio.show("Compare")
    studio.see("Run 2", "label", "Compare")


def journey(studio):
    choose_effort(studio)
    said = run(studio)
    print(said)
    write_report(studio, said)
    wrong = predict(studio, os.path.join(os.path.dirname(studio.arguments[0]), "new"))
    retrain(studio, wrong)
    save_model(studio)
    run_again(studio)
    mail_project(studio)


with tempfile.TemporaryDirectory() as place:
    make_textures(os.path.join(place, "images"), classes=3, each=6, side=SIDE)
    os.makedirs(os.path.join(place, "new"))
    write_pgm(os.path.join(place, "new", "new.pgm"), stripes(1, 0.5, SIDE))
    main(journey, os.path.join(place, "images"))
