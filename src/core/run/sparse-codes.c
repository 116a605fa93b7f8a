/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sparse storage of codes: about 20 of 200 numbers of a code are not zero.
 */
#include "config.h"

#include "core/run/sparse-codes.h"

#include <string.h>

typedef struct
{
  guint32 column;
  float value;
} Entry;

struct TosstCodes
{
  gsize length;
  GArray *end;     /* gsize: end of each row in entries */
  GArray *entries; /* Entry */
};

TosstCodes *
tosst_codes_new (gsize length)
{
  TosstCodes *self = g_new (TosstCodes, 1);

  self->length = length;
  self->end = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  return self;
}

void
tosst_codes_free (TosstCodes *self)
{
  if (!self)
    return;
  g_array_unref (self->end);
  g_array_unref (self->entries);
  g_free (self);
}

void
tosst_codes_append (TosstCodes *self, const float *rows, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      const float *row = rows + i * self->length;
      guint start = self->entries->len, count = 0;
      Entry *entry;

      /* Allocates the maximum first: a test and a store per number are faster than an append per non-zero. */
      g_array_set_size (self->entries, start + (guint)self->length);
      entry = &g_array_index (self->entries, Entry, start);
      for (gsize k = 0; k < self->length; k++)
        {
          guint32 bits;

          entry[count] = (Entry){ (guint32)k, row[k] };
          memcpy (&bits, row + k, sizeof bits);
          count += bits != 0;
        }
      g_array_set_size (self->entries, start + count);
      gsize end = self->entries->len;
      g_array_append_val (self->end, end);
    }
}

static gsize
start_of (const TosstCodes *self, gsize row)
{
  return row > 0 ? g_array_index (self->end, gsize, row - 1) : 0;
}

void
tosst_codes_expand (const TosstCodes *self, gsize first, gsize n, float *rows)
{
  memset (rows, 0, sizeof *rows * n * self->length);
  for (gsize i = 0; i < n; i++)
    for (gsize e = start_of (self, first + i); e < g_array_index (self->end, gsize, first + i); e++)
      {
        const Entry *entry = &g_array_index (self->entries, Entry, e);

        rows[i * self->length + entry->column] = entry->value;
      }
}

gsize
tosst_codes_rows (const TosstCodes *self)
{
  return self->end->len;
}

gsize
tosst_codes_bytes (const TosstCodes *self)
{
  return self->end->len * sizeof (gsize) + self->entries->len * sizeof (Entry);
}

GBytes *
tosst_codes_to_bytes (const TosstCodes *self)
{
  GByteArray *bytes = g_byte_array_sized_new ((guint)(tosst_codes_bytes (self) + 16));
  guint64 rows = self->end->len;

  g_byte_array_append (bytes, (const guint8 *)&rows, sizeof rows);
  g_byte_array_append (bytes, (const guint8 *)self->end->data, (guint)(rows * sizeof (gsize)));
  g_byte_array_append (bytes, (const guint8 *)self->entries->data, (guint)(self->entries->len * sizeof (Entry)));
  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
is_sound (const TosstCodes *self)
{
  gsize before = 0;

  for (guint i = 0; i < self->end->len; i++)
    {
      gsize end = g_array_index (self->end, gsize, i);

      if (end < before || end > self->entries->len)
        return FALSE;
      before = end;
    }
  for (guint e = 0; e < self->entries->len; e++)
    if (g_array_index (self->entries, Entry, e).column >= self->length)
      return FALSE;
  return before == self->entries->len;
}

TosstCodes *
tosst_codes_from_bytes (gconstpointer data, gsize size, gsize length)
{
  g_autoptr (TosstCodes) self = tosst_codes_new (length);
  const char *at = data;
  guint64 rows;

  if (size < sizeof rows)
    return NULL;
  memcpy (&rows, at, sizeof rows);
  size -= sizeof rows;
  at += sizeof rows;
  if (rows > size / sizeof (gsize) || (size - rows * sizeof (gsize)) % sizeof (Entry) != 0)
    return NULL;
  g_array_append_vals (self->end, at, (guint)rows);
  g_array_append_vals (self->entries, at + rows * sizeof (gsize),
                       (guint)((size - rows * sizeof (gsize)) / sizeof (Entry)));
  return is_sound (self) ? g_steal_pointer (&self) : NULL;
}
