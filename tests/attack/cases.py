# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills, full disks, bad targets, limits, changing files and hostile numbers. Each function yields its cases: a name, and
what is done, which raises Failed or Skipped."""

import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import threading
import time

from commands import COMMANDS, LONG, NAMED, QUICK
from world import Failed, Skipped, content, judge, left_over, outputs, same, whole

MB = 2**20


def seeded(world, *words):
    return random.Random(":".join(map(str, (world.seed, *words))))


# Kills.


def go_on(world, folder, command, **options):
    """Until the command has done what the undisturbed one does."""
    output, rest = (os.path.join(folder, name) for name in (command.outputs[0], (command.resumed or ("",))[0]))
    arguments = command.arguments
    if command.resumed and os.path.exists(rest) and (output == rest or not os.path.exists(output)):
        arguments = command.resumed[1].split()
    ended = world.run(folder, arguments, **options)
    if ended.status:
        raise Failed(f"going on with tosst {' '.join(arguments)} fails: {ended}")


def after_kill(world, folder, command, expected):
    """Files under the final names are whole; the resumed command writes the same bits and leaves no other file."""
    found = outputs(folder, command)
    for name, value in found.items():
        if value is not None and not name.endswith(".sqlite") and not isinstance(value, dict) and value != expected[name]:
            raise Failed(f"{name} is there, but not what the undisturbed command writes")
    go_on(world, folder, command)
    same(outputs(folder, command), expected)
    rest = left_over(folder)
    if rest:
        raise Failed(f"left after going on: {', '.join(rest)}")


def work_lost(folder, command, begun, killed, interval, step):
    """Seconds between what a checkpoint holds and the kill: at most the interval and a step."""
    path = os.path.join(folder, command.outputs[0] + ".checkpoint")
    if not command.name.startswith("learn") or os.path.exists(os.path.join(folder, command.outputs[0])):
        return 0
    lost = killed - (os.path.getmtime(path) if os.path.exists(path) else begun)
    if lost > interval + step:
        raise Failed(f"{lost:.1f} s of work lost, with checkpoints every {interval} s")
    return lost


def kill_by_operation(world, command, index):
    expected, _ = world.undisturbed(command)
    at = seeded(world, "kill", command.name, index).randrange(1, world.operations(command) + 1)
    folder = world.folder(command.inputs)
    ended = world.run(folder, command.arguments, preload={"kill": at})
    if ended.status != -signal.SIGKILL and ended.status != 0:
        raise Failed(f"to be killed at operation {at}: {ended}")
    after_kill(world, folder, command, expected)
    shutil.rmtree(folder)


def kill_by_time(world, command, index):
    expected, seconds = world.undisturbed(command)
    moment = seeded(world, "moment", command.name, index).random() * seconds
    folder = world.folder(command.inputs)
    begun = time.time()
    process = world.start(folder, command.arguments)
    try:
        process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        lost = work_lost(folder, command, begun, time.time(), 0.02, 29.98)
        world.most_lost = max(world.most_lost, lost)
    after_kill(world, folder, command, expected)
    shutil.rmtree(folder)


def kills(world, count):
    """Half of them in the middle of a write, a rename or the like, half at a moment."""
    for index in range(count):
        command = LONG[index % len(LONG)]
        how = kill_by_operation if world.quick or (index // len(LONG)) % 2 == 0 else kill_by_time
        yield f"{command.name}/{index}", lambda how=how, command=command, index=index: how(world, command, index)


# Full disks.


def old_outputs(folder, command):
    """Something that stands where the outputs go; stores and folders are made by the command itself."""
    for name in command.outputs:
        if "." in name and not name.endswith(".sqlite"):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write("an old file\n")


def is_old(path):
    with open(path, "rb") as file:
        return file.read(20) == b"an old file\n"


def check_parts(name, path, expected):
    """Each file of a folder is whole, though there may be fewer."""
    for part in os.listdir(path):
        inner = os.path.join(path, part)
        if os.path.isdir(inner):
            check_parts(f"{name}/{part}", inner, expected.get(part, {}))
        elif content(inner) != expected.get(part):
            raise Failed(f"{name}/{part} is not whole")


def intact(world, folder, command, expected, done):
    """Each output is the old one or the new one; new, all of them, where the command says that it is done."""
    for name in command.outputs:
        path = os.path.join(folder, name)
        if name.endswith(".sqlite"):
            world.whole_store(folder, name)
        elif not done and (not os.path.lexists(path) or (os.path.isfile(path) and is_old(path))):
            continue
        elif os.path.isdir(path) and not done:
            check_parts(name, path, expected[name])
        elif whole(folder, name) != expected[name]:
            raise Failed(f"{name} is neither the old file nor the new one{', although all is done' if done else ''}")


def full_disk(world, command, room):
    expected, _ = world.undisturbed(command)
    folder = world.folder(command.inputs)
    old_outputs(folder, command)
    ended = world.run(folder, command.arguments, preload={"space": room})
    intact(world, folder, command, expected, judge(ended))
    rest = [name for name in left_over(folder) if name.endswith(".tmp")]
    if rest:
        raise Failed(f"left on the full disk: {', '.join(rest)}")
    shutil.rmtree(folder)


def disks(world):
    for command in QUICK if world.quick else COMMANDS:
        for part in (0, 0.5, 0.99) if world.quick else (0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
            def case(command=command, part=part):
                full_disk(world, command, int(part * world.bytes_written(command)))
            yield f"{command.name}/{part}", case
        if not world.quick:
            def limited(command=command):
                folder = world.folder(command.inputs)
                ended = world.run(folder, command.arguments, limits={resource.RLIMIT_FSIZE: 100})
                judge(ended)
                shutil.rmtree(folder)
            yield f"{command.name}/ulimit-f", limited


# Bad targets and inputs.


def a_folder(path):
    os.mkdir(path)


def a_fifo(path):
    os.mkfifo(path)


def a_dangling_link(path):
    os.symlink("nowhere/at-all", path)


TARGETS = {
    "folder": ("target", a_folder),
    "no-parent": ("missing/target", None),
    "file-as-parent": ("parent/target", lambda path: open(os.path.dirname(path), "w", encoding="ascii").close()),
    "read-only-folder": ("locked/target", lambda path: os.mkdir(os.path.dirname(path), 0o555)),
    "dangling-link": ("target", a_dangling_link),
    "link-to-itself": ("target", lambda path: os.symlink(os.path.basename(path), path)),
    "full-device": ("/dev/full", None),
    "fifo": ("target", a_fifo),
    "long-name": ("n" * 300, None),
    "long-path": ("p/" * 2100 + "target", None),
    "empty": ("", None),
    "proc": ("/proc/self/mem", None),
}


def bad_target(world, command, name):
    target, make = TARGETS[name]
    if name == "read-only-folder" and os.geteuid() == 0:
        raise Skipped("root may write anywhere")
    suffix = os.path.splitext(command.outputs[0])[1] if not command.option == "--plots" else ""
    target = target + suffix if target and not target.startswith("/") else target
    folder = world.folder(command.inputs)
    path = os.path.join(folder, target)
    if make:
        make(path)
    before = os.lstat(path) if make and os.path.lexists(path) else None
    ended = world.run(folder, command.aimed(target))
    done = judge(ended)
    takes_folders = command.name in ("export-mat", "export-csv", "export-pictures", "classify-plots", "runs-extract", "textures")
    if done and not takes_folders and name not in ("dangling-link",):
        raise Failed("is done, although its output cannot be written")
    if before and not takes_folders and stat.S_IFMT(os.lstat(path).st_mode) != stat.S_IFMT(before.st_mode):
        raise Failed(f"{target} is not what it was any more")
    subprocess.run(["rm", "-rf", folder], check=True)  # rmtree() opens every level, and a long path has thousands


INPUTS = {
    "missing": lambda path: None,
    "empty": lambda path: open(path, "wb").close(),
    "folder": os.mkdir,
    "fifo": os.mkfifo,
    "device": lambda path: os.symlink("/dev/zero", path),
    "null-device": lambda path: os.symlink("/dev/null", path),
    "link-to-itself": lambda path: os.symlink(os.path.basename(path), path),
    "half": None,
    "noise": lambda path: open(path, "wb").write(random.Random(1).randbytes(5000)),
    "unreadable": lambda path: None,
}


def bad_input(world, command, name, kind):
    if kind == "unreadable" and os.geteuid() == 0:
        raise Skipped("root may read anything")
    if name.endswith(".recipe") and kind in ("empty", "null-device"):
        raise Skipped("an empty recipe is a good one")
    if name.endswith(".sqlite") and kind == "empty":
        raise Skipped("an empty file is a store without runs, as for SQLite")
    folder = world.folder(command.inputs)
    path = os.path.join(folder, name)
    if kind == "half":
        if os.path.isdir(path):
            raise Skipped("a folder has no half")
        os.truncate(path, os.path.getsize(path) // 2)
    elif kind == "unreadable":
        os.chmod(path, 0)
    else:
        (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
        INPUTS[kind](path)
    ended = world.run(folder, command.arguments)
    if judge(ended) and kind != "half":
        raise Failed(f"is done with a {kind} {name}")
    shutil.rmtree(folder, ignore_errors=True)


def targets(world):
    for command in QUICK if world.quick else COMMANDS:
        if command.option in command.arguments:
            for name in ("folder", "no-parent", "full-device") if world.quick else TARGETS:
                yield f"{command.name}/{name}", lambda command=command, name=name: bad_target(world, command, name)
        for name in command.inputs:
            for kind in ("empty", "half") if world.quick else INPUTS:
                yield (f"{command.name}/{name}-{kind}",
                       lambda command=command, name=name, kind=kind: bad_input(world, command, name, kind))


# Limits and environments.


def with_limit(kind, value):
    return {"limits": {kind: value}}


LIMITS = {
    **{f"memory-{mb}MB": with_limit(resource.RLIMIT_AS, mb * MB) for mb in (100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000)},
    "stack-256kB": with_limit(resource.RLIMIT_STACK, 256 * 1024),
    "files-16": with_limit(resource.RLIMIT_NOFILE, 16),
    "files-10": with_limit(resource.RLIMIT_NOFILE, 10),
    "no-stdin": {"closed": (0,)},
    "no-stdout": {"closed": (1,), "stdout": None},
    "no-stderr": {"closed": (2,), "stderr": None},
    "no-streams": {"closed": (0, 1, 2), "stdout": None, "stderr": None},
    "no-home": {"environment": {"HOME": None, "XDG_CONFIG_HOME": None, "XDG_CACHE_HOME": None}},
    "home-is-a-file": {"environment": {"HOME": "/dev/null", "XDG_CONFIG_HOME": "/dev/null/a", "XDG_CACHE_HOME": "/dev/null/b",
                                       "XDG_DATA_HOME": "/dev/null/c", "XDG_DATA_DIRS": ":::\x01", "XDG_RUNTIME_DIR": "\x02"}},
    "no-tmpdir": {"environment": {"TMPDIR": "/nowhere", "TMP": "/nowhere"}},
    "strange-locale": {"environment": {"LANG": "\x01\x02", "LC_ALL": "xx_YY.nothing@where", "LANGUAGE": "\xff:::" + 300 * "a"}},
    "no-environment": {"environment": "none"},
    "strange-threads": {"environment": {"OPENBLAS_NUM_THREADS": "-1", "OMP_NUM_THREADS": "1e9", "OPENBLAS_CORETYPE": "\x01"}},
}


def limited(world, command, name):
    options = dict(LIMITS[name])
    if options.get("environment") == "none":
        options["environment"] = {key: None for key in world.environment}
    folder = world.folder(command.inputs)
    expected, _ = world.undisturbed(command)
    ended = world.run(folder, command.arguments, **options)
    if options.get("stderr", "") is None and ended.status in (1, 2):
        done = False
    elif name.startswith("stack") and ended.status < 0:
        raise Skipped("the loader itself needs more")
    elif ended.status == 127 and "shared librar" in ended.errors:
        raise Skipped("the loader itself needs more")
    else:
        done = judge(ended)
    intact(world, folder, command, expected, done)
    shutil.rmtree(folder)


def bad_stdout(world, command, device):
    folder = world.folder(command.inputs)
    if device == "closed-pipe":
        reader, stdout = os.pipe()
        os.close(reader)
    else:
        stdout = os.open("/dev/full", os.O_WRONLY)
    try:
        ended = world.run(folder, command.arguments, stdout=stdout)
    finally:
        os.close(stdout)
    # The usual end of a program whose reader has gone.
    if device == "closed-pipe" and ended.status == -signal.SIGPIPE:
        return
    if judge(ended):
        raise Failed("is done, although what it says got lost")


def limits(world):
    for command in (NAMED["learn"], NAMED["classify"]) if world.quick else COMMANDS:
        for name in ("memory-100MB", "memory-400MB", "files-16", "no-streams", "no-home") if world.quick else LIMITS:
            yield f"{command.name}/{name}", lambda command=command, name=name: limited(world, command, name)
        for device in ("full", "closed-pipe"):
            yield f"{command.name}/stdout-{device}", lambda command=command, device=device: bad_stdout(world, command, device)


# Files that change while they are read.


def shrink(path):
    os.truncate(path, os.path.getsize(path) // 2)


def empty_file(path):
    os.truncate(path, 0)


def replace_images(path):
    other = open(os.path.join(path, "across", "0.png"), "rb").read()
    for place, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(place, name), "wb") as file:
                file.write(other)


def replace_file(path):
    with open(path + ".new", "wb") as file:
        file.write(b"something else")
    os.rename(path + ".new", path)


def remove_store(path):
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)


def replace_store(path):
    remove_store(path)
    replace_file(path)


CHANGES = {  # command: (file, what happens to it)
    "learn/shrinks": ("learn", "T.npy", shrink),
    "learn/emptied": ("learn", "T.npy", empty_file),
    "learn/removed": ("learn", "T.npy", os.remove),
    "learn-batches/shrinks": ("learn-batches", "T.npy", shrink),
    "learn-batches/emptied": ("learn-batches", "T.npy", empty_file),
    "learn-batches/replaced": ("learn-batches", "T.npy", replace_file),
    "code/shrinks": ("code", "T.npy", shrink),
    "code/emptied": ("code", "T.npy", empty_file),
    "describe/replaced": ("describe", "images", replace_images),
    "describe/removed": ("describe", "images", shutil.rmtree),
    "classify/images-replaced": ("classify", "images", replace_images),
    "classify/images-removed": ("classify", "images", shutil.rmtree),
    "classify/store-removed": ("classify", "W.sqlite", remove_store),
    "classify/store-replaced": ("classify", "W.sqlite", replace_store),
    "sweep/store-removed": ("sweep", "W.sqlite", remove_store),
    "sweep/store-replaced": ("sweep", "W.sqlite", replace_store),
    "sweep/images-replaced": ("sweep", "images", replace_images),
    "sweep/images-removed": ("sweep", "images", shutil.rmtree),
    "rank/emptied": ("rank", "T.npy", empty_file),
}


def changing(world, name, fraction):
    """The change happens at a fraction of the time that the command takes."""
    command, target, change = CHANGES[name]
    command = NAMED[command]
    _, seconds = world.undisturbed(command)
    folder = world.folder(command.inputs)
    path = os.path.join(folder, target)

    def strike():
        try:
            change(path)
        except OSError:
            pass  # not there yet, or not any more
    timer = threading.Timer(fraction * seconds, strike)
    timer.start()
    try:
        ended = world.run(folder, command.arguments)
    finally:
        timer.cancel()
    judge(ended)
    shutil.rmtree(folder, ignore_errors=True)


def folder_removed(world, command, fraction):
    """The folder of the output goes in the middle of the work."""
    _, seconds = world.undisturbed(command)
    folder = world.folder(command.inputs)
    place = os.path.join(folder, "place")
    os.mkdir(place)
    timer = threading.Timer(fraction * seconds, lambda: shutil.rmtree(place, ignore_errors=True))
    timer.start()
    ended = world.run(folder, command.aimed(os.path.join("place", command.outputs[0])))
    timer.cancel()
    if judge(ended) and not os.path.exists(place) and fraction < 0.9 and command.option == "-o":
        pass  # the file was there, and went with its folder
    shutil.rmtree(folder, ignore_errors=True)


def changes(world):
    if world.quick:
        return
    for name in CHANGES:
        for fraction in (0.1, 0.3, 0.5, 0.7, 0.9):
            yield f"{name}/{fraction}", lambda name=name, fraction=fraction: changing(world, name, fraction)
    for command in (NAMED[name] for name in ("learn", "code", "describe", "sweep")):
        for fraction in (0.2, 0.5, 0.8):
            yield (f"{command.name}/folder-removed/{fraction}",
                   lambda command=command, fraction=fraction: folder_removed(world, command, fraction))


# Hostile numbers.

NUMBERS = ("nan", "inf", "-inf", "1e400", "-1", "0", "1e-320", "9223372036854775808", "-9223372036854775809", "", " ", "1e", "0x10",
           "1,5", ";".join(["1"] * 20000), "\u0661", "\x01", "9" * 10000)
KEYS = ("dictionary.atoms", "dictionary.lambda", "dictionary.gamma", "dictionary.iterations", "dictionary.tolerance", "dictionary.sample",
        "dictionary.minibatch", "dictionary.forgetting", "dictionary.rank", "dictionary.seed", "coding.lambda", "coding.gamma")


def hostile(world, name, arguments, inputs):
    """Refused, or done within the deadline."""
    folder = world.folder(inputs)
    judge(world.run(folder, arguments, limits={resource.RLIMIT_AS: 4000 * MB, resource.RLIMIT_CPU: 60}))
    shutil.rmtree(folder)


def numbers(world):
    learn = ["learn", "T.npy", "-o", "D.npz", "--set", "dictionary.iterations=2", "--set", "dictionary.atoms=12"]
    short = ("nan", "1e400", "-1", "9223372036854775808", "")
    for value in short if world.quick else NUMBERS:
        shown = value if len(value) < 30 else f"{value[:8]}-and-so-on"
        shown = shown.encode("unicode_escape").decode()
        for key in KEYS[:2] if world.quick else KEYS:
            yield (f"{key}={shown}", lambda key=key, value=value:
                   hostile(world, key, learn + ["--set", f"{key}={value}"], ("T.npy",)))
        for option in ("--threads", "--seed", "--checkpoint"):
            yield f"learn{option}={shown}", lambda option=option, value=value: hostile(world, option, learn + [option, value], ("T.npy",))
        if value == "" or not world.quick:
            for arguments in (["describe", "images/down/0.png", "-o", "N.npy", "--at", f"{value},{value}"],
                              ["describe", "images/down/0.png", "-o", "N.npy", "--set", f"descriptor.patch={value}"],
                              ["describe", "images/down/0.png", "-o", "N.npy", "--set", f"descriptor.step={value}"],
                              ["describe", "images/down/0.png", "-o", "N.npy", "--set", f"descriptor.sigma-first={value}"],
                              ["describe", "images/down/0.png", "-o", "N.npy", "--set", f"descriptor.gamma-eigen={value}"],
                              ["sparsify", "images/down/0.png", "-o", "S.csv", "--atoms", value],
                              ["rank", "T.npy", "-o", "R.csv", "--samples", value],
                              ["rank", "T.npy", "-o", "R.csv", "--tolerance", value],
                              ["code", "T.npy", "-d", "D0.npz", "-o", "A.npy", "--memory", value],
                              ["predict", "images/down/0.png", "-m", "M0.npz", "--map", "m.png", "--opacity", value],
                              ["predict", "images/down/0.png", "-m", "M0.npz", "--map", "m.png", "--window", value],
                              ["predict", "images/down/0.png", "-m", "M0.npz", "--map", "m.png", "--map-step", value],
                              ["sweep", "s.recipe", "--jobs", value, "--plan"],
                              ["runs", "W0.sqlite", "--show", value],
                              ["runs", "W0.sqlite", "--delete", value],
                              ["runs", "W0.sqlite", "--filter", f"dictionary.atoms>={value}"],
                              ["classify", "r.recipe", "--set", f"dataset.train-per-class={value}"],
                              ["classify", "r.recipe", "--set", f"dataset.splits={value}", "--set", "dictionary.iterations=1"],
                              ["classify", "r.recipe", "--set", f"dataset.block={value}"],
                              ["classify", "r.recipe", "--set", f"classifier.c={value}"],
                              ["classify", "r.recipe", "--set", f"pooling.power={value}"]):
                what = next(word for word in reversed(arguments) if not word == value and not word.startswith("dictionary.iter"))
                yield (f"{arguments[0]}-{what.split('=')[0].lstrip('-')[:30]}={shown}", lambda arguments=arguments:
                       hostile(world, "", arguments, ("T.npy", "D0.npz", "M0.npz", "W0.sqlite", "s.recipe", "r.recipe", "images")))
        if not world.quick:
            for axis in ("lin:{}:1:5", "log:1:{}:3", "lin:0:1:{}", "{};{}"):
                def swept(axis=axis, value=value):
                    folder = world.folder(("images", "r.recipe"))
                    with open(os.path.join(folder, "r.recipe"), "a", encoding="utf-8") as file:
                        file.write("[sweep]\ndictionary.lambda=" + axis.format(value, value) + "\n")
                    judge(world.run(folder, ["sweep", "r.recipe", "--plan"],
                                    limits={resource.RLIMIT_AS: 4000 * MB}))
                    shutil.rmtree(folder)
                yield f"sweep-{axis}={shown}", swept
    for name, head in (("shape", "(9223372036854775807, 56)"), ("negative", "(-1, 56)"), ("product", "(4294967296, 4294967296)"),
                       ("empty", "(0, 56)"), ("scalar", "()")):
        def array(head=head):
            folder = world.folder(())
            text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {head}, }}"
            with open(os.path.join(folder, "T.npy"), "wb") as file:
                file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n")
            if judge(world.run(folder, learn)):
                raise Failed("is done with such an array")
        yield f"npy-{name}", array
