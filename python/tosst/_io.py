# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are read, and files that are written as a whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Iterator, Optional, Union

PathLike = Union[str, "os.PathLike[str]"]


def check_regular(path: PathLike, info: os.stat_result) -> None:
    """Raise an error unless a file is one with content: a device may have no end, and a pipe no beginning."""
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(info.st_mode):
        raise ValueError(f"{os.fspath(path)} is not a regular file")
    if info.st_size == 0:
        raise ValueError(f"{os.fspath(path)} is not a file of the programs: it is empty")


@contextmanager
def reading(path: PathLike) -> Iterator[BinaryIO]:
    """Open a regular file that is not empty."""
    check_regular(path, os.stat(path))
    # Another file may be there now, which must not block.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    with file:
        check_regular(path, os.fstat(file.fileno()))
        yield file


def _find_target(path: str) -> "tuple[str, Optional[os.stat_result]]":
    """Return the file behind symbolic links, and what it is if it exists."""
    try:
        info = os.stat(path)
    except FileNotFoundError:
        return os.path.realpath(path), None
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(info.st_mode):
        raise ValueError(f"{path} is not a regular file and cannot be replaced")
    return os.path.realpath(path), info


class replacing:
    """A file for writing under a temporary name in the same folder, which takes the place of `path` if the `with` block succeeds.

    Symbolic links are followed. An existing file keeps its permissions; those of a new one are those of any new file.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)

    def __enter__(self) -> Any:
        self.target, info = _find_target(self.path)
        self.temporary = os.path.join(os.path.dirname(self.target), f".tosst-{secrets.token_hex(8)}")
        handle = os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self.file = os.fdopen(handle, "wb")
        try:
            if info is not None:
                os.fchmod(handle, stat.S_IMODE(info.st_mode) & 0o777)
        except BaseException:
            self._abandon()
            raise
        return self.file

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        try:
            if kind is None:
                self.file.flush()
                os.fsync(self.file.fileno())
                self.file.close()
                os.replace(self.temporary, self.target)
                return
        except BaseException:
            self._abandon()
            raise
        self._abandon()

    def _abandon(self) -> None:
        with suppress(OSError):  # of what could not be written
            self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self.temporary)
