/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys of what is described of images. They name the content of a file: a folder that was copied or renamed, and one with a
 * further picture, has nothing to describe again but that picture.
 */
#include "core/data/kept.h"

#include <inttypes.h>
#include <unistd.h>

#include "core/base/disk-cache.h"
#include "core/base/input-file.h"
#include "core/data/private.h"

#define DIGITS 64

/* Younger files may be written again at the same time of change, s. */
#define YOUNG 2

static gboolean
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_size == b->st_size && a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec
         && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* SHA-256 of a file that remains as it is meanwhile; new, or NULL. */
static char *
add_up (const char *path, const struct stat *info)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (1 << 16);
  struct stat before, after;
  int file = tosst_input_open_path (path, &before);
  gssize n = -1;

  if (file < 0)
    return NULL;
  while ((n = read (file, block, 1 << 16)) > 0)
    g_checksum_update (checksum, block, n);
  gboolean ok = n == 0 && fstat (file, &after) == 0 && is_same (&before, info) && is_same (&after, info);
  close (file);
  return ok ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

/* The sum of the file of an image, while it is as it was listed; new, or NULL. It is kept itself. */
static char *
find_sum (const TosstDatasetEntry *entry)
{
  const char *path = g_file_peek_path (entry->file);
  g_autofree char *text = NULL, *key = NULL, *sum = NULL;
  struct stat info;

  if (!tosst_dataset_entry_is_as_listed (entry, &info))
    return NULL;
  text = g_strdup_printf ("sum of %s\n%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIi64 " %ld", path, (guint64)info.st_dev,
                          (guint64)info.st_ino, (guint64)info.st_size, (gint64)info.st_mtim.tv_sec,
                          (long)info.st_mtim.tv_nsec);
  key = tosst_disk_cache_key (text);
  if (key == NULL)
    return NULL;
  sum = g_malloc0 (DIGITS + 1);
  if (tosst_disk_cache_read (key, 0, sum, DIGITS))
    return g_steal_pointer (&sum);
  g_free (sum);
  sum = add_up (path, &info);
  if (sum != NULL && g_get_real_time () / G_USEC_PER_SEC - info.st_mtim.tv_sec > YOUNG)
    tosst_disk_cache_write (key, 1, sum, DIGITS, NULL, 0);
  return g_steal_pointer (&sum);
}

/* Whether a parameter of the descriptor acts on what is kept. Those that only make tensors of it do not. */
static gboolean
acts (const TosstRecipe *recipe, const TosstParameter *p, TosstKept what)
{
  static const char *const later[]
      = { "features", "luminance", "opponent", "absolute", "pivots",  "order", "regions", "normalise",
          "sigma-",   "range-",    "gamma-",   "pca",      "spatial", "parts", "weights" };

  if (!g_str_equal (p->group, "descriptor") || tosst_recipe_why_inactive (recipe, p) != NULL)
    return FALSE;
  for (gsize i = 0; what != TOSST_KEPT_ROWS && i < G_N_ELEMENTS (later); i++)
    if (g_str_has_prefix (p->key, later[i]))
      return FALSE;
  return what != TOSST_KEPT_FRAMES || !g_str_equal (p->key, "kind");
}

char *
tosst_kept_key (const TosstRecipe *recipe, TosstDataset *dataset, guint image, TosstKept what, gconstpointer places,
                gsize bytes)
{
  const TosstDatasetEntry *entry = g_ptr_array_index (dataset->entries, image);
  g_autofree char *sum = NULL;
  g_autoptr (GString) text = NULL;

  if (dataset->measures || entry->file == NULL || entry->header.bytes == 0 || (sum = find_sum (entry)) == NULL)
    return NULL;
  text = g_string_new (NULL);
  g_string_printf (text, "kept=%d\nfile=%s\nblock=%d\nlongest=%d", (int)what, sum,
                   what == TOSST_KEPT_ROWS ? tosst_recipe_block (recipe) : 0,
                   what == TOSST_KEPT_FRAMES ? 0 : tosst_recipe_longest (recipe)); /* as which the image is decoded */
  if (entry->copy != NULL)
    g_string_append_printf (text, "\ncopy=%d %d %d %d %.17g %.17g %d %d", entry->copy->of.x, entry->copy->of.y,
                            entry->copy->of.width, entry->copy->of.height, entry->copy->angle, entry->copy->scale,
                            entry->public.width, entry->public.height);
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (acts (recipe, p, what))
      {
        g_autofree char *value = tosst_recipe_get (recipe, p);

        g_string_append_printf (text, "\n%s=%s", p->key, value);
      }
  if (places != NULL)
    {
      g_autofree char *of_places = g_compute_checksum_for_data (G_CHECKSUM_SHA256, places, bytes);

      g_string_append_printf (text, "\nplaces=%s", of_places);
    }
  return tosst_disk_cache_key (text->str);
}

gsize
tosst_kept_patch_bytes (const TosstRecipe *recipe, int channels)
{
  TosstFramePatch patch = tosst_recipe_frame_patch (recipe);
  gsize side = (gsize)(patch.side + 2 * patch.margin);

  return side * side * (gsize)channels * sizeof (float);
}
