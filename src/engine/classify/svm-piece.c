/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One quadratic piece of the objective (see svm-newton.c), solved in its primal or its dual form, whichever is smaller.
 */

#include "classify/svm-newton.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

enum
{
  ROW_RUN = 256, /* rows gathered at once for the primal form */
  PANEL = 256,   /* columns factorised between two looks at the cancel flag */
};

bool
tosst_svm_workspace_init (TosstSvmWorkspace *work, size_t n, int p)
{
  double **vectors[] = { &work->alpha, &work->margin, &work->beta, &work->candidate, &work->target, &work->residual };

  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = malloc (n * sizeof (double))))
      return false;
  work->w = malloc (((size_t)p + 1) * sizeof (double));
  work->active = malloc (n * sizeof (size_t));
  return work->w && work->active;
}

void
tosst_svm_workspace_clear (TosstSvmWorkspace *work)
{
  free (work->alpha);
  free (work->margin);
  free (work->beta);
  free (work->candidate);
  free (work->target);
  free (work->residual);
  free (work->w);
  free (work->active);
  free (work->system);
  free (work->rows);
  memset (work, 0, sizeof *work);
}

static bool
grow (double **buffer, size_t *capacity, size_t needed)
{
  if (*capacity >= needed)
    return true;
  free (*buffer);
  *buffer = malloc (needed * sizeof (double));
  *capacity = *buffer ? needed : 0;
  return *buffer != NULL;
}

void
tosst_svm_gather (const TosstSvmProblem *problem, const size_t *index, size_t first, size_t count, double *rows)
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

void
tosst_svm_combine_rows (const TosstSvmProblem *problem, const size_t *active, size_t count, const double *beta,
                        double *w)
{
  memset (w, 0, ((size_t)problem->p + 1) * sizeof *w);
  for (size_t a = 0; a < count; a++)
    {
      const float *x = problem->x + active[a] * (size_t)problem->p;
      double factor = beta[a];
#pragma omp simd
      for (int j = 0; j < problem->p; j++)
        w[j] += factor * x[j];
      w[problem->p] += factor;
    }
}

/* Lower Cholesky factor of a row-major matrix in place, panel by panel: LAPACK's own cannot be cancelled. */
static TosstStatus
factorise (TosstContext *context, double *a, size_t order)
{
  for (size_t k = 0; k < order; k += PANEL)
    {
      size_t width = order - k < PANEL ? order - k : PANEL, rest = order - k - width;
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
solve_factorised (const double *factor, size_t order, double *b)
{
  cblas_dtrsv (CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)order, factor, (int)order, b, 1);
  cblas_dtrsv (CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)order, factor, (int)order, b, 1);
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
  if (!grow (&work->rows, &work->rows_capacity, count * width))
    return false;
  tosst_svm_gather (problem, work->active, 0, count, work->rows);
  cblas_dsyrk (CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)width, 1.0, work->rows, (int)width, 0.0,
               work->system, (int)count);
  return true;
}

/* X_A X_A' + I / (2 C), factored. */
static TosstStatus
factorise_dual (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  if (!grow (&work->system, &work->system_capacity, count * count) || !active_gram (problem, work, count))
    return TOSST_ERROR_MEMORY;
  for (size_t a = 0; a < count; a++)
    work->system[a * count + a] += 0.5 / problem->c;
  return factorise (context, work->system, count);
}

/* The dual form: leaves beta of the active samples in residual[0 .. count). */
static TosstStatus
solve_dual (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  TosstStatus status = factorise_dual (context, problem, work, count);

  for (size_t a = 0; a < count; a++)
    work->residual[a] = work->target[work->active[a]];
  if (status != TOSST_OK)
    return status;
  solve_factorised (work->system, count, work->residual);
  if (!problem->gram)
    tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  return TOSST_OK;
}

/* I + 2 C X_A' X_A, factored. */
static TosstStatus
factorise_primal (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  size_t width = (size_t)problem->p + 1;

  if (!grow (&work->system, &work->system_capacity, width * width)
      || !grow (&work->rows, &work->rows_capacity, ROW_RUN * width))
    return TOSST_ERROR_MEMORY;
  memset (work->system, 0, width * width * sizeof *work->system);
  for (size_t a = 0; a < count; a += ROW_RUN)
    {
      size_t run = count - a < ROW_RUN ? count - a : ROW_RUN;
      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      tosst_svm_gather (problem, work->active + a, 0, run, work->rows);
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)run, 2.0 * problem->c, work->rows,
                   (int)width, 1.0, work->system, (int)width);
    }
  for (size_t j = 0; j < width; j++)
    work->system[j * width + j] += 1.0;
  return factorise (context, work->system, width);
}

/* The primal form: leaves the point in w, and beta of the active samples in residual[0 .. count). */
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
  solve_factorised (work->system, width, work->w);
  for (size_t a = 0; a < count; a++)
    work->residual[a] = 2.0 * problem->c
                        * (work->target[work->active[a]] - tosst_svm_row_product (problem, work->active[a], work->w));
  return TOSST_OK;
}

TosstStatus
tosst_svm_correct (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count,
                   double *g)
{
  TosstStatus status;

  if (count == 0)
    return TOSST_OK;
  if (count > (size_t)problem->p + 1)
    {
      status = factorise_primal (context, problem, work, count);
      if (status == TOSST_OK)
        solve_factorised (work->system, (size_t)problem->p + 1, g);
      return status;
    }
  /* (I + 2 C X' X)^{-1} = I - X' (X X' + I / (2 C))^{-1} X */
  status = factorise_dual (context, problem, work, count);
  if (status != TOSST_OK)
    return status;
  for (size_t a = 0; a < count; a++)
    work->residual[a] = tosst_svm_row_product (problem, work->active[a], g);
  solve_factorised (work->system, count, work->residual);
  tosst_svm_combine_rows (problem, work->active, count, work->residual, work->w);
  for (int j = 0; j <= problem->p; j++)
    g[j] -= work->w[j];
  return TOSST_OK;
}

TosstStatus
tosst_svm_solve_piece (TosstContext *context, const TosstSvmProblem *problem, TosstSvmWorkspace *work, size_t count)
{
  bool dual = count <= (size_t)problem->p + 1;
  TosstStatus status;

  /* Where no sample is violated only ||w||^2 / 2 is left. BLAS wants no matrices of order 0. */
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
    {
      memset (work->candidate, 0, problem->n * sizeof *work->candidate);
      for (size_t a = 0; a < count; a++)
        cblas_daxpy ((int)problem->n, work->residual[a], problem->gram + work->active[a] * problem->n, 1,
                     work->candidate, 1);
    }
  else
    for (size_t i = 0; i < problem->n; i++)
      work->candidate[i] = tosst_svm_row_product (problem, i, work->w);
  return TOSST_OK;
}
