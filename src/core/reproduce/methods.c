/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Table and plot of an experiment that compares methods: a column and a curve for each.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/reproduce/private.h"

static const TosstReproducedRun *
run_at (const TosstReproduction *self, guint i)
{
  return g_ptr_array_index (self->runs, i);
}

static double
x_of (const TosstReproducedRun *run, const TosstParameter *across)
{
  g_autofree char *value = tosst_recipe_get (run->recipe, across);

  return g_ascii_strtod (value, NULL);
}

/* Methods without the parameter have one result for all values. */
static gboolean
is_for_all (const TosstReproducedRun *run, const TosstParameter *across)
{
  return tosst_recipe_why_inactive (run->recipe, across) != NULL;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The values of the parameter, ascending; new. */
static GArray *
list_values (const TosstReproduction *self, const TosstParameter *across)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < self->runs->len; i++)
    {
      double x = x_of (run_at (self, i), across);
      gboolean known = is_for_all (run_at (self, i), across);

      for (guint j = 0; j < values->len && !known; j++)
        known = g_array_index (values, double, j) == x;
      if (!known)
        g_array_append_val (values, x);
    }
  g_array_sort (values, compare_numbers);
  return values;
}

static const TosstReproducedRun *
find (const TosstReproduction *self, guint part, double x, const TosstParameter *across)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      const TosstReproducedRun *run = run_at (self, i);

      if (run->part == part && (is_for_all (run, across) || x_of (run, across) == x))
        return run;
    }
  return NULL;
}

/* The paper's number at a value; NAN if there is none. */
static double
find_paper (const TosstExperimentPart *part, double x)
{
  const TosstExperimentPoint *point = part->paper;

  while (point && point->x != 0 && point->x != x)
    point++;
  return point && point->value > 0 ? point->value : NAN;
}

static void
add_result (TosstTable *table, const TosstReproducedRun *run)
{
  if (!run)
    tosst_table_add (table, "–");
  else if (run->reason)
    tosst_table_add (table, run->reason);
  else if (isnan (run->area))
    tosst_table_add_printf (table, "%.1f", run->accuracy);
  else
    tosst_table_add_printf (table, "%.1f / %.1f", run->accuracy, run->area);
}

static void
add_paper (TosstTable *table, double value)
{
  if (isnan (value))
    tosst_table_add (table, "–");
  else
    tosst_table_add_printf (table, "%.1f", value);
}

TosstTable *
tosst_reproduction_methods_table (TosstReproduction *self)
{
  const TosstExperiment *experiment = self->experiment;
  const TosstParameter *across = tosst_parameter_find (experiment->across);
  g_autoptr (GArray) values = list_values (self, across);
  g_autofree char *label = tosst_report_label (across);
  TosstTable *table = tosst_table_new ();

  tosst_table_add_column (table, label, TRUE);
  for (guint part = 0; part < experiment->n_parts; part++)
    {
      tosst_table_add_column (table, experiment->parts[part].label, TRUE);
      if (self->official && experiment->parts[part].paper)
        tosst_table_add_column (table, _ ("Paper"), TRUE);
    }
  for (guint i = 0; i < values->len; i++)
    {
      double x = g_array_index (values, double, i);

      tosst_table_add_printf (table, "%g", x);
      for (guint part = 0; part < experiment->n_parts; part++)
        {
          add_result (table, find (self, part, x, across));
          if (self->official && experiment->parts[part].paper)
            add_paper (table, find_paper (&experiment->parts[part], x));
        }
    }
  return table;
}

TosstChart *
tosst_reproduction_methods_chart (TosstReproduction *self)
{
  const TosstExperiment *experiment = self->experiment;
  const TosstParameter *across = tosst_parameter_find (experiment->across);
  g_autoptr (GArray) values = list_values (self, across);
  g_autofree char *label = tosst_report_label (across);
  TosstChart *chart = tosst_chart_new (_ (experiment->title), label, _ ("Mean average precision, %"));

  tosst_chart_set_logarithmic (chart, TRUE, FALSE);
  for (guint part = 0; part < experiment->n_parts; part++)
    {
      guint series = tosst_chart_add_series (chart, experiment->parts[part].label);

      for (guint i = 0; i < values->len; i++)
        {
          double x = g_array_index (values, double, i);
          const TosstReproducedRun *run = find (self, part, x, across);

          if (run && !run->reason)
            tosst_chart_append (chart, series, x, run->accuracy);
        }
    }
  return chart;
}
