/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is shared is made once, as long as somebody is expected who will want it and there is room; how much room there
 * is changes no number.
 */
#include <string.h>

#include "../small-images.h"
#include "core/dictionary/atom-usage.h"
#include "core/run/cache.h"
#include "core/run/run.h"
#include "small-run.h"

static char *images; /* folder */

/* How often results of a part were found in the cache. */
static gsize
count_hits (TosstStageCache *cache, TosstRunPart part)
{
  TosstStageCounts counts;

  tosst_stage_cache_count (cache, &counts);
  return counts.found[part];
}

static TosstRecipe *
make_recipe (const char *key, const char *value)
{
  const char *const values[][2] = { { "dictionary.iterations", "3" }, { key, value } };
  TosstRecipe *recipe = small_recipe (images);

  set_values (recipe, G_N_ELEMENTS (values), values);
  return recipe;
}

static TosstRunResult *
run (const TosstRecipe *recipe, TosstDataset *dataset, TosstStageCache *share)
{
  TosstContext *context = tosst_context_new (1);
  const TosstRunOptions options = { .cache = share };
  g_autoptr (GError) error = NULL;
  TosstRunResult *result = tosst_run_execute_with (recipe, dataset, context, NULL, &options, NULL, &error);

  g_assert_no_error (error);
  tosst_context_free (context);
  return result;
}

static void
assert_same (const TosstRunResult *a, const TosstRunResult *b)
{
  for (int s = 0; s < 2; s++)
    {
      g_assert_cmpfloat (a->split[s].objective, ==, b->split[s].objective);
      g_assert_cmpmem (&a->split[s].relative_residual, 8, &b->split[s].relative_residual, 8);
      g_assert_cmpfloat (a->split[s].mean_nonzeros, ==, b->split[s].mean_nonzeros);
      g_assert_cmpmem (a->split[s].confusion, 9 * sizeof (int), b->split[s].confusion, 9 * sizeof (int));
    }
}

static void
assert_hits (TosstStageCache *share, gsize tensors, gsize dictionary, gsize codes, gsize signatures)
{
  g_assert_cmpuint (count_hits (share, TOSST_PART_TENSORS), ==, tensors);
  g_assert_cmpuint (count_hits (share, TOSST_PART_DICTIONARY), ==, dictionary);
  g_assert_cmpuint (count_hits (share, TOSST_PART_CODES), ==, codes);
  g_assert_cmpuint (count_hits (share, TOSST_PART_SIGNATURES), ==, signatures);
}

#define ROOM ((gsize)1 << 30)

/* Two runs with this capacity; returns the cache used by the second. */
static TosstStageCache *
share_recipes (const TosstRecipe *a, const TosstRecipe *b, gsize room)
{
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (a, NULL, NULL);
  TosstStageCache *share = tosst_stage_cache_new (room);
  g_autoptr (TosstRunResult) alone = run (b, dataset, NULL), first = NULL, second = NULL;

  tosst_stage_cache_reserve (share, a, dataset);
  tosst_stage_cache_reserve (share, b, dataset);
  first = run (a, dataset, share);
  assert_hits (share, 0, 0, 0, 0);
  tosst_stage_cache_release (share, a, dataset);
  second = run (b, dataset, share);
  assert_same (alone, second);
  tosst_stage_cache_release (share, b, dataset);
  return share;
}

/* Two runs that differ in one value. */
static TosstStageCache *
share_two (const char *key, const char *one, const char *two, gsize room)
{
  g_autoptr (TosstRecipe) a = make_recipe (key, one), b = make_recipe (key, two);

  return share_recipes (a, b, room);
}

/* The same with local features. Returns the number of tensors found in the cache. */
static gsize
share_local (const char *key, const char *one, const char *two)
{
  const char *const values[][2] = { { "descriptor.kind", "sift" },
                                    { "descriptor.radii", "4;8" },
                                    { "descriptor.strides", "5;7" },
                                    { "descriptor.pca", "4" },
                                    { "descriptor.spatial", "none" } };
  g_autoptr (TosstRecipe) a = make_recipe (key, one), b = make_recipe (key, two);
  g_autoptr (TosstStageCache) share = NULL;

  set_values (a, G_N_ELEMENTS (values), values);
  set_values (b, G_N_ELEMENTS (values), values);
  share = share_recipes (a, b, ROOM);
  return count_hits (share, TOSST_PART_TENSORS);
}

/* Principal components belong to a split, and so do tensors. */
static void
test_local (void)
{
  g_assert_cmpuint (share_local ("coding.lambda", "0.01", "0.1"), ==, 2);
  g_assert_cmpuint (share_local ("dictionary.atoms", "8", "9"), ==, 2);
  g_assert_cmpuint (share_local ("dataset.seed", "1", "2"), ==, 0);
  g_assert_cmpuint (share_local ("descriptor.order", "3", "2"), ==, 0);
}

static void
test_parts (void)
{
  g_autoptr (TosstStageCache) c = share_two ("classifier.c", "1", "100", ROOM);
  g_autoptr (TosstStageCache) power = share_two ("pooling.power", "0.4", "1", ROOM);
  g_autoptr (TosstStageCache) lambda = share_two ("coding.lambda", "0.01", "0.1", ROOM);
  g_autoptr (TosstStageCache) atoms = share_two ("dictionary.atoms", "12", "13", ROOM);
  g_autoptr (TosstStageCache) patch = share_two ("descriptor.step", "12", "13", ROOM);

  assert_hits (c, 1, 2, 0, 2);
  assert_hits (power, 1, 2, 2, 0);
  assert_hits (lambda, 1, 2, 0, 0);
  assert_hits (atoms, 1, 0, 0, 0);
  assert_hits (patch, 0, 0, 0, 0);
}

/* The dictionary is the smallest part: too large results are not cached, and the oldest are evicted first. */
static void
test_room (void)
{
  g_autoptr (TosstStageCache) none = share_two ("classifier.c", "1", "100", 1);
  g_autoptr (TosstStageCache) little = share_two ("classifier.c", "1", "100", 16000);

  assert_hits (none, 0, 0, 0, 0);
  g_assert_cmpuint (count_hits (little, TOSST_PART_TENSORS), ==, 0);
}

/* Results without a further user are not cached. */
static void
test_nobody (void)
{
  g_autoptr (TosstRecipe) recipe = make_recipe ("classifier.c", "1");
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstStageCache) share = tosst_stage_cache_new (ROOM);
  g_autoptr (TosstRunResult) first = NULL, second = NULL;

  tosst_stage_cache_reserve (share, recipe, dataset);
  first = run (recipe, dataset, share);
  second = run (recipe, dataset, share);
  assert_hits (share, 0, 0, 0, 0);
  assert_same (first, second);
}

/* Runs one after the other, of which only the last is kept. */
static void
test_kept (void)
{
  g_autoptr (TosstRecipe) first = make_recipe ("classifier.c", "1"), second = make_recipe ("classifier.c", "100"),
                          third = make_recipe ("dictionary.atoms", "13"),
                          fourth = make_recipe ("descriptor.step", "13");
  const TosstRecipe *const recipes[] = { first, second, third, fourth, fourth };
  static const gsize hits[][4] = { { 0, 0, 0, 0 }, { 1, 2, 0, 2 }, { 2, 2, 0, 2 }, { 2, 2, 0, 2 }, { 3, 4, 0, 4 } };
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (first, NULL, NULL);
  g_autoptr (TosstStageCache) cache = tosst_stage_cache_new (ROOM);
  gsize all;

  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autoptr (TosstRunResult) alone = run (recipes[i], dataset, NULL), result = NULL;

      tosst_stage_cache_keep (cache, recipes[i], dataset);
      result = run (recipes[i], dataset, cache);
      assert_same (alone, result);
      assert_hits (cache, hits[i][0], hits[i][1], hits[i][2], hits[i][3]);
      g_assert_nonnull (result->usage);
      g_assert_cmpmem (result->usage->use, sizeof (double) * (gsize)result->usage->K, alone->usage->use,
                       sizeof (double) * (gsize)alone->usage->K);
    }
  tosst_stage_cache_keep (cache, first, dataset);
  g_assert_cmpuint (tosst_stage_cache_bytes (cache), ==, 0);
  tosst_run_result_free (run (first, dataset, cache));
  all = tosst_stage_cache_bytes (cache);
  tosst_stage_cache_keep (cache, NULL, NULL);
  g_assert_cmpuint (tosst_stage_cache_bytes (cache), ==, 0);

  /* Short of room, the tensors remain: the other results are evicted first. */
  g_autoptr (TosstStageCache) less = tosst_stage_cache_new (all - 1);
  tosst_stage_cache_keep (less, first, dataset);
  tosst_run_result_free (run (first, dataset, less));
  g_assert_cmpuint (tosst_stage_cache_bytes (less), <, all);
  tosst_run_result_free (run (first, dataset, less));
  g_assert_cmpuint (count_hits (less, TOSST_PART_TENSORS), ==, 1);
}

/* The results of the parts of a combination are kept. */
static void
test_kept_parts (void)
{
  const char *const values[][2] = { { "descriptor.kind", "combined" }, { "descriptor.parts", "lbp;image-covariance" } };
  g_autoptr (TosstRecipe) first = small_recipe (images), second = NULL;
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (first, NULL, NULL);
  g_autoptr (TosstStageCache) cache = tosst_stage_cache_new (ROOM);

  set_values (first, G_N_ELEMENTS (values), values);
  second = tosst_recipe_copy (first);
  second->classifier.c = 7;
  tosst_stage_cache_keep (cache, first, dataset);
  tosst_run_result_free (run (first, dataset, cache));
  gsize described = count_hits (cache, TOSST_PART_SIGNATURES);
  tosst_stage_cache_keep (cache, second, dataset);
  tosst_run_result_free (run (second, dataset, cache));
  g_assert_cmpuint (count_hits (cache, TOSST_PART_TENSORS), ==, 2);
  g_assert_cmpuint (count_hits (cache, TOSST_PART_SIGNATURES), ==, 2 * described + 2);
  tosst_stage_cache_keep (cache, NULL, NULL);
  g_assert_cmpuint (tosst_stage_cache_bytes (cache), ==, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  images = folder;
  write_small_images (folder);
  g_test_add_func ("/run-share/parts", test_parts);
  g_test_add_func ("/run-share/local", test_local);
  g_test_add_func ("/run-share/room", test_room);
  g_test_add_func ("/run-share/nobody", test_nobody);
  g_test_add_func ("/run-share/kept", test_kept);
  g_test_add_func ("/run-share/kept-parts", test_kept_parts);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
