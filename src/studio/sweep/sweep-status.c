/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/sweep/sweep-view-private.h"
#include "studio/widgets/format.h"

/* What the Sweep view says of its sweep: how far it is, what it will take, and why it cannot begin. */

void
studio_sweep_view_say (StudioSweepView *self, const char *sentence)
{
  g_signal_emit_by_name (self, "toast", sentence);
}

gboolean
studio_sweep_view_is_busy (StudioSweepView *self)
{
  return studio_project_is_sweeping (self->project);
}

guint
studio_sweep_view_count_open (StudioSweepView *self)
{
  return studio_sweep_planner_count (self->planner, TOSST_RUN_QUEUED)
         + studio_sweep_planner_count (self->planner, TOSST_RUN_STOPPED)
         + studio_sweep_planner_count (self->planner, TOSST_RUN_RUNNING);
}

static void
append_count (GString *text, guint n, const char *format)
{
  g_autofree char *part = n > 0 ? g_strdup_printf (format, n) : NULL;

  if (part != NULL)
    g_string_append_printf (text, " · %s", part);
}

char *
studio_sweep_view_describe_runs (StudioSweepView *self)
{
  guint n = g_list_model_get_n_items (studio_sweep_planner_get_rows (self->planner));
  GString *text = g_string_new (NULL);

  if (studio_sweep_planner_get_plan (self->planner) == NULL)
    {
      g_string_append (text, _ ("Sweep"));
      return g_string_free (text, FALSE);
    }
  g_string_append_printf (text, ngettext ("%u run", "%u runs", n), n);
  append_count (text, studio_sweep_planner_count (self->planner, TOSST_RUN_DONE), _ ("%u done"));
  append_count (text, studio_sweep_planner_count (self->planner, TOSST_RUN_FAILED), _ ("%u failed"));
  return g_string_free (text, FALSE);
}

char *
studio_sweep_view_describe_refusal (StudioSweepView *self)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->planner);
  g_autofree char *bytes = NULL, *available = NULL, *problem = NULL;

  if (estimate == NULL || estimate->bytes <= estimate->available)
    return NULL;
  bytes = g_format_size (estimate->bytes);
  available = g_format_size (estimate->available);
  problem = g_strdup_printf (_ ("The largest run needs %s of memory and %s are available: lower dictionary.atoms, "
                                "dictionary.sample or descriptor.pivots, or raise descriptor.step"),
                             bytes, available);
  return studio_format_problem (problem);
}

static char *
describe_estimate (StudioSweepView *self)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->planner);
  g_autofree char *seconds = NULL, *bytes = NULL, *available = NULL;
  guint open = studio_sweep_view_count_open (self);

  if (estimate == NULL && studio_sweep_planner_is_planning (self->planner))
    return g_strdup (_ ("Estimating time and memory…"));
  if (estimate == NULL && open > 0) /* it was stopped */
    return g_strdup_printf (ngettext ("%u run remains", "%u runs remain", open), open);
  if (estimate == NULL)
    return g_strdup ("");
  bytes = g_format_size (estimate->bytes);
  available = g_format_size (estimate->available);
  if (isnan (estimate->seconds))
    return g_strdup_printf (_ ("Up to %s of %s of memory for each run"), bytes, available);
  seconds = studio_format_rough_duration (estimate->seconds);
  /* Translators: a duration, an amount of memory, and how much there is */
  return g_strdup_printf (_ ("About %s · up to %s of %s of memory for each run"), seconds, bytes, available);
}

/* How far it is stands in the header bar, which all views have. */
char *
studio_sweep_view_describe_state (StudioSweepView *self, gboolean *wrong)
{
  const char *problem = studio_sweep_planner_get_problem (self->planner);
  char *refusal = studio_sweep_view_describe_refusal (self);

  *wrong = FALSE;
  if (studio_sweep_view_is_busy (self))
    {
      g_free (refusal);
      return g_strdup ("");
    }
  *wrong = refusal != NULL || problem != NULL;
  if (refusal != NULL)
    return refusal;
  if (problem != NULL)
    return studio_format_problem (problem);
  if (studio_sweep_planner_get_plan (self->planner) != NULL
      && studio_sweep_planner_get_plan (self->planner)->plan->idle)
    return studio_format_problem (studio_sweep_planner_get_plan (self->planner)->plan->idle);
  if (studio_sweep_planner_is_planned (self->planner) && studio_sweep_view_count_open (self) == 0)
    return g_strdup (_ ("No runs remain"));
  if (studio_project_is_busy (self->project))
    return g_strdup (_ ("A run is in progress: stop it or wait for it before starting the sweep"));
  return describe_estimate (self);
}
