#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A researcher: a folder of class folders is opened and a preset chosen, parameters are found and changed, a run is made,
named, tagged and noted; a sweep is planned, its time estimated, and run; the runs are compared, and everything exported that
another program or a paper takes: report, scripts, dictionary, command and recipe."""

import os
import re
import tempfile
import zipfile

from journey import main, make_textures, size, until, walk

METHOD, EFFORT = re.compile(r"^Method: "), re.compile(r"^Effort: ")
RUNS = re.compile(r"^4 runs(?: · (\d) done)?")


def open_folder(studio, folder):
    studio.press("Open", "push button", studio.window)
    studio.press("Open Data Set…", "menu item")
    studio.choose(folder)
    studio.see("3 classes · 18 images", "label", "Data")
    studio.check_names("Data")


def chosen(studio, choice):
    return studio.find(choice, "push button", "StudioRecipePanel").name


def choose_method(studio):
    """Method and effort are chosen with the folder; each effort says how long it takes."""
    assert chosen(studio, METHOD) == "Method: Tensor dictionary", chosen(studio, METHOD)
    studio.press(EFFORT, "push button", "StudioRecipePanel")
    quick = studio.see("Quick", "list item", "StudioRecipePanel")
    until(lambda: any(re.match("about ", node.name) for node in walk(quick)), "time of the effort")
    studio.click(studio.see("Balanced", "list item", "StudioRecipePanel"))
    until(lambda: chosen(studio, EFFORT) == "Effort: Balanced", "effort")
    studio.press(METHOD, "push button", "StudioRecipePanel")
    studio.click(studio.see("Tensor dictionaries alone", "list item", "StudioRecipePanel"))
    until(lambda: chosen(studio, METHOD) == "Method: Tensor dictionaries alone", "method of the paper")
    assert studio.focus(), "nothing has the focus after the choice"


def shown(studio):
    """Names of the parameters that can be seen."""
    return {node.name for node in walk(studio.place("StudioRecipePanel"))
            if node.getRoleName() in ("spin button", "text", "combo box", "check box") and all(size(node))}


def change_recipe(studio):
    basic = shown(studio)
    studio.press("Advanced", within="StudioRecipePanel")
    advanced = until(lambda: shown(studio) > basic and shown(studio), "advanced parameters")
    print(f"{len(basic)} basic parameters, {len(advanced)} with the advanced ones")
    assert "Solver" in advanced - basic, advanced
    studio.press("Advanced", within="StudioRecipePanel")
    studio.parameter("Patch step", 16)
    studio.parameter("Splits", 1)
    studio.set("Atoms", 12, "spin button", "StudioRecipePanel")
    studio.set("Iterations", 3, "spin button", "StudioRecipePanel")
    studio.write("Sparsity", "0.01", within="StudioRecipePanel")
    studio.click(studio.find("Sparsity", "text", "StudioRecipePanel"))
    studio.key("Return")
    studio.check_names("StudioRecipePanel")
    until(lambda: chosen(studio, EFFORT) == "Effort: Balanced, with your changes", "effort with changes")
    studio.find(re.compile("^About .* of memory"), "label", "StudioRecipePanel")


def run_and_describe(studio):
    studio.press("Start", "push button", studio.window)
    studio.press_message("Show Results", lambda: studio.show("Results"))
    studio.press("Edit name, tags and note of the run", within="Results")
    dialog = studio.frame("Run 1")
    studio.check_names(dialog)
    studio.write("Name", "first", within=dialog)
    studio.write("Tags, separated by spaces", "paper small", within=dialog)
    studio.write("Note", "Stripes of three widths.", within=dialog)
    studio.press("Save", "push button", dialog)
    studio.see("Run 1: first", "label", "Results")
    studio.see("#paper #small", "label", "Results")
    studio.see("Stripes of three widths.", "label", "Results")
    studio.check_names("Results")


def add_axis(studio, name):
    """Return takes the first one that is found."""
    studio.press("Add Parameter", within="Sweep")
    search = studio.see("Search parameters", "entry", "Sweep")
    search.queryEditableText().setTextContents(name)
    studio.key("Return")
    studio.see(re.compile(rf"^{name}\b"), "label", studio.find("Varied parameters", "list", "Sweep"))


def sweep(studio):
    studio.show("Sweep")
    studio.check_names("Sweep")
    add_axis(studio, "Atoms")
    studio.see("Values, separated by ;", "text", "Sweep").queryEditableText().setTextContents("8; 12")
    add_axis(studio, "Sparsity")
    studio.see("Number of values", "spin button", "Sweep").queryValue().currentValue = 2
    studio.see(RUNS, "label", "Sweep")
    print(studio.see(re.compile("^About .* of memory for each run"), "label", "Sweep").name)
    studio.check_names("Sweep")
    studio.press("Start Sweep", within="Sweep")
    until(lambda: any(RUNS.match(word) and RUNS.match(word)[1] == "4" for word in studio.words("Sweep")), "all four runs")
    until(lambda: not studio.busy(), "end of the sweep")
    done = [node for node in walk(studio.place("Sweep")) if node.name == "done"]
    assert len(done) == 4, len(done)
    studio.write("Filter runs", "atoms=12", "entry", "Sweep")
    studio.see("2 of 4 runs", "label", "Sweep")
    studio.write("Filter runs", "", "entry", "Sweep")
    studio.see("Curves of the sweep", None, "Sweep")


def compare(studio):
    """All runs, in a report of what differs."""
    studio.show("Compare")
    runs = until(lambda: [node for node in walk(studio.place("Compare")) if re.match(r"^Compare Run \d", node.name)][:5],
                 "runs in the list")
    print([node.name for node in runs])
    report = os.path.join(studio.home, "report.html")
    studio.press("Export the comparison", "push button", "Compare")
    studio.press("Report…", "menu item")
    studio.save_as(report)
    with open(report, encoding="utf-8") as file:
        text = file.read()
    assert "first" in text and "</html>" in text, text[:200]


def export_run(studio):
    """What repeats the run elsewhere."""
    studio.show("Results")
    studio.export("Export", "Script of the Run", "Copy as Shell Script")
    shell = studio.copied("#!")
    assert '"$tosst" classify' in shell, shell
    studio.export("Export", "Script of the Run", "Copy as Python Script")
    compile(studio.copied("#!/usr/bin/env python3"), "run.py", "exec")
    studio.key("ctrl+shift+c")
    command = studio.copied("tosst classify")
    print(command)
    for name in ("dictionary.npz", "dictionary.mat"):
        path = os.path.join(studio.home, name)
        studio.do("win.export-dictionary-as")
        studio.save_as(path)
        if name.endswith(".npz"):
            with zipfile.ZipFile(path) as archive:
                assert {"B.npy", "b.npy", "scale.npy", "meta.json"} <= set(archive.namelist()), archive.namelist()
        else:
            with open(path, "rb") as file:
                assert file.read(20).startswith(b"MATLAB 5.0 MAT-file")
    path = os.path.join(studio.home, "mine.ini")
    studio.key("ctrl+s")
    studio.save_as(path)
    with open(path, encoding="utf-8") as file:
        assert "atoms=12" in file.read()


def journey(studio):
    open_folder(studio, FOLDER)
    choose_method(studio)
    change_recipe(studio)
    run_and_describe(studio)
    sweep(studio)
    compare(studio)
    export_run(studio)


with tempfile.TemporaryDirectory() as FOLDER:
    make_textures(FOLDER, classes=3, each=6, side=64)
    main(journey)
