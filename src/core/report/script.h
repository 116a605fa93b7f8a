/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/run.h"

/* A program that repeats a run: for a shell, or for Python with the package tosst. Both take the folder of their results
 * as argument, use the program that the variable TOSST names, and print the accuracy beside that of the run. */
typedef enum
{
  TOSST_SCRIPT_SHELL,
  TOSST_SCRIPT_PYTHON,
  TOSST_N_SCRIPTS,
} TosstScriptKind;

const char *tosst_script_name (TosstScriptKind kind); /* "shell", "python" */

/* In English and the C locale, whatever the language of the program. New; NULL with TOSST_FAILED_INPUT for a run of a
 * version with other parameters. */
char *tosst_script_new (const TosstReportRun *run, TosstScriptKind kind, GError **error);
