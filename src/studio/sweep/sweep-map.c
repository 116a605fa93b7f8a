/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-map.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/recipe/value-text.h"
#include "studio/sweep/sweep-shown.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define LEAST_SHARE 0.005 /* of an interaction on show */

/* The map. */

static gsize
cell (const StudioSweepMap *self, guint column, guint row)
{
  return (gsize)row * tosst_grid_columns (self->grid) + column;
}

static void
put_row (StudioSweepMap *self, StudioSweepRow *row, StudioSweepMetric metric, guint column, guint line)
{
  StudioSweepRow **place = (StudioSweepRow **)&self->rows->pdata[cell (self, column, line)];

  self->left_out += *place != NULL;
  if (*place != NULL && !studio_sweep_is_better (row, *place, metric))
    return;
  g_set_object (place, row);
  tosst_grid_set (self->grid, column, line, studio_sweep_row_metric (row, metric));
}

static void
drop_row (gpointer row)
{
  if (row != NULL)
    g_object_unref (row);
}

StudioSweepMap *
studio_sweep_map_new (GListModel *rows, const TosstSweep *sweep, StudioSweepMetric metric, const TosstParameter *x,
                      const TosstParameter *y)
{
  StudioSweepMap *self = g_new0 (StudioSweepMap, 1);
  g_autofree char *x_label = studio_sweep_axis_label (sweep, x), *y_label = studio_sweep_axis_label (sweep, y);
  g_auto (GStrv) columns = NULL, lines = NULL;
  StudioSweepShown across, up;

  studio_sweep_shown_init (&across, rows, x);
  studio_sweep_shown_init (&up, rows, y);
  columns = studio_sweep_shown_names (&across);
  lines = studio_sweep_shown_names (&up);
  self->grid = tosst_grid_new (x_label, (const char *const *)columns, y_label, (const char *const *)lines,
                               studio_sweep_metric_axis (metric, sweep));
  tosst_grid_set_low_is_best (self->grid, metric != STUDIO_SWEEP_ACCURACY);
  self->rows = g_ptr_array_new_with_free_func (drop_row);
  g_ptr_array_set_size (self->rows, (int)(across.n * up.n));
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);

      if (!isnan (studio_sweep_row_metric (row, metric)))
        put_row (self, row, metric, studio_sweep_shown_index (&across, row), studio_sweep_shown_index (&up, row));
    }
  studio_sweep_shown_clear (&across);
  studio_sweep_shown_clear (&up);
  return self;
}

void
studio_sweep_map_free (StudioSweepMap *self)
{
  tosst_grid_free (self->grid);
  g_ptr_array_unref (self->rows);
  g_free (self);
}

StudioSweepRow *
studio_sweep_map_row (StudioSweepMap *self, guint column, guint row)
{
  return self->rows->pdata[cell (self, column, row)];
}

void
studio_sweep_map_choose (StudioSweepMap *self, StudioSweepRow *row)
{
  guint at, columns = tosst_grid_columns (self->grid);

  if (row != NULL && g_ptr_array_find (self->rows, row, &at))
    tosst_grid_set_chosen (self->grid, (int)(at % columns), (int)(at / columns));
  else
    tosst_grid_set_chosen (self->grid, -1, -1);
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
add_bar (GtkWidget *grid, int line, const char *name, double share)
{
  GtkWidget *label = studio_label (name, NULL), *bar = gtk_level_bar_new (), *number;
  g_autofree char *percent = studio_format_percent (100 * share, 1);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, name);
  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), share);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_LOW);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_HIGH);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_FULL);
  gtk_widget_set_hexpand (bar, TRUE);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  studio_set_name (bar, name);
  number = studio_label (percent, "numeric", NULL);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_grid_attach (GTK_GRID (grid), label, 0, line, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), bar, 1, line, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), number, 2, line, 1, 1);
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

static void
add_heading (GtkWidget *box, const TosstImportance *importance, const char *metric)
{
  g_autofree char *title = title_of (metric), *text = explain (importance);

  gtk_box_append (GTK_BOX (box), wrapped (title, "heading"));
  gtk_box_append (GTK_BOX (box), wrapped (text, "dim-label"));
}

static gboolean
is_shown (const TosstEffect *effect)
{
  return effect->a == effect->b || effect->share >= LEAST_SHARE;
}

TosstShares *
studio_sweep_shares (GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric, const TosstSweep *sweep)
{
  g_autoptr (TosstImportance) importance = studio_sweep_importance (rows, varying, metric);
  g_autofree char *title = title_of (studio_sweep_metric_axis (metric, sweep)), *text = NULL;
  TosstShares *self;

  if (importance == NULL)
    return NULL;
  text = explain (importance);
  self = tosst_shares_new (title, text);
  for (guint i = 0; i < importance->effects->len; i++)
    {
      const TosstEffect *effect = &g_array_index (importance->effects, TosstEffect, i);
      g_autofree char *name = name_effect (effect, varying);

      if (is_shown (effect))
        tosst_shares_add (self, name, effect->share);
    }
  if (importance->rest >= LEAST_SHARE)
    tosst_shares_add (self, _ ("Three and more parameters together"), importance->rest);
  return self;
}

void
studio_sweep_show_importance (GtkWidget *box, GListModel *rows, const GPtrArray *varying, StudioSweepMetric metric,
                              const TosstSweep *sweep)
{
  g_autoptr (TosstImportance) importance = studio_sweep_importance (rows, varying, metric);
  GtkWidget *grid = gtk_grid_new ();
  int line = 0;

  studio_remove_children (box);
  if (importance == NULL)
    {
      gtk_box_append (GTK_BOX (box),
                      wrapped (_ ("The importance of the parameters is known when runs with different results are "
                                  "finished"),
                               "dim-label"));
      g_object_unref (g_object_ref_sink (grid));
      return;
    }
  add_heading (box, importance, studio_sweep_metric_axis (metric, sweep));
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 10);
  gtk_widget_set_margin_top (grid, 6);
  for (guint i = 0; i < importance->effects->len; i++)
    {
      const TosstEffect *effect = &g_array_index (importance->effects, TosstEffect, i);
      g_autofree char *name = name_effect (effect, varying);

      if (is_shown (effect))
        add_bar (grid, line++, name, effect->share);
    }
  if (importance->rest >= LEAST_SHARE)
    add_bar (grid, line, _ ("Three and more parameters together"), importance->rest);
  gtk_box_append (GTK_BOX (box), grid);
}
