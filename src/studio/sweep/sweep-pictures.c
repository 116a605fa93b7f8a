/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-pictures.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define LOGARITHMIC_RATIO 20 /* of the ends of a list, from which on it is drawn as one */
#define LEAST_SHARE 0.005    /* of an interaction on show */

/* The values of a parameter that varies in the plan, as far as they occur among the rows. */
typedef struct
{
  const TosstParameter *parameter;
  const StudioSweepValues *all; /* NULL: there are no rows */
  gboolean names;               /* instead of numbers: a word, ∞ or nothing is among them */
  guint n;
  guint *at;    /* of each that occurs: its index in all */
  guint *index; /* of each in all that occurs: its index here */
} Shown;

static void
shown_init (Shown *self, GListModel *rows, const TosstParameter *parameter)
{
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0);

  *self = (Shown){ .parameter = parameter };
  if (first == NULL)
    return;
  self->all = studio_sweep_plan_values (first->plan, parameter);
  self->names = parameter->type == TOSST_PARAMETER_BOOLEAN;
  guint most = self->all->n;
  self->at = g_new (guint, most);
  self->index = g_new0 (guint, most);
  if (g_list_model_get_n_items (rows) < first->plan->plan->runs->len)
    {
      /* For each value in the plan, 1 if it occurs among the rows. */
      STUDIO_EACH (StudioSweepRow, row, rows)
        self->index[self->all->index[row->index]] = 1;
    }
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
shown_clear (Shown *self)
{
  g_free (self->at);
  g_free (self->index);
}

static guint
shown_index (const Shown *self, StudioSweepRow *row)
{
  return self->index[self->all->index[row->index]];
}

/* On an axis. */
static double
shown_place (const Shown *self, StudioSweepRow *row)
{
  return self->names ? shown_index (self, row) : self->all->numbers[self->all->index[row->index]];
}

/* New. */
static char *
shown_text (const Shown *self, guint index)
{
  const char *text = self->all->texts[self->at[index]];

  return text == NULL ? g_strdup ("–") : studio_value_text (self->parameter, text);
}

/* NULL-terminated, new. */
static char **
shown_names (const Shown *self)
{
  char **names = g_new0 (char *, self->n + 1);

  for (guint i = 0; i < self->n; i++)
    names[i] = shown_text (self, i);
  return names;
}

/* Names with units of a parameter and of those that are tied to it; sweep may be NULL. New. */
static char *
axis_label (const TosstSweep *sweep, const TosstParameter *p)
{
  g_autofree char *name = studio_sweep_label (sweep != NULL ? sweep->axes : NULL, p, FALSE);

  return p->unit != NULL ? g_strdup_printf ("%s (%s)", name, p->unit) : g_steal_pointer (&name);
}

static const char *
metric_axis (StudioSweepMetric metric, const TosstSweep *sweep)
{
  static const char *const labels[]
      = { N_ ("Accuracy (%)"), N_ ("Time (s)"), N_ ("Non-zeros per code"), N_ ("Relative residual"), N_ ("Objective") };

  if (metric == STUDIO_SWEEP_ACCURACY && sweep != NULL && tosst_recipe_has_several_labels (sweep->base))
    return _ ("Mean average precision (%)");
  if (metric == STUDIO_SWEEP_ACCURACY && sweep != NULL)
    return sweep->base->dataset.within > 0 ? _ ("Validation accuracy (%)") : _ ("Test accuracy (%)");
  return _ (labels[metric]);
}

/* Whether a run has a better value than another. */
static gboolean
is_better (StudioSweepRow *row, StudioSweepRow *than, StudioSweepMetric metric)
{
  double x = studio_sweep_row_metric (row, metric), y = studio_sweep_row_metric (than, metric);

  return metric == STUDIO_SWEEP_ACCURACY ? x > y : x < y;
}

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
  STUDIO_EACH (StudioSweepRow, row, rows)
    {
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
gather (StudioSweepCurves *self, GListModel *rows, StudioSweepMetric metric, const Shown *x, const Shown *by)
{
  STUDIO_EACH (StudioSweepRow, row, rows)
    {
      if (isnan (studio_sweep_row_metric (row, metric)))
        continue;
      Point point = (Point){ by != NULL ? shown_index (by, row) : 0, shown_place (x, row) };
      StudioSweepRow *other = g_hash_table_lookup (self->rows, &point);
      self->left_out += other != NULL;
      if (other == NULL || is_better (row, other, metric))
        g_hash_table_replace (self->rows, g_memdup2 (&point, sizeof point), g_object_ref (row));
    }
}

static void
add_series (TosstChart *chart, const TosstSweep *sweep, const Shown *by)
{
  g_autofree char *name
      = by != NULL ? studio_sweep_label (sweep != NULL ? sweep->axes : NULL, by->parameter, TRUE) : NULL;

  if (by == NULL)
    tosst_chart_add_series (chart, "");
  for (guint i = 0; by != NULL && i < by->n; i++)
    {
      g_autofree char *value = shown_text (by, i), *text = g_strdup_printf ("%s = %s", name, value);
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

      /* A point that was chosen among several runs has no deviation of its own. */
      if (metric == STUDIO_SWEEP_ACCURACY && self->left_out == 0 && row->outcome.splits_done > 1
          && !isnan (row->outcome.deviation))
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
  g_autofree char *label = axis_label (sweep, x);
  Shown values, curves;

  self->chart = tosst_chart_new ("", label, metric_axis (metric, sweep));
  if (metric == STUDIO_SWEEP_ACCURACY)
    tosst_chart_set_y_bounds (self->chart, 0, 100);
  tosst_chart_set_best (self->chart, -1,
                        metric == STUDIO_SWEEP_ACCURACY   ? TOSST_CHART_BEST_HIGHEST
                        : metric == STUDIO_SWEEP_NONZEROS ? TOSST_CHART_BEST_NONE
                                                          : TOSST_CHART_BEST_LOWEST);
  if (metric == STUDIO_SWEEP_ACCURACY && sweep->base->dataset.within == 0)
    tosst_chart_set_best_label (self->chart, _ ("Best of tests"));
  self->rows = g_hash_table_new_full (point_hash, point_equal, g_free, g_object_unref);
  shown_init (&values, rows, x);
  if (by != NULL)
    shown_init (&curves, rows, by);
  gather (self, rows, metric, &values, by != NULL ? &curves : NULL);
  add_series (self->chart, sweep, by != NULL ? &curves : NULL);
  if (values.names && values.n > 0)
    {
      g_auto (GStrv) names = shown_names (&values);
      tosst_chart_set_categories (self->chart, (const char *const *)names, values.n);
    }
  else
    {
      tosst_chart_set_logarithmic (self->chart, studio_sweep_is_logarithmic (rows, sweep, x), FALSE);
      tosst_chart_set_integer_x (self->chart,
                                 x->type != TOSST_PARAMETER_REAL && !studio_sweep_is_logarithmic (rows, sweep, x));
    }
  add_points (self, metric);
  shown_clear (&values);
  if (by != NULL)
    shown_clear (&curves);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (StudioSweepCurves, studio_sweep_curves_free, StudioSweepCurves *, (chart, tosst_chart_free),
                          (rows, g_hash_table_unref))

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
add_axis (TosstParallel *parallel, GListModel *rows, const TosstSweep *sweep, const Shown *values)
{
  g_autofree char *label = studio_sweep_label (sweep != NULL ? sweep->axes : NULL, values->parameter, TRUE);
  g_auto (GStrv) names = values->names ? shown_names (values) : NULL;

  tosst_parallel_add_axis (parallel, label,
                           names == NULL && studio_sweep_is_logarithmic (rows, sweep, values->parameter),
                           (const char *const *)names);
}

TosstParallel *
studio_sweep_lines_new (GListModel *rows, const TosstSweep *sweep, const GPtrArray *varying, StudioSweepMetric metric)
{
  TosstParallel *self = tosst_parallel_new ();
  g_autofree Shown *values = g_new0 (Shown, varying->len + 1);
  g_autofree double *line = g_new (double, varying->len + 1);

  for (guint i = 0; i < varying->len; i++)
    {
      shown_init (&values[i], rows, g_ptr_array_index (varying, i));
      add_axis (self, rows, sweep, &values[i]);
    }
  tosst_parallel_add_axis (self, metric_axis (metric, sweep), FALSE, NULL);
  STUDIO_EACH (StudioSweepRow, row, rows)
    {
      for (guint i = 0; i < varying->len; i++)
        line[i] = shown_place (&values[i], row);
      line[varying->len] = studio_sweep_row_metric (row, metric);
      tosst_parallel_append (self, line);
    }
  for (guint i = 0; i < varying->len; i++)
    shown_clear (&values[i]);
  return self;
}

/* The map. */

static gsize
cell (const StudioSweepMap *self, guint column, guint row)
{
  return (gsize)row * self->grid->columns + column;
}

static void
put_row (StudioSweepMap *self, StudioSweepRow *row, StudioSweepMetric metric, guint column, guint line)
{
  StudioSweepRow **place = (StudioSweepRow **)&self->rows->pdata[cell (self, column, line)];

  self->left_out += *place != NULL;
  if (*place != NULL && !is_better (row, *place, metric))
    return;
  g_set_object (place, row);
  tosst_grid_set (self->grid, column, line, studio_sweep_row_metric (row, metric));
}

static void
drop_row (gpointer row)
{
  g_clear_object (&row);
}

StudioSweepMap *
studio_sweep_map_new (GListModel *rows, const TosstSweep *sweep, StudioSweepMetric metric, const TosstParameter *x,
                      const TosstParameter *y)
{
  StudioSweepMap *self = g_new0 (StudioSweepMap, 1);
  g_autofree char *x_label = axis_label (sweep, x), *y_label = axis_label (sweep, y);
  Shown across, up;

  shown_init (&across, rows, x);
  shown_init (&up, rows, y);
  g_auto (GStrv) columns = shown_names (&across);
  g_auto (GStrv) lines = shown_names (&up);
  self->grid = tosst_grid_new (x_label, (const char *const *)columns, y_label, (const char *const *)lines,
                               metric_axis (metric, sweep));
  self->grid->low_is_best = metric != STUDIO_SWEEP_ACCURACY;
  self->rows = g_ptr_array_new_with_free_func (drop_row);
  g_ptr_array_set_size (self->rows, (int)(across.n * up.n));
  STUDIO_EACH (StudioSweepRow, row, rows)
    if (!isnan (studio_sweep_row_metric (row, metric)))
      put_row (self, row, metric, shown_index (&across, row), shown_index (&up, row));
  shown_clear (&across);
  shown_clear (&up);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (StudioSweepMap, studio_sweep_map_free, StudioSweepMap *, (grid, tosst_grid_free),
                          (rows, g_ptr_array_unref))

StudioSweepRow *
studio_sweep_map_row (StudioSweepMap *self, guint column, guint row)
{
  return self->rows->pdata[cell (self, column, row)];
}

void
studio_sweep_map_choose (StudioSweepMap *self, StudioSweepRow *row)
{
  guint at, columns = self->grid->columns;
  gboolean found = row != NULL && g_ptr_array_find (self->rows, row, &at);

  self->grid->chosen_column = found ? (int)(at % columns) : -1;
  self->grid->chosen_row = found ? (int)(at / columns) : -1;
}

/* Importance. */

TosstImportance *
studio_sweep_importance (GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric)
{
  guint n = g_list_model_get_n_items (rows);
  g_autofree guint *level = g_new0 (guint, (gsize)n * varying->len + 1);
  g_autofree double *result = g_new (double, n + 1);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);

      result[i] = studio_sweep_row_metric (row, metric);
      for (guint p = 0; p < varying->len; p++)
        level[i * varying->len + p] = studio_sweep_plan_values (row->plan, varying->pdata[p])->index[row->index];
    }
  return tosst_importance_new (level, result, n, varying->len);
}

static void
add_bar (gpointer grid, const char *name, double share)
{
  GtkWidget *label = studio_label (name, NULL), *number, *bar;
  g_autofree char *percent = studio_format_percent (100 * share, 1);
  static const char *const offsets[]
      = { GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL };

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, name);
  bar = g_object_new (GTK_TYPE_LEVEL_BAR, "value", share, "hexpand", TRUE, "valign", GTK_ALIGN_CENTER, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), offsets[i]);
  studio_set_name (bar, name);
  number = studio_label (percent, "numeric", NULL);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_grid_attach_next_to (GTK_GRID (grid), label, NULL, GTK_POS_BOTTOM, 1, 1);
  gtk_grid_attach_next_to (GTK_GRID (grid), bar, label, GTK_POS_RIGHT, 1, 1);
  gtk_grid_attach_next_to (GTK_GRID (grid), number, bar, GTK_POS_RIGHT, 1, 1);
}

static char *
name_effect (const TosstEffect *effect, const GPtrArray *varying)
{
  g_autofree char *a = studio_parameter_text (varying->pdata[effect->a]);
  g_autofree char *b = studio_parameter_text (varying->pdata[effect->b]);

  return effect->a == effect->b ? g_steal_pointer (&a) : g_strdup_printf ("%s × %s", a, b);
}

static GtkWidget *
wrapped (const char *text, const char *class_name)
{
  GtkWidget *label = studio_label (text, class_name, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  return label;
}

static char *
title_of (const char *metric)
{
  return g_strdup_printf (_ ("Share of the Variance: %s"), metric);
}

static char *
explain (const TosstImportance *importance)
{
  return g_strdup_printf (
      importance->complete
          ? ngettext (
              "What each parameter explains of the variance over %u run, and each pair beyond its two parameters "
              "(functional analysis of variance of the grid)",
              "What each parameter explains of the variance over %u runs, and each pair beyond its two "
              "parameters (functional analysis of variance of the grid)",
              importance->runs)
          : ngettext ("Estimated from %u run that is not a complete grid: adjusted coefficient of determination of the "
                      "means for each value",
                      "Estimated from %u runs that are not a complete grid: adjusted coefficient of determination of "
                      "the means for each value",
                      importance->runs),
      importance->runs);
}

/* Each share on show, by its name. */
static void
tell_shares (const TosstImportance *importance, const GPtrArray *varying,
             void (*tell) (gpointer data, const char *name, double share), gpointer data)
{
  for (guint i = 0; i < importance->effects->len; i++)
    {
      const TosstEffect *effect = &g_array_index (importance->effects, TosstEffect, i);
      g_autofree char *name = name_effect (effect, varying);

      if (effect->a == effect->b || effect->share >= LEAST_SHARE)
        tell (data, name, effect->share);
    }
  if (importance->rest >= LEAST_SHARE)
    tell (data, _ ("Three and more parameters together"), importance->rest);
}

static void
add_share (gpointer data, const char *name, double share)
{
  TosstMarginsDrawing *self = data;
  double *margins = g_renew (double, (double *)self->margins, self->classes + 1);

  margins[self->classes++] = share;
  self->margins = margins;
  self->class_names = g_renew (char *, self->class_names, self->classes + 1);
  self->class_names[self->classes - 1] = g_strdup (name);
  self->class_names[self->classes] = NULL;
}

TosstMarginsDrawing *
studio_sweep_shares (GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric, const TosstSweep *sweep)
{
  g_autoptr (TosstImportance) importance = studio_sweep_importance (rows, varying, metric);

  if (importance == NULL)
    return NULL;
  TosstMarginsDrawing *self = g_new0 (TosstMarginsDrawing, 1);
  self->probabilities = TRUE;
  self->title = title_of (metric_axis (metric, sweep));
  self->note = explain (importance);
  tell_shares (importance, varying, add_share, self);
  return self;
}

void
studio_sweep_shares_free (TosstMarginsDrawing *self)
{
  g_free ((gpointer)self->margins);
  g_strfreev (self->class_names);
  g_free ((gpointer)self->title);
  g_free ((gpointer)self->note);
  g_free (self);
}

void
studio_sweep_draw_shares (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  cairo_translate (cr, style->font_size, style->font_size);
  tosst_draw_margins (cr, width - 2 * style->font_size, height - 2 * style->font_size, style, data);
}

void
studio_sweep_show_importance (GtkWidget *box, GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric,
                              const TosstSweep *sweep)
{
  g_autoptr (TosstImportance) importance = studio_sweep_importance (rows, varying, metric);

  studio_remove_children (box);
  if (importance == NULL)
    {
      gtk_box_append (GTK_BOX (box),
                      wrapped (_ ("The importance of the parameters is known when runs with different results are "
                                  "finished"),
                               "dim-label"));
      return;
    }
  g_autofree char *title = title_of (metric_axis (metric, sweep));
  g_autofree char *text = explain (importance);
  gtk_box_append (GTK_BOX (box), wrapped (title, "heading"));
  gtk_box_append (GTK_BOX (box), wrapped (text, "dim-label"));
  GtkWidget *grid = g_object_new (GTK_TYPE_GRID, "column-spacing", 12, "row-spacing", 10, "margin-top", 6, NULL);
  tell_shares (importance, varying, add_bar, grid);
  gtk_box_append (GTK_BOX (box), grid);
}
