/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/dictionary/atom-usage.h"

#include "core/base/base.h"
#include "core/dictionary/patch-coder.h"
#include "core/format/npy.h"
#include "core/local/image-tensors.h"

TosstAtomUsage *
tosst_atom_usage_new (int K, int classes)
{
  g_autoptr (TosstAtomUsage) self = g_atomic_rc_box_new0 (TosstAtomUsage);

  self->K = K;
  self->classes = classes;
  self->use = g_try_new0 (double, K);
  self->count = g_try_new0 (gsize, K);
  self->by_class = g_try_new0 (double, (gsize)K *classes);
  self->n_patches = g_try_new0 (int, K);
  self->patches = g_try_new0 (TosstAtomPatch, (gsize)K * TOSST_ATOM_PATCHES);
  if (self->use == NULL || self->count == NULL || self->by_class == NULL || self->n_patches == NULL
      || self->patches == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

TOSST_DEFINE_SHARED (TosstAtomUsage, tosst_atom_usage, (use, g_free), (count, g_free), (by_class, g_free),
                     (n_patches, g_free), (patches, g_free))

gsize
tosst_atom_usage_bytes (int K, int classes)
{
  return (gsize)K
         * (sizeof (double) * (1 + (gsize)classes) + sizeof (gsize) + sizeof (int)
            + sizeof (TosstAtomPatch) * TOSST_ATOM_PATCHES);
}

/* Insertion into a short sorted list: most codes are smaller than all entries and return after one comparison. */
static void
offer (TosstAtomUsage *self, int k, TosstAtomPatch patch)
{
  TosstAtomPatch *list = self->patches + (gsize)k * TOSST_ATOM_PATCHES;
  int n = self->n_patches[k], at;

  if (n == TOSST_ATOM_PATCHES && fabsf (patch.code) <= fabsf (list[n - 1].code))
    return;
  at = n < TOSST_ATOM_PATCHES ? n : n - 1;
  for (; at > 0 && fabsf (list[at - 1].code) < fabsf (patch.code); at--)
    list[at] = list[at - 1];
  list[at] = patch;
  self->n_patches[k] = MIN (n + 1, TOSST_ATOM_PATCHES);
}

void
tosst_atom_usage_add (TosstAtomUsage *self, const float *codes, gsize n, const TosstPoint *points, guint image,
                      int class_index)
{
  for (gsize i = 0; i < n; i++)
    for (int k = 0; k < self->K; k++)
      {
        float code = codes[i * (gsize)self->K + (gsize)k];

        if (code == 0)
          continue;
        self->use[k] += fabsf (code);
        self->count[k]++;
        self->by_class[(gsize)k * (gsize)self->classes + (gsize)class_index] += fabsf (code);
        offer (self, k, (TosstAtomPatch){ .image = image, .point = points[i], .code = code });
      }
  self->tensors += n;
}

void
tosst_atom_usage_set_frames (TosstAtomUsage *self, const TosstPatches *patches)
{
  static GMutex lock;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  for (int k = 0; k < self->K && patches->frames != NULL && !self->framed; k++)
    for (int i = 0; i < self->n_patches[k]; i++)
      {
        TosstAtomPatch *patch = &self->patches[k * TOSST_ATOM_PATCHES + i];

        patch->frame = patches->frames[patches->first[patch->image] + (gsize)patch->point.x];
      }
  self->framed = patches->frames != NULL;
}

TosstAtomUsage *
tosst_atom_usage_of_subset (const TosstAtomUsage *self, TosstDataset *whole, const GArray *images)
{
  int classes = (int)whole->classes->len, last = -1, c = -1;
  gsize K = (gsize)self->K;
  TosstAtomUsage *usage = tosst_atom_usage_new (self->K, classes);

  if (usage == NULL)
    return NULL;
  usage->tensors = self->tensors;
  usage->framed = self->framed;
  memcpy (usage->use, self->use, K * sizeof *self->use);
  memcpy (usage->count, self->count, K * sizeof *self->count);
  memcpy (usage->n_patches, self->n_patches, K * sizeof *self->n_patches);
  memcpy (usage->patches, self->patches, K * TOSST_ATOM_PATCHES * sizeof *self->patches);
  for (gsize i = 0; i < K * TOSST_ATOM_PATCHES; i++)
    if ((int)(i % TOSST_ATOM_PATCHES) < usage->n_patches[i / TOSST_ATOM_PATCHES])
      usage->patches[i].image = g_array_index (images, guint, usage->patches[i].image);
  /* The classes of the subset are those of its images, in the same order. */
  for (guint i = 0; i < images->len; i++)
    {
      int class_index = tosst_dataset_image (whole, g_array_index (images, guint, i))->class_index;

      if (class_index == last || ++c >= self->classes)
        continue;
      last = class_index;
      for (gsize k = 0; k < K; k++)
        usage->by_class[k * (gsize)classes + (gsize)class_index] = self->by_class[k * (gsize)self->classes + (gsize)c];
    }
  return usage;
}

/* The array has a row for each atom: use, count, number of patches, use by class, and the patches; and a last row with
 * the number of tensors and whether patches have frames. */
#define PATCH_NUMBERS 10
#define COLUMNS(classes) (3 + (gsize)(classes) + TOSST_ATOM_PATCHES * PATCH_NUMBERS)

GBytes *
tosst_atom_usage_to_bytes (const TosstAtomUsage *self)
{
  gsize columns = COLUMNS (self->classes);
  g_autoptr (TosstNpy) array = tosst_npy_new (TOSST_NPY_FLOAT64, 2, (const gsize[]){ (gsize)self->K + 1, columns });
  double *row = array->data;

  for (int k = 0; k < self->K; k++, row += columns)
    {
      double *at = row + 3;

      row[0] = self->use[k];
      row[1] = (double)self->count[k];
      row[2] = self->n_patches[k];
      for (int c = 0; c < self->classes; c++)
        *at++ = self->by_class[(gsize)k * self->classes + c];
      for (int i = 0; i < self->n_patches[k]; i++, at += PATCH_NUMBERS)
        {
          const TosstAtomPatch *patch = self->patches + (gsize)k * TOSST_ATOM_PATCHES + i;
          const double numbers[PATCH_NUMBERS]
              = { patch->image,   patch->point.x,    patch->point.y,    patch->code,       patch->frame.x,
                  patch->frame.y, patch->frame.a[0], patch->frame.a[1], patch->frame.a[2], patch->frame.a[3] };

          memcpy (at, numbers, sizeof numbers);
        }
    }
  row[0] = (double)self->tensors;
  row[1] = self->framed;
  return tosst_npy_serialise (array);
}

/* FALSE if it has an image that the data set does not have. */
static gboolean
read_atom (TosstAtomUsage *self, int k, const double *row, guint images)
{
  const double *at = row + 3 + self->classes;

  self->use[k] = row[0];
  self->count[k] = (gsize)row[1];
  self->n_patches[k] = (int)CLAMP (row[2], 0, TOSST_ATOM_PATCHES);
  memcpy (self->by_class + (gsize)k * self->classes, row + 3, sizeof *row * (gsize)self->classes);
  for (int i = 0; i < self->n_patches[k]; i++, at += PATCH_NUMBERS)
    {
      if (!(at[0] >= 0 && at[0] < images))
        return FALSE;
      self->patches[(gsize)k * TOSST_ATOM_PATCHES + i] = (TosstAtomPatch){
        (guint)at[0], { (int)at[1], (int)at[2] }, (float)at[3], { (float)at[4], (float)at[5], { 0 } }
      };
      for (int j = 0; j < 4; j++)
        self->patches[(gsize)k * TOSST_ATOM_PATCHES + i].frame.a[j] = (float)at[6 + j];
    }
  return TRUE;
}

TosstAtomUsage *
tosst_atom_usage_from_bytes (GBytes *bytes, int K, TosstDataset *dataset, GError **error)
{
  gsize size, columns = COLUMNS (dataset->classes->len);
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (TosstNpy) array = tosst_npy_parse (data, size, "usage.npy", error);
  g_autoptr (TosstAtomUsage) self = NULL;

  if (array == NULL)
    return NULL;
  gboolean fits = array->type == TOSST_NPY_FLOAT64 && array->ndim == 2 && array->shape[0] == (gsize)K + 1
                  && array->shape[1] == columns
                  && (self = tosst_atom_usage_new (K, (int)dataset->classes->len)) != NULL;
  for (int k = 0; fits && k < K; k++)
    fits = read_atom (self, k, (const double *)array->data + (gsize)k * columns, dataset->entries->len);
  if (!fits)
    return tosst_fail (error, TOSST_FAILED_INPUT, "usage.npy is of other atoms or images"), NULL;
  self->tensors = (gsize)((const double *)array->data)[(gsize)K * columns];
  self->framed = ((const double *)array->data)[(gsize)K * columns + 1] != 0;
  return g_steal_pointer (&self);
}

int
tosst_atom_usage_class (const TosstAtomUsage *self, int k, double *share)
{
  const double *row = self->by_class + (gsize)k * (gsize)self->classes;
  int most = 0;

  *share = 0;
  if (!(self->use[k] > 0))
    return -1;
  for (int c = 1; c < self->classes; c++)
    if (row[c] > row[most])
      most = c;
  *share = row[most] / self->use[k];
  return most;
}

#define PIECE 2048 /* maximum number of patches coded together */
#define IMAGES 64  /* the same of images of local features */

/* Share of description in the progress. */
#define DESCRIBING 0.3

typedef struct
{
  const TosstRecipe *recipe;
  TosstContext *context;
  TosstDataset *dataset;
  TosstPatches *patches;
  TosstPatchCoder *coder;
  TosstPca *pca;          /* of local features, or NULL */
  float *tensors, *codes; /* for PIECE patches, or IMAGES images */
  TosstAtomUsage *usage;
} Finding;

static gboolean
finding_init (Finding *self, const TosstDictionary *dictionary, GError **error)
{
  gboolean local = tosst_recipe_is_local (self->recipe);
  gsize m = tosst_shape_numbers (tosst_recipe_shape (self->recipe)), K = dictionary->K, piece = local ? IMAGES : PIECE;
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, dictionary, &self->coder);

  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  if (local && !tosst_local_components_of_split (self->recipe, self->context, self->dataset, 0, &self->pca, error))
    return FALSE;
  self->patches = tosst_patches_find (self->recipe, self->context, NULL, self->dataset, NULL, error);
  if (self->patches == NULL)
    return FALSE;
  self->tensors = g_try_malloc_n (piece, m * sizeof (float));
  self->codes = g_try_malloc_n (piece, K * sizeof (float));
  self->usage = tosst_atom_usage_new (dictionary->K, (int)self->dataset->classes->len);
  status = self->tensors != NULL && self->codes != NULL && self->usage != NULL ? TOSST_OK : TOSST_ERROR_MEMORY;
  return tosst_error_from_status (status, NULL, _ ("Coding"), error);
}

/* Describes and codes patches first .. first + n - 1 of one image. */
static gboolean
add_piece (Finding *self, guint image, const TosstImage *pixels, gsize first, gsize n, GError **error)
{
  const TosstPoint *points = self->patches->points + first;
  const TosstFrame *frames = self->patches->frames != NULL ? self->patches->frames + first : NULL;
  double all = (double)self->patches->count, low = (double)first / all, high = (double)(first + n) / all;
  double middle = low + DESCRIBING * (high - low);
  TosstRange range = tosst_context_narrow (self->context, low, middle);
  TosstStatus status = tosst_describe_places (self->recipe, self->context, pixels, points, frames, n, self->tensors);

  tosst_context_set_range (self->context, range);
  tosst_context_narrow (self->context, middle, high);
  if (status == TOSST_OK)
    status = tosst_patch_coder_code (self->coder, self->context, self->tensors, n, self->codes, NULL);
  tosst_context_set_range (self->context, range);
  tosst_context_progress (self->context, (double)(first + n) / all);
  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  tosst_atom_usage_add (self->usage, self->codes, n, points, image,
                        tosst_dataset_image (self->dataset, image)->class_index);
  return TRUE;
}

static gboolean
add_image (Finding *self, guint image, GError **error)
{
  gsize end = self->patches->first[image + 1];

  if (self->patches->first[image] == end)
    return TRUE;
  if (tosst_context_checkpoint (self->context))
    return tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Coding"), error);
  g_autoptr (TosstImage) pixels = tosst_dataset_read_for (self->dataset, image, 0, error);
  if (pixels == NULL)
    return FALSE;
  for (gsize first = self->patches->first[image]; first < end; first += PIECE)
    if (!add_piece (self, image, pixels, first, MIN (PIECE, end - first), error))
      return FALSE;
  return TRUE;
}

/* Codes images with one tensor each, from `image` on. */
static gboolean
add_whole_images (Finding *self, guint image, guint n, GError **error)
{
  double all = (double)self->patches->count;
  TosstRange range = tosst_context_narrow (self->context, image / all, (image + n) / all);
  gboolean ok = tosst_local_describe_images (self->recipe, self->pca, self->context, self->dataset, image, n,
                                             self->tensors, error);
  TosstStatus status
      = ok ? tosst_patch_coder_code (self->coder, self->context, self->tensors, n, self->codes, NULL) : TOSST_OK;

  tosst_context_set_range (self->context, range);
  if (!ok || !tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    tosst_atom_usage_add (self->usage, self->codes + i * (gsize)self->usage->K, 1, self->patches->points + image + i,
                          image + i, tosst_dataset_image (self->dataset, image + i)->class_index);
  return TRUE;
}

TosstAtomUsage *
tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                  TosstDataset *dataset, GError **error)
{
  Finding finding = { .recipe = recipe, .context = context, .dataset = dataset };
  gboolean fine = finding_init (&finding, dictionary, error);

  for (guint i = 0, n = 1; fine && i < finding.patches->images; i += n)
    if (tosst_recipe_is_local (recipe))
      {
        n = MIN (IMAGES, finding.patches->images - i);
        fine = add_whole_images (&finding, i, n, error);
      }
    else
      fine = add_image (&finding, i, error);
  if (fine)
    tosst_atom_usage_set_frames (finding.usage, finding.patches);
  TosstAtomUsage *usage = fine ? g_steal_pointer (&finding.usage) : NULL;

  TOSST_CLEAR_MEMBERS (&finding, (patches, tosst_patches_free), (coder, tosst_patch_coder_free), (pca, tosst_pca_free),
                       (usage, tosst_atom_usage_unref), (tensors, g_free), (codes, g_free));
  return usage;
}
