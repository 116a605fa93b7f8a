/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/sweep-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/report/against.h"
#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

G_DEFINE_FINAL_TYPE (StudioSweepRow, studio_sweep_row, G_TYPE_OBJECT)

static const struct
{
  const char *name, *label;
  gsize offset;
} metrics[STUDIO_SWEEP_N_METRICS]
    = { { "accuracy", N_ ("Accuracy"), G_STRUCT_OFFSET (TosstSweepOutcome, accuracy) },
        { "seconds", N_ ("Time"), G_STRUCT_OFFSET (TosstSweepOutcome, seconds) },
        { "nonzeros", N_ ("Non-zeros per code"), G_STRUCT_OFFSET (TosstSweepOutcome, nonzeros) },
        { "residual", N_ ("Relative residual"), G_STRUCT_OFFSET (TosstSweepOutcome, residual) },
        { "objective", N_ ("Objective"), G_STRUCT_OFFSET (TosstSweepOutcome, objective) } };

guint
studio_sweep_count_metrics (const TosstSweepPlan *plan)
{
  gboolean has_dictionary = FALSE;

  for (guint i = 0; plan != NULL && i < plan->runs->len && !has_dictionary; i++)
    has_dictionary = tosst_recipe_has_dictionary (tosst_sweep_plan_run (plan, i)->recipe);
  if (!has_dictionary)
    return STUDIO_SWEEP_NONZEROS;
  for (guint i = 0; i < plan->varying->len; i++)
    if (tosst_parameter_changes_problem (plan->varying->pdata[i], TRUE))
      return STUDIO_SWEEP_OBJECTIVE;
  return STUDIO_SWEEP_N_METRICS;
}

const char *
studio_sweep_metric_name (StudioSweepMetric metric)
{
  return metrics[metric].name;
}

const char *
studio_sweep_metric_label (StudioSweepMetric metric, const TosstSweep *sweep)
{
  if (metric == STUDIO_SWEEP_ACCURACY && sweep != NULL)
    return tosst_score_label (tosst_recipe_score (sweep->base));
  return _ (metrics[metric].label);
}

STUDIO_DEFINE_FINALIZE (StudioSweepRow, studio_sweep_row, (plan, studio_sweep_plan_unref), (outcome.reason, g_free),
                        (words, g_free))

static void
studio_sweep_row_class_init (StudioSweepRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_row_finalize;
  studio_add_signal (klass, "changed", 0);
}

STUDIO_DEFINE_INIT (StudioSweepRow, studio_sweep_row)

StudioSweepRow *
studio_sweep_row_new (StudioSweepPlan *plan, guint index, const TosstSweepOutcome *outcome)
{
  StudioSweepRow *self = g_object_new (STUDIO_TYPE_SWEEP_ROW, NULL);

  self->plan = studio_sweep_plan_ref (plan);
  self->index = index;
  self->outcome = *outcome;
  self->outcome.reason = g_strdup (outcome->reason);
  return self;
}

void
studio_sweep_row_update (StudioSweepRow *self, const TosstSweepOutcome *outcome)
{
  g_autofree char *old G_GNUC_UNUSED = self->outcome.reason;

  self->outcome = *outcome;
  self->outcome.reason = g_strdup (outcome->reason);
  g_signal_emit_by_name (self, "changed");
}

void
studio_sweep_row_mark (StudioSweepRow *self, gboolean starred, gboolean hidden, const char *words)
{
  char *text = words != NULL && *words != 0 ? g_strdup (words) : NULL;
  gboolean same = starred == self->outcome.starred && hidden == self->hidden && g_strcmp0 (text, self->words) == 0;

  g_free (self->words);
  self->words = text;
  self->outcome.starred = starred;
  self->hidden = hidden;
  if (!same)
    g_signal_emit_by_name (self, "changed");
}

double
studio_sweep_row_metric (StudioSweepRow *self, StudioSweepMetric metric)
{
  double value = G_STRUCT_MEMBER (double, &self->outcome, metrics[metric].offset);

  return metric == STUDIO_SWEEP_SECONDS ? value + self->outcome.shared : value;
}

char *
studio_sweep_row_value (StudioSweepRow *self, const TosstParameter *parameter)
{
  return studio_sweep_plan_text (self->plan, self->index, parameter);
}

char *
studio_sweep_row_text (StudioSweepRow *self, const TosstParameter *parameter)
{
  g_autofree char *value = studio_sweep_row_value (self, parameter);

  return value == NULL ? g_strdup ("–") : studio_value_text (parameter, value);
}

double
studio_sweep_row_number (StudioSweepRow *self, const TosstParameter *parameter)
{
  return studio_sweep_plan_number (self->plan, self->index, parameter);
}

char *
studio_sweep_row_state (StudioSweepRow *self)
{
  const TosstSweepOutcome *outcome = &self->outcome;
  const char *state = tosst_run_state_label (outcome->state);

  if (outcome->state == TOSST_RUN_FAILED && outcome->reason != NULL)
    {
      g_autofree char *reason = studio_format_problem (outcome->reason);

      return g_strdup_printf ("%s: %s", state, reason);
    }
  if (outcome->state == TOSST_RUN_QUEUED && outcome->id == 0)
    return g_strdup (_ ("planned"));
  if (outcome->state != TOSST_RUN_DONE && outcome->splits_done > 0)
    return g_strdup_printf (_ ("%s, %d of %d splits"), state, outcome->splits_done, outcome->splits);
  return g_strdup (state);
}

char *
studio_sweep_row_title (StudioSweepRow *self)
{
  const GPtrArray *varying = self->plan->plan->varying;
  GString *title = g_string_new (NULL);

  for (guint i = 0; i < varying->len; i++)
    {
      const TosstParameter *parameter = g_ptr_array_index (varying, i);
      g_autofree char *name = studio_sweep_label (self->plan->plan->axes, parameter, TRUE),
                      *text = studio_sweep_row_text (self, parameter);

      g_string_append_printf (title, "%s%s %s", i > 0 ? ", " : "", name, text);
    }
  if (!isnan (self->outcome.accuracy))
    {
      g_autofree char *accuracy = studio_format_percent (self->outcome.accuracy, 1);

      g_string_append_printf (title, "%s%s", title->len > 0 ? ": " : "", accuracy);
      if (!isnan (self->outcome.deviation) && self->outcome.splits_done > 1)
        g_string_append_printf (title, " ± %.1f", self->outcome.deviation);
    }
  return g_string_free (title, FALSE);
}
