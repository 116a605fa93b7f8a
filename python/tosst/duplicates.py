# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that are there twice."""

from __future__ import annotations

import os
import warnings
from typing import Iterable, List, NamedTuple, Union

from ._engine import Call
from ._io import PathLike
from ._models import CoreError, context_of, find_core, take_list


class ImagePair(NamedTuple):
    """Two images that are the same, or nearly.

    Parameters
    ----------
    first, second : str
        Their paths.
    equal : bool
        Whether their files have the same bytes. False: they look alike, as one image that was encoded again or has
        another size.
    """

    first: str
    second: str
    equal: bool


def find_duplicates(images: Union[PathLike, Iterable[PathLike]]) -> List[ImagePair]:
    """Find images that are there twice: with the same bytes, or encoded again, or of another size.

    A score is too high where one of them trains and the other tests. `tosst classify` keeps those with the same bytes on one
    side and names the others. Turned images and parts of images are not found.

    Parameters
    ----------
    images : path of a folder, or list of paths
        Of a folder the images in it and in its subfolders. Files that cannot be read as images are left out, with a
        warning.

    Returns
    -------
    list of ImagePair
        First those with the same bytes, of more than two each one and the next; then those that look alike.

    Raises
    ------
    ImportError
        If the package was built without the libraries of the programs that read images.

    Examples
    --------
    >>> import numpy as np, os, tempfile, tosst
    >>> image = np.random.default_rng(1).integers(0, 255, (32, 32), np.uint8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.pgm", "b.pgm"):
    ...         with open(os.path.join(folder, name), "wb") as file:
    ...             _ = file.write(b"P5 32 32 255\\n" + image.tobytes())
    ...     [(os.path.basename(a), os.path.basename(b), equal) for a, b, equal in tosst.find_duplicates(folder)]
    [('a.pgm', 'b.pgm', True)]
    """
    core = find_core("find_duplicates()")
    ffi, lib, error = core.ffi, core.lib, CoreError(core)
    if isinstance(images, (str, os.PathLike)):
        listed = lib.tosst_core_list_images(os.fsencode(images), error.c)
        error.check()
        paths = take_list(core, listed)
    else:
        paths = [os.fsdecode(path) for path in images]
    texts = [ffi.new("char[]", os.fsencode(path)) for path in paths]
    count, skipped = ffi.new("size_t *"), ffi.new("char ***")
    with Call() as call:
        pairs = lib.tosst_core_find_pairs(context_of(core, call), ffi.new("char *[]", texts), len(texts), count, skipped, error.c)
        error.check(call)
    found = [ImagePair(paths[pair.first], paths[pair.second], pair.equal) for pair in ffi.unpack(pairs, count[0])] if count[0] else []
    lib.tosst_core_free(pairs)
    unread = take_list(core, skipped[0])
    if unread:
        more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
        warnings.warn(f"{unread[0]}{more}", stacklevel=2)
    return found
