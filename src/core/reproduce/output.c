/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Output of an experiment: a table, plots, and remarks on differences from the paper.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/reproduce/private.h"

/* Table and plot of an experiment that compares methods: a column and a curve for each. */

static const TosstReproducedRun *
run_at (const TosstReproduction *self, guint i)
{
  return g_ptr_array_index (self->runs, i);
}

static double
x_of (const TosstReproduction *self, const TosstReproducedRun *run)
{
  const TosstParameter *p = self->experiment->across ? tosst_parameter_find (self->experiment->across) : NULL;
  g_autofree char *value = p ? tosst_recipe_get (run->recipe, p) : NULL;

  return p ? g_ascii_strtod (value, NULL) : run->part;
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
      double x = x_of (self, run_at (self, i));
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

      if (run->part == part && (is_for_all (run, across) || x_of (self, run) == x))
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
add_number_of_paper (TosstTable *table, double value)
{
  if (isnan (value))
    tosst_table_add (table, "–");
  else
    tosst_table_add_printf (table, "%.1f", value);
}

/* The table of an experiment that compares methods, new. */
static TosstTable *
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
            add_number_of_paper (table, find_paper (&experiment->parts[part], x));
        }
    }
  return table;
}

static TosstChart *
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

#define WIDTH 720
#define HEIGHT 440

static const TosstExperimentPart *
part_of (const TosstReproduction *self, const TosstReproducedRun *run)
{
  return &self->experiment->parts[run->part];
}

static gboolean
chooses (const TosstReproduction *self)
{
  return (self->flags & TOSST_REPRODUCE_CHOOSE) != 0;
}

static gboolean
is_quick (const TosstReproduction *self)
{
  return (self->flags & TOSST_REPRODUCE_QUICK) != 0;
}

/* --set may select another data set. */
static gboolean
is_of_the_paper (const TosstReproduction *self)
{
  const TosstSweep *sweep = g_ptr_array_index (self->sweeps, 0);

  return self->experiment->data == TOSST_DATASET_BRODATZ && sweep->base->dataset.kind == TOSST_DATASET_BRODATZ;
}

/* The paper's numbers are test accuracies, which do not compare with those of a parameter search on training
 * samples. */
static gboolean
has_paper (const TosstReproduction *self)
{
  return !chooses (self) && is_of_the_paper (self) && isfinite (self->experiment->parts[0].accuracy);
}

/* --- the table --- */

/* Runs of a parameter search are sorted by accuracy; those of an experiment keep their order. */
static int
compare_runs (gconstpointer a, gconstpointer b)
{
  const TosstReproducedRun *x = *(const TosstReproducedRun *const *)a, *y = *(const TosstReproducedRun *const *)b;

  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  if (isnan (x->accuracy) || isnan (y->accuracy))
    return isnan (x->accuracy) - isnan (y->accuracy);
  return (x->accuracy < y->accuracy) - (x->accuracy > y->accuracy);
}

static void
add_paper (TosstTable *table, const TosstReproducedRun *run, const TosstExperimentPart *part)
{
  tosst_table_add_printf (table, "%.1f ± %.2g %%", part->accuracy, part->deviation);
  if (isnan (run->accuracy))
    tosst_table_add (table, "–");
  else
    tosst_table_add_printf (table, "%+.2f", run->accuracy - part->accuracy);
}

static void
add_row (const TosstReproduction *self, TosstTable *table, const TosstReproducedRun *run)
{
  g_autofree char *accuracy = tosst_report_percent (run->accuracy, run->accuracy_deviation);
  g_autofree char *objective = tosst_report_number (run->objective, 5),
                  *deviation = tosst_report_number (run->objective_deviation, 2);

  if (self->experiment->n_parts > 1)
    tosst_table_add (table, part_of (self, run)->label);
  for (guint i = 0; i < self->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (self->varying, i);
      g_autofree char *value = tosst_recipe_get (run->recipe, p);

      tosst_table_add (table, tosst_recipe_why_inactive (run->recipe, p) ? "" : tosst_report_value (value));
    }
  tosst_table_add (table, run->reason ? run->reason : accuracy);
  if (has_paper (self))
    add_paper (table, run, part_of (self, run));
  if (isnan (run->objective_deviation))
    tosst_table_add (table, objective);
  else
    tosst_table_add_printf (table, "%s ± %s", objective, deviation);
  tosst_table_add_printf (table, "%d", run->splits);
  tosst_table_add_printf (table, "%" PRId64, run->run);
}

TosstTable *
tosst_reproduction_table (TosstReproduction *self)
{
  if (self->experiment->methods && !chooses (self))
    return tosst_reproduction_methods_table (self);

  TosstTable *table = tosst_table_new ();
  g_autoptr (GPtrArray) runs = g_ptr_array_copy (self->runs, NULL, NULL);

  g_ptr_array_set_free_func (runs, NULL);

  if (self->experiment->n_parts > 1)
    tosst_table_add_column (table, _ ("Variant"), FALSE);
  for (guint i = 0; i < self->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (self->varying, i);
      g_autofree char *label = tosst_report_label (p);

      tosst_table_add_column (table, label, p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL);
    }
  tosst_table_add_column (table, chooses (self) ? _ ("Validation") : _ ("Accuracy"), TRUE);
  if (has_paper (self))
    {
      tosst_table_add_column (table, _ ("Paper"), TRUE);
      tosst_table_add_column (table, _ ("Difference"), TRUE);
    }
  tosst_table_add_column (table, _ ("Objective"), TRUE);
  tosst_table_add_column (table, _ ("Splits"), TRUE);
  tosst_table_add_column (table, _ ("Run"), TRUE);
  if (chooses (self))
    g_ptr_array_sort (runs, compare_runs);
  for (guint i = 0; i < runs->len; i++)
    add_row (self, table, g_ptr_array_index (runs, i));
  return table;
}

/* --- the same for programs --- */

static void
add_number (TosstTable *table, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  tosst_table_add (table, isnan (value) ? "" : g_ascii_dtostr (text, sizeof text, value));
}

TosstTable *
tosst_reproduction_numbers (TosstReproduction *self)
{
  static const char *const names[]
      = { "accuracy", "accuracy_std", "paper", "paper_std", "objective", "objective_std", "splits", "run", "failed" };
  gboolean area = self->experiment->methods;
  TosstTable *table = tosst_table_new ();

  tosst_table_add_column (table, "variant", FALSE);
  for (guint i = 0; i < self->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (self->varying, i);
      g_autofree char *name = g_strdup_printf ("%s.%s", p->group, p->key);

      tosst_table_add_column (table, name, TRUE);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    tosst_table_add_column (table, names[i], TRUE);
  if (area)
    tosst_table_add_column (table, "area", TRUE);
  for (guint i = 0; i < self->runs->len; i++)
    {
      const TosstReproducedRun *run = run_at (self, i);
      const TosstExperimentPart *part = part_of (self, run);

      tosst_table_add (table, part->label);
      for (guint v = 0; v < self->varying->len; v++)
        {
          g_autofree char *value = tosst_recipe_get (run->recipe, g_ptr_array_index (self->varying, v));

          tosst_table_add (table, value);
        }
      add_number (table, run->accuracy);
      add_number (table, run->accuracy_deviation);
      add_number (table, has_paper (self) ? part->accuracy : NAN);
      add_number (table, has_paper (self) ? part->deviation : NAN);
      add_number (table, run->objective);
      add_number (table, run->objective_deviation);
      tosst_table_add_printf (table, "%d", run->splits);
      tosst_table_add_printf (table, "%" PRId64, run->run);
      tosst_table_add (table, run->reason);
      if (area)
        add_number (table, run->area);
    }
  return table;
}

/* --- common parameters --- */

static gboolean
is_shared (const TosstReproduction *self, const TosstParameter *p)
{
  for (guint i = 1; i < self->runs->len; i++)
    {
      g_autofree char *first = tosst_recipe_get (run_at (self, 0)->recipe, p);
      g_autofree char *other = tosst_recipe_get (run_at (self, i)->recipe, p);

      if (!g_str_equal (first, other))
        return FALSE;
    }
  return TRUE;
}

/* Whether a parameter is listed: the paper's main parameters, and values that differ from their default. */
static gboolean
is_telling (const TosstRecipe *recipe, const TosstParameter *p, const char *name)
{
  static const char *const always[] = { "descriptor.patch",
                                        "descriptor.step",
                                        "descriptor.gamma-eigen",
                                        "dictionary.lambda",
                                        "dictionary.gamma",
                                        "dictionary.atoms",
                                        "dictionary.scheme",
                                        "dictionary.sample",
                                        "dictionary.iterations",
                                        "pooling.kind",
                                        "pooling.power",
                                        "classifier.c",
                                        "dataset.splits",
                                        "dictionary.solver",
                                        "descriptor.gamma-coefficient",
                                        NULL };

  /* The data folder is machine-specific. */
  if (g_str_equal (name, "dataset.path") || tosst_recipe_why_inactive (recipe, p))
    return FALSE;
  return !tosst_recipe_is_default (recipe, p) || g_strv_contains (always, name);
}

static TosstTable *
parameter_table (const TosstReproduction *self)
{
  TosstTable *table = tosst_table_new ();
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  tosst_table_add_column (table, _ ("Parameter"), FALSE);
  tosst_table_add_column (table, _ ("Key"), FALSE);
  tosst_table_add_column (table, _ ("Value"), TRUE);
  for (guint i = 0; i < n; i++)
    {
      const TosstRecipe *recipe = run_at (self, 0)->recipe;
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key), *label = tosst_report_label (&p[i]);
      g_autofree char *value = tosst_recipe_get (recipe, &p[i]);

      if (!is_shared (self, &p[i]) || !is_telling (recipe, &p[i], name))
        continue;
      tosst_table_add (table, label);
      tosst_table_add (table, name);
      tosst_table_add (table, tosst_report_value (value));
    }
  return table;
}

/* --- words --- */

static void
append_difference (const TosstReproduction *self, GString *text, const TosstReproducedRun *run)
{
  const TosstExperimentPart *part = part_of (self, run);
  double difference = run->accuracy - part->accuracy;
  double deviation = hypot (part->deviation, isnan (run->accuracy_deviation) ? 0 : run->accuracy_deviation);

  if (isnan (run->accuracy))
    return;
  g_string_append (text, text->len ? " " : "");
  if (fabs (difference) <= deviation)
    g_string_append_printf (text, _ ("%s agrees with the paper within the deviations."), part->label);
  else
    g_string_append_printf (
        text, difference > 0 ? _ ("%s is %.2f %% above the paper.") : _ ("%s is %.2f %% below the paper."), part->label,
        fabs (difference));
}

static void
append_sentence (GString *text, const char *sentence)
{
  g_string_append_printf (text, "%s%s", text->len ? " " : "", sentence);
}

static void
append_methods (const TosstReproduction *self, GString *text)
{
  append_sentence (text, _ ("Cells are the mean over classes of the 11-point average precision / of the area under the "
                            "precision-recall curve, in percent."));
  if (self->left_out)
    g_string_append_printf (text, _ (" Classes with fewer than %d test images are left out: %s."),
                            TOSST_REPRODUCE_POSITIVES, self->left_out);
  if (!self->official)
    append_sentence (text, _ ("These data are not the whole of PASCAL VOC 2007: the paper's numbers do not compare."));
}

char *
tosst_reproduction_remarks (TosstReproduction *self)
{
  GString *text = g_string_new (NULL);

  if (chooses (self))
    append_sentence (text, _ ("Accuracies are those of validation samples, which are training samples of split 1; its "
                              "tests were not used."));
  else if (self->experiment->methods)
    append_methods (self, text);
  else if (!is_of_the_paper (self))
    append_sentence (text, _ ("The paper has no numbers for this data set."));
  else if (!has_paper (self))
    append_sentence (text, _ ("The paper shows this as a figure without numbers: there are none to compare with."));
  /* The numbers of a smaller experiment differ for that reason alone. */
  for (guint i = 0; has_paper (self) && !is_quick (self) && i < self->runs->len; i++)
    append_difference (self, text, run_at (self, i));
  if (!chooses (self))
    append_sentence (text, _ (self->experiment->remarks));
  if (is_quick (self))
    append_sentence (
        text,
        self->experiment->methods
            ? _ ("The quick form is a smaller experiment, with fewer atoms and iterations: it checks the program.")
            : _ ("The quick form is a smaller experiment, with fewer patches, atoms and splits: it checks "
                 "the program, and its numbers are not comparable with those of the paper."));
  return g_string_free (text, FALSE);
}

/* --- plots --- */

static guint
series_of (const TosstReproduction *self, TosstChart *chart, GPtrArray *names, const TosstReproducedRun *run)
{
  const TosstParameter *p = self->experiment->curves ? tosst_parameter_find (self->experiment->curves) : NULL;
  g_autofree char *name = p ? tosst_recipe_get (run->recipe, p) : g_strdup (_ ("This program"));
  guint index;

  if (g_ptr_array_find_with_equal_func (names, name, g_str_equal, &index))
    return index;
  index = tosst_chart_add_series (chart, name);
  g_ptr_array_add (names, g_steal_pointer (&name));
  return index;
}

static void
add_paper_series (const TosstReproduction *self, TosstChart *chart)
{
  guint series = tosst_chart_add_series (chart, _ ("Paper"));

  for (guint i = 0; i < self->experiment->n_parts; i++)
    tosst_chart_append_error (chart, series, i, self->experiment->parts[i].accuracy,
                              self->experiment->parts[i].deviation);
}

static void
name_parts (const TosstReproduction *self, TosstChart *chart)
{
  g_autofree const char **names = g_new (const char *, self->experiment->n_parts);

  for (guint i = 0; i < self->experiment->n_parts; i++)
    names[i] = self->experiment->parts[i].label;
  tosst_chart_set_categories (chart, names, self->experiment->n_parts);
}

static TosstChart *
chart_of (TosstReproduction *self, TosstMeasure measure)
{
  if (self->experiment->methods)
    return tosst_reproduction_methods_chart (self);

  gboolean accuracy = measure == TOSST_MEASURE_ACCURACY;
  const TosstParameter *p = self->experiment->across ? tosst_parameter_find (self->experiment->across) : NULL;
  g_autofree char *label = p ? tosst_report_label (p) : g_strdup (_ ("Variant"));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  TosstChart *chart
      = tosst_chart_new (_ (self->experiment->title), label, accuracy ? _ ("Accuracy, %") : _ ("Objective"));

  tosst_chart_set_logarithmic (chart, p && (p->logarithmic || p->type == TOSST_PARAMETER_INTEGER), FALSE);
  if (accuracy)
    tosst_chart_set_y_bounds (chart, 0, 100);
  if (!p)
    name_parts (self, chart);
  for (guint i = 0; i < self->runs->len; i++)
    {
      const TosstReproducedRun *run = run_at (self, i);
      guint series = series_of (self, chart, names, run);

      if (!run->reason)
        tosst_chart_append_error (chart, series, x_of (self, run), accuracy ? run->accuracy : run->objective,
                                  accuracy ? run->accuracy_deviation : run->objective_deviation);
    }
  if (accuracy && has_paper (self))
    add_paper_series (self, chart);
  return chart;
}

/* The measures of the experiment, TOSST_MEASURE_..., zero-terminated. A parameter search has no curves. */
static void
list_measures (const TosstReproduction *self, TosstMeasure measures[3])
{
  guint n = 0;

  for (int measure = TOSST_MEASURE_ACCURACY; measure <= TOSST_MEASURE_OBJECTIVE; measure <<= 1)
    if (!chooses (self) && self->experiment->measures & (TosstMeasure)measure)
      measures[n++] = measure;
  measures[n] = 0;
}

/* --- files --- */

static GFile *
file_of (const TosstReproduction *self, GFile *folder, const char *suffix)
{
  g_autofree char *base = g_strdup_printf ("%s%s%s", self->experiment->name, chooses (self) ? "-choose" : "",
                                           is_quick (self) ? "-quick" : ""),
                  *name = g_strconcat (base, suffix, NULL);

  return g_file_get_child (folder, name);
}

static gboolean
save_text (const TosstReproduction *self, GFile *folder, const char *suffix, const char *text, GError **error)
{
  g_autoptr (GFile) file = file_of (self, folder, suffix);

  return tosst_atomic_write (file, text, strlen (text), error);
}

static gboolean
save_tables (TosstReproduction *self, GFile *folder, GError **error)
{
  g_autoptr (TosstTable) table = tosst_reproduction_table (self), parameters = parameter_table (self);
  g_autoptr (TosstTable) numbers = tosst_reproduction_numbers (self);
  g_autofree char *remarks = tosst_reproduction_remarks (self);
  g_autofree char *results = tosst_table_to_text (table), *values = tosst_table_to_text (parameters);
  g_autofree char *text = g_strdup_printf ("%s\n\n%s\n%s\n\n%s", _ (self->experiment->title), results, remarks, values);
  g_autofree char *csv = tosst_table_to_csv (numbers);
  g_autofree char *md_results = tosst_table_to_markdown (table), *md_values = tosst_table_to_markdown (parameters);
  g_autofree char *markdown
      = g_strdup_printf ("# %s\n\n%s\n%s\n\n%s", _ (self->experiment->title), md_results, remarks, md_values);

  return save_text (self, folder, ".txt", text, error) && save_text (self, folder, ".csv", csv, error)
         && save_text (self, folder, ".md", markdown, error);
}

static gboolean
save_page (TosstReproduction *self, GFile *folder, GError **error)
{
  g_autoptr (GFile) file = file_of (self, folder, ".html");
  g_autoptr (TosstDocument) document
      = tosst_document_new (_ (self->experiment->title), "TOSST Studio " PACKAGE_VERSION);
  g_autofree char *remarks = tosst_reproduction_remarks (self);
  TosstMeasure measures[3];

  list_measures (self, measures);
  tosst_document_add_table (document, tosst_reproduction_table (self));
  tosst_document_add_text (document, remarks);
  for (guint i = 0; measures[i]; i++)
    tosst_document_add_chart (document, chart_of (self, measures[i]), WIDTH, HEIGHT, FALSE);
  tosst_document_add_heading (document, 2, _ ("Parameters of all runs"));
  tosst_document_add_table (document, parameter_table (self));
  return tosst_document_save (document, NAN, file, error);
}

static gboolean
make_folder (GFile *folder, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *name = g_file_get_parse_name (folder);

  return g_file_make_directory_with_parents (folder, NULL, &cause)
         || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_EXISTS)
         || tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s could not be created: %s"), name, cause->message);
}

gboolean
tosst_reproduction_check (TosstReproduction *self, GFile *folder, GError **error)
{
  g_autoptr (GFile) file = file_of (self, folder, ".txt");

  return make_folder (folder, error) && tosst_atomic_check (file, error);
}

gboolean
tosst_reproduction_save (TosstReproduction *self, GFile *folder, GError **error)
{
  if (self->runs->len == 0)
    return TRUE;

  if (!make_folder (folder, error) || !save_tables (self, folder, error))
    return FALSE;
  static const char *const formats[] = { "svg", "pdf", "png" };
  TosstMeasure measures[3];

  list_measures (self, measures);
  for (guint i = 0; measures[i]; i++)
    {
      g_autoptr (TosstChart) chart = chart_of (self, measures[i]);

      for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
        {
          /* The second plot of an experiment has the measure in its name. */
          g_autofree char *suffix = g_strdup_printf ("%s.%s", i ? "-objective" : "", formats[f]);
          g_autoptr (GFile) file = file_of (self, folder, suffix);

          if (!tosst_chart_save (chart, WIDTH, HEIGHT, file, error))
            return FALSE;
        }
    }
  return save_page (self, folder, error);
}
