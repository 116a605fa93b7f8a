/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of a recipe relative to that of a data set or of a preset, and the parameters that most users change.
 */
#include "core/recipe/recipe.h"

/* Each group has a few basic parameters, and a data set's kind and folder are no changes of a recipe. */
static void
test_basic (void)
{
  g_autoptr (GHashTable) basic = g_hash_table_new (g_str_hash, g_str_equal),
                         all = g_hash_table_new (g_str_hash, g_str_equal);
  guint n, few = 0;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_hash_table_add (all, (gpointer)p[i].group);
      if (p[i].basic)
        g_hash_table_add (basic, (gpointer)p[i].group);
      few += p[i].basic;
    }
  g_assert_cmpuint (g_hash_table_size (basic), ==, g_hash_table_size (all));
  g_assert_cmpuint (3 * few, <, n);
  g_assert_true (tosst_parameter_find ("dictionary.atoms")->basic);
  g_assert_false (tosst_parameter_find ("dictionary.eta")->basic);
  g_assert_true (tosst_parameter_is_source (tosst_parameter_find ("dataset.kind")));
  g_assert_true (tosst_parameter_is_source (tosst_parameter_find ("dataset.path")));
  g_assert_false (tosst_parameter_is_source (tosst_parameter_find ("dataset.splits")));
}

/* Changes relative to the recipe of a data set. */
static void
test_changes (void)
{
  g_autoptr (TosstRecipe) base = tosst_recipe_new (), mine = NULL, other = tosst_recipe_new ();
  const TosstParameter *atoms = tosst_parameter_find ("dictionary.atoms"),
                       *pca = tosst_parameter_find ("descriptor.pca"), *kind = tosst_parameter_find ("descriptor.kind"),
                       *lambda = tosst_parameter_find ("dictionary.lambda");
  g_autoptr (GPtrArray) carried = NULL;
  g_autofree char *text = NULL;

  tosst_recipe_set (base, "dictionary.atoms", "60", NULL);
  tosst_recipe_set (base, "dataset.path", "/a", NULL);
  mine = tosst_recipe_copy (base);
  g_assert_false (tosst_recipe_is_changed (mine, base, atoms));
  tosst_recipe_set (mine, "dictionary.atoms", atoms->default_text, NULL);
  g_assert_true (tosst_recipe_is_changed (mine, base, atoms));
  text = tosst_recipe_base_text (mine, base, atoms);
  g_assert_cmpstr (text, ==, "60");

  /* A default that follows another value is no change. */
  tosst_recipe_set (mine, "descriptor.kind", "sift", NULL);
  g_assert_true (tosst_recipe_is_changed (mine, base, kind));
  g_assert_false (tosst_recipe_is_changed (mine, base, lambda));
  tosst_recipe_set (mine, "descriptor.pca", "17", NULL);
  tosst_recipe_set (mine, "dataset.path", "/b", NULL);
  tosst_recipe_set (mine, "dataset.additions", "more.csv", NULL);

  carried = tosst_recipe_carry_changes (other, mine, base);
  g_assert_cmpuint (carried->len, ==, 3);
  g_assert_true (carried->pdata[0] == kind); /* before those whose defaults it determines */
  g_assert_true (g_ptr_array_find (carried, pca, NULL));
  g_assert_true (g_ptr_array_find (carried, atoms, NULL));
  g_assert_cmpint (other->descriptor.pca, ==, 17);
  g_assert_cmpfloat (other->dictionary.lambda, ==, mine->dictionary.lambda);
  g_assert_null (other->dataset.path);
  g_assert_null (other->dataset.additions);

  /* Additional images are of one data set. */
  tosst_recipe_set (other, "dataset.path", "/b", NULL);
  g_ptr_array_unref (tosst_recipe_carry_changes (other, mine, base));
  g_assert_cmpstr (other->dataset.additions, ==, "more.csv");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recipe-changes/basic", test_basic);
  g_test_add_func ("/recipe-changes/changes", test_changes);
  return g_test_run ();
}
