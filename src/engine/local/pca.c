/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <lapacke.h>

#include "engine/base/base.h"
#include "tosst/local.h"

enum
{
  CHUNK = 256, /* vectors converted to double at a time */
};

TosstPca *
tosst_pca_new (int D, int q)
{
  TosstPca *self = q >= 1 && q <= D ? calloc (1, sizeof *self) : NULL;

  if (!self)
    return NULL;
  *self = (TosstPca){ .D = D, .q = q };
  self->mean = calloc ((size_t)D, sizeof *self->mean);
  self->values = calloc ((size_t)D, sizeof *self->values);
  self->basis = calloc ((size_t)D * (size_t)q, sizeof *self->basis);
  if (self->mean && self->values && self->basis)
    return self;
  tosst_pca_free (self);
  return NULL;
}

TosstPca *
tosst_pca_copy (const TosstPca *pca)
{
  size_t D = (size_t)pca->D;
  TosstPca *self = tosst_pca_new (pca->D, pca->q);

  if (!self)
    return NULL;
  memcpy (self->mean, pca->mean, D * sizeof *self->mean);
  memcpy (self->values, pca->values, D * sizeof *self->values);
  memcpy (self->basis, pca->basis, D * (size_t)pca->q * sizeof *self->basis);
  return self;
}

void
tosst_pca_free (TosstPca *self)
{
  if (!self)
    return;
  free (self->mean);
  free (self->values);
  free (self->basis);
  free (self);
}

bool
tosst_scatter_init (TosstScatter *self, int D)
{
  size_t side = (size_t)D;

  *self = (TosstScatter){ .D = D };
  self->mean = calloc (side, sizeof *self->mean);
  self->scatter = calloc (side * side, sizeof *self->scatter);
  self->work = malloc ((CHUNK + 1) * side * sizeof *self->work);
  return self->mean && self->scatter && self->work;
}

void
tosst_scatter_clear (TosstScatter *self)
{
  free (self->mean);
  free (self->scatter);
  free (self->work);
  *self = (TosstScatter){ 0 };
}

/* Combines a chunk, centred on its own mean, with the sums so far (Chan, Golub and LeVeque 1979):
 *     S <- S + S_chunk + n c / (n + c) (mean - mean_chunk)(mean - mean_chunk)'. */
static void
add_chunk (TosstScatter *self, const float *x, size_t count)
{
  size_t D = (size_t)self->D;
  double *centred = self->work, *mean = self->work + CHUNK * D, c = (double)count;

  memset (mean, 0, D * sizeof *mean);
  for (size_t r = 0; r < count; r++)
    for (size_t j = 0; j < D; j++)
      mean[j] += x[r * D + j];
  for (size_t j = 0; j < D; j++)
    mean[j] /= c;
  for (size_t r = 0; r < count; r++)
    for (size_t j = 0; j < D; j++)
      centred[r * D + j] = x[r * D + j] - mean[j];
  cblas_dsyrk (CblasRowMajor, CblasLower, CblasTrans, self->D, (int)count, 1, centred, self->D, 1, self->scatter,
               self->D);
  for (size_t j = 0; j < D; j++)
    mean[j] -= self->mean[j];
  cblas_dsyr (CblasRowMajor, CblasLower, self->D, self->n * c / (self->n + c), mean, 1, self->scatter, self->D);
  for (size_t j = 0; j < D; j++)
    self->mean[j] += mean[j] * c / (self->n + c);
  self->n += c;
}

TosstStatus
tosst_scatter_add (TosstScatter *self, const float *x, size_t count)
{
  TOSST_REQUIRE (NULL, self && (x || count == 0));
  size_t D = (size_t)self->D;
  float probe = 0;

  /* Zero times a finite value is zero; otherwise the sum is NaN. */
  for (size_t i = 0; i < count * D; i++)
    probe += x[i] * 0.0f;
  if (probe != 0.0f)
    return TOSST_ERROR_NUMERIC;
  for (size_t first = 0; first < count; first += CHUNK)
    add_chunk (self, x + first * D, count - first < CHUNK ? count - first : CHUNK);
  return TOSST_OK;
}

/* Writes component j, column `from` of the row-major vectors, with the sign rule. */
static void
take_component (const double *vectors, int D, int from, int j, double scale, TosstPca *pca)
{
  double largest = 0, sign = 1;

  for (int i = 0; i < D; i++)
    {
      double value = vectors[(size_t)i * (size_t)D + (size_t)from];
      if (fabs (value) > largest)
        {
          largest = fabs (value);
          sign = value < 0 ? -1 : 1;
        }
    }
  for (int i = 0; i < D; i++)
    pca->basis[(size_t)i * (size_t)pca->q + (size_t)j] = sign * scale * vectors[(size_t)i * (size_t)D + (size_t)from];
}

static TosstStatus
decompose (TosstContext *context, const TosstScatter *scatter, bool whiten, double *matrix, double *values,
           TosstPca *pca)
{
  int D = scatter->D;

  if (LAPACKE_dsyevd (LAPACK_ROW_MAJOR, 'V', 'L', D, matrix, D, values) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "The principal components did not converge");
  for (int i = 0; i < D; i++)
    pca->values[i] = fmax (values[D - 1 - i], 0);
  for (int j = 0; j < pca->q; j++)
    {
      if (whiten && pca->values[j] <= D * 2.2e-16 * pca->values[0])
        return tosst_context_fail (context, TOSST_ERROR_NUMERIC,
                                   "Only %d principal components have variance; %d cannot be whitened", j, pca->q);
      take_component (matrix, D, D - 1 - j, j, whiten ? 1 / sqrt (pca->values[j]) : 1, pca);
    }
  return TOSST_OK;
}

TosstStatus
tosst_pca_compute (TosstContext *context, const TosstScatter *scatter, int q, bool centred, bool whiten, TosstPca **pca)
{
  TOSST_REQUIRE (context, context && scatter && pca);
  size_t D = (size_t)scatter->D;
  TosstPca *self = tosst_pca_new (scatter->D, q);
  double *matrix = malloc (D * D * sizeof *matrix), *values = malloc (D * sizeof *values);
  TosstStatus status;

  *pca = NULL;
  if (q < 1 || q > scatter->D || scatter->n < 1)
    status = tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%d principal components of %.0f vectors of length %d",
                                 q, scatter->n, scatter->D);
  else if (!self || !matrix || !values)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "Not enough memory for the principal components");
  else
    {
      for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
          matrix[i * D + j]
              = scatter->scatter[i * D + j] / scatter->n + (centred ? 0 : scatter->mean[i] * scatter->mean[j]);
      if (centred)
        memcpy (self->mean, scatter->mean, D * sizeof *self->mean);
      status = decompose (context, scatter, whiten, matrix, values, self);
    }
  free (matrix);
  free (values);
  if (status == TOSST_OK)
    *pca = self;
  else
    tosst_pca_free (self);
  return status;
}
