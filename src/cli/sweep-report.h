/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/data/dataset.h"
#include "core/store/store.h"
#include "core/sweep/sweep.h"

/* For cli_call_apply_settings(): sets an axis, or a line of [sweep], of a TosstSweep. */
gboolean cli_set_in_sweep (gpointer sweep, const char *name, const char *value, GError **error);

/* The plan of a sweep, whose runs are scored by validation where it chooses values; but as it is, if it sets by what, or the
 * store has it so. New; NULL with error. */
TosstSweepPlan *cli_plan_sweep (const TosstSweep *sweep, GFile *workspace, GError **error);

/* A line per run with its varying parameters, by decreasing score; new. */
char *cli_sweep_table (const TosstSweepPlan *plan, const TosstSweepResult *result);
/* The same and further values, in the order of the plan; new. */
JsonObject *cli_sweep_json (const TosstSweepPlan *plan, const TosstSweepResult *result);

/* Whether --against, if given, has the number of a run. */
gboolean cli_read_against (CliCall *call, gint64 *run, GError **error);
/* Appends the differences of runs of a store to that of --against to the text, and sets them in the object; either is left alone
 * without the option. */
gboolean cli_add_against (CliCall *call, TosstStore *store, const gint64 *runs, guint n, JsonObject *object,
                          char **text, GError **error);

/* Estimated time and memory of a sweep, in one or two lines; new. */
char *cli_sweep_estimate_text (const TosstSweepEstimate *estimate);
JsonObject *cli_sweep_estimate_json (const TosstSweepPlan *plan, const TosstSweepEstimate *estimate);
/* A line per run of the plan; new. */
char *cli_sweep_plan_text (const TosstSweepPlan *plan);

/* Opens a store and prints its notice. NULL with error. */
TosstStore *cli_open_store (CliCall *call, GFile *file, TosstStoreMode mode, GError **error);

/* What is shown of runs while they are executed; the data of their observers begins with it. */
typedef struct
{
  CliCall *call;
  CliProgress *progress;
  guint ended; /* runs */
} CliWatch;

/* Between these a progress line is shown, and what is finished is saved after an interrupt. */
void cli_watch_begin (CliWatch *self);
void cli_watch_end (CliWatch *self);
/* For TosstSweepObserver. */
void cli_watch_run (guint run, const TosstSweepOutcome *outcome, gpointer watch);
void cli_watch_progress (double fraction, double seconds_left, gpointer watch);
void cli_watch_notice (const char *sentence, gpointer watch);

/* Text forms common to lists of runs and of a sweep's runs. NaN: unknown. */

/* The scores of a list. */
typedef struct
{
  gboolean has[TOSST_SCORE_AREA + 1];
} CliScores;

/* "accuracy %", "MAP %", or "score %" of a list with both. */
const char *cli_score_heading (const CliScores *scores);
/* "93.24 ± 0.51", without the deviation if that is unknown, or empty; in a list with both kinds of score, a mean average
 * precision is followed by "MAP". New. */
char *cli_score_text (const CliScores *scores, TosstScore score, double value, double deviation);

/* Estimated seconds of a run, divided over the processes of the launcher, by running it on a few images; NAN if they are not
 * known. */
gboolean cli_estimate_time (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, double *seconds,
                            GError **error);

/* "40 s", "3 min" or "2.5 h". New. */
char *cli_duration (double seconds);
