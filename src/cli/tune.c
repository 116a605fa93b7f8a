/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/tune.h"

#include <math.h>

#include <glib/gi18n.h>

#include "cli/forecast.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "core/base/error.h"
#include "core/tune/tune.h"

#define MOST_MINUTES 100000

typedef struct
{
  CliCall *call;
  CliProgress *progress;
  JsonArray *trials;
  guint n;
} Tuning;

gboolean
cli_tune_seconds (CliCall *call, double *seconds, GError **error)
{
  const char *text = cli_call_value (call, "tune");
  char *end = NULL;

  *seconds = text ? 60 * g_ascii_strtod (text, &end) : 0;
  if (!text)
    return TRUE;
  if (end == text || *end || !(*seconds > 0 && *seconds <= 60.0 * MOST_MINUTES))
    return cli_usage_error (error, _ ("--tune must be a number of minutes, not “%s”"), text);
  if (cli_call_value (call, "preset"))
    return cli_usage_error (error, _ ("--tune chooses what --preset sets: give one of them"));
  return TRUE;
}

static gboolean
is_quiet (Tuning *self)
{
  return cli_call_flag (self->call, "quiet") || cli_call_flag (self->call, "json");
}

static void
on_begins (const TosstTrial *trial, gpointer data)
{
  Tuning *self = data;
  g_autofree char *what = g_strdup_printf (_ ("Trial %u, %s"), trial->number, trial->name);

  cli_progress_set_what (self->progress, what);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  cli_progress_set_left (((Tuning *)data)->progress, fraction, seconds_left);
}

static void
add_json (Tuning *self, const TosstTrial *trial)
{
  JsonObject *object = json_object_new ();
  g_autofree char *recipe = tosst_recipe_to_text (trial->recipe, TRUE);

  json_object_set_string_member (object, "name", trial->name);
  json_object_set_string_member (object, "recipe", recipe);
  json_object_set_int_member (object, "splits", trial->splits);
  json_object_set_double_member (object, "seconds", trial->seconds);
  if (trial->reason)
    json_object_set_string_member (object, "reason", trial->reason);
  else
    json_object_set_double_member (object, "score", trial->score);
  json_array_add_object_element (self->trials, object);
}

static void
on_ended (const TosstTrial *trial, gpointer data)
{
  Tuning *self = data;
  g_autofree char *time = trial->earlier ? g_strdup (_ ("earlier")) : cli_duration (trial->seconds);

  self->n = trial->number;
  add_json (self, trial);
  if (is_quiet (self))
    return;
  cli_progress_wipe (self->progress);
  if (trial->number == 1)
    cli_print (stdout, "%5s  %8s  %6s  %8s  %s\n", _ ("trial"), _ ("score %"), _ ("splits"), _ ("time"), _ ("method"));
  if (trial->reason)
    cli_print (stdout, "%5u  %8s  %6d  %8s  %s: %s\n", trial->number, "–", trial->splits, time, trial->name,
               trial->reason);
  else
    cli_print (stdout, "%5u  %8.2f  %6d  %8s  %s%s\n", trial->number, trial->score, trial->splits, time, trial->name,
               trial->best ? _ ("  (best so far)") : "");
}

static gboolean
fail_interrupted (const Tuning *self, const TosstRecipe *best, TosstStore *store, GError **error)
{
  g_autofree char *command = best ? tosst_recipe_command (best) : NULL;

  if (!best)
    return cli_fail_interrupted (error);
  return tosst_fail (
      error, TOSST_FAILED_CANCELLED,
      store ? _ ("interrupted after %u trials; the best so far is run by %s; run the same command again to "
                 "go on")
            : _ ("interrupted after %u trials; the best so far is run by %s; run the same command again, "
                 "with --workspace to keep trials"),
      self->n, command);
}

TosstRecipe *
cli_tune (CliCall *call, const TosstRecipe *base, TosstDataset *dataset, TosstStore *store, double seconds,
          double *expected, JsonArray **trials, GError **error)
{
  Tuning self = { .call = call, .trials = json_array_new () };
  const TosstTuneObserver observer = { on_begins, on_progress, on_ended, &self };
  const TosstTuneOptions options = { seconds, store };
  g_autoptr (TosstRecipe) best = NULL;
  g_autoptr (GError) cause = NULL;
  gboolean ok;

  *trials = self.trials;
  self.progress = cli_progress_new (call, _ ("Starting"), 0, NULL);
  cli_interrupt_hold (TRUE);
  ok = tosst_tune (base, dataset, cli_call_context (call), &options, &observer, &best, expected, &cause);
  cli_interrupt_hold (FALSE);
  cli_progress_free (self.progress);
  if (ok)
    return g_steal_pointer (&best);
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    fail_interrupted (&self, best, store, error);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}
