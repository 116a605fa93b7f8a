/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coding/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"

bool
tosst_reduction_init (TosstReduction *self, int D, int K)
{
  *self = (TosstReduction){ .D = D, .K = K };
  self->L = malloc (sizeof (double) * D * D);
  self->WV = malloc (sizeof (double) * D * K);
  self->G = malloc (sizeof (double) * K * K);
  if (self->L && self->WV && self->G)
    return true;
  tosst_reduction_clear (self);
  return false;
}

void
tosst_reduction_clear (TosstReduction *self)
{
  free (self->L);
  free (self->WV);
  free (self->G);
  *self = (TosstReduction){ 0 };
}

TosstStatus
tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  int D = self->D, K = self->K;
  const double *V = dictionary->V;
  self->gamma = gamma;
  memset (self->L, 0, sizeof (double) * D * D);
  for (int i = 0; i < D; i++)
    self->L[(size_t) i * D + i] = 1;
  memcpy (self->WV, V, sizeof (double) * D * K);
  if (isfinite (gamma))
    {
      TosstStatus status
          = tosst_dgemm (context, CblasNoTrans, CblasTrans, D, D, K, 1 / gamma, V, D, V, D, 1, self->L, D);
      if (status == TOSST_OK)
        status = tosst_cholesky (context, D, self->L);
      if (status == TOSST_OK)
        status = tosst_dtrsm (context, CblasNoTrans, D, K, self->L, D, self->WV, D);
      if (status == TOSST_OK)
        status = tosst_dtrsm (context, CblasTrans, D, K, self->L, D, self->WV, D);
      if (status != TOSST_OK)
        return status;
    }
  return tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, self->WV, D, 0, self->G, K);
}

TosstStatus
tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double *H)
{
  int K = self->K, d = dictionary->d;
  const double *b = dictionary->b;
  TosstStatus status = tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, d, 1, b, d, b, d, 0, H, K);
  if (status != TOSST_OK)
    return status;
  /* G and b' b are symmetric up to rounding; the mean makes H exactly so, as solvers read it by rows. */
  for (int i = 0; i < K; i++)
    for (int j = 0; j <= i; j++)
      {
        size_t ij = (size_t) i * K + j, ji = (size_t) j * K + i;
        H[ij] = H[ji] = (H[ij] + H[ji]) / 2 * ((self->G[ij] + self->G[ji]) / 2);
      }
  return TOSST_OK;
}
