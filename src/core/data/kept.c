/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys of what is described of images. They name the content of a file: a folder that was copied or renamed, and one with a
 * further picture, has nothing to describe again but that picture.
 */
#include "core/data/kept.h"

#include "core/base/disk-cache.h"
#include "core/data/private.h"

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
  const TosstDatasetEntry *entry = tosst_dataset_entry (dataset, image);
  struct stat info;

  if (dataset->measures || entry->file == NULL || entry->header.bytes == 0
      || !tosst_dataset_entry_is_as_listed (entry, &info))
    return NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_printf (text, "kept=%d\nfile=%s\nblock=%d\nlongest=%d", (int)what, entry->sum,
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
