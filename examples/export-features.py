#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""export-features.py IMAGES OUT: writes a map of local features, OUT/SUB/NAME.npy, for each IMAGES/SUB/NAME.ppm or .pgm.

Needs NumPy only. features() stands for any extractor: replace it, and read(), by your own.
"""

import pathlib
import re
import sys

import numpy as np

CELL = 8  # pixels between two features
BINS = 8  # orientations


def read(path):
    """A binary PGM or PPM image as (height, width, channels), from 0 to 1."""
    data = path.read_bytes()
    head = re.match(rb"P([56])\s+(?:#.*\n\s*)*(\d+)\s+(\d+)\s+255\s", data)
    if head is None:
        sys.exit(f"{path}: is no binary PGM or PPM image of 8 bits")
    kind, width, height = (int(number) for number in head.groups())
    pixels = np.frombuffer(data, np.uint8, offset=head.end())
    return pixels.reshape(height, width, 1 if kind == 5 else 3) / 255.0


def features(image):
    """A map (rows, columns, D): mean grey value, and gradients by orientation, of cells of CELL x CELL pixels."""
    grey = image.mean(axis=2)
    dy, dx = np.gradient(grey)
    bins = (np.arctan2(dy, dx) / (2 * np.pi) * BINS).astype(int) % BINS
    planes = [grey] + [np.hypot(dx, dy) * (bins == bin) for bin in range(BINS)]
    rows, columns = grey.shape[0] // CELL, grey.shape[1] // CELL
    cells = np.stack(planes, axis=2)[: rows * CELL, : columns * CELL]
    return cells.reshape(rows, CELL, columns, CELL, -1).mean(axis=(1, 3))


def main(images, out):
    for path in sorted(images.rglob("*.p[gp]m")):
        target = out / path.relative_to(images).with_suffix(".npy")
        target.parent.mkdir(parents=True, exist_ok=True)
        np.save(target, features(read(path)).astype(np.float32))


if len(sys.argv) != 3:
    sys.exit(__doc__.splitlines()[0])
main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
