/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "sweep.h"

/* A line per run, the most accurate first, with what varies; new. */
char *cli_sweep_table (const TosstSweepPlan *plan, const TosstSweepResult *result);
/* The same and more, in the order of the plan; new. */
JsonObject *cli_sweep_json (const TosstSweepPlan *plan, const TosstSweepResult *result);
