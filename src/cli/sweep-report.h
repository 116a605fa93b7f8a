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

/* Text forms common to lists of runs and of a sweep's runs. NaN: unknown. */

/* "93.24 ± 0.51", without the deviation if that is unknown, or empty; new. */
char *cli_accuracy_text (double accuracy, double deviation);
/* JSON cannot represent non-finite numbers: sets null. */
void cli_set_number (JsonObject *object, const char *name, double value);
