# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning of dictionaries."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from ._arrays import check_range, pointer
from ._code import Options, Problem, code, objective
from ._engine import Call
from ._native import ffi, lib
from .dictionary import Dictionary, dictionary_from_c
from .shapes import Shape

SCHEMES = ("psd", "low-rank", "free", "full")
SOLVERS = ("exact", "pqn", "gradient")
INITS = ("slices", "random")


class Settings(NamedTuple):
    """Parameters of learning, resolved: those of the programs."""

    atoms: int
    problem: Problem
    scheme: str
    rank: int
    iterations: int
    tolerance: float
    seed: int
    solver: str
    init: str
    eta: float
    signed_b: bool
    batch: int  # 0: all tensors at once
    forgetting: float


class Learned(NamedTuple):
    """A dictionary, the rows of the trace, and with `online` the state after a batch."""

    dictionary: Dictionary
    history: List[Dict[str, Any]]
    online: Optional["Online"] = None


class Online(NamedTuple):
    """State between batches."""

    parts: List[bytes]
    done: int
    objective: float


def _options(settings: Settings) -> Any:
    options = ffi.new("TosstLearnOptions *")
    lib.tosst_learn_options_default(options)
    options.atoms, options.rank = settings.atoms, settings.rank
    options.scheme, options.solver = SCHEMES.index(settings.scheme), SOLVERS.index(settings.solver)
    options.init = INITS.index(settings.init)
    options.problem = settings.problem.c
    options.iterations, options.tolerance = settings.iterations, settings.tolerance
    options.seed, options.eta, options.signed_b = settings.seed, settings.eta, settings.signed_b
    return options


def _run(initial: Optional[Dictionary] = None) -> Any:
    run = ffi.new("TosstLearnRun *")
    if initial is not None:
        run.initial = initial.c
    return run


def _free_dictionary(cell: Any) -> None:
    lib.tosst_dictionary_free(cell[0])


def _new_dictionary_cell() -> Any:
    """Return a pointer to a dictionary that is freed with it, also after an exception."""
    return ffi.gc(ffi.new("TosstDictionary **"), _free_dictionary)


def _rows(tensors: np.ndarray) -> Any:
    return ffi.new("TosstPythonRows *", (pointer(tensors), tensors.shape[1], tensors.dtype == np.float64, len(tensors), 0))


def _minibatch(batch: int, forgetting: float) -> Any:
    minibatch = ffi.new("TosstMinibatchOptions *")
    lib.tosst_minibatch_options_default(minibatch)
    minibatch.batch, minibatch.forgetting = batch, forgetting
    return minibatch


def draw_rows(rows: int, count: int, seed: int) -> np.ndarray:
    """Return the numbers of the rows that `tosst learn` draws from a file of `rows` tensors, ascending."""
    number = np.empty(min(rows, count), dtype=np.int64)
    lib.tosst_python_draw_rows(rows, len(number), seed, pointer(number))
    return number


def learn(tensors: np.ndarray, shape: Shape, settings: Settings, n_jobs: Optional[int] = None,
          report: Optional[Callable[[Dict[str, Any]], object]] = None, initial: Optional[Dictionary] = None) -> Learned:
    """Learn a dictionary from C-ordered tensors (N, m) of float32 or float64; float64 is rounded."""
    options, run, cell, layout = _options(settings), _run(initial), _new_dictionary_cell(), shape.layout()
    with Call(n_jobs, report) as call:
        call.iterations = settings.iterations
        call.span(0, 0)
        if settings.batch:
            rows = _rows(tensors)
            stream = ffi.new("TosstStream *", (ffi.addressof(lib, "tosst_python_read"), rows, len(tensors)))
            minibatch = _minibatch(settings.batch, settings.forgetting)
            call.run(lib.tosst_learn_minibatch, layout, stream, options, minibatch, run, lib.tosst_python_iteration,
                     call.handle, cell, keeps=True)
        else:
            check_range(call, tensors, "X")
            own = np.ascontiguousarray(tensors, dtype=np.float32)
            call.run(lib.tosst_learn, layout, pointer(own), len(own), options, run, lib.tosst_python_iteration, call.handle,
                     cell, keeps=True)
        return Learned(dictionary_from_c(cell[0]), call.history)


def initial_atoms(tensors: np.ndarray, shape: Shape, settings: Settings, n_jobs: Optional[int] = None) -> Dictionary:
    """Return the atoms from which learning would start."""
    options, layout = _options(settings), shape.layout()
    with Call(n_jobs) as call:
        check_range(call, tensors, "X")
        own = np.ascontiguousarray(tensors, dtype=np.float32)
        stepper = ffi.gc(ffi.new("TosstStepper **"), _free_stepper)
        call.run(lib.tosst_stepper_new, layout, pointer(own), len(own), options, ffi.NULL, 0, stepper)
        return dictionary_from_c(lib.tosst_stepper_dictionary(stepper[0]))


def _free_stepper(cell: Any) -> None:
    if cell[0]:
        lib.tosst_stepper_free(cell[0])


# Batches of the stream of which one is given at a time: after as many as that without a use an atom is replaced.
_EPOCH = 1000


def learn_batch(tensors: np.ndarray, shape: Shape, settings: Settings, initial: Dictionary, online: Optional[Online] = None,
                n_jobs: Optional[int] = None) -> Learned:
    """Take one step of online dictionary learning, from a batch of C-ordered tensors."""
    options, run, cell, layout = _options(settings), _run(), _new_dictionary_cell(), shape.layout()
    # Some more rows than needed, for a batch is made of whole runs of rows; see tosst_python_read_next().
    batch = max(len(tensors), settings.atoms) * 5 // 4 + 1
    rows, minibatch = _rows(tensors), _minibatch(batch, settings.forgetting)
    stream = ffi.new("TosstStream *", (ffi.addressof(lib, "tosst_python_read_next"), rows, _EPOCH * batch))
    # The state is given between batches. Learning is ended there.
    options.iterations, options.tolerance = (online.done if online else 0) // _EPOCH + 2, 0
    run.state, state, kept = lib.tosst_python_state, ffi.new("TosstLearnState *"), []
    if online:
        state.dictionary, state.done, state.objective = initial.c, online.done, online.objective
        for part, data in zip(state.part, online.parts):
            kept.append(ffi.from_buffer(data))
            part.data, part.bytes = kept[-1], len(data)
        run.resume = state
    else:
        run.initial = initial.c
    with Call(n_jobs) as call:
        check_range(call, tensors, "X")
        run.state_data = call.handle
        call.run(lib.tosst_learn_minibatch, layout, stream, options, minibatch, run, lib.tosst_python_iteration, call.handle,
                 cell, keeps=True)
        result = Online(call.state, call.state_done, call.state_objective)
        row = _batch_row(tensors, online, result)
    if row is None:
        row = _evaluate(tensors, initial, settings.problem, n_jobs)
    return Learned(dictionary_from_c(cell[0]), [row], result)


_SUMS = ("objective", "fit", "proximity", "sparsity")


def _epoch(online: Optional[Online]) -> Dict[str, float]:
    """The sums over the batches of an epoch so far: the second iteration in the last part of a state."""
    if online is None:
        return dict.fromkeys((*_SUMS, "mean_nonzeros"), 0.0)
    data = ffi.from_buffer(online.parts[-1])
    epoch = ffi.cast("TosstIteration *", data)[1]
    return {name: getattr(epoch, name) for name in (*_SUMS, "mean_nonzeros")}


def _batch_row(tensors: np.ndarray, before: Optional[Online], after: Online) -> Optional[Dict[str, Any]]:
    """What a batch added to the sums of an epoch, or None if it has ended this."""
    if after.done % _EPOCH == 0:
        return None
    old, new = _epoch(before), _epoch(after)
    row = {name: new[name] - old[name] for name in new}
    row["mean_nonzeros"] /= len(tensors)
    return {"n_samples": len(tensors), **row}


def _evaluate(tensors: np.ndarray, dictionary: Dictionary, problem: Problem, n_jobs: Optional[int]) -> Dict[str, Any]:
    """The same of a batch, by coding it."""
    parts, options = np.empty((len(tensors), 3)), Options(problem)
    with Call(n_jobs) as call:
        codes = code(call, np.ascontiguousarray(tensors, dtype=np.float32), dictionary, options)
        total = objective(call, tensors, codes, dictionary, options, parts).sum()
    sums = dict(zip(_SUMS, [float(total), *parts.sum(axis=0).tolist()]))
    return {"n_samples": len(tensors), **sums, "mean_nonzeros": np.count_nonzero(codes) / len(tensors)}
