/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Leave-one-out of ridge regression for many values of the ridge: with k + 1 = U S U'
 *     (H^{-1} T) = U (S + ridge)^{-1} U' T,   (H^{-1})_ii = sum_k U_ik^2 / (s_k + ridge). */
#include <lapacke.h>

#include "engine/base/base.h"
#include "engine/classify/kernel-private.h"
#include "engine/classify/tuning.h"

bool
tosst_leave_one_out_is_better (const TosstLeaveOneOut *a, const TosstLeaveOneOut *b)
{
  return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->error < b->error);
}

/* Accuracy and error of leave-one-out residuals t - prediction. residuals: classes x n; those of target 0 are
 * ignored. */
void
tosst_kernel_sum_up (const double *residuals, size_t n, const int *labels, const signed char *targets, int classes,
                     TosstLeaveOneOut *result)
{
  size_t right = 0, tested = 0, squares = 0;
  double sum = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      double best = -INFINITY;
      int decided = 0;
      for (int c = 0; c < classes; c++)
        {
          double t = tosst_kernel_target (labels, targets, n, c, i), residual = residuals[(size_t)c * n + i];
          if (t == 0.0)
            continue;
          sum += residual * residual;
          squares++;
          right += !labels && t * (t - residual) > 0.0;
          if (t - residual > best)
            {
              best = t - residual;
              decided = c;
            }
        }
      right += labels && decided == labels[i];
    }
  tested = labels ? n : squares;
  result->accuracy = tested > 0 ? (double)right / (double)tested : 0.0;
  result->error = squares > 0 ? sum / (double)squares : 0.0;
}

typedef struct
{
  double *vectors;          /* n x n, column by column */
  double *values;           /* n */
  double *targets;          /* classes x n */
  double *rotated, *scaled; /* U' T and that divided by eigenvalues: classes x n */
  double *diagonal;         /* n */
  TosstMemory memory;
} Ridge;

static bool
ridge_init (Ridge *self, const double *gram, size_t n, const int *labels, const signed char *targets, int classes)
{
  size_t bytes = (size_t)classes * n * sizeof (double);

  self->vectors = tosst_keep (&self->memory, tosst_kernel_add_bias (gram, n));
  self->values = tosst_keep (&self->memory, malloc (n * sizeof (double)));
  self->targets = tosst_keep (&self->memory, malloc (bytes));
  self->rotated = tosst_keep (&self->memory, malloc (bytes));
  self->scaled = tosst_keep (&self->memory, malloc (bytes));
  self->diagonal = tosst_keep (&self->memory, malloc (n * sizeof (double)));
  for (int c = 0; c < classes && !self->memory.failed; c++)
    for (size_t i = 0; i < n; i++)
      self->targets[(size_t)c * n + i] = tosst_kernel_target (labels, targets, n, c, i);
  return !self->memory.failed;
}

/* Leaves the residuals of one ridge in self->scaled. */
static TosstStatus
try_ridge (TosstContext *context, Ridge *self, size_t n, int classes, double ridge)
{
  size_t count = (size_t)classes * n;

  for (size_t i = 0; i < n; i++)
    self->diagonal[i] = 0.0;
  for (size_t k = 0; k < n; k++)
    {
      double inverse = 1.0 / (fmax (self->values[k], 0.0) + ridge);
      for (size_t i = 0; i < n; i++)
        self->diagonal[i] += self->vectors[k * n + i] * self->vectors[k * n + i] * inverse;
      for (int c = 0; c < classes; c++)
        self->targets[(size_t)c * n + k] = self->rotated[(size_t)c * n + k] * inverse;
    }
  TosstStatus status = tosst_dgemm (context, CblasNoTrans, CblasNoTrans, (int)n, classes, (int)n, 1.0, self->vectors,
                                    (int)n, self->targets, (int)n, 0.0, self->scaled, (int)n);
  for (size_t a = 0; a < count; a++)
    self->scaled[a] /= self->diagonal[a % n];
  return status;
}

TosstStatus
tosst_kernel_check_ridges (TosstContext *context, const double *ridge, int count)
{
  for (int i = 0; i < count; i++)
    if (!(ridge[i] > 0.0) || isinf (ridge[i]))
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the ridge must be a positive number, not %g",
                                 ridge[i]);
  return TOSST_OK;
}

TosstStatus
tosst_kernel_leave_one_out (TosstContext *context, const double *gram, size_t n, const int *labels,
                            const signed char *targets, int classes, const double *ridge, int count,
                            TosstLeaveOneOut *result)
{
  TOSST_REQUIRE (context, context && gram && ridge && result && (labels || targets));
  Ridge self = { 0 };
  TosstStatus status = tosst_kernel_check_ridges (context, ridge, count);

  if (status != TOSST_OK || tosst_context_checkpoint (context))
    return status != TOSST_OK ? status : TOSST_CANCELLED;
  if (!ridge_init (&self, gram, n, labels, targets, classes))
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for leave-one-out");
  else if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'L', (int)n, self.vectors, (int)n, self.values) != 0)
    status = tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the eigenvalues of a Gram matrix did not converge");
  TOSST_THEN (status, tosst_dgemm (context, CblasTrans, CblasNoTrans, (int)n, classes, (int)n, 1.0, self.vectors,
                                   (int)n, self.targets, (int)n, 0.0, self.rotated, (int)n));
  for (int i = 0; i < count && status == TOSST_OK; i++)
    {
      if (tosst_context_checkpoint (context))
        status = TOSST_CANCELLED;
      else
        status = try_ridge (context, &self, n, classes, ridge[i]);
      if (status == TOSST_OK)
        tosst_kernel_sum_up (self.scaled, n, labels, targets, classes, &result[i]);
    }
  tosst_release (&self.memory);
  return status;
}

/* Weights of a sum of Gram matrices by leave-one-out of ridge regression. A candidate takes one Cholesky factorisation
 * and inverse, some 1e9 operations for 1000 samples; candidates of one step are tried on all threads. A step sets the
 * weight of one part to each value of a grid and scales the others to the sum 1, or tries all values of C. */

static const double grid[] = { 0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 };
#define GRID ((int)(sizeof grid / sizeof *grid))

typedef struct
{
  double *weights; /* parts; borrowed */
  double c;
  TosstLeaveOneOut result;
} Candidate;

typedef struct
{
  TosstContext *context;
  const double *const *grams;
  int parts, classes;
  size_t n;
  const int *labels;
  const signed char *targets;
  double *work;     /* of each worker: n x n, and 2 classes x n */
  size_t share;     /* doubles */
  Candidate *tried; /* parts or GRID or TOSST_SVM_GRID, with weights */
  int count;
  double *weights; /* the best so far */
  double c;
  TosstLeaveOneOut best;
  TosstMemory memory;
} Search;

static TosstStatus
evaluate (size_t item, int worker, void *data)
{
  const Search *self = data;
  Candidate *candidate = &self->tried[item];
  size_t n = self->n, classes = (size_t)self->classes;
  double *system = self->work + (size_t)worker * self->share, *targets = system + n * n;
  double *residuals = targets + classes * n;

  tosst_kernel_sum (self->grams, candidate->weights, self->parts, n * n, system);
  for (size_t i = 0; i < n * n; i++)
    system[i] += 1.0;
  for (size_t i = 0; i < n; i++)
    system[i * n + i] += TOSST_KERNEL_RIDGE (candidate->c);
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', (int)n, system, (int)n) != 0
      || LAPACKE_dpotri_work (LAPACK_COL_MAJOR, 'L', (int)n, system, (int)n) != 0)
    {
      candidate->result = (TosstLeaveOneOut){ -1.0, INFINITY };
      return TOSST_OK;
    }
  for (size_t c = 0; c < classes; c++)
    for (size_t i = 0; i < n; i++)
      targets[c * n + i] = tosst_kernel_target (self->labels, self->targets, n, (int)c, i);
  cblas_dsymm (CblasColMajor, CblasLeft, CblasLower, (int)n, self->classes, 1.0, system, (int)n, targets, (int)n, 0.0,
               residuals, (int)n);
  for (size_t c = 0; c < classes; c++)
    for (size_t i = 0; i < n; i++)
      residuals[c * n + i] /= system[i * n + i];
  tosst_kernel_sum_up (residuals, n, self->labels, self->targets, self->classes, &candidate->result);
  return TOSST_OK;
}

/* Tries self->count candidates and keeps the first of the best, if it is better than the present one. */
static TosstStatus
try_all (Search *self, bool *improved)
{
  TosstStatus status = tosst_parallel (self->context, (size_t)self->count, evaluate, self, 0.0, 0.0);

  for (int i = 0; i < self->count && status == TOSST_OK; i++)
    if (tosst_leave_one_out_is_better (&self->tried[i].result, &self->best))
      {
        self->best = self->tried[i].result;
        self->c = self->tried[i].c;
        memcpy (self->weights, self->tried[i].weights, (size_t)self->parts * sizeof *self->weights);
        *improved = true;
      }
  return status;
}

static Candidate *
next_candidate (Search *self)
{
  Candidate *candidate = &self->tried[self->count++];

  candidate->c = self->c;
  memcpy (candidate->weights, self->weights, (size_t)self->parts * sizeof *candidate->weights);
  return candidate;
}

static TosstStatus
try_c (Search *self, bool *improved)
{
  self->count = 0;
  for (int i = 0; i < TOSST_SVM_GRID; i++)
    next_candidate (self)->c = tosst_svm_grid (i);
  return try_all (self, improved);
}

/* Sets one weight to each value of the grid; the others keep their ratios, or share the rest equally if all are zero. */
static TosstStatus
try_part (Search *self, int part, bool *improved)
{
  double now = self->weights[part], others = 0.0;

  self->count = 0;
  for (int s = 0; s < self->parts; s++)
    others += s != part ? self->weights[s] : 0.0;
  for (int i = 0; i < GRID; i++)
    {
      if (grid[i] == now)
        continue;
      Candidate *candidate = next_candidate (self);
      for (int s = 0; s < self->parts; s++)
        candidate->weights[s] = (1.0 - grid[i]) * (others > 0.0 ? self->weights[s] / others : 1.0 / (self->parts - 1));
      candidate->weights[part] = grid[i];
    }
  return try_all (self, improved);
}

/* All parts equally, and each alone. */
static TosstStatus
try_first (Search *self, bool *improved)
{
  self->count = 0;
  for (int s = 0; s < self->parts; s++)
    self->weights[s] = 1.0 / self->parts;
  next_candidate (self);
  for (int part = 0; part < self->parts && self->parts > 1; part++)
    {
      Candidate *candidate = next_candidate (self);
      for (int s = 0; s < self->parts; s++)
        candidate->weights[s] = s == part ? 1.0 : 0.0;
    }
  return try_all (self, improved);
}

static TosstStatus
search (Search *self)
{
  int steps = 2 + RIDGE_ROUNDS * (self->parts + 1), step = 0;
  bool improved = true;
  TosstStatus status = try_first (self, &improved);

  TOSST_THEN (status, try_c (self, &improved));
  for (int round = 0; round < RIDGE_ROUNDS && improved && status == TOSST_OK; round++)
    {
      improved = false;
      for (int part = 0; part < self->parts && self->parts > 1 && status == TOSST_OK; part++)
        {
          status = try_part (self, part, &improved);
          tosst_context_progress (self->context, (double)++step / steps);
        }
      if (improved && status == TOSST_OK)
        status = try_c (self, &improved);
    }
  if (status == TOSST_OK && !(self->best.accuracy >= 0.0))
    status = tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "no sum of the Gram matrices can be factorised");
  return status;
}

/* Samples that decide: evenly spaced ones of each class, RIDGE_MOST_SAMPLES or a few more. Returns their number. */
static size_t
pick_samples (size_t n, const int *labels, int classes, size_t *index)
{
  size_t count = 0;

  for (int c = 0; c < (labels ? classes : 1); c++)
    {
      size_t members = 0, seen = 0, wanted;
      for (size_t i = 0; i < n; i++)
        members += !labels || labels[i] == c;
      wanted = (members * RIDGE_MOST_SAMPLES + n - 1) / n;
      for (size_t i = 0; i < n; i++)
        if (!labels || labels[i] == c)
          {
            if ((seen + 1) * wanted / members > seen * wanted / members)
              index[count++] = i;
            seen++;
          }
    }
  return count;
}

/* Copies of the samples that decide replace all samples. */
static bool
reduce (Search *self)
{
  size_t all = self->n, *index = tosst_keep (&self->memory, malloc (all * sizeof *index)), n;
  TosstMemory *memory = &self->memory;
  const double **grams = tosst_keep (memory, malloc ((size_t)self->parts * sizeof *grams));
  int *labels = NULL;
  signed char *targets = NULL;
  double *own;

  if (memory->failed)
    return false;
  n = pick_samples (all, self->labels, self->classes, index);
  own = tosst_keep (memory, malloc ((size_t)self->parts * n * n * sizeof *own));
  if (self->labels)
    labels = tosst_keep (memory, malloc (n * sizeof *labels));
  else
    targets = tosst_keep (memory, malloc ((size_t)self->classes * n));
  if (memory->failed)
    return false;
  for (int s = 0; s < self->parts; s++)
    {
      for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
          own[((size_t)s * n + a) * n + b] = self->grams[s][index[a] * all + index[b]];
      grams[s] = own + (size_t)s * n * n;
    }
  for (size_t a = 0; a < n; a++)
    {
      if (labels)
        labels[a] = self->labels[index[a]];
      for (int c = 0; targets && c < self->classes; c++)
        targets[(size_t)c * n + a] = self->targets[(size_t)c * all + index[a]];
    }
  self->grams = grams;
  self->n = n;
  self->labels = labels;
  self->targets = targets;
  return true;
}

static bool
search_init (Search *self)
{
  int most = self->parts + 1 > GRID ? self->parts + 1 : GRID;
  double *weights;

  if (self->n > RIDGE_MOST_SAMPLES && !reduce (self))
    return false;
  self->share = tosst_thread_stride ((self->n * self->n + 2 * (size_t)self->classes * self->n) * sizeof (double));
  self->work
      = tosst_keep (&self->memory, tosst_alloc_aligned ((size_t)tosst_context_threads (self->context), self->share));
  self->share /= sizeof *self->work;
  self->tried = tosst_keep (&self->memory, calloc ((size_t)most, sizeof *self->tried));
  weights = tosst_keep (&self->memory, calloc ((size_t)most * (size_t)self->parts, sizeof *weights));
  for (int i = 0; i < most && !self->memory.failed; i++)
    self->tried[i].weights = weights + i * self->parts;
  return !self->memory.failed;
}

TosstStatus
tosst_kernel_choose_weights (TosstContext *context, const double *const *grams, int parts, size_t n, const int *labels,
                             const signed char *targets, int classes, double *weights, double *c,
                             TosstLeaveOneOut *result)
{
  TOSST_REQUIRE (context, context && grams && weights && (labels || targets));
  Search self = { .context = context,
                  .grams = grams,
                  .parts = parts,
                  .classes = classes,
                  .n = n,
                  .labels = labels,
                  .targets = targets,
                  .weights = weights,
                  .best = { -1.0, INFINITY } };
  TosstSvmOptions options;
  TosstStatus status = TOSST_OK;

  tosst_svm_options_default (&options);
  self.c = options.c;
  if (parts < 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "weights of %d Gram matrices", parts);
  for (int s = 0; s < parts && status == TOSST_OK; s++)
    status = tosst_kernel_check (context, grams[s], n, labels, targets, classes, &options);
  if (status != TOSST_OK)
    return status;
  status = search_init (&self)
               ? search (&self)
               : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to choose weights");
  tosst_release (&self.memory);
  if (status == TOSST_OK && c)
    *c = self.c;
  if (status == TOSST_OK && result)
    *result = self.best;
  return status;
}
