/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-shown.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/recipe/value-text.h"

/* used: of each value in the plan, 1 if it occurs among the rows. */
static void
find_used (const StudioSweepValues *all, GListModel *rows, guint *used)
{
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);

      used[all->index[row->index]] = 1;
    }
}

void
studio_sweep_shown_init (StudioSweepShown *self, GListModel *rows, const TosstParameter *parameter)
{
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0);
  guint most;

  *self = (StudioSweepShown){ .parameter = parameter };
  if (first == NULL)
    return;
  self->all = studio_sweep_plan_values (first->plan, parameter);
  self->names = parameter->type == TOSST_PARAMETER_BOOLEAN;
  most = self->all->n;
  self->at = g_new (guint, most);
  self->index = g_new0 (guint, most);
  if (g_list_model_get_n_items (rows) < first->plan->plan->runs->len)
    find_used (self->all, rows, self->index);
  else
    for (guint i = 0; i < most; i++)
      self->index[i] = 1;
  for (guint i = 0; i < most; i++)
    if (self->index[i] != 0)
      {
        self->names |= !isfinite (self->all->numbers[i]);
        self->at[self->n] = i;
        self->index[i] = self->n++;
      }
}

void
studio_sweep_shown_clear (StudioSweepShown *self)
{
  g_free (self->at);
  g_free (self->index);
}

guint
studio_sweep_shown_index (const StudioSweepShown *self, StudioSweepRow *row)
{
  return self->index[self->all->index[row->index]];
}

double
studio_sweep_shown_place (const StudioSweepShown *self, StudioSweepRow *row)
{
  return self->names ? studio_sweep_shown_index (self, row) : self->all->numbers[self->all->index[row->index]];
}

char *
studio_sweep_shown_text (const StudioSweepShown *self, guint index)
{
  const char *text = self->all->texts[self->at[index]];

  return text == NULL ? g_strdup ("–") : studio_value_text (self->parameter, text);
}

/* NULL-terminated, new. */
char **
studio_sweep_shown_names (const StudioSweepShown *self)
{
  char **names = g_new0 (char *, self->n + 1);

  for (guint i = 0; i < self->n; i++)
    names[i] = studio_sweep_shown_text (self, i);
  return names;
}

char *
studio_sweep_axis_label (const TosstSweep *sweep, const TosstParameter *p)
{
  g_autofree char *name = studio_sweep_label (sweep != NULL ? sweep->axes : NULL, p, FALSE);

  return p->unit != NULL ? g_strdup_printf ("%s (%s)", name, p->unit) : g_steal_pointer (&name);
}

const char *
studio_sweep_metric_axis (StudioSweepMetric metric, const TosstSweep *sweep)
{
  static const char *const labels[] = { N_ ("Accuracy (%)"), N_ ("Objective"), N_ ("Time (s)") };

  if (metric == STUDIO_SWEEP_ACCURACY && sweep != NULL && tosst_recipe_has_several_labels (sweep->base))
    return _ ("Mean average precision (%)");
  return _ (labels[metric]);
}

gboolean
studio_sweep_is_better (StudioSweepRow *row, StudioSweepRow *than, StudioSweepMetric metric)
{
  double x = studio_sweep_row_metric (row, metric), y = studio_sweep_row_metric (than, metric);

  return metric == STUDIO_SWEEP_ACCURACY ? x > y : x < y;
}
