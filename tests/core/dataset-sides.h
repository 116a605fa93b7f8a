/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sets that must open, and the two sides of their splits.
 */
#pragma once

#include "core/data/dataset.h"

static inline void
set (TosstRecipe *recipe, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;

  tosst_recipe_set (recipe, name, text, &error);
  g_assert_no_error (error);
}

static inline TosstDataset *
open_well (const TosstRecipe *recipe)
{
  g_autoptr (GError) error = NULL;
  TosstDataset *dataset = tosst_dataset_open (recipe, NULL, &error);

  g_assert_no_error (error);
  return dataset;
}

static inline guint
at (GArray *array, guint i)
{
  return g_array_index (array, guint, i);
}

/* Conditions of every split: both sides ascend, their union has every sample once, no unit is on both sides. */
static inline void
assert_partition (TosstDataset *dataset, GArray *train, GArray *test, gboolean whole_images)
{
  guint n = dataset->samples->len, i = 0, j = 0;
  g_autofree guint8 *sides = g_new0 (guint8, dataset->entries->len);

  g_assert_cmpuint (train->len + test->len, ==, n);
  for (guint sample = 0; sample < n; sample++)
    {
      gboolean trains = i < train->len && at (train, i) == sample;
      gboolean tests = j < test->len && at (test, j) == sample;

      g_assert_true (trains != tests);
      i += trains;
      j += tests;
      sides[tosst_dataset_sample (dataset, sample)->image] |= trains ? 1 : 2;
    }
  for (guint image = 0; whole_images && image < dataset->entries->len; image++)
    g_assert_cmpuint (sides[image], !=, 3);
}

static inline guint
count_class (TosstDataset *dataset, GArray *side, int class_index)
{
  guint n = 0;

  for (guint i = 0; i < side->len; i++)
    n += tosst_dataset_sample (dataset, at (side, i))->class_index == class_index;
  return n;
}

static inline void
split (TosstDataset *dataset, const TosstRecipe *recipe, guint number, GArray **train, GArray **test)
{
  g_autoptr (GError) error = NULL;

  tosst_dataset_split (dataset, recipe, number, train, test, &error);
  g_assert_no_error (error);
}
