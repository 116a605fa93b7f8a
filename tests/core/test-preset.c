/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recipes by numbers and sizes of images.
 */
#include "config.h"

#include "core/data/patches.h"
#include "core/method/parts.h"
#include "core/preset/preset.h"
#include "dataset-folder.h"

static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  TosstPreset found = TOSST_N_PRESETS;

  guint names = 0;

  for (int preset = 0; preset < TOSST_N_PRESETS; preset++)
    if (tosst_preset_name (preset) != NULL)
      {
        g_assert_true (tosst_preset_find (tosst_preset_name (preset), &found, NULL));
        g_assert_cmpint (found, ==, preset);
        names++;
      }
  g_assert_cmpuint (names, ==, 4);
  g_assert_false (tosst_preset_find ("fastest", &found, &error));
  g_assert_nonnull (strstr (error->message, "fastest"));
}

/* Each preset is a valid recipe for images of each size; without one, images of each size have about as many patches. */
static void
test_sizes (void)
{
  static const int sizes[][2] = { { 24, 24 }, { 64, 100 }, { 200, 200 }, { 640, 480 }, { 6000, 4000 } };

  for (int preset = 0; preset <= TOSST_N_PRESETS; preset++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
        g_autoptr (GError) error = NULL;
        const TosstFacts facts = { 250, 25, 10, sizes[i][0], sizes[i][1] };
        gsize patches;

        set (recipe, "dataset.kind", "folders");
        set (recipe, "dataset.path", "/photographs");
        tosst_preset_apply (preset, recipe, &facts);
        g_assert_true (tosst_recipe_check (recipe, &error));
        g_assert_no_error (error);
        patches = tosst_patch_grid (sizes[i][0], sizes[i][1], recipe->descriptor.patch, recipe->descriptor.step, NULL);
        g_assert_cmpuint (patches, <=, preset < TOSST_N_PRESETS ? G_MAXUINT : 650);
        if (i > 1)
          g_assert_cmpuint (patches, >=, 350);
      }
}

/* The first two methods learn a dictionary at frames and pool pairs of its atoms; efforts change numbers and what is
 * beside. The others are methods of the table, whose efforts differ in splits. */
static void
test_methods (void)
{
  const TosstFacts facts = { 250, 25, 10, 200, 200 };

  for (int preset = 0; preset < TOSST_N_PRESETS; preset++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), expected = tosst_recipe_new ();
      g_autoptr (TosstParts) parts = NULL;

      tosst_preset_apply (preset, recipe, &facts);
      g_assert_cmpint (recipe->dataset.splits, ==, ((const int[]){ 3, 5, 10 })[preset % TOSST_N_EFFORTS]);
      if (preset >= 2 * TOSST_N_EFFORTS)
        continue;
      g_assert_true (tosst_recipe_has_dictionary (recipe));
      g_assert_true (tosst_recipe_pools_pairs (recipe));
      g_assert_true (tosst_recipe_has_frames (recipe));
      g_assert_true (recipe->classifier.choose_c);
      tosst_method_apply (tosst_method_find ("tosst-keypoints", NULL), NULL, expected);
      expected->dataset.splits = recipe->dataset.splits;
      expected->descriptor.most = recipe->descriptor.most;
      expected->dictionary.atoms = recipe->dictionary.atoms;
      expected->classifier.beside = g_strdup (recipe->classifier.beside);
      g_assert_true (tosst_recipe_equal (recipe, expected));
      set (recipe, "dataset.kind", "folders");
      set (recipe, "dataset.path", "/photographs");
      parts = recipe->classifier.beside ? tosst_parts_new (recipe, NULL) : NULL;
      for (guint i = 0; preset == TOSST_PRESET_TENSORS && i < parts->n; i++)
        g_assert_true (tosst_recipe_has_dictionary (parts->recipe[i]));
      g_assert_cmpint (parts != NULL, ==, preset != TOSST_PRESET_QUICK);
    }
}

static void
test_facts (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *sentence = NULL;
  TosstFacts facts;

  put_image (fixture, "a/1.png", 50, 60);
  put_image (fixture, "a/2.png", 70, 60);
  put_image (fixture, "b/1.png", 90, 80);
  put_image (fixture, "b/2.png", 70, 60);
  put_image (fixture, "b/3.png", 70, 60);
  g_assert_true (tosst_preset_set_folder (recipe, folder, &error));
  g_assert_cmpint (recipe->dataset.kind, ==, TOSST_DATASET_FOLDERS);
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  tosst_facts_init (&facts, dataset);
  g_assert_cmpuint (facts.images, ==, 5);
  g_assert_cmpuint (facts.classes, ==, 2);
  g_assert_cmpuint (facts.smallest, ==, 2);
  g_assert_cmpint (facts.width, ==, 70);
  g_assert_cmpint (facts.height, ==, 60);
  sentence = tosst_preset_sentence (recipe, &facts);
  g_assert_nonnull (strstr (sentence, "5 images"));
  g_assert_nonnull (strstr (sentence, "50 %"));
}

static void
test_of (void)
{
  g_autoptr (TosstRecipe) source = tosst_recipe_new ();
  const TosstFacts facts = { 250, 25, 10, 640, 480 };

  set (source, "dataset.kind", "folders");
  set (source, "dataset.path", "/photographs");
  set (source, "dataset.splits", "77");
  for (TosstPreset preset = 0; preset < TOSST_N_PRESETS; preset++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_preset_recipe (preset, source, &facts);

      g_assert_cmpstr (recipe->dataset.path, ==, "/photographs");
      g_assert_cmpint (recipe->dataset.splits, !=, 77);
      g_assert_cmpint (tosst_preset_of (recipe, &facts), ==, preset);
    }
  g_assert_cmpint (tosst_preset_of (source, &facts), ==, TOSST_N_PRESETS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preset/names", test_names);
  g_test_add_func ("/preset/sizes", test_sizes);
  g_test_add_func ("/preset/of", test_of);
  g_test_add_func ("/preset/methods", test_methods);
  g_test_add ("/preset/facts", Fixture, NULL, set_up, test_facts, tear_down);
  return g_test_run ();
}
