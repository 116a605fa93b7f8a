# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of parameters: of an invalid one ValueError says the name, what is valid, and the value."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence

# The largest int of C.
LARGEST = 2**31 - 1


def check_whole(value: Any, name: str, low: int, high: int = LARGEST) -> int:
    """Return a whole number from `low` to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        limit = f" and at most {high}" if number > high else ""
        raise ValueError(f"{name} must be a whole number of at least {low}{limit}, not {value!r}")
    return number


def check_number(value: Any, name: str, low: float = -math.inf, high: float = math.inf, *, above: bool = False,
                 infinite: bool = False) -> float:
    """Return a number from `low`, which is excluded with `above`, to `high`; infinity only with `infinite`."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (low <= number <= high) or above and number == low or math.isinf(number) and not infinite:
        first = "" if math.isinf(low) else f" above {low:g}" if above else f" of at least {low:g}"
        last = "" if math.isinf(high) else f" and at most {high:g}"
        raise ValueError(f"{name} must be a number{first}{last}, not {value!r}")
    return number


def check_choice(value: Any, name: str, choices: Sequence[Optional[str]]) -> Any:
    """Return one of some words."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        words = [str(choice) for choice in choices]
        raise ValueError(f"{name} must be {', '.join(words[:-1])} or {words[-1]}, not {value!r}")
    return value
