# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which a command is attacked, how it is run, and what is asked of its end."""

import json
import math
import os
import random
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import time
import zipfile
import zlib

from cuts import read_record

DEADLINE = 600  # seconds: a busy machine is slow, a process that hangs never ends
SENTENCE = re.compile(r"^tosst: [^\n]+: [^\n]+[^.\n]\n\Z")
# What changes from run to run: times, memory, places and the machine.
CHANGING = re.compile(r"second|ms_per|memory|mean_ms|_ms$|started|finished|created|heard|path|duration|estimate|rate|host|"
                      r"shared|owner|threads|store|date|time", re.IGNORECASE)


class Failed(Exception):
    """What a case found."""


class Skipped(Exception):
    """Why a case cannot be done here."""


class Ended:
    """How a process ended."""

    def __init__(self, status, output, errors, seconds):
        self.status, self.output, self.errors, self.seconds = status, output, errors, seconds

    def __str__(self):
        name = signal.Signals(-self.status).name if self.status < 0 else f"status {self.status}"
        return f"{name} after {self.seconds:.1f} s, standard error {self.errors[-400:]!r}"


def png(width, height, pixel):
    rows = b"".join(b"\0" + bytes(pixel(x, y) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_images(folder):
    """Three classes of eight images: stripes of another direction and width each, in noise."""
    noise = random.Random(7)
    for name, (a, b) in {"down": (0.9, 0), "across": (0, 0.9), "wide": (0.2, 0.3)}.items():
        os.makedirs(os.path.join(folder, name))
        for i in range(8):
            data = png(64, 64, lambda x, y: int(120 + 60 * math.sin(a * x + b * y + i)) + noise.randrange(50))
            with open(os.path.join(folder, name, f"{i}.png"), "wb") as file:
                file.write(data)


LABELS_RECIPE = """[dataset]
kind=labels
path=images
[descriptor]
patch=16
step=12
pivots=2
[coding]
method=raw
"""


def write_labels(path):
    """Two labels for the images above, in which half of each class trains."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("image,split,striped,wide\n")
        for name, labels in {"down": "1,-1", "across": "1,0", "wide": "-1,1"}.items():
            file.writelines(f"{name}/{i}.png,{'train' if i < 4 else 'test'},{labels}\n" for i in range(8))


RECIPE = """[dataset]
kind=folders
path=images
train-per-class=4
splits=2
[descriptor]
patch=16
step=12
pivots=2
[dictionary]
atoms=12
iterations=5
tolerance=0
sample=200
"""


class World:
    """The programs, and a folder with an input of every kind, from which each case gets its own copy."""

    def __init__(self, build, work, seed):
        self.build, self.seed = os.path.abspath(build), seed
        self.tosst = os.path.join(self.build, "src", "cli", "tosst")
        self.studio = os.path.join(self.build, "src", "studio", "tosst-studio")
        self.library = os.path.join(self.build, "tests", "libforget-unsynced.so")
        self.work = os.path.realpath(work)
        self.inputs = os.path.join(self.work, "inputs")
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("LD_PRELOAD", "OPENBLAS_CORETYPE", "LANGUAGE", "G_DEBUG", "G_MESSAGES_DEBUG")}
        self.environment.update(LC_ALL="C.UTF-8", OPENBLAS_NUM_THREADS="1", HOME=self.work,
                                **{f"XDG_{kind}_HOME": os.path.join(self.work, kind.lower())
                                   for kind in ("CONFIG", "DATA", "CACHE", "STATE")})
        self.quick = True
        self.expected, self.records, self.written = {}, {}, {}
        self.count = self.most_lost = self.went_on = 0

    def prepare(self):
        os.makedirs(self.inputs)
        write_images(os.path.join(self.inputs, "images"))
        write_labels(os.path.join(self.inputs, "images", "labels.csv"))
        with open(os.path.join(self.inputs, "l.recipe"), "w", encoding="utf-8") as file:
            file.write(LABELS_RECIPE)
        with open(os.path.join(self.inputs, "r.recipe"), "w", encoding="utf-8") as file:
            file.write(RECIPE)
        with open(os.path.join(self.inputs, "s.recipe"), "w", encoding="utf-8") as file:
            file.write(RECIPE + "[sweep]\ndictionary.atoms=6;12\nclassifier.c=1;100\n")
        with open(os.path.join(self.inputs, "w.recipe"), "w", encoding="utf-8") as file:
            file.write(RECIPE.replace("iterations=5", "iterations=1500"))
        images = [f"images/{name}/{i}.png" for name in ("down", "across", "wide") for i in range(3)]
        for line in (["describe", *images, "-o", "T.npy", "--set", "descriptor.patch=16", "--set", "descriptor.step=4"],
                     ["learn", "T.npy", "-o", "D0.npz", "--set", "dictionary.atoms=12", "--set", "dictionary.iterations=3"],
                     ["code", "T.npy", "-d", "D0.npz", "-o", "A0.npy"],
                     ["classify", "r.recipe", "--model", "M0.npz", "-w", "W0.sqlite"]):
            ended = self.run(self.inputs, line)
            if ended.status:
                raise SystemExit(f"attack: preparing failed: tosst {shlex.join(line)}: {ended}")

    def folder(self, inputs=()):
        """A new folder with copies of inputs."""
        self.count += 1
        folder = os.path.join(self.work, f"case-{self.count}")
        os.makedirs(folder)
        for name in inputs:
            source = os.path.join(self.inputs, name)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(folder, name))
            else:
                shutil.copy2(source, os.path.join(folder, name))
        return folder

    def start(self, folder, arguments, *, program=None, environment=None, limits=None, stdin=subprocess.DEVNULL,
              stdout=subprocess.PIPE, stderr=subprocess.PIPE, closed=(), preload=None, **more):
        """preload: settings of the library. limits: of resource.setrlimit(). closed: descriptors to be closed."""
        full = dict(self.environment, **(environment or {}))
        full = {name: value for name, value in full.items() if value is not None}
        if preload is not None:
            if not os.path.exists(self.library):
                raise Skipped("libforget-unsynced.so is not built")
            full.update(LD_PRELOAD=self.library, ATTACK_ROOT=os.path.realpath(folder),
                        **{f"ATTACK_{name.upper()}": str(value) for name, value in preload.items()})

        def before():
            for kind, value in (limits or {}).items():
                resource.setrlimit(kind, (value, value))
            for fd in closed:
                os.close(fd)
        return subprocess.Popen([program or self.tosst, *arguments, *([] if program else ["--threads", "2"])], cwd=folder,
                                env=full, stdin=stdin, stdout=stdout, stderr=stderr, preexec_fn=before, **more)

    def run(self, folder, arguments, seconds=DEADLINE, **options):
        """Runs to the end; a Failed where that does not come."""
        begin = time.monotonic()
        process = self.start(folder, arguments, **options)
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"hangs: has not ended after {seconds} s") from None
        return Ended(process.returncode, (output or b"").decode("utf-8", "replace"), (errors or b"").decode("utf-8", "replace"),
                     time.monotonic() - begin)

    def undisturbed(self, command):
        """What a command leaves when nothing happens to it, and how long it takes."""
        if command.name not in self.expected:
            folder = self.folder(command.inputs)
            ended = self.run(folder, command.arguments)
            if ended.status:
                raise Failed(f"fails undisturbed: {ended}")
            self.expected[command.name] = (outputs(folder, command), ended.seconds)
            shutil.rmtree(folder)
        return self.expected[command.name]

    def record(self, command, folder):
        """What it does to files there."""
        path = os.path.join(self.work, f"{command.name}-{os.path.basename(folder)}.record")
        ended = self.run(folder, command.arguments, preload={"log": path})
        if ended.status:
            raise Failed(f"fails undisturbed: {ended}")
        found = read_record(path)
        os.remove(path)
        return found

    def measure(self, command):
        """The number of its operations and of the bytes that it writes."""
        if command.name not in self.written:
            folder = self.folder(command.inputs)
            found = self.record(command, folder)
            self.written[command.name] = (sum(operation.kind not in "cp" for operation in found),
                                          sum(len(operation.payload) for operation in found if operation.kind == "w"))
            shutil.rmtree(folder)
        return self.written[command.name]

    def operations(self, command):
        return max(1, self.measure(command)[0])

    def bytes_written(self, command):
        return self.measure(command)[1]

    def whole_store(self, folder, name):
        """A store must be sound for SQLite and for the program, without being salvaged."""
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            return
        ended = self.run(folder, ["runs", name, "--check"])
        if ended.status or "no damage found" not in ended.output or "salvag" in ended.output + ended.errors:
            raise Failed(f"{name} is not sound: {ended.output[-200:]} {ended}")


def judge(ended):
    """Done, or refused with one sentence: never a signal, a hang or chatter."""
    if ended.status < 0:
        raise Failed(f"ended by a signal: {ended}")
    if ended.status == 0:
        return True
    # Before it, learning may have reported that it continues without checkpoints.
    last = re.sub(r"\Atosst: learn: no checkpoints: [^\n]*\n", "", ended.errors)
    if ended.status not in (1, 2, 130) or not SENTENCE.match(last):
        raise Failed(f"no one sentence, or another status than 1, 2 or 130: {ended}")
    return False


def left_over(folder):
    """Temporary files and the like that no finished command leaves."""
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names
                  if re.match(r"\.tosst-.*\.tmp$", name) or name.endswith((".checkpoint", ".tensors", "-journal")))


# The same bits, but for what says when and how fast.


def still(value):
    if isinstance(value, dict):
        return {key: still(item) for key, item in value.items() if not CHANGING.search(key)}
    if isinstance(value, list):
        return [still(item) for item in value]
    return value


def members(path):
    with zipfile.ZipFile(path) as file:
        return {name: still(json.loads(file.read(name))) if name.endswith(".json") else file.read(name)
                for name in file.namelist()}


def rows(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    keep = [i for i, name in enumerate(lines[0]) if not CHANGING.search(name)]
    return [[line[i] for i in keep if i < len(line)] for line in lines]


def runs(path):
    """By the hash of a run: its state, iterations, results, and checksums of artifacts; of runs that are done."""
    store = sqlite3.connect(f"file:{path}", uri=True)
    try:
        if store.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise Failed(f"{os.path.basename(path)} is damaged")
        if not store.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return {}  # it has just been begun
        return {key: [store.execute(query, (number,)).fetchall() for query in (
            "SELECT split, name, iteration, value FROM series WHERE run = ? AND name <> 'seconds' ORDER BY 1, 2, 3",
            "SELECT split, name, value FROM results WHERE run = ? ORDER BY 1, 2",
            "SELECT split, name, bytes, sha256 FROM artifacts WHERE run = ? ORDER BY 1, 2")]
            for number, key in store.execute("SELECT id, hash FROM runs WHERE state = 'done'").fetchall()}
    finally:
        store.close()


def content(path):
    """Of a file or folder, as what is to be the same."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    if path.endswith((".npz", ".checkpoint")):
        return members(path)
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            return still(json.load(file))
    if path.endswith(".csv"):
        return rows(path)
    if path.endswith(".sqlite"):
        return runs(path)
    if path.endswith((".html", ".pdf", ".svg")) or path.endswith("objective.png"):
        return os.path.getsize(path) > 0  # they show times
    with open(path, "rb") as file:
        return file.read()[128 if path.endswith(".mat") else 0:]  # whose head has the date


def whole(folder, name):
    """Content of an output; a Failed where it is not whole."""
    path = os.path.join(folder, name)
    try:
        return content(path) if os.path.lexists(path) else None
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, sqlite3.Error) as error:
        raise Failed(f"{name} is not whole: {error}") from None


def outputs(folder, command):
    return {name: whole(folder, name) for name in command.outputs}


def same(found, expected):
    different = [name for name, value in expected.items() if found.get(name) != value]
    if different:
        raise Failed(f"{', '.join(different)}: not the bits of the undisturbed command{differences(found, expected, different)}")


def differences(found, expected, names):
    """Where, in a word."""
    for name in names:
        a, b = found.get(name), expected[name]
        if a is None:
            return f" ({name} is missing)"
        if isinstance(a, dict) and isinstance(b, dict):
            keys = [str(key) for key in {*a, *b} if a.get(key) != b.get(key)]
            return f" (in {', '.join(keys[:4])})"
    return ""
