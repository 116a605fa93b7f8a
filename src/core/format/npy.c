/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/format/npy.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

#include "core/base/base.h"
#include "core/base/input-file.h"
#include "core/base/json-text.h"
#include "core/format/npz.h"

/* Reading .npy: six magic bytes, version, length of the header, the header (a Python dictionary as text), the
 * numbers. Every length is checked against the available bytes before it is used. */

typedef struct
{
  const char *at, *end;
} Cursor;

static gsize
size_of (TosstNpyType type)
{
  return type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double);
}

TosstNpy *
tosst_npy_new (TosstNpyType type, int ndim, const gsize *shape)
{
  TosstNpy *self = g_new0 (TosstNpy, 1);

  self->type = type;
  self->ndim = ndim;
  self->count = 1;
  for (int i = 0; i < ndim; i++)
    {
      self->shape[i] = shape[i];
      self->count *= shape[i];
    }
  self->data = g_try_malloc0_n (MAX (self->count, 1), size_of (type));
  if (!self->data)
    g_clear_pointer (&self, g_free);
  return self;
}

void
tosst_npy_free (TosstNpy *self)
{
  if (!self)
    return;
  if (self->mapping)
    munmap (self->mapping, self->mapped);
  else
    g_free (self->data);
  g_free (self);
}

/* Parser of the header. */

static void
skip_blanks (Cursor *c)
{
  while (c->at < c->end && g_ascii_isspace (*c->at))
    c->at++;
}

static gboolean
take (Cursor *c, char wanted)
{
  skip_blanks (c);
  if (c->at >= c->end || *c->at != wanted)
    return FALSE;
  c->at++;
  return TRUE;
}

static gboolean
take_word (Cursor *c, const char *word)
{
  gsize n = strlen (word);

  skip_blanks (c);
  if ((gsize)(c->end - c->at) < n || memcmp (c->at, word, n) != 0)
    return FALSE;
  c->at += n;
  return TRUE;
}

static gboolean
take_string (Cursor *c, char *text, gsize size)
{
  gsize n = 0;

  skip_blanks (c);
  if (c->at >= c->end || (*c->at != '\'' && *c->at != '"'))
    return FALSE;
  char quote = *c->at++;
  while (c->at < c->end && *c->at != quote && n + 1 < size)
    text[n++] = *c->at++;
  text[n] = '\0';
  return take (c, quote);
}

static gboolean
take_size (Cursor *c, gsize *value)
{
  skip_blanks (c);
  if (c->at >= c->end || !g_ascii_isdigit (*c->at))
    return FALSE;
  for (*value = 0; c->at < c->end && g_ascii_isdigit (*c->at); c->at++)
    if (!g_size_checked_mul (value, *value, 10) || !g_size_checked_add (value, *value, *c->at - '0'))
      return FALSE;
  take (c, 'L'); /* Python 2 wrote 12L */
  return TRUE;
}

static gboolean
take_shape (Cursor *c, TosstNpyHeader *header, const char *name, GError **error)
{
  if (!take (c, '('))
    return tosst_fail_input (error, name, _ ("has a damaged .npy header"));
  for (header->ndim = 0; !take (c, ')'); header->ndim++)
    {
      gsize value;

      if (header->ndim == 4)
        return tosst_fail_input (error, name, _ ("has more than 4 dimensions"));
      if (!take_size (c, &value))
        return tosst_fail_input (error, name, _ ("has an invalid or too large shape"));
      header->shape[header->ndim] = value;
      if (!take (c, ','))
        {
          header->ndim++;
          if (take (c, ')'))
            return TRUE;
          return tosst_fail_input (error, name, _ ("has a damaged .npy header"));
        }
    }
  return TRUE;
}

static gboolean
take_type (Cursor *c, TosstNpyHeader *header, const char *name, GError **error)
{
  char text[16] = "";

  if (!take_string (c, text, sizeof text))
    return tosst_fail_input (error, name, _ ("holds records, not plain numbers"));
  if (strlen (text) < 3 || !strchr ("<>|=", text[0]))
    return tosst_fail_input (error, name, _ ("holds numbers of the unknown type “%s”"), text);
  header->swap = text[0] == '>';
  header->kind = text[1];
  header->size = (int)g_ascii_strtoll (text + 2, NULL, 10);
  gboolean known = (header->kind == 'f' && (header->size == 2 || header->size == 4 || header->size == 8))
                   || ((header->kind == 'i' || header->kind == 'u')
                       && (header->size == 1 || header->size == 2 || header->size == 4 || header->size == 8))
                   || (header->kind == 'b' && header->size == 1);
  if (!known)
    return tosst_fail_input (error, name, _ ("holds “%s” where real numbers are needed"), text);
  return TRUE;
}

/* error must not be NULL. */
static gboolean
parse_dictionary (Cursor *c, TosstNpyHeader *header, const char *name, GError **error)
{
  guint seen = 0;

  if (!take (c, '{'))
    return tosst_fail_input (error, name, _ ("has a damaged .npy header"));
  while (!take (c, '}'))
    {
      char key[32] = "";

      if (!take_string (c, key, sizeof key) || !take (c, ':'))
        return tosst_fail_input (error, name, _ ("has a damaged .npy header"));
      if (g_str_equal (key, "descr") && take_type (c, header, name, error))
        seen |= 1;
      else if (g_str_equal (key, "shape") && take_shape (c, header, name, error))
        seen |= 2;
      else if (g_str_equal (key, "fortran_order")
               && ((header->fortran = take_word (c, "True")) || take_word (c, "False")))
        seen |= 4;
      else
        return *error ? FALSE : tosst_fail_input (error, name, _ ("has a damaged .npy header"));
      take (c, ',');
    }
  return seen == 7 || tosst_fail_input (error, name, _ ("has a damaged .npy header"));
}

/* Parses the header. Returns the offset of the numbers; 0 on error. data may end there. error must not be NULL. */
static gsize
tosst_npy_parse_header (const guint8 *data, gsize size, const char *name, TosstNpyHeader *header, GError **error)
{
  if (size < 10 || memcmp (data, "\x93NUMPY", 6) != 0)
    return tosst_fail_input (error, name, size < 10 ? _ ("is truncated or not a .npy file") : _ ("is not a .npy file")),
           0;
  if (data[6] < 1 || data[6] > 3)
    return tosst_fail_input (error, name, _ ("has the unknown .npy version %d"), data[6]), 0;
  gsize start = data[6] == 1 ? 10 : 12;
  gsize length = data[8] | (gsize)data[9] << 8;
  if (data[6] > 1 && size >= 12)
    length |= (gsize)data[10] << 16 | (gsize)data[11] << 24;
  if (size < start || length > size - start)
    return tosst_fail_input (error, name, _ ("is truncated within its header")), 0;
  Cursor cursor = (Cursor){ (const char *)data + start, (const char *)data + start + length };
  return parse_dictionary (&cursor, header, name, error) ? start + length : 0;
}

static double
half_to_double (guint16 bits)
{
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double sign = bits >> 15 ? -1 : 1;

  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp (1024 + mantissa, exponent - 25) : ldexp (mantissa, -24));
}

static double
number_at (const guint8 *p, const TosstNpyHeader *header)
{
  guint8 bytes[8];
  union
  {
    guint16 u2;
    guint32 u4;
    guint64 u8;
    gint16 i2;
    gint32 i4;
    gint64 i8;
    float f4;
    double f8;
  } v;

  for (int i = 0; i < header->size; i++)
    bytes[i] = p[header->swap ? header->size - 1 - i : i];
  v.u8 = 0;
  memcpy (&v, bytes, header->size);
  if (header->kind == 'f')
    return header->size == 8 ? v.f8 : header->size == 4 ? v.f4 : half_to_double (v.u2);
  if (header->kind == 'i')
    return header->size == 8 ? v.i8 : header->size == 4 ? v.i4 : header->size == 2 ? v.i2 : (gint8)bytes[0];
  return header->size == 8 ? v.u8 : header->size == 4 ? v.u4 : header->size == 2 ? v.u2 : bytes[0];
}

/* Position in C order of element number i in Fortran order. */
static gsize
c_position (const TosstNpyHeader *header, gsize i)
{
  gsize index[4] = { 0 }, position = 0;

  for (int k = 0; k < header->ndim; k++)
    {
      index[k] = i % header->shape[k];
      i /= header->shape[k];
    }
  for (int k = 0; k < header->ndim; k++)
    position = position * header->shape[k] + index[k];
  return position;
}

/* Whether the numbers have the same representation in the file and in the array. */
static gboolean
tosst_npy_is_native (const TosstNpyHeader *header)
{
  return header->kind == 'f' && header->size >= 4 && !header->swap && !header->fortran;
}

/* Converts n numbers of the file, starting with number from, and stores them in the array. */
static void
tosst_npy_fill (TosstNpy *self, const TosstNpyHeader *header, const guint8 *numbers, gsize from, gsize n)
{
  if (tosst_npy_is_native (header))
    {
      if (n > 0)
        memcpy ((char *)self->data + from * header->size, numbers, n * header->size);
      return;
    }
  for (gsize i = from; i < from + n; i++)
    {
      gsize to = header->fortran ? c_position (header, i) : i;
      double value = number_at (numbers + (i - from) * header->size, header);

      if (self->type == TOSST_NPY_FLOAT32)
        ((float *)self->data)[to] = (float)value;
      else
        ((double *)self->data)[to] = value;
    }
}

static gboolean
tosst_npy_check_finite (const TosstNpy *self, gsize first_row, const char *name, GError **error)
{
  gsize per_row = self->ndim && self->shape[0] ? self->count / self->shape[0] : 1;

  for (gsize i = 0; i < self->count; i++)
    {
      double value = self->type == TOSST_NPY_FLOAT32 ? ((const float *)self->data)[i] : ((const double *)self->data)[i];

      if (!isfinite (value))
        return tosst_fail_input (error, name, isnan (value) ? _ ("has NaN in row %zu") : _ ("has infinity in row %zu"),
                                 first_row + i / per_row);
    }
  return TRUE;
}

/* Whether the available bytes match the shape. */
static gboolean
tosst_npy_check_length (const TosstNpyHeader *header, gsize available, const char *name, GError **error)
{
  gsize bytes = header->size;

  for (int k = 0; k < header->ndim; k++)
    if (!g_size_checked_mul (&bytes, bytes, header->shape[k]))
      return tosst_fail_input (error, name, _ ("has a shape that exceeds any memory"));
  if (bytes > available)
    return tosst_fail_input (error, name, _ ("is truncated: it has %zu bytes of data, but its shape needs %zu"),
                             available, bytes);
  if (bytes < available)
    return tosst_fail_input (error, name, _ ("has %zu bytes more than its shape needs"), available - bytes);
  return TRUE;
}

/* A new array of zeros for the numbers; NULL with error if memory is short. */
static TosstNpy *
tosst_npy_new_for_header (const TosstNpyHeader *header, const char *name, GError **error)
{
  TosstNpyType type = header->kind == 'f' && header->size == 4 ? TOSST_NPY_FLOAT32 : TOSST_NPY_FLOAT64;
  TosstNpy *self = tosst_npy_new (type, header->ndim, header->shape);

  if (!self)
    g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), name);
  return self;
}

/* Converts all numbers to a new array; rejects NaN and infinity, with rows counted from first_row. */
static TosstNpy *
tosst_npy_convert (const TosstNpyHeader *header, const guint8 *numbers, gsize first_row, const char *name,
                   GError **error)
{
  g_autoptr (TosstNpy) self = tosst_npy_new_for_header (header, name, error);

  if (!self)
    return NULL;
  tosst_npy_fill (self, header, numbers, 0, self->count);
  return tosst_npy_check_finite (self, first_row, name, error) ? g_steal_pointer (&self) : NULL;
}

TosstNpy *
tosst_npy_parse (const guint8 *data, gsize size, const char *name, GError **error)
{
  TosstNpyHeader header = { 0 };
  GError *cause = NULL;
  gsize start = tosst_npy_parse_header (data, size, name, &header, &cause);

  if (start == 0 || !tosst_npy_check_length (&header, size - start, name, &cause))
    return tosst_pass_error (error, &cause), NULL;
  return tosst_npy_convert (&header, data + start, 0, name, error);
}

/* Maximum length of a header. */
#define MAX_HEADER 65536

/* Numbers converted per block. */
#define PIECE 65536

struct TosstNpyRows
{
  char *name; /* for messages */
  int fd;
  TosstNpyHeader header;
  gsize start, row_bytes;
};

static gboolean
read_header (TosstNpyRows *self, gsize size, GError **error)
{
  gsize length = MIN (size, MAX_HEADER);
  g_autofree guint8 *data = g_malloc (length + 1);

  if (!tosst_input_read_at (self->fd, self->name, data, 0, length, error))
    return FALSE;
  self->start = tosst_npy_parse_header (data, length, self->name, &self->header, error);
  return self->start > 0 && tosst_npy_check_length (&self->header, size - self->start, self->name, error);
}

static TosstNpyRows *
open_any (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = g_new0 (TosstNpyRows, 1);
  GError *cause = NULL;
  gsize size;

  self->name = g_file_get_parse_name (file);
  self->fd = tosst_input_open (file, &size, &cause);
  if (self->fd >= 0 && read_header (self, size, &cause))
    return g_steal_pointer (&self);
  return tosst_pass_error (error, &cause), NULL;
}

static gboolean
check_rows (TosstNpyRows *self, GError **error)
{
  gsize bytes = (gsize)self->header.size;

  if (self->header.ndim < 1)
    return tosst_fail_input (error, self->name, _ ("has no rows"));
  if (self->header.fortran)
    return tosst_fail_input (error, self->name,
                             _ ("is in Fortran order and cannot be read row by row; save it in C order"));
  for (int k = 1; k < self->header.ndim; k++)
    bytes *= self->header.shape[k];
  self->row_bytes = self->header.shape[0] ? bytes : 0;
  return TRUE;
}

TosstNpyRows *
tosst_npy_rows_open (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = open_any (file, error);

  return self && check_rows (self, error) ? g_steal_pointer (&self) : NULL;
}

/* The file as an array without a copy; NULL if it is small, has another representation or cannot be mapped. */
static TosstNpy *
map_array (const TosstNpyRows *self)
{
  const TosstNpyHeader *header = &self->header;
  gsize size = (gsize)header->size, count = 1;

  for (int k = 0; k < header->ndim; k++)
    count *= header->shape[k];
  if (!tosst_npy_is_native (header) || count * size < TOSST_NPY_MAPPED || self->start % size != 0)
    return NULL;
  gpointer mapping
      = mmap (NULL, self->start + count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, self->fd, 0);
  if (mapping == MAP_FAILED)
    return NULL;
  TosstNpy *array = g_new0 (TosstNpy, 1);
  *array = (TosstNpy){ .type = size == sizeof (float) ? TOSST_NPY_FLOAT32 : TOSST_NPY_FLOAT64,
                       .ndim = header->ndim,
                       .count = count,
                       .data = (char *)mapping + self->start,
                       .mapping = mapping,
                       .mapped = self->start + count * size };
  for (int k = 0; k < header->ndim; k++)
    array->shape[k] = header->shape[k];
  return array;
}

/* Reads the numbers into a new array. */
static TosstNpy *
read_array (const TosstNpyRows *self, GError **error)
{
  g_autoptr (TosstNpy) array = tosst_npy_new_for_header (&self->header, self->name, error);

  if (!array)
    return NULL;
  /* Reads directly into the array if the representations are equal, else in blocks, which avoids a second copy of a
   * large file. */
  gsize size = (gsize)self->header.size, most = tosst_npy_is_native (&self->header) ? MAX (array->count, 1) : PIECE;
  g_autofree guint8 *piece = tosst_npy_is_native (&self->header) ? NULL : g_malloc (PIECE * size);

  for (gsize from = 0, n; from < array->count; from += n)
    {
      n = MIN (most, array->count - from);
      if (!tosst_input_read_at (self->fd, self->name, piece ? piece : array->data, self->start + from * size, n * size,
                                error))
        return NULL;
      if (piece)
        tosst_npy_fill (array, &self->header, piece, from, n);
    }
  return g_steal_pointer (&array);
}

TosstNpy *
tosst_npy_read (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = open_any (file, error);
  g_autoptr (TosstNpy) array = self ? map_array (self) : NULL;

  if (self && !array)
    array = read_array (self, error);
  if (!array || !tosst_npy_check_finite (array, 0, self->name, error))
    return NULL;
  return g_steal_pointer (&array);
}

void
tosst_npy_rows_free (TosstNpyRows *self)
{
  if (!self)
    return;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->name);
  g_free (self);
}

gsize
tosst_npy_rows_count (const TosstNpyRows *self)
{
  return self->header.shape[0];
}

TosstNpy *
tosst_npy_rows_read (TosstNpyRows *self, gsize first, gsize count, GError **error)
{
  TosstNpyHeader part = self->header;
  g_autofree guint8 *bytes = g_try_malloc (MAX (count * self->row_bytes, 1));

  if (!bytes)
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), self->name), NULL;
  if (!tosst_input_read_at (self->fd, self->name, bytes, self->start + first * self->row_bytes, count * self->row_bytes,
                            error))
    return NULL;
  part.shape[0] = count;
  return tosst_npy_convert (&part, bytes, first, self->name, error);
}

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "numbers are written as they stand in memory, which must be little-endian"
#endif

struct TosstNpyWriter
{
  TosstAtomicFile *file;
  GFile *place;
  char *name;
  gsize row_bytes, rows, written;
};

/* Version 1.0, padded so that the numbers start at a multiple of 64 bytes. */
static GByteArray *
make_header (TosstNpyType type, int ndim, const gsize *shape)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GByteArray *header = g_byte_array_new ();
  guint8 length[2];

  g_string_printf (text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                   type == TOSST_NPY_FLOAT32 ? "<f4" : "<f8");
  for (int i = 0; i < ndim; i++)
    g_string_append_printf (text,
                            ndim == 1 ? "%" G_GSIZE_FORMAT ","
                            : i       ? ", %" G_GSIZE_FORMAT
                                      : "%" G_GSIZE_FORMAT,
                            shape[i]);
  g_string_append (text, "), }");
  while ((10 + text->len + 1) % 64)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  length[0] = text->len & 255;
  length[1] = text->len >> 8;
  g_byte_array_append (header, (const guint8 *)"\x93NUMPY\x01\x00", 8);
  g_byte_array_append (header, length, 2);
  g_byte_array_append (header, (const guint8 *)text->str, text->len);
  return header;
}

GBytes *
tosst_npy_serialise (const TosstNpy *self)
{
  GByteArray *bytes = make_header (self->type, self->ndim, self->shape);
  gsize start = bytes->len, size = self->count * size_of (self->type);
  guint8 *whole = g_malloc (start + size);

  memcpy (whole, bytes->data, start);
  if (size)
    memcpy (whole + start, self->data, size);
  g_byte_array_unref (bytes);
  return g_bytes_new_take (whole, start + size);
}

gboolean
tosst_npy_write (const TosstNpy *self, GFile *file, GError **error)
{
  g_autoptr (TosstAtomicFile) out = tosst_atomic_file_open (file, error);
  g_autoptr (GByteArray) header = make_header (self->type, self->ndim, self->shape);

  return out && tosst_atomic_file_write (out, header->data, header->len, error)
         && tosst_atomic_file_write (out, self->data, self->count * size_of (self->type), error)
         && tosst_atomic_file_commit (out, error);
}

TosstNpyWriter *
tosst_npy_writer_new (GFile *file, TosstNpyType type, int ndim, const gsize *shape, GError **error)
{
  g_autoptr (GByteArray) header = make_header (type, ndim, shape);
  TosstNpyWriter *self = g_new0 (TosstNpyWriter, 1);

  self->place = g_object_ref (file);
  self->name = g_file_get_parse_name (file);
  self->row_bytes = size_of (type);
  for (int i = 1; i < ndim; i++)
    self->row_bytes *= shape[i];
  self->rows = shape[0];
  self->file = tosst_atomic_file_open (file, error);
  if (!self->file || !tosst_atomic_file_write (self->file, header->data, header->len, error))
    g_clear_pointer (&self, tosst_npy_writer_free);
  return self;
}

gboolean
tosst_npy_writer_rows (TosstNpyWriter *self, gconstpointer rows, gsize n, GError **error)
{
  if (!tosst_atomic_file_write (self->file, rows, n * self->row_bytes, error))
    return FALSE;
  self->written += n;
  return TRUE;
}

static gboolean
check_written (TosstNpyWriter *self, GError **error)
{
  if (self->written == self->rows)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s was not written: %zu of %zu rows were computed"), self->name,
                     self->written, self->rows);
}

gboolean
tosst_npy_writer_finish (TosstNpyWriter *self, GError **error)
{
  return check_written (self, error) && tosst_atomic_file_commit (self->file, error);
}

gboolean
tosst_npy_writer_keep (TosstNpyWriter *self, GError **error)
{
  return check_written (self, error) && tosst_atomic_file_keep (self->file, self->place, error);
}

TOSST_DEFINE_PUBLIC_FREE (TosstNpyWriter, tosst_npy_writer_free, TosstNpyWriter *, (file, tosst_atomic_file_free),
                          (place, g_object_unref), (name, g_free))

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

TOSST_DEFINE_FREE (Member, member_free, (name, g_free), (bytes, g_bytes_unref), (array, tosst_npy_free))

TosstNpz *
tosst_npz_new (void)
{
  TosstNpz *self = g_new0 (TosstNpz, 1);

  self->members = g_ptr_array_new_with_free_func (member_free);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstNpz, tosst_npz_free, TosstNpz *, (members, g_ptr_array_unref))

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
  TOSST_FOR_EACH_POINTER (Member, member, self->members)
    if (strcmp (member->name, name) == 0)
      return member;
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
  gsize size;

  if (!member->array)
    {
      gconstpointer bytes = g_bytes_get_data (member->bytes, &size);

      return zip_source_buffer (zip, bytes, size, 0);
    }
  gpointer data = g_bytes_unref_to_data (tosst_npy_serialise (member->array), &size);
  zip_source_t *source = zip_source_buffer (zip, data, size, 1);
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

  if (zip_source_stat (source, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE) || zip_source_open (source) != 0)
    return NULL;
  guint8 *data = g_try_malloc (MAX (stat.size, 1));
  zip_int64_t n = data ? zip_source_read (source, data, stat.size) : -1;
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
  zip_t *zip = NULL;
  GBytes *bytes = NULL;

  zip_error_init (&cause);
  zip_source_t *source = zip_source_buffer_create (NULL, 0, 0, &cause);
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

typedef struct
{
  TosstNpz *npz;
  zip_t *zip;
  const char *name; /* of the file */
  guint64 left;     /* remaining bytes of memory for members */
} Reading;

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
    return tosst_pass_error (error, &cause);
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
  Member *member = add_member (self->npz, g_strdup (stat->name));
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

  if (zip_stat_index (self->zip, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME)
      || !(stat.valid & ZIP_STAT_SIZE))
    return fail_member (self->name, "?", _ ("has no size"), error);
  zip_file_t *open = zip_fopen_index (self->zip, index, 0);
  if (!open)
    return fail_member (self->name, stat.name, _ ("cannot be unpacked"), error);
  gboolean ok = read_open_member (self, open, &stat, error);
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
  /* At most a quarter of the machine's memory. */
  const guint64 memory = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE) / 4;
  Reading self = { npz, NULL, name, MIN (memory, MAX (g_bytes_get_size (bytes) * (guint64)MAX_TIMES, EVER)) };
  zip_error_t why;

  zip_error_init (&why);
  zip_source_t *source = zip_source_buffer_create (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 0, &why);
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
  gboolean ok = read_members (&self, members, error);
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
