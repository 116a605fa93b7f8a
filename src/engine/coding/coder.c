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
#include "coding/correlate.h"
#include "coding/lasso.h"
#include "coding/plan.h"
#include "coding/transform.h"

/* Lasso tolerances below these, relative to max |q|, cannot be reached in the arithmetic at hand. */
#define FLOOR_FLOAT 1e-6
#define FLOOR_DOUBLE 1e-13

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
allocate (TosstCoder *self, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  bool joint = tosst_coding_is_joint (&self->options, layout->shape);
  size_t element = self->options.wide || joint ? sizeof (double) : sizeof (float);
  size_t K = dictionary->K, slots = (size_t)layout->S * layout->D;
  self->D = layout->D;
  self->S = layout->S;
  self->K = K;
  self->m = layout->m;
  self->scale = dictionary->scale;
  self->dictionary = tosst_dictionary_copy (dictionary);
  self->index = malloc (sizeof *self->index * slots);
  self->weight = malloc (sizeof *self->weight * layout->D);
  self->H = malloc (element * K * K);
  bool keeps = !joint && self->gathered == 0;
  self->atoms = keeps ? malloc (element * K * layout->m) : NULL;
  if (!self->dictionary || !self->index || !self->weight || !self->H || (keeps && !self->atoms)
      || !tosst_reduction_init (&self->reduction, self->D, self->K, false))
    return false;
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
    self->sign[k]
        = tosst_nonnegative_sign (self->dictionary->b + (size_t)k * self->S, self->S, self->options.signed_alpha);
  return TOSST_OK;
}

static TosstStatus
prepare (TosstCoder *self, TosstContext *context, const TosstReduction *reduction)
{
  bool joint = tosst_coding_is_joint (&self->options, self->dictionary->shape), wide = self->options.wide;
  TosstStatus status = TOSST_OK;
  if (reduction)
    tosst_reduction_copy (&self->reduction, reduction);
  else
    status = tosst_reduction_update (&self->reduction, context, self->dictionary, self->options.gamma);
  if (status == TOSST_OK && self->options.nonnegative_beta && !joint)
    status = restrict_signs (self, context);
  if (status == TOSST_OK)
    status = tosst_reduction_gram (reduction ? reduction : &self->reduction, context, self->dictionary, self->sign,
                                   wide || joint, self->H);
  if (status == TOSST_OK && joint)
    return tosst_nonnegative_new (context, self->dictionary, self->S, self->H, &self->options, &self->nonnegative);
  if (status == TOSST_OK && self->atoms)
    status = tosst_transform_atoms (self, context, 0, self->K, wide, self->atoms);
  return status;
}

static TosstStatus
check_bound (TosstContext *context, const TosstCodingOptions *options, size_t bytes)
{
  if (options->memory == 0 || bytes <= options->memory)
    return TOSST_OK;
  return tosst_context_fail (context, TOSST_ERROR_MEMORY,
                             "coding takes %.2f GB of memory at least, and may take %.2f GB", bytes / 1e9,
                             options->memory / 1e9);
}

TosstStatus
tosst_coder_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                 const TosstCodingOptions *options, TosstCoder **coder)
{
  return tosst_coder_new_reduced (context, dictionary, layout, options, NULL, coder);
}

TosstStatus
tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                         const TosstCodingOptions *options, const TosstReduction *reduction, TosstCoder **coder)
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
  TosstCodingPlan plan = tosst_coding_plan (layout, dictionary->K, &self->options, tosst_context_threads (context));
  self->gathered = plan.gathered;
  TosstStatus status = check_bound (context, &self->options, plan.bytes);
  if (status == TOSST_OK && !allocate (self, dictionary, layout))
    status = out_of_memory (context);
  if (status == TOSST_OK)
    status = prepare (self, context, reduction);
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
  free (coder->H);
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
  void *Q; /* block x K, where atoms are kept */
  double worst_kkt;
  size_t nonzeros;
  double seconds_products;
} Worker;

typedef struct
{
  const TosstCoder *coder;
  TosstContext *context;
  bool wide;                  /* double */
  const void *H, *atoms;      /* K x K; K x m, or NULL: made where needed */
  void *own_H, *own_atoms;    /* of these, what is not the coder's */
  const void *tensors;        /* n x m */
  void *codes;                /* n x K */
  size_t n, block, from, end; /* of the tensors, which are gathered; without that, all */
  void *Q;                    /* of those that are gathered */
  bool warm;
  Worker *worker;
} Job;

/* Blocks long enough that a product is worth its packing, short enough that all threads have work. */
static size_t
block_length (size_t n)
{
  size_t block = n / 8;
  return block < 16 ? 16 : block > TOSST_CODING_BLOCK ? TOSST_CODING_BLOCK : block;
}

/* One tensor of a block. SUFFIX names the arithmetic; a number that is not finite shows in 0 times the sum of all. */
#define DEFINE_SOLVE(SUFFIX, TYPE, FLOOR)                                                                              \
  static TosstStatus solve_##SUFFIX (const Job *job, Worker *worker, size_t n, const TYPE *q)                          \
  {                                                                                                                    \
    const TosstCoder *coder = job->coder;                                                                              \
    size_t K = coder->K;                                                                                               \
    TYPE *alpha = (TYPE *)job->codes + n * K, largest = 0, zero = 0;                                                   \
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
      memset (alpha, 0, sizeof *alpha *K);                                                                             \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = coder->sign[k] * alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                        \
    bool is_signed = coder->options.signed_alpha && !coder->sign;                                                      \
    double tolerance = fmax (coder->options.tolerance, FLOOR) * largest;                                               \
    double kkt = tosst_kernels ()->lasso_##SUFFIX (job->H, K, q, coder->options.lambda / 2, is_signed, tolerance,      \
                                                   alpha, worker->work);                                               \
    for (size_t k = 0; coder->sign && k < K; k++)                                                                      \
      alpha[k] = alpha[k] > 0 ? coder->sign[k] * alpha[k] : 0;                                                         \
    for (size_t k = 0; k < K; k++)                                                                                     \
      worker->nonzeros += alpha[k] != 0;                                                                               \
    if (largest > 0)                                                                                                   \
      worker->worst_kkt = fmax (worker->worst_kkt, kkt / largest);                                                     \
    return TOSST_OK;                                                                                                   \
  }

DEFINE_SOLVE (float, float, FLOOR_FLOAT)
DEFINE_SOLVE (double, double, FLOOR_DOUBLE)

static size_t
element_size (const Job *job)
{
  return job->wide ? sizeof (double) : sizeof (float);
}

/* Correlations of a block: those that were gathered, or the worker's own. */
static const char *
block_correlations (const Job *job, Worker *worker, size_t first, size_t count)
{
  size_t K = job->coder->K, m = job->coder->m, element = element_size (job);
  if (job->Q)
    return (const char *)job->Q + (first - job->from) * K * element;
  double start = tosst_context_seconds (job->context);
  tosst_correlate (job->coder, job->wide, job->atoms, (const char *)job->tensors + first * m * element, count,
                   worker->Q);
  worker->seconds_products += tosst_context_seconds (job->context) - start;
  return worker->Q;
}

static TosstStatus
code_block (size_t item, int index, void *data)
{
  Job *job = data;
  Worker *worker = &job->worker[index];
  size_t first = job->from + item * job->block, K = job->coder->K, element = element_size (job);
  size_t count = job->end - first < job->block ? job->end - first : job->block;
  const char *q = block_correlations (job, worker, first, count);

  for (size_t i = 0; i < count; i++, q += K * element)
    {
      if (tosst_context_checkpoint (job->context))
        return TOSST_CANCELLED;
      TosstStatus status = job->wide ? solve_double (job, worker, first + i, (const double *)q)
                                     : solve_float (job, worker, first + i, (const float *)q);
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
  report->mean_nonzeros = job->n ? (double)nonzeros / job->n : 0;
}

/* As many tensors at a time as are gathered. */
static TosstStatus
code_gathered (Job *job)
{
  TosstContext *context = job->context;
  size_t m = job->coder->m, K = job->coder->K, threads = tosst_context_threads (context), element = element_size (job);
  size_t step = job->coder->gathered / job->block * job->block;
  step = step < job->n ? step : job->n;
  job->Q = malloc (step * K * element);
  TosstStatus status = job->Q ? TOSST_OK : out_of_memory (context);
  for (job->from = 0; job->from < job->n && status == TOSST_OK; job->from = job->end)
    {
      size_t count = job->n - job->from < step ? job->n - job->from : step;
      const char *tensors = (const char *)job->tensors + job->from * m * element;
      double start = tosst_context_seconds (context);
      job->end = job->from + count;
      status = tosst_correlate_streamed (job->coder, context, job->wide, tensors, count, job->block, job->Q);
      job->worker[0].seconds_products += threads * (tosst_context_seconds (context) - start);
      if (status == TOSST_OK)
        status = tosst_parallel (context, (count + job->block - 1) / job->block, code_block, job,
                                 (double)job->from / job->n, (double)job->end / job->n);
    }
  free (job->Q);
  return status;
}

static TosstStatus
code_kept (Job *job)
{
  job->end = job->n;
  return tosst_parallel (job->context, (job->n + job->block - 1) / job->block, code_block, job, 0, 1);
}

static TosstStatus
run_job (Job *job, TosstCodingReport *report)
{
  TosstContext *context = job->context;
  int threads = tosst_context_threads (context), K = job->coder->K;
  double start = tosst_context_seconds (context);
  TosstStatus status = TOSST_OK;

  job->block = block_length (job->n);
  job->worker = calloc (threads, sizeof *job->worker);
  for (int i = 0; job->worker && status == TOSST_OK && i < threads; i++)
    {
      job->worker[i].work = tosst_lasso_work_new (K, element_size (job));
      job->worker[i].Q = job->atoms ? malloc (job->block * K * element_size (job)) : NULL;
      if (!job->worker[i].work || (job->atoms && !job->worker[i].Q))
        status = out_of_memory (context);
    }
  if (!job->worker)
    return out_of_memory (context);
  if (status == TOSST_OK)
    status = job->atoms ? code_kept (job) : code_gathered (job);
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

/* What the coder holds is of one precision; the other's is made here. */
static TosstStatus
find_matrices (Job *job)
{
  const TosstCoder *coder = job->coder;
  size_t K = coder->K, element = element_size (job);
  job->H = coder->H;
  job->atoms = coder->atoms;
  if (job->wide == coder->options.wide)
    return TOSST_OK;
  bool keeps = coder->atoms != NULL;
  job->H = job->own_H = malloc (K * K * element);
  job->atoms = job->own_atoms = keeps ? malloc (K * coder->m * element) : NULL;
  if (!job->own_H || (keeps && !job->own_atoms))
    return out_of_memory (job->context);
  TosstStatus status
      = tosst_reduction_gram (&coder->reduction, job->context, coder->dictionary, coder->sign, job->wide, job->own_H);
  if (status == TOSST_OK && keeps)
    status = tosst_transform_atoms (coder, job->context, 0, K, job->wide, job->own_atoms);
  return status;
}

static TosstStatus
code (TosstContext *context, const TosstCoder *coder, bool wide, const void *tensors, size_t n, bool warm, void *codes,
      TosstCodingReport *report)
{
  if (coder->nonnegative)
    return tosst_code_nonnegative (context, coder, wide, tensors, n, warm, codes, NULL, report);
  Job job
      = { .coder = coder, .context = context, .wide = wide, .tensors = tensors, .codes = codes, .n = n, .warm = warm };
  TosstStatus status = find_matrices (&job);
  if (status == TOSST_OK)
    status = run_job (&job, report);
  free (job.own_H);
  free (job.own_atoms);
  return status;
}

TosstStatus
tosst_code (TosstContext *context, const TosstCoder *coder, const float *tensors, size_t n, bool warm, float *codes,
            TosstCodingReport *report)
{
  return code (context, coder, false, tensors, n, warm, codes, report);
}

TosstStatus
tosst_code_double (TosstContext *context, const TosstCoder *coder, const double *tensors, size_t n, bool warm,
                   double *codes, TosstCodingReport *report)
{
  return code (context, coder, true, tensors, n, warm, codes, report);
}
