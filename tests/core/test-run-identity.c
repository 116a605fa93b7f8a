/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings that make the same result have the same hash, and no others.
 */
#include <string.h>

#include "../few-textures.h"
#include "core/run/hash.h"
#include "execute-recorded.h"
#include "store-place.h"

static void
test_hash (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *base = tosst_run_hash (recipe, "f", -1);
  guint n, matters = 0;
  const TosstParameter *p = tosst_parameters (&n);

  /* One value after the other, each changed alone. */
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstRecipe) changed = tosst_recipe_copy (recipe);
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key), *old = tosst_recipe_get (recipe, &p[i]);
      g_autofree char *text = p[i].choices ? g_strdup (p[i].choices[g_str_equal (old, p[i].choices[0])])
                              : p[i].type == TOSST_PARAMETER_BOOLEAN
                                  ? g_strdup (g_str_equal (old, "true") ? "false" : "true")
                              : p[i].type == TOSST_PARAMETER_TEXT ? g_strdup (p[i].maximum > 0 ? "8" : "elsewhere")
                              : p[i].type == TOSST_PARAMETER_REAL ? g_strdup ("0.77")
                                                                  : g_strdup (p[i].maximum <= 3 ? "2" : "7");
      gboolean data = g_str_equal (name, "dataset.path") || g_str_equal (name, "dataset.exclude")
                      || g_str_equal (name, "dataset.additions") || g_str_equal (name, "dataset.hard");

      g_assert_true (tosst_recipe_set (changed, name, text, NULL));
      g_autofree char *hash = tosst_run_hash (changed, "f", -1);
      gboolean inactive = tosst_recipe_why_inactive (recipe, &p[i]) && tosst_recipe_why_inactive (changed, &p[i]);
      if (g_str_equal (hash, base) != (data || inactive))
        g_error ("%s = %s instead of %s: %s hash", name, text, old, data || inactive ? "another" : "the same");
      matters += !data && !inactive;
    }
  g_assert_cmpuint (matters, >, 25);
}

static char *
hash_with (const char *settings, const char *fingerprint, int split)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_auto (GStrv) all = g_strsplit (settings, " ", -1);

  for (char **one = all; *one; one++)
    {
      g_auto (GStrv) parts = g_strsplit (*one, "=", 2);

      if (**one)
        g_assert_true (tosst_recipe_set (recipe, parts[0], parts[1], NULL));
    }
  return tosst_run_hash (recipe, fingerprint, split);
}

static void
test_same_hash (void)
{
  static const char *const same[][2] = {
    { "", "coding.lambda=0.002 coding.gamma=1 dataset.block=0" },
    { "dictionary.lambda=0.3", "dictionary.lambda=0.3 coding.lambda=3e-1" },
    { "dictionary.scheme=low-rank", "dictionary.scheme=low-rank dictionary.rank=17" },
    { "pooling.kind=gamma", "pooling.kind=gamma pooling.parameter=0.5" },
    { "coding.method=raw", "coding.method=raw dictionary.atoms=9 dictionary.seed=5 coding.lambda=1" },
    { "coding.method=span", "coding.method=span coding.lambda=0.1 coding.gamma=5" },
    { "coding.method=projection", "coding.method=projection dictionary.sample=900 dictionary.lambda=1" },
    { "coding.method=pca", "coding.method=pca dictionary.iterations=5" },
    { "classifier.choose-c=true", "classifier.choose-c=true classifier.c=7" },
    { "dataset.protocol=leave-one-out", "dataset.protocol=leave-one-out dataset.seed=3 dataset.splits=4" },
  };
  static const char *const other[][2] = {
    { "", "coding.lambda=0.003" },
    { "dictionary.lambda=0.3", "dictionary.lambda=0.3 coding.lambda=0.2" },
    { "", "coding.method=span" },
    { "coding.method=span", "coding.method=span dictionary.lambda=0.1" },
    { "coding.method=projection", "coding.method=projection dictionary.seed=5" },
    { "coding.method=pca", "coding.method=pca dictionary.atoms=5" },
    { "coding.method=pca", "coding.method=pca dictionary.sample=90" },
    { "pooling.kind=maxexp", "pooling.kind=maxexp pooling.parameter=30" },
    /* The folds of the choice of C are drawn with this seed. */
    { "dataset.protocol=leave-one-out classifier.choose-c=true",
      "dataset.protocol=leave-one-out classifier.choose-c=true dataset.seed=3" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_autofree char *a = hash_with (same[i][0], "f", -1), *b = hash_with (same[i][1], "f", -1);

      if (strcmp (a, b) != 0)
        g_error ("“%s” is not the same as “%s”", same[i][0], same[i][1]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (other); i++)
    {
      g_autofree char *a = hash_with (other[i][0], "f", -1), *b = hash_with (other[i][1], "f", -1);

      g_assert_cmpstr (a, !=, b);
    }
  g_autofree char *all = hash_with ("", "f", -1), *first = hash_with ("", "f", 0), *second = hash_with ("", "f", 1);
  g_autofree char *of_fewer = hash_with ("dataset.splits=3", "f", 1), *elsewhere = hash_with ("", "g", -1);
  g_assert_cmpstr (all, !=, first);
  g_assert_cmpstr (first, !=, second);
  g_assert_cmpstr (second, ==, of_fewer);
  g_assert_cmpstr (all, !=, elsewhere);
}

/* Versions that described whole images stored other results of them; all other runs keep their hash. */
static void
test_reduced (void)
{
  static const struct
  {
    const char *settings;
    int longest;
    gboolean is_another;
  } runs[] = {
    { "descriptor.kind=lbp", 1024, FALSE },
    { "descriptor.kind=lbp", 1025, TRUE },
    { "descriptor.kind=image-covariance", 1025, TRUE },
    { "descriptor.kind=image-covariance dataset.block=512", 4000, FALSE },
    { "descriptor.kind=image-covariance dataset.copies=1", 640, FALSE },
    { "descriptor.kind=image-covariance dataset.copies=1", 700, TRUE },
    { "descriptor.kind=image-covariance dataset.copies=1 dataset.block=512", 4000, FALSE },
    { "descriptor.kind=image-covariance dataset.copies=1 dataset.block=700", 4000, TRUE },
    { "descriptor.kind=invariant-covariance", 4000, FALSE },
    { "descriptor.kind=sift", 4000, FALSE },
    { "", 4000, FALSE },
    { "descriptor.kind=combined descriptor.parts=lbp;tensor", 4000, TRUE },
    { "descriptor.kind=combined descriptor.parts=fisher;tensor", 4000, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *key = g_strdup_printf ("0123456789abcdef:%d", runs[i].longest),
                      *now = hash_with (runs[i].settings, key, -1),
                      *then = hash_with (runs[i].settings, "0123456789abcdef", -1);

      if (g_str_equal (now, then) == runs[i].is_another)
        g_error ("“%s” of %d pixels has %s hash", runs[i].settings, runs[i].longest,
                 runs[i].is_another ? "the old" : "another");
    }
}

static TosstRunResult *
run_with (const char *const (*settings)[2], gsize n, Place *place, char **hash)
{
  static const char *const small[][2] = {
    { "dataset.splits", "2" },        { "dataset.train-per-class", "4" }, { "descriptor.patch", "40" },
    { "descriptor.step", "100" },     { "descriptor.pivots", "2" },       { "dictionary.atoms", "8" },
    { "dictionary.iterations", "3" }, { "dictionary.sample", "60" },      { "dataset.exclude", ALL_BUT_FIVE_TEXTURES }
  };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GError) error = NULL;
  gint64 run;

  for (gsize i = 0; i < G_N_ELEMENTS (small); i++)
    g_assert_true (tosst_recipe_set (recipe, small[i][0], small[i][1], NULL));
  for (gsize i = 0; i < n; i++)
    g_assert_true (tosst_recipe_set (recipe, settings[i][0], settings[i][1], NULL));
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  *hash = tosst_run_hash (recipe, dataset->fingerprint, -1);
  return execute_recorded (place->file, recipe, dataset, &store, &run);
}

/* Values that do not change the hash do not change the result. */
static void
test_same_result (Place *place, gconstpointer data)
{
  static const char *const idle[][2] = {
    { "dictionary.rank", "3" },       { "dictionary.eta", "0.5" },          { "dictionary.forgetting", "3" },
    { "pooling.parameter", "7" },     { "coding.lambda", "0.002" },         { "coding.gamma", "1" },
    { "descriptor.features", "rbf" }, { "descriptor.sigma-opponent", "3" }, { "descriptor.range-opponent", "3" },
    { "dataset.block-step", "7" },    { "dataset.path", "/nowhere" },
  };
  g_autofree char *hash = NULL, *same_hash = NULL, *other_hash = NULL;
  g_autoptr (TosstRunResult) result = run_with (NULL, 0, place, &hash);
  g_autoptr (TosstRunResult) same = run_with (idle, G_N_ELEMENTS (idle), place, &same_hash);
  g_autoptr (TosstRunResult) other
      = run_with ((const char *const[][2]){ { "dictionary.seed", "2" } }, 1, place, &other_hash);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_READ);
  g_autoptr (GError) error = NULL;
  gint64 found;

  g_assert_cmpstr (hash, ==, same_hash);
  g_assert_cmpstr (hash, !=, other_hash);
  for (int split = 0; split < 2; split++)
    {
      g_assert_cmpfloat (result->split[split].accuracy, ==, same->split[split].accuracy);
      g_assert_cmpfloat (result->split[split].objective, ==, same->split[split].objective);
      g_assert_cmpfloat (result->split[split].objective, !=, other->split[split].objective);
    }
  g_assert_true (tosst_store_find (store, hash, &found, NULL));
  g_assert_cmpint (found, ==, 2);
  g_autoptr (GBytes) model = tosst_store_artifact (store, 1, 0, "model.npz", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (model), >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/hash", test_hash);
  g_test_add_func ("/store/same-hash", test_same_hash);
  g_test_add_func ("/store/reduced-hash", test_reduced);
  ADD_TEST ("same-result", NULL, test_same_result);
  return g_test_run ();
}
