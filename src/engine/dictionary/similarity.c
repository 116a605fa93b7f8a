/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/dictionary.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/base/vector.h"

/* Columns of V divided by their norms; zero columns are kept. Returns NULL if out of memory. */
static double *
normalised (const TosstDictionary *dictionary)
{
  size_t D = dictionary->D;
  double *unit = tosst_alloc_aligned (D * dictionary->K, sizeof *unit);
  for (int k = 0; unit && k < dictionary->K; k++)
    {
      const double *from = dictionary->V + D * k;
      double norm = tosst_norm (D, from);
      for (size_t i = 0; i < D; i++)
        unit[D * k + i] = norm > 0 ? from[i] / norm : 0;
    }
  return unit;
}

TosstStatus
tosst_dictionary_similarity (const TosstDictionary *first, const TosstDictionary *second, double *similarity)
{
  if (first->D != second->D)
    return TOSST_ERROR_ARGUMENT;
  size_t n = (size_t)first->K * second->K;
  double *a = normalised (first), *b = normalised (second);
  TosstStatus status = a && b ? TOSST_OK : TOSST_ERROR_MEMORY;
  if (status == TOSST_OK)
    cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, first->K, second->K, first->D, 1, a, first->D, b, second->D,
                 0, similarity, second->K);
  for (size_t i = 0; status == TOSST_OK && i < n; i++)
    similarity[i] = fmin (fabs (similarity[i]), 1);
  free (a);
  free (b);
  return status;
}
