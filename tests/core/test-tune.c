/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Choice of a recipe by nested splits.
 */
#include "config.h"

#include <math.h>

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
  TosstContext *context = tosst_context_new (2);

  g_assert_true (tosst_tune (self->recipe, dataset, context, &options, &observer, &winner, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (self->scored, >=, 1);
  g_assert_cmpuint (self->begun, ==, self->ended);
  g_assert_cmpint (winner->dataset.within, ==, 0);
  g_assert_cmpint (winner->dataset.splits, ==, 1);
  g_assert_cmpint (winner->descriptor.kind, ==, TOSST_DESCRIPTOR_COVARIANCE);
  g_assert_cmpint (winner->descriptor.step, ==, 24);
  g_assert_cmpfloat (self->best, >, 50);
  tosst_context_free (context);
}

static void
test_cancelled (Fixture *self, gconstpointer data)
{
  const TosstTuneObserver observer = { on_begins, NULL, on_ended, self };
  const TosstTuneOptions options = { 3600, NULL };
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  g_autoptr (TosstRecipe) winner = NULL;
  g_autoptr (GError) error = NULL;

  self->cancels = tosst_context_new (2);
  g_assert_false (tosst_tune (self->recipe, dataset, self->cancels, &options, &observer, &winner, &error));
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
  TosstContext *context = tosst_context_new (1);

  set (self->recipe, "dataset.protocol", "leave-one-out");
  g_assert_false (tosst_tune (self->recipe, dataset, context, &options, NULL, &winner, &error));
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

      tosst_method_apply (tosst_method_find (candidate->name, NULL), expected);
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
  g_test_add ("/tune/cancelled", Fixture, NULL, set_up, test_cancelled, tear_down);
  g_test_add ("/tune/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}
