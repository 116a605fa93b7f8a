# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the C source of a module that binds a header: tosst._native has every function of include/tosst and the helpers of
native.c, tosst._core those of core.h.

    bind.py MODULE OUTPUT.c DEPENDENCIES SOURCE.c HEADER COMPILER...

SOURCE is part of it. The declarations are those of the headers themselves, as the preprocessor gives them, so that the compiler checks each call.
"""

import os
import re
import subprocess
import sys

import cffi

# Functions of native.c, and those of Python that C calls.
HELPERS = {"tosst._native": """
typedef struct { const void *rows; size_t m; bool wide; size_t n, next; } TosstPythonRows;
TosstStatus tosst_python_read (size_t first, size_t count, float *out, void *rows);
TosstStatus tosst_python_read_next (size_t first, size_t count, float *out, void *rows);
bool tosst_python_in_range (TosstContext *context, const void *values, size_t n, bool wide);
void tosst_python_free (void *memory);
void tosst_python_draw_rows (size_t rows, size_t count, uint64_t seed, int64_t *number);
TosstContext *tosst_python_watch (TosstContext *context);
int tosst_python_blas_threads (int threads);
extern "Python" void tosst_python_progress (double fraction, void *data);
extern "Python" void tosst_python_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary,
                                             const double *usage, void *data);
extern "Python" void tosst_python_state (const TosstLearnState *state, void *data);
"""}


def declarations(header, output, dependencies, compiler):
    """Returns the declarations of the header and of those in its folder."""
    folder = os.path.dirname(os.path.abspath(header))
    text = subprocess.run(
        [*compiler, "-E", "-MD", "-MF", dependencies, "-MT", output, "-D__attribute__(x)=",
         "-I", os.path.dirname(folder), "-include", os.path.abspath(header), "-x", "c", os.devnull], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    kept, inside = [], False
    for line in text.splitlines():
        marker = re.match(r'#(?:line)? *\d+ "(.*?)"', line)
        if marker:
            inside = os.path.dirname(os.path.abspath(marker.group(1))) == folder
        elif inside and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def main():
    module, output, dependencies, source, header, *compiler = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(header, output, dependencies, compiler) + HELPERS.get(module, ""))
    with open(source) as file:
        ffi.set_source(module, file.read())
    ffi.emit_c_code(output)


main()
