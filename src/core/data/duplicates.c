/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equal images on both sides of a split: a test that was learned from is no test.
 */
#include "core/data/private.h"

/* What equal images have in common, each found more slowly than the one before. */
enum
{
  LENGTH,
  HEAD, /* the first bytes */
  WHOLE,
  N_KEYS
};

#define HEAD_BYTES 4096

/* New; NULL: the image has no file, or it cannot be read. */
static char *
key_of (const TosstDatasetEntry *entry, int kind)
{
  g_autofree char *content = NULL;
  g_autoptr (GFileInputStream) stream = NULL;
  gsize length = HEAD_BYTES;

  if (entry->file == NULL || entry->copy != NULL)
    return NULL;
  if (kind == LENGTH)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, entry->bytes);
  if (kind == HEAD)
    {
      content = g_malloc (HEAD_BYTES);
      stream = g_file_read (entry->file, NULL, NULL);
      if (stream == NULL
          || !g_input_stream_read_all (G_INPUT_STREAM (stream), content, HEAD_BYTES, &length, NULL, NULL))
        return NULL;
    }
  else if (!g_file_load_contents (entry->file, NULL, &content, &length, NULL, NULL))
    return NULL;
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)content, length);
}

/* For each image the first one of the same content, or -1: it is the only one. Content is read only where length and first
 * bytes are those of another image. New; NULL: all images are different. */
static int *
find_equal (const TosstDataset *self)
{
  guint n = self->entries->len;
  g_autofree int *first = g_new (int, n + 1);
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++)
    first[i] = 0;
  for (int kind = 0; kind < N_KEYS; kind++)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

      any = FALSE;
      for (guint i = 0; i < n; i++)
        {
          char *key = first[i] >= 0 ? key_of (g_ptr_array_index (self->entries, i), kind) : NULL;
          gpointer other;

          first[i] = -1;
          if (key == NULL)
            continue;
          if (g_hash_table_lookup_extended (seen, key, NULL, &other))
            {
              first[i] = first[GPOINTER_TO_UINT (other)] = GPOINTER_TO_INT (other);
              any = TRUE;
              g_free (key);
            }
          else
            g_hash_table_insert (seen, key, GUINT_TO_POINTER (i));
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
