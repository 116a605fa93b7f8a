/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A part of a data set, as a data set.
 */
#include "config.h"

#include "core/data/private.h"

#include <string.h>

static TosstDatasetEntry *
copy_entry (const TosstDatasetEntry *entry)
{
  TosstDatasetEntry *copy = g_memdup2 (entry, sizeof *entry);

  copy->public.name = g_strdup (entry->public.name);
  copy->file = entry->file != NULL ? g_object_ref (entry->file) : NULL;
  return copy;
}

/* Classes without an image are removed, the others numbered again. */
static void
number_classes (TosstDataset *self, const TosstDataset *whole)
{
  g_autofree int *number = g_new (int, whole->classes->len);

  for (guint c = 0; c < whole->classes->len; c++)
    number[c] = -1;
  for (guint i = 0; i < self->entries->len; i++)
    {
      TosstDatasetImage *image = &((TosstDatasetEntry *)g_ptr_array_index (self->entries, i))->public;

      if (number[image->class_index] < 0)
        {
          number[image->class_index] = (int)self->classes->len;
          g_ptr_array_add (self->classes, g_strdup (g_ptr_array_index (whole->classes, (guint)image->class_index)));
        }
      image->class_index = number[image->class_index];
    }
}

static void
copy_samples (TosstDataset *self, const TosstDataset *whole, const GArray *images)
{
  for (guint i = 0; i < images->len; i++)
    for (guint j = 0; j < whole->samples->len; j++)
      {
        TosstSample sample = g_array_index (whole->samples, TosstSample, j);

        if (sample.image != (int)g_array_index (images, guint, i))
          continue;
        sample.image = (int)i;
        sample.class_index = ((TosstDatasetEntry *)g_ptr_array_index (self->entries, i))->public.class_index;
        g_array_append_val (self->samples, sample);
      }
}

TosstDataset *
tosst_dataset_subset (TosstDataset *whole, const GArray *images)
{
  g_return_val_if_fail (whole != NULL && whole->labels == NULL, NULL);

  TosstDataset *self = tosst_dataset_new (whole->kind);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  self->title = g_strdup (whole->title);
  self->where = g_strdup (whole->where);
  self->folder = whole->folder != NULL ? g_object_ref (whole->folder) : NULL;
  self->has_sides = whole->has_sides;
  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (self->entries, copy_entry (g_ptr_array_index (whole->entries, g_array_index (images, guint, i))));
  number_classes (self, whole);
  copy_samples (self, whole, images);
  g_checksum_update (sum, (const guchar *)whole->fingerprint, -1);
  g_checksum_update (sum, (const guchar *)images->data, (gssize)(images->len * sizeof (guint)));
  g_strlcpy (self->fingerprint, g_checksum_get_string (sum), sizeof self->fingerprint);
  return self;
}
