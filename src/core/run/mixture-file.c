/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The principal components and the mixture of a split, which an interrupted run and one of another classifier do not learn
 * again. They are kept on the disk, as local features are.
 */
#include "config.h"

#include <string.h>

#include "core/base/disk-cache.h"
#include "core/run/private.h"

static char *
find_key (const TosstRun *self, int split)
{
  g_autofree char *hash = tosst_run_part_hash (self->recipe, tosst_dataset_key (self->dataset), TOSST_PART_CODES);
  g_autofree char *text = g_strdup_printf ("mixture=%s\nsplit=%d", hash, split);

  return tosst_disk_cache_key (text);
}

/* Numbers in a row. */
typedef struct
{
  double *at;
  gsize n;
} Numbers;

#define PIECES 6

/* All numbers, in the order of the file; returns how many. */
static gsize
list_numbers (const TosstPca *pca, const TosstMixture *mixture, Numbers piece[PIECES])
{
  gsize K = (gsize)mixture->K, d = (gsize)mixture->D, D = pca != NULL ? (gsize)pca->D : 0, all = 0;

  piece[0] = (Numbers){ mixture->weights, K };
  piece[1] = (Numbers){ mixture->means, K * d };
  piece[2] = (Numbers){ mixture->variances, K * d };
  piece[3] = (Numbers){ pca != NULL ? pca->mean : NULL, D };
  piece[4] = (Numbers){ pca != NULL ? pca->values : NULL, D };
  piece[5] = (Numbers){ pca != NULL ? pca->basis : NULL, pca != NULL ? D * (gsize)pca->q : 0 };
  for (int i = 0; i < PIECES; i++)
    all += piece[i].n;
  return all;
}

/* Copies the numbers from or to a row of them. */
static void
copy_numbers (const Numbers piece[PIECES], double *row, gboolean from_row)
{
  for (int i = 0; i < PIECES; row += piece[i++].n)
    if (piece[i].n > 0)
      memcpy (from_row ? piece[i].at : row, from_row ? row : piece[i].at, piece[i].n * sizeof *row);
}

void
tosst_run_save_mixture (TosstRun *self, int split, double seconds, const TosstPca *pca, const TosstMixture *mixture)
{
  /* D = 0: no components. */
  const int head[] = { pca != NULL ? pca->D : 0, pca != NULL ? pca->q : 0, mixture->D, mixture->K };
  g_autofree char *key = find_key (self, split);
  Numbers piece[PIECES];
  gsize n = list_numbers (pca, mixture, piece);
  g_autofree double *row = g_new (double, n);

  copy_numbers (piece, row, FALSE);
  tosst_disk_cache_write (key, seconds, head, sizeof head, row, n * sizeof *row);
}

gboolean
tosst_run_load_mixture (TosstRun *self, int split, TosstPca **pca, TosstMixture **mixture)
{
  g_autofree char *key = find_key (self, split);
  int head[4];
  gsize bytes;
  g_autofree double *row
      = tosst_disk_cache_read (key, 0, head, sizeof head) ? tosst_disk_cache_load (key, 1, &bytes) : NULL;
  Numbers piece[PIECES];

  *pca = row != NULL && head[0] > 0 ? tosst_pca_new (head[0], head[1]) : NULL;
  *mixture = row != NULL ? tosst_mixture_new (head[2], head[3]) : NULL;
  if (*mixture != NULL && (*pca != NULL || head[0] == 0) && list_numbers (*pca, *mixture, piece) * sizeof *row == bytes)
    {
      copy_numbers (piece, row, TRUE);
      return TRUE;
    }
  g_clear_pointer (pca, tosst_pca_free);
  g_clear_pointer (mixture, tosst_mixture_free);
  return FALSE;
}
