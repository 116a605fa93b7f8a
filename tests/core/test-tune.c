/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Choice of a recipe by nested splits.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/method/methods.h"
#include "core/tune/private.h"
#include "core/tune/tune.h"

typedef struct
{
  char *folder;
  TosstRecipe *recipe;
  guint begun, ended, scored;
  double best;
  TosstContext *cancels; /* cancelled at the end of the second trial; or NULL */
} Fixture;

static void
set (TosstRecipe *recipe, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;

  tosst_recipe_set (recipe, name, text, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("tosst-tune-XXXXXX", NULL);
  write_small_images (self->folder);
  self->recipe = tosst_recipe_new ();
  set (self->recipe, "dataset.kind", "folders");
  set (self->recipe, "dataset.path", self->folder);
  /* Tensors of patches only, which are described in no time. */
  set (self->recipe, "descriptor.kind", "covariance");
  set (self->recipe, "coding.method", "log-euclidean");
  set (self->recipe, "descriptor.features", "rbf");
  set (self->recipe, "descriptor.pivots", "2");
  set (self->recipe, "descriptor.step", "24");
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  remove_small_images (self->folder);
  g_free (self->folder);
  tosst_recipe_free (self->recipe);
}

static void
on_begins (const TosstTrial *trial, gpointer data)
{
  Fixture *self = data;

  g_assert_cmpuint (trial->number, ==, ++self->begun);
  g_assert_cmpint (trial->recipe->dataset.within, ==, 1);
}

static void
on_ended (const TosstTrial *trial, gpointer data)
{
  Fixture *self = data;

  g_assert_cmpuint (trial->number, ==, ++self->ended);
  if (!trial->reason)
    {
      self->scored++;
      self->best = MAX (self->best, trial->score);
    }
  g_assert_true (trial->reason ? isnan (trial->score) : trial->splits > 0);
  if (self->cancels && self->ended == 2)
    tosst_context_cancel (self->cancels);
}

/* Trials end when the variations do or when the time is used up; the winner is a recipe of one plain split that keeps the
 * values of base, and the same images are described by no trial that tests it. */
static void
test_winner (Fixture *self, gconstpointer data)
{
  const TosstTuneObserver observer = { on_begins, NULL, on_ended, self };
  const TosstTuneOptions options = { 5, NULL };
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  g_autoptr (TosstRecipe) winner = NULL;
  g_autoptr (GError) error = NULL;
  double seconds;
  TosstContext *context = tosst_context_new (2);

  g_assert_true (tosst_tune (self->recipe, dataset, context, &options, &observer, &winner, &seconds, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (self->scored, >=, 1);
  g_assert_cmpuint (self->begun, ==, self->ended);
  g_assert_cmpint (winner->dataset.within, ==, 0);
  g_assert_cmpint (winner->dataset.splits, ==, 1);
  g_assert_cmpint (winner->descriptor.kind, ==, TOSST_DESCRIPTOR_COVARIANCE);
  g_assert_cmpint (winner->descriptor.step, ==, 24);
  g_assert_cmpfloat (self->best, >, 50);
  g_assert_cmpfloat (seconds, >, 0);
  tosst_context_free (context);
}

/* --- the time, in a world where work is counted --- */

/* Steps in which a run reports progress. */
#define STEPS 50

typedef struct
{
  double now;       /* seconds of work */
  double each, all; /* of an image; of an image in a split */
  guint runs, cancelled;
} World;

static double
world_seconds (gpointer data)
{
  return ((World *)data)->now;
}

/* Kinds differ in their cost. */
static double
describing_seconds (const World *world, const TosstRecipe *recipe, TosstDataset *used)
{
  return world->each * (1 + 3 * (recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)) * used->entries->len;
}

static double
split_seconds (const World *world, const TosstRecipe *recipe, TosstDataset *used)
{
  return world->all * used->samples->len * (recipe->classifier.c > 100 ? 2 : 1);
}

/* A run of so many seconds whose accuracy depends on its recipe only. */
static TosstRunResult *
world_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
               const TosstRunObserver *observer, const TosstRunOptions *options, gpointer data, GError **error)
{
  World *world = data;
  g_autoptr (TosstDataset) used = tosst_dataset_of_run (dataset, recipe, NULL);
  g_autofree char *text = tosst_recipe_to_text (recipe, TRUE);
  int splits = (int)tosst_dataset_splits (used, recipe), classes = (int)used->classes->len;
  double describing = describing_seconds (world, recipe, used);
  double coding = (splits - options->n_done) * split_seconds (world, recipe, used), start = world->now;
  TosstRunResult *result;

  world->runs++;
  for (int i = 0; i < STEPS; i++)
    {
      world->now += (describing + coding) / STEPS;
      if (observer)
        observer->progress ((double)i / STEPS, -1, observer->data);
      if (tosst_context_is_cancelled (context))
        {
          world->cancelled++;
          tosst_fail (error, TOSST_FAILED_CANCELLED, "cancelled");
          return NULL;
        }
    }
  result = g_new0 (TosstRunResult, 1);
  result->splits = result->allocated_splits = splits;
  result->classes = classes;
  result->split = g_new0 (TosstSplitResult, splits);
  for (int i = 0; i < splits; i++)
    result->split[i].accuracy = 50 + g_str_hash (text) % 40;
  result->seconds[TOSST_STAGE_DESCRIBE] = describing;
  result->seconds[TOSST_STAGE_CODE] = coding;
  result->seconds_total = world->now - start;
  return result;
}

/* Whatever an image costs, trials and the final run take the given time at most. Where the first methods take too long, a
 * cheap one is found. */
static void
test_time (Fixture *self, gconstpointer data)
{
  static const double each[] = { 0.01, 0.3, 1, 2 }, all[] = { 0.001, 0.2, 0.5 };
  g_autoptr (TosstRecipe) base = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = NULL;
  TosstContext *context = tosst_context_new (1);

  set (base, "dataset.kind", "folders");
  set (base, "dataset.path", self->folder);
  dataset = tosst_dataset_open (base, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (each) * G_N_ELEMENTS (all); i++)
    {
      World world = { .each = each[i % G_N_ELEMENTS (each)], .all = all[i / G_N_ELEMENTS (each)] };
      const TosstTuneWorld made = { world_seconds, world_execute, &world };
      const TosstTuneOptions options = { 200, NULL };
      g_autoptr (TosstRecipe) winner = NULL;
      g_autoptr (TosstRunResult) last = NULL;
      g_autoptr (GError) error = NULL;
      const TosstRunOptions none = { 0 };
      double seconds, before;

      tosst_tune_in (&made, base, dataset, context, &options, NULL, &winner, &seconds, &error);
      g_assert_no_error (error);
      before = world.now;
      last = world_execute (winner, dataset, context, NULL, &none, &world, &error);
      g_assert_nonnull (last);
      g_assert_cmpfloat (seconds, <=, 1.2 * (world.now - before));
      g_assert_cmpfloat (seconds, >=, (world.now - before) / 1.2);
      g_assert_cmpfloat (world.now, <=, 200);
    }
  tosst_context_free (context);
}

/* What a trial found in a cache, the final run computes. */
static void
test_final_seconds (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRecipe) trial = tosst_recipe_copy (self->recipe), final = tosst_recipe_copy (self->recipe);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  TosstRunResult computed = { .seconds = { 10, 0, 4, 1, 1 }, .seconds_total = 16 };
  TosstRunResult shared = { .seconds = { 0, 0, 4, 1, 1 }, .seconds_total = 6, .seconds_shared = 10 };
  double ratio;

  trial->dataset.within = 1;
  trial->dataset.splits = final->dataset.splits = 1;
  ratio = tosst_tune_final_ratio (final, trial, dataset);
  /* 12 of 24 images train. */
  g_assert_cmpfloat_with_epsilon (ratio, 2, 0.1);
  g_assert_cmpfloat_with_epsilon (tosst_tune_final_seconds (final, trial, dataset, &computed), 32, 1.6);
  g_assert_cmpfloat_with_epsilon (tosst_tune_final_seconds (final, trial, dataset, &shared), 32, 1.6);
}

static void
test_cancelled (Fixture *self, gconstpointer data)
{
  const TosstTuneObserver observer = { on_begins, NULL, on_ended, self };
  const TosstTuneOptions options = { 3600, NULL };
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  g_autoptr (TosstRecipe) winner = NULL;
  g_autoptr (GError) error = NULL;
  double seconds;

  self->cancels = tosst_context_new (2);
  g_assert_false (tosst_tune (self->recipe, dataset, self->cancels, &options, &observer, &winner, &seconds, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_assert_nonnull (winner);
  tosst_context_free (self->cancels);
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  const TosstTuneOptions options = { 1, NULL };
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  g_autoptr (TosstRecipe) winner = NULL;
  g_autoptr (GError) error = NULL;
  double seconds;
  TosstContext *context = tosst_context_new (1);

  set (self->recipe, "dataset.protocol", "leave-one-out");
  g_assert_false (tosst_tune (self->recipe, dataset, context, &options, NULL, &winner, &seconds, &error));
  g_assert_nonnull (strstr (error->message, "dataset.protocol"));
  g_assert_null (winner);
  tosst_context_free (context);
}

static TosstRecipe *
folder_recipe (void)
{
  TosstRecipe *recipe = tosst_recipe_new ();

  set (recipe, "dataset.kind", "folders");
  set (recipe, "dataset.path", "/images");
  return recipe;
}

/* Candidates are rows of the table of methods, without those that contradict values of the base. */
static void
test_methods (void)
{
  g_autoptr (TosstRecipe) base = folder_recipe ();
  g_autoptr (GPtrArray) all = tosst_tune_methods (base), some = NULL;

  g_assert_cmpuint (all->len, >=, 8);
  for (guint i = 0; i < all->len; i++)
    {
      const TosstCandidate *candidate = g_ptr_array_index (all, i);
      g_autoptr (TosstRecipe) expected = folder_recipe ();

      tosst_method_apply (tosst_method_find (candidate->name, NULL), NULL, expected);
      g_assert_true (tosst_recipe_equal (candidate->recipe, expected));
    }
  set (base, "descriptor.frames", "keypoints");
  set (base, "descriptor.detector", "hessian");
  some = tosst_tune_methods (base);
  g_assert_cmpuint (some->len, <, all->len);
  for (guint i = 0; i < some->len; i++)
    g_assert_cmpstr (((const TosstCandidate *)g_ptr_array_index (some, i))->name, !=, "fisher");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tune/methods", test_methods);
  g_test_add ("/tune/winner", Fixture, NULL, set_up, test_winner, tear_down);
  g_test_add ("/tune/time", Fixture, NULL, set_up, test_time, tear_down);
  g_test_add ("/tune/final-seconds", Fixture, NULL, set_up, test_final_seconds, tear_down);
  g_test_add ("/tune/cancelled", Fixture, NULL, set_up, test_cancelled, tear_down);
  g_test_add ("/tune/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}
