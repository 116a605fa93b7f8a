/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data of the solver for beta >= 0: a root of V' V shared by all tensors, and the workspace of one worker. From V V'
 * = U diag (eigenvalues) U' the root is U' V; from V' V = Q diag (eigenvalues) Q', which is smaller for few atoms, it
 * is diag (eigenvalues)^{1/2} Q'.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/vector.h"
#include "engine/coding/nonnegative-private.h"
#include "engine/coding/tuning.h"

void
tosst_nonnegative_free (TosstNonnegative *self)
{
  if (!self)
    return;
  tosst_release (&self->memory);
  free (self);
}

/* Replaces a symmetric matrix by its eigenvectors as rows, by decreasing eigenvalue. */
static TosstStatus
find_eigenvectors (TosstContext *context, size_t n, double *A, double *values)
{
  if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', n, A, n, values) != 0)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "eigenvalues of the atoms cannot be found");
  for (size_t i = 0; i < n / 2; i++)
    {
      double value = values[i];
      values[i] = values[n - 1 - i];
      values[n - 1 - i] = value;
      cblas_dswap (n, A + i * n, 1, A + (n - 1 - i) * n, 1);
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      {
        double other = A[i * n + j];
        A[i * n + j] = A[j * n + i];
        A[j * n + i] = other;
      }
  for (size_t i = 0; i < n; i++)
    values[i] = fmax (values[i], 0);
  return TOSST_OK;
}

static TosstStatus
find_root (TosstNonnegative *self, TosstContext *context, const double *V, int D)
{
  size_t K = self->K, n = self->rank;
  double *square = self->rank < self->K ? malloc (sizeof *square * n * n) : self->root;
  if (!square)
    return tosst_coding_no_memory (context);
  bool by_atoms = square == self->root;
  TosstStatus status = tosst_dgemm (context, by_atoms ? CblasTrans : CblasNoTrans, by_atoms ? CblasNoTrans : CblasTrans,
                                    n, n, by_atoms ? (size_t)D : K, 1, V, D, V, D, 0, square, n);
  if (status == TOSST_OK)
    status = find_eigenvectors (context, n, square, self->eigenvalue);
  if (status == TOSST_OK && by_atoms)
    for (size_t k = 0; k < K; k++)
      for (size_t i = 0; i < n; i++)
        self->root[k * n + i] *= sqrt (self->eigenvalue[i]);
  else if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, n, K, n, 1, square, n, V, D, 0, self->root, n);
  if (!by_atoms)
    free (square);
  return status;
}

/* The product of G with S columns costs 2 K^2 S operations with G and 4 K rank S with the root. */
static TosstStatus
round_narrow (TosstNonnegative *self, TosstContext *context)
{
  size_t K = self->K, n = self->rank;
  self->narrow_gram = K <= 2 * n;
  size_t rows = self->narrow_gram ? K : n;
  float *root = self->narrow = tosst_keep (&self->memory, malloc (sizeof *root * rows * K));
  if (self->narrow && self->narrow_gram)
    root = malloc (sizeof *root * n * K);
  if (!self->narrow || !root)
    return tosst_coding_no_memory (context);
  for (size_t i = 0; i < n * K; i++)
    root[i] = (float)self->root[i];
  if (self->narrow_gram)
    {
      cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, K, n, 1, root, n, root, n, 0, self->narrow, K);
      free (root);
    }
  return TOSST_OK;
}

static void
fill (TosstNonnegative *self)
{
  size_t K = self->K, S = self->S;
  for (size_t k = 0; k < K; k++)
    {
      self->norm[k] = tosst_dot (S, self->b + k * S, self->b + k * S);
      for (size_t s = 0; s < S; s++)
        self->columns[s * K + k] = self->b[k * S + s];
    }
  self->head = 1;
  while (self->head < self->rank && self->head < MOST_HEAD && self->eigenvalue[self->head] > HEAD_PART * self->gamma)
    self->head++;
}

TosstStatus
tosst_nonnegative_new (TosstContext *context, const TosstDictionary *dictionary, int S, const double *H,
                       const TosstCodingOptions *options, TosstNonnegative **result)
{
  size_t K = dictionary->K, rank = dictionary->D < dictionary->K ? dictionary->D : dictionary->K;
  TosstNonnegative *self = calloc (1, sizeof *self);
  *result = NULL;
  if (!self)
    return tosst_coding_no_memory (context);
  *self = (TosstNonnegative){ .K = K,
                              .S = S,
                              .rank = rank,
                              .lambda = options->problem.lambda,
                              .gamma = options->problem.gamma,
                              .signed_alpha = options->problem.signed_alpha,
                              .b = dictionary->b,
                              .H = H };
  TosstMemory *memory = &self->memory;
  self->root = tosst_keep (memory, malloc (sizeof *self->root * rank * K));
  self->eigenvalue = tosst_keep (memory, malloc (sizeof *self->eigenvalue * rank));
  self->columns = tosst_keep (memory, malloc (sizeof *self->columns * K * S));
  self->norm = tosst_keep (memory, malloc (sizeof *self->norm * K));
  TosstStatus status
      = memory->failed ? tosst_coding_no_memory (context) : find_root (self, context, dictionary->V, dictionary->D);
  if (status == TOSST_OK)
    {
      fill (self);
      status = round_narrow (self, context);
    }
  if (status == TOSST_OK)
    *result = self;
  else
    tosst_nonnegative_free (self);
  return status;
}

void
tosst_nonnegative_set (TosstNonnegative *self, double lambda, double gamma)
{
  self->lambda = lambda;
  self->gamma = gamma;
  fill (self);
}

size_t
tosst_nonnegative_bytes (int D, int S, int K)
{
  size_t k = K, rank = D < K ? D : K, square = D < K ? rank * rank : 0;
  size_t narrow = k <= 2 * rank ? k * k + rank * k : rank * k;
  /* The workspace of dsyevd is twice the matrix. */
  return (rank * k + k * S + k + rank + square + 2 * rank * rank) * sizeof (double) + narrow * sizeof (float);
}

int
tosst_nonnegative_sign (const double *b, int S, bool signed_alpha)
{
  bool positive = false, negative = false;
  for (int s = 0; s < S; s++)
    {
      positive = positive || b[s] > 0;
      negative = negative || b[s] < 0;
    }
  return positive && !negative ? 1 : negative && !positive && signed_alpha ? -1 : 0;
}

static size_t
most_head (size_t D, size_t K)
{
  size_t rank = D < K ? D : K;
  return rank < MOST_HEAD ? rank : MOST_HEAD;
}

size_t
tosst_nonnegative_work_bytes (int D, int S, int K)
{
  size_t k = K, s = S, head = most_head (D, K), rank = D < K ? D : K;
  size_t numbers = 9 * k * s + 4 * k + rank * s + s * head * head + s * head * k + rank * k;
  return numbers * sizeof (double) + k * sizeof (int) + s * k + s + tosst_lasso_work_bytes (K, 1, K, sizeof (double));
}

TosstNonnegativeWork *
tosst_nonnegative_work_new (int D, int S, int K)
{
  size_t k = K, s = S, n = k * s, head = most_head (D, K), rank = D < K ? D : K;
  TosstNonnegativeWork *w = calloc (1, sizeof *w);
  if (!w)
    return NULL;
  TosstMemory *memory = &w->memory;
  double **values[]
      = { &w->r, &w->u, &w->moved, &w->next, &w->step, &w->rest, &w->direction, &w->conditioned, &w->kept };
  double **rows[] = { &w->kept_alpha, &w->next_alpha, &w->q, &w->right };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    *values[i] = tosst_keep (memory, malloc (sizeof (double) * n));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = tosst_keep (memory, malloc (sizeof (double) * k));
  w->small = tosst_keep (memory, malloc (sizeof (double) * rank * s));
  w->factor = tosst_keep (memory, malloc (sizeof (double) * s * head * head));
  w->gathered = tosst_keep (memory, malloc (sizeof (double) * s * head * k));
  w->tail = tosst_keep (memory, malloc (sizeof (double) * rank * k));
  w->support = tosst_keep (memory, malloc (sizeof (int) * k));
  w->is_free = tosst_keep (memory, malloc (sizeof (bool) * n));
  w->factored = tosst_keep (memory, calloc (s, sizeof (bool)));
  w->lasso = tosst_lasso_work_new (K, 1, sizeof (double));
  if (memory->failed || !w->lasso)
    {
      tosst_nonnegative_work_free (w);
      return NULL;
    }
  /* The Lasso is used for the starting point only: its matrices then serve the steps. */
  w->schur = w->lasso->L;
  w->copy = w->lasso->G;
  return w;
}

void
tosst_nonnegative_work_free (TosstNonnegativeWork *w)
{
  if (!w)
    return;
  tosst_release (&w->memory);
  tosst_lasso_work_free (w->lasso);
  free (w);
}
