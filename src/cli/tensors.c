/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <string.h>

#include "cli/tensors.h"
#include "tosst/context.h"

/* Random stream of a seed for drawing rows from a file. */
#define STREAM_ROWS 0x726f7773

const float *
cli_rows_float (const TosstNpy *array, gsize from, gsize n, float **owned)
{
  gsize m = array->shape[1];
  const double *values = (const double *)array->data + from * m;

  *owned = NULL;
  if (array->type == TOSST_NPY_FLOAT32)
    return (const float *)array->data + from * m;
  *owned = g_new (float, n *m);
  for (gsize i = 0; i < n * m; i++)
    (*owned)[i] = (float)values[i];
  return *owned;
}

const double *
cli_rows_double (const TosstNpy *array, gsize from, gsize n, double **owned)
{
  gsize m = array->shape[1];
  const float *values = (const float *)array->data + from * m;

  *owned = NULL;
  if (array->type == TOSST_NPY_FLOAT64)
    return (const double *)array->data + from * m;
  *owned = g_new (double, n *m);
  for (gsize i = 0; i < n * m; i++)
    (*owned)[i] = values[i];
  return *owned;
}

/* Each row is kept with probability wanted / left, which draws all subsets with equal probability (Knuth's algorithm
 * S). */
gsize *
cli_draw_numbers (gsize rows, gsize count, guint64 seed)
{
  gsize *number = g_new (gsize, MAX (count, 1)), kept = 0;
  TosstRandom random;

  tosst_random_init (&random, seed, STREAM_ROWS);
  for (gsize i = 0; i < rows && kept < count; i++)
    if (tosst_random_below (&random, rows - i) < count - kept)
      number[kept++] = i;
  return number;
}

void
cli_draw_rows (TosstNpy *array, gsize count, guint64 seed)
{
  gsize rows = array->shape[0], bytes = array->shape[1] * (array->type == TOSST_NPY_FLOAT32 ? 4 : 8);
  char *data = array->data;

  if (count >= rows)
    return;
  g_autofree gsize *number = cli_draw_numbers (rows, count, seed);
  for (gsize i = 0; i < count; i++)
    memmove (data + i * bytes, data + number[i] * bytes, bytes);
  array->shape[0] = count;
  array->count = count * array->shape[1];
}

GChecksum *
cli_fingerprint_start (const TosstNpy *array)
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);

  g_checksum_update (checksum, (const guint8 *)array->shape, sizeof array->shape);
  return checksum;
}

void
cli_fingerprint_add (GChecksum *checksum, const TosstNpy *piece)
{
  const guint8 *data = piece->data;
  gsize size = piece->count * (piece->type == TOSST_NPY_FLOAT32 ? 4 : 8);

  /* GChecksum uses gssize lengths. */
  for (gsize done = 0; done < size; done += MIN (size - done, 1 << 30))
    g_checksum_update (checksum, data + done, MIN (size - done, 1 << 30));
}

char *
cli_fingerprint_text (GChecksum *checksum)
{
  return g_strndup (g_checksum_get_string (checksum), 16);
}

char *
cli_fingerprint (const TosstNpy *array)
{
  g_autoptr (GChecksum) checksum = cli_fingerprint_start (array);

  cli_fingerprint_add (checksum, array);
  return cli_fingerprint_text (checksum);
}
