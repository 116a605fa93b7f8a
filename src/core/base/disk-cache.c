/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file has a header and the one or two parts of the value, each with a checksum, so that it need not be flushed to the
 * disk: what a power cut leaves of it is found out when it is read. Its time of modification is that of its last use.
 */
#include "config.h"

#include "core/base/disk-cache.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/atomic-file.h"
#include "core/base/input-file.h"
#include "core/base/machine.h"
#include "tosst/context.h"

/* Incremented when the form of a value changes, or its bits by another way to compute it in the same version. */
#define FORMAT 1

#define MAGIC "tosstKPT"
#define DIGITS 32

/* Bytes per second. 3.9 GB of tensors took 1 to 11 s to write and 3 to 9 s to read again, by how busy the machine was;
 * one core describes 250 MB of them a second. What is described as fast as that is not worth the disk. */
#define RATE 1e8
/* What takes no longer is not worth a file. */
#define LEAST_SECONDS 0.005

/* Values are removed until this share of the limit is left, so that the next ones find room. */
#define REMAINING 0.9

typedef struct
{
  char magic[8], key[DIGITS];
  guint64 bytes[2], sum[2];
} Head;

/* A value in the folder. */
typedef struct
{
  char name[DIGITS + 1];
  guint64 bytes;
  gint64 used; /* ns */
} Entry;

static struct
{
  GMutex lock;
  guint64 limit; /* of tosst_disk_cache_set_limit() */
  guint64 bytes; /* of all values, G_MAXUINT64: not known */
  gint64 begun;  /* time of the last begin */
  gboolean full; /* no room, or no success in writing since then */
} state = { .limit = G_MAXUINT64, .bytes = G_MAXUINT64 };

static gint64
now (void)
{
  return g_get_real_time () * 1000;
}

char *
tosst_disk_cache_path (const char *name)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", "descriptors", NULL);

  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, name, NULL);
}

/* All values, and the sum of their sizes. New array of Entry. */
static GArray *
list_values (guint64 *bytes)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  *bytes = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      struct stat info;

      if (strlen (name) != DIGITS || strspn (name, "0123456789abcdef") != DIGITS || lstat (path, &info) != 0)
        continue;
      Entry entry = (Entry){ .bytes = (guint64)info.st_size,
                             .used = (gint64)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec };
      g_strlcpy (entry.name, name, sizeof entry.name);
      g_array_append_val (list, entry);
      *bytes += entry.bytes;
    }
  return list;
}

guint64
tosst_disk_cache_bytes (void)
{
  guint64 bytes;

  g_array_unref (list_values (&bytes));
  return bytes;
}

void
tosst_disk_cache_clear (void)
{
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  tosst_disk_cache_begin ();
}

void
tosst_disk_cache_set_limit (guint64 bytes)
{
  g_mutex_lock (&state.lock);
  state.limit = bytes;
  g_mutex_unlock (&state.lock);
}

/* The limit that was set; G_MAXUINT64: the default. */
static guint64
limit_set (void)
{
  const char *megabytes = g_getenv ("TOSST_CACHE_MB");

  if (megabytes != NULL)
    return g_ascii_strtoull (megabytes, NULL, 10) << 20;
  g_mutex_lock (&state.lock);
  guint64 limit = state.limit;
  g_mutex_unlock (&state.lock);
  return limit;
}

/* The limit where values of so many bytes are kept already. */
static guint64
limit_with (guint64 limit, guint64 bytes)
{
  g_autoptr (GFile) folder = limit < G_MAXUINT64 ? NULL : g_file_new_for_path (g_get_user_cache_dir ());

  return folder == NULL ? limit : MIN (TOSST_DISK_CACHE_BYTES, (tosst_disk_free (folder) + bytes) / 10);
}

guint64
tosst_disk_cache_limit (void)
{
  return limit_with (limit_set (), tosst_disk_cache_bytes ());
}

void
tosst_disk_cache_begin (void)
{
  g_mutex_lock (&state.lock);
  state.bytes = G_MAXUINT64;
  state.begun = now ();
  state.full = FALSE;
  g_mutex_unlock (&state.lock);
}

char *
tosst_disk_cache_key (const char *text)
{
  static char *origin;

  if (limit_set () == 0)
    return NULL;
  if (g_once_init_enter (&origin))
    {
      g_autofree char *cpu = tosst_machine_cpu (), *blas = tosst_machine_blas ();

      g_once_init_leave (&origin, g_strdup_printf (PACKAGE_VERSION "\n%d\n%d\n%s\n%s\n%s\n", FORMAT, TOSST_NUMERICS,
                                                   cpu, blas, tosst_instruction_set ()));
    }
  g_autofree char *whole = g_strconcat (origin, text, NULL);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, whole, -1);
  return g_strndup (sum, DIGITS);
}

gboolean
tosst_disk_cache_is_worth (double seconds, gsize bytes)
{
  return g_getenv ("TOSST_CACHE_ALL") != NULL || (seconds >= LEAST_SECONDS && (double)bytes <= RATE * seconds);
}

/* A change of one word changes the sum; four chains are as fast as memory. */
static guint64
add_up (const guint8 *data, gsize bytes)
{
  guint64 chain[4] = { 1, 2, 3, 4 }, word[4], sum = bytes;

  for (gsize at = 0; at < bytes; at += sizeof word)
    {
      if (bytes - at < sizeof word)
        memset (word, 0, sizeof word);
      memcpy (word, data + at, MIN (sizeof word, bytes - at));
      for (int k = 0; k < 4; k++)
        {
          chain[k] = (chain[k] ^ word[k]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
          chain[k] = chain[k] << 31 | chain[k] >> 33;
        }
    }
  for (int k = 0; k < 4; k++)
    sum = (sum ^ chain[k]) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return sum ^ sum >> 32;
}

static int
compare_uses (gconstpointer a, gconstpointer b)
{
  gint64 p = ((const Entry *)a)->used, q = ((const Entry *)b)->used;

  return (p > q) - (p < q);
}

/* Makes room in the folder. FALSE: there is none. */
static gboolean
reserve (guint64 bytes)
{
  guint64 set = limit_set (), limit;
  g_autofree char *path = tosst_disk_cache_path (NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (path);

  g_mutex_lock (&state.lock);
  if (state.bytes == G_MAXUINT64)
    {
      tosst_atomic_remove_stale (path);
      g_array_unref (list_values (&state.bytes));
    }
  limit = limit_with (set, state.bytes);
  if (!state.full && state.bytes + bytes > limit)
    {
      /* Removes the values of earlier runs that were not used for longest, until there is room. */
      g_autoptr (GArray) list = list_values (&state.bytes);

      g_array_sort (list, compare_uses);
      for (guint i = 0; i < list->len && (double)(state.bytes + bytes) > REMAINING * (double)limit; i++)
        {
          const Entry *entry = &g_array_index (list, Entry, i);
          g_autofree char *oldest = tosst_disk_cache_path (entry->name);

          if (entry->used < state.begun && g_unlink (oldest) == 0)
            state.bytes -= entry->bytes;
        }
    }
  gboolean room = !state.full && state.bytes + bytes <= limit && tosst_disk_has_room (folder, bytes);
  state.full = !room;
  state.bytes += room ? bytes : 0;
  g_mutex_unlock (&state.lock);
  return room;
}

/* The time of the kernel for files may be some milliseconds behind. */
static void
mark_used (int file)
{
  gint64 time = now ();
  const struct timespec used = { time / 1000000000, time % 1000000000 };

  futimens (file, (const struct timespec[]){ used, used });
}

static gboolean
write_file (const char *path, const Head *head, gconstpointer first, gconstpointer second)
{
  int file = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  gsize at = sizeof *head;
  gboolean ok = file >= 0 && tosst_file_transfer (file, TRUE, (char *)head, sizeof *head, 0)
                && tosst_file_transfer (file, TRUE, (char *)first, head->bytes[0], at)
                && tosst_file_transfer (file, TRUE, (char *)second, head->bytes[1], at + head->bytes[0]);

  if (file < 0)
    return FALSE;
  mark_used (file);
  return close (file) == 0 && ok;
}

void
tosst_disk_cache_write (const char *key, double seconds, gconstpointer first, gsize bytes, gconstpointer second,
                        gsize more)
{
  Head head = { .magic = MAGIC, .bytes = { bytes, more } };

  if (key == NULL || !tosst_disk_cache_is_worth (seconds, bytes + more) || !reserve (sizeof head + bytes + more))
    return;
  memcpy (head.key, key, DIGITS);
  head.sum[0] = add_up (first, bytes);
  head.sum[1] = add_up (second, more);
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  g_autofree char *temporary = tosst_atomic_temporary_name (folder);
  g_autofree char *path = g_build_filename (folder, key, NULL);
  if (write_file (temporary, &head, first, second) && g_rename (temporary, path) == 0)
    return;
  g_unlink (temporary);
  g_mutex_lock (&state.lock);
  state.full = TRUE;
  g_mutex_unlock (&state.lock);
}

/* Opens the file of a key and reads its header; -1: there is none. Another file is removed. */
static int
open_value (const char *key, Head *head)
{
  g_autofree char *path = key != NULL ? tosst_disk_cache_path (key) : NULL;
  struct stat info;
  int file = path != NULL ? tosst_input_open_path (path, &info) : -1;

  if (file < 0)
    return -1;
  if (tosst_file_transfer (file, FALSE, (char *)head, sizeof *head, 0)
      && memcmp (head->magic, MAGIC, sizeof head->magic) == 0 && memcmp (head->key, key, DIGITS) == 0
      && head->bytes[0] < G_MAXINT64 / 4 && head->bytes[1] < G_MAXINT64 / 4
      && (guint64)info.st_size == sizeof *head + head->bytes[0] + head->bytes[1])
    return file;
  close (file);
  g_unlink (path);
  return -1;
}

/* Reads a part, marks the value as used and closes the file. */
static gboolean
read_part (int file, const char *key, const Head *head, guint part, gpointer to)
{
  gboolean ok = tosst_file_transfer (file, FALSE, to, head->bytes[part], sizeof *head + (part > 0 ? head->bytes[0] : 0))
                && add_up (to, head->bytes[part]) == head->sum[part];

  mark_used (file);
  close (file);
  if (!ok)
    {
      g_autofree char *path = tosst_disk_cache_path (key);

      g_unlink (path);
    }
  return ok;
}

gboolean
tosst_disk_cache_read (const char *key, guint part, gpointer to, gsize bytes)
{
  Head head;
  int file = open_value (key, &head);

  if (file < 0)
    return FALSE;
  if (head.bytes[part] == bytes)
    return read_part (file, key, &head, part, to);
  close (file);
  return FALSE;
}

gpointer
tosst_disk_cache_load (const char *key, guint part, gsize *bytes)
{
  Head head;
  int file = open_value (key, &head);

  if (file < 0)
    return NULL;
  *bytes = head.bytes[part];
  g_autofree gpointer data = g_try_malloc (MAX (*bytes, 1));
  if (data == NULL)
    {
      close (file);
      return NULL;
    }
  return read_part (file, key, &head, part, data) ? g_steal_pointer (&data) : NULL;
}
