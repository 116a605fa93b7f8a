/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/learn-input.h"

#include <string.h>

#include "cli/tensors.h"
#include "core/base/error.h"
#include "core/format/tensor-array.h"

static gboolean
open_array (CliLearnInput *self, GFile *file, const TosstRecipe *recipe, GError **error)
{
  self->array = tosst_npy_read (file, error);
  if (!self->array || !tosst_tensor_array_prepare (self->array, self->name, &self->shape, error))
    return FALSE;
  cli_draw_rows (self->array, (gsize)recipe->dictionary.sample, recipe->dictionary.seed);
  self->n = self->array->shape[0];
  return TRUE;
}

/* All rows have the shape of the first one. */
static gboolean
open_rows (CliLearnInput *self, GFile *file, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstNpy) first = NULL;
  gsize count;

  self->rows = tosst_npy_rows_open (file, error);
  if (!self->rows)
    return FALSE;
  count = tosst_npy_rows_count (self->rows);
  first = tosst_npy_rows_read (self->rows, 0, MIN (count, 1), error);
  if (!first || !tosst_tensor_array_prepare (first, self->name, &self->shape, error))
    return FALSE;
  self->n = MIN (count, (gsize)recipe->dictionary.sample);
  if (self->n < count)
    self->number = cli_draw_numbers (count, self->n, recipe->dictionary.seed);
  return TRUE;
}

CliLearnInput *
cli_learn_input_open (const char *path, const TosstRecipe *recipe, gboolean in_blocks, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autoptr (CliLearnInput) self = g_new0 (CliLearnInput, 1);

  self->name = g_strdup (path);
  if (!(in_blocks || recipe->dictionary.minibatch > 0 ? open_rows : open_array) (self, file, recipe, error))
    return NULL;

  /* The recipe's scheme decides whether super-symmetric tensors get atoms that are whole tensors. */
  if (recipe->dictionary.scheme == TOSST_SCHEME_FULL && self->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    self->shape.kind = TOSST_SHAPE_WHOLE;
  return g_steal_pointer (&self);
}

void
cli_learn_input_free (CliLearnInput *self)
{
  if (!self)
    return;
  tosst_npy_free (self->array);
  tosst_npy_rows_free (self->rows);
  g_clear_pointer (&self->checksum, g_checksum_free);
  g_clear_error (&self->error);
  g_free (self->number);
  g_free (self->name);
  g_free (self);
}

/* Adds tensors to the checksum if they follow the last ones in it. */
static void
hash (CliLearnInput *self, gsize first, const TosstNpy *piece)
{
  if (first != self->hashed || self->hashed == self->n)
    return;
  if (first == 0)
    {
      TosstNpy whole = *piece;

      whole.shape[0] = self->n;
      g_clear_pointer (&self->checksum, g_checksum_free);
      self->checksum = cli_fingerprint_start (&whole);
    }
  cli_fingerprint_add (self->checksum, piece);
  self->hashed += piece->shape[0];
}

/* Reads consecutive rows of the file to tensors first, first + 1 ... */
static gboolean
read_neighbours (CliLearnInput *self, gsize row, gsize first, gsize count, float *out)
{
  g_autoptr (TosstNpy) piece = tosst_npy_rows_read (self->rows, row, count, &self->error);
  g_autofree float *converted = NULL;
  TosstShape shape;

  if (!piece || !tosst_tensor_array_prepare (piece, self->name, &shape, &self->error))
    return FALSE;
  hash (self, first, piece);
  memcpy (out, cli_rows_float (piece, 0, count, &converted), sizeof *out * piece->count);
  return TRUE;
}

static TosstStatus
read_tensors (size_t first, size_t count, float *out, void *data)
{
  CliLearnInput *self = data;
  gsize m = tosst_shape_numbers (self->shape);

  for (gsize i = 0, n; i < count; i += n)
    {
      gsize row = self->number ? self->number[first + i] : first + i;

      for (n = 1; i + n < count && (!self->number || self->number[first + i + n] == row + n); n++)
        ;
      if (!read_neighbours (self, row, first + i, n, out + i * m))
        return TOSST_ERROR_ARGUMENT;
    }
  return TOSST_OK;
}

TosstStream
cli_learn_input_stream (CliLearnInput *self)
{
  return (TosstStream){ read_tensors, self, self->n };
}

char *
cli_learn_input_fingerprint (CliLearnInput *self)
{
  if (self->array)
    return cli_fingerprint (self->array);
  return self->hashed == self->n ? cli_fingerprint_text (self->checksum) : NULL;
}
