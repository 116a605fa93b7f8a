/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scores of tests with several labels: summaries, curves, and the forms in which they are kept and reported.
 */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "../small-images.h"
#include "core/run/scores.h"
#include "core/store/record.h"
#include "small-run.h"
#include "store-place.h"

#define TESTS 4
#define CLASSES 3

static const double margins[TESTS][CLASSES] = {
  { 0.9, -INFINITY, 1 },
  { 0.8, 1.0 / 3, 2 },
  { 0.7, 1e-300, 3 },
  { 0.1, -5, 4 },
};
/* The second class leaves a test out; the third one has no positives. */
static const int labels[CLASSES][TESTS] = { { 1, -1, 1, -1 }, { -1, 1, 0, 1 }, { -1, -1, -1, 0 } };
#define AP11_FIRST (100 * (6 + 5 * 2.0 / 3) / 11)
#define AREA_FIRST (100 * (1 + 2.0 / 3) / 2)

static TosstScores *
some_scores (void)
{
  TosstScores *scores = tosst_scores_new (TESTS, CLASSES);

  for (guint i = 0; i < TESTS; i++)
    scores->sample[i] = 2 * i;
  memcpy (scores->margin, margins, sizeof margins);
  memcpy (scores->label, labels, sizeof labels);
  return scores;
}

static void
assert_same (const TosstScores *a, const TosstScores *b)
{
  gsize n = (gsize)a->samples * (gsize)a->classes;

  g_assert_cmpuint (a->samples, ==, b->samples);
  g_assert_cmpint (a->classes, ==, b->classes);
  g_assert_cmpmem (a->sample, a->samples * sizeof (guint), b->sample, b->samples * sizeof (guint));
  g_assert_cmpmem (a->margin, n * sizeof (double), b->margin, n * sizeof (double));
  g_assert_cmpmem (a->label, n * sizeof (int), b->label, n * sizeof (int));
}

/* --- averages and curves --- */

static void
test_summary (void)
{
  g_autoptr (TosstScores) scores = some_scores (), worse = some_scores ();
  TosstScores *const splits[] = { scores, worse };
  TosstClassScore classes[CLASSES], mean;
  double one, other;

  for (guint i = 0; i < TESTS; i++)
    worse->margin[i * CLASSES] *= -1; /* the first class in reverse order: precisions 0, 1/2, 1/3, 2/4 */
  g_assert_true (tosst_scores_summarise (splits, 2, classes, &mean, NULL));
  g_assert_cmpfloat_with_epsilon (classes[0].ap11, (AP11_FIRST + 50) / 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (classes[0].area, (AREA_FIRST + 50) / 2, 1e-9);
  g_assert_cmpuint (classes[0].positives, ==, 4);
  g_assert_cmpuint (classes[0].negatives, ==, 4);
  g_assert_cmpuint (classes[1].positives, ==, 4);
  g_assert_cmpuint (classes[1].negatives, ==, 2);
  g_assert_true (isnan (classes[2].ap11) && isnan (classes[2].area));
  g_assert_cmpuint (mean.positives, ==, 8);
  g_assert_true (tosst_scores_mean (scores, TOSST_SCORE_AP11, NULL, &one, NULL));
  g_assert_true (tosst_scores_mean (worse, TOSST_SCORE_AP11, NULL, &other, NULL));
  g_assert_cmpfloat_with_epsilon (mean.ap11, (one + other) / 2, 1e-9);
  g_assert_true (tosst_scores_summarise (splits, 0, NULL, &mean, NULL));
  g_assert_true (isnan (mean.ap11));
  /* Without the mean. */
  g_assert_true (tosst_scores_summarise (splits, 2, classes, NULL, NULL));
  g_assert_cmpuint (classes[0].positives, ==, 4);
}

/* A long curve has the same area and ends without its redundant points. */
static void
test_curve (void)
{
  const guint tests = 1000;
  g_autoptr (TosstScores) scores = tosst_scores_new (tests, 1);
  g_autofree TosstRecallPoint *all = g_new (TosstRecallPoint, tests), *curve = NULL;
  TosstAveragePrecision result;
  gsize n, at = 0;

  for (guint i = 0; i < tests; i++)
    {
      scores->margin[i] = -(double)i;
      scores->label[i] = i % 7 == 3 || i / 100 == 5 ? 1 : i % 11 == 0 ? 0 : -1;
    }
  g_assert_true (tosst_scores_average_precision (scores, 0, &result, all, NULL));
  curve = tosst_scores_curve (scores, 0, &n, NULL);
  g_assert_cmpuint (n, <=, 2 * result.positives + 2);
  for (gsize i = 0; i < result.positives + result.negatives; i++)
    {
      /* Each point is one of the curve, or has the same recall as the two around it. */
      if (at < n && curve[at].recall == all[i].recall && curve[at].precision == all[i].precision)
        at++;
      else
        g_assert_true (curve[at].recall == all[i].recall && curve[at - 1].recall == all[i].recall
                       && curve[at].precision <= all[i].precision && curve[at - 1].precision >= all[i].precision);
    }
  g_assert_cmpuint (at, ==, n);
  for (guint i = 0; i < tests; i++)
    scores->label[i] = -1;
  g_clear_pointer (&curve, g_free);
  curve = tosst_scores_curve (scores, 0, &n, NULL);
  g_assert_nonnull (curve);
  g_assert_cmpuint (n, ==, 0);
}

/* --- texts --- */

static void
test_csv (void)
{
  static const char *const wrong[] = {
    "",
    "sample\n",
    "sample,margin,label",
    "sample,margin,label\n0,1,2\n",        /* no label */
    "sample,margin,label\n0,nan,1\n",      /* no rank */
    "sample,margin,label\n0,1\n",          /* too few */
    "sample,margin,label\n0,1,1,1\n",      /* too many */
    "sample,margin,label\n0,1,1",          /* cut off */
    "sample,margin,label\n0,1,1\n0,1,1\n", /* twice */
    "sample,margin,label\n-1,1,1\n",
    "sample,margin,label\n9999999999,1,1\n",
    "sample,margin,label\n0,,1\n",
    "sample,margin,label\n0,1,\n",
    "sample,margin,label\n\n\n\n\n\n\n\n",
    "sample,margin,margin,label,label\n0,1,2,1,1\n", /* two classes */
  };
  g_autoptr (TosstScores) scores = some_scores (), again = NULL, none = NULL;
  g_autoptr (GBytes) csv = tosst_scores_to_csv (scores), empty = g_bytes_new_static ("sample,margin,label\n", 20);

  again = tosst_scores_from_csv (csv, CLASSES);
  g_assert_nonnull (again);
  assert_same (scores, again);
  none = tosst_scores_from_csv (empty, 1);
  g_assert_nonnull (none);
  g_assert_cmpuint (none->samples, ==, 0);
  g_assert_null (tosst_scores_from_csv (csv, CLASSES - 1));
  g_assert_null (tosst_scores_from_csv (csv, G_MAXINT));
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (wrong[i], strlen (wrong[i]));

      g_assert_null (tosst_scores_from_csv (bytes, 1));
    }
}

/* A result of one split, with the scores above. */
static TosstRunResult *
some_result (void)
{
  static const char *const names[] = { "bus", "a \"car\", red", "none", NULL };
  TosstRunResult *result = g_new0 (TosstRunResult, 1);
  double mean;

  result->classes = CLASSES;
  result->class_names = g_strdupv ((char **)names);
  result->score = TOSST_SCORE_AREA;
  result->splits = result->allocated_splits = 1;
  result->split = g_new0 (TosstSplitResult, 1);
  result->split[0].confusion = g_new0 (int, CLASSES *CLASSES);
  result->split[0].scores = some_scores ();
  result->per_class = g_new0 (double, CLASSES);
  result->confusion = g_new0 (int, CLASSES *CLASSES);
  g_assert_true (tosst_scores_mean (result->split[0].scores, result->score, result->per_class, &mean, NULL));
  result->accuracy_mean = result->split[0].accuracy = mean;
  return result;
}

static JsonObject *
member (JsonObject *object, const char *name)
{
  return json_object_get_object_member (object, name);
}

static void
test_json (void)
{
  g_autoptr (TosstRunResult) result = some_result ();
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (JsonNode) root = tosst_run_result_to_node (result, recipe);
  JsonObject *object = json_node_get_object (root), *bus = member (member (object, "average_precision"), "bus");
  JsonObject *split = json_array_get_object_element (json_object_get_array_member (object, "splits"), 0);
  JsonObject *curve = member (member (object, "curves"), "bus");

  g_assert_cmpstr (json_object_get_string_member (object, "score"), ==, "area");
  g_assert_cmpfloat (json_object_get_double_member (object, "accuracy_mean"), ==,
                     json_object_get_double_member (object, "map_area"));
  g_assert_cmpfloat (json_object_get_double_member (object, "map11"), ==,
                     json_object_get_double_member (split, "map11"));
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (bus, "ap11"), AP11_FIRST, 1e-9);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (bus, "area"), AREA_FIRST, 1e-9);
  g_assert_cmpint (json_object_get_int_member (bus, "positives"), ==, 2);
  g_assert_true (json_object_get_null_member (member (member (object, "average_precision"), "none"), "ap11"));
  g_assert_nonnull (member (split, "average_precision"));
  g_assert_false (json_object_has_member (member (object, "curves"), "none"));
  JsonArray *recall = json_object_get_array_member (curve, "recall");
  JsonArray *precision = json_object_get_array_member (curve, "precision");
  g_assert_cmpuint (json_array_get_length (recall), ==, 4);
  g_assert_cmpfloat (json_array_get_double_element (recall, 1), ==, 0.5);
  g_assert_cmpfloat (json_array_get_double_element (precision, 1), ==, 0.5);
}

static void
test_curves_csv (void)
{
  g_autoptr (TosstRunResult) result = some_result ();
  g_autofree char *csv = tosst_run_result_curves_csv (result, NULL);

  g_assert_cmpstr (csv, ==,
                   "class,recall,precision,split\n"
                   "bus,0.5,1,1\nbus,0.5,0.5,1\nbus,1,0.66666666666666663,1\nbus,1,0.5,1\n"
                   "\"a \"\"car\"\", red\",0.5,1,1\n\"a \"\"car\"\", red\",1,1,1\n"
                   "\"a \"\"car\"\", red\",1,0.66666666666666663,1\n");
}

/* --- the store --- */

static TosstRecipe *
labels_recipe (const char *score, const char *images)
{
  TosstRecipe *recipe = tosst_recipe_new ();

  g_assert_true (tosst_recipe_set (recipe, "dataset.kind", "labels", NULL));
  g_assert_true (tosst_recipe_set (recipe, "dataset.path", images, NULL));
  g_assert_true (tosst_recipe_set (recipe, "classifier.score", score, NULL));
  return recipe;
}

static gint64
add_scored_run (TosstStore *store, const char *score, TosstRunResult *result)
{
  g_autoptr (TosstRecipe) recipe = labels_recipe (score, "here");
  gint64 run = add_run (store, recipe, TOSST_RUN_RUNNING);

  g_assert_true (tosst_store_add_split (store, run, &result->split[0], CLASSES, NULL));
  finish_run (store, run, TOSST_RUN_DONE, NULL);
  return run;
}

static void
test_store (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (TosstRunResult) result = some_result ();
  gint64 run = add_scored_run (store, "area", result);
  g_autoptr (GArray) splits = tosst_store_splits (store, run, CLASSES, NULL);
  const TosstSplitResult *split = &g_array_index (splits, TosstSplitResult, 0);

  g_assert_cmpuint (splits->len, ==, 1);
  assert_same (split->scores, result->split[0].scores);
  g_assert_null (split->predictions);
  g_assert_cmpfloat (split->accuracy, ==, result->accuracy_mean);
  for (int i = 0; i < CLASSES * CLASSES; i++)
    g_assert_cmpint (split->confusion[i], ==, 0);
  g_assert_null (tosst_store_artifact (store, run, 0, "confusion.csv", NULL));

  /* The list names the score of each run, and its averages are keys. */
  add_whole_run (store, NULL);
  add_scored_run (store, "accuracy", result); /* several labels have no accuracy */
  g_autoptr (GPtrArray) runs = list_runs (store, NULL, NULL), precise = list_runs (store, "-map11", "map_area>50");
  static const TosstScore scores[] = { TOSST_SCORE_AREA, TOSST_SCORE_ACCURACY, TOSST_SCORE_AP11 };

  g_assert_cmpuint (runs->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (((TosstStoreRun *)g_ptr_array_index (runs, i))->score, ==, scores[i]);
  g_assert_cmpuint (precise->len, ==, 2);

  /* A split without its scores is computed again. */
  run_sql (place, "DELETE FROM artifacts WHERE run = 1");
  g_autoptr (GArray) none = tosst_store_splits (store, run, CLASSES, NULL);
  g_assert_cmpuint (none->len, ==, 0);
}

/* A finished run is restored with its scores, and summed up by its score. */
static void
test_restore (Place *place, gconstpointer data)
{
  g_autofree char *images = g_dir_make_tmp ("tosst images XXXXXX", NULL);

  write_small_images (images);
  g_autoptr (TosstRecipe) folders = small_recipe (images), recipe = labels_recipe ("area", images);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (TosstRunResult) result = some_result ();
  g_autoptr (GError) error = NULL;
  gint64 run = add_scored_run (store, "area", result);
  const TosstRunObserver none = { 0 };

  g_assert_true (tosst_recipe_set (folders, "dataset.splits", "1", NULL));
  dataset = tosst_dataset_open (folders, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (TosstRunResult) found = tosst_run_restore (store, run, recipe, dataset, &none, &error);
  g_assert_no_error (error);
  g_assert_cmpint (found->score, ==, TOSST_SCORE_AREA);
  g_assert_cmpint (found->splits, ==, 1);
  assert_same (found->split[0].scores, result->split[0].scores);
  g_assert_cmpfloat (found->accuracy_mean, ==, result->accuracy_mean);
  for (int i = 0; i < CLASSES; i++)
    g_assert_true (found->per_class[i] == result->per_class[i] || isnan (result->per_class[i]));
  remove_small_images (images);
}

static void
assert_sentence (const TosstRecipe *recipe, const double *accuracy, guint splits, guint classes, const char *expected)
{
  g_autofree char *text = tosst_run_sentence (recipe, accuracy, splits, classes);

  g_assert_cmpstr (text, ==, expected);
}

/* How many of so many are right in plain words; nothing that is not known. */
static void
test_sentence (void)
{
  static const double some[] = { 96, 98.25, 97 }, high[] = { 99.75, 99.5 },
                      all[] = { 100, 100, 100, 100, 100, 100, 100 }, nearly[] = { 99.99 };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  tosst_recipe_set (recipe, "dataset.kind", "folder", NULL);
  assert_sentence (recipe, some, 3, 25,
                   "97 of 100 new images are classified correctly (chance: 4). Between 96.0 and 98.2 % in 3 splits.");
  assert_sentence (
      recipe, some, 1, 111,
      "96 of 100 new images are classified correctly (chance: 0.9). Another split may give another number.");
  assert_sentence (
      recipe, high, 2, 25,
      "996 of 1000 new images are classified correctly (chance: 40). Between 99.5 and 99.8 % in 2 splits.");
  for (guint n = 2; n <= G_N_ELEMENTS (all); n++)
    {
      g_autofree char *expected = g_strdup_printf (
          "100 of 100 new images are classified correctly (chance: 50). Between 100.0 and 100.0 %% in %u splits.", n);

      assert_sentence (recipe, all, n, 2, expected);
    }
  assert_sentence (
      recipe, nearly, 1, 2,
      "999 of 1000 new images are classified correctly (chance: 500). Another split may give another number.");
  assert_sentence (recipe, some, 0, 25, NULL);
  tosst_recipe_set (recipe, "dataset.protocol", "leave-one-out", NULL);
  assert_sentence (recipe, some, 3, 25, "97 of 100 new images are classified correctly (chance: 4).");
  tosst_recipe_set (recipe, "dataset.protocol", "random", NULL);
  tosst_recipe_set (recipe, "dataset.block", "64", NULL);
  assert_sentence (
      recipe, some, 1, 4,
      "96 of 100 new blocks of images are classified correctly (chance: 25). Another split may give another "
      "number.");
  tosst_recipe_set (recipe, "dataset.kind", "labels", NULL);
  assert_sentence (recipe, some, 3, 25, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scores/summary", test_summary);
  g_test_add_func ("/scores/curve", test_curve);
  g_test_add_func ("/scores/csv", test_csv);
  g_test_add_func ("/scores/json", test_json);
  g_test_add_func ("/scores/curves-csv", test_curves_csv);
  g_test_add_func ("/scores/sentence", test_sentence);
  g_test_add ("/scores/store", Place, NULL, set_up, test_store, tear_down);
  g_test_add ("/scores/restore", Place, NULL, set_up, test_restore, tear_down);
  return g_test_run ();
}
