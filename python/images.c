/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images of the Python package as data sets of core, and those of them that are equal.
 */
#include "python/images.h"

#include <string.h>

#include "core/base/error.h"
#include "core/data/feature-files.h"
#include "core/data/private.h"
#include "core/image/files.h"

char **
tosst_core_list_images (const char *folder, TosstCoreError *error)
{
  g_autoptr (GFile) root = g_file_new_for_path (folder);
  GError *cause = NULL;
  g_autoptr (GPtrArray) files = tosst_image_files_list (root, tosst_image_files_has_suffix, &cause);
  GPtrArray *paths;

  if (files == NULL)
    return tosst_core_hand_over (cause, error), NULL;
  paths = g_ptr_array_new ();
  for (guint i = 0; i < files->len; i++)
    g_ptr_array_add (paths, g_file_get_path (files->pdata[i]));
  g_ptr_array_add (paths, NULL);
  return (char **)g_ptr_array_free (paths, FALSE);
}

/* Adds an image. Returns FALSE with error, or if it is skipped. */
static gboolean
add_image (TosstDataset *self, const char *path, const char *name, int class_index, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info (file, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, NULL, &cause);

  if (info == NULL)
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, tosst_error_reason (cause));
  return tosst_dataset_add_file (self, file, info, name, class_index, TOSST_SIDE_ANY) != NULL;
}

static TosstDataset *
dataset_new (TosstDatasetKind kind, const char *where, const char *const *classes, size_t n_classes)
{
  TosstDataset *self = tosst_dataset_new (kind);

  self->where = g_strdup (where);
  self->title = g_strdup (where);
  for (size_t i = 0; i < n_classes; i++)
    g_ptr_array_add (self->classes, g_strdup (classes[i]));
  return self;
}

static int
compare_contents (gconstpointer a, gconstpointer b, gpointer data)
{
  const TosstDataset *self = data;
  guint p = ((const TosstDatasetEntry *)self->entries->pdata[*(const guint *)a])->content,
        q = ((const TosstDatasetEntry *)self->entries->pdata[*(const guint *)b])->content;

  return p != q ? (p > q) - (p < q) : *(const guint *)a < *(const guint *)b ? -1 : 1;
}

/* number: that of each entry among the images that were given. */
static void
add_pair (GArray *pairs, const GArray *number, guint first, guint second, bool equal)
{
  TosstCorePair pair = { g_array_index (number, gsize, first), g_array_index (number, gsize, second), equal };

  g_array_append_val (pairs, pair);
}

/* Of images with one content each one and the next. */
static void
add_equal (TosstDataset *self, const GArray *number, GArray *pairs)
{
  guint n = self->entries->len;
  g_autofree guint *order = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int)n, sizeof *order, compare_contents, self);
  for (guint i = 1; i < n; i++)
    if (((TosstDatasetEntry *)self->entries->pdata[order[i - 1]])->content
        == ((TosstDatasetEntry *)self->entries->pdata[order[i]])->content)
      add_pair (pairs, number, order[i - 1], order[i], true);
}

TosstCorePair *
tosst_core_find_pairs (TosstContext *context, const char *const *paths, size_t n, size_t *count, char ***skipped,
                       TosstCoreError *error)
{
  static const char *const one[] = { "images" };
  g_autoptr (TosstDataset) dataset = dataset_new (TOSST_DATASET_FOLDERS, "images", one, 1);
  g_autoptr (GArray) number = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GStrvBuilder) reasons = g_strv_builder_new ();
  g_autoptr (GArray) near = NULL;
  GError *cause = NULL;
  GArray *pairs;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = g_filename_display_name (paths[i]);

      if (add_image (dataset, paths[i], name, 0, &cause))
        g_array_append_val (number, i);
      else if (cause != NULL)
        return tosst_core_hand_over (cause, error), NULL;
    }
  if (!tosst_dataset_read_contents (dataset, NULL, &cause))
    return tosst_core_hand_over (cause, error), NULL;
  near = tosst_dataset_find_near (dataset, context);
  if (tosst_context_is_cancelled (context))
    return *error = (TosstCoreError){ TOSST_CORE_CANCELLED, g_strdup ("cancelled") }, NULL;
  for (guint i = 0; i < dataset->skipped->len; i++)
    {
      const TosstSkippedFile *file = dataset->skipped->pdata[i];
      g_autofree char *sentence = g_strdup_printf ("%s: %s", file->name, file->reason);

      g_strv_builder_add (reasons, sentence);
    }
  *skipped = g_strv_builder_end (reasons);
  pairs = g_array_new (FALSE, FALSE, sizeof (TosstCorePair));
  add_equal (dataset, number, pairs);
  for (guint i = 0; i < near->len; i++)
    add_pair (pairs, number, g_array_index (near, TosstNearPair, i).a, g_array_index (near, TosstNearPair, i).b, false);
  *count = pairs->len;
  return (TosstCorePair *)(void *)g_array_free (pairs, FALSE);
}

/* Training. */

/* A file of features, of which the name in full tells the run where it is. */
static gboolean
add_features (TosstDataset *self, const char *path, const char *name, int class_index, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path), read = NULL;
  g_autofree char *base = g_file_get_basename (file), *id = tosst_feature_files_id (g_file_peek_path (file));
  g_autoptr (GError) cause = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info (file, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, NULL, &cause);

  if (info == NULL)
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, tosst_error_reason (cause));
  if (!tosst_feature_files_has_suffix (base))
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: features are in files .npz or .npy", name);
  read = tosst_feature_files_find (self->folder, id);
  if (read == NULL || !g_file_equal (read, file))
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: the programs read %s.npz, which is there, too, in its place",
                       name, id);
  tosst_dataset_add_entry (self, file, info, g_file_peek_path (file), class_index, TOSST_SIDE_ANY);
  return TRUE;
}

/* Adds an image that trains, whole. */
static gboolean
add_sample (TosstDataset *self, const TosstRecipe *recipe, const TosstCoreImages *images, guint i, GError **error)
{
  int label = images->targets == NULL ? images->labels[i] : 0;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES
          ? !add_features (self, images->paths[i], images->names[i], label, error)
          : !add_image (self, images->paths[i], images->names[i], label, error))
    {
      const TosstSkippedFile *file = self->skipped->len > 0 ? self->skipped->pdata[0] : NULL;

      return file != NULL ? tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", file->name, file->reason) : FALSE;
    }
  TosstDatasetEntry *entry = self->entries->pdata[i];
  TosstSample sample = { (int)i, label, 0, 0, entry->public.width, entry->public.height };

  entry->row = i;
  entry->side = images->targets != NULL ? TOSST_SIDE_TRAIN : TOSST_SIDE_ANY;
  g_array_append_val (self->samples, sample);
  g_array_append_val (self->origin, *(images->numbers != NULL ? &images->numbers[i] : &i));
  return TRUE;
}

/* Copies follow all images of the other data set: those of all of them, or of the training images alone. */
static void
add_copies (TosstDataset *self, const TosstRecipe *recipe, const TosstCoreImages *images)
{
  guint each = (guint)recipe->dataset.copies;

  tosst_dataset_add_copies (self, recipe);
  if (self->numbers == NULL)
    return;
  self->numbers = g_renew (guint, self->numbers, self->entries->len);
  for (guint i = 0; i < self->copied->len; i++)
    self->numbers[images->n + i]
        = images->total + (images->alone ? i : self->numbers[g_array_index (self->copied, guint, i)] * each + i % each);
}

static void
set_fingerprint (TosstDataset *self, const TosstCoreImages *images)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < images->n; i++)
    {
      guint number = images->numbers != NULL ? images->numbers[i] : i;
      int label = images->targets == NULL ? images->labels[i] : 0;
      g_autofree char *line = g_strdup_printf ("%d\t%s\t%u\n", label, tosst_dataset_image_sum (self, i), number);

      g_checksum_update (sum, (const guchar *)line, -1);
    }
  if (self->labels != NULL)
    g_checksum_update (sum, (const guchar *)self->labels, (gssize)(images->n * images->n_classes));
  if (self->numbers != NULL)
    g_checksum_update (sum, (const guchar *)self->numbers, (gssize)(self->entries->len * sizeof *self->numbers));
  tosst_dataset_set_fingerprint (self, g_checksum_get_string (sum));
}

TosstDataset *
tosst_core_dataset (const TosstRecipe *recipe, const TosstCoreImages *images, GError **error)
{
  gboolean several = images->targets != NULL;
  g_autoptr (TosstDataset) self = dataset_new (several ? TOSST_DATASET_LABELS : TOSST_DATASET_FOLDERS, images->where,
                                               images->classes, images->n_classes);

  self->folder = g_file_new_for_path ("/");
  self->longest = tosst_recipe_longest (recipe);
  self->origin = g_array_new (FALSE, FALSE, sizeof (guint));
  self->numbers = images->numbers != NULL ? g_memdup2 (images->numbers, images->n * sizeof (guint)) : NULL;
  self->labels = several ? g_memdup2 (images->targets, images->n * images->n_classes) : NULL;
  for (guint i = 0; i < images->n; i++)
    if (!add_sample (self, recipe, images, i, error))
      return NULL;
  if (!tosst_dataset_read_contents (self, NULL, error))
    return NULL;
  if (tosst_dataset_wants_copies (self, recipe))
    add_copies (self, recipe, images);
  set_fingerprint (self, images);
  return g_steal_pointer (&self);
}
