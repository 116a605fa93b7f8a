/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/sweep/sweep.h"

/* A line per run with its varying parameters, by decreasing accuracy; new. */
char *cli_sweep_table (const TosstSweepPlan *plan, const TosstSweepResult *result);
/* The same and further values, in the order of the plan; new. */
JsonObject *cli_sweep_json (const TosstSweepPlan *plan, const TosstSweepResult *result);

/* Estimated time and memory of a sweep, in one or two lines; new. */
char *cli_sweep_estimate_text (const TosstSweepEstimate *estimate);
JsonObject *cli_sweep_estimate_json (const TosstSweepPlan *plan, const TosstSweepEstimate *estimate);
/* A line per run of the plan; new. */
char *cli_sweep_plan_text (const TosstSweepPlan *plan);
