/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A dictionary prepared for coding: H and, if they fit the memory bound, the transformed atoms.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/tuning.h"

void
tosst_problem_default (TosstProblem *problem)
{
  *problem = TOSST_PROBLEM_DEFAULT;
}

const char *
tosst_problem_check (const TosstProblem *problem)
{
  if (!isfinite (problem->lambda) || problem->lambda < 0)
    return "lambda must be a number >= 0";
  if (!(problem->gamma > 0))
    return "gamma must be > 0";
  return NULL;
}

void
tosst_coding_options_default (TosstCodingOptions *options)
{
  *options = (TosstCodingOptions){ .problem = TOSST_PROBLEM_DEFAULT, .tolerance = 1e-6 };
}

const char *
tosst_coding_options_check (const TosstCodingOptions *options)
{
  if (!(options->tolerance > 0))
    return "the tolerance of coding must be > 0";
  return tosst_problem_check (&options->problem);
}

bool
tosst_coding_is_joint (const TosstCodingOptions *options, TosstShape shape)
{
  return options->problem.nonnegative_beta && isfinite (options->problem.gamma) && shape.kind != TOSST_SHAPE_WHOLE;
}

/* Projections are codes of problem (3) without sparsity, in another basis. */
static TosstCodingOptions
solved_options (const TosstCodingOptions *options)
{
  TosstCodingOptions solved = *options;
  if (options->span)
    solved.problem = (TosstProblem){ .gamma = INFINITY, .signed_alpha = true };
  return solved;
}

/* Memory plan of a coder: transformed atoms are stored if they fit, else recomputed for each block of tensors. H is
 * stored in either case. */

typedef struct
{
  size_t gathered; /* tensors per block if atoms are recomputed; else 0 */
  size_t bytes;    /* upper bound of the memory used; exceeds options->memory if that is too low */
} TosstCodingPlan;

/* Bytes that are always needed: copy of the dictionary, layout, W V, factor, H. */
static size_t
kept_bytes (const TosstLayout *layout, size_t K, size_t element)
{
  size_t D = layout->D, S = layout->S;
  return ((2 * D + S) * K + (tosst_reduction_small (D, K) ? K * K : D * D) + D) * sizeof (double) + K * K * element
         + S * D * sizeof (int32_t);
}

static size_t
larger (size_t a, size_t b)
{
  return a > b ? a : b;
}

static TosstCodingPlan
coding_plan (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  bool joint = tosst_coding_is_joint (options, layout->shape);
  size_t k = K, m = layout->m, element = options->wide || joint ? sizeof (double) : sizeof (float);
  size_t kept = kept_bytes (layout, k, element),
         making = tosst_reduction_gram_bytes (K, threads) + (options->span ? tosst_span_bytes (k, options->wide) : 0);
  if (joint)
    return (TosstCodingPlan){ 0,
                              kept + larger (making, tosst_code_nonnegative_bytes (layout->D, layout->S, K, threads)) };
  size_t support
      = k < MOST_SUPPORT ? k : MOST_SUPPORT,
      solvers
      = threads * (tosst_lasso_work_bytes (K, TOSST_CODING_ROWS, support, element) + TOSST_CODING_ROWS * k * element);
  size_t transform = tosst_transform_bytes (layout, threads), row = k * element, wide = options->wide,
         product = threads * tosst_correlate_bytes (m, wide), work = product + solvers + transform;
  size_t resident
      = kept + tosst_atoms_numbers (k, m, wide) * element + larger (making, threads * TOSST_CODING_BLOCK * row + work);
  size_t base = kept + larger (making, tosst_atoms_numbers (tosst_correlate_tile (m, k), m, wide) * element + work);
  if (options->memory == 0 || resident <= options->memory || resident <= base + TOSST_CODING_BLOCK * row)
    return (TosstCodingPlan){ 0, resident };
  size_t room = options->memory > base ? (options->memory - base) / row : 0;
  size_t gathered = room < TOSST_CODING_BLOCK ? TOSST_CODING_BLOCK : room < MOST_GATHERED ? room : MOST_GATHERED;
  return (TosstCodingPlan){ gathered, base + gathered * row };
}

size_t
tosst_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  TosstCodingOptions solved = solved_options (options);
  return coding_plan (layout, K, &solved, threads).bytes;
}

static bool
allocate (TosstCoder *self, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  bool joint = tosst_coding_is_joint (&self->options, layout->shape);
  size_t element = self->options.wide || joint ? sizeof (double) : sizeof (float);
  size_t K = dictionary->K, slots = (size_t)layout->S * layout->D;
  TosstMemory *memory = &self->memory;
  self->D = layout->D;
  self->S = layout->S;
  self->K = K;
  self->m = layout->m;
  if (!self->borrows)
    {
      self->dictionary = tosst_dictionary_new_undefined (dictionary->shape, dictionary->K);
      self->H = tosst_keep (memory, tosst_alloc_aligned (K * K, element));
    }
  self->index = tosst_keep (memory, malloc (sizeof *self->index * slots));
  self->weight = tosst_keep (memory, malloc (sizeof *self->weight * layout->D));
  bool keeps = !joint && self->gathered == 0;
  self->atoms
      = keeps
            ? tosst_keep (memory, tosst_alloc_aligned (tosst_atoms_numbers (K, layout->m, self->options.wide), element))
            : NULL;
  if (memory->failed
      || (!self->borrows && (!self->dictionary || !tosst_reduction_init (&self->reduction, self->D, self->K, false))))
    return false;
  memcpy (self->index, layout->index, sizeof *self->index * slots);
  memcpy (self->weight, layout->weight, sizeof *self->weight * layout->D);
  return true;
}

/* With beta >= 0 and gamma = infinity: the Lasso of |alpha|, with the atoms that may be used. */
static TosstStatus
restrict_signs (TosstCoder *self, TosstContext *context)
{
  if (!self->sign)
    self->sign = malloc (self->K);
  if (!self->sign)
    return tosst_coding_no_memory (context);
  for (int k = 0; k < self->K; k++)
    self->sign[k] = tosst_nonnegative_sign (self->dictionary->b + (size_t)k * self->S, self->S,
                                            self->options.problem.signed_alpha);
  return TOSST_OK;
}

static TosstStatus
copy_dictionary (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                 const TosstReduction *reduction)
{
  size_t K = self->K;
  self->scale = dictionary->scale;
  if (self->borrows)
    {
      self->dictionary = (TosstDictionary *)dictionary;
      self->reduction = *reduction;
      return TOSST_OK;
    }
  self->dictionary->scale = dictionary->scale;
  memcpy (self->dictionary->b, dictionary->b, sizeof *dictionary->b * self->S * K);
  TosstStatus status = tosst_copy (context, self->D * K, dictionary->V, self->dictionary->V);
  if (status != TOSST_OK)
    return status;
  return reduction ? tosst_reduction_copy (&self->reduction, context, reduction)
                   : tosst_reduction_update (&self->reduction, context, self->dictionary, self->options.problem.gamma);
}

static TosstStatus
prepare (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary, const TosstReduction *reduction)
{
  bool joint = tosst_coding_is_joint (&self->options, dictionary->shape), wide = self->options.wide;
  TosstStatus status = copy_dictionary (self, context, dictionary, reduction);
  if (status == TOSST_OK && self->options.problem.nonnegative_beta && !joint)
    status = restrict_signs (self, context);
  if (status == TOSST_OK && self->options.span)
    status = tosst_span_factor (self, context, wide, self->H);
  else if (status == TOSST_OK && !self->borrows)
    status = tosst_reduction_gram (reduction ? reduction : &self->reduction, context, self->dictionary, NULL,
                                   self->sign, wide || joint, self->H);
  tosst_nonnegative_free (self->nonnegative);
  self->nonnegative = NULL;
  if (status == TOSST_OK && joint)
    return tosst_nonnegative_new (context, self->dictionary, self->S, self->H, &self->options, &self->nonnegative);
  if (status == TOSST_OK && self->atoms)
    status = tosst_transform_atoms (self, context, 0, self->K, wide, self->atoms);
  return status;
}

static TosstStatus
check_bound (TosstContext *context, const TosstCodingOptions *options, bool joint, size_t bytes)
{
  if (options->memory == 0 || bytes <= options->memory)
    return TOSST_OK;
  return tosst_context_fail (
      context, TOSST_ERROR_MEMORY,
      joint ? "coding with beta >= 0 needs %.2f GB of memory and may use %.2f GB: lower the number of atoms or of "
              "threads, or leave beta free"
            : "coding needs at least %.2f GB of memory and may use %.2f GB: lower the number of atoms or of threads",
      bytes / 1e9, options->memory / 1e9);
}

TosstStatus
tosst_coding_check_dictionary (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout)
{
  if (!tosst_shape_equal (dictionary->shape, layout->shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               dictionary->d == layout->d ? "the dictionary is for tensors of another shape"
                                                          : "the dictionary is for d = %d, the tensors have d = %d",
                               dictionary->d, layout->d);
  if (dictionary->K < 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "the dictionary has no atoms");
  if (!(dictionary->scale >= 1 / TOSST_LARGEST && dictionary->scale <= TOSST_LARGEST))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "the scale of the dictionary is %g, and not between %g and %g", dictionary->scale,
                               1 / TOSST_LARGEST, TOSST_LARGEST);
  bool is_finite = true;
  for (size_t i = 0; i < (size_t)dictionary->D * dictionary->K; i++)
    is_finite &= isfinite (dictionary->V[i]) != 0;
  for (size_t i = 0; i < (size_t)dictionary->S * dictionary->K; i++)
    is_finite &= isfinite (dictionary->b[i]) != 0;
  if (!is_finite)
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the dictionary holds NaN or infinity");
  return TOSST_OK;
}

TosstStatus
tosst_coder_new (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                 const TosstCodingOptions *options, TosstCoder **coder)
{
  *coder = NULL;
  TosstStatus status = tosst_coding_check_dictionary (context, dictionary, layout);
  if (status != TOSST_OK)
    return status;
  return tosst_coder_new_reduced (context, dictionary, layout, options, NULL, NULL, coder);
}

TosstStatus
tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout,
                         const TosstCodingOptions *options, const TosstReduction *reduction, float *H,
                         TosstCoder **coder)
{
  double start = tosst_context_seconds (context);
  *coder = NULL;
  const char *wrong = tosst_coding_options_check (options);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);
  TosstCoder *self = calloc (1, sizeof *self);
  if (!self)
    return tosst_coding_no_memory (context);
  self->options = solved_options (options);
  self->borrows = H != NULL;
  self->H = H;
  if (dictionary->shape.kind == TOSST_SHAPE_WHOLE)
    self->options.problem.gamma = INFINITY;
  TosstCodingPlan plan = coding_plan (layout, dictionary->K, &self->options, tosst_context_threads (context));
  self->gathered = plan.gathered;
  TosstStatus status
      = check_bound (context, &self->options, tosst_coding_is_joint (&self->options, dictionary->shape), plan.bytes);
  if (status == TOSST_OK && !allocate (self, dictionary, layout))
    status = tosst_coding_no_memory (context);
  if (status == TOSST_OK)
    status = prepare (self, context, dictionary, reduction);
  if (status != TOSST_OK)
    {
      tosst_coder_free (self);
      return status;
    }
  self->seconds = tosst_context_seconds (context) - start;
  *coder = self;
  return TOSST_OK;
}

TosstStatus
tosst_coder_update (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                    const TosstReduction *reduction)
{
  double start = tosst_context_seconds (context);
  TosstStatus status = prepare (self, context, dictionary, reduction);
  self->seconds = tosst_context_seconds (context) - start;
  return status;
}

void
tosst_coder_free (TosstCoder *coder)
{
  if (!coder)
    return;
  if (!coder->borrows)
    {
      tosst_dictionary_free (coder->dictionary);
      tosst_reduction_clear (&coder->reduction);
    }
  tosst_release (&coder->memory);
  tosst_nonnegative_free (coder->nonnegative);
  free (coder->sign);
  free (coder);
}

double
tosst_coder_setup_seconds (const TosstCoder *coder)
{
  return coder->seconds;
}
