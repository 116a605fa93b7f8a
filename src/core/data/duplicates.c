/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equal images on both sides of a split: a test that was learned from is no test.
 */
#include "config.h"

#include "core/data/private.h"

/* "" if it cannot be read. New. */
static char *
checksum_of (GFile *file)
{
  g_autofree char *content = NULL;
  gsize length;

  return g_file_load_contents (file, NULL, &content, &length, NULL, NULL)
             ? g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)content, length)
             : g_strdup ("");
}

/* For each image the first one of the same content, or -1: it is the only one. Only files of one length are read. New; NULL: all
 * images are different. */
static int *
find_equal (const TosstDataset *self)
{
  guint n = self->entries->len;
  g_autofree int *first = g_new (int, n + 1);
  g_autoptr (GHashTable) by_length = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, NULL);
  g_autoptr (GHashTable) by_content = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree gboolean *read = g_new0 (gboolean, n + 1);
  gboolean any = FALSE;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++)
      {
        TosstDatasetEntry *entry = g_ptr_array_index (self->entries, i);
        gpointer other;

        first[i] = -1;
        if (entry->file == NULL || entry->copy != NULL)
          continue;
        if (pass == 0 && g_hash_table_lookup_extended (by_length, &entry->bytes, NULL, &other))
          read[i] = read[GPOINTER_TO_UINT (other)] = TRUE;
        else if (pass == 0)
          g_hash_table_insert (by_length, &entry->bytes, GUINT_TO_POINTER (i));
        else if (read[i])
          {
            g_autofree char *sum = checksum_of (entry->file);

            if (*sum != '\0' && g_hash_table_lookup_extended (by_content, sum, NULL, &other))
              {
                first[i] = first[GPOINTER_TO_UINT (other)] = GPOINTER_TO_INT (other);
                any = TRUE;
              }
            else if (*sum != '\0')
              g_hash_table_insert (by_content, g_steal_pointer (&sum), GUINT_TO_POINTER (i));
          }
      }
  return any ? g_steal_pointer (&first) : NULL;
}

static const char *
name_of (const TosstDataset *self, int image)
{
  return ((TosstDatasetEntry *)g_ptr_array_index (self->entries, image))->public.name;
}

static int
image_at (const TosstDataset *self, const GArray *samples, guint i)
{
  return g_array_index (self->samples, TosstSample, g_array_index (samples, guint, i)).image;
}

GStrv
tosst_dataset_find_duplicates (TosstDataset *self, const TosstRecipe *recipe, guint splits)
{
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();
  g_autofree int *first = find_equal (self), *trains = g_new (int, self->entries->len + 1);
  g_autofree gboolean *named = g_new0 (gboolean, self->entries->len + 1);

  for (guint split = 0; first != NULL && split < splits; split++)
    {
      g_autoptr (GArray) train = NULL, test = NULL;

      if (!tosst_dataset_split (self, recipe, split, &train, &test, NULL))
        break;
      for (guint i = 0; i < self->entries->len; i++)
        trains[i] = -1;
      for (guint i = 0; i < train->len; i++)
        if (first[image_at (self, train, i)] >= 0)
          trains[first[image_at (self, train, i)]] = image_at (self, train, i);
      for (guint i = 0; i < test->len; i++)
        {
          int image = image_at (self, test, i), other = first[image] >= 0 ? trains[first[image]] : -1;

          if (other < 0 || other == image || named[image])
            continue;
          named[image] = TRUE;
          g_strv_builder_add_many (pairs, name_of (self, other), name_of (self, image), NULL);
        }
    }
  return g_strv_builder_end (pairs);
}
