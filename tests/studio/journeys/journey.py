# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the real window as a user of a screen reader does: through the accessibility tree.

A journey is one file with one function, called with a started `Studio`:

    def journey(studio):
        studio.press("Use the Sample Textures")
        ...

    main(journey, "--samples")          # arguments of the program

Everything waits for what it needs, with a deadline and without sleeping a fixed time. What the window cannot be told
through the tree (gestures on canvases, keys) goes through xdotool. A journey fails when something it waits for does not
come, or when the program ends with another status than 0 or prints a warning. A critical warning ends the program. As a benchmark it also fails when the main
loop works for longer than TOSST_JOURNEY_WORK_MS between two looks at events. What the window looked like then is beside
the test's log.

In the tree of GTK 4.8 every page of a stack is there, also those that are not seen: `within` narrows a search to a view,
and a name that is there several times is taken where it has a size."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE = float(os.environ.get("TOSST_JOURNEY_PATIENCE", "900"))  # seconds that anything may take on a busy machine
LONGEST_WORK_MS = float(os.environ.get("TOSST_JOURNEY_WORK_MS", "inf"))  # processor time of the main thread
VIEWS = {name: f"Studio{name}View"
         for name in ("Data", "Learn", "Atoms", "Inspect", "Results", "Sweep", "Compare", "Predict")}

try:
    import pyatspi
    from gi.repository import Atspi, GLib
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)


Atspi.set_timeout(60000, 60000)  # milliseconds for an answer; by default 0.8 s, too short on a busy machine


class Missing(AssertionError):
    """Something did not appear in time."""


CONTAINERS = ("panel", "filler", "scroll pane", "frame", "list", "table", "viewport", "table row")  # of rows the cells are read

started = []  # the programs that run


def until(condition, what, seconds=PATIENCE):
    """The first true value of condition(); an answer that the program is too busy to give counts as none. One that has
    failed will never come."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except (GLib.Error, NotImplementedError):  # the second: what was asked has just gone
            value = None
        if value:
            return value
        for process in started:
            if process.poll():
                raise Missing(f"the program ended with status {process.returncode}: no {what}")
        if time.monotonic() > deadline:
            raise Missing(f"after {seconds:.0f} s there is still no {what}")
        time.sleep(0.2)  # asking is work for the program too


def walk(node):
    """A node and all below it. What goes away meanwhile is passed by."""
    yield node
    try:
        count = node.childCount
    except GLib.Error:
        return
    for index in range(count):
        try:
            child = node.getChildAtIndex(index)
        except GLib.Error:
            continue
        if child is not None:
            yield from walk(child)


def named(name, pattern):
    """Whether an accessible name is, or as a regular expression matches, a pattern. GTK 4.8 names a button that has a
    label twice, once with its underline: "_Start Start"."""
    if isinstance(pattern, re.Pattern):
        return pattern.search(name) is not None
    return name == pattern or (name.endswith(" " + pattern) and name.replace("_", "") in (pattern + " " + pattern,))


def size(node):
    box = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
    return box.width, box.height


class Studio:
    """One started program with a home of its own."""

    def __init__(self, program, arguments=(), home=None):
        self.program, self.arguments = program, list(arguments)
        self.home = home or tempfile.mkdtemp(prefix="tosst-journey-")
        self.measures = os.path.join(self.home, "measures.json")
        self.messages = os.path.join(self.home, "messages.txt")
        self.process = None
        self.start()

    # Its life.

    def start(self, arguments=None):
        """Starts it, again after it ended, with other arguments than the first time where some are given."""
        environment = dict(os.environ, TOSST_STUDIO_MEASURE=self.measures, G_DEBUG="fatal-criticals")
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            environment[f"XDG_{kind}_HOME"] = os.path.join(self.home, kind.lower())
        if os.path.exists(self.measures):
            os.remove(self.measures)
        with open(self.messages, "ab") as messages:
            self.process = subprocess.Popen([self.program, *(self.arguments if arguments is None else arguments)], env=environment,
                                            stdout=messages, stderr=messages)
        started[:] = [self.process]
        self.places = {}  # views stay as long as their window
        self.application = until(self._application, "application on the bus")
        self.window = until(lambda: self.application.childCount and self.application[0], "window")

    def _application(self):
        if self.process.poll() is not None:
            raise Missing(f"the program ended at once with status {self.process.returncode}")
        for application in pyatspi.Registry.getDesktop(0):
            if application is not None and application.get_process_id() == self.process.pid:
                return application
        return None

    def kill(self):
        """As a power cut would."""
        started.clear()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ended(self, seconds=PATIENCE):
        """Waits until the program has ended by itself, and judges how."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Missing(f"after {seconds:.0f} s the program has not ended") from None
        assert status == 0, f"the program ended with status {status}"
        with open(self.measures, encoding="utf-8") as file:
            measures = json.load(file)
        print("measured:", json.dumps(measures))
        work = measures["longest_work_ms"] or 0
        assert work < LONGEST_WORK_MS, f"the main loop worked for {work} ms, {measures['longest_work_at_ms']} ms after the first frame"

    def quit(self):
        def closed():
            action = self.window.queryAction()
            for i in range(action.nActions):
                if action.getName(i) == "window.close":
                    action.doAction(i)
            return True
        # One that goes at once may not answer any more.
        until(lambda: self.process.poll() is not None or closed(), "end")
        self.ended()

    # Looking.

    def find(self, name, role=None, within=None, seconds=PATIENCE, sensitive=None):
        """The first node of that name (a string, or a compiled expression) and role below a node or a view. One that has
        a size goes before one that has none."""
        what = f"{role or 'thing'} named {getattr(name, 'pattern', name)!r}" + (f" in {within}" if within else "")
        return until(lambda: self._find(name, role, within, sensitive), what, seconds)

    def _find(self, name, role, within, sensitive):
        unseen = None
        for node in walk(self.place(within)):
            if (role is not None and node.getRoleName() != role) or not named(node.name, name):
                continue
            if sensitive is not None and node.getState().contains(pyatspi.STATE_SENSITIVE) != sensitive:
                continue
            if all(size(node)):
                return node
            unseen = unseen or node
        return unseen

    def place(self, within):
        if not isinstance(within, str):
            return within or self.application
        if within not in self.places:
            self.places[within] = until(lambda: next((node for node in walk(self.application)
                                                      if node.name == VIEWS.get(within, within)), None), within)
        return self.places[within]

    def see(self, name, role=None, within=None, seconds=PATIENCE):
        """One that is on a page that is shown, and has come on it."""
        def shown():
            node = self._find(name, role, within, None)
            return node if node is not None and all(size(node)) else None
        return until(shown, f"{role or 'thing'} named {getattr(name, 'pattern', name)!r} on the page", seconds)

    def has(self, name, role=None, within=None):
        return self._find(name, role, within, None) is not None

    def words(self, within=None):
        """All names on labels, for what is said anywhere."""
        return [node.name for node in walk(self.place(within)) if node.getRoleName() == "label"]

    def check_names(self, within=None):
        """Whatever can have the focus on the page that is shown has a name of its own, not that of its type. Parts of a
        drop-down list are one control together."""
        def nameless(node):
            role, state = node.getRoleName(), node.getState()
            try:
                if not all(size(node)):
                    return
            except NotImplementedError:  # a page of a stack: not a widget
                pass
            if state.contains(pyatspi.STATE_FOCUSABLE) and role not in CONTAINERS and re.match(r"(Gtk|Adw|Studio|$)", node.name):
                yield f"{role} {node.name!r} in {node.parent.name!r}"
            for child in (node if role != "combo box" else ()):
                if child is not None:  # it has just gone
                    yield from nameless(child)

        def complete():
            found[:] = nameless(self.place(within))
            return not found

        found = []
        try:
            until(complete, "names")
        except Missing:
            raise AssertionError(f"without a name in {within}: {found}") from None

    def focus(self):
        """What has the focus; None where nothing has."""
        self.xdotool("windowfocus", "--sync", self.handle()[0])
        return next((node for node in walk(self.window) if node.getState().contains(pyatspi.STATE_FOCUSED)), None)

    def stat(self, name, within=None):
        """The number that stands above its name, as "0.43 Error"; None while it is a dash."""
        for node in walk(self.place(within)):
            if node.getRoleName() == "label" and node.name.endswith(" " + name):
                match = re.match(r"-?[\d.,]+(?= )", node.name.replace("\u2212", "-"))
                if match:
                    return float(match.group().replace(",", ""))
        return None

    # Acting.

    def press(self, name, role=None, within=None, seconds=PATIENCE):
        """Clicks what can be clicked under that name, as soon as it can be."""
        return until(lambda: self._press(name, role, within), f"button named {getattr(name, 'pattern', name)!r} to press", seconds)

    def _press(self, name, role=None, within=None):
        for node in walk(self.place(within)):
            if (role is None or node.getRoleName() == role) and named(node.name, name) \
               and node.getState().contains(pyatspi.STATE_SENSITIVE) and self._click(node):
                return node
        return None

    def press_message(self, name, otherwise):
        """Presses the button of the message at the end of a run. On a slow machine the message has gone when it is looked for:
        otherwise() goes the other way."""
        def attempt():
            ended = self.has("Already run. Start shows the results", "label", "StudioRecipePanel")
            return self._press(name) or ended and (otherwise() or True)
        until(attempt, f"message with {name!r}")

    @staticmethod
    def _click(node):
        try:
            action = node.queryAction()
            return any(action.getName(i) in ("click", "activate") and action.doAction(i) for i in range(action.nActions))
        except NotImplementedError:
            return False

    def frame_of(self, node):
        while node.parent != self.application:
            node = node.parent
        return node

    def frame(self, title):
        """Another window of it."""
        return until(lambda: next((frame for frame in self.application if frame is not None and frame.name == title), None),
                     f"window {title!r}")

    def do(self, name, seconds=PATIENCE):
        """An action of the window, as "win.start", as soon as it is enabled."""
        def attempt():
            action = self.window.queryAction()
            return any(action.getName(i) == name and action.doAction(i) for i in range(action.nActions))
        until(attempt, f"enabled action {name}", seconds)

    def show(self, view):
        """A view, by its key."""
        self.key(f"alt+{list(VIEWS).index(view) + 1}")
        until(lambda: size(self.place(view))[0] > 0, f"view {view}")

    def set(self, name, value, role, within=None):
        """A number, through the value of a slider or spin button."""
        node = self.find(name, role, within)
        node.queryValue().currentValue = value
        until(lambda: math.isclose(node.queryValue().currentValue, value, rel_tol=1e-6, abs_tol=1e-9),
              f"{name} at {value}")

    def write(self, name, text, role="text", within=None):
        self.find(name, role, within).queryEditableText().setTextContents(text)

    def read(self, node):
        text = node.queryText()
        return text.getText(0, text.characterCount)

    def parameter(self, name, value):
        """A number of the recipe, that need not be in sight."""
        self.write("Search parameters", name, "entry", "StudioRecipePanel")
        self.set(name, value, "spin button", "StudioRecipePanel")
        self.write("Search parameters", "", "entry", "StudioRecipePanel")

    def copied(self, begin):
        """The text on the clipboard, which begins so: pasted where a text is typed."""
        entry = self.find("Search parameters", "entry", "StudioRecipePanel")

        def pasted():
            entry.queryEditableText().setTextContents("")
            self.click(entry)
            self.key("ctrl+v")
            until(lambda: self.read(entry), "text on the clipboard", 5)
            return self.read(entry).startswith(begin) and self.read(entry)

        def attempt():
            try:
                return pasted()
            except Missing:
                return None
        text = until(attempt, f"copied text that begins with {begin!r}")
        entry.queryEditableText().setTextContents("")
        return text

    def export(self, *items):
        """Opens the main menu and goes through its submenus."""
        self.press("Main menu", "push button", self.window)
        for item in items:
            self.press(item, "menu item")

    def busy(self):
        """Whether a run is going on: its button to stop it can be pressed."""
        return self._find("Stop", "push button", None, True) is not None

    # Mouse and keys.

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def _geometries(self):
        """Number, width and height of the visible windows; None if one vanished meanwhile, which is an error of X."""
        try:
            numbers = self.xdotool("search", "--onlyvisible", "--pid", self.process.pid).split()
            found = [re.search(r"Geometry: (\d+)x(\d+)", self.xdotool("getwindowgeometry", number)) for number in numbers]
        except subprocess.CalledProcessError:
            return None
        return [(number, int(one.group(1)), int(one.group(2))) for number, one in zip(numbers, found)]

    def handle(self, frame=None):
        """X's number of a window, and the width of its border: the one that is as large as the frame; the main window."""
        width, height = size(frame or self.window)
        windows = []
        for number, wide, high in until(self._geometries, "visible window"):
            border = (wide - width) // 2  # of a window that draws its own decorations
            windows.append((abs(border) + abs(high - height), number, border))
        _, number, border = min(windows)
        return number, border

    def key(self, *keys, frame=None):
        # Without a window manager no other program gives a window the focus.
        self.xdotool("windowfocus", "--sync", self.handle(frame)[0])
        self.xdotool("key", *keys)

    def type(self, text):
        self.xdotool("windowfocus", "--sync", self.handle()[0])
        self.xdotool("type", "--", text)

    def click(self, node, x=0.5, y=0.5, button=1):
        """With the mouse, at fractions of the width and height of what has no action of its own."""
        self.point(node, x, y)
        self.xdotool("click", button)

    def point(self, node, x=0.5, y=0.5):
        box = until(lambda: all(size(node)) and node.queryComponent().getExtents(pyatspi.WINDOW_COORDS),
                    f"place of {node.name}")
        handle, border = self.handle(self.frame_of(node))
        self.xdotool("mousemove", "--window", handle, int(border + box.x + x * (box.width - 1)),
                     int(border + box.y + y * (box.height - 1)))

    def drag(self, node, begin, end, steps=8):
        """The thumb of a slider, from one fraction of its width to another."""
        self.point(node, begin)
        self.xdotool("mousedown", 1)
        for step in range(1, steps + 1):
            self.point(node, begin + (end - begin) * step / steps)
        self.xdotool("mouseup", 1)

    def save_as(self, path):
        """Answers the file chooser that is open."""
        frame, entry = until(lambda: next(((frame, node) for frame in self.application if frame not in (None, self.window)
                                           for node in walk(frame) if node.getRoleName() == "text"), None), "file chooser")

        def keeps_path():
            """While its folder is being read the chooser still sets the name that the program proposes."""
            if self.read(entry) == path:
                return True
            entry.queryEditableText().setTextContents(path)
            return False

        for _ in range(3):
            until(keeps_path, f"{path} as the name")
            time.sleep(.2)
        until(keeps_path, f"{path} as the name")
        self.press("Save", "push button", frame)
        until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, f"file {path}")
        until(lambda: frame not in list(self.application), "file chooser to close")

    def choose(self, path, button="Open"):
        """Gives a file or a folder to the file chooser that is open."""
        def dialog():
            return next((frame for frame in self.application if frame not in (None, self.window) and frame.name), None)

        frame = until(dialog, "file chooser")
        self.key("ctrl+l", frame=frame)
        entry = until(lambda: next((node for node in walk(frame) if node.getRoleName() == "text" and all(size(node))), None),
                      "line for a path")
        entry.queryEditableText().setTextContents(path)
        self.press(button, "push button", frame)
        until(lambda: not dialog(), "file chooser to close")

    # For the log.

    def picture(self, name):
        folder = os.environ.get("TOSST_JOURNEY_LOGS", self.home)
        path = os.path.join(folder, name + ".png")
        if shutil.which("import") and subprocess.run(["import", "-window", "root", path], check=False).returncode == 0:
            print(f"what it looked like: {path}")

    def report(self):
        """What a failed journey leaves: a picture, the tree, and what the program said."""
        name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        self.picture(name)
        if self.process.poll() is None:
            print("its labels:", self.words())
        with open(self.messages, encoding="utf-8", errors="replace") as messages:
            print(messages.read())

    def check_messages(self):
        with open(self.messages, encoding="utf-8", errors="replace") as messages:
            text = messages.read()
        # No program on the test's own bus shows notifications.
        complaints = [line for line in text.splitlines() if re.search(r"-(WARNING|CRITICAL) \*\*|Sanitizer", line)
                      and "org.freedesktop.Notifications" not in line]
        assert not complaints, complaints

    def clean(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


# Recipes.

# Ends within seconds on one slow core.
TINY = {"dataset": {"kind": "samples", "splits": 2, "train-per-class": 4},
        "descriptor": {"pivots": 3, "patch": 32, "step": 32},
        "dictionary": {"atoms": 12, "iterations": 4, "sample": 300, "tolerance": 0}}


def write_recipe(path, **changes):
    """A recipe file: the tiny one with changes, each a group with its keys."""
    groups = {name: {**TINY.get(name, {}), **changes.get(name, {})} for name in {**TINY, **changes}}
    with open(path, "w", encoding="utf-8") as file:
        for name, keys in groups.items():
            file.write(f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in keys.items()))
    return path


def stripes(number, index, side):
    """Rows of grey values: stripes of a class, their width that of its number."""
    return [[int(128 + 100 * math.sin((x * (number + 1) + y * index) / 7)) for x in range(side)] for y in range(side)]


def write_pgm(path, rows):
    with open(path, "wb") as file:
        file.write(f"P5 {len(rows[0])} {len(rows)} 255\n".encode() + b"".join(map(bytes, rows)))


def make_textures(folder, classes, each, side):
    """Images of stripes, one folder a class."""
    for number in range(classes):
        os.makedirs(os.path.join(folder, f"class-{number}"))
        for index in range(each):
            write_pgm(os.path.join(folder, f"class-{number}", f"{index:02}.pgm"), stripes(number, index, side))


def learn_dictionary(folder):
    """What a program that shows a tiny dictionary beside the sample textures is started with: learned by the terminal
    program, which is the script's second argument."""
    recipe = write_recipe(os.path.join(folder, "tiny.tosst"))
    dictionary = os.path.join(folder, "tiny.npz")
    subprocess.run([sys.argv[2], "classify", "-q", "--dictionary", dictionary, recipe], check=True,
                   stdout=subprocess.DEVNULL)
    return recipe, dictionary


def main(journey, *arguments, home=None):
    """Runs one journey; the program is the script's first argument. Ends the process with its status. home: that of an
    earlier start, in place of an empty one."""
    if "DISPLAY" not in os.environ or not shutil.which("xdotool"):
        print("skipped: no display, or no xdotool")
        sys.exit(SKIPPED)
    studio = Studio(sys.argv[1], arguments, home)
    try:
        journey(studio)
        if studio.process.poll() is None:
            studio.quit()
        studio.check_messages()
    except BaseException:
        studio.report()
        raise
    finally:
        studio.clean()
