/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/formula/formula.h"
#include "core/sweep/sweep.h"
#include "stores.h"
#include "targets.h"

/* What is written of a recipe is read as the same one, with its defaults and without them. */
void
fuzz_recipe (const guint8 *data, gsize size)
{
  g_autofree char *text = fuzz_text (data, size);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_parse (text, "a.recipe", NULL);

  for (int only_changes = 0; recipe && only_changes < 2; only_changes++)
    {
      g_autofree char *written = tosst_recipe_to_text (recipe, only_changes);
      g_autoptr (TosstRecipe) again = tosst_recipe_parse (written, "again.recipe", NULL);

      FUZZ_ASSERT (again != NULL && tosst_recipe_equal (recipe, again));
    }
  if (recipe)
    {
      g_autofree char *command = tosst_recipe_command (recipe);

      tosst_recipe_check (recipe, NULL);
    }
}

void
fuzz_sweep (const guint8 *data, gsize size)
{
  g_autofree char *text = fuzz_text (data, size), *written = NULL, *twice = NULL, *command = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "a.sweep", NULL), again = NULL;

  if (!sweep)
    return;
  written = tosst_sweep_to_text (sweep);
  again = tosst_sweep_parse (written, "again.sweep", NULL);
  FUZZ_ASSERT (again != NULL);
  twice = tosst_sweep_to_text (again);
  FUZZ_ASSERT (strcmp (written, twice) == 0);
  command = tosst_sweep_command (sweep);
}

void
fuzz_formula (const guint8 *data, gsize size)
{
  g_autofree char *source = fuzz_text (data, size), *words = NULL, *line = NULL;
  g_autoptr (TosstFormula) formula = tosst_formula_new (source, NULL);

  if (!formula)
    return;
  words = tosst_formula_words (formula);
  line = tosst_formula_text (formula);
  FUZZ_ASSERT (g_utf8_validate (words, -1, NULL) && g_utf8_validate (line, -1, NULL));
}

/* The first line is what runs are sorted by, the rest is the filter. */
void
fuzz_filter (const guint8 *data, gsize size)
{
  static TosstStore *store;
  g_autofree char *text = fuzz_text (data, size);
  char *filter = strchr (text, '\n');

  if (!store)
    {
      g_autofree char *path = g_build_filename (fuzz_folder (), "runs.sqlite", NULL);
      g_autoptr (GFile) file = g_file_new_for_path (path);

      fuzz_make_store (file);
      store = tosst_store_open (file, TOSST_STORE_READ, NULL);
      FUZZ_ASSERT (store != NULL);
    }
  if (filter)
    *filter++ = '\0';
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) runs = tosst_store_list (store, *text ? text : NULL, filter, &error);

    FUZZ_ASSERT ((runs != NULL) == (error == NULL));
  }
}
