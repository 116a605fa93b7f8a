/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>
#include <zip.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/base/input-file.h"
#include "core/base/json-text.h"
#include "core/format/npy.h"
#include "core/format/npz.h"

/* 1 January 1980, the epoch of zip: equal contents give equal files. */
#define DOS_DATE ((1 << 5) | 1)

typedef struct
{
  char *name;
  GBytes *bytes;   /* as stored in the archive */
  TosstNpy *array; /* for name.npy, else NULL */
} Member;

struct TosstNpz
{
  GPtrArray *members;
};

static void
member_free (gpointer data)
{
  Member *member = data;

  g_free (member->name);
  g_clear_pointer (&member->bytes, g_bytes_unref);
  tosst_npy_free (member->array);
  g_free (member);
}

TosstNpz *
tosst_npz_new (void)
{
  TosstNpz *self = g_new0 (TosstNpz, 1);

  self->members = g_ptr_array_new_with_free_func (member_free);
  return self;
}

void
tosst_npz_free (TosstNpz *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->members);
  g_free (self);
}

static Member *
add_member (TosstNpz *self, char *name)
{
  Member *member = g_new0 (Member, 1);

  member->name = name;
  g_ptr_array_add (self->members, member);
  return member;
}

void
tosst_npz_steal_array (TosstNpz *self, const char *name, TosstNpy *array)
{
  Member *member = add_member (self, g_strconcat (name, ".npy", NULL));

  member->array = array;
}

void
tosst_npz_add_bytes (TosstNpz *self, const char *name, GBytes *bytes)
{
  add_member (self, g_strdup (name))->bytes = g_bytes_ref (bytes);
}

static Member *
find (TosstNpz *self, const char *name)
{
  for (guint i = 0; i < self->members->len; i++)
    {
      Member *member = g_ptr_array_index (self->members, i);

      if (strcmp (member->name, name) == 0)
        return member;
    }
  return NULL;
}

const TosstNpy *
tosst_npz_array (TosstNpz *self, const char *name)
{
  g_autofree char *full = g_strconcat (name, ".npy", NULL);
  Member *member = find (self, full);

  return member ? member->array : NULL;
}

GBytes *
tosst_npz_bytes (TosstNpz *self, const char *name)
{
  Member *member = find (self, name);

  return member ? member->bytes : NULL;
}

/* Writing: the archive is built in memory and written to its file at once. */

static gboolean
fail_write (const char *name, const char *why, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s could not be created: %s"), name, why);
}

/* libzip frees the source with free(), so that it must be allocated by malloc, which GLib's memory is; bytes remain
 * owned by the caller. */
static zip_source_t *
member_source (zip_t *zip, Member *member)
{
  zip_source_t *source;
  gsize size;
  gpointer data;

  if (!member->array)
    {
      gconstpointer bytes = g_bytes_get_data (member->bytes, &size);

      return zip_source_buffer (zip, bytes, size, 0);
    }
  data = g_bytes_unref_to_data (tosst_npy_serialise (member->array), &size);
  source = zip_source_buffer (zip, data, size, 1);
  if (!source)
    g_free (data);
  return source;
}

static gboolean
add_to_zip (zip_t *zip, Member *member)
{
  zip_source_t *source = member_source (zip, member);
  zip_int64_t index = source ? zip_file_add (zip, member->name, source, ZIP_FL_ENC_UTF_8) : -1;

  if (source && index < 0)
    zip_source_free (source);
  return index >= 0 && zip_set_file_compression (zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0
         && zip_file_set_dostime (zip, (zip_uint64_t)index, 0, DOS_DATE, 0) == 0;
}

static GBytes *
read_source (zip_source_t *source)
{
  zip_stat_t stat;
  guint8 *data;
  zip_int64_t n;

  if (zip_source_stat (source, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE) || zip_source_open (source) != 0)
    return NULL;
  data = g_try_malloc (MAX (stat.size, 1));
  n = data ? zip_source_read (source, data, stat.size) : -1;
  zip_source_close (source);
  if (n < 0 || (zip_uint64_t)n != stat.size)
    {
      g_free (data);
      return NULL;
    }
  return g_bytes_new_take (data, stat.size);
}

GBytes *
tosst_npz_to_bytes (TosstNpz *self, const char *name, GError **error)
{
  zip_error_t cause;
  zip_source_t *source;
  zip_t *zip = NULL;
  GBytes *bytes = NULL;

  zip_error_init (&cause);
  source = zip_source_buffer_create (NULL, 0, 0, &cause);
  if (source)
    {
      zip_source_keep (source);
      zip = zip_open_from_source (source, ZIP_TRUNCATE, &cause);
    }
  for (guint i = 0; zip && i < self->members->len; i++)
    if (!add_to_zip (zip, g_ptr_array_index (self->members, i)))
      {
        fail_write (name, zip_strerror (zip), error);
        zip_discard (zip);
        zip_source_free (source);
        zip_error_fini (&cause);
        return NULL;
      }
  if (zip && zip_close (zip) == 0)
    bytes = read_source (source);
  else if (zip)
    zip_discard (zip);
  if (!bytes)
    fail_write (name, zip_error_strerror (&cause), error);
  zip_source_free (source);
  zip_error_fini (&cause);
  return bytes;
}

gboolean
tosst_npz_write (TosstNpz *self, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (GBytes) bytes = tosst_npz_to_bytes (self, name, error);

  return bytes && tosst_atomic_write (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}

/* Reading. */

/* Deflate compresses up to a thousandfold, learned numbers less than twofold. Members that expand to more than
 * MAX_TIMES the size of the file in total are rejected; up to EVER bytes are always read. */
#define MAX_TIMES 100
#define EVER (64 * 1024 * 1024)
/* Maximum size of a JSON member. */
#define MAX_JSON TOSST_JSON_MAX_BYTES
/* Maximum offset of the numbers of an array. */
#define MAX_HEADER 65536

typedef struct
{
  TosstNpz *npz;
  zip_t *zip;
  const char *name; /* of the file */
  guint64 left;     /* remaining bytes of memory for members */
} Reading;

/* At most a quarter of the machine's memory. */
static guint64
max_bytes (gsize file)
{
  guint64 memory = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE) / 4;

  return MIN (memory, MAX ((guint64)file * MAX_TIMES, EVER));
}

static gboolean
fail_member (const char *file, const char *member, const char *why, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is damaged: member %s %s"), file, member, why);
}

static gboolean
read_bytes (zip_file_t *member, guint8 *data, guint64 size)
{
  for (guint64 done = 0; done < size;)
    {
      zip_int64_t n = zip_fread (member, data + done, size - done);

      if (n <= 0)
        return FALSE;
      done += (guint64)n;
    }
  return TRUE;
}

/* Texts saved by numpy.savez, such as meta.json, are no numeric arrays and are kept as bytes. */
static gboolean
holds_text (const guint8 *data, gsize size)
{
  static const char *const texts[] = { "'descr': '|S", "'descr': '<U", "'descr': '>U", NULL };
  gsize start = MIN (size, 10), most = MIN (size - start, 64);

  for (const char *const *text = texts; *text; text++)
    if (g_strstr_len ((const char *)data + start, (gssize)most, *text))
      return TRUE;
  return FALSE;
}

/* Size of a member in memory, from its first bytes and its size; its array must have the length stated in its
 * header. */
static gboolean
expected_bytes (const char *name, const guint8 *start, gsize n, guint64 size, guint64 *bytes, GError **error)
{
  TosstNpyHeader header = { 0 };
  GError *cause = NULL;
  gsize numbers = tosst_npy_parse_header (start, n, name, &header, &cause);

  if (numbers == 0 || !tosst_npy_check_length (&header, size - numbers, name, &cause))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  *bytes = (size - numbers) / (guint64)header.size * sizeof (double);
  return TRUE;
}

/* Reads the rest of a member after the n bytes of start; new. Reads one byte beyond its end, so that libzip verifies
 * the checksum. */
static guint8 *
read_rest (zip_file_t *member, const guint8 *start, gsize n, guint64 size)
{
  g_autofree guint8 *data = g_try_malloc (MAX (size, 1));
  guint8 beyond;

  if (!data)
    return NULL;
  memcpy (data, start, n);
  return read_bytes (member, data + n, size - n) && zip_fread (member, &beyond, 1) == 0 ? g_steal_pointer (&data)
                                                                                        : NULL;
}

/* The first bytes state the required memory, which is checked before the allocation. */
static gboolean
read_open_member (Reading *self, zip_file_t *open, const zip_stat_t *stat, GError **error)
{
  g_autofree char *full = g_strdup_printf (_ ("%s, member %s,"), self->name, stat->name);
  g_autofree guint8 *start = g_malloc (MAX_HEADER), *data = NULL;
  gsize n = (gsize)MIN (stat->size, MAX_HEADER);
  gboolean array = g_str_has_suffix (stat->name, ".npy");
  guint64 bytes = stat->size;
  Member *member;

  if (!read_bytes (open, start, n))
    return fail_member (self->name, stat->name, _ ("cannot be unpacked"), error);
  array = array && !holds_text (start, n);
  if (array && !expected_bytes (full, start, n, stat->size, &bytes, error))
    return FALSE;
  if (bytes > self->left || (g_str_has_suffix (stat->name, ".json") && bytes > MAX_JSON))
    return fail_member (self->name, stat->name, _ ("unpacks to more bytes than a file of this size can contain"),
                        error);
  self->left -= bytes;
  data = read_rest (open, start, n, stat->size);
  if (!data)
    return fail_member (self->name, stat->name, _ ("cannot be unpacked"), error);
  member = add_member (self->npz, g_strdup (stat->name));
  if (array)
    member->array = tosst_npy_parse (data, stat->size, full, error);
  else
    member->bytes = g_bytes_new_take (g_steal_pointer (&data), stat->size);
  return !array || member->array;
}

static gboolean
read_member (Reading *self, zip_uint64_t index, GError **error)
{
  zip_stat_t stat;
  zip_file_t *open;
  gboolean ok;

  if (zip_stat_index (self->zip, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME)
      || !(stat.valid & ZIP_STAT_SIZE))
    return fail_member (self->name, "?", _ ("has no size"), error);
  open = zip_fopen_index (self->zip, index, 0);
  if (!open)
    return fail_member (self->name, stat.name, _ ("cannot be unpacked"), error);
  ok = read_open_member (self, open, &stat, error);
  zip_fclose (open);
  return ok;
}

static gboolean
read_members (Reading *self, const char *const *members, GError **error)
{
  zip_int64_t n = zip_get_num_entries (self->zip, 0);

  /* libzip treats an empty file as an empty archive. */
  if (n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is empty"), self->name);
  for (zip_int64_t i = 0; !members && i < n; i++)
    if (!read_member (self, (zip_uint64_t)i, error))
      return FALSE;
  for (; members && *members; members++)
    {
      zip_int64_t i = zip_name_locate (self->zip, *members, 0);

      if (i >= 0 && !read_member (self, (zip_uint64_t)i, error))
        return FALSE;
    }
  return TRUE;
}

TosstNpz *
tosst_npz_from_bytes (GBytes *bytes, const char *const *members, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  Reading self = { npz, NULL, name, max_bytes (g_bytes_get_size (bytes)) };
  zip_error_t why;
  zip_source_t *source;
  gboolean ok;

  zip_error_init (&why);
  source = zip_source_buffer_create (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 0, &why);
  if (source)
    self.zip = zip_open_from_source (source, ZIP_RDONLY, &why);
  if (!self.zip)
    {
      g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, _ ("%s is truncated or not a .npz file"), name);
      zip_source_free (source);
    }
  zip_error_fini (&why);
  if (!self.zip)
    return NULL;
  ok = read_members (&self, members, error);
  zip_discard (self.zip);
  return ok ? g_steal_pointer (&npz) : NULL;
}

TosstNpz *
tosst_npz_read (GFile *file, const char *const *members, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (GBytes) bytes = tosst_input_load (file, G_MAXSIZE, error);

  return bytes ? tosst_npz_from_bytes (bytes, members, name, error) : NULL;
}
