# SPDX-License-Identifier: GPL-3.0-or-later
"""What needs core of the programs, an optional part of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any, List

from ._engine import Call
from ._native import ffi as engine_ffi

_PACKAGES = ("libglib2.0-dev libcairo2-dev libpango1.0-dev libpng-dev libtiff-dev libgdk-pixbuf-2.0-dev libzip-dev "
             "libmatio-dev libjson-glib-dev libsqlite3-dev")


def find_core(what: str) -> Any:
    """Return the binding to core; `what` needs it."""
    try:
        return import_module("tosst._core")
    except ModuleNotFoundError:
        raise ImportError(f"{what} needs libraries of the programs, which this package was built without: on Debian install "
                          f"{_PACKAGES}, then build it again") from None
    except ImportError as error:
        raise ImportError(f"{what} needs libraries of the programs, of which one is missing: {error}") from None


class CoreError:
    """The failure of a call of core, if it has one."""

    def __init__(self, core: Any) -> None:
        self.core = core
        self.c = core.ffi.new("TosstCoreError *")

    def check(self, call: Any = None) -> None:
        """Raise what failed."""
        kind, lib = self.c.kind, self.core.lib
        if kind == lib.TOSST_CORE_FINE:
            return
        text = take_text(self.core, self.c.text)
        if call is not None and call.error is not None:
            raise call.error
        if kind == lib.TOSST_CORE_CANCELLED:
            raise KeyboardInterrupt
        raise (MemoryError if kind == lib.TOSST_CORE_MEMORY else ValueError)(text)


def take_text(core: Any, text: Any) -> str:
    """Return a new text of core, which is freed."""
    result: str = core.ffi.string(text).decode(errors="surrogateescape")
    core.lib.tosst_core_free(text)
    return result


def take_list(core: Any, texts: Any) -> List[str]:
    """Return a new list of texts of core, which is freed."""
    result: List[str] = []
    while texts[len(result)]:
        result.append(core.ffi.string(texts[len(result)]).decode(errors="surrogateescape"))
    core.lib.tosst_core_free_list(texts)
    return result


def context_of(core: Any, call: Call) -> Any:
    """Return the context of a call for core."""
    return core.ffi.cast("TosstContext *", int(engine_ffi.cast("uintptr_t", call.context)))
