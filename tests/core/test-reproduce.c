/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's experiments: definitions make valid runs, a tiny data set goes all the way, and what is done is not done
 * again.
 */
#include <math.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "../few-textures.h"
#include "core/base/error.h"
#include "core/reproduce/reproduce.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

typedef struct
{
  char *folder;
  GFile *workspace, *output;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *store = NULL, *output = NULL;

  fixture->folder = g_dir_make_tmp ("tosst-reproduce-XXXXXX", NULL);
  store = g_build_filename (fixture->folder, "w.sqlite", NULL);
  output = g_build_filename (fixture->folder, "out", NULL);
  fixture->workspace = g_file_new_for_path (store);
  fixture->output = g_file_new_for_path (output);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);
      remove_all (inside);
    }
  g_remove (path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_all (fixture->folder);
  g_object_unref (fixture->workspace);
  g_object_unref (fixture->output);
  g_free (fixture->folder);
}

static void
set (TosstReproduction *reproduction, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  tosst_reproduction_set (reproduction, key, value, &error);
  g_assert_no_error (error);
}

/* Three of the sample textures and small sizes: a run is short, mostly generating the textures. */
static void
make_tiny (TosstReproduction *reproduction)
{
  static const char *const values[][2] = {
    { "dataset.kind", "samples" }, { "dataset.exclude", ALL_BUT_FIVE_TEXTURES ",bricks,gingham" },
    { "dataset.splits", "2" },     { "descriptor.patch", "60" },
    { "descriptor.step", "60" },   { "descriptor.pivots", "2" },
    { "dictionary.sample", "60" }, { "dictionary.iterations", "2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    set (reproduction, values[i][0], values[i][1]);
}

static TosstReproduction *
reproduction_new (const char *name, TosstReproduceFlags flags)
{
  g_autoptr (GError) error = NULL;
  TosstReproduction *reproduction;

  reproduction = tosst_reproduction_new (tosst_experiment_find (name, &error), flags, NULL, &error);
  g_assert_no_error (error);
  make_tiny (reproduction);
  return reproduction;
}

/* Every definition in every form is a recipe that runs on Brodatz, except for its data. */
static void
test_definitions (void)
{
  guint n, there = 0;
  const TosstExperiment *experiments = tosst_experiments (&n);

  for (guint i = 0; i < n; i++)
    for (int flags = 0; flags < 4; flags++)
      {
        g_autoptr (TosstReproduction) reproduction = NULL;
        g_autoptr (GError) error = NULL, unready = NULL;
        const TosstExperiment *found = tosst_experiment_find (experiments[i].name, &error);

        g_assert_true (found == &experiments[i]);
        reproduction = tosst_reproduction_new (found, (TosstReproduceFlags)flags, NULL, &error);
        g_assert_no_error (error);
        g_assert_false (tosst_reproduction_plan (reproduction, &unready));
        g_assert_error (unready, TOSST_ERROR, TOSST_FAILED_INPUT);
        g_assert_nonnull (strstr (unready->message, "--data"));
        /* Only the data are missing. */
        set (reproduction, "dataset.kind", "samples");
        set (reproduction, "dataset.train-per-class", "24");
        g_assert_true (tosst_reproduction_plan (reproduction, &error));
        g_assert_no_error (error);
        there++;
      }
  g_assert_cmpuint (there, ==, 9 * 4);
}

static void
test_paper (void)
{
  static const double accuracy[] = { 93.9, 99.4, 99.4, 99.9 }, deviation[] = { 0.2, 0.1, 0.2, 0.08 };
  const TosstExperiment *table1 = tosst_experiment_find ("table1", NULL);

  g_assert_cmpuint (table1->n_parts, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpfloat (table1->parts[i].accuracy, ==, accuracy[i]);
      g_assert_cmpfloat (table1->parts[i].deviation, ==, deviation[i]);
    }
}

typedef struct
{
  guint parts, earlier, done;
  gboolean stop; /* after the first part */
  TosstContext *context;
} Watch;

static void
on_part (guint part, guint parts, const TosstSweepPlan *plan, gpointer data)
{
  Watch *watch = data;

  g_assert_cmpuint (part, ==, watch->parts);
  if (watch->stop && part == 1)
    tosst_context_cancel (watch->context);
  watch->parts++;
}

static void
on_run (guint run, const TosstSweepOutcome *outcome, gpointer data)
{
  Watch *watch = data;

  watch->earlier += outcome->earlier;
  watch->done += outcome->state == TOSST_RUN_DONE && !outcome->earlier;
}

static gboolean
execute (Fixture *fixture, TosstReproduction *reproduction, Watch *watch, GError **error)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  const TosstSweepOptions options = { .workspace = fixture->workspace, .jobs = 1 };
  const TosstSweepObserver observer = { .run = on_run, .data = watch };

  watch->context = context;
  return tosst_reproduction_plan (reproduction, error)
         && tosst_reproduction_execute (reproduction, &options, context, &observer, on_part, error);
}

static char *
read_output (Fixture *fixture, const char *name)
{
  g_autoptr (GFile) file = g_file_get_child (fixture->output, name);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_load_contents (file, NULL, &text, NULL, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* Interrupted in the second part; then the rest is done, and then no run remains. */
static void
test_table (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstReproduction) reproduction = reproduction_new ("table1", TOSST_REPRODUCE_QUICK);
  g_autoptr (TosstTable) table = NULL, again = NULL;
  g_autoptr (GError) error = NULL, interrupted = NULL;
  g_autofree char *first = NULL, *second = NULL, *csv = NULL, *text = NULL, *remarks = NULL;
  Watch stopped = { .stop = TRUE }, watch = { 0 }, later = { 0 };

  set (reproduction, "dictionary.atoms", "6");
  g_assert_false (execute (fixture, reproduction, &stopped, &interrupted));
  g_assert_error (interrupted, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_assert_cmpuint (stopped.done, ==, 1);
  execute (fixture, reproduction, &watch, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_reproduction_is_whole (reproduction, NULL));
  g_assert_cmpuint (watch.parts, ==, 4);
  g_assert_cmpuint (watch.earlier, ==, 1);
  g_assert_cmpuint (watch.done, ==, 3);
  table = tosst_reproduction_table (reproduction);
  g_assert_cmpuint (tosst_table_rows (table), ==, 4);
  g_assert_cmpstr (tosst_table_cell (table, 3, 0), ==, "(iv)");
  first = tosst_table_to_csv (table);
  /* Other data than the paper's are not compared with its numbers. */
  g_assert_null (strstr (first, "93.9"));
  remarks = tosst_reproduction_remarks (reproduction);
  g_assert_nonnull (strstr (remarks, "no numbers for this data set"));
  g_assert_nonnull (strstr (remarks, "quick form"));

  execute (fixture, reproduction, &later, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (later.done, ==, 0);
  g_assert_cmpuint (later.earlier, ==, 4);
  again = tosst_reproduction_table (reproduction);
  second = tosst_table_to_csv (again);
  g_assert_cmpstr (first, ==, second);

  g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
  g_assert_no_error (error);
  csv = read_output (fixture, "table1-quick.csv");
  /* All digits, one number a field. */
  g_assert_true (g_str_has_prefix (csv, "variant,"));
  g_assert_null (strstr (csv, "±"));
  g_assert_nonnull (strstr (csv, "(iv),"));
  text = read_output (fixture, "table1-quick.txt");
  g_assert_nonnull (strstr (text, "dictionary.atoms"));
}

/* Textures outside of the paper: every variant possible with their colours, and matrices. */
static void
test_others (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "kth-tips", "dtd" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TosstReproduction) reproduction = reproduction_new (names[i], TOSST_REPRODUCE_QUICK);
      g_autoptr (TosstTable) table = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *file = g_strconcat (names[i], "-quick.svg", NULL), *svg = NULL;
      g_autofree char *remarks = NULL, *text = NULL;
      Watch watch = { 0 };

      set (reproduction, "dictionary.atoms", "6");
      set (reproduction, "dataset.splits", "1");
      set (reproduction, "descriptor.patch", "24");
      set (reproduction, "dataset.train-per-class", "20");
      set (reproduction, "pooling.power", "0.4");
      set (reproduction, "classifier.c", "100");
      execute (fixture, reproduction, &watch, &error);
      g_assert_no_error (error);
      g_assert_true (tosst_reproduction_is_whole (reproduction, NULL));
      /* With these data and values, common variants are the same runs. */
      g_assert_cmpuint (watch.done, ==, i == 0 ? 6 : 3);
      g_assert_cmpuint (watch.done + watch.earlier, ==, 6 + i);
      table = tosst_reproduction_table (reproduction);
      text = tosst_table_to_text (table);
      g_assert_true ((strstr (text, "(v)") != NULL) == (i == 1));
      g_assert_nonnull (strstr (text, "autocorrelation"));
      g_assert_null (strstr (text, "Paper"));
      remarks = tosst_reproduction_remarks (reproduction);
      g_assert_nonnull (strstr (remarks, "no numbers for this data set"));
      g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
      g_assert_no_error (error);
      svg = read_output (fixture, file);
    }
}

static void
test_curves (Fixture *fixture, gconstpointer data)
{
  static const char *const files[] = { "fig1d.txt",           "fig1d.csv",          "fig1d.md",  "fig1d.html",
                                       "fig1d.svg",           "fig1d.pdf",          "fig1d.png", "fig1d-objective.svg",
                                       "fig1d-objective.pdf", "fig1d-objective.png" };
  g_autoptr (TosstReproduction) reproduction = reproduction_new ("fig1d", 0);
  g_autoptr (TosstTable) table = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch = { 0 };

  set (reproduction, "sweep.dictionary.lambda", "1e-3;1e-2");
  execute (fixture, reproduction, &watch, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (watch.done, ==, 2);
  table = tosst_reproduction_table (reproduction);
  g_assert_cmpuint (tosst_table_rows (table), ==, 2);
  g_assert_cmpstr (tosst_table_cell (table, 0, 0), ==, "0.001");
  g_assert_nonnull (strstr (tosst_table_cell (table, 0, 1), " ± "));
  g_assert_true (tosst_reproduction_check (reproduction, fixture->output, &error));
  g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_free (read_output (fixture, files[i]));
}

/* A choice evaluates divisions of training samples, sorted by accuracy, and draws more on request. */
static void
test_choose (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstReproduction) reproduction
      = reproduction_new ("fig1a", TOSST_REPRODUCE_QUICK | TOSST_REPRODUCE_CHOOSE);
  g_autoptr (TosstTable) table = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *remarks = NULL, *text = NULL;
  double before = INFINITY;
  guint column = 0;
  Watch watch = { 0 }, more = { 0 };

  set (reproduction, "dictionary.atoms", "6");
  set (reproduction, "dataset.splits", "1");
  set (reproduction, "sweep.runs", "3");
  execute (fixture, reproduction, &watch, &error);
  g_assert_no_error (error);
  table = tosst_reproduction_table (reproduction);
  g_assert_cmpuint (tosst_table_rows (table), ==, 3);
  while (strcmp (tosst_table_title (table, column), "Validation") != 0)
    column++;
  for (guint i = 0; i < 3; i++)
    {
      double accuracy = g_ascii_strtod (tosst_table_cell (table, i, column), NULL);

      g_assert_cmpfloat (accuracy, <=, before);
      before = accuracy;
    }
  remarks = tosst_reproduction_remarks (reproduction);
  set (reproduction, "sweep.runs", "4");
  execute (fixture, reproduction, &more, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (more.earlier, ==, 3);
  g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
  text = read_output (fixture, "fig1a-choose-quick.txt");
  g_assert_nonnull (strstr (text, "dataset.within"));
}

static void
test_failed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstReproduction) reproduction = reproduction_new ("fig1c", TOSST_REPRODUCE_QUICK);
  g_autoptr (TosstTable) table = NULL;
  g_autoptr (GError) error = NULL, failed = NULL;
  Watch watch = { 0 };

  /* d is 12 here: no atom has rank 30. */
  set (reproduction, "sweep.dictionary.rank", "2;30");
  execute (fixture, reproduction, &watch, &error);
  g_assert_no_error (error);
  g_assert_false (tosst_reproduction_is_whole (reproduction, &failed));
  g_assert_nonnull (strstr (failed->message, "1 of 2 runs failed"));
  table = tosst_reproduction_table (reproduction);
  g_assert_nonnull (strstr (tosst_table_cell (table, 1, 1), "dictionary.rank"));
  g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
}

/* The paper's number is shown only for its own recipes. */
static void
test_of_recipe (void)
{
  static const char *const others[][2]
      = { { "dictionary.atoms", "100" },       { "descriptor.patch", "40" }, { "dictionary.scheme", "free" },
          { "dataset.train-per-class", "12" }, { "coding.method", "raw" },   { "dataset.kind", "folders" } };
  const TosstExperiment *table1 = tosst_experiment_find ("table1", NULL);

  for (guint i = 0; i < table1->n_parts; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

      g_assert_true (tosst_values_set (table1->values, (TosstValueSetter)tosst_recipe_set, recipe, NULL));
      g_assert_true (tosst_values_set (table1->parts[i].values, (TosstValueSetter)tosst_recipe_set, recipe, NULL));
      g_assert_true (tosst_experiment_of_recipe (recipe, 111) == &table1->parts[i]);
      g_assert_null (tosst_experiment_of_recipe (recipe, 12));
      g_assert_true (tosst_recipe_set (recipe, "dictionary.lambda", "0.5", NULL));
      g_assert_true (tosst_recipe_set (recipe, "dataset.splits", "3", NULL));
      g_assert_true (tosst_experiment_of_recipe (recipe, 111) == &table1->parts[i]);
      for (gsize j = 0; j < G_N_ELEMENTS (others); j++)
        {
          g_autoptr (TosstRecipe) other = tosst_recipe_copy (recipe);

          g_assert_true (tosst_recipe_set (other, others[j][0], others[j][1], NULL));
          g_assert_null (tosst_experiment_of_recipe (other, 111));
        }
    }
}

/* A folder in the layout of PASCAL VOC 2007: 10 images train, 10 test; two classes of stripes, and a rare one. */
static void
put_photographs (const char *folder)
{
  static const char *const lists[] = { "trainval", "train", "val", "test" };
  g_autofree char *images = g_build_filename (folder, "JPEGImages", NULL),
                  *sets = g_build_filename (folder, "ImageSets", "Main", NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  g_mkdir_with_parents (images, 0700);
  g_mkdir_with_parents (sets, 0700);
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    {
      guint first = l == 3 ? 10 : l == 2 ? 5 : 0, end = l == 0 ? 10 : l == 1 ? 5 : l == 2 ? 10 : 20;
      g_autoptr (GString) ids = g_string_new (NULL), across = g_string_new (NULL), down = g_string_new (NULL);
      g_autofree char *all = g_strdup_printf ("%s/%s.txt", sets, lists[l]),
                      *first_class = g_strdup_printf ("%s/across_%s.txt", sets, lists[l]),
                      *second_class = g_strdup_printf ("%s/down_%s.txt", sets, lists[l]);

      for (guint i = first; i < end; i++)
        {
          g_string_append_printf (ids, "%06u\n", i);
          g_string_append_printf (across, "%06u %d\n", i, i % 2 ? 1 : -1);
          g_string_append_printf (down, "%06u %d\n", i, i % 3 ? 1 : -1);
        }
      g_assert_true (g_file_set_contents (all, ids->str, -1, NULL));
      g_assert_true (g_file_set_contents (first_class, across->str, -1, NULL));
      g_assert_true (g_file_set_contents (second_class, down->str, -1, NULL));
    }
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 48, 40);
      g_autofree char *name = g_strdup_printf ("%s/%06u.png", images, i);
      guchar *data = gdk_pixbuf_get_pixels (pixels);
      int stride = gdk_pixbuf_get_rowstride (pixels);

      for (int y = 0; y < 40; y++)
        for (int x = 0; x < 48; x++)
          for (int k = 0; k < 3; k++)
            data[y * stride + 3 * x + k] = (guchar)(100 + (i % 2) * 60 * sin (0.7 * x) + (i % 3) * 20 * sin (0.5 * y)
                                                    + g_rand_int_range (random, 0, 30));
      g_assert_true (gdk_pixbuf_save (pixels, name, "png", NULL, NULL));
    }
}

static double
number_at (const TosstTable *table, guint row, const char *title)
{
  for (guint i = 0; i < table->columns->len; i++)
    if (g_str_equal (tosst_table_title (table, i), title))
      return g_ascii_strtod (tosst_table_cell (table, row, i), NULL);
  g_assert_not_reached ();
}

/* Methods as columns; all principal components are the raw tensors. */
static void
test_methods (Fixture *fixture, gconstpointer data)
{
  static const char *const values[][2] = {
    { "descriptor.radii", "4;8" },      { "descriptor.strides", "4;6" },         { "descriptor.pca", "5" },
    { "classifier.choose-c", "false" }, { "sweep.dictionary.atoms", "4;10;60" },
  };
  g_autofree char *folder = g_build_filename (fixture->folder, "VOC2007", NULL), *text = NULL, *csv = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstReproduction) reproduction = NULL;
  g_autoptr (TosstTable) table = NULL, numbers = NULL;
  Watch watch = { 0 }, later = { 0 };
  double raw = NAN, whole = NAN;

  put_photographs (folder);
  reproduction
      = tosst_reproduction_new (tosst_experiment_find ("table2", &error), TOSST_REPRODUCE_QUICK, folder, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    set (reproduction, values[i][0], values[i][1]);
  execute (fixture, reproduction, &watch, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_reproduction_is_whole (reproduction, &error));
  g_assert_no_error (error);
  /* Three K of five methods, two of principal components, and two without K. */
  g_assert_cmpuint (watch.done, ==, 19);

  table = tosst_reproduction_table (reproduction);
  g_assert_cmpuint (tosst_table_rows (table), ==, 3);
  g_assert_cmpuint (table->columns->len, ==, 9);
  g_assert_cmpstr (tosst_table_cell (table, 0, 0), ==, "4");
  g_assert_cmpstr (tosst_table_cell (table, 2, 6), ==, "–"); /* 10 images have no 60 components */
  g_assert_cmpstr (tosst_table_cell (table, 0, 7), ==, tosst_table_cell (table, 2, 7));
  numbers = tosst_reproduction_numbers (reproduction);
  for (guint row = 0; row < tosst_table_rows (numbers); row++)
    {
      if (g_str_equal (tosst_table_cell (numbers, row, 0), "raw"))
        raw = number_at (numbers, row, "accuracy");
      if (g_str_equal (tosst_table_cell (numbers, row, 0), "PCA") && number_at (numbers, row, "dictionary.atoms") == 10)
        whole = number_at (numbers, row, "accuracy");
      g_assert_cmpfloat (number_at (numbers, row, "area"), >, 0);
    }
  g_assert_cmpfloat (raw, ==, whole);

  execute (fixture, reproduction, &later, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (later.done, ==, 0);
  g_assert_cmpuint (later.earlier, ==, 19);
  g_assert_true (tosst_reproduction_save (reproduction, fixture->output, &error));
  g_assert_no_error (error);
  text = read_output (fixture, "table2-quick.txt");
  g_assert_nonnull (strstr (text, "not the whole of PASCAL VOC 2007"));
  csv = read_output (fixture, "table2-quick.svg");
  g_assert_nonnull (strstr (csv, "<svg"));
}

#define ADD(name, func) g_test_add ("/reproduce/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reproduce/definitions", test_definitions);
  g_test_add_func ("/reproduce/paper", test_paper);
  g_test_add_func ("/reproduce/of-recipe", test_of_recipe);
  ADD ("table", test_table);
  ADD ("others", test_others);
  ADD ("curves", test_curves);
  ADD ("choose", test_choose);
  ADD ("failed", test_failed);
  ADD ("methods", test_methods);
  return g_test_run ();
}
