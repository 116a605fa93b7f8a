/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A data set as a table: of images with their class, size and samples, or of samples with their labels.
 */
#include "core/data/private.h"

#include "core/base/text.h"

static char *
labels_to_csv (TosstDataset *self)
{
  static const char *const words[] = { "", "train", "val", "test" };
  GString *csv = g_string_new ("image,split");

  for (guint i = 0; i < self->classes->len; i++)
    tosst_csv_next_field (csv, tosst_dataset_class_name (self, i));
  g_string_append_c (csv, '\n');
  for (guint i = 0; i < self->samples->len; i++)
    {
      const TosstDatasetEntry *entry = self->entries->pdata[tosst_dataset_sample (self, i)->image];

      tosst_csv_append_field (csv, entry->public.name);
      g_string_append_printf (csv, ",%s", words[entry->side]);
      for (guint j = 0; j < self->classes->len; j++)
        g_string_append_printf (csv, ",%d", tosst_dataset_label (self, i, j));
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}

static char *
images_to_csv (TosstDataset *self)
{
  GString *csv = g_string_new ("image,class,width,height,samples\n");
  g_autofree guint *samples = g_new0 (guint, self->entries->len);

  for (guint i = 0; i < self->samples->len; i++)
    samples[tosst_dataset_sample (self, i)->image]++;
  for (guint i = 0; i < self->entries->len; i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (self, i);

      tosst_csv_append_field (csv, image->name);
      tosst_csv_next_field (csv, tosst_dataset_class_name (self, (guint)image->class_index));
      g_string_append_printf (csv, ",%d,%d,%u\n", image->width, image->height, samples[i]);
    }
  return g_string_free (csv, FALSE);
}

char *
tosst_dataset_to_csv (TosstDataset *self)
{
  return self->labels != NULL ? labels_to_csv (self) : images_to_csv (self);
}
