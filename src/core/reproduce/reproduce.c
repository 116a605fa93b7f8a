/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Output of an experiment: a table, plots, and remarks on differences from the paper.
 */
#include "config.h"

#include "core/reproduce/reproduce.h"

#include "core/base/base.h"
#include "core/data/lists.h"
#include "core/report/private.h"
#include "core/run/cache.h"
#include "core/run/scores.h"

/* A run of a part and its results. */
typedef struct
{
  guint part;
  TosstRecipe *recipe;
  char *title;  /* values of the varying parameters */
  char *reason; /* reason of a failure, or NULL */
  gint64 run;
  int splits;
  double accuracy, accuracy_deviation; /* percent; NAN */
  double objective, objective_deviation;
  double area; /* mean average precision by area, percent; NAN */
} TosstReproducedRun;

struct TosstReproduction
{
  const TosstExperiment *experiment;
  TosstReproduceFlags flags;
  GPtrArray *sweeps;  /* TosstSweep *, one per part */
  GPtrArray *plans;   /* TosstSweepPlan *, one per part, after tosst_reproduction_plan() */
  GPtrArray *runs;    /* TosstReproducedRun * */
  GHashTable *own;    /* keys set by the caller */
  char *left_out;     /* classes that were left out, or NULL */
  gboolean official;  /* the data are the official ones, whole */
  GPtrArray *varying; /* const TosstParameter *: those with different values within a part */
};

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

/* The table of an experiment that compares methods, new. */
static TosstTable *
tosst_reproduction_methods_table (TosstReproduction *self)
{
  const TosstExperiment *experiment = self->experiment;
  const TosstParameter *across = tosst_parameter_find (experiment->across);
  g_autoptr (GArray) values = list_values (self, across);
  g_autofree char *label = tosst_report_label (across);
  TosstTable *table = tosst_table_new ("n", label);

  for (guint part = 0; part < experiment->n_parts; part++)
    {
      tosst_table_add_columns (table, "n", experiment->parts[part].label);
      if (self->official && experiment->parts[part].paper)
        tosst_table_add_columns (table, "n", _ ("Paper"));
    }
  for (guint i = 0; i < values->len; i++)
    {
      double x = g_array_index (values, double, i);

      tosst_table_add_printf (table, "%g", x);
      for (guint part = 0; part < experiment->n_parts; part++)
        {
          add_result (table, find (self, part, x, across));
          if (self->official && experiment->parts[part].paper)
            {
              const TosstExperimentPoint *paper = experiment->parts[part].paper;

              while (paper->x != 0 && paper->x != x)
                paper++;
              tosst_table_add_printf (table, paper->value > 0 ? "%.1f" : "–", paper->value);
            }
        }
    }
  return table;
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
  return tosst_compare_falling (x->accuracy, y->accuracy);
}

static void
add_row (const TosstReproduction *self, TosstTable *table, const TosstReproducedRun *run)
{
  g_autofree char *accuracy = tosst_report_percent (run->accuracy, run->accuracy_deviation);
  g_autofree char *objective = tosst_report_number (run->objective, 5),
                  *deviation = tosst_report_number (run->objective_deviation, 2);

  if (self->experiment->n_parts > 1)
    tosst_table_add (table, part_of (self, run)->label);
  TOSST_FOR_EACH_POINTER (const TosstParameter, p, self->varying)
    {
      g_autofree char *value = tosst_recipe_get (run->recipe, p);

      tosst_table_add (table, tosst_recipe_why_inactive (run->recipe, p) ? "" : tosst_report_value (value));
    }
  tosst_table_add (table, run->reason ? run->reason : accuracy);
  if (has_paper (self))
    {
      const TosstExperimentPart *part = part_of (self, run);

      tosst_table_add_printf (table, "%.1f ± %.2g %%", part->accuracy, part->deviation);
      tosst_table_add_printf (table, isnan (run->accuracy) ? "–" : "%+.2f", run->accuracy - part->accuracy);
    }
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

  TosstTable *table = tosst_table_new (self->experiment->n_parts > 1 ? "t" : "", _ ("Variant"));
  g_autoptr (GPtrArray) runs = g_ptr_array_copy (self->runs, NULL, NULL);

  g_ptr_array_set_free_func (runs, NULL);
  TOSST_FOR_EACH_POINTER (const TosstParameter, p, self->varying)
    {
      g_autofree char *label = tosst_report_label (p);

      tosst_table_add_columns (table, p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL ? "n" : "t",
                               label);
    }
  tosst_table_add_columns (table, "n", chooses (self) ? _ ("Validation") : _ ("Accuracy"));
  if (has_paper (self))
    tosst_table_add_columns (table, "nn", _ ("Paper"), _ ("Difference"));
  tosst_table_add_columns (table, "nnn", _ ("Objective"), _ ("Splits"), _ ("Run"));
  if (chooses (self))
    g_ptr_array_sort (runs, compare_runs);
  for (guint i = 0; i < runs->len; i++)
    add_row (self, table, g_ptr_array_index (runs, i));
  return table;
}

/* --- the same for programs --- */

TosstTable *
tosst_reproduction_numbers (TosstReproduction *self)
{
  gboolean area = self->experiment->methods;
  TosstTable *table = tosst_table_new ("t", "variant");

  for (guint i = 0; i < self->varying->len; i++)
    tosst_table_add_columns (table, "n", ((const TosstParameter *)g_ptr_array_index (self->varying, i))->name);
  tosst_table_add_columns (table, area ? "nnnnnnnnnn" : "nnnnnnnnn", "accuracy", "accuracy_std", "paper", "paper_std",
                           "objective", "objective_std", "splits", "run", "failed", "area");
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
      tosst_table_add_numbers (table, run->accuracy, run->accuracy_deviation, has_paper (self) ? part->accuracy : NAN,
                               has_paper (self) ? part->deviation : NAN, run->objective, run->objective_deviation);
      tosst_table_add_printf (table, "%d", run->splits);
      tosst_table_add_printf (table, "%" PRId64, run->run);
      tosst_table_add (table, run->reason);
      if (area)
        tosst_table_add_numbers (table, run->area);
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
is_telling (const TosstRecipe *recipe, const TosstParameter *p)
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
  if (g_str_equal (p->name, "dataset.path") || tosst_recipe_why_inactive (recipe, p))
    return FALSE;
  return !tosst_recipe_is_default (recipe, p) || g_strv_contains (always, p->name);
}

static TosstTable *
parameter_table (const TosstReproduction *self)
{
  TosstTable *table = tosst_table_new ("ttn", _ ("Parameter"), _ ("Key"), _ ("Value"));
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      const TosstRecipe *recipe = run_at (self, 0)->recipe;
      g_autofree char *label = tosst_report_label (p), *value = tosst_recipe_get (recipe, p);

      if (!is_shared (self, p) || !is_telling (recipe, p))
        continue;
      tosst_table_add (table, label, p->name, tosst_report_value (value));
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
  g_autofree char *name = self->experiment->methods ? g_strdup (part_of (self, run)->label)
                          : p                       ? tosst_recipe_get (run->recipe, p)
                                                    : g_strdup (_ ("This program"));
  guint index;

  if (g_ptr_array_find_with_equal_func (names, name, g_str_equal, &index))
    return index;
  index = tosst_chart_add_series (chart, name);
  g_ptr_array_add (names, g_steal_pointer (&name));
  return index;
}

static TosstChart *
chart_of (TosstReproduction *self, TosstMeasure measure)
{
  gboolean accuracy = measure == TOSST_MEASURE_ACCURACY, methods = self->experiment->methods;
  const TosstParameter *p = self->experiment->across ? tosst_parameter_find (self->experiment->across) : NULL;
  g_autofree char *label = p ? tosst_report_label (p) : g_strdup (_ ("Variant"));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) all = methods ? list_values (self, p) : NULL;

  TosstChart *chart = tosst_chart_new (_ (self->experiment->title), label,
                                       methods    ? _ ("Mean average precision, %")
                                       : accuracy ? _ ("Accuracy, %")
                                                  : _ ("Objective"));

  tosst_chart_set_logarithmic (chart, p && (p->logarithmic || p->type == TOSST_PARAMETER_INTEGER), FALSE);
  if (accuracy)
    tosst_chart_set_y_bounds (chart, 0, 100);
  if (!p)
    {
      g_autofree const char **parts = g_new (const char *, self->experiment->n_parts);

      for (guint i = 0; i < self->experiment->n_parts; i++)
        parts[i] = self->experiment->parts[i].label;
      tosst_chart_set_categories (chart, parts, self->experiment->n_parts);
    }
  for (guint i = 0; i < self->runs->len; i++)
    {
      const TosstReproducedRun *run = run_at (self, i);
      guint series = series_of (self, chart, names, run);

      gboolean for_all = methods && is_for_all (run, p);

      for (guint k = 0; k < (for_all ? all->len : 1) && !run->reason; k++)
        tosst_chart_append_error (chart, series, for_all ? g_array_index (all, double, k) : x_of (self, run),
                                  accuracy ? run->accuracy : run->objective,
                                  accuracy ? run->accuracy_deviation : run->objective_deviation);
    }
  if (accuracy && has_paper (self))
    {
      guint series = tosst_chart_add_series (chart, _ ("Paper"));

      for (guint i = 0; i < self->experiment->n_parts; i++)
        tosst_chart_append_error (chart, series, i, self->experiment->parts[i].accuracy,
                                  self->experiment->parts[i].deviation);
    }
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
  tosst_document_add (document, TOSST_BLOCK_TEXT, "%s", remarks);
  for (guint i = 0; measures[i]; i++)
    tosst_document_add_chart (document, chart_of (self, measures[i]), WIDTH, HEIGHT, FALSE);
  tosst_document_add (document, TOSST_BLOCK_SECTION, _ ("Parameters of all runs"));
  tosst_document_add_table (document, parameter_table (self));
  return tosst_document_save (document, NAN, file, error);
}

gboolean
tosst_reproduction_check (TosstReproduction *self, GFile *folder, GError **error)
{
  g_autoptr (GFile) file = file_of (self, folder, ".txt");

  return tosst_make_folder (folder, NULL, error) && tosst_atomic_check (file, error);
}

gboolean
tosst_reproduction_save (TosstReproduction *self, GFile *folder, GError **error)
{
  if (self->runs->len == 0)
    return TRUE;

  if (!tosst_make_folder (folder, NULL, error) || !save_tables (self, folder, error))
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

/* Values of an experiment that depend on data with several labels an image. */

/* Sets a value in all parts, unless the caller has set it. */
static gboolean
set_in_all (gpointer data, const char *key, const char *value, GError **error)
{
  TosstReproduction *self = data;

  for (guint i = 0; i < self->sweeps->len && !g_hash_table_contains (self->own, key); i++)
    if (!tosst_sweep_set (g_ptr_array_index (self->sweeps, i), key, value, error))
      return FALSE;
  return TRUE;
}

static gboolean
set_axis_in_all (gpointer data, const char *key, const char *value, GError **error)
{
  TosstReproduction *self = data;

  for (guint i = 0; i < self->sweeps->len && !g_hash_table_contains (self->own, key); i++)
    if (!tosst_sweep_set_axis (g_ptr_array_index (self->sweeps, i), key, value, error))
      return FALSE;
  return TRUE;
}

static gboolean
set_official (TosstReproduction *self, const TosstRecipe *base, GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_path (base->dataset.path);
  g_autoptr (GPtrArray) missing = base->dataset.kind == TOSST_DATASET_VOC2007 ? tosst_voc_missing (folder) : NULL;

  self->official = missing && missing->len == 0;
  if (!self->official || self->flags & (TOSST_REPRODUCE_QUICK | TOSST_REPRODUCE_CHOOSE))
    return TRUE;
  return tosst_values_set (self->experiment->official_values, set_in_all, self, error)
         && tosst_values_set (self->experiment->official_axes, set_axis_in_all, self, error);
}

/* The average precision of a rare class is mostly noise. */
static gboolean
leave_out_rare (TosstReproduction *self, const TosstRecipe *base, TosstDataset *dataset, GError **error)
{
  guint n = dataset->classes->len, rare = 0;
  g_autoptr (GString) names = g_string_new (NULL);

  g_clear_pointer (&self->left_out, g_free);
  for (guint i = 0; i < n; i++)
    if (tosst_dataset_count_label (dataset, TOSST_SIDE_TEST, i, 1) < TOSST_REPRODUCE_POSITIVES)
      {
        g_string_append_printf (names, "%s%s", rare > 0 ? "," : "", tosst_dataset_class_name (dataset, i));
        rare++;
      }
  if (rare == 0 || rare == n || base->dataset.exclude)
    return TRUE;
  if (!set_in_all (self, "dataset.exclude", names->str, error))
    return FALSE;
  g_string_replace (names, ",", ", ", 0);
  self->left_out = g_strdup (names->str);
  return TRUE;
}

/* Limits the values of dictionary.atoms of a part with principal components. */
static gboolean
limit_atoms (TosstSweep *sweep, guint most, GError **error)
{
  g_autoptr (GStrvBuilder) some = g_strv_builder_new ();
  g_autofree char *last = g_strdup_printf ("%u", most), *text = NULL;
  guint n = 0, all = 0;

  TOSST_FOR_EACH_POINTER (const TosstSweepAxis, axis, sweep->axes)
    {
      if (axis->parameter != tosst_parameter_find ("dictionary.atoms") || !axis->values)
        continue;
      for (char **value = axis->values; *value; value++, all++)
        if (g_ascii_strtoull (*value, NULL, 10) <= most)
          {
            g_strv_builder_add (some, *value);
            n++;
          }
    }
  if (all == 0)
    return sweep->base->dictionary.atoms <= (int)most || tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  if (n == 0)
    return tosst_sweep_set (sweep, "dictionary.atoms", last, error);
  g_auto (GStrv) values = g_strv_builder_end (some);
  text = g_strjoinv (";", values);
  return tosst_sweep_set_axis (sweep, "dictionary.atoms", text, error);
}

static gboolean
limit_components (TosstReproduction *self, TosstDataset *dataset, GError **error)
{
  TOSST_FOR_EACH_POINTER (TosstSweep, sweep, self->sweeps)
    {
      g_autoptr (GArray) train = NULL, test = NULL;

      if (sweep->base->coding.method != TOSST_CODING_PCA)
        continue;
      if (!tosst_dataset_split (dataset, sweep->base, 0, &train, &test, error)
          || !limit_atoms (sweep, train->len, error))
        return FALSE;
    }
  return TRUE;
}

/* Size of parameter searches: divisions of the training samples, and combinations. */
#define CHOOSE_SPLITS "3"
#define CHOOSE_RUNS "32"
#define CHOOSE_QUICK_SPLITS "1"
#define CHOOSE_QUICK_RUNS "4"

TOSST_DEFINE_FREE (TosstReproducedRun, free_run, (recipe, tosst_recipe_free), (title, g_free), (reason, g_free))

TOSST_DEFINE_PUBLIC_FREE (TosstReproduction, tosst_reproduction_free, TosstReproduction *, (plans, g_ptr_array_unref),
                          (sweeps, g_ptr_array_unref), (runs, g_ptr_array_unref), (varying, g_ptr_array_unref),
                          (own, g_hash_table_unref), (left_out, g_free))

/* --- from an experiment to sweeps --- */

static gboolean
set_values (TosstSweep *sweep, const char *values, GError **error)
{
  return tosst_values_set (values, (TosstValueSetter)tosst_sweep_set, sweep, error);
}

static gboolean
set_axes (TosstSweep *sweep, const char *axes, GError **error)
{
  return tosst_values_set (axes, (TosstValueSetter)tosst_sweep_set_axis, sweep, error);
}

/* Validates on a part of the first split's training samples: its test samples are not used. */
static gboolean
set_choice (TosstSweep *sweep, const TosstExperiment *experiment, gboolean quick, GError **error)
{
  return tosst_sweep_set (sweep, "dataset.within", "1", error)
         && tosst_sweep_set (sweep, "dataset.splits", quick ? CHOOSE_QUICK_SPLITS : CHOOSE_SPLITS, error)
         && tosst_sweep_set_line (sweep, "method", "random", error)
         && tosst_sweep_set_line (sweep, "runs", quick ? CHOOSE_QUICK_RUNS : CHOOSE_RUNS, error)
         && set_axes (sweep, experiment->open_axes, error);
}

static TosstSweep *
part_sweep (const TosstExperiment *experiment, guint part, TosstReproduceFlags flags, GError **error)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  g_autoptr (TosstSweep) sweep = tosst_sweep_new (defaults);
  gboolean quick = (flags & TOSST_REPRODUCE_QUICK) != 0;

  if (!set_values (sweep, experiment->values, error) || !set_values (sweep, experiment->parts[part].values, error)
      || (quick && !set_values (sweep, experiment->quick_values, error)))
    return NULL;
  if (!(flags & TOSST_REPRODUCE_CHOOSE ? set_choice (sweep, experiment, quick, error)
                                       : set_axes (sweep, quick ? experiment->quick_axes : experiment->axes, error)))
    return NULL;
  return g_steal_pointer (&sweep);
}

TosstReproduction *
tosst_reproduction_new (const TosstExperiment *experiment, TosstReproduceFlags flags, const char *data, GError **error)
{
  g_autoptr (TosstReproduction) self = g_new0 (TosstReproduction, 1);

  self->experiment = experiment;
  self->flags = flags;
  self->sweeps = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_sweep_free);
  self->plans = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_sweep_plan_free);
  self->runs = g_ptr_array_new_with_free_func (free_run);
  self->varying = g_ptr_array_new ();
  self->own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint part = 0; part < experiment->n_parts; part++)
    {
      TosstSweep *sweep = part_sweep (experiment, part, flags, error);

      if (!sweep)
        return NULL;
      g_ptr_array_add (self->sweeps, sweep);
    }
  if (data && !tosst_reproduction_set (self, "dataset.path", data, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
tosst_reproduction_set (TosstReproduction *self, const char *key, const char *value, GError **error)
{
  TOSST_FOR_EACH_POINTER (TosstSweep, sweep, self->sweeps)
    if (!(g_str_has_prefix (key, "sweep.") ? tosst_sweep_set_line (sweep, key + 6, value, error)
                                           : tosst_sweep_set (sweep, key, value, error)))
      return FALSE;
  g_hash_table_add (self->own, g_strdup (g_str_has_prefix (key, "sweep.") ? key + 6 : key));
  return TRUE;
}

/* --- execution --- */

/* Mean average precision by area over splits and classes, in percent. */
static double
mean_area (const TosstReportRun *run, GError **error)
{
  double sum = 0, mean;

  for (guint i = 0; i < run->scores->len; i++)
    {
      if (!tosst_scores_mean (g_ptr_array_index (run->scores, i), TOSST_SCORE_AREA, NULL, &mean, error))
        return NAN;
      sum += mean;
    }
  return run->scores->len > 0 ? sum / run->scores->len : NAN;
}

/* A failed run may have finished splits, which are ignored. */
static gboolean
read_numbers (TosstReproducedRun *one, TosstStore *store, GError **error)
{
  g_autoptr (TosstReportRun) run = tosst_report_run_load (store, one->run, error);

  if (!run)
    return FALSE;
  one->accuracy = run->accuracy;
  one->accuracy_deviation = run->deviation;
  one->splits = (int)run->done->len;
  one->area = run->scores ? mean_area (run, NULL) : NAN;
  one->objective = tosst_split_mean ((const TosstSplitResult *)(gpointer)run->done->data, run->done->len,
                                     G_STRUCT_OFFSET (TosstSplitResult, objective), &one->objective_deviation);
  return TRUE;
}

static gboolean
collect (TosstReproduction *self, guint part, const TosstSweepPlan *plan, const TosstSweepResult *result,
         TosstStore *store, GError **error)
{
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      const TosstSweepOutcome *outcome = &result->outcome[i];
      TosstReproducedRun *one = g_new0 (TosstReproducedRun, 1);

      *one = (TosstReproducedRun){ part, tosst_recipe_copy (run->recipe), g_strdup (run->title), NULL, outcome->id };
      one->accuracy = one->accuracy_deviation = one->objective = one->objective_deviation = one->area = NAN;
      g_ptr_array_add (self->runs, one);
      if (outcome->state != TOSST_RUN_DONE)
        one->reason = g_strdup (outcome->reason ? outcome->reason : tosst_run_state_label (outcome->state));
      else if (!read_numbers (one, store, error))
        return FALSE;
    }
  for (guint i = 0; i < plan->varying->len; i++)
    if (!g_ptr_array_find (self->varying, g_ptr_array_index (plan->varying, i), NULL))
      g_ptr_array_add (self->varying, g_ptr_array_index (plan->varying, i));
  return TRUE;
}

gboolean
tosst_reproduction_is_whole (TosstReproduction *self, GError **error)
{
  const TosstReproducedRun *first = NULL;
  guint failed = 0;

  for (guint i = self->runs->len; i-- > 0;)
    {
      const TosstReproducedRun *run = g_ptr_array_index (self->runs, i);

      first = run->reason ? run : first;
      failed += run->reason != NULL;
    }
  return failed == 0
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("%u of %u runs failed; the first: %s"), failed, self->runs->len,
                        first->reason);
}

gboolean
tosst_reproduction_plan (TosstReproduction *self, GError **error)
{
  const TosstSweep *sweep = g_ptr_array_index (self->sweeps, 0);

  g_ptr_array_set_size (self->plans, 0);
  if (sweep->base->dataset.kind != TOSST_DATASET_SAMPLES && !sweep->base->dataset.path)
    /* Translators: an experiment, and what must be in the folder of the data. */
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s needs %s"), self->experiment->name,
                       _ (self->experiment->needs));
  /* Adapts the sweeps to data with several labels an image. */
  if (self->experiment->methods && tosst_recipe_has_several_labels (sweep->base))
    {
      g_autoptr (TosstDataset) dataset = tosst_dataset_open (sweep->base, NULL, error);

      if (!dataset || !set_official (self, sweep->base, error) || !leave_out_rare (self, sweep->base, dataset, error)
          || !limit_components (self, dataset, error))
        return FALSE;
    }
  for (guint i = 0; i < self->sweeps->len; i++)
    {
      TosstSweepPlan *plan = tosst_sweep_plan_new (g_ptr_array_index (self->sweeps, i), error);

      if (!plan)
        return FALSE;
      g_ptr_array_add (self->plans, plan);
    }
  return TRUE;
}

const TosstSweepPlan *
tosst_reproduction_part (TosstReproduction *self, guint part)
{
  return g_ptr_array_index (self->plans, part);
}

/* Keeps the results that runs of a part share with other parts. */
static void
hold (TosstReproduction *self, guint part, TosstStageCache *cache, gboolean reserve)
{
  const TosstSweepPlan *plan = g_ptr_array_index (self->plans, part);

  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);

      if (run->dataset)
        (reserve ? tosst_stage_cache_reserve : tosst_stage_cache_release) (cache, run->recipe, run->dataset);
    }
}

gboolean
tosst_reproduction_execute (TosstReproduction *self, const TosstSweepOptions *options, TosstContext *context,
                            const TosstSweepObserver *observer, TosstReproducePart part, GError **error)
{
  g_autoptr (TosstStageCache) cache = tosst_sweep_cache_new (1);

  g_ptr_array_set_size (self->runs, 0);
  g_ptr_array_set_size (self->varying, 0);
  for (guint i = 0; i < self->plans->len; i++)
    hold (self, i, cache, TRUE);
  for (guint i = 0; i < self->plans->len; i++)
    {
      const TosstSweepPlan *plan = g_ptr_array_index (self->plans, i);

      if (part)
        part (i, self->plans->len, plan, observer->data);
      const char *label = self->experiment->parts[i].label;
      g_autofree char *title = g_strchomp (g_strdup_printf ("%s %s", self->experiment->name, label));
      TosstSweepOptions with_title = *options;
      g_autoptr (TosstSweepResult) result = NULL;

      with_title.title = title;
      with_title.cache = cache;
      if (!tosst_sweep_execute (plan, &with_title, context, observer, &result, error))
        return FALSE;
      hold (self, i, cache, FALSE);
      g_autoptr (TosstStore) store = tosst_store_open (options->workspace, TOSST_STORE_READ, error);
      if (!store || !collect (self, i, plan, result, store, error))
        return FALSE;
    }
  return TRUE;
}
