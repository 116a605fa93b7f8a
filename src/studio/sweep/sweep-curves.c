/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-curves.h"

#include <math.h>

#include "studio/sweep/sweep-shown.h"

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

/* The best run of each point. */
static void
gather (StudioSweepCurves *self, GListModel *rows, StudioSweepMetric metric, const StudioSweepShown *x,
        const StudioSweepShown *by)
{
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      Point point;
      StudioSweepRow *other;

      if (isnan (studio_sweep_row_metric (row, metric)))
        continue;
      point = (Point){ by != NULL ? studio_sweep_shown_index (by, row) : 0, studio_sweep_shown_place (x, row) };
      other = g_hash_table_lookup (self->rows, &point);
      self->left_out += other != NULL;
      if (other == NULL || studio_sweep_is_better (row, other, metric))
        g_hash_table_replace (self->rows, g_memdup2 (&point, sizeof point), g_object_ref (row));
    }
}

static void
add_series (TosstChart *chart, const TosstSweep *sweep, const StudioSweepShown *by)
{
  g_autofree char *name
      = by != NULL ? studio_sweep_label (sweep != NULL ? sweep->axes : NULL, by->parameter, TRUE) : NULL;

  if (by == NULL)
    tosst_chart_add_series (chart, "");
  for (guint i = 0; by != NULL && i < by->n; i++)
    {
      g_autofree char *value = studio_sweep_shown_text (by, i), *text = g_strdup_printf ("%s = %s", name, value);
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
  g_autofree char *label = studio_sweep_axis_label (sweep, x);
  StudioSweepShown values, curves;

  self->chart = tosst_chart_new ("", label, studio_sweep_metric_axis (metric, sweep));
  if (metric == STUDIO_SWEEP_ACCURACY)
    tosst_chart_set_y_bounds (self->chart, 0, 100);
  tosst_chart_set_best (self->chart, -1,
                        metric == STUDIO_SWEEP_ACCURACY ? TOSST_CHART_BEST_HIGHEST : TOSST_CHART_BEST_LOWEST);
  self->rows = g_hash_table_new_full (point_hash, point_equal, g_free, g_object_unref);
  studio_sweep_shown_init (&values, rows, x);
  if (by != NULL)
    studio_sweep_shown_init (&curves, rows, by);
  gather (self, rows, metric, &values, by != NULL ? &curves : NULL);
  add_series (self->chart, sweep, by != NULL ? &curves : NULL);
  if (values.names && values.n > 0)
    {
      g_auto (GStrv) names = studio_sweep_shown_names (&values);
      tosst_chart_set_categories (self->chart, (const char *const *)names, values.n);
    }
  else
    {
      tosst_chart_set_logarithmic (self->chart, studio_sweep_is_logarithmic (rows, sweep, x), FALSE);
      tosst_chart_set_integer_x (self->chart,
                                 x->type != TOSST_PARAMETER_REAL && !studio_sweep_is_logarithmic (rows, sweep, x));
    }
  add_points (self, metric);
  studio_sweep_shown_clear (&values);
  if (by != NULL)
    studio_sweep_shown_clear (&curves);
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
add_axis (TosstParallel *parallel, GListModel *rows, const TosstSweep *sweep, const StudioSweepShown *values)
{
  g_autofree char *label = studio_sweep_label (sweep != NULL ? sweep->axes : NULL, values->parameter, TRUE);
  g_auto (GStrv) names = values->names ? studio_sweep_shown_names (values) : NULL;

  tosst_parallel_add_axis (parallel, label,
                           names == NULL && studio_sweep_is_logarithmic (rows, sweep, values->parameter),
                           (const char *const *)names);
}

TosstParallel *
studio_sweep_lines_new (GListModel *rows, const TosstSweep *sweep, const GPtrArray *varying, StudioSweepMetric metric)
{
  TosstParallel *self = tosst_parallel_new ();
  g_autofree StudioSweepShown *values = g_new0 (StudioSweepShown, varying->len + 1);
  g_autofree double *line = g_new (double, varying->len + 1);

  for (guint i = 0; i < varying->len; i++)
    {
      studio_sweep_shown_init (&values[i], rows, g_ptr_array_index (varying, i));
      add_axis (self, rows, sweep, &values[i]);
    }
  tosst_parallel_add_axis (self, studio_sweep_metric_axis (metric, sweep), FALSE, NULL);
  for (guint r = 0; r < g_list_model_get_n_items (rows); r++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, r);

      for (guint i = 0; i < varying->len; i++)
        line[i] = studio_sweep_shown_place (&values[i], row);
      line[varying->len] = studio_sweep_row_metric (row, metric);
      tosst_parallel_append (self, line);
    }
  for (guint i = 0; i < varying->len; i++)
    studio_sweep_shown_clear (&values[i]);
  return self;
}
