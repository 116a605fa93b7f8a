/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Least squares on m landmarks among n samples, in time n m^2. With K_MM + 1 = V e V', W = V e^{-1/2} and Z = (S + 1) W the
 * problem is a ridge regression on the rows of Z: a = W b, (Z'Z + ridge I) b = Z' t. With Z'Z = U d U' its leave-one-out
 * for any ridge takes (S + 1) W U, which like Z is made in blocks of rows and not stored. */
#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/classify/kernel-private.h"
#include "engine/classify/tuning.h"

typedef struct
{
  TosstContext *context;
  const double *rows; /* n x m, without the 1 of the bias */
  size_t n, m;
  const int *labels;
  const signed char *targets;
  int classes, count; /* of ridges */
  const double *ridge;
  int r;                    /* rank of K_MM + 1 */
  double *W, *R;            /* m x r, column by column: W, and W U */
  double *sums;             /* of the columns of the one in use */
  double *A, *U, *d;        /* r x r: Z'Z (lower triangle), its eigenvectors or a factor; its eigenvalues */
  double *Zt;               /* Z' T: r x classes, column by column */
  double *block, *gathered; /* LANDMARK_ROWS x r: rows of Z or Z U; LANDMARK_OTHERS x m: rows */
  double *t;                /* classes x LANDMARK_ROWS: targets */
  double *inverse, *solved; /* count x r: 1 / (d + ridge); count x classes x r: that times U' Z' T */
  double *residuals;        /* count x classes x n */
  double *leverage;         /* count x LANDMARK_ROWS: h */
  TosstMemory memory;
} Landmarks;

static double
target (const Landmarks *self, int c, size_t i)
{
  return tosst_kernel_target (self->labels, self->targets, self->n, c, i);
}

/* W = V e^{-1/2}, without eigenvalues that are rounding errors. */
static TosstStatus
find_basis (Landmarks *self, const double *landmarks)
{
  size_t m = self->m, first = 0;

  for (size_t i = 0; i < m * m; i++)
    self->W[i] = landmarks[i] + 1.0;
  if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', (int)m, self->W, (int)m, self->d) != 0)
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the eigenvalues of a Gram matrix did not converge");
  while (first + 1 < m && !(self->d[first] > LANDMARK_RANK * self->d[m - 1]))
    first++;
  self->r = (int)(m - first);
  memmove (self->W, self->W + first * m, (size_t)self->r * m * sizeof *self->W);
  for (size_t k = 0; k < (size_t)self->r; k++)
    cblas_dscal ((int)m, 1.0 / sqrt (fmax (self->d[first + k], LANDMARK_LEAST)), self->W + k * m, 1);
  return TOSST_OK;
}

/* Sums over the columns of W or R, for the 1 of the bias. */
static void
add_columns (Landmarks *self, const double *M)
{
  for (size_t k = 0; k < (size_t)self->r; k++)
    {
      self->sums[k] = 0.0;
      for (size_t i = 0; i < self->m; i++)
        self->sums[k] += M[k * self->m + i];
    }
}

/* (S + 1) M for `count` rows of S, M being W or R. */
static TosstStatus
transform_rows (Landmarks *self, const double *M, const double *rows, size_t count)
{
  size_t r = (size_t)self->r;

  for (size_t i = 0; i < count; i++)
    memcpy (self->block + i * r, self->sums, r * sizeof *self->sums);
  return tosst_dgemm (self->context, CblasTrans, CblasNoTrans, self->r, (int)count, (int)self->m, 1.0, M, (int)self->m,
                      rows, (int)self->m, 1.0, self->block, self->r);
}

static size_t
rows_from (const Landmarks *self, size_t first)
{
  return self->n - first < LANDMARK_ROWS ? self->n - first : LANDMARK_ROWS;
}

static TosstStatus
transform (Landmarks *self, const double *M, size_t first)
{
  if (tosst_context_checkpoint (self->context))
    return TOSST_CANCELLED;
  return transform_rows (self, M, self->rows + first * self->m, rows_from (self, first));
}

/* A = Z'Z and Z'T. */
static TosstStatus
accumulate (Landmarks *self)
{
  TosstStatus status = TOSST_OK;
  int r = self->r;

  add_columns (self, self->W);
  memset (self->A, 0, (size_t)r * (size_t)r * sizeof *self->A);
  memset (self->Zt, 0, (size_t)r * (size_t)self->classes * sizeof *self->Zt);
  for (size_t first = 0; first < self->n && status == TOSST_OK; first += LANDMARK_ROWS)
    {
      size_t count = rows_from (self, first);

      for (int c = 0; c < self->classes; c++)
        for (size_t i = 0; i < count; i++)
          self->t[(size_t)c * LANDMARK_ROWS + i] = target (self, c, first + i);
      status = transform (self, self->W, first);
      TOSST_THEN (status, tosst_dgemm_lower (self->context, CblasNoTrans, CblasTrans, r, (int)count, 1.0, self->block,
                                             r, self->block, r, 1.0, self->A, r));
      TOSST_THEN (status, tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, r, self->classes, (int)count, 1.0,
                                       self->block, r, self->t, LANDMARK_ROWS, 1.0, self->Zt, r));
      tosst_context_progress (self->context, 0.5 * (double)(first + count) / (double)self->n);
    }
  return status;
}

/* t - f and 1 - h of some rows, from those of Z U, for all ridges. */
static TosstStatus
predict_rows (Landmarks *self, size_t first, size_t count)
{
  int r = self->r, columns = self->count * self->classes;
  size_t values = count * (size_t)r;
  TosstStatus status = tosst_dgemm (self->context, CblasTrans, CblasNoTrans, (int)count, columns, r, -1.0, self->block,
                                    r, self->solved, r, 0.0, self->residuals + first, (int)self->n);

  for (size_t a = 0; a < values; a++)
    self->block[a] *= self->block[a];
  TOSST_THEN (status, tosst_dgemm (self->context, CblasTrans, CblasNoTrans, (int)count, self->count, r, 1.0,
                                   self->block, r, self->inverse, r, 0.0, self->leverage, LANDMARK_ROWS));
  for (int j = 0; j < columns && status == TOSST_OK; j++)
    for (size_t i = 0; i < count; i++)
      {
        double *residual = self->residuals + (size_t)j * self->n + first + i;
        double left = 1.0 - self->leverage[(size_t)(j / self->classes) * LANDMARK_ROWS + i];
        *residual = (target (self, j % self->classes, first + i) + *residual) / fmax (left, LANDMARK_LEAST);
      }
  return status;
}

/* Leave-one-out with all samples that have targets, for all ridges. */
static TosstStatus
leave_one_out (Landmarks *self, TosstLeaveOneOut *result)
{
  size_t r = (size_t)self->r, classes = (size_t)self->classes;
  int n = self->r, columns = self->classes;
  TosstStatus status = tosst_copy (self->context, r * r, self->A, self->U);

  if (status == TOSST_OK && LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', n, self->U, n, self->d) != 0)
    status
        = tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "the eigenvalues of a Gram matrix did not converge");
  TOSST_THEN (status, tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, (int)self->m, n, n, 1.0, self->W,
                                   (int)self->m, self->U, n, 0.0, self->R, (int)self->m));
  TOSST_THEN (status, tosst_dgemm (self->context, CblasTrans, CblasNoTrans, n, columns, n, 1.0, self->U, n, self->Zt, n,
                                   0.0, self->solved, n));
  for (size_t s = (size_t)self->count; s-- > 0 && status == TOSST_OK;)
    for (size_t k = 0; k < r; k++)
      {
        self->inverse[s * r + k] = 1.0 / (fmax (self->d[k], 0.0) + self->ridge[s]);
        for (size_t c = 0; c < classes; c++)
          self->solved[(s * classes + c) * r + k] = self->solved[c * r + k] * self->inverse[s * r + k];
      }
  add_columns (self, self->R);
  for (size_t first = 0; first < self->n && status == TOSST_OK; first += LANDMARK_ROWS)
    {
      status = transform (self, self->R, first);
      TOSST_THEN (status, predict_rows (self, first, rows_from (self, first)));
      tosst_context_progress (self->context, 0.5 + 0.5 * (double)first / (double)self->n);
    }
  for (int s = 0; s < self->count && status == TOSST_OK; s++)
    tosst_kernel_sum_up (self->residuals + (size_t)s * classes * self->n, self->n, self->labels, self->targets,
                         self->classes, &result[s]);
  return status;
}

/* Whether the samples of target 0 are those of the class before. */
static bool
leaves_the_same_out (const Landmarks *self, int c)
{
  const signed char *own = self->targets + (size_t)c * self->n;

  if (self->labels || c == 0)
    return c > 0;
  for (size_t i = 0; i < self->n; i++)
    if ((own[i] == 0) != (own[i - self->n] == 0))
      return false;
  return true;
}

/* Makes U the matrix A of the samples that a class has, with the ridge; lower triangle. */
static TosstStatus
subtract_others (Landmarks *self, int c, double ridge)
{
  size_t r = (size_t)self->r, others = 0;
  TosstStatus status = tosst_copy (self->context, r * r, self->A, self->U);

  for (size_t i = 0; i < self->n && status == TOSST_OK; i++)
    {
      if (target (self, c, i) == 0.0)
        memcpy (self->gathered + others++ * self->m, self->rows + i * self->m, self->m * sizeof *self->gathered);
      if (others == 0 || (others < LANDMARK_OTHERS && i + 1 < self->n))
        continue;
      status = transform_rows (self, self->W, self->gathered, others);
      TOSST_THEN (status, tosst_dgemm_lower (self->context, CblasNoTrans, CblasTrans, self->r, (int)others, -1.0,
                                             self->block, self->r, self->block, self->r, 1.0, self->U, self->r));
      others = 0;
    }
  for (size_t k = 0; k < r; k++)
    self->U[k * r + k] += ridge;
  return status;
}

/* b of a class by the factor in U; returns ||Z' (t - Z b) - ridge b|| / ||Z' t||. */
static double
solve_class (const Landmarks *self, int c, double *b)
{
  int r = self->r;
  const double *Zt = self->Zt + (size_t)c * (size_t)r;

  memcpy (b, Zt, (size_t)r * sizeof *b);
  cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, r, self->U, r, b, 1);
  cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, r, self->U, r, b, 1);
  memcpy (self->d, b, (size_t)r * sizeof *b);
  cblas_dtrmv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, r, self->U, r, self->d, 1);
  cblas_dtrmv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, r, self->U, r, self->d, 1);
  for (int k = 0; k < r; k++)
    self->d[k] -= Zt[k];
  return tosst_norm ((size_t)r, self->d) / fmax (tosst_norm ((size_t)r, Zt), LANDMARK_LEAST);
}

static TosstStatus
train (Landmarks *self, double ridge, TosstKernelMachine *machine)
{
  TosstStatus status = TOSST_OK;
  size_t m = self->m;

  add_columns (self, self->W);
  for (int c = 0; c < self->classes && status == TOSST_OK; c++)
    {
      if (!leaves_the_same_out (self, c))
        {
          status = tosst_context_checkpoint (self->context) ? TOSST_CANCELLED : subtract_others (self, c, ridge);
          TOSST_THEN (status, tosst_cholesky (self->context, self->r, self->U));
        }
      if (status == TOSST_OK)
        machine->residual = fmax (machine->residual, solve_class (self, c, self->solved + (size_t)c * (size_t)self->r));
    }
  TOSST_THEN (status, tosst_dgemm (self->context, CblasNoTrans, CblasNoTrans, (int)m, self->classes, self->r, 1.0,
                                   self->W, (int)m, self->solved, self->r, 0.0, machine->coefficients, (int)m));
  for (size_t a = 0; a < m * (size_t)self->classes; a++)
    machine->bias[a / m] += machine->coefficients[a];
  return status;
}

static bool
landmarks_init (Landmarks *self)
{
  size_t m = self->m, classes = (size_t)self->classes, count = (size_t)self->count, n = self->n;
  TosstMemory *memory = &self->memory;

  self->W = tosst_keep (memory, tosst_alloc_aligned (m * m, sizeof (double)));
  self->R = tosst_keep (memory, tosst_alloc_aligned (m * m, sizeof (double)));
  self->A = tosst_keep (memory, tosst_alloc_aligned (m * m, sizeof (double)));
  self->U = tosst_keep (memory, tosst_alloc_aligned (m * m, sizeof (double)));
  self->block = tosst_keep (memory, tosst_alloc_aligned (LANDMARK_ROWS * m, sizeof (double)));
  self->gathered = tosst_keep (memory, tosst_alloc_aligned (LANDMARK_OTHERS * m, sizeof (double)));
  self->d = tosst_keep (memory, tosst_alloc_aligned (m, sizeof (double)));
  self->sums = tosst_keep (memory, tosst_alloc_aligned (m, sizeof (double)));
  self->Zt = tosst_keep (memory, tosst_alloc_aligned (m * classes, sizeof (double)));
  self->t = tosst_keep (memory, tosst_alloc_aligned (classes * LANDMARK_ROWS, sizeof (double)));
  self->solved = tosst_keep (memory, tosst_alloc_aligned (count * classes * m, sizeof (double)));
  self->inverse = tosst_keep (memory, tosst_alloc_aligned (count * m, sizeof (double)));
  self->leverage = tosst_keep (memory, tosst_alloc_aligned (count * LANDMARK_ROWS, sizeof (double)));
  self->residuals = tosst_keep (memory, tosst_alloc_aligned (count * classes * n, sizeof (double)));
  return !memory->failed;
}

static TosstStatus
check (TosstContext *context, const double *landmarks, size_t m, const double *rows, size_t n, int classes,
       const double *ridge, int count)
{
  TosstStatus status = tosst_kernel_check_ridges (context, ridge, count);
  double probe = 0.0;

  if (status == TOSST_OK && (m == 0 || m > n || n > INT32_MAX || classes <= 0 || count < 1))
    status = tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                                 "a classifier of %d classes cannot be trained on %zu landmarks among %zu samples",
                                 classes, m, n);
  for (size_t a = 0; status == TOSST_OK && a < m * m; a++)
    probe += landmarks[a] * 0.0;
  for (size_t a = 0; status == TOSST_OK && a < n * m; a++)
    probe += rows[a] * 0.0;
  return status == TOSST_OK && probe != 0.0
             ? tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the Gram matrix is not finite")
             : status;
}

TosstStatus
tosst_kernel_train_landmarks (TosstContext *context, const double *landmarks, size_t m, const double *rows, size_t n,
                              const int *labels, const signed char *targets, int classes, const double *ridge,
                              int count, TosstLeaveOneOut *result, TosstKernelMachine **machine)
{
  TOSST_REQUIRE (context, context && landmarks && rows && ridge && (labels || targets));
  Landmarks self = { .context = context,
                     .rows = rows,
                     .n = n,
                     .m = m,
                     .labels = labels,
                     .targets = targets,
                     .classes = classes,
                     .count = count,
                     .ridge = ridge };
  TosstStatus status = check (context, landmarks, m, rows, n, classes, ridge, count);
  TosstKernelMachine *made = NULL;
  int best = 0;

  if (machine)
    *machine = NULL;
  if (status != TOSST_OK)
    return status;
  if (!landmarks_init (&self) || (machine && !(made = tosst_kernel_machine_new (m, classes))))
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to train the classifier");
  TOSST_THEN (status, find_basis (&self, landmarks));
  TOSST_THEN (status, accumulate (&self));
  if (status == TOSST_OK && result)
    status = leave_one_out (&self, result);
  for (int s = 1; status == TOSST_OK && result && s < count; s++)
    best = tosst_leave_one_out_is_better (&result[s], &result[best]) ? s : best;
  if (status == TOSST_OK && machine)
    status = train (&self, ridge[best], made);
  tosst_release (&self.memory);
  if (status == TOSST_OK && machine)
    *machine = made;
  else
    tosst_kernel_machine_free (made);
  return status;
}
