/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/reduction.h"

#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/coding/tuning.h"

bool
tosst_reduction_small (size_t D, size_t K)
{
  return 2 * K <= D;
}

bool
tosst_reduction_init (TosstReduction *self, int D, int K, bool with_G)
{
  *self = (TosstReduction){ .D = D, .K = K };
  if (tosst_reduction_small (D, K))
    self->Q = tosst_alloc_aligned ((size_t)K * K, sizeof *self->Q);
  else
    self->L = tosst_alloc_aligned ((size_t)D * D, sizeof *self->L);
  self->WV = tosst_alloc_aligned ((size_t)D * K, sizeof *self->WV);
  self->G = with_G ? tosst_alloc_aligned ((size_t)K * K, sizeof *self->G) : NULL;
  if ((self->L || self->Q) && self->WV && (self->G || !with_G))
    return true;
  tosst_reduction_clear (self);
  return false;
}

void
tosst_reduction_clear (TosstReduction *self)
{
  free (self->L);
  free (self->Q);
  free (self->WV);
  free (self->G);
  *self = (TosstReduction){ 0 };
}

/* Computes Q = (V'V + gamma I)^{-1} and W V = gamma V Q. */
static TosstStatus
update_small (TosstReduction *self, TosstContext *context, const double *V, double gamma)
{
  int D = self->D, K = self->K;
  double *Q = self->Q;
  TOSST_TRY (tosst_dgemm (context, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, Q, K));
  for (int k = 0; k < K; k++)
    Q[(size_t)k * K + k] += gamma;
  TOSST_TRY (tosst_cholesky (context, K, Q));
  if (LAPACKE_dpotri_work (LAPACK_COL_MAJOR, 'L', K, Q, K) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "a matrix is not positive definite");
  for (size_t i = 0; i < (size_t)K; i++)
    for (size_t j = 0; j < i; j++)
      Q[i * K + j] = Q[j * K + i];
  return tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, K, K, gamma, V, D, Q, K, 0, self->WV, D);
}

typedef struct
{
  const TosstReduction *reduction;
  const double *V;
} Substitution;

/* Computes W V by two substitutions, while the columns are in the cache. */
static TosstStatus
substitute_task (size_t item, int worker, void *data)
{
  const Substitution *self = data;
  size_t D = self->reduction->D, K = self->reduction->K, first = item * SUBSTITUTED;
  size_t count = K - first < SUBSTITUTED ? K - first : SUBSTITUTED;
  double *WV = self->reduction->WV + first * D;
  memcpy (WV, self->V + first * D, sizeof *WV * D * count);
  for (int transposed = 0; transposed < 2; transposed++)
    cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, D, count,
                 1, self->reduction->L, D, WV, D);
  return TOSST_OK;
}

TosstStatus
tosst_reduction_factor (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  int D = self->D;
  const double *V = dictionary->V;
  self->gamma = gamma;
  if (!isfinite (gamma))
    return TOSST_OK;
  if (self->Q)
    return update_small (self, context, V, gamma);
  /* F = I + V V' / gamma = L L'. */
  TosstStatus status
      = tosst_dgemm_lower (context, CblasNoTrans, CblasTrans, D, self->K, 1 / gamma, V, D, V, D, 0, self->L, D);
  for (int i = 0; status == TOSST_OK && i < D; i++)
    self->L[(size_t)i * D + i] += 1;
  return status ?: tosst_cholesky (context, D, self->L);
}

TosstStatus
tosst_reduction_complete (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary)
{
  int D = self->D, K = self->K;
  const double *V = dictionary->V;
  TosstStatus status = TOSST_OK;
  if (!isfinite (self->gamma))
    status = tosst_copy (context, (size_t)D * K, V, self->WV);
  else if (self->L)
    {
      Substitution substitution = { self, V };
      status = tosst_parallel_work (context, (self->K + SUBSTITUTED - 1) / SUBSTITUTED,
                                    (double)self->D * self->D * self->K, substitute_task, &substitution);
    }
  if (status != TOSST_OK || !self->G)
    return status;
  return tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, K, D, 1, V, D, self->WV, D, 0, self->G, K);
}

TosstStatus
tosst_reduction_update (TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double gamma)
{
  TosstStatus status = tosst_reduction_factor (self, context, dictionary, gamma);
  return status ?: tosst_reduction_complete (self, context, dictionary);
}

TosstStatus
tosst_reduction_apply (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary, double *R,
                       int columns, double *work)
{
  int D = self->D, K = self->K;
  if (!isfinite (self->gamma))
    return TOSST_OK;
  /* W R = R - V (V'V + gamma I)^{-1} V'R; W V / gamma is V (V'V + gamma I)^{-1}. */
  TOSST_TRY (self->Q
                 ? tosst_dgemm (context, CblasTrans, CblasNoTrans, K, columns, D, 1, dictionary->V, D, R, D, 0, work, K)
                 : tosst_dtrsm (context, CblasNoTrans, D, columns, self->L, D, R, D));
  return self->Q ? tosst_dgemm (context, CblasNoTrans, CblasNoTrans, D, columns, K, -1 / self->gamma, self->WV, D, work,
                                K, 1, R, D)
                 : tosst_dtrsm (context, CblasTrans, D, columns, self->L, D, R, D);
}

TosstStatus
tosst_reduction_copy (TosstReduction *self, TosstContext *context, const TosstReduction *from)
{
  size_t D = self->D, K = self->K;
  self->gamma = from->gamma;
  TosstStatus status
      = self->Q ? tosst_copy (context, K * K, from->Q, self->Q) : tosst_copy (context, D * D, from->L, self->L);
  return status ?: tosst_copy (context, D * K, from->WV, self->WV);
}

typedef struct
{
  const TosstReduction *reduction;
  const TosstDictionary *dictionary;
  const float *across; /* K x K, instead of b'b; or NULL */
  const signed char *sign;
  bool wide;
  void *H;
  double *work; /* twice gram_size() per worker */
} Gram;

/* Number of values of the largest block. */
static size_t
gram_size (size_t K)
{
  return tosst_smaller (K, GRAM_PASS_ROWS) * GRAM_COLUMNS;
}

/* Copies values `stride` apart into a row of H. */
static void
place_row (const Gram *self, size_t row, size_t column, size_t count, const double *values, size_t stride)
{
  size_t at = row * self->reduction->K + column;
  for (size_t i = 0; self->wide && i < count; i++)
    ((double *)self->H)[at + i] = values[i * stride];
  for (size_t i = 0; !self->wide && i < count; i++)
    ((float *)self->H)[at + i] = values[i * stride];
}

/* A block of V'WV and of b'b, from its first row and column on. */
typedef struct
{
  size_t row, rows, column, columns;
  const double *inner, *across;
  size_t inner_ld, across_ld;
} Block;

/* Writes a square on or below the diagonal, and its mirror image; i and j are relative to the block's first row and
 * column. */
static void
place_square (const Gram *self, const Block *from, size_t i, size_t j)
{
  size_t row = from->row + i, column = from->column + j;
  size_t rows = tosst_smaller (from->rows - i, GRAM_SQUARE), columns = tosst_smaller (from->columns - j, GRAM_SQUARE);
  double values[GRAM_SQUARE][GRAM_SQUARE]; /* by columns */
  for (size_t c = 0; c < columns; c++)
    {
      const double *inner = from->inner + (j + c) * from->inner_ld + i,
                   *across = from->across + (j + c) * from->across_ld + i;
      for (size_t r = 0; r < rows; r++)
        values[c][r] = inner[r] * across[r];
      for (size_t r = 0; self->sign && r < rows; r++)
        values[c][r] *= self->sign[row + r] * self->sign[column + c];
    }
  for (size_t c = 1; row == column && c < columns; c++)
    for (size_t r = 0; r < c; r++)
      values[c][r] = values[r][c];
  for (size_t c = 0; c < columns; c++)
    place_row (self, column + c, row, rows, values[c], 1);
  for (size_t r = 0; row != column && r < rows; r++)
    place_row (self, row + r, column, columns, values[0] + r, GRAM_SQUARE);
}

/* Writes squares on and below the diagonal, and their mirror images, for some rows of the task's columns. */
static void
gram_block (const Gram *self, size_t row, size_t column, size_t columns, double *work)
{
  size_t K = self->reduction->K, D = self->reduction->D, S = self->dictionary->S;
  size_t rows = tosst_smaller (K - row, GRAM_PASS_ROWS);
  const double *V = self->dictionary->V, *b = self->dictionary->b, *G = self->reduction->G;
  double *inner = work, *across = work + gram_size (K);
  if (!G)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, D, 1, V + row * D, D,
                 self->reduction->WV + column * D, D, 0, inner, rows);
  for (size_t i = 0; self->across && i < rows * columns; i++)
    across[i] = self->across[(column + i / rows) * K + row + i % rows];
  if (!self->across)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, S, 1, b + row * S, S, b + column * S, S, 0,
                 across, rows);
  Block block = { row, rows, column, columns, G ? G + column * K + row : inner, across, G ? K : rows, rows };
  for (size_t i = 0; i < rows; i += GRAM_SQUARE)
    for (size_t j = 0; j < columns && column + j <= row + i; j += GRAM_SQUARE)
      place_square (self, &block, i, j);
}

static TosstStatus
gram_task (size_t item, int worker, void *data)
{
  const Gram *self = data;
  size_t K = self->reduction->K, first = item * GRAM_COLUMNS, columns = tosst_smaller (K - first, GRAM_COLUMNS);
  for (size_t row = first; row < K; row += GRAM_PASS_ROWS)
    gram_block (self, row, first, columns, self->work + 2 * gram_size (K) * worker);
  return TOSST_OK;
}

size_t
tosst_reduction_gram_bytes (size_t K, int threads)
{
  return sizeof (double) * 2 * gram_size (K) * threads;
}

TosstStatus
tosst_reduction_gram (const TosstReduction *self, TosstContext *context, const TosstDictionary *dictionary,
                      const float *across, const signed char *sign, bool wide, void *H)
{
  double *work = tosst_alloc_aligned (tosst_reduction_gram_bytes (self->K, tosst_context_threads (context)), 1);
  if (!work)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  Gram gram = { self, dictionary, across, sign, wide, H, work };
  TosstStatus status
      = tosst_prefault (context, H, (size_t)self->K * self->K * (wide ? sizeof (double) : sizeof (float)));
  TOSST_THEN (status, tosst_parallel_work (context, (self->K + GRAM_COLUMNS - 1) / GRAM_COLUMNS,
                                           (double)self->K * self->K * self->D / 2, gram_task, &gram));
  free (work);
  return status;
}
