/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run in a store: cancelled anywhere it goes on to the numbers of one that was not, without a checkpoint being due;
 * and what the store has of it is told as it was.
 */
#include <string.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/data/patches.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/model.h"
#include "core/dictionary/patch-coder.h"
#include "core/store/record.h"
#include "small-run.h"
#include "store-place.h"

static char *images; /* folder */

/* The events of an observer, and when it cancels. */
typedef struct
{
  TosstContext *context;
  int heard, cancel_at; /* iterations; cancelled after so many; 0: never */
  double checkpoint;    /* seconds between them; 0: none is due */
  int cancel_coding;    /* cancelled when a split of this number + 1 is coded; 0: never */
  TosstIteration trace[2][8];
  int splits;
  double accuracy[2];
  TosstDictionary *dictionary[2]; /* of the later split; owned */
  gboolean dictionaries;          /* whether they are asked for */
  gboolean has_model;
} Ear;

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Ear *ear = data;

  if (ear->cancel_coding == split + 1 && stage == TOSST_STAGE_CODE)
    tosst_context_cancel (ear->context);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  Ear *ear = data;

  g_assert_true ((dictionary == NULL) == (usage == NULL));
  ear->trace[split][iteration->iteration] = *iteration;
  if (++ear->heard == ear->cancel_at)
    tosst_context_cancel (ear->context);
}

static void
on_split (const TosstSplitResult *result, gpointer data)
{
  Ear *ear = data;

  ear->accuracy[result->split] = result->accuracy;
  ear->has_model = ear->has_model || (result->split == 0 && result->model != NULL);
  ear->splits++;
  if (result->dictionary != NULL)
    ear->dictionary[result->split] = tosst_dictionary_copy (result->dictionary);
}

static TosstRunResult *
execute (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset, Ear *ear)
{
  const TosstRunObserver observer = { on_stage, NULL, on_iteration, on_split, ear };
  const TosstRecorded recorded = { .store = store,
                                   .run = run,
                                   .dictionaries = ear->dictionaries,
                                   .checkpoint = ear->checkpoint > 0 ? ear->checkpoint : 1000 };
  g_autoptr (GError) store_error = NULL, error = NULL;
  TosstRunResult *result;

  ear->context = tosst_context_new (2);
  result = tosst_run_execute_recorded (recipe, dataset, ear->context, &observer, &recorded, NULL, &store_error, &error);
  g_assert_no_error (store_error);
  if (!result)
    g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  tosst_context_free (ear->context);
  return result;
}

static void
assert_same (const Ear *a, const Ear *b)
{
  for (int split = 0; split < 2; split++)
    {
      g_assert_cmpfloat (a->accuracy[split], ==, b->accuracy[split]);
      for (int i = 1; i <= 5; i++)
        {
          const TosstIteration *x = &a->trace[split][i], *y = &b->trace[split][i];

          g_assert_cmpint (x->iteration, ==, i);
          g_assert_cmpint (y->iteration, ==, i);
          g_assert_cmpfloat (x->objective, ==, y->objective);
          g_assert_cmpfloat (x->fit, ==, y->fit);
          g_assert_cmpfloat (x->proximity, ==, y->proximity);
          g_assert_cmpfloat (x->sparsity, ==, y->sparsity);
          g_assert_cmpfloat (x->mean_nonzeros, ==, y->mean_nonzeros);
          g_assert_cmpfloat (x->worst_kkt, ==, y->worst_kkt);
          g_assert_cmpint (x->unused_atoms, ==, y->unused_atoms);
        }
    }
}

static void
test_cancelled (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (images);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  Ear whole = { 0 };
  g_autoptr (TosstRunResult) expected
      = execute (store, add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING), recipe, dataset, &whole);
  /* Interrupted in the first split, between both, in the second one; then while either is coded. */
  const Ear cancels[] = { { .cancel_at = 3 }, { .cancel_at = 8 }, { .cancel_coding = 1 }, { .cancel_coding = 2 } };

  g_assert_nonnull (expected);
  for (gsize i = 0; i < G_N_ELEMENTS (cancels); i++)
    {
      Ear first = cancels[i], second = { 0 };
      gint64 run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
      g_autoptr (TosstRunResult) none = execute (store, run, recipe, dataset, &first), result = NULL;
      int split = i % 2;
      g_autoptr (GBytes) checkpoint = tosst_store_artifact (store, run, split, TOSST_STORE_CHECKPOINT, NULL);
      gboolean mine;

      g_assert_null (none);
      g_assert_nonnull (checkpoint);
      g_assert_true (tosst_store_requeue_run (store, run, NULL));
      g_assert_true (tosst_store_claim_run (store, run, 2, &mine, NULL) && mine);
      result = execute (store, run, recipe, dataset, &second);
      g_assert_nonnull (result);
      g_assert_nonnull (result->model);
      assert_same (&whole, &second);
      g_assert_cmpfloat (result->accuracy_mean, ==, expected->accuracy_mean);
      for (int s = 0; s < 2; s++)
        g_assert_cmpfloat (result->split[s].relative_residual, ==, expected->split[s].relative_residual);
    }
}

static double
sum_of_squares (const TosstContext *context, TosstRecoding *coder, const TosstLayout *layout, gsize n, gboolean tied)
{
  g_autofree double *residual = g_new (double, layout->S * layout->D);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpint (tosst_recoding_residual ((TosstContext *)context, coder, i, tied, residual), ==, TOSST_OK);
      for (int j = 0; j < layout->S * layout->D; j++)
        sum += residual[j] * residual[j];
    }
  return sum;
}

/* All tensors of the training samples, n x m of the layout. */
static GArray *
training_tensors (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context, gsize m)
{
  g_autoptr (GArray) train = NULL, test = NULL, numbers = NULL;
  g_autoptr (TosstPatches) patches = tosst_patches_of_recipe (recipe, dataset, NULL);
  GArray *tensors = g_array_new (FALSE, FALSE, sizeof (float));

  g_assert_true (tosst_dataset_split (dataset, recipe, 0, &train, &test, NULL));
  numbers = tosst_patches_of_samples (patches, train);
  g_array_set_size (tensors, numbers->len * (guint)m);
  for (guint i = 0; i < numbers->len; i++)
    {
      gsize patch = g_array_index (numbers, gsize, i);
      TosstImage *image = tosst_dataset_read_for (dataset, tosst_patches_image (patches, patch), 0, NULL);

      g_assert_cmpint (tosst_describe_patches (recipe, context, image, patches->points + patch, 1,
                                               &g_array_index (tensors, float, i *m)),
                       ==, TOSST_OK);
      tosst_image_free (image);
    }
  return tensors;
}

/* The residual that a run records is that of its dictionary at the codes of the tensors it was learned from, made anew. It
 * is of the store as of the run; runs without one have none instead of zero. */
static void
test_residual (Place *place, gconstpointer gamma)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (images);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  TosstContext *context = tosst_context_new (2);
  TosstLayout *layout;
  TosstRecoding *coder;
  TosstLearnOptions learned;
  TosstCodingOptions options;
  gint64 run;
  Ear ear = { 0 };

  set_text (recipe, "dictionary.sample=100000 dictionary.iterations=7");
  g_assert_true (tosst_recipe_set (recipe, "dictionary.gamma", gamma, NULL));
  layout = tosst_layout_new_shape (tosst_recipe_shape (recipe));
  run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
  g_autoptr (TosstRunResult) result = execute (store, run, recipe, dataset, &ear), again = NULL, none = NULL;
  g_autoptr (GArray) tensors = training_tensors (recipe, dataset, context, (gsize)layout->m);
  gsize n = tensors->len / (gsize)layout->m;
  double residual = result->split[0].relative_residual, squares;

  tosst_recipe_learn_options (recipe, &learned);
  tosst_learn_coding_options (&learned, &options);
  g_assert_cmpint (tosst_recoding_new (context, result->dictionary, layout, &options,
                                       (const float *)(const void *)tensors->data, n, &coder),
                   ==, TOSST_OK);
  squares = sum_of_squares (context, coder, layout, n, TRUE); /* codes are zero */
  g_assert_cmpint (tosst_recode (context, coder, learned.problem.lambda, learned.problem.gamma, NULL), ==, TOSST_OK);
  double anew = sqrt (sum_of_squares (context, coder, layout, n, FALSE) / squares);
  g_test_message ("%zu tensors: %.6f, anew %.6f; mean square %.9f", n, residual, anew, squares / (double)n);
  g_assert_cmpfloat_with_epsilon (squares / (double)n, 1, 1e-5);
  g_assert_cmpfloat_with_epsilon (residual, anew, 0.02 * anew);

  again = tosst_run_restore (store, run, recipe, dataset, NULL, NULL);
  for (int s = 0; s < 2; s++)
    g_assert_cmpfloat (again->split[s].relative_residual, ==, result->split[s].relative_residual);
  run_sql (place, "DELETE FROM results WHERE name = 'relative_residual'");
  none = tosst_run_restore (store, run, recipe, dataset, NULL, NULL);
  g_assert_true (isnan (none->split[0].relative_residual) && none->split[0].mean_nonzeros > 0);
  tosst_recoding_free (coder);
  tosst_layout_free (layout);
  tosst_context_free (context);
}

static guint
count_files (Place *place)
{
  g_autoptr (GDir) folder = g_dir_open (place->folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (folder)))
    n += g_str_has_suffix (name, ".checkpoint");
  return n;
}

static gboolean
has_file (TosstStore *store, gint64 run, int split)
{
  g_autoptr (GFile) file = tosst_store_file (store, run, split);

  return g_file_query_exists (file, NULL);
}

/* A large checkpoint is stored beside the database, and is deleted with its split or run. */
static void
test_file (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (images);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  Ear whole = { 0 }, first = { .cancel_at = 8, .checkpoint = 1e-9 }, second = { 0 }, third = first;
  gint64 run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING),
         other = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
  g_autoptr (TosstRunResult) expected = NULL, none = NULL, result = NULL;
  gboolean mine;

  g_assert_true (tosst_recipe_set (recipe, "dictionary.minibatch", "40", NULL));
  g_assert_true (g_setenv ("TOSST_HELD_MB", "0", TRUE));
  expected = execute (store, add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING), recipe, dataset, &whole);
  g_assert_cmpuint (count_files (place), ==, 0);
  none = execute (store, run, recipe, dataset, &first);
  g_assert_null (none);
  g_assert_false (has_file (store, run, 0));
  g_assert_true (has_file (store, run, 1));
  none = execute (store, other, recipe, dataset, &third);
  g_assert_cmpuint (count_files (place), ==, 2);
  g_assert_true (tosst_store_delete (store, other, NULL));
  g_assert_cmpuint (count_files (place), ==, 1);
  g_assert_true (tosst_store_requeue_run (store, run, NULL));
  g_assert_true (tosst_store_claim_run (store, run, 2, &mine, NULL) && mine);
  result = execute (store, run, recipe, dataset, &second);
  g_assert_nonnull (result);
  assert_same (&whole, &second);
  g_assert_cmpfloat (result->accuracy_mean, ==, expected->accuracy_mean);
  g_assert_cmpuint (count_files (place), ==, 0);
  g_unsetenv ("TOSST_HELD_MB");
}

/* Predictions agree with the confusion counts, for the test samples. */
static void
check_predictions (const TosstSplitResult *split, const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  int counts[9] = { 0 };

  g_assert_true (tosst_dataset_split (dataset, recipe, (guint)split->split, &train, &test, NULL));
  g_assert_nonnull (split->predictions);
  g_assert_cmpuint (split->predictions->len, ==, test->len);
  for (guint i = 0; i < test->len; i++)
    {
      const TosstPrediction *one = &g_array_index (split->predictions, TosstPrediction, i);

      g_assert_cmpuint (one->sample, ==, g_array_index (test, guint, i));
      g_assert_cmpint (one->truth, ==, tosst_dataset_sample (dataset, one->sample)->class_index);
      counts[one->truth * 3 + one->predicted]++;
    }
  g_assert_cmpmem (counts, sizeof counts, split->confusion, 9 * sizeof (int));
}

static void
check_same_predictions (const TosstRunResult *a, const TosstRunResult *b)
{
  for (int split = 0; split < 2; split++)
    {
      const GArray *x = a->split[split].predictions, *y = b->split[split].predictions;

      g_assert_cmpmem (x->data, x->len * sizeof (TosstPrediction), y->data, y->len * sizeof (TosstPrediction));
    }
}

/* Predictions that are missing, damaged or inconsistent with the confusion are dropped; the run is kept. */
static void
check_bad_predictions (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset)
{
  static const char *const bad[]
      = { "", "sample,true,predicted\n", "sample,true,predicted\n0,0,7\n", "sample,true,predicted\n0,-1,0\n", "x" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GBytes) content = g_bytes_new_static (bad[i], strlen (bad[i]));
      g_autoptr (TosstRunResult) found = NULL;

      g_assert_true (tosst_store_add_artifact (store, run, 1, TOSST_STORE_PREDICTIONS, content, NULL));
      found = tosst_run_restore (store, run, recipe, dataset, NULL, NULL);
      g_assert_cmpint (found->splits, ==, 2);
      g_assert_nonnull (found->split[0].predictions);
      g_assert_null (found->split[1].predictions);
    }
}

/* The use of the atoms comes back with the run, and is dropped if it is damaged. */
static void
check_usage (TosstStore *store, gint64 run, const TosstRecipe *recipe, TosstDataset *dataset,
             const TosstAtomUsage *expected, const TosstAtomUsage *found)
{
  gsize K = (gsize)expected->K;
  g_autoptr (GBytes) content = g_bytes_new_static ("x", 1);
  g_autoptr (TosstRunResult) again = NULL;

  g_assert_nonnull (found);
  g_assert_cmpuint (found->tensors, ==, expected->tensors);
  g_assert_cmpint (found->framed, ==, expected->framed);
  g_assert_cmpmem (found->use, K * sizeof (double), expected->use, K * sizeof (double));
  g_assert_cmpmem (found->count, K * sizeof (gsize), expected->count, K * sizeof (gsize));
  g_assert_cmpmem (found->n_patches, K * sizeof (int), expected->n_patches, K * sizeof (int));
  g_assert_cmpmem (found->by_class, 3 * K * sizeof (double), expected->by_class, 3 * K * sizeof (double));
  g_assert_cmpmem (found->patches, K * TOSST_ATOM_PATCHES * sizeof (TosstAtomPatch), expected->patches,
                   K * TOSST_ATOM_PATCHES * sizeof (TosstAtomPatch));
  g_assert_true (tosst_store_add_artifact (store, run, 0, TOSST_STORE_USAGE, content, NULL));
  again = tosst_run_restore (store, run, recipe, dataset, NULL, NULL);
  g_assert_nonnull (again->model);
  g_assert_null (again->usage);
}

static void
test_restored (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (images);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;
  Ear first = { .dictionaries = TRUE }, second = { 0 };
  gint64 run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
  g_autoptr (TosstRunResult) expected = execute (store, run, recipe, dataset, &first);
  const TosstRunObserver observer = { NULL, NULL, on_iteration, on_split, &second };
  g_autoptr (TosstRunResult) found = tosst_run_restore (store, run, recipe, dataset, &observer, &error);

  g_assert_no_error (error);
  assert_same (&first, &second);
  g_assert_true (second.has_model);
  g_assert_cmpint (found->splits, ==, 2);
  g_assert_cmpfloat (found->accuracy_mean, ==, expected->accuracy_mean);
  g_assert_cmpfloat (found->accuracy_std, ==, expected->accuracy_std);
  g_assert_cmpmem (found->confusion, 9 * sizeof (int), expected->confusion, 9 * sizeof (int));
  g_assert_cmpfloat_with_epsilon (found->seconds_total, expected->seconds_total, 1e-9);
  g_assert_nonnull (found->model);
  g_assert_cmpint (found->dictionary->K, ==, 12);
  g_assert_cmpuint (found->tensors, >, 0);
  g_assert_cmpuint (found->tensors, ==, expected->tensors);
  g_assert_cmpint (found->d, ==, expected->d);
  for (int split = 0; split < 2; split++)
    check_predictions (&expected->split[split], recipe, dataset);
  check_same_predictions (expected, found);
  check_bad_predictions (store, run, recipe, dataset);
  check_usage (store, run, recipe, dataset, expected->usage, found->usage);
  tosst_dictionary_free (first.dictionary[1]);
  tosst_dictionary_free (second.dictionary[1]);
}

/* Files have matrices, whose entries off the diagonal are weighted again when they are read. */
static void
assert_same_dictionary (const TosstDictionary *a, const TosstDictionary *b)
{
  g_assert_cmpint (a->K, ==, b->K);
  for (int i = 0; i < a->K * a->D; i++)
    g_assert_cmpfloat_with_epsilon (a->V[i], b->V[i], 1e-14);
  g_assert_cmpmem (a->b, sizeof *a->b * (gsize)(a->K * a->S), b->b, sizeof *b->b * (gsize)(b->K * b->S));
}

/* Dictionaries of later splits are kept where they are asked for, and are those that the split learned: its own. */
static void
test_dictionaries (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (images);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  Ear first = { .dictionaries = TRUE }, second = { 0 }, plain = { 0 };
  gint64 run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
  g_autoptr (TosstRunResult) expected = execute (store, run, recipe, dataset, &first);
  const TosstRunObserver observer = { NULL, NULL, on_iteration, on_split, &second };
  g_autoptr (TosstRunResult) found = tosst_run_restore (store, run, recipe, dataset, &observer, NULL), other = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_nonnull (found);
  g_assert_null (first.dictionary[0]); /* that of its model */
  g_assert_nonnull (first.dictionary[1]);
  g_assert_true (first.dictionary[1]->V[0] != expected->dictionary->V[0]);
  assert_same_dictionary (expected->split[1].dictionary, first.dictionary[1]);
  assert_same_dictionary (first.dictionary[1], second.dictionary[1]);

  run = add_small_run (store, recipe, dataset, 2, TOSST_RUN_RUNNING);
  other = execute (store, run, recipe, dataset, &plain);
  g_assert_nonnull (other);
  g_assert_null (plain.dictionary[1]);
  bytes = tosst_store_artifact (store, run, 1, TOSST_STORE_DICTIONARY, NULL);
  g_assert_null (bytes);
  tosst_dictionary_free (first.dictionary[1]);
  tosst_dictionary_free (second.dictionary[1]);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  images = folder;
  write_small_images (folder);
  g_test_add ("/run-recorded/cancelled", Place, NULL, set_up, test_cancelled, tear_down);
  g_test_add ("/run-recorded/residual", Place, "1", set_up, test_residual, tear_down);
  g_test_add ("/run-recorded/residual-tied", Place, "inf", set_up, test_residual, tear_down);
  g_test_add ("/run-recorded/file", Place, NULL, set_up, test_file, tear_down);
  g_test_add ("/run-recorded/dictionaries", Place, NULL, set_up, test_dictionaries, tear_down);
  g_test_add ("/run-recorded/restored", Place, NULL, set_up, test_restored, tear_down);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
