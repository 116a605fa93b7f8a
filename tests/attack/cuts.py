# SPDX-License-Identifier: GPL-3.0-or-later
"""Power cuts: replays what a command did to its folder, up to a cut, and makes the states that a file system may leave.

What a file held when it was last synced is there. Of what was written since then, any writes may be missing, and one may
be there in part (by sectors of 512 bytes); the length may have arrived without the data, as zeros. Of the names that
changed since their folder was last synced, either the first so many changes are there, as in a file system with a journal,
or any of them, in the hardest mode. SQLite counts on more than POSIX gives in one case: what is in a file that was synced
stays readable under the name that it was created with."""

import os
import struct

HEAD = struct.Struct("<cchIq")
SECTOR = 512
MODES = ("nothing", "all", "some", "torn", "zeros", "hardest")


class Operation:
    def __init__(self, kind, fresh, fd, place, payload):
        self.kind, self.fresh, self.fd, self.place, self.payload = kind, fresh, fd, place, payload

    def paths(self):
        return [part.decode("utf-8", "surrogateescape") for part in self.payload.split(b"\0")[:-1]]


def read_record(path):
    found = []
    with open(path, "rb") as file:
        while True:
            head = file.read(HEAD.size)
            if len(head) < HEAD.size:
                return found
            kind, fresh, fd, size, place = HEAD.unpack(head)
            found.append(Operation(kind.decode(), fresh.decode("latin-1"), fd, place, file.read(size)))


class File:
    """Content that is safe, and what was done since."""

    def __init__(self, data=b"", time=0):
        self.safe, self.time = bytearray(data), time
        self.since = []  # ("w", place, data) or ("t", length, None)

    def sync(self):
        self.safe = self.apply(self.since)
        self.since = []

    def apply(self, operations, zeros=False):
        data = bytearray(self.safe)
        for kind, place, piece in operations:
            if kind == "t":
                del data[place:]
                data.extend(bytes(place - len(data)))
                continue
            if len(data) < place + len(piece):
                data.extend(bytes(place + len(piece) - len(data)))
            if not zeros:
                data[place:place + len(piece)] = piece
        return data

    def after(self, mode, chance):
        """What may be left of it."""
        if mode == "nothing":
            return self.safe
        if mode == "all":
            return self.apply(self.since)
        if mode == "zeros":
            return self.apply(self.since, zeros=True)
        if mode == "torn" and self.since:
            last = chance.randrange(len(self.since))
            kind, place, piece = self.since[last]
            if kind == "w":
                begin = place - place % SECTOR
                sectors = (place + len(piece) - begin + SECTOR - 1) // SECTOR
                piece = piece[:max(0, begin + SECTOR * chance.randrange(sectors) - place)]
            return self.apply(self.since[:last] + [(kind, place, piece)])
        return self.apply([operation for operation in self.since if chance.random() < 0.5])


class Disk:
    """Names and files as the program sees them, and changes of names since their folder was synced."""

    def __init__(self, folder, inputs):
        self.folder = folder
        self.safe = {}
        for place, _, names in os.walk(inputs):
            for name in names:
                path = os.path.join(folder, os.path.relpath(os.path.join(place, name), inputs))
                with open(os.path.join(place, name), "rb") as file:
                    self.safe[path] = File(file.read(), os.fstat(file.fileno()).st_mtime_ns)
        self.names = dict(self.safe)
        self.changes = []  # (folder, name, file or None)
        self.now = max([file.time for file in self.safe.values()], default=0) + 10**9  # the times of files keep their order
        self.open = {}     # fd: File, or the path of a folder

    def change(self, path, file):
        self.changes.append((os.path.dirname(path), path, file))
        if file is None:
            self.names.pop(path, None)
        else:
            self.names[path] = file

    def move(self, source, target):
        """One change of two names: either both have happened, or none."""
        file = self.names.pop(source, None)
        if file is not None:
            self.names[target] = file
            self.changes.append((os.path.dirname(target), (source, target), file))

    def step(self, operation):
        kind, fd = operation.kind, operation.fd
        self.now += 10**6
        if kind == "o":
            path = operation.paths()[0]
            if operation.fresh == "n":
                self.change(path, File(time=self.now))
            self.open[fd] = File(time=self.now) if operation.fresh == "a" else self.names.get(path, path)
        elif kind == "c":
            self.open.pop(fd, None)
        elif kind == "p":
            self.open[operation.place] = self.open.get(fd)
        elif kind in "wt" and isinstance(self.open.get(fd), File):
            self.open[fd].since.append((kind, operation.place, operation.payload))
            self.open[fd].time = self.now
        elif kind == "s":
            self.sync(self.open.get(fd))
        elif kind == "r":
            self.move(*operation.paths())
        elif kind == "l":
            source, target = operation.paths()
            self.change(target, self.open[fd] if fd >= 0 else self.names[source])
        elif kind == "u":
            self.change(operation.paths()[0], None)

    def sync(self, what):
        if isinstance(what, File):
            what.sync()
        elif what is not None:
            for change in [change for change in self.changes if change[0] == what]:
                self.apply(self.safe, change)
            self.changes = [change for change in self.changes if change[0] != what]

    @staticmethod
    def apply(names, change):
        _, path, file = change
        if isinstance(path, tuple):
            names.pop(path[0], None)
            names[path[1]] = file
        elif file is None:
            names.pop(path, None)
        else:
            names[path] = file

    def left(self, mode, chance):
        """Path: content and time, of one state that a cut now may leave."""
        names = dict(self.safe)
        if mode == "hardest":
            kept = [change for change in self.changes if chance.random() < 0.5]
        elif mode == "nothing":
            kept = []
        elif mode == "all":
            kept = self.changes
        else:
            kept = self.changes[:chance.randrange(len(self.changes) + 1)]
        for change in kept:
            self.apply(names, change)
        return {path: (file.after(mode, chance), file.time) for path, file in names.items()}

    def write(self, target, mode, chance):
        for path, (data, time) in self.left(mode, chance).items():
            path = os.path.join(target, os.path.relpath(path, self.folder))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
            os.utime(path, ns=(time, time))


def disk_at(folder, inputs, operations, cut):
    disk = Disk(folder, inputs)
    for operation in operations[:cut]:
        disk.step(operation)
    return disk
