/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of a recipe beside those of another one, its base.
 */
#include "config.h"

#include <string.h>

#include "core/recipe/recipe.h"

char *
tosst_recipe_base_text (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  return tosst_recipe_is_default (base, p) ? g_strdup (tosst_recipe_default_text (recipe, p))
                                           : tosst_recipe_get (base, p);
}

gboolean
tosst_recipe_is_changed (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  g_autofree char *mine = NULL, *theirs = NULL;

  if (tosst_recipe_is_default (base, p))
    return !tosst_recipe_is_default (recipe, p);
  mine = tosst_recipe_get (recipe, p);
  theirs = tosst_recipe_get (base, p);
  return strcmp (mine, theirs) != 0;
}

gboolean
tosst_parameter_is_source (const TosstParameter *p)
{
  return p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.path);
}

GPtrArray *
tosst_recipe_carry_changes (TosstRecipe *to, const TosstRecipe *recipe, const TosstRecipe *base)
{
  GPtrArray *carried = g_ptr_array_new ();
  gboolean same = to->dataset.kind == recipe->dataset.kind && g_strcmp0 (to->dataset.path, recipe->dataset.path) == 0;
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  /* Those that determine defaults of others come first. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++)
      {
        g_autofree char *name = g_strconcat (p[i].group, ".", p[i].key, NULL), *text = tosst_recipe_get (recipe, &p[i]);

        /* A list of additional images belongs to one data set. */
        if (tosst_parameter_is_source (&p[i])
            || (p[i].offset == G_STRUCT_OFFSET (TosstRecipe, dataset.additions) && !same)
            || tosst_parameter_sets_defaults (name) != (pass == 0) || !tosst_recipe_is_changed (recipe, base, &p[i]))
          continue;
        tosst_recipe_set_parameter (to, &p[i], text, NULL);
        g_ptr_array_add (carried, (gpointer)&p[i]);
      }
  return carried;
}
