/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding of many tensors: correlations Q = A~' X by blocks of tensors in one product each, then a Lasso for every tensor, all
 * sharing H.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "coding/coder-private.h"
#include "coding/lasso.h"
#include "coding/transform.h"

/* Lasso tolerances below these, relative to max |q|, cannot be reached in the arithmetic at hand. */
#define FLOOR_FLOAT 1e-6
#define FLOOR_DOUBLE 1e-13

#define MOST_BLOCK 512    /* tensors in one product */
#define MOST_SUPPORT 4096 /* non-zeros for which memory is counted */

void
tosst_coding_options_default (TosstCodingOptions *options)
{
  *options = (TosstCodingOptions){ .lambda = 2e-3, .gamma = 1, .tolerance = 1e-6 };
}

const char *
tosst_coding_options_check (const TosstCodingOptions *options)
{
  if (!isfinite (options->lambda) || options->lambda < 0)
    return "lambda must be a number >= 0";
  if (!(options->gamma > 0))
    return "gamma must be > 0";
  if (!(options->tolerance > 0))
    return "the tolerance of coding must be > 0";
  return NULL;
}

static TosstStatus
out_of_memory (TosstContext *context)
{
  return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
}

static bool
is_joint (const TosstCodingOptions *options, TosstShape shape)
{
  return options->nonnegative_beta && isfinite (options->gamma) && shape.kind != TOSST_SHAPE_WHOLE;
}

static bool
allocate (TosstCoder *self, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  bool joint = is_joint (&self->options, layout->shape);
  size_t K = dictionary->K, slots = (size_t) layout->S * layout->D;
  self->D = layout->D;
  self->S = layout->S;
  self->K = K;
  self->m = layout->m;
  self->scale = dictionary->scale;
  self->dictionary = tosst_dictionary_copy (dictionary);
  self->index = malloc (sizeof *self->index * slots);
  self->weight = malloc (sizeof *self->weight * layout->D);
  self->H_float = joint ? NULL : malloc (sizeof *self->H_float * K * K);
  self->atoms = joint ? NULL : malloc (sizeof *self->atoms * K * layout->m);
  if (!self->dictionary || !self->index || !self->weight || (!joint && (!self->H_float || !self->atoms))
      || !tosst_reduction_init (&self->reduction, self->D, self->K))
    return false;
  self->H = self->reduction.G;
  memcpy (self->index, layout->index, sizeof *self->index * slots);
  memcpy (self->weight, layout->weight, sizeof *self->weight * layout->D);
  return true;
}

/* With beta >= 0 and gamma = infinity: the Lasso of |alpha|, with the atoms that may be used. */
static TosstStatus
restrict_signs (TosstCoder *self, TosstContext *context)
{
  self->sign = malloc (self->K);
  if (!self->sign)
    return out_of_memory (context);
  for (int k = 0; k < self->K; k++)
    self->sign[k] = tosst_nonnegative_sign (self->dictionary->b + (size_t)k * self->S, self->S, self->options.signed_alpha);
  for (int i = 0; i < self->K; i++)
    for (int j = 0; j < self->K; j++)
      self->H[(size_t) i * self->K + j] *= self->sign[i] * self->sign[j];
  return TOSST_OK;
}

static TosstStatus
prepare (TosstCoder *self, TosstContext *context)
{
  TosstStatus status = tosst_reduction_update (&self->reduction, context, self->dictionary, self->options.gamma);
  if (status == TOSST_OK)
    status = tosst_reduction_gram (&self->reduction, context, self->dictionary, self->H);
  if (status != TOSST_OK)
    return status;
  if (is_joint (&self->options, self->dictionary->shape))
    return tosst_nonnegative_new (context, self->dictionary, self->S, self->H, &self->options, &self->nonnegative);
  if (self->options.nonnegative_beta && (status = restrict_signs (self, context)) != TOSST_OK)
    return status;
  for (size_t i = 0; i < (size_t) self->K * self->K; i++)
    self->H_float[i] = self->H[i];
  return tosst_transform_atoms (self, context, 0, self->K, false, self->atoms);
}

size_t
tosst_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, bool wide, int threads)
{
  size_t k = K, D = layout->D, S = layout->S, m = layout->m, element = wide ? sizeof (double) : sizeof (float);
  size_t support = k < MOST_SUPPORT ? k : MOST_SUPPORT;
  /* The dictionary's copy, W V, V'WV where H then is, and the factor. */
  size_t bytes = ((2 * D + S) * k + k * k + (tosst_reduction_small (D, K) ? k * k : D * D)) * sizeof (double)
                 + S * D * sizeof (int32_t);
  if (is_joint (options, layout->shape))
    return bytes + tosst_code_nonnegative_bytes (layout->D, layout->S, K, threads);
  bytes += (k * k + k * m) * sizeof (float) + (wide ? k * m * sizeof (double) : 0);
  return bytes + threads * (MOST_BLOCK * k * element + 2 * support * support * element)
         + tosst_transform_bytes (layout, threads);
}

TosstStatus
tosst_coder_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                 const TosstCodingOptions *options, TosstCoder **coder)
{
  double start = tosst_context_seconds (context);
  *coder = NULL;
  const char *wrong = tosst_coding_options_check (options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  if (!tosst_shape_equal (dictionary->shape, layout->shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               dictionary->d == layout->d ? "the dictionary is for tensors of another shape"
                                                          : "the dictionary is for d = %d, the tensors have d = %d",
                               dictionary->d, layout->d);
  TosstCoder *self = calloc (1, sizeof *self);
  if (!self)
    return out_of_memory (context);
  self->options = *options;
  if (dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    self->options.gamma = INFINITY;
  if (!allocate (self, dictionary, layout))
    {
      tosst_coder_free (self);
      return out_of_memory (context);
    }
  TosstStatus status = prepare (self, context);
  if (status != TOSST_OK)
    {
      tosst_coder_free (self);
      return status;
    }
  self->seconds = tosst_context_seconds (context) - start;
  *coder = self;
  return TOSST_OK;
}

void
tosst_coder_free (TosstCoder *coder)
{
  if (!coder)
    return;
  tosst_dictionary_free (coder->dictionary);
  tosst_reduction_clear (&coder->reduction);
  free (coder->index);
  free (coder->weight);
  free (coder->H_float);
  free (coder->atoms);
  tosst_nonnegative_free (coder->nonnegative);
  free (coder->sign);
  free (coder);
}

int
tosst_coder_atoms (const TosstCoder *coder)
{
  return coder->K;
}

double
tosst_coder_setup_seconds (const TosstCoder *coder)
{
  return coder->seconds;
}

/* What one worker gathers; added up in the order of workers, which changes nothing but the last bit of a mean. */
typedef struct
{
  TosstLassoWork *work;
  void *Q;          /* block x K */
  double worst_kkt;
  size_t nonzeros;
  double seconds_products;
} Worker;

typedef struct
{
  const TosstCoder *coder;
  TosstContext *context;
  bool wide;              /* double */
  const void *atoms;      /* K x m */
  const void *tensors;    /* n x m */
  void *codes;            /* n x K */
  size_t n, block;
  bool warm;
  Worker *worker;
} Job;

/* Blocks long enough that a product is worth its packing, short enough that all threads have work. */
static size_t
block_length (size_t n)
{
  size_t block = n / 8;
  return block < 16 ? 16 : block > MOST_BLOCK ? MOST_BLOCK : block;
}

static void
correlate (const Job *job, size_t first, size_t count, void *Q)
{
  int K = job->coder->K, m = job->coder->m;
  if (job->wide)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count, m, 1, job->atoms, m,
                 (const double *) job->tensors + first * m, m, 0, Q, K);
  else
    cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, count, m, 1, job->atoms, m,
                 (const float *) job->tensors + first * m, m, 0, Q, K);
}

/* One tensor of a block. SUFFIX names the arithmetic; a number that is not finite shows in 0 times the sum of all. */
#define DEFINE_SOLVE(SUFFIX, TYPE, GRAM, FLOOR)                                                                        \
  static TosstStatus solve_##SUFFIX (const Job *job, Worker *worker, size_t n, size_t row)                             \
  {                                                                                                                    \
    const TosstCoder *coder = job->coder;                                                                              \
    size_t K = coder->K;                                                                                               \
    const TYPE *q = (TYPE *) worker->Q + row * K;                                                                      \
    TYPE *alpha = (TYPE *) job->codes + n * K, largest = 0, zero = 0;                                                  \
    for (size_t k = 0; k < K; k++)                                                                                     \
      {                                                                                                                \
        TYPE size = q[k] < 0 ? -q[k] : q[k];                                                                           \
        largest = size > largest ? size : largest;                                                                     \
        zero += size * 0;                                                                                              \
      }                                                                                                                \
    if (zero != 0 || !isfinite (largest))                                                                              \
      return tosst_context_fail (job->context, TOSST_ERROR_NUMERIC,                                                    \
                                 "tensor %zu holds NaN or infinity, or is too large", n);                              \
    if (!job->warm)                                                                                                    \
      memset (alpha, 0, sizeof *alpha * K);                                                                            \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = coder->sign[k] * alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                        \
    bool is_signed = coder->options.signed_alpha && !coder->sign;                                                      \
    double tolerance = fmax (coder->options.tolerance, FLOOR) * largest;                                               \
    double kkt = tosst_kernels ()->lasso_##SUFFIX (GRAM, K, q, coder->options.lambda / 2, is_signed, tolerance, alpha, \
                                                   worker->work);                                                      \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                                         \
    for (size_t k = 0; k < K; k++)                                                                                     \
      worker->nonzeros += alpha[k] != 0;                                                                               \
    if (largest > 0)                                                                                                   \
      worker->worst_kkt = fmax (worker->worst_kkt, kkt / largest);                                                     \
    return TOSST_OK;                                                                                                   \
  }

DEFINE_SOLVE (float, float, coder->H_float, FLOOR_FLOAT)
DEFINE_SOLVE (double, double, coder->H, FLOOR_DOUBLE)

static TosstStatus
code_block (size_t item, int index, void *data)
{
  Job *job = data;
  Worker *worker = &job->worker[index];
  size_t first = item * job->block, count = job->n - first < job->block ? job->n - first : job->block;

  double start = tosst_context_seconds (job->context);
  correlate (job, first, count, worker->Q);
  worker->seconds_products += tosst_context_seconds (job->context) - start;
  for (size_t i = 0; i < count; i++)
    {
      if (tosst_context_checkpoint (job->context))
        return TOSST_CANCELLED;
      TosstStatus status = job->wide ? solve_double (job, worker, first + i, i) : solve_float (job, worker, first + i, i);
      if (status != TOSST_OK)
        return status;
    }
  return TOSST_OK;
}

static void
report_job (const Job *job, int threads, double seconds, TosstCodingReport *report)
{
  *report = (TosstCodingReport){ .seconds = seconds };
  size_t nonzeros = 0;
  for (int i = 0; i < threads; i++)
    {
      report->worst_kkt = fmax (report->worst_kkt, job->worker[i].worst_kkt);
      report->seconds_products += job->worker[i].seconds_products / threads;
      nonzeros += job->worker[i].nonzeros;
    }
  report->mean_nonzeros = job->n ? (double) nonzeros / job->n : 0;
}

static TosstStatus
run_job (Job *job, TosstCodingReport *report)
{
  TosstContext *context = job->context;
  int threads = tosst_context_threads (context), K = job->coder->K;
  size_t element = job->wide ? sizeof (double) : sizeof (float);
  double start = tosst_context_seconds (context);
  TosstStatus status = TOSST_OK;

  job->block = block_length (job->n);
  job->worker = calloc (threads, sizeof *job->worker);
  for (int i = 0; job->worker && status == TOSST_OK && i < threads; i++)
    {
      job->worker[i].work = tosst_lasso_work_new (K, element);
      job->worker[i].Q = malloc (job->block * K * element);
      if (!job->worker[i].work || !job->worker[i].Q)
        status = out_of_memory (context);
    }
  if (!job->worker)
    return out_of_memory (context);
  if (status == TOSST_OK)
    status = tosst_parallel (context, (job->n + job->block - 1) / job->block, code_block, job, 0, 1);
  if (report)
    report_job (job, threads, tosst_context_seconds (context) - start, report);
  for (int i = 0; i < threads; i++)
    {
      tosst_lasso_work_free (job->worker[i].work);
      free (job->worker[i].Q);
    }
  free (job->worker);
  return status;
}

TosstStatus
tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n, bool warm, float *codes,
            TosstCodingReport *report)
{
  if (coder->nonnegative)
    return tosst_code_nonnegative (context, coder, false, tensors, n, warm, codes, NULL, report);
  Job job = { .coder = coder,
              .context = context,
              .atoms = coder->atoms,
              .tensors = tensors,
              .codes = codes,
              .n = n,
              .warm = warm };
  return run_job (&job, report);
}

TosstStatus
tosst_code_double (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n, bool warm,
                   double *codes, TosstCodingReport *report)
{
  if (coder->nonnegative)
    return tosst_code_nonnegative (context, coder, true, tensors, n, warm, codes, NULL, report);
  double *atoms = malloc (sizeof *atoms * coder->K * coder->m);
  if (!atoms)
    return out_of_memory (context);
  TosstStatus status = tosst_transform_atoms (coder, context, 0, coder->K, true, atoms);
  Job job = { .coder = coder,
              .context = context,
              .wide = true,
              .atoms = atoms,
              .tensors = tensors,
              .codes = codes,
              .n = n,
              .warm = warm };
  if (status == TOSST_OK)
    status = run_job (&job, report);
  free (atoms);
  return status;
}
