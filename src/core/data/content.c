/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What files contain: images are known by the SHA-256 of their bytes, wherever they lie, and equal ones are one unit of a
 * split.
 */
#include <errno.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/base/input-file.h"
#include "core/data/private.h"
#include "tosst/context.h"

/* Younger files may be written again at the same time of change, s. */
#define YOUNG 3

#define MOST_THREADS 8

/* Sums by path, number, size and time of change. */
static TosstKnown sums = { .bytes = TOSST_SUM_DIGITS + 1, .most = 100000 };

typedef struct
{
  const char *path;
  char *sum; /* room for the digits */
  gboolean ok;
  int code; /* errno of what fails; 0: the file changes */
} Task;

static gboolean
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
         && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The sum of a file that remains as it is meanwhile. */
static gboolean
add_up (Task *task, const struct stat *info)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (1 << 16);
  struct stat before, after;
  int file = tosst_input_open_path (task->path, &before);
  gssize n = -1;

  task->code = errno;
  if (file < 0)
    return FALSE;
  while ((n = read (file, block, 1 << 16)) > 0)
    g_checksum_update (checksum, block, n);
  task->code = n < 0 ? errno : 0;
  gboolean ok = n == 0 && fstat (file, &after) == 0 && is_same (&before, info) && is_same (&after, info);
  close (file);
  g_strlcpy (task->sum, g_checksum_get_string (checksum), TOSST_SUM_DIGITS + 1);
  return ok;
}

/* Sums are kept in this process and in the cache, by path, number, size and time of change of the file. */
static TosstStatus
find_sum (size_t item, int worker G_GNUC_UNUSED, void *data)
{
  Task *task = &((Task *)data)[item];
  struct stat info;

  task->code = stat (task->path, &info) != 0 ? errno : 0;
  if (task->code != 0)
    return TOSST_OK;
  g_autofree char *text = g_strdup_printf ("sum of %s\n%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIi64 " %ld", task->path,
                                           (guint64)info.st_dev, (guint64)info.st_ino, (guint64)info.st_size,
                                           (gint64)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec);
  if ((task->ok = tosst_known_recall (&sums, text, task->sum)))
    return TOSST_OK;
  g_autofree char *key = tosst_disk_cache_key (text);
  task->ok = tosst_disk_cache_read (key, 0, task->sum, TOSST_SUM_DIGITS);
  if (!task->ok && (task->ok = add_up (task, &info))
      && g_get_real_time () / G_USEC_PER_SEC - info.st_mtim.tv_sec > YOUNG)
    tosst_disk_cache_write (key, 1, task->sum, TOSST_SUM_DIGITS, NULL, 0);
  if (task->ok && g_get_real_time () / G_USEC_PER_SEC - info.st_mtim.tv_sec > YOUNG)
    tosst_known_remember (&sums, text, task->sum);
  return TOSST_OK;
}

static void
cancel (GCancellable *cancellable G_GNUC_UNUSED, gpointer context)
{
  tosst_context_cancel (context);
}

TosstContext *
tosst_dataset_context (GCancellable *cancellable, gulong *handler)
{
  TosstContext *context = tosst_context_new ((int)MIN (g_get_num_processors (), MOST_THREADS));

  if (context != NULL && cancellable != NULL)
    *handler = g_cancellable_connect (cancellable, G_CALLBACK (cancel), context, NULL);
  return context;
}

/* The sums of n files in tasks. */
static gboolean
find_sums (TosstDataset *self, Task *tasks, guint n, GCancellable *cancellable, GError **error)
{
  gulong handler = 0;
  TosstContext *context = tosst_dataset_context (cancellable, &handler);

  if (context == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, self->where, error);
  TosstStatus status = tosst_parallel (context, n, find_sum, tasks, 0, 0);
  g_cancellable_disconnect (cancellable, handler);
  tosst_context_free (context);
  if (status != TOSST_OK)
    return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("opening the data set: cancelled"));
  for (guint i = 0; i < n; i++)
    if (!tasks[i].ok)
      {
        g_autofree char *name = g_filename_display_name (tasks[i].path);

        if (tasks[i].code != 0)
          return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: cannot be read: %s"), name, g_strerror (tasks[i].code));
        return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: cannot be read, or changes while it is read"), name);
      }
  return TRUE;
}

/* Whether some class has label 1 of one image and −1 of the other. */
static gboolean
labels_differ (const TosstDataset *self, const TosstDatasetEntry *a, const TosstDatasetEntry *b)
{
  const gint8 *p = self->labels + (gsize)a->row * self->classes->len,
              *q = self->labels + (gsize)b->row * self->classes->len;

  for (guint i = 0; i < self->classes->len; i++)
    if (p[i] * q[i] < 0)
      return TRUE;
  return FALSE;
}

/* Numbers contents. An added image that is there already is skipped. */
static gboolean
number_contents (TosstDataset *self, GError **error)
{
  g_autoptr (GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal); /* entries by sum */
  guint n = 0;

  /* Those of the data set itself come before those that were added. */
  for (int added = 0; added < 2; added++)
    for (guint i = 0; i < self->entries->len; i++)
      {
        TosstDatasetEntry *entry = tosst_dataset_entry (self, i),
                          *other = *entry->sum != '\0' ? g_hash_table_lookup (first, entry->sum) : NULL;

        if (entry->added != added)
          continue;
        if (other == NULL)
          {
            entry->content = n++;
            if (*entry->sum != '\0')
              g_hash_table_insert (first, entry->sum, entry);
            continue;
          }
        if (self->labels != NULL ? labels_differ (self, other, entry)
                                 : other->public.class_index != entry->public.class_index)
          return tosst_fail (error, TOSST_FAILED_INPUT,
                             self->labels != NULL
                                 ? _ ("%s: %s and %s are the same image with different labels: remove one")
                                 : _ ("%s: %s and %s are the same image in two classes: remove one, or leave it out "
                                      "with dataset.exclude"),
                             self->where, other->public.name, entry->public.name);
        entry->content = other->content;
        if (!added)
          {
            self->has_equal = TRUE;
            continue;
          }
        tosst_dataset_skip (self, entry->public.name, _ ("it was added, but the data set has it already"));
        g_ptr_array_remove_index (self->entries, i--);
      }
  return TRUE;
}

gboolean
tosst_dataset_read_contents (TosstDataset *self, GCancellable *cancellable, GError **error)
{
  g_autofree Task *tasks = g_new0 (Task, self->entries->len + 1);
  guint n = 0;

  TOSST_FOR_EACH_POINTER (TosstDatasetEntry, entry, self->entries)
    if (entry->file != NULL)
      tasks[n++] = (Task){ g_file_peek_path (entry->file), entry->sum, FALSE };
  return (n == 0 || find_sums (self, tasks, n, cancellable, error)) && number_contents (self, error);
}

gboolean
tosst_dataset_add_features (TosstDataset *self, GPtrArray *files, GChecksum *checksum, GCancellable *cancellable,
                            GError **error)
{
  g_autofree Task *tasks = g_new0 (Task, files->len + 1);
  g_autofree char *found = g_malloc0 ((gsize)files->len * (TOSST_SUM_DIGITS + 1) + 1);

  for (guint i = 0; i < files->len; i++)
    tasks[i] = (Task){ g_file_peek_path (files->pdata[i]), found + (gsize)i * (TOSST_SUM_DIGITS + 1), FALSE };
  if (files->len > 0 && !find_sums (self, tasks, files->len, cancellable, error))
    return FALSE;
  g_checksum_update (checksum, (const guchar *)found, (gssize)files->len * (TOSST_SUM_DIGITS + 1));
  return TRUE;
}

const char *
tosst_dataset_image_sum (TosstDataset *self, guint image)
{
  return tosst_dataset_entry (self, image)->sum;
}

gboolean
tosst_dataset_has_file (TosstDataset *self, GFile *file)
{
  char sum[TOSST_SUM_DIGITS + 1] = "";
  Task task = { g_file_peek_path (file), sum, FALSE };

  if (task.path != NULL)
    find_sum (0, 0, &task);
  for (guint i = 0; task.ok && i < self->entries->len; i++)
    {
      const TosstDatasetEntry *entry = tosst_dataset_entry (self, i);

      if (!entry->added && strcmp (entry->sum, sum) == 0)
        return TRUE;
    }
  return FALSE;
}
