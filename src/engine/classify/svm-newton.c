/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One quadratic piece of the objective (see svm-newton.c), solved in its primal or its dual form, whichever is smaller.
 */
#include "engine/base/base.h"
#include "engine/classify/svm-private.h"

#include <float.h>
#include <lapacke.h>

#include "engine/classify/tuning.h"
#include "engine/simd/kernels.h"

bool
tosst_svm_workspace_init (TosstSvmWorkspace *work, size_t n, int p)
{
  double **vectors[] = { &work->alpha, &work->margin, &work->beta, &work->candidate, &work->target, &work->residual };

  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = tosst_keep (&work->memory, tosst_alloc_aligned (n, sizeof (double)));
  work->w = tosst_keep (&work->memory, tosst_alloc_aligned ((size_t)p + 1, sizeof (double)));
  work->active = tosst_keep (&work->memory, malloc (n * sizeof (size_t)));
  return !work->memory.failed;
}

void
tosst_svm_workspace_clear (TosstSvmWorkspace *work)
{
  tosst_release (&work->memory);
  free (work->system);
  free (work->rows);
  memset (work, 0, sizeof *work);
}

/* Grows the buffer to at least `needed` elements; their values are undefined after growing. Returns false if out of
 * memory. */
static bool
tosst_svm_reserve (double **buffer, size_t *capacity, size_t needed)
{
  if (*capacity >= needed)
    return true;
  free (*buffer);
  *buffer = aligned_alloc (64, (needed * sizeof (double) + 63) / 64 * 64);
  *capacity = *buffer ? needed : 0;
  return *buffer != NULL;
}

/* Converts count rows of x to float64 with a trailing 1. index: the rows, or NULL for rows first .. first + count -
 * 1. rows: count x (p + 1). */
static void
tosst_svm_gather_rows (const TosstSvmProblem *problem, const size_t *index, size_t first, size_t count, double *rows)
{
  size_t width = (size_t)problem->p + 1;

  for (size_t i = 0; i < count; i++)
    {
      const float *from = problem->x + (index ? index[i] : first + i) * (size_t)problem->p;
      double *to = rows + i * width;
      for (int j = 0; j < problem->p; j++)
        to[j] = from[j];
      to[problem->p] = 1.0;
    }
}

/* Returns x_row . w, x_row with its trailing 1. w: p + 1. */
static double
tosst_svm_row_product (const TosstSvmProblem *problem, size_t row, const double *w)
{
  const float *x = problem->x + row * (size_t)problem->p;
  double sum = 0.0;

#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < problem->p; j++)
    sum += x[j] * w[j];
  return sum + w[problem->p];
}

/* Processes four rows per pass, which reduces reads and writes of w by a factor of four. */
void
tosst_svm_combine_rows (const TosstSvmProblem *problem, const size_t *active, size_t count, const double *beta,
                        double *restrict w)
{
  size_t p = (size_t)problem->p, a = 0;

  memset (w, 0, (p + 1) * sizeof *w);
  for (; a + 4 <= count; a += 4)
    {
      const float *x0 = problem->x + active[a] * p, *x1 = problem->x + active[a + 1] * p;
      const float *x2 = problem->x + active[a + 2] * p, *x3 = problem->x + active[a + 3] * p;
      double b0 = beta[a], b1 = beta[a + 1], b2 = beta[a + 2], b3 = beta[a + 3];
#pragma omp simd
      for (size_t j = 0; j < p; j++)
        w[j] += (b0 * x0[j] + b1 * x1[j]) + (b2 * x2[j] + b3 * x3[j]);
      w[p] += (b0 + b1) + (b2 + b3);
    }
  for (; a < count; a++)
    {
      const float *x = problem->x + active[a] * p;
#pragma omp simd
      for (size_t j = 0; j < p; j++)
        w[j] += beta[a] * x[j];
      w[p] += beta[a];
    }
}

/* Lower Cholesky factor of a row-major matrix in place, panel by panel, because LAPACK's factorisation cannot be
 * cancelled. */
static TosstStatus
factorise (TosstContext *context, double *a, size_t order)
{
  for (size_t k = 0; k < order; k += FACTOR_PANEL)
    {
      size_t width = order - k < FACTOR_PANEL ? order - k : FACTOR_PANEL, rest = order - k - width;
      double *diagonal = a + k * order + k, *below = diagonal + width * order;

      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'U', (int)width, diagonal, (int)order) != 0)
        return TOSST_ERROR_NUMERIC;
      if (rest == 0)
        break;
      cblas_dtrsm (CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rest, (int)width, 1.0,
                   diagonal, (int)order, below, (int)order);
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)rest, (int)width, -1.0, below, (int)order, 1.0,
                   below + width, (int)order);
    }
  return TOSST_OK;
}

static void
solve_factorised (const TosstSvmWorkspace *work, size_t order, double *b)
{
  if (work->stride > 0)
    tosst_kernels ()->cholesky_solve_double (work->system, work->stride, (int)order, b);
  else
    {
      cblas_dtrsv (CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)order, work->system, (int)order, b, 1);
      cblas_dtrsv (CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)order, work->system, (int)order, b, 1);
    }
}

/* Lower triangle of X_A X_A', row-major. */
static bool
active_gram (const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t width = (size_t)problem->p + 1;

  if (problem->gram)
    {
      for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++)
          work->system[a * count + b] = problem->gram[work->active[a] * problem->n + work->active[b]];
      return true;
    }
  if (!tosst_svm_reserve (&work->rows, &work->rows_capacity, count * width))
    return false;
  tosst_svm_gather_rows (problem, work->active, 0, count, work->rows);
  cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)width, 1.0, work->rows, (int)width, 0.0,
               work->system, (int)count);
  return true;
}

/* factorise_dual() for few samples; the kernel requires the upper triangle. */
static TosstStatus
factorise_small (const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t stride = tosst_grain (count), rows = (count + 3) / 4 * 4;

  if (!tosst_svm_reserve (&work->system, &work->system_capacity, stride * rows))
    return TOSST_ERROR_MEMORY;
  work->stride = (int)stride;
  for (size_t a = 0; a < rows; a++)
    {
      double *to = work->system + a * stride;
      const double *from = problem->gram + (a < count ? work->active[a] * problem->n : 0);
      for (size_t b = a; b < count; b++)
        to[b] = from[work->active[b]];
      for (size_t b = count; b < stride; b++)
        to[b] = 0.0;
      if (a < count)
        to[a] += 0.5 / problem->c;
      else
        memset (to, 0, stride * sizeof *to);
    }
  return tosst_kernels ()->cholesky_double (work->system, (int)stride, (int)count) ? TOSST_OK : TOSST_ERROR_NUMERIC;
}

/* X_A X_A' + I / (2 C), factored. */
static TosstStatus
factorise_dual (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  if (problem->gram && count <= SMALL)
    return tosst_context_checkpoint (context) ? TOSST_CANCELLED : factorise_small (problem, work, count);
  work->stride = 0;
  if (!tosst_svm_reserve (&work->system, &work->system_capacity, count * count) || !active_gram (problem, work, count))
    return TOSST_ERROR_MEMORY;
  for (size_t a = 0; a < count; a++)
    work->system[a * count + a] += 0.5 / problem->c;
  return factorise (context, work->system, count);
}

/* out = G factor; rows of zero coefficients cost nothing. Four rows per pass to overlap memory accesses. */
static void
tosst_svm_combine_gram (const TosstSvmProblem *problem, const double *factor, double *restrict out)
{
  size_t n = problem->n, held = 0;
  const double *row[4];
  double weight[4];

  memset (out, 0, n * sizeof *out);
  for (size_t i = 0; i < n; i++)
    {
      if (factor[i] != 0.0)
        {
          row[held] = problem->gram + i * n;
          weight[held++] = factor[i];
        }
      if (held == 4)
        {
#pragma omp simd
          for (size_t j = 0; j < n; j++)
            out[j] += (weight[0] * row[0][j] + weight[1] * row[1][j]) + (weight[2] * row[2][j] + weight[3] * row[3][j]);
          held = 0;
        }
    }
  for (size_t r = 0; r < held; r++)
    for (size_t j = 0; j < n; j++)
      out[j] += weight[r] * row[r][j];
}

/* Solves the dual form; residual[0 .. count) receives beta of the active samples. */
static TosstStatus
solve_dual (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  TOSST_TRY (factorise_dual (context, problem, work, count));
  for (size_t a = 0; a < count; a++)
    work->residual[a] = work->target[work->active[a]];
  solve_factorised (work, count, work->residual);
  if (!problem->gram)
    tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  return TOSST_OK;
}

/* I + 2 C X_A' X_A, factored. */
static TosstStatus
factorise_primal (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t width = (size_t)problem->p + 1;

  if (!tosst_svm_reserve (&work->system, &work->system_capacity, width * width)
      || !tosst_svm_reserve (&work->rows, &work->rows_capacity, ROW_RUN * width))
    return TOSST_ERROR_MEMORY;
  work->stride = 0;
  memset (work->system, 0, width * width * sizeof *work->system);
  for (size_t a = 0; a < count; a += ROW_RUN)
    {
      size_t run = count - a < ROW_RUN ? count - a : ROW_RUN;
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      tosst_svm_gather_rows (problem, work->active + a, 0, run, work->rows);
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)run, 2.0 * problem->c, work->rows,
                   (int)width, 1.0, work->system, (int)width);
    }
  for (size_t j = 0; j < width; j++)
    work->system[j * width + j] += 1.0;
  return factorise (context, work->system, width);
}

/* Solves the primal form; w receives the solution, residual[0 .. count) beta of the active samples. */
static TosstStatus
solve_primal (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t width = (size_t)problem->p + 1;
  TOSST_TRY (factorise_primal (context, problem, work, count));
  for (size_t a = 0; a < count; a++)
    work->residual[a] = 2.0 * problem->c * work->target[work->active[a]];
  tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  solve_factorised (work, width, work->w);
  for (size_t a = 0; a < count; a++)
    work->residual[a] = 2.0 * problem->c
                        * (work->target[work->active[a]] - tosst_svm_row_product (problem, work->active[a], work->w));
  return TOSST_OK;
}

/* Replaces g (p + 1) by (I + 2 C X_A' X_A)^{-1} g for the count samples of work->active. Overwrites work->residual
 * and work->w. Errors as in tosst_svm_solve_active_set(). */
static TosstStatus
tosst_svm_solve_hessian (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count,
                         double *g)
{
  if (count == 0)
    return TOSST_OK;
  if (count > (size_t)problem->p + 1)
    {
      TOSST_TRY (factorise_primal (context, problem, work, count));
      solve_factorised (work, (size_t)problem->p + 1, g);
      return TOSST_OK;
    }
  /* (I + 2 C X' X)^{-1} = I - X' (X X' + I / (2 C))^{-1} X */
  TOSST_TRY (factorise_dual (context, problem, work, count));
  for (size_t a = 0; a < count; a++)
    work->residual[a] = tosst_svm_row_product (problem, work->active[a], g);
  solve_factorised (work, count, work->residual);
  tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  for (int j = 0; j <= problem->p; j++)
    g[j] -= work->w[j];
  return TOSST_OK;
}

/* Minimises the quadratic piece of the active set work->active (count samples with positive hinge loss). Sets
 * work->beta (zero elsewhere) and work->candidate = X w. Overwrites work->residual and work->w. TOSST_ERROR_MEMORY
 * and TOSST_ERROR_NUMERIC set no message. */
static TosstStatus
tosst_svm_solve_active_set (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work,
                            size_t count)
{
  bool dual = count <= (size_t)problem->p + 1;

  /* Without active samples the objective is ||w||^2 / 2. BLAS does not accept matrices of order 0. */
  if (count == 0)
    {
      memset (work->beta, 0, problem->n * sizeof *work->beta);
      memset (work->candidate, 0, problem->n * sizeof *work->candidate);
      return TOSST_OK;
    }
  TOSST_TRY (dual ? solve_dual (context, problem, work, count) : solve_primal (context, problem, work, count));
  memset (work->beta, 0, problem->n * sizeof *work->beta);
  for (size_t a = 0; a < count; a++)
    work->beta[work->active[a]] = work->residual[a];
  if (dual && problem->gram)
    tosst_svm_combine_gram (problem, work->beta, work->candidate);
  else
    for (size_t i = 0; i < problem->n; i++)
      work->candidate[i] = tosst_svm_row_product (problem, i, work->w);
  return TOSST_OK;
}

/* Inexact version of tosst_svm_solve_active_set() for large active sets: conjugate-gradient steps, which give a descent
 * direction. */

/* Conjugate gradients on H d = -gradient, H = I + 2 C X_A' X_A. Every vector is X' v for a vector v of n
 * coefficients: H maps v to v + 2 C (G v)_A, and the inner product is u' G v. Each step takes one product with the
 * rows of G in the support of the gradient or in A. The direction is a descent direction after any number of steps. */
static TosstStatus
tosst_svm_cg_steps (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t n = problem->n;
  double *rest, *products, *direction, *image, square = 0.0, first = 0.0;

  if (!tosst_svm_reserve (&work->system, &work->system_capacity, 4 * n))
    return TOSST_ERROR_MEMORY;
  rest = work->system, products = rest + n, direction = products + n, image = direction + n;
  memset (direction, 0, 2 * n * sizeof *direction);
  memcpy (work->beta, work->alpha, n * sizeof *work->beta);
  memcpy (work->candidate, work->margin, n * sizeof *work->candidate);
  for (size_t i = 0; i < n; i++)
    rest[i] = -work->alpha[i];
  for (size_t a = 0; a < count; a++)
    rest[work->active[a]] += 2.0 * problem->c * (work->target[work->active[a]] - work->margin[work->active[a]]);
  for (int step = 0; step < APPROACHES; step++)
    {
      double before = square, curvature = 0.0, along = 0.0;
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      tosst_svm_combine_gram (problem, rest, products);
      square = tosst_dot (n, rest, products);
      first = step == 0 ? square : first;
      if (!(square > NEAR_ENOUGH * first))
        break;
      for (size_t i = 0; i < n; i++)
        {
          direction[i] = rest[i] + (step > 0 ? square / before : 0.0) * direction[i];
          image[i] = products[i] + (step > 0 ? square / before : 0.0) * image[i];
          curvature += direction[i] * image[i];
        }
      for (size_t a = 0; a < count; a++)
        along += image[work->active[a]] * image[work->active[a]];
      double length = square / (curvature + 2.0 * problem->c * along);
      for (size_t i = 0; i < n; i++)
        {
          work->beta[i] += length * direction[i];
          work->candidate[i] += length * image[i];
          rest[i] -= length * direction[i];
        }
      for (size_t a = 0; a < count; a++)
        rest[work->active[a]] -= length * 2.0 * problem->c * image[work->active[a]];
    }
  return TOSST_OK;
}

/* Gram matrix of the samples, tile by tile, by the engine's own kernel, which skips zeros, or by dgemm; of long rows
 * by sgemm on panels of columns, added up in float64. */

typedef struct
{
  const float *x;
  size_t n, p;
  size_t tile; /* rows of a tile */
  double *gram;
  double *work; /* `share` values per worker */
  size_t share;
  bool leaves_out; /* use the kernel that skips zeros */
  bool is_long;    /* use sgemm */
} Gram;

/* Packs GRAM_PANEL columns of some samples, including the trailing 1. */
static void
copy_panel (const Gram *self, size_t row, size_t rows, size_t first, double *panel)
{
  size_t used = self->p - first < GRAM_PANEL ? self->p - first : GRAM_PANEL;

  for (size_t i = 0; i < rows; i++)
    {
      const float *from = self->x + (row + i) * self->p + first;
      for (size_t j = 0; j < used; j++)
        panel[i * GRAM_PANEL + j] = from[j];
      if (used < GRAM_PANEL)
        panel[i * GRAM_PANEL + used] = 1.0;
    }
}

/* Computes a tile with all products, by dgemm. */
static void
multiply_tile (const Gram *self, size_t row, size_t rows, size_t column, size_t columns, double *work)
{
  double *left = work, *right = row == column ? left : left + GRAM_TILE * GRAM_PANEL;
  double *tile = self->gram + row * self->n + column;

  for (size_t first = 0; first <= self->p; first += GRAM_PANEL)
    {
      int used = (int)(self->p + 1 - first < GRAM_PANEL ? self->p + 1 - first : GRAM_PANEL);
      double keep = first > 0 ? 1.0 : 0.0;
      copy_panel (self, row, rows, first, left);
      if (row == column)
        cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, used, 1.0, left, GRAM_PANEL, keep, tile,
                     (int)self->n);
      else
        {
          copy_panel (self, column, columns, first, right);
          cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, used, 1.0, left, GRAM_PANEL,
                       right, GRAM_PANEL, keep, tile, (int)self->n);
        }
    }
}

/* The same in float, from x itself. */
static void
multiply_long_tile (const Gram *self, size_t row, size_t rows, size_t column, size_t columns, float *sum)
{
  const float *left = self->x + row * self->p, *right = self->x + column * self->p;
  double *tile = self->gram + row * self->n + column;

  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      tile[i * self->n + j] = 1.0;
  for (size_t first = 0; first < self->p; first += GRAM_LONG_PANEL)
    {
      int used = (int)(self->p - first < GRAM_LONG_PANEL ? self->p - first : GRAM_LONG_PANEL);
      if (row == column)
        cblas_ssyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, used, 1.0F, left + first, (int)self->p, 0.0F,
                     sum, (int)columns);
      else
        cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, used, 1.0F, left + first,
                     (int)self->p, right + first, (int)self->p, 0.0F, sum, (int)columns);
      for (size_t i = 0; i < rows; i++)
        for (size_t j = 0, end = row == column ? i + 1 : columns; j < end; j++)
          tile[i * self->n + j] += sum[i * columns + j];
    }
}

/* Computes one tile on or below the diagonal, numbered row by row, and its mirror image. */
static TosstStatus
make_tile (size_t item, int worker, void *data)
{
  const Gram *self = data;
  double *work = self->work + (size_t)worker * self->share;
  size_t row = (size_t)((sqrt (8.0 * (double)item + 1.0) - 1.0) / 2.0), column, rows, columns;

  while (row * (row + 1) / 2 > item)
    row--;
  while ((row + 1) * (row + 2) / 2 <= item)
    row++;
  column = (item - row * (row + 1) / 2) * self->tile;
  row *= self->tile;
  rows = self->n - row < self->tile ? self->n - row : self->tile;
  columns = self->n - column < self->tile ? self->n - column : self->tile;
  if (self->leaves_out)
    tosst_kernels ()->gram (self->x + row * self->p, (int)rows, self->x + column * self->p, (int)columns, self->p,
                            self->gram + row * self->n + column, self->n, work);
  else if (self->is_long)
    multiply_long_tile (self, row, rows, column, columns, (float *)work);
  else
    multiply_tile (self, row, rows, column, columns, work);
  /* Copies the lower triangle to the upper one by tiles that fit the cache. */
  for (size_t j0 = 0; j0 < columns; j0 += GRAM_MIRROR)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = j0; j < j0 + GRAM_MIRROR && j < columns && column + j < row + i; j++)
        self->gram[(column + j) * self->n + row + i] = self->gram[(row + i) * self->n + column + j];
  return TOSST_OK;
}

/* Whether enough products are skipped, estimated from the common zeros of a few neighbouring signatures, which mostly
 * belong to one class; of long rows from GRAM_LONG_GROUPS of such groups. */
static bool
is_sparse (const float *x, size_t n, size_t p)
{
  size_t groups = (n + GRAM_NEIGHBOURS - 1) / GRAM_NEIGHBOURS,
         step = p >= GRAM_LONG ? (groups + GRAM_LONG_GROUPS - 1) / GRAM_LONG_GROUPS : 1;
  double kept = 0.0, all = (double)p * (double)((groups + step - 1) / step);

  for (size_t i = 0; i < n; i += step * GRAM_NEIGHBOURS)
    for (size_t first = 0; first < p; first += GRAM_PANEL)
      {
        size_t used = p - first < GRAM_PANEL ? p - first : GRAM_PANEL;
        int any[GRAM_PANEL] = { 0 }, count = 0;
        for (size_t a = i; a < i + GRAM_NEIGHBOURS && a < n; a++)
          for (size_t j = 0; j < used; j++)
            any[j] |= x[a * p + first + j] != 0.0f;
        for (int j = 0; j < GRAM_PANEL; j++)
          count += any[j];
        kept += count;
      }
  return kept * kept <= GRAM_SHARE * all * all;
}

TosstStatus
tosst_svm_gram (TosstContext *context, const float *x, size_t n, int p, double **gram)
{
  TOSST_REQUIRE (context, context && gram && x);
  Gram self = { .x = x, .n = n, .p = (size_t)p, .tile = GRAM_TILE, .share = TOSST_GRAM_WORK * sizeof (double) };
  TosstStatus status;

  *gram = NULL;
  self.is_long = self.p >= GRAM_LONG;
  /* A Gram matrix is profitable if its rows are not much longer than the signatures. */
  if (!(n <= (self.is_long ? GRAM_LONG_MOST_ROWS : GRAM_MOST_ROWS) && n <= 8 * ((size_t)p + 1)))
    return TOSST_OK;
  self.leaves_out = tosst_kernels ()->gram && is_sparse (x, n, self.p);
  if (self.is_long && !self.leaves_out && n >= GRAM_LONG_FROM)
    {
      self.tile = GRAM_LONG_TILE;
      self.share = sizeof (float) * GRAM_LONG_TILE * GRAM_LONG_TILE;
    }
  size_t tiles = (n + self.tile - 1) / self.tile;
  self.share = tosst_thread_stride (self.share);
  self.gram = tosst_alloc_aligned (n * n, sizeof *self.gram);
  self.work = tosst_alloc_aligned ((size_t)tosst_context_threads (context), self.share);
  self.share /= sizeof *self.work;
  if (self.gram && self.work)
    status = tosst_parallel (context, tiles * (tiles + 1) / 2, make_tile, &self, 0.0, 1.0);
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  free (self.work);
  if (status == TOSST_OK)
    *gram = self.gram;
  else
    free (self.gram);
  return status;
}

/* Finite Newton for
 *
 *     f(w) = 1/2 ||w||^2 + C sum_i max (0, 1 - t_i w' x_i)^2          x_i with a trailing 1, w with w_0 at its end
 *
 * f is piecewise quadratic and strongly convex. With A = {i : t_i w' x_i < 1} the gradient is w - 2 C X_A' (t_A - X_A
 * w), and the minimiser of the quadratic piece that contains w has two equivalent forms:
 *
 *     primal  (I + 2 C X_A' X_A) w = 2 C X_A' t_A                     order p + 1
 *     dual    (X_A X_A' + I / (2 C)) beta = t_A,  w = X_A' beta       order |A|
 *
 * Each step solves the smaller of them, followed by an exact line search from w to that point. Once the piece
 * contains the solution, one full step reaches it. Both forms give beta = 2 C (t_A - X_A w), so w is represented as
 * X' alpha together with the products margin = X w; with a Gram matrix no vector of length p is accessed until the
 * end.
 *
 * The initial active set matters: at w = 0 every sample is active. The first active set is therefore estimated: all
 * samples of the class, the other samples most similar to its mean, which contain most of the final A, and some
 * samples of the whole set. Without the last group w_0 and the components of w common to all samples are
 * undetermined, and the first step may violate nearly all samples. If an active set is large nevertheless, it is not
 * the final one, and a few steps of conjugate gradients towards its minimiser suffice. */

/* Derivative of s -> f (w + s d) and its slope. linear: w' d; square: d' d. candidate holds X d here. */
static double
line_derivative (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double s, double linear, double square,
                 double *slope)
{
  const double *candidate = work->candidate, *target = work->target, *margin = work->margin;
  double value = 0.0, curvature = 0.0;

#pragma omp simd reduction(+ : value, curvature) aligned(candidate, target, margin : 64)
  for (size_t i = 0; i < problem->n; i++)
    {
      double short_of = target[i] - margin[i] - s * candidate[i];
      double step = target[i] * short_of > 0.0 ? candidate[i] : 0.0;
      value -= short_of * step;
      curvature += step * step;
    }
  *slope = square + 2.0 * problem->c * curvature;
  return linear + s * square + 2.0 * problem->c * value;
}

/* Zero of an increasing piecewise linear function by bracketed Newton steps. Returns 0 if there is no descent. */
static double
search_line (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double linear, double square)
{
  double slope, low = 0.0, high = INFINITY, s = 1.0;
  double first = line_derivative (problem, work, 0.0, linear, square, &slope);

  if (!(first < 0.0))
    return 0.0;
  for (int i = 0; i < 60; i++)
    {
      double value = line_derivative (problem, work, s, linear, square, &slope), next;
      if (fabs (value) <= -1e-11 * first)
        return s;
      if (value < 0.0)
        low = s;
      else
        high = s;
      next = s - value / slope;
      s = next > low && next < high ? next : isinf (high) ? 2.0 * s : 0.5 * (low + high);
    }
  return s;
}

/* Moves alpha and margin towards beta and candidate by exact line search. Returns false if that is not a descent
 * direction. */
static bool
move (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    work->candidate[i] -= work->margin[i];
  double linear = tosst_dot (problem->n, work->alpha, work->candidate);
  double square = tosst_dot (problem->n, work->beta, work->candidate) - linear;
  double s = search_line (problem, work, linear, fmax (square, 0.0));
  for (size_t i = 0; i < problem->n; i++)
    {
      work->margin[i] += s * work->candidate[i];
      /* A full step must produce exact zeros: the cost of later products depends on the support of alpha. */
      work->alpha[i] = s == 1.0 ? work->beta[i] : work->alpha[i] + s * (work->beta[i] - work->alpha[i]);
    }
  return s > 0.0;
}

static size_t
find_active (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t count = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] * work->margin[i] < fabs (work->target[i]))
      work->active[count++] = i;
  return count;
}

/* ||X' r|| for n coefficients r, many of them zero. Overwrites work->active and work->beta. */
static double
combination_norm (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *r)
{
  double *value = work->beta, sum = 0.0;
  size_t count = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (r[i] != 0.0)
      {
        value[count] = r[i];
        work->active[count++] = i;
      }
  if (!problem->gram)
    {
      tosst_svm_combine_rows (problem, work->active, count, value, work->w);
      return tosst_norm ((size_t)problem->p + 1, work->w);
    }
  for (size_t a = 0; a < count; a++)
    {
      const double *row = problem->gram + work->active[a] * problem->n;
      double even = 0.0, odd = 0.0;
      for (size_t b = 0; b + 2 <= a; b += 2)
        {
          even += row[work->active[b]] * value[b];
          odd += row[work->active[b + 1]] * value[b + 1];
        }
      if (a % 2 == 1)
        even += row[work->active[a - 1]] * value[a - 1];
      sum += value[a] * (2.0 * (even + odd) + row[work->active[a]] * value[a]);
    }
  return sqrt (fmax (sum, 0.0));
}

/* Computes residual = r = alpha - 2 C (t - margin)_A, where X' r is the gradient. */
static void
find_residual (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    {
      double short_of = work->target[i] - work->margin[i];
      work->residual[i] = work->alpha[i] - (work->target[i] * short_of > 0.0 ? 2.0 * problem->c * short_of : 0.0);
    }
}

/* Selects the value of rank `rank` (0: the largest) among n > rank values. Reorders them. */
static double
ranked (double *x, size_t n, size_t rank)
{
  size_t low = 0, high = n - 1;

  while (low < high)
    {
      double pivot = x[low + (high - low) / 2];
      size_t i = low, j = high;
      for (;; i++, j--)
        {
          while (x[i] > pivot)
            i++;
          while (x[j] < pivot)
            j--;
          if (i >= j)
            break;
          double other = x[i];
          x[i] = x[j];
          x[j] = other;
        }
      /* Values low .. j are at least the pivot, the others at most. */
      if (rank <= j)
        high = j;
      else
        low = j + 1;
    }
  return x[low];
}

/* Sets candidate to the similarity of each sample to the sum of the class. */
static void
similarity (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t members = 0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] > 0.0)
      {
        work->active[members] = i;
        work->residual[members++] = 1.0;
      }
  memset (work->candidate, 0, problem->n * sizeof *work->candidate);
  if (problem->gram)
    for (size_t a = 0; a < members; a++)
      for (size_t i = 0; i < problem->n; i++)
        work->candidate[i] += problem->gram[work->active[a] * problem->n + i];
  else
    {
      tosst_svm_combine_rows (problem, work->active, members, work->residual, work->w);
      for (size_t i = 0; i < problem->n; i++)
        work->candidate[i] = tosst_svm_row_product (problem, i, work->w);
    }
}

/* Initial active set: the class, the other samples most similar to it and some of all samples. Returns their number. */
static size_t
guess_active (const TosstSvmProblem *problem, TosstSvmWorkspace *work)
{
  size_t others = 0, members = 0, wanted, count = 0, stride = (problem->n + FIRST_ANYWHERE - 1) / FIRST_ANYWHERE;
  double least = -INFINITY;

  similarity (problem, work);
  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] < 0.0)
      work->beta[others++] = work->candidate[i];
    else
      members += work->target[i] > 0.0;
  wanted = 4 * members > FIRST_NEGATIVES ? 4 * members : FIRST_NEGATIVES;
  if (wanted < others)
    least = ranked (work->beta, others, wanted);
  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] > 0.0 || (work->target[i] < 0.0 && (work->candidate[i] > least || i % stride == stride / 2)))
      work->active[count++] = i;
  return count;
}

static TosstStatus
fail (TosstContext *context, TosstStatus status, int positive, double reached)
{
  if (status == TOSST_ERROR_MEMORY)
    return tosst_context_fail (context, status, "not enough memory to train the classifier");
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_context_fail (context, status, "the classifier of class %d did not converge (relative gradient %.1e)",
                               positive, reached);
  return status;
}

static double
hinge_loss (const TosstSvmProblem *problem, const TosstSvmWorkspace *work)
{
  const double *target = work->target, *margin = work->margin;
  double loss = 0.0;

#pragma omp simd reduction(+ : loss) aligned(target, margin : 64)
  for (size_t i = 0; i < problem->n; i++)
    {
      double hinge = fabs (target[i]) - target[i] * margin[i];
      loss += hinge > 0.0 ? hinge * hinge : 0.0;
    }
  return problem->c * loss;
}

/* Estimate of the rounding error of the gradient; size: ||w||. A product w' x_i has an error of a few units in the
 * last place of ||w|| ||x_i||, and the gradient 2 C times that for every violated sample, along x_i. The sum over
 * samples is rounded too, even at w = 0, where classes with equal means cancel. */
static double
rounding (const TosstSvmProblem *problem, const TosstSvmWorkspace *work, double size)
{
  double sum = 0.0;

  for (size_t i = 0; i < problem->n; i++)
    if (work->target[i] * work->margin[i] < fabs (work->target[i]))
      {
        double square = 1.0;
        const float *x = problem->x ? problem->x + i * (size_t)problem->p : NULL;
        for (int j = 0; x && j < problem->p; j++)
          square += (double)x[j] * x[j];
        if (!x)
          square = problem->gram[i * problem->n + i];
        sum += square * size + sqrt (square) * fabs (work->target[i] - work->margin[i]);
      }
  return 4.0 * DBL_EPSILON * 2.0 * problem->c * sum;
}

/* f is strongly convex with modulus 1, so ||gradient||^2 / 2 bounds the distance of f (w) from the minimum. A
 * gradient that is small relative to its value at zero, which is large for a large C, does not imply a small
 * distance, so that both criteria are required. */
static bool
is_solved (const TosstSvmProblem *problem, double gradient, double scale, double value)
{
  return gradient <= problem->tolerance * scale && 0.5 * gradient * gradient <= OBJECTIVE_GAP * value;
}

double
tosst_svm_sum_norm (const TosstSvmProblem *problem, int positive, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    work->target[i] = tosst_svm_target (problem, positive, i);
  return combination_norm (problem, work, work->target);
}

/* is_solved() from bounds of the gradient, which avoids a product with the Gram matrix, the main cost of a step:
 * sum_i |r_i| ||x_i|| from above and |w' X' r| / ||w|| from below. *gradient: its norm, or such a bound. */
static bool
is_solved_here (const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale, double value, double *gradient,
                bool *exact)
{
  double upper = 0.0, along, square;

  find_residual (problem, work);
  *exact = false;
  for (size_t i = 0; problem->gram && i < problem->n; i++)
    if (work->residual[i] != 0.0)
      upper += fabs (work->residual[i]) * sqrt (problem->gram[i * problem->n + i]);
  along = tosst_dot (problem->n, work->residual, work->margin);
  square = tosst_dot (problem->n, work->alpha, work->margin);
  if (problem->gram && is_solved (problem, *gradient = upper, scale, value))
    return true;
  if (problem->gram && square > 0.0 && !is_solved (problem, *gradient = fabs (along) / sqrt (square), scale, value))
    return false;
  *exact = true;
  *gradient = combination_norm (problem, work, work->residual);
  return is_solved (problem, *gradient, scale, value);
}

/* Newton steps from the initial active set work->active of count samples, up to a maximum number. */
static TosstStatus
descend (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count, int most,
         double scale, TosstSvmDescent *descent)
{
  double gradient = INFINITY, least = INFINITY;
  bool exact = false;
  int idle = 0;

  descent->solved = false;
  for (int step = 0;; step++)
    {
      bool roughly = step > 0 && step <= ROUGH_STEPS && problem->gram && count > LARGE;
      TOSST_TRY (roughly ? tosst_svm_cg_steps (context, problem, work, count)
                         : tosst_svm_solve_active_set (context, problem, work, count));
      /* The initial active set need not give a descent direction; the search then starts from the current point. */
      if (!move (problem, work) && step > 0)
        break;
      /* ||w||^2 = alpha' margin. */
      double value = hinge_loss (problem, work) + 0.5 * tosst_dot (problem->n, work->alpha, work->margin);
      descent->solved = is_solved_here (problem, work, scale, value, &gradient, &exact);
      idle = value < least - LEAST_GAIN * fabs (value) ? 0 : idle + 1;
      least = fmin (least, value);
      if (descent->solved || idle == IDLE_STEPS || step == most)
        break;
      count = find_active (problem, work);
    }
  if (!descent->solved && !exact)
    {
      find_residual (problem, work);
      gradient = combination_norm (problem, work, work->residual);
    }
  descent->reached = gradient / scale;
  descent->at_rounding = !descent->solved && gradient <= rounding (problem, work, sqrt (2.0 * fmax (least, 0.0)));
  return TOSST_OK;
}

/* For a large C and inseparable samples the pieces are nearly singular, and exact steps change the active set by one
 * sample each. The solution for a smaller C has nearly the same active set: continuation in C from below, by factors
 * of sqrt 10. */
static TosstStatus
continue_upwards (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale,
                  TosstSvmDescent *descent)
{
  TosstSvmProblem easier = *problem;
  TosstStatus status = TOSST_OK;

  for (size_t i = 0; i < problem->n; i++)
    work->alpha[i] = work->margin[i] = 0.0;
  for (int power = EASIER; power >= 0 && status == TOSST_OK; power--)
    {
      easier.c = problem->c * pow (CONTINUATION, -power);
      status = descend (context, &easier, work, find_active (&easier, work), MAX_STEPS, scale * easier.c / problem->c,
                        descent);
    }
  return status;
}

/* Computes ||gradient|| and the gradient (p + 1) at w from its margins. work->active becomes the active set of w. */
static double
gradient_at (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *w, double *gradient, size_t *count)
{
  *count = find_active (problem, work);
  for (size_t a = 0; a < *count; a++)
    {
      size_t i = work->active[a];
      work->residual[a] = 2.0 * problem->c * (work->target[i] - work->margin[i]);
    }
  tosst_svm_combine_rows (problem, work->active, *count, work->residual, gradient);
  for (int j = 0; j <= problem->p; j++)
    gradient[j] = w[j] - gradient[j];
  return tosst_norm ((size_t)problem->p + 1, gradient);
}

static void
find_margins (const TosstSvmProblem *problem, TosstSvmWorkspace *work, const double *w)
{
  for (size_t i = 0; i < problem->n; i++)
    work->margin[i] = tosst_svm_row_product (problem, i, w);
}

/* w computed from alpha, which 2 C amplifies from small differences, is not consistent with the margins in finite
 * precision: for a large C and long samples it needs Newton steps on w itself until the gradient no longer decreases.
 * Margins are those of w. gradient, best: p + 1 each. */
static TosstStatus
polish (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale, double *w,
        double *gradient, double *best, TosstSvmDescent *descent)
{
  size_t count = 0, bytes = ((size_t)problem->p + 1) * sizeof *w;
  double least = INFINITY;
  TosstStatus status = TOSST_OK;
  int idle = 0;

  for (int step = 0;; step++)
    {
      double norm = gradient_at (problem, work, w, gradient, &count);
      idle = norm < least ? 0 : idle + 1;
      if (idle == 0)
        {
          double value = 0.5 * tosst_dot ((size_t)problem->p + 1, w, w) + hinge_loss (problem, work);
          least = norm;
          memcpy (best, w, bytes);
          descent->solved = is_solved (problem, norm, scale, value);
          descent->at_rounding
              = !descent->solved && norm <= rounding (problem, work, sqrt (tosst_dot ((size_t)problem->p + 1, w, w)));
        }
      if (descent->solved || step == MOST_POLISH || idle == IDLE_STEPS || !isfinite (norm))
        break;
      status = tosst_svm_solve_hessian (context, problem, work, count, gradient);
      if (status != TOSST_OK)
        break;
      for (int j = 0; j <= problem->p; j++)
        w[j] -= gradient[j];
      find_margins (problem, work, w);
    }
  if (memcmp (w, best, bytes) != 0)
    {
      memcpy (w, best, bytes);
      find_margins (problem, work, w);
    }
  descent->reached = scale > 0.0 ? least / scale : 0.0;
  return status == TOSST_ERROR_NUMERIC ? TOSST_OK : status;
}

static void
begin_class (const TosstSvmProblem *problem, int positive, TosstSvmWorkspace *work)
{
  for (size_t i = 0; i < problem->n; i++)
    {
      work->target[i] = tosst_svm_target (problem, positive, i);
      work->alpha[i] = work->margin[i] = 0.0;
    }
}

/* Leaves the solution in work->alpha. */
static TosstStatus
find_alpha (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale, TosstSvmWorkspace *work,
            TosstSvmDescent *descent)
{
  *descent = (TosstSvmDescent){ .reached = INFINITY };
  begin_class (problem, positive, work);
  TosstStatus status = descend (context, problem, work, guess_active (problem, work), FIRST_STEPS, scale, descent);
  if (status == TOSST_ERROR_NUMERIC || (status == TOSST_OK && !descent->solved && !descent->at_rounding))
    status = continue_upwards (context, problem, work, scale, descent);
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}

TosstStatus
tosst_svm_solve_class (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                       TosstSvmWorkspace *work, double *w, TosstSvmDescent *descent)
{
  TOSST_TRY (find_alpha (context, problem, positive, scale, work, descent));
  /* w = X' alpha. */
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++)
    if (work->alpha[i] != 0.0)
      {
        work->residual[count] = work->alpha[i];
        work->active[count++] = i;
      }
  tosst_svm_combine_rows (problem, work->active, count, work->residual, w);
  return TOSST_OK;
}

TosstStatus
tosst_svm_refine (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                  const double *margins, size_t stride, TosstSvmWorkspace *work, double *w, double *objective,
                  TosstSvmDescent *descent)
{
  double *space = malloc (2 * ((size_t)problem->p + 1) * sizeof *space);

  if (!space)
    return fail (context, TOSST_ERROR_MEMORY, positive, 0.0);
  begin_class (problem, positive, work);
  for (size_t i = 0; i < problem->n; i++)
    work->margin[i] = margins[i * stride];
  TosstStatus status = polish (context, problem, work, scale, w, space, space + problem->p + 1, descent);
  free (space);
  /* If rounding ends the descent, the gradient alone decides. */
  if (status == TOSST_OK && descent->reached > problem->tolerance && !descent->at_rounding)
    status = TOSST_ERROR_NUMERIC;
  if (status == TOSST_OK && objective)
    *objective = 0.5 * tosst_dot ((size_t)problem->p + 1, w, w) + hinge_loss (problem, work);
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}

/* polish() for coefficients alpha: margins are computed from alpha, as users of the machine compute them, before each
 * step. The best alpha so far is in `best`. */
static TosstStatus
polish_alpha (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, double scale,
              double *best, double *objective, TosstSvmDescent *descent)
{
  size_t bytes = problem->n * sizeof *best;
  double least = INFINITY;
  TosstStatus status = TOSST_OK;

  for (int step = 0, idle = 0;; step++)
    {
      tosst_svm_combine_gram (problem, work->alpha, work->margin);
      find_residual (problem, work);
      double norm = combination_norm (problem, work, work->residual);
      idle = norm < least ? 0 : idle + 1;
      if (idle == 0)
        {
          double size = fmax (tosst_dot (problem->n, work->alpha, work->margin), 0.0);
          double value = 0.5 * size + hinge_loss (problem, work);
          least = norm;
          memcpy (best, work->alpha, bytes);
          descent->solved = is_solved (problem, norm, scale, value);
          descent->at_rounding = !descent->solved && norm <= rounding (problem, work, sqrt (size));
          if (objective)
            *objective = value;
        }
      if (descent->solved || step == MOST_POLISH || idle == IDLE_STEPS || !isfinite (norm))
        break;
      status = tosst_svm_solve_active_set (context, problem, work, find_active (problem, work));
      if (status != TOSST_OK)
        break;
      memcpy (work->alpha, work->beta, bytes);
    }
  descent->reached = scale > 0.0 ? least / scale : 0.0;
  return status == TOSST_ERROR_NUMERIC ? TOSST_OK : status;
}

TosstStatus
tosst_svm_solve_kernel (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                        TosstSvmWorkspace *work, double *alpha, double *objective, TosstSvmDescent *descent)
{
  TosstStatus status = find_alpha (context, problem, positive, scale, work, descent);

  TOSST_THEN (status, polish_alpha (context, problem, work, scale, alpha, objective, descent));
  if (status == TOSST_OK && descent->reached > problem->tolerance && !descent->at_rounding)
    status = TOSST_ERROR_NUMERIC;
  return status == TOSST_OK ? TOSST_OK : fail (context, status, positive, descent->reached);
}
