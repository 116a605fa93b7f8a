# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tosst/_parameters.py, the parameters of recipes, from the one table of them, which is in C.

    table.py OUTPUT.py recipe.c parameters.c
"""

import re
import sys


def main():
    output, recipe, parameters = sys.argv[1:]
    own = {}
    with open(parameters, encoding="utf-8") as file:
        rows = re.findall(r'\bROW \("([^"]*)",\s*"([^"]*)",\s*[\w.]+,\s*(\w+),\s*"([^"]*)"\)', file.read())
    if not rows:
        sys.exit(f"{parameters}: has no rows of parameters")
    table = {f"{group}.{key}": (default, kind == "TEXT") for group, key, kind, default in rows}
    with open(recipe, encoding="utf-8") as file:
        found = re.search(r"\{([^{}]*)\} own_defaults\[\] = \{(.*?)\n\};", file.read(), re.DOTALL)
    if not found:
        sys.exit(f"{recipe}: has no table own_defaults")
    columns = re.findall(r"\*(\w+)", re.sub(r"/\*.*?\*/", "", found.group(1), flags=re.DOTALL))
    for row in re.findall(r"\{([^{}]*)\}", found.group(2)):
        values = dict(zip(columns, re.findall(r'"([^"]*)"|NULL', row)))
        name = values.pop("name")
        own[name] = {column: value for column, value in values.items() if value}
    with open(output, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-3.0-or-later\n"
                   '"""Parameters of recipes; generated."""\n\n'
                   "# Default as in files, and whether the value is a text.\nTABLE = {\n")
        file.writelines(f"    {name!r}: {row!r},\n" for name, row in table.items())
        file.write("}\n\n# Defaults of some kinds of descriptors and methods of coding.\nOWN = {\n")
        file.writelines(f"    {name!r}: {row!r},\n" for name, row in own.items())
        file.write("}\n")


main()
