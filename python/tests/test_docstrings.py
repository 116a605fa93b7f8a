# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything public has types, and a docstring of NumPy's sections about its parameters and what it returns."""

import inspect
import re

import pytest

import tosst


def public():
    """Names and functions or classes: all of the package, and the methods that its classes define."""
    for name in tosst.__all__:
        value = getattr(tosst, name)
        if name == "__version__" or inspect.isclass(value) and issubclass(value, Exception):
            continue
        yield name, value
        if inspect.isclass(value):
            for base in value.__mro__:
                if base.__module__.startswith("tosst"):
                    yield from ((f"{name}.{method}", getattr(value, method)) for method, function in vars(base).items()
                                if not method.startswith("_") and inspect.isroutine(getattr(value, method)))


def section(text, title):
    """The lines of a section, or an empty text."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


@pytest.mark.parametrize("name, value", list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_docstring(name, value):
    text, signature = inspect.getdoc(value) or "", inspect.signature(value)
    assert re.match(r"[A-Z]\w*\b", text), "no summary"
    described = {part.lstrip("*") for line in re.findall(r"^([*\w, ]+?)(?: :.*)?$", section(text, "Parameters"), re.MULTILINE)
                 for part in line.split(", ")}
    parameters = [parameter for parameter in signature.parameters if parameter != "self"]
    assert set(parameters) <= described or tuple in getattr(value, "__mro__", ()), set(parameters) - described
    function = vars(value).get("__init__") if inspect.isclass(value) else value
    types = getattr(function, "__annotations__", {})
    if function is not None:
        assert {*parameters, "return"} <= set(types), "types"
    if inspect.isroutine(value) and types["return"] not in ("None", f"'{name.split('.')[0]}'", f'"{name.split(".")[0]}"'):
        assert section(text, "Returns") or text.startswith("Return"), "what it returns"
