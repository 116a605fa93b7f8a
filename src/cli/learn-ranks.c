/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/learn-ranks.h"

#include <glib/gi18n.h>
#include <string.h>

#include "cli/ranks.h"
#include "cli/tensors.h"
#include "core/base/error.h"

/* Bytes read at a time, and length of a fingerprint with its end. */
#define READ_BYTES ((gsize)64 << 20)
#define FINGERPRINT 17
/* Codes expanded at a time. */
#define ROWS ((gsize)256)

/* out: count rows, or NULL to read and forget them. */
static gboolean
read_rows (CliLearnInput *input, gsize first, gsize count, float *out)
{
  TosstStream stream = cli_learn_input_stream (input);
  gsize m = tosst_shape_numbers (input->shape), piece = READ_BYTES / (m * sizeof *out) + 1;
  g_autofree float *scratch = out ? NULL : g_new (float, MIN (piece, MAX (count, 1)) * m);

  for (gsize i = 0; i < count; i += piece)
    if (stream.read (first + i, MIN (piece, count - i), out ? out + i * m : scratch, stream.user_data) != TOSST_OK)
      return FALSE;
  return TRUE;
}

float *
cli_learn_ranks_read (CliLearnInput *input, gsize *n)
{
  gsize first;
  g_autofree float *rows = NULL;

  if (input->describer)
    {
      *n = input->array->shape[0];
      return g_steal_pointer (&input->array->data);
    }
  *n = cli_ranks_share (input->n, &first);
  rows = g_try_malloc_n (MAX (*n, 1), sizeof *rows * tosst_shape_numbers (input->shape));
  if (!rows)
    {
      tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("learning the dictionary"), &input->error);
      return NULL;
    }
  return read_rows (input, first, *n, rows) ? g_steal_pointer (&rows) : NULL;
}

/* The tensors of images of all ranks, one rank after the other, pass through rank 0. */
static char *
fingerprint_described (CliLearnInput *input)
{
  TosstRanks *ranks = cli_ranks ();
  const TosstNpy *own = input->array;
  gsize bytes = sizeof (float) * own->shape[1], rows = READ_BYTES / bytes + 1;
  TosstNpy whole = *own;
  g_autoptr (GChecksum) checksum = NULL;

  whole.shape[0] = input->n;
  checksum = cli_fingerprint_start (&whole);
  tosst_ranks_start (ranks);
  for (int r = 0; r < ranks->size; r++)
    {
      gsize total = input->n * (gsize)(r + 1) / (gsize)ranks->size - input->n * (gsize)r / (gsize)ranks->size;

      for (gsize i = 0, n; i < total; i += n)
        {
          n = MIN (rows, total - i);
          g_autoptr (GBytes) piece = r == ranks->rank
                                         ? g_bytes_new_static ((const char *)own->data + i * bytes, n * bytes)
                                         : g_bytes_new (NULL, 0);
          TosstStatus status;
          g_autoptr (GPtrArray) parts = tosst_processes_collect (ranks, piece, &status);

          if (status != TOSST_OK)
            return NULL;
          if (!parts)
            continue;
          TosstNpy part = { .type = TOSST_NPY_FLOAT32, .count = n * own->shape[1] };

          part.data = (gpointer)g_bytes_get_data (g_ptr_array_index (parts, r), NULL);
          cli_fingerprint_add (checksum, &part);
        }
    }
  return cli_fingerprint_text (checksum);
}

char *
cli_learn_ranks_fingerprint (CliLearnInput *input)
{
  if (input->describer)
    return fingerprint_described (input);

  TosstRanks *ranks = cli_ranks ();
  char text[FINGERPRINT] = "";
  TosstStatus status = TOSST_OK;

  tosst_ranks_start (ranks);
  if (ranks->rank == 0)
    {
      g_autofree char *own = NULL;

      if (read_rows (input, input->hashed, input->n - input->hashed, NULL))
        own = cli_learn_input_fingerprint (input);
      if (own)
        g_strlcpy (text, own, sizeof text);
      else
        status = TOSST_ERROR_ARGUMENT;
    }
  return tosst_ranks_broadcast (ranks, status, 0, text, sizeof text) == TOSST_OK ? g_strdup (text) : NULL;
}

static gboolean
append (TosstCodes *all, GBytes *bytes, gsize K)
{
  g_autofree float *rows = g_new (float, ROWS *K);
  g_autoptr (TosstCodes) part = NULL;

  if (g_bytes_get_size (bytes) > 0)
    part = tosst_codes_from_bytes (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), K);
  for (gsize i = 0; part && i < tosst_codes_rows (part); i += ROWS)
    {
      gsize n = MIN (ROWS, tosst_codes_rows (part) - i);

      tosst_codes_expand (part, i, n, rows);
      tosst_codes_append (all, rows, n);
    }
  return part != NULL;
}

TosstCheckpoint *
cli_learn_ranks_collect (const TosstCheckpoint *own)
{
  TosstStatus status;
  g_autoptr (GBytes) bytes = own && own->codes ? tosst_codes_to_bytes (own->codes) : g_bytes_new (NULL, 0);
  g_autoptr (GPtrArray) parts = tosst_processes_collect (cli_ranks (), bytes, &status);
  g_autoptr (TosstCheckpoint) all = NULL;

  if (!parts || !own)
    return NULL;
  all = g_new0 (TosstCheckpoint, 1);
  *all = (TosstCheckpoint){ .dictionary = tosst_dictionary_copy (own->dictionary),
                            .trace = g_array_ref (own->trace),
                            .done = own->done,
                            .objective = own->objective,
                            .seconds = own->seconds };
  all->codes = tosst_codes_new ((gsize)own->dictionary->K);
  for (guint r = 0; r < parts->len; r++)
    if (!append (all->codes, g_ptr_array_index (parts, r), (gsize)own->dictionary->K))
      return NULL;
  return all->dictionary ? g_steal_pointer (&all) : NULL;
}
