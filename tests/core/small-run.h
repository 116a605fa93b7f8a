/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run over two splits of a folder of small images, done in some tenths of a second.
 */
#pragma once

#include "core/store/record.h"

static inline void
set_values (TosstRecipe *recipe, gsize n, const char *const (*values)[2])
{
  for (gsize i = 0; i < n; i++)
    g_assert_true (tosst_recipe_set (recipe, values[i][0], values[i][1], NULL));
}

/* Sets values that stand in one text, such as "dictionary.atoms=12 pooling.order=2". */
static inline void
set_text (TosstRecipe *recipe, const char *values)
{
  g_auto (GStrv) all = g_strsplit (values, " ", -1);

  for (char **one = all; *one != NULL; one++)
    {
      g_auto (GStrv) parts = g_strsplit (*one, "=", 2);
      g_autoptr (GError) error = NULL;

      tosst_recipe_set (recipe, parts[0], parts[1], &error);
      g_assert_no_error (error);
    }
}

/* With all iterations done. New. */
static inline TosstRecipe *
small_recipe (const char *images)
{
  static const char *const values[][2] = {
    { "dataset.kind", "folders" },  { "dataset.train-per-class", "4" }, { "dataset.splits", "2" },
    { "descriptor.patch", "16" },   { "descriptor.step", "12" },        { "descriptor.pivots", "2" },
    { "dictionary.atoms", "12" },   { "dictionary.iterations", "5" },   { "dictionary.tolerance", "0" },
    { "dictionary.sample", "100" },
  };
  TosstRecipe *recipe = tosst_recipe_new ();

  g_assert_true (tosst_recipe_set (recipe, "dataset.path", images, NULL));
  set_values (recipe, G_N_ELEMENTS (values), values);
  return recipe;
}

/* Returns its number in the store. */
static inline gint64
add_small_run (TosstStore *store, const TosstRecipe *recipe, TosstDataset *dataset, int threads, TosstRunState state)
{
  TosstRunOrigin made;
  gint64 run;

  tosst_run_origin_init (&made, recipe, dataset, threads);
  run = tosst_store_add (store, recipe, &made.origin, state, NULL);
  tosst_run_origin_clear (&made);
  g_assert_cmpint (run, >, 0);
  return run;
}
