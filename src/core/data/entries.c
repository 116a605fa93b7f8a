/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/data/feature-files.h"
#include "core/data/private.h"

/* Images of a data set and skipped files, as scans of any kind add them. */

/* The coarsest time of a file system, in microseconds: a younger file may change without another time. */
#define COARSEST (3 * G_USEC_PER_SEC)

/* Headers that were read, by path, size and times: a data set is opened again with each change of its recipe, and for
 * each method of a comparison. */
static TosstKnown headers = { .bytes = sizeof (TosstImageProbe), .most = 50000 };

static GMutex known_lock; /* of all tables */

gboolean
tosst_known_recall (TosstKnown *self, const char *key, gpointer value)
{
  g_mutex_lock (&known_lock);
  gconstpointer then = self->values != NULL ? g_hash_table_lookup (self->values, key) : NULL;
  if (then != NULL)
    memcpy (value, then, self->bytes);
  g_mutex_unlock (&known_lock);
  return then != NULL;
}

void
tosst_known_remember (TosstKnown *self, const char *key, gconstpointer value)
{
  g_mutex_lock (&known_lock);
  if (self->values == NULL)
    self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (g_hash_table_size (self->values) >= self->most)
    g_hash_table_remove_all (self->values);
  g_hash_table_replace (self->values, g_strdup (key), g_memdup2 (value, self->bytes));
  g_mutex_unlock (&known_lock);
}

TosstDatasetEntry *
tosst_dataset_entry_copy (const TosstDatasetEntry *entry)
{
  TosstDatasetEntry *copy = g_memdup2 (entry, sizeof *entry);

  copy->public.name = g_strdup (entry->public.name);
  copy->file = entry->file != NULL ? g_object_ref (entry->file) : NULL;
  copy->copy = g_memdup2 (entry->copy, sizeof *entry->copy);
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (TosstDatasetEntry, tosst_dataset_entry_free, TosstDatasetEntry *, (copy, g_free),
                          (public.name, g_free), (file, g_object_unref))

void
tosst_dataset_skip (TosstDataset *self, const char *name, const char *reason)
{
  TosstSkippedFile *skipped = g_new (TosstSkippedFile, 1);

  skipped->name = g_strdup (name);
  skipped->reason = g_strdup (reason);
  g_ptr_array_add (self->skipped, skipped);
}

gboolean
tosst_dataset_scan_is_cancelled (const TosstDatasetScan *scan, GError **error)
{
  if (!g_cancellable_is_cancelled (scan->cancellable))
    return FALSE;
  g_set_error_literal (error, TOSST_ERROR, TOSST_FAILED_CANCELLED, _ ("opening the data set: cancelled"));
  return TRUE;
}

gboolean
tosst_dataset_scan_excludes (const TosstDatasetScan *scan, const char *name)
{
  g_autofree char *stem = tosst_feature_files_id (name);

  for (guint i = 0; scan->excluded[i] != NULL; i++)
    if (g_ascii_strcasecmp (scan->excluded[i], name) == 0 || g_ascii_strcasecmp (scan->excluded[i], stem) == 0)
      return TRUE;
  return FALSE;
}

const char *
tosst_dataset_reason (GFile *file, const GError *error)
{
  g_autofree char *base = tosst_image_display_name (file);
  const char *reason = error->message;

  return g_str_has_prefix (reason, base) && g_str_has_prefix (reason + strlen (base), ": ") ? reason + strlen (base) + 2
                                                                                            : reason;
}

static guint64
time_of (GFileInfo *info, const char *seconds, const char *rest)
{
  return g_file_info_get_attribute_uint64 (info, seconds) * G_USEC_PER_SEC
         + g_file_info_get_attribute_uint32 (info, rest);
}

TosstDatasetEntry *
tosst_dataset_add_entry (TosstDataset *self, GFile *file, GFileInfo *info, const char *name, int class_index,
                         TosstSide side)
{
  TosstDatasetEntry *entry = g_new0 (TosstDatasetEntry, 1);

  entry->public.name = g_strdup (name);
  entry->public.class_index = class_index;
  entry->file = g_object_ref (file);
  entry->bytes = (guint64)g_file_info_get_size (info);
  entry->modified = time_of (info, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  entry->side = side;
  g_ptr_array_add (self->entries, entry);
  return entry;
}

/* Reads the header of an image, unless it is known. */
static gboolean
read_header (GFile *file, GFileInfo *info, TosstImageProbe *probe, GError **error)
{
  guint64 modified = time_of (info, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  g_autofree char *key = g_strdup_printf (
      "%s\n%" PRIi64 " %" PRIu64 " %" PRIu64, g_file_peek_path (file), (gint64)g_file_info_get_size (info), modified,
      time_of (info, G_FILE_ATTRIBUTE_TIME_CHANGED, G_FILE_ATTRIBUTE_TIME_CHANGED_USEC));

  if (tosst_known_recall (&headers, key, probe))
    return TRUE;
  if (!tosst_image_probe (file, probe, error))
    return FALSE;
  if (modified + COARSEST <= (guint64)g_get_real_time ())
    tosst_known_remember (&headers, key, probe);
  return TRUE;
}

TosstDatasetEntry *
tosst_dataset_add_file (TosstDataset *self, GFile *file, GFileInfo *info, const char *name, int class_index,
                        TosstSide side)
{
  g_autofree char *base = tosst_image_display_name (file);
  g_autoptr (GError) error = NULL;
  TosstImageProbe probe;

  if (!read_header (file, info, &probe, &error)
      || !tosst_image_probe_fits (&probe, base, tosst_image_probe_divisor (&probe, self->longest, 0), 0, &error))
    {
      tosst_dataset_skip (self, name, tosst_dataset_reason (file, error));
      return NULL;
    }
  TosstDatasetEntry *entry = tosst_dataset_add_entry (self, file, info, name, class_index, side);
  entry->public.width = probe.width;
  entry->public.height = probe.height;
  entry->header = probe;
  return entry;
}

guint
tosst_dataset_own_images (TosstDataset *self)
{
  return self->entries->len - (self->copied != NULL ? self->copied->len : 0);
}

guint
tosst_dataset_own_samples (TosstDataset *self)
{
  return self->samples->len - (self->copied != NULL ? self->copied->len : 0);
}

gboolean
tosst_dataset_is_a_level_too_high (TosstDataset *self)
{
  const char *first = NULL;
  gsize length = 0;

  for (guint i = 0; self->kind == TOSST_DATASET_FOLDERS && i < self->entries->len; i++)
    {
      const char *name = tosst_dataset_entry (self, i)->public.name, *inner = strchr (name, '/'),
                 *end = inner != NULL ? strchr (inner + 1, '/') : NULL;

      if (end == NULL)
        return FALSE;
      if (first != NULL && ((gsize)(end - name) != length || strncmp (first, name, length) != 0))
        return TRUE;
      first = name;
      length = (gsize)(end - name);
    }
  return FALSE;
}

void
tosst_dataset_set_fingerprint (TosstDataset *self, const char *checksum)
{
  int longest = 0;

  for (guint i = 0; i < self->entries->len; i++)
    {
      const TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      longest = MAX (longest, MAX (image->width, image->height));
    }
  g_strlcpy (self->fingerprint, checksum, sizeof self->fingerprint);
  g_snprintf (self->key, sizeof self->key, "%s:%d", self->fingerprint, longest);
}
