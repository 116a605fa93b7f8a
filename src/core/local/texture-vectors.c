/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples described by one vector of their pixels: descriptor.kind lbp, image-covariance and
 * invariant-covariance.
 */
#include "core/local/texture-vectors.h"

#include "core/base/disk-cache.h"
#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/data/kept.h"
#include "core/local/image-tensors.h"

gboolean
tosst_texture_reduces (const TosstRecipe *recipe, int longest)
{
  int block = tosst_recipe_block (recipe);
  /* Blocks are described as they are; copies are images of their own. */
  double side = block > 0 && !tosst_recipe_has_copies (recipe) ? 0 : block > 0 ? block : longest;

  if (tosst_recipe_has_copies (recipe))
    side *= TOSST_COPIES_LARGEST;
  return tosst_recipe_is_texture (recipe, NULL) && side > TOSST_TEXTURE_LONGEST;
}

/* The whole image, or a smaller one. New, or NULL where the image itself is as small. FALSE without memory. */
static gboolean
reduce (const TosstImage *image, TosstImage **reduced)
{
  *reduced = MAX (image->width, image->height) > TOSST_TEXTURE_LONGEST
                 ? tosst_image_reduced (image, TOSST_TEXTURE_LONGEST)
                 : NULL;
  return *reduced != NULL || MAX (image->width, image->height) <= TOSST_TEXTURE_LONGEST;
}

gboolean
tosst_describe_texture (const TosstRecipe *recipe, const TosstImage *image, const TosstPoint *points, gsize n,
                        const char *name, float *vectors, GError **error)
{
  g_autoptr (TosstImage) reduced = NULL;
  int block = points != NULL ? tosst_recipe_block (recipe) : 0;
  TosstTexture kind;

  if (block == 0 && !reduce (image, &reduced))
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, name, error);
  if (reduced != NULL)
    image = reduced;
  int width = block > 0 ? block : image->width, height = block > 0 ? block : image->height;

  tosst_recipe_is_texture (recipe, &kind);
  gsize length = (gsize)tosst_texture_length (kind);
  if (MIN (width, height) < tosst_texture_side (kind))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s has %d × %d pixels; %d × %d are needed at least"), name, width,
                       height, tosst_texture_side (kind), tosst_texture_side (kind));
  for (gsize i = 0; i < n; i++)
    {
      TosstPoint at = block > 0 ? points[i] : (TosstPoint){ 0, 0 };

      if (!tosst_error_from_status (tosst_texture (kind, image, at, width, height, vectors + i * length), NULL, name,
                                    error))
        return FALSE;
    }
  return TRUE;
}

/* Description of samples: one task for each image. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;
  const TosstPatches *patches;
  gsize first, end; /* patches */
  guint image;      /* of the first patch */
  gsize length;
  float *vectors;
  gboolean keeps;
  GError *error; /* atomic */
} Describing;

static TosstStatus
describe_image (size_t item, int worker, void *data)
{
  Describing *self = data;
  const TosstPatches *patches = self->patches;
  guint image = self->image + (guint)item;
  gsize from = MAX (patches->first[image], self->first), end = MIN (patches->first[image + 1], self->end);
  const TosstPoint *points = image < tosst_dataset_own_images (self->dataset) ? patches->points + from : NULL;
  float *vectors = self->vectors + (from - self->first) * self->length;
  gsize bytes = (end - from) * self->length * sizeof *vectors;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  if (from >= end)
    return TOSST_OK;
  g_autofree char *key = self->keeps ? tosst_kept_key (self->recipe, self->dataset, image, TOSST_KEPT_ROWS, points,
                                                       (end - from) * sizeof *points)
                                     : NULL;
  if (tosst_disk_cache_read (key, 0, vectors, bytes))
    return TOSST_OK;
  g_autoptr (TosstImage) pixels
      = tosst_dataset_read_for (self->dataset, image, tosst_recipe_longest (self->recipe), &error);
  if (pixels != NULL
      && tosst_describe_texture (self->recipe, pixels, points, end - from,
                                 tosst_dataset_image (self->dataset, image)->name, vectors, &error))
    tosst_disk_cache_write (key, 1e-6 * (double)(g_get_monotonic_time () - start), vectors, bytes, NULL, 0);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

gboolean
tosst_describe_textures (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset,
                         const TosstPatches *patches, gsize first, gsize n, gboolean keeps, float *vectors,
                         GError **error)
{
  Describing self = { recipe,
                      dataset,
                      patches,
                      first,
                      first + n,
                      tosst_patches_image (patches, first),
                      (gsize)tosst_recipe_dimension (recipe),
                      vectors,
                      keeps,
                      NULL };
  guint images = tosst_patches_image (patches, first + n - 1) - self.image + 1;
  TosstStatus status = tosst_parallel (context, images, describe_image, &self, 0, 1);

  return tosst_local_end_parallel (status, context, &self.error, _ ("Describing an image"), error);
}
