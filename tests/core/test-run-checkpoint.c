/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that is killed at any of its checkpoints, and goes on from there, comes to the numbers of one that is not; and
 * a checkpoint that is of something else is of no use.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/run/checkpoint.h"
#include "core/run/run.h"
#include "run-same.h"
#include "small-run.h"

/* The differences of a recipe to the small one. */
#define SIFT                                                                                                           \
  { "descriptor.kind", "sift" }, { "descriptor.radii", "4;8" }, { "descriptor.strides", "5;7" },                       \
      { "descriptor.pca", "4" },                                                                                       \
  {                                                                                                                    \
    "descriptor.spatial", "none"                                                                                       \
  }

static const struct
{
  const char *name, *changes[8][2];
} variants[] = {
  { "psd", { { "coding.lambda", "0.01" } } },
  { "free", { { "dictionary.scheme", "free" }, { "coding.signed-alpha", "true" } } },
  { "random", { { "dictionary.source", "random" } } },
  { "nonnegative", { { "coding.nonnegative-beta", "true" }, { "descriptor.kind", "linear" } } },
  { "batches", { { "dictionary.minibatch", "40" } } },
  { "batches-settle", { { "dictionary.minibatch", "40" }, { "dictionary.tolerance", "0.02" } } },
  { "pqn", { { "dictionary.solver", "pqn" }, { "dictionary.iterations", "2" }, { "descriptor.kind", "linear" } } },
  { "gradient", { { "dictionary.solver", "gradient" }, { "descriptor.kind", "linear" } } },
  { "raw", { { "coding.method", "raw" }, { "classifier.choose-c", "true" } } },
  { "choose-c", { { "classifier.choose-c", "true" } } },
  { "sift", { SIFT } },
  { "sift-regions", { SIFT, { "descriptor.regions", "5" } } },
  { "sift-raw", { SIFT, { "coding.method", "raw" }, { "descriptor.order", "2" }, { "classifier.choose-c", "true" } } },
  { "sift-fisher",
    { SIFT, { "coding.method", "fisher" }, { "coding.gaussians", "3" }, { "classifier.choose-c", "true" } } },
  { "projection", { { "coding.method", "projection" }, { "dictionary.atoms", "9" } } },
  { "pca", { { "coding.method", "pca" }, { "dictionary.atoms", "9" }, { "dictionary.sample", "40" } } },
  { "span", { { "coding.method", "span" }, { "dictionary.atoms", "9" } } },
  { "sift-pca", { SIFT, { "coding.method", "pca" }, { "dictionary.atoms", "3" }, { "classifier.choose-c", "true" } } },
};

/* Recipes with possibly large checkpoints, repeated with a file for each. */
static const gsize large[] = { 4, 6, 7, 8, 9 };

static char *images; /* folder */

static TosstRecipe *
make_recipe (gsize variant)
{
  TosstRecipe *recipe = small_recipe (images);
  gsize n = 0;

  while (n < G_N_ELEMENTS (variants[variant].changes) && variants[variant].changes[n][0])
    n++;
  set_values (recipe, n, variants[variant].changes);
  return recipe;
}

/* A run, its checkpoints and the objective of its iterations. */
typedef struct
{
  TosstContext *context;
  GBytes *last;       /* checkpoint */
  int split;          /* of the checkpoint */
  int saved, kill_at; /* checkpoints; -1: never */
  double objective[2][8];
  char *file[2]; /* for large ones */
  int files;     /* number written */
  int learned;   /* iterations, */
  int kept;      /* those before the last checkpoint but one until the run was killed, */
  int placed;    /* and before the last one */
  gboolean looks;
} Trial;

static void
save (int split, GBytes *checkpoint, gpointer data)
{
  Trial *trial = data;

  if (trial->saved++ == trial->kill_at)
    tosst_context_cancel (trial->context);
  if (trial->kill_at >= 0 && trial->saved > trial->kill_at + 1)
    return;
  g_clear_pointer (&trial->last, g_bytes_unref);
  trial->last = g_bytes_ref (checkpoint);
  trial->split = split;
  if (trial->file[split])
    g_unlink (trial->file[split]);
}

static GBytes *
load (int split, gpointer data)
{
  Trial *trial = data;

  trial->looks = TRUE;
  return trial->last && split == trial->split ? g_bytes_ref (trial->last) : NULL;
}

/* For a checkpoint to be written, unless one is being read. */
static GFile *
place (int split, gpointer data)
{
  Trial *trial = data;

  if (!trial->file[split])
    return NULL;
  if (!trial->looks)
    {
      trial->files++;
      /* More than once for a checkpoint */
      if (trial->placed != trial->learned && trial->saved <= trial->kill_at)
        {
          trial->kept = trial->placed;
          trial->placed = trial->learned;
        }
      if (trial->saved++ == trial->kill_at)
        tosst_context_cancel (trial->context);
    }
  trial->looks = FALSE;
  return g_file_new_for_path (trial->file[split]);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  Trial *trial = data;
  double used = 0;

  trial->objective[split][iteration->iteration] = iteration->objective;
  /* Those before a checkpoint are reported again, without the use of atoms. */
  for (int k = 0; k < dictionary->K; k++)
    used += usage[k];
  trial->learned += used > 0;
}

static TosstRunResult *
run (const TosstRecipe *recipe, TosstDataset *dataset, int threads, Trial *trial, const TosstRunResult *before,
     TosstRunResult **partial)
{
  TosstContext *context = tosst_context_new (threads);
  const TosstRunObserver observer = { .iteration = on_iteration, .data = trial };
  const TosstRunOptions options = { .done = before ? before->split : NULL,
                                    .n_done = before ? before->splits : 0,
                                    .interval = 1e-9,
                                    .save = save,
                                    .load = load,
                                    .place = place,
                                    .data = trial };
  g_autoptr (GError) error = NULL;
  TosstRunResult *result;

  trial->context = context;
  result = tosst_run_execute_with (recipe, dataset, context, &observer, &options, partial, &error);
  if (!result)
    g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  tosst_context_free (context);
  return result;
}

/* A checkpoint that takes more than a second puts off the next ones, so that a run may end before it has as many as another
 * one had; but each run has one. */
static gboolean
was_spared (const Trial *trial, int moment, const TosstRunResult *ended)
{
  if (ended == NULL)
    return FALSE;
  g_assert_cmpint (trial->saved, <=, moment);
  g_assert_cmpint (moment, >, 0);
  return TRUE;
}

static void
test_killed (gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = make_recipe (GPOINTER_TO_SIZE (data));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  Trial whole = { .kill_at = -1 };
  g_autoptr (TosstRunResult) expected = run (recipe, dataset, 1, &whole, NULL, NULL);
  const int moments[] = { 0, whole.saved / 3, 2 * whole.saved / 3 };

  /* The sums of the paper's solvers depend on the threads. */
  int threads = recipe->dictionary.solver == TOSST_SOLVER_EXACT ? 2 : 1;

  g_test_message ("%d checkpoints", whole.saved);
  for (guint i = 0; i < G_N_ELEMENTS (moments) && whole.saved > 0; i++)
    {
      Trial trial = { .kill_at = moments[i] };
      g_autoptr (TosstRunResult) partial = NULL, found = NULL;
      g_autoptr (TosstRunResult) ended = run (recipe, dataset, threads, &trial, NULL, &partial);

      if (was_spared (&trial, moments[i], ended))
        {
          g_clear_pointer (&trial.last, g_bytes_unref);
          break;
        }
      trial.kill_at = -1;
      found = run (recipe, dataset, threads, &trial, partial, NULL);
      assert_same (expected, found);
      g_assert_cmpmem (trial.objective, sizeof trial.objective, whole.objective, sizeof whole.objective);
      g_clear_pointer (&trial.last, g_bytes_unref);
    }
  g_clear_pointer (&whole.last, g_bytes_unref);
}

/* The regions of the training images of a split are counted. */
static void
test_estimate (void)
{
  g_autoptr (TosstRecipe) recipe = NULL;
  g_autoptr (TosstDataset) dataset = NULL;
  TosstRunEstimate needs;

  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    if (strcmp (variants[i].name, "sift-regions") == 0)
      recipe = make_recipe (i);
  dataset = tosst_dataset_open (recipe, NULL, NULL);
  tosst_run_estimate (recipe, dataset, 1, &needs);
  g_assert_cmpuint (needs.tensors, ==, 3 * SMALL_IMAGES + 5 * 3 * 4);
}

static void
give_files (Trial *trial, const char *folder)
{
  for (int split = 0; split < 2; split++)
    {
      trial->file[split] = g_strdup_printf ("%s/%d.checkpoint", folder, split);
      g_unlink (trial->file[split]);
    }
}

static void
drop_files (Trial *trial)
{
  for (int split = 0; split < 2; split++)
    {
      g_unlink (trial->file[split]);
      g_free (trial->file[split]);
    }
  g_clear_pointer (&trial->last, g_bytes_unref);
}

/* The same with files, read if there is no other source. */
static void
test_large (gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = make_recipe (GPOINTER_TO_SIZE (data));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autofree char *folder = g_dir_make_tmp ("tosst files XXXXXX", NULL);
  Trial whole = { .kill_at = -1 };
  g_autoptr (TosstRunResult) expected = NULL;

  g_assert_true (g_setenv ("TOSST_HELD_MB", "0", TRUE));
  give_files (&whole, folder);
  expected = run (recipe, dataset, 1, &whole, NULL, NULL);
  g_assert_cmpint (whole.files, >, 1);
  g_assert_cmpint (whole.saved, >=, whole.files);
  drop_files (&whole);
  for (int moment = 0; moment < whole.saved; moment += 1 + whole.saved / 6)
    {
      Trial trial = { .kill_at = moment };
      g_autoptr (TosstRunResult) ended = NULL, partial = NULL, found = NULL;
      int most;

      give_files (&trial, folder);
      ended = run (recipe, dataset, 1, &trial, NULL, &partial);
      if (was_spared (&trial, moment, ended))
        {
          drop_files (&trial);
          break;
        }
      /* What follows the last checkpoint but one is repeated at most, for the last one may not be complete. A checkpoint that
       * takes long puts off the next one. */
      most = whole.learned + trial.learned - trial.kept;
      trial.kill_at = -1;
      found = run (recipe, dataset, 1, &trial, partial, NULL);
      assert_same (expected, found);
      g_assert_cmpmem (trial.objective, sizeof trial.objective, whole.objective, sizeof whole.objective);
      g_assert_cmpint (trial.learned, >=, whole.learned);
      g_assert_cmpint (trial.learned, <=, most);
      drop_files (&trial);
    }
  g_unsetenv ("TOSST_HELD_MB");
  g_rmdir (folder);
}

/* On a full disk: one sentence, the previous checkpoint is kept, and no other file remains. */
static void
check_no_space (const TosstCheckpoint *checkpoint, GFile *file, const char *folder)
{
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GError) error = NULL;
  struct rlimit limit, old;
  gsize size, same;
  gboolean written;

  g_assert_true (g_file_load_contents (file, NULL, &before, &size, NULL, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = size / 2;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  written = tosst_checkpoint_write (checkpoint, file, &error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_false (written);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_true (g_file_load_contents (file, NULL, &after, &same, NULL, NULL));
  g_assert_cmpmem (before, size, after, same);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (g_dir_read_name (dir));
  g_assert_null (g_dir_read_name (dir));
}

/* A truncated or changed file is ignored. */
static void
test_damaged_file (void)
{
  g_autoptr (TosstRecipe) recipe = make_recipe (large[0]);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autofree char *folder = g_dir_make_tmp ("tosst files XXXXXX", NULL), *bytes = NULL;
  g_autoptr (GFile) file = NULL;
  const TosstShape shape = tosst_recipe_shape (recipe);
  Trial trial = { .kill_at = 0 };
  g_autoptr (TosstRunResult) partial = NULL;
  g_autoptr (TosstCheckpoint) sound = NULL, other = NULL;
  gsize size;

  g_assert_true (g_setenv ("TOSST_HELD_MB", "0", TRUE));
  give_files (&trial, folder);
  g_assert_null (run (recipe, dataset, 1, &trial, NULL, &partial));
  g_unsetenv ("TOSST_HELD_MB");
  file = g_file_new_for_path (trial.file[0]);
  sound = tosst_checkpoint_read (file, shape, 12, 100);
  other = tosst_checkpoint_read (file, shape, 13, 100);
  g_assert_nonnull (sound);
  g_assert_cmpint (sound->done, ==, 1);
  g_assert_null (other);
  check_no_space (sound, file, folder);
  g_assert_true (g_file_get_contents (trial.file[0], &bytes, &size, NULL));
  for (gsize cut = 0; cut < size; cut += 1 + size / 100)
    {
      g_assert_true (g_file_set_contents (trial.file[0], bytes, (gssize)cut, NULL));
      g_assert_null (tosst_checkpoint_read (file, shape, 12, 100));
    }
  for (gsize at = 0; at < size; at += 1 + (at > 256) * size / 300)
    {
      g_autoptr (TosstCheckpoint) maybe = NULL;

      bytes[at] ^= 0x55;
      g_assert_true (g_file_set_contents (trial.file[0], bytes, (gssize)size, NULL));
      maybe = tosst_checkpoint_read (file, shape, 12, 100);
      bytes[at] ^= 0x55;
    }
  drop_files (&trial);
  g_rmdir (folder);
}

/* Any changed checkpoint is either valid or refused, without a crash. */
static void
test_damaged (void)
{
  g_autoptr (TosstRecipe) recipe = make_recipe (0);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  const TosstShape shape = tosst_recipe_shape (recipe);
  Trial trial = { .kill_at = 2 };
  g_autoptr (TosstRunResult) partial = NULL;
  g_autoptr (TosstCheckpoint) sound = NULL, other G_GNUC_UNUSED = NULL;
  gsize size;

  g_assert_null (run (recipe, dataset, 1, &trial, NULL, &partial));
  sound = tosst_checkpoint_from_bytes (trial.last, shape, 12, 100);
  g_assert_nonnull (sound);
  g_assert_false (sound->learned);
  g_assert_null (tosst_checkpoint_from_bytes (trial.last, shape, 13, 100));
  const char *bytes = g_bytes_get_data (trial.last, &size);
  for (gsize cut = 0; cut < size; cut += 1 + size / 100)
    {
      g_autoptr (GBytes) part = g_bytes_new (bytes, cut);
      g_autoptr (TosstCheckpoint) none = tosst_checkpoint_from_bytes (part, shape, 12, 100);

      g_assert_null (none);
    }
  for (gsize at = 0; at < size; at += 1 + size / 500)
    {
      g_autofree char *changed = g_memdup2 (bytes, size);
      g_autoptr (GBytes) whole = NULL;
      g_autoptr (TosstCheckpoint) maybe = NULL;

      changed[at] ^= 0x55;
      whole = g_bytes_new_take (g_steal_pointer (&changed), size);
      maybe = tosst_checkpoint_from_bytes (whole, shape, 12, 100);
    }
  g_bytes_unref (trial.last);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  images = folder;
  write_small_images (folder);
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *name = g_strconcat ("/run-checkpoint/killed/", variants[i].name, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_killed);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autofree char *name = g_strconcat ("/run-checkpoint/large/", variants[large[i]].name, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (large[i]), test_large);
    }
  g_test_add_func ("/run-checkpoint/damaged", test_damaged);
  g_test_add_func ("/run-checkpoint/estimate", test_estimate);
  g_test_add_func ("/run-checkpoint/damaged-file", test_damaged_file);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
