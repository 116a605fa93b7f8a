# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of power cuts: a command is recorded once, and cut after any of its operations."""

import os
import shutil
import uuid

from cases import go_on, is_old, old_outputs, seeded
from commands import LONG, NAMED
from cuts import MODES, disk_at
from world import Failed, left_over, outputs, same, whole


def recorded(world, command):
    """The folder that it worked in, one as it was before, and its operations."""
    if command.name not in world.records:
        before, folder = world.folder(command.inputs), world.folder(command.inputs)
        if not command.resumed:
            old_outputs(before, command)
            old_outputs(folder, command)
        world.records[command.name] = (folder, before, world.record(command, folder))
    return world.records[command.name]


def check_outputs(world, command, folder, expected, where):
    """Each is the old one or the new one; a store is sound."""
    for name in command.outputs:
        path = os.path.join(folder, name)
        if name.endswith(".sqlite"):
            world.whole_store(folder, name)
        elif not os.path.lexists(path):
            if not command.resumed and "." in name:
                raise Failed(f"{name}: the old file is lost {where}")
        elif not os.path.isdir(path) and not is_old(path) and whole(folder, name) != expected[name]:
            raise Failed(f"{name}: neither the old file nor the new one {where}")


def cut_power(world, command, index):
    expected, _ = world.undisturbed(command)
    folder, before, operations = recorded(world, command)
    chance = seeded(world, "cut", command.name, index)
    mode = MODES[index % len(MODES)]
    # One in five when the command has ended, and said so.
    cut = len(operations) if chance.random() < 0.2 else chance.randrange(len(operations))
    where = f"after operation {cut} of {len(operations)} ({mode})"
    target = world.folder()
    disk_at(folder, before, operations, cut).write(target, mode, chance)
    check_outputs(world, command, target, expected, where)
    if cut == len(operations):
        missing = [name for name in command.outputs if "." in name and not os.path.exists(os.path.join(target, name))
                   or os.path.isfile(os.path.join(target, name)) and is_old(os.path.join(target, name))]
        if missing:
            raise Failed(f"{', '.join(missing)}: lost although the command had said that it was done ({mode})")
    boot = os.path.join(world.work, "boot")
    with open(boot, "w", encoding="ascii") as file:
        file.write(f"{uuid.uuid4()}\n")
    for name in command.outputs:
        path = os.path.join(target, name)
        if os.path.isfile(path) and is_old(path):
            os.remove(path)
    go_on(world, target, command, preload={"boot": boot})
    same(outputs(target, command), expected)
    rest = left_over(target)
    if rest:
        raise Failed(f"left after going on, {where}: {', '.join(rest)}")
    shutil.rmtree(target)


def cuts(world, count):
    chosen = (NAMED["learn"], NAMED["sweep"]) if world.quick else LONG + (NAMED["export-mat"], NAMED["predict"])
    for index in range(count):
        command = chosen[index % len(chosen)]
        yield f"{command.name}/{index}", lambda command=command, index=index: cut_power(world, command, index // len(chosen))
