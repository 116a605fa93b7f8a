/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/learn-input.h"

#include <string.h>

#include <glib/gi18n.h>

#include "cli/ranks.h"
#include "cli/tensors.h"
#include "core/base/error.h"
#include "core/format/tensor-array.h"
#include "core/image/probe.h"

/* Operands that messages repeat. */
#define MAX_NAMED 4

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

static gboolean
open_images (CliLearnInput *self, CliCall *call, TosstRecipe *recipe, GError **error)
{
  if (recipe->dictionary.minibatch > 0)
    return tosst_fail (error, TOSST_FAILED_RECIPE, "%s: %s", cli_call_operand (call, 0),
                       _ ("dictionary.minibatch needs a file of tensors: write one with tosst describe"));
  if (!tosst_recipe_is_local (recipe) && !tosst_recipe_has_patches (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("descriptor.kind describes images by vectors, from which no dictionary is learned"));
  self->describer = cli_describer_new (call, recipe, NULL, NULL, error);
  if (!self->describer)
    return FALSE;
  self->n = MIN (self->describer->total, (gsize)recipe->dictionary.sample);
  if (self->n < self->describer->total)
    self->number = cli_draw_numbers (self->describer->total, self->n, recipe->dictionary.seed);

  /* As tensors are read from a file. */
  self->shape = tosst_shape (self->describer->matrices && self->describer->d > 1 ? TOSST_SHAPE_SYMMETRIC
                                                                                 : TOSST_SHAPE_SUPER_SYMMETRIC,
                             self->describer->d);
  return TRUE;
}

static gboolean
check_operands (CliCall *call, GError **error)
{
  for (guint i = cli_call_operands (call); i-- > 0 && cli_call_operands (call) > 1;)
    if (g_str_has_suffix (cli_call_operand (call, i), ".npy"))
      return cli_usage_error (error, _ ("unexpected %s: give one file of tensors, or images"),
                              cli_call_operand (call, i));
  return TRUE;
}

/* Several files, a folder, and a file that is an image or has features of one. */
static gboolean
has_images (CliCall *call, const TosstRecipe *recipe)
{
  const char *path = cli_call_operand (call, 0);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  TosstImageProbe probe;

  return cli_call_operands (call) > 1 || g_file_test (path, G_FILE_TEST_IS_DIR)
         || (!g_str_has_suffix (path, ".npy")
             && (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES || tosst_image_probe (file, &probe, NULL)));
}

static char *
name_operands (CliCall *call)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  for (guint i = 0; i < cli_call_operands (call); i++)
    g_strv_builder_add (names, cli_call_operand (call, i));
  list = g_strv_builder_end (names);
  return g_strv_length (list) <= MAX_NAMED ? g_strjoinv (" ", list) : g_strdup ("IMAGE...");
}

CliLearnInput *
cli_learn_input_open (CliCall *call, TosstRecipe *recipe, gboolean in_blocks, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (cli_call_operand (call, 0));
  g_autoptr (CliLearnInput) self = g_new0 (CliLearnInput, 1);

  if (!check_operands (call, error))
    return NULL;
  self->name = name_operands (call);
  if (has_images (call, recipe))
    {
      if (!open_images (self, call, recipe, error))
        return NULL;
    }
  else if (!(in_blocks || recipe->dictionary.minibatch > 0 ? open_rows : open_array) (self, file, recipe, error))
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
  cli_describer_free (self->describer);
  tosst_npy_free (self->array);
  tosst_npy_rows_free (self->rows);
  g_clear_pointer (&self->checksum, g_checksum_free);
  g_clear_error (&self->error);
  g_free (self->number);
  g_free (self->name);
  g_free (self);
}

gboolean
cli_learn_input_describe (CliLearnInput *self, CliCall *call, GError **error)
{
  gsize first, n = cli_ranks_share (self->n, &first);

  if (!self->describer)
    return TRUE;
  self->array = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[2]){ n, self->describer->m });
  if (!self->array)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("learning the dictionary"), error);

  /* As of a file of matrices, for the fingerprint. */
  if (self->describer->matrices)
    self->array->shape[2] = (gsize)self->describer->d;
  return cli_describer_find_components (self->describer, call, error)
         && cli_describer_rows (self->describer, call, self->number, first, n, self->array->data, error);
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
    return self->array->shape[0] == self->n ? cli_fingerprint (self->array) : NULL;
  return self->hashed == self->n ? cli_fingerprint_text (self->checksum) : NULL;
}
