# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: the parameters of a job, as in the files of the programs."""

from __future__ import annotations

import difflib
import io
import os
import re
from typing import Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._io import reading
from ._parameters import OWN, TABLE

Value = Union[None, bool, int, float, str]

# Parameters on which defaults of others depend.
_SETS_DEFAULTS = ("descriptor.kind", "coding.method", "descriptor.frames")

# Columns of OWN.
_KINDS = {"lbp": "lbp", "image-covariance": "covariance", "invariant-covariance": "invariant", "combined": "combined"}


def _own_default(key: str, kind: str, method: str, frames: str) -> Optional[str]:
    """Return the default that depends on descriptor.kind, descriptor.frames and coding.method, if there is one."""
    if key == "descriptor.spatial" and frames == "keypoints":
        return "none"
    local = method if method in ("sparse", "span", "fisher") else "plain"
    return OWN.get(key, {}).get(local if kind in ("sift", "features") else _KINDS.get(kind, ""))


def _unknown(key: str) -> str:
    near = difflib.get_close_matches(key, TABLE, 1)
    return f"unknown key {key}" + (f"; did you mean {near[0]}?" if near else "")


def _pairs(text: str, name: str) -> Iterator["tuple[int, str, str]"]:
    """Yield line, group.key and value."""
    group = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        if not equals or not group:
            raise ValueError(f"{name}, line {number}: expected key=value in a [group], or a comment that begins with #")
        yield number, f"{group}.{key.strip()}", value.strip()


_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def _escape(value: str) -> str:
    """Return a value as GLib's key files have it."""
    for character in "\\\n\r":
        value = value.replace(character, "\\" + {"\n": "n", "\r": "r"}.get(character, character))
    rest = value.lstrip(" \t")
    return value[:len(value) - len(rest)].replace(" ", "\\s").replace("\t", "\\t") + rest


def _unescape(text: str) -> str:
    def replace(match: "re.Match[str]") -> str:
        if match.group(1) not in _ESCAPES:
            raise ValueError(f"invalid escape {match.group()}")
        return _ESCAPES[match.group(1)]

    return re.sub(r"\\(.?)", replace, text)


def _to_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text or None


def _to_text(value: Value) -> str:
    if value is None:
        return ""
    if hasattr(value, "item"):  # of NumPy
        value = value.item()
    return str(value).lower() if isinstance(value, bool) else str(value)


class Recipe(Mapping[str, Value]):
    """Parameters of a job by `group.key`, such as `dictionary.atoms`, with the defaults of the programs.

    `tosst recipe --explain KEY` explains a parameter. Values are bool, int, float or str; None stands for a default that is
    derived from other values.

    Parameters
    ----------
    values : mapping, optional
        Those that are not the defaults.

    Examples
    --------
    >>> import tosst
    >>> recipe = tosst.Recipe({"dictionary.atoms": 500})
    >>> recipe["dictionary.atoms"], recipe["dictionary.scheme"]
    (500, 'psd')
    >>> print(recipe.to_text())
    [dictionary]
    atoms=500
    <BLANKLINE>
    """

    def __init__(self, values: Optional[Mapping[str, Value]] = None) -> None:
        self._changes: Dict[str, str] = {}
        for key, value in (values or {}).items():
            self._change(key, _to_text(value))

    def _change(self, key: str, text: str) -> None:
        if key not in TABLE:
            raise ValueError(_unknown(key))
        self._changes[key] = text

    def _text(self, key: str) -> str:
        if key in self._changes:
            return self._changes[key]
        kind, method, frames = (self._changes.get(name, TABLE[name][0]) for name in _SETS_DEFAULTS)
        own = _own_default(key, kind, method, frames)
        return TABLE[key][0] if own is None else own

    def __getitem__(self, key: str) -> Value:
        if key not in TABLE:
            raise KeyError(key)
        text, is_text = self._text(key), TABLE[key][1]
        return (text or None) if is_text else _to_value(text)

    def __iter__(self) -> Iterator[str]:
        return iter(TABLE)

    def __len__(self) -> int:
        return len(TABLE)

    def __repr__(self) -> str:
        return f"Recipe({ {key: self[key] for key in self._changes} })"

    def to_text(self, only_changes: bool = True, active: bool = False) -> str:
        """Return the text of a recipe file.

        Parameters
        ----------
        only_changes : bool
            Leave out values that were not given.
        active : bool
            Leave out values that have no effect; see :meth:`why_inactive`.

        Returns
        -------
        str
        """
        lines: List[str] = []
        group = ""
        for key in TABLE:
            if only_changes and key not in self._changes or active and self.why_inactive(key) is not None:
                continue
            if key.split(".")[0] != group:
                group = key.split(".")[0]
                lines += ["", f"[{group}]"] if lines else [f"[{group}]"]
            lines.append(f"{key.split('.')[1]}={_escape(self._text(key))}")
        return "".join(line + "\n" for line in lines)

    def why_inactive(self, key: str) -> Optional[str]:
        """Return why a parameter has no effect with the other values, or None if it has one.

        The programs do not show such a parameter, and do not count it in what tells runs apart.

        Parameters
        ----------
        key : str
            `group.key`.

        Returns
        -------
        str or None

        Raises
        ------
        ImportError
            If the package was built without the libraries of the programs.

        Examples
        --------
        >>> import tosst
        >>> tosst.Recipe({"dictionary.rank": 3}).why_inactive("dictionary.rank")
        'Only for low-rank atoms'
        >>> tosst.Recipe({"dictionary.rank": 3, "dictionary.scheme": "low-rank"}).why_inactive("dictionary.rank")
        """
        from ._models import CoreError, find_core, take_text

        if key not in TABLE:
            raise ValueError(_unknown(key))
        core = find_core("Recipe.why_inactive()")
        error = CoreError(core)
        reason = core.lib.tosst_core_why_inactive(self.to_text().encode("utf-8", "surrogateescape"), key.encode(), error.c)
        error.check()
        return take_text(core, reason) if reason else None

    def differences(self, other: Optional["Recipe"] = None, active: bool = False) -> Dict[str, "Tuple[Value, Value]"]:
        """Return the values that differ from those of another recipe.

        Parameters
        ----------
        other : Recipe, optional
            None: the defaults, which may depend on kind of descriptor and method of coding.
        active : bool
            Leave out what has no effect in either of them; see :meth:`why_inactive`.

        Returns
        -------
        dict
            By `group.key` the value here and the other one.

        Examples
        --------
        >>> import tosst
        >>> recipe = tosst.Recipe({"dictionary.atoms": 500, "dictionary.rank": 3})
        >>> recipe.differences()
        {'dictionary.atoms': (500, 200), 'dictionary.rank': (3, None)}
        >>> recipe.differences(active=True)
        {'dictionary.atoms': (500, 200)}
        """
        base = Recipe({key: self[key] for key in _SETS_DEFAULTS}) if other is None else other
        found = {}
        for key in TABLE:
            theirs = TABLE[key][0] if other is None and key in _SETS_DEFAULTS else base._text(key)
            values = self[key], (theirs or None) if TABLE[key][1] else _to_value(theirs)
            if values[0] != values[1] and not (active and self.why_inactive(key) is not None
                                               and (other is None or other.why_inactive(key) is not None)):
                found[key] = values
        return found

    @classmethod
    def parse(cls, text: str, name: str = "recipe") -> "Recipe":
        """Return the recipe of a text.

        Parameters
        ----------
        text : str
            As in a file.
        name : str
            For errors, which also name the line.

        Examples
        --------
        >>> import tosst
        >>> tosst.Recipe.parse("[dictionary]\\natoms=50")
        Recipe({'dictionary.atoms': 50})
        """
        recipe = cls()
        for number, key, value in _pairs(text, name):
            try:
                recipe._change(key, _unescape(value))
            except ValueError as error:
                raise ValueError(f"{name}, line {number}: {error}") from None
        return recipe

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "Recipe":
        """Read a recipe file of the programs.

        Parameters
        ----------
        path : path
        """
        try:
            with reading(path) as file:
                text = io.TextIOWrapper(file, encoding="utf-8").read()
        except UnicodeDecodeError as error:
            raise ValueError(f"{os.fspath(path)} is not a recipe: {error}") from None
        return cls.parse(text, os.fspath(path))
