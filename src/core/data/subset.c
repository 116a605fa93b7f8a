/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A part of a data set, as a data set.
 */
#include <math.h>

#include "core/data/private.h"

/* Classes without an image are removed, the others numbered again. */
static void
number_classes (TosstDataset *self, const TosstDataset *whole)
{
  g_autofree int *number = g_new (int, whole->classes->len);

  for (guint c = 0; c < whole->classes->len; c++)
    number[c] = -1;
  for (guint i = 0; i < self->entries->len; i++)
    {
      TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      if (number[image->class_index] < 0)
        {
          number[image->class_index] = (int)self->classes->len;
          g_ptr_array_add (self->classes, g_strdup (g_ptr_array_index (whole->classes, (guint)image->class_index)));
        }
      image->class_index = number[image->class_index];
    }
}

/* Appends a sample of the whole data set that lies in image number `image` of this one. */
static void
add_sample (TosstDataset *self, const TosstDataset *whole, guint index, guint image)
{
  TosstSample sample = g_array_index (whole->samples, TosstSample, index);

  sample.image = (int)image;
  sample.class_index = tosst_dataset_entry (self, image)->public.class_index;
  g_array_append_val (self->samples, sample);
}

/* These images, without samples. */
static TosstDataset *
part_new (const TosstDataset *whole, const GArray *images)
{
  TosstDataset *self = tosst_dataset_new (whole->kind);

  self->title = g_strdup (whole->title);
  self->where = g_strdup (whole->where);
  self->folder = whole->folder != NULL ? g_object_ref (whole->folder) : NULL;
  self->has_sides = whole->has_sides;
  self->has_equal = whole->has_equal;
  self->measures = whole->measures;
  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (self->entries,
                     tosst_dataset_entry_copy (g_ptr_array_index (whole->entries, g_array_index (images, guint, i))));
  number_classes (self, whole);
  g_strlcpy (self->fingerprint, whole->fingerprint, sizeof self->fingerprint);
  g_strlcpy (self->listed, whole->listed, sizeof self->listed);
  g_strlcpy (self->key, whole->key, sizeof self->key);
  return self;
}

/* Leaves the middle of a sample, with this share of its area and sides of at least so many pixels. */
static void
crop (TosstSample *sample, double share, int least)
{
  int width = MAX ((int)(sqrt (share) * sample->width), MIN (least, sample->width));
  int height = MAX ((int)(sqrt (share) * sample->height), MIN (least, sample->height));

  sample->x += (sample->width - width) / 2;
  sample->y += (sample->height - height) / 2;
  sample->width = width;
  sample->height = height;
}

TosstDataset *
tosst_dataset_subset (TosstDataset *whole, const GArray *images, double share, int least)
{
  TosstDataset *self = part_new (whole, images);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; whole->labels != NULL && i < images->len; i++)
    tosst_dataset_entry (self, i)->public.class_index = (int)(i % 2);
  if (whole->labels != NULL)
    g_ptr_array_set_size (self->classes, 0);
  while (whole->labels != NULL && self->classes->len < 2)
    g_ptr_array_add (self->classes, g_strdup (""));
  for (guint i = 0; i < images->len; i++)
    for (guint j = 0; j < whole->samples->len; j++)
      if (g_array_index (whole->samples, TosstSample, j).image == (int)g_array_index (images, guint, i))
        add_sample (self, whole, j, i);
  for (guint i = 0; share < 1 && i < self->samples->len; i++)
    crop (&g_array_index (self->samples, TosstSample, i), share, least);
  self->has_sides = FALSE;
  self->measures = TRUE;
  g_checksum_update (sum, (const guchar *)whole->fingerprint, -1);
  g_checksum_update (sum, (const guchar *)images->data, (gssize)(images->len * sizeof (guint)));
  tosst_dataset_set_fingerprint (self, g_checksum_get_string (sum));
  return self;
}

/* Training samples of split dataset.within of the recipe. */
static GArray *
outer_training (TosstDataset *whole, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstRecipe) outer = tosst_recipe_copy (recipe);
  GArray *train = NULL;
  g_autoptr (GArray) test = NULL;

  outer->dataset.within = 0;
  return tosst_dataset_split (whole, outer, (guint)recipe->dataset.within - 1, &train, &test, error) ? train : NULL;
}

/* The training samples of split dataset.within. */
static TosstDataset *
nested_part (TosstDataset *whole, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (GArray) train = outer_training (whole, recipe, error), images = NULL;

  if (train == NULL)
    return NULL;
  images = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < train->len; i++)
    {
      guint image = (guint)g_array_index (whole->samples, TosstSample, g_array_index (train, guint, i)).image;

      if (images->len == 0 || g_array_index (images, guint, images->len - 1) != image)
        g_array_append_val (images, image);
    }
  TosstDataset *self = part_new (whole, images);
  for (guint i = 0, image = 0; i < train->len; i++)
    {
      guint index = g_array_index (train, guint, i);

      while (g_array_index (whole->samples, TosstSample, index).image != (int)g_array_index (images, guint, image))
        image++;
      add_sample (self, whole, index, image);
    }
  self->origin = g_steal_pointer (&train);
  return self;
}

/* All images and samples, to which copies can be added. */
static TosstDataset *
duplicate (const TosstDataset *whole)
{
  g_autoptr (GArray) images = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < whole->entries->len; i++)
    g_array_append_val (images, i);
  TosstDataset *self = part_new (whole, images);
  g_array_append_vals (self->samples, whole->samples->data, whole->samples->len);
  self->origin = whole->origin != NULL ? g_array_ref (whole->origin) : NULL;
  return self;
}

TosstDataset *
tosst_dataset_of_run (TosstDataset *whole, const TosstRecipe *recipe, GError **error)
{
  gboolean nested = recipe->dataset.within > 0 && whole->labels == NULL && whole->origin == NULL;
  gboolean copies = tosst_dataset_wants_copies (whole, recipe);
  TosstDataset *self = nested   ? nested_part (whole, recipe, error)
                       : copies ? duplicate (whole)
                                : tosst_dataset_ref (whole);

  if (self != NULL && copies)
    tosst_dataset_add_copies (self, recipe);
  return self;
}

guint
tosst_dataset_origin (TosstDataset *self, guint sample)
{
  guint own = tosst_dataset_own_samples (self);

  if (sample >= own)
    sample = g_array_index (self->copied, guint, sample - own);
  return self->origin != NULL ? g_array_index (self->origin, guint, sample) : sample;
}
