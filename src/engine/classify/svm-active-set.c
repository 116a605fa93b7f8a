/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One quadratic piece of the objective (see svm-newton.c), solved in its primal or its dual form, whichever is smaller.
 */

#include "engine/classify/svm-private.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/vector.h"
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

bool
tosst_svm_reserve (double **buffer, size_t *capacity, size_t needed)
{
  if (*capacity >= needed)
    return true;
  free (*buffer);
  *buffer = aligned_alloc (64, (needed * sizeof (double) + 63) / 64 * 64);
  *capacity = *buffer ? needed : 0;
  return *buffer != NULL;
}

void
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

double
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

/* Four rows per pass to overlap memory accesses. */
void
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
  TosstStatus status = factorise_dual (context, problem, work, count);

  for (size_t a = 0; a < count; a++)
    work->residual[a] = work->target[work->active[a]];
  if (status != TOSST_OK)
    return status;
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
  TosstStatus status = factorise_primal (context, problem, work, count);

  if (status != TOSST_OK)
    return status;
  for (size_t a = 0; a < count; a++)
    work->residual[a] = 2.0 * problem->c * work->target[work->active[a]];
  tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  solve_factorised (work, width, work->w);
  for (size_t a = 0; a < count; a++)
    work->residual[a] = 2.0 * problem->c
                        * (work->target[work->active[a]] - tosst_svm_row_product (problem, work->active[a], work->w));
  return TOSST_OK;
}

TosstStatus
tosst_svm_solve_hessian (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count,
                         double *g)
{
  TosstStatus status;

  if (count == 0)
    return TOSST_OK;
  if (count > (size_t)problem->p + 1)
    {
      status = factorise_primal (context, problem, work, count);
      if (status == TOSST_OK)
        solve_factorised (work, (size_t)problem->p + 1, g);
      return status;
    }
  /* (I + 2 C X' X)^{-1} = I - X' (X X' + I / (2 C))^{-1} X */
  status = factorise_dual (context, problem, work, count);
  if (status != TOSST_OK)
    return status;
  for (size_t a = 0; a < count; a++)
    work->residual[a] = tosst_svm_row_product (problem, work->active[a], g);
  solve_factorised (work, count, work->residual);
  tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  for (int j = 0; j <= problem->p; j++)
    g[j] -= work->w[j];
  return TOSST_OK;
}

TosstStatus
tosst_svm_solve_active_set (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work,
                            size_t count)
{
  bool dual = count <= (size_t)problem->p + 1;
  TosstStatus status;

  /* Without active samples the objective is ||w||^2 / 2. BLAS does not accept matrices of order 0. */
  if (count == 0)
    {
      memset (work->beta, 0, problem->n * sizeof *work->beta);
      memset (work->candidate, 0, problem->n * sizeof *work->candidate);
      return TOSST_OK;
    }
  status = dual ? solve_dual (context, problem, work, count) : solve_primal (context, problem, work, count);

  if (status != TOSST_OK)
    return status;
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

bool
tosst_svm_is_large (const TosstSvmProblem *problem, size_t count)
{
  return problem->gram && count > LARGE;
}

/* Conjugate gradients on H d = -gradient, H = I + 2 C X_A' X_A. Every vector is X' v for a vector v of n
 * coefficients: H maps v to v + 2 C (G v)_A, and the inner product is u' G v. Each step takes one product with the
 * rows of G in the support of the gradient or in A. The direction is a descent direction after any number of steps. */
TosstStatus
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
