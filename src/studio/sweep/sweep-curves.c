/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-curves.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/recipe/value-text.h"
#include "studio/widgets/format.h"

#define LOGARITHMIC_RATIO 20 /* of the ends of a list, from which on it is drawn as one */

static gboolean
is_range (const TosstSweep *sweep, const TosstParameter *parameter, gboolean *logarithmic)
{
  for (guint i = 0; sweep != NULL && i < sweep->axes->len; i++)
    {
      const TosstSweepAxis *axis = g_ptr_array_index (sweep->axes, i);

      *logarithmic = axis->logarithmic;
      if (axis->parameter == parameter)
        return g_str_has_prefix (axis->text, "lin:") || g_str_has_prefix (axis->text, "log:");
    }
  return FALSE;
}

gboolean
studio_sweep_is_logarithmic (GListModel *rows, const TosstSweep *sweep, const TosstParameter *parameter)
{
  double low = INFINITY, high = 0;
  gboolean logarithmic = FALSE;

  if (is_range (sweep, parameter, &logarithmic))
    return logarithmic;
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      double value = studio_sweep_row_number (row, parameter);

      if (!isfinite (value))
        continue;
      low = MIN (low, value);
      high = MAX (high, value);
    }
  return parameter->type != TOSST_PARAMETER_BOOLEAN && low > 0 && high >= LOGARITHMIC_RATIO * low;
}

/* The values of a parameter that varies in the plan, as far as they occur among the rows. */
typedef struct
{
  const TosstParameter *parameter;
  const StudioSweepValues *all; /* NULL: there are no rows */
  gboolean names;               /* instead of numbers: a word, ∞ or nothing is among them */
  guint n;
  guint *at;    /* of each that occurs: its index in all */
  guint *index; /* of each in all that occurs: its index here */
} Values;

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

static void
values_init (Values *self, GListModel *rows, const TosstParameter *parameter)
{
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0);
  guint most;

  *self = (Values){ .parameter = parameter };
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

static void
values_clear (Values *self)
{
  g_free (self->at);
  g_free (self->index);
}

static guint
values_index (const Values *self, StudioSweepRow *row)
{
  return self->index[self->all->index[row->index]];
}

static double
values_place (const Values *self, StudioSweepRow *row)
{
  return self->names ? values_index (self, row) : self->all->numbers[self->all->index[row->index]];
}

static char *
values_text (const Values *self, guint index)
{
  const char *text = self->all->texts[self->at[index]];

  return text == NULL ? g_strdup ("–") : studio_value_text (self->parameter, text);
}

/* NULL-terminated, new. */
static char **
values_names (const Values *self)
{
  char **names = g_new0 (char *, self->n + 1);

  for (guint i = 0; i < self->n; i++)
    names[i] = values_text (self, i);
  return names;
}

/* Curves. */

typedef struct
{
  guint series;
  double x;
} Point;

static guint
point_hash (gconstpointer key)
{
  const Point *point = key;

  return point->series * 31 + g_double_hash (&point->x);
}

static gboolean
point_equal (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;

  return p->series == q->series && p->x == q->x;
}

static gboolean
is_better (StudioSweepRow *row, StudioSweepRow *than, StudioSweepMetric metric)
{
  double x = studio_sweep_row_metric (row, metric), y = studio_sweep_row_metric (than, metric);

  return metric == STUDIO_SWEEP_ACCURACY ? x > y : x < y;
}

/* The best run of each point. */
static void
gather (StudioSweepCurves *self, GListModel *rows, StudioSweepMetric metric, const Values *x, const Values *by)
{
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      Point point;
      StudioSweepRow *other;

      if (isnan (studio_sweep_row_metric (row, metric)))
        continue;
      point = (Point){ by != NULL ? values_index (by, row) : 0, values_place (x, row) };
      other = g_hash_table_lookup (self->rows, &point);
      self->left_out += other != NULL;
      if (other == NULL || is_better (row, other, metric))
        g_hash_table_replace (self->rows, g_memdup2 (&point, sizeof point), g_object_ref (row));
    }
}

static char *
axis_label (const TosstParameter *p)
{
  g_autofree char *name
      = p->symbol != NULL ? g_strdup_printf ("%s %s", _ (p->label), p->symbol) : g_strdup (_ (p->label));

  return p->unit != NULL ? g_strdup_printf ("%s (%s)", name, p->unit) : g_steal_pointer (&name);
}

static const char *
metric_label (StudioSweepMetric metric, const TosstSweep *sweep)
{
  static const char *const labels[] = { N_ ("Accuracy (%)"), N_ ("Objective"), N_ ("Time (s)") };

  if (metric == STUDIO_SWEEP_ACCURACY && sweep != NULL && tosst_recipe_has_several_labels (sweep->base))
    return _ ("Mean average precision (%)");
  return _ (labels[metric]);
}

static void
add_series (TosstChart *chart, const Values *by)
{
  g_autofree char *name = by != NULL ? studio_parameter_text (by->parameter) : NULL;

  if (by == NULL)
    tosst_chart_add_series (chart, "");
  for (guint i = 0; by != NULL && i < by->n; i++)
    {
      g_autofree char *value = values_text (by, i), *text = g_strdup_printf ("%s = %s", name, value);
      tosst_chart_add_series (chart, text);
    }
}

static void
add_points (StudioSweepCurves *self, StudioSweepMetric metric)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const Point *point = key;
      StudioSweepRow *row = value;
      double y = studio_sweep_row_metric (row, metric);

      if (metric == STUDIO_SWEEP_ACCURACY && row->outcome.splits_done > 1 && !isnan (row->outcome.deviation))
        tosst_chart_append_error (self->chart, point->series, point->x, y, row->outcome.deviation);
      else
        tosst_chart_append (self->chart, point->series, point->x, y);
    }
}

StudioSweepCurves *
studio_sweep_curves_new (GListModel *rows, const TosstSweep *sweep, StudioSweepMetric metric, const TosstParameter *x,
                         const TosstParameter *by)
{
  StudioSweepCurves *self = g_new0 (StudioSweepCurves, 1);
  g_autofree char *label = axis_label (x);
  Values values, curves;

  self->chart = tosst_chart_new ("", label, metric_label (metric, sweep));
  if (metric == STUDIO_SWEEP_ACCURACY)
    tosst_chart_set_y_bounds (self->chart, 0, 100);
  tosst_chart_set_best (self->chart, -1,
                        metric == STUDIO_SWEEP_ACCURACY ? TOSST_CHART_BEST_HIGHEST : TOSST_CHART_BEST_LOWEST);
  self->rows = g_hash_table_new_full (point_hash, point_equal, g_free, g_object_unref);
  values_init (&values, rows, x);
  if (by != NULL)
    values_init (&curves, rows, by);
  gather (self, rows, metric, &values, by != NULL ? &curves : NULL);
  add_series (self->chart, by != NULL ? &curves : NULL);
  if (values.names && values.n > 0)
    {
      g_auto (GStrv) names = values_names (&values);
      tosst_chart_set_categories (self->chart, (const char *const *)names, values.n);
    }
  else
    {
      tosst_chart_set_logarithmic (self->chart, studio_sweep_is_logarithmic (rows, sweep, x), FALSE);
      tosst_chart_set_integer_x (self->chart,
                                 x->type != TOSST_PARAMETER_REAL && !studio_sweep_is_logarithmic (rows, sweep, x));
    }
  add_points (self, metric);
  values_clear (&values);
  if (by != NULL)
    values_clear (&curves);
  return self;
}

void
studio_sweep_curves_free (StudioSweepCurves *self)
{
  tosst_chart_free (self->chart);
  g_hash_table_unref (self->rows);
  g_free (self);
}

StudioSweepRow *
studio_sweep_curves_row (StudioSweepCurves *self, guint series, double x)
{
  return g_hash_table_lookup (self->rows, &(Point){ series, x });
}

gboolean
studio_sweep_curves_find (StudioSweepCurves *self, StudioSweepRow *row, guint *series, double *x)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (value == row)
      {
        *series = ((const Point *)key)->series;
        *x = ((const Point *)key)->x;
        return TRUE;
      }
  return FALSE;
}

/* Parallel coordinates. */

static void
add_axis (TosstParallel *parallel, GListModel *rows, const TosstSweep *sweep, const Values *values)
{
  g_autofree char *label = studio_parameter_text (values->parameter);
  g_auto (GStrv) names = values->names ? values_names (values) : NULL;

  tosst_parallel_add_axis (parallel, label,
                           names == NULL && studio_sweep_is_logarithmic (rows, sweep, values->parameter),
                           (const char *const *)names);
}

TosstParallel *
studio_sweep_lines_new (GListModel *rows, const TosstSweep *sweep, const GPtrArray *varying, StudioSweepMetric metric)
{
  TosstParallel *self = tosst_parallel_new ();
  g_autofree Values *values = g_new0 (Values, varying->len + 1);
  g_autofree double *line = g_new (double, varying->len + 1);

  for (guint i = 0; i < varying->len; i++)
    {
      values_init (&values[i], rows, g_ptr_array_index (varying, i));
      add_axis (self, rows, sweep, &values[i]);
    }
  tosst_parallel_add_axis (self, metric_label (metric, sweep), FALSE, NULL);
  for (guint r = 0; r < g_list_model_get_n_items (rows); r++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, r);

      for (guint i = 0; i < varying->len; i++)
        line[i] = values_place (&values[i], row);
      line[varying->len] = studio_sweep_row_metric (row, metric);
      tosst_parallel_append (self, line);
    }
  for (guint i = 0; i < varying->len; i++)
    values_clear (&values[i]);
  return self;
}
