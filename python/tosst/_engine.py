# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of the engine: threads, status, interrupts, progress."""

from __future__ import annotations

import operator
import os
import signal
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Optional, Type

from ._checks import LARGEST, check_whole
from ._native import ffi, lib


class NumericError(ValueError, ArithmeticError):
    """NaN or infinity where values must be finite, or a factorization that failed."""


_ERRORS = {
    lib.TOSST_ERROR_ARGUMENT: ValueError,
    lib.TOSST_ERROR_MEMORY: MemoryError,
    lib.TOSST_ERROR_NUMERIC: NumericError,
}

_lock = threading.Lock()
_calls = 0  # in progress, in all threads
_blas_threads = 0  # of other users of OpenBLAS, to be restored after the last call
_kernel_selected = False
_threads: Optional[int] = None
_progress: "ContextVar[Optional[Callable[[float], object]]]" = ContextVar("tosst_progress", default=None)


def set_threads(threads: Optional[int]) -> None:
    """Set the number of threads of estimators whose `n_jobs` is None.

    Parameters
    ----------
    threads : int or None
        At least 1. None: all processors that this process may use, as in the programs.
    """
    global _threads
    _threads = None if threads is None else check_whole(threads, "threads", 1)


def resolve_threads(n_jobs: Optional[int]) -> int:
    """Return the number of threads for a parameter `n_jobs` of scikit-learn: negative values count from all processors."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return _threads or processors
    try:
        wanted = operator.index(n_jobs)
    except TypeError:
        wanted = 0
    if wanted == 0 or abs(wanted) > LARGEST:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    return wanted if wanted > 0 else max(1, processors + 1 + wanted)


@contextmanager
def progress(report: Any) -> Iterator[None]:
    """Report the progress of all calls inside a `with` block.

    Parameters
    ----------
    report : callable or tqdm bar
        Called with the fraction in (0, 1] of the current call, in the thread that made it; learning reports after each
        iteration. Of an object with `update`, `n` and `total`, such as a bar of tqdm, `update` is called instead: the first call
        takes its total, and each further one adds as much to it, so that the bar only grows. An exception ends the call and is raised
        from it.

    Returns
    -------
    context manager

    Examples
    --------
    >>> import numpy as np, tosst
    >>> fractions = []
    >>> with tosst.progress(fractions.append):
    ...     _ = tosst.TensorDictionaryLearning(3, max_iter=2).fit(np.random.default_rng(1).random((50, 20)))
    >>> fractions
    [0.5, 1.0]

    With a bar of tqdm::

        with tqdm(total=1.0) as bar, tosst.progress(bar):
            codes = coder.transform(tensors)
    """

    is_bar = hasattr(report, "update") and hasattr(report, "n")
    if not is_bar and not callable(report):
        raise ValueError(f"report must be callable or a bar of tqdm, not {report!r}")

    calls = {"before": 0.0, "last": 0.0, "unit": 1.0}

    def advance(fraction: float) -> None:
        """Move a bar, which only grows: a further call adds as much to its total as the first one has."""
        if calls["last"] == 0:
            calls["unit"] = report.total or 1
        elif fraction <= calls["last"]:
            calls["before"] += calls["unit"]
            report.total = calls["before"] + calls["unit"]
        calls["last"] = fraction
        report.update(max(0, calls["before"] + calls["unit"] * fraction - report.n))

    token = _progress.set(advance if is_bar else report)
    try:
        yield
    finally:
        _progress.reset(token)


def blas() -> Dict[str, Optional[str]]:
    """Describe the BLAS library that the engine uses.

    Returns
    -------
    dict
        `name`, `version`, `kernel` (None for libraries other than OpenBLAS) and `file`.

    Examples
    --------
    >>> import tosst
    >>> sorted(tosst.blas())
    ['file', 'kernel', 'name', 'version']
    """
    library = ffi.new("TosstBlasLibrary *")
    _select_kernel()
    lib.tosst_blas_describe(library)
    return {
        name: ffi.string(value).decode(errors="replace") if value else None
        for name, value in (("name", library.name), ("version", library.version), ("kernel", library.kernel),
                            ("file", library.file))
    }


def _select_kernel() -> None:
    """Select the kernel that the programs select: the bits depend on it."""
    global _kernel_selected
    with _lock:
        if not _kernel_selected:
            wanted = os.environ.get("OPENBLAS_CORETYPE", "")
            lib.tosst_blas_select_kernel(wanted.encode())
            _kernel_selected = True


def _may_interrupt() -> bool:
    return threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT))


class Call:
    """A computation of the engine: a context of its own for the duration of a `with` block."""

    def __init__(self, n_jobs: Optional[int] = None, report: Optional[Callable[[Dict[str, Any]], object]] = None) -> None:
        self.threads = resolve_threads(n_jobs)
        self.report = report  # called after each iteration of learning
        self.error: Optional[BaseException] = None  # of a callback
        self.iterations = 1  # of learning, at most
        self.shown = 0.0  # progress
        self.history: List[Dict[str, Any]] = []  # of learning
        self.state: List[bytes] = []  # of learning in batches, if it is to be kept
        self.state_done, self.state_objective = 0, 0.0
        self.context = ffi.NULL

    def __enter__(self) -> "Call":
        global _calls, _blas_threads
        _select_kernel()
        with _lock:
            if _calls == 0:
                _blas_threads = lib.tosst_python_blas_threads(0)
            _calls += 1
        self.context = lib.tosst_context_new(self.threads)
        if not self.context:
            self._leave()
            raise MemoryError(f"{self.threads} threads could not be started")
        self.handle = ffi.new_handle(self)
        self.show = _progress.get()
        if self.show:
            lib.tosst_context_set_progress(self.context, lib.tosst_python_progress, self.handle)
        self.watches = _may_interrupt()
        if self.watches:
            self.watched = lib.tosst_python_watch(self.context)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        if self.watches:
            lib.tosst_python_watch(self.watched)
        lib.tosst_context_free(self.context)
        self.context = ffi.NULL
        self._leave()
        if kind is None:
            self.advance(1.0)

    def _leave(self) -> None:
        global _calls
        with _lock:
            _calls -= 1
            if _calls == 0:
                lib.tosst_python_blas_threads(_blas_threads)

    def run(self, function: Callable[..., int], *arguments: Any, keeps: bool = False) -> bool:
        """Call the engine without the GIL.

        Returns whether it ran to its end. With `keeps` the exception StopIteration of a callback ends it early and False is
        returned; all other failures are raised.
        """
        status = function(self.context, *arguments)
        if self.error is not None:
            if keeps and isinstance(self.error, StopIteration):
                return False
            raise self.error
        if status == lib.TOSST_CANCELLED:
            if keeps and self.state:
                return False
            raise KeyboardInterrupt
        if status != lib.TOSST_OK:
            raise _ERRORS[status](ffi.string(lib.tosst_context_message(self.context)).decode(errors="replace"))
        return True

    def show_also(self, report: Callable[[float], object]) -> None:
        """Report the progress of this call to a function, too."""
        others = self.show

        def both(fraction: float) -> None:
            report(fraction)
            if others:
                others(fraction)

        self.show = both
        lib.tosst_context_set_progress(self.context, lib.tosst_python_progress, self.handle)

    def span(self, low: float, high: float) -> None:
        """Let the next calls of the engine report their progress from `low` to `high`; nothing if these are equal."""
        lib.tosst_context_set_range(self.context, ffi.new("TosstRange *", (low, high))[0])

    def advance(self, fraction: float) -> None:
        """Report progress, which only grows."""
        if self.show and self.error is None and fraction > self.shown:
            self.shown = fraction
            self.show(fraction)

    def stop(self, error: BaseException) -> None:
        """End the computation with an error of a callback."""
        if self.error is None:
            self.error = error
        lib.tosst_context_cancel(self.context)


def _on_error(kind: Type[BaseException], value: BaseException, traceback: Any) -> None:
    """End the computation, also by an interrupt that Python handles in a callback."""
    ffi.from_handle(traceback.tb_frame.f_locals["data"]).stop(value)


@ffi.def_extern(onerror=_on_error)  # type: ignore[misc]
def tosst_python_progress(fraction: float, data: Any) -> None:
    ffi.from_handle(data).advance(fraction)


_ITERATION = ("iteration", "seconds", "objective", "fit", "proximity", "sparsity", "mean_nonzeros", "unused_atoms",
              "worst_kkt")


@ffi.def_extern(onerror=_on_error)  # type: ignore[misc]
def tosst_python_iteration(iteration: Any, dictionary: Any, usage: Any, data: Any) -> None:
    call = ffi.from_handle(data)
    row = {name: getattr(iteration, name) for name in _ITERATION}
    call.history.append(row)
    if call.report and call.error is None:
        call.report(dict(row))
    call.advance(row["iteration"] / call.iterations)


@ffi.def_extern(onerror=_on_error)  # type: ignore[misc]
def tosst_python_state(state: Any, data: Any) -> None:
    """Keep the state after a batch, and end learning there."""
    call = ffi.from_handle(data)
    call.state = [bytes(ffi.buffer(part.data, part.bytes)) if part.bytes else b"" for part in state.part]
    call.state_done, call.state_objective = state.done, state.objective
    lib.tosst_context_cancel(call.context)
