/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The driver: codes given the dictionary, then the dictionary given the codes, each step exact, so that the objective
 * of equation (5) never rises.
 */
#include "dictionary/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coding/coder.h"
#include "dictionary/state.h"

/* Dictionary updates on one set of codes: they cost far less than a new coding. */
#define ROUNDS 4

/* KKT residual that codes reach while learning, relative to max |2q|. Codes start from those before and never get
 * worse. */
#define CODE_TOLERANCE 1e-5

/* How many tensors are looked at for each atom that must be replaced. */
#define CANDIDATES 8

void
tosst_learn_options_default (TosstLearnOptions *options)
{
  *options = (TosstLearnOptions){
    .atoms = 200, .scheme = TOSST_SCHEME_PSD, .lambda = 2e-3, .gamma = 1, .iterations = 50, .tolerance = 1e-4, .seed = 1
  };
}

const char *
tosst_learn_options_check (const TosstLearnOptions *options, size_t n, int d)
{
  if (options->atoms < 1)
    return "the number of atoms must be at least 1";
  if ((size_t)options->atoms > n)
    return "there are fewer tensors than atoms: lower the number of atoms K or give more tensors";
  if (options->scheme == TOSST_SCHEME_LOW_RANK && (options->rank < 1 || options->rank > d))
    return "the rank R must be between 1 and d";
  if (!isfinite (options->lambda) || options->lambda < 0)
    return "lambda must be a number >= 0";
  if (!(options->gamma > 0))
    return "gamma must be > 0";
  if (options->iterations < 1)
    return "the number of iterations must be at least 1";
  if (options->initial && (options->initial->K != options->atoms || options->initial->d != d))
    return "the dictionary to go on from has another number of atoms or another side than asked for";
  if (!isfinite (options->tolerance) || options->tolerance < 0)
    return "the tolerance must be a number >= 0";
  return NULL;
}

bool
tosst_learning_init (TosstLearning *self, TosstContext *context, const TosstLayout *layout, const float *tensors,
                     size_t n, const TosstLearnOptions *options)
{
  size_t D = layout->D, S = layout->S, K = options->atoms;
  *self = (TosstLearning){
    .context = context, .layout = layout, .tensors = tensors, .n = n, .options = options, .D = D, .S = S, .K = K
  };
  self->dictionary = tosst_dictionary_new (layout->d, K);
  self->codes = calloc (n * K, sizeof *self->codes);
  self->Y = malloc (sizeof *self->Y * K * layout->m);
  self->P = malloc (sizeof *self->P * K * K);
  self->Sxx = malloc (sizeof *self->Sxx * D * D);
  self->Sxc = malloc (sizeof *self->Sxc * D * K);
  self->Scc = malloc (sizeof *self->Scc * K * K);
  self->E = malloc (sizeof *self->E * D * D);
  self->A = malloc (sizeof *self->A * K * K);
  self->C = malloc (sizeof *self->C * D * K);
  self->DK1 = malloc (sizeof *self->DK1 * D * K);
  self->DK2 = malloc (sizeof *self->DK2 * D * K);
  self->DD = malloc (sizeof *self->DD * D * D);
  self->Ub = malloc (sizeof *self->Ub * S * K);
  return self->dictionary && self->codes && self->Y && self->P && self->Sxx && self->Sxc && self->Scc && self->E
         && self->A && self->C && self->DK1 && self->DK2 && self->DD && self->Ub
         && tosst_reduction_init (&self->reduction, D, K);
}

void
tosst_learning_clear (TosstLearning *self)
{
  tosst_dictionary_free (self->dictionary);
  tosst_reduction_clear (&self->reduction);
  free (self->codes);
  free (self->Y);
  free (self->P);
  free (self->Sxx);
  free (self->Sxc);
  free (self->Scc);
  free (self->E);
  free (self->A);
  free (self->C);
  free (self->DK1);
  free (self->DK2);
  free (self->DD);
  free (self->Ub);
}

size_t
tosst_learn_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, int threads)
{
  size_t K = options->atoms, D = layout->D, m = layout->m, t = threads;
  size_t own = n * K * 4 + K * m * 8 + 4 * K * K * 8 + 6 * D * K * 8 + 4 * D * D * 8;
  size_t coder = K * m * 4 + K * K * 20 + 2 * D * K * 8 + D * D * 8;
  size_t workers = t * (512 * K * 4 + 2 * K * K * 4 + m * 8);
  size_t measure = 16 * D * D * 8 + t * D * layout->S * 16 * 8;
  return own + (coder + workers > measure ? coder + workers : measure);
}

/* Codes of all tensors, from the codes they had. */
static TosstStatus
update_codes (TosstLearning *self, bool warm, TosstIteration *iteration, TosstCoder **coder)
{
  TosstCodingOptions options;
  TosstCodingReport report;
  tosst_coding_options_default (&options);
  options.lambda = self->options->lambda;
  options.gamma = self->options->gamma;
  options.tolerance = CODE_TOLERANCE;
  TosstStatus status = tosst_coder_new (self->context, self->dictionary, self->layout, &options, coder);
  if (status == TOSST_OK)
    status = tosst_code (self->context, *coder, self->tensors, self->n, warm, self->codes, &report);
  if (status != TOSST_OK)
    return status;
  iteration->mean_nonzeros = report.mean_nonzeros;
  iteration->worst_kkt = report.worst_kkt;
  return TOSST_OK;
}

/* The tensor of largest objective among a few drawn ones; coder is that of the codes at hand. */
static TosstStatus
draw_bad_tensor (TosstLearning *self, const TosstCoder *coder, TosstRandom *random, double *work, size_t *index)
{
  size_t m = self->layout->m, K = self->K;
  double *tensors = work, *codes = work + CANDIDATES * m, objective[CANDIDATES];
  size_t drawn[CANDIDATES], best = 0;
  for (int i = 0; i < CANDIDATES; i++)
    {
      drawn[i] = tosst_random_below (random, self->n);
      for (size_t t = 0; t < m; t++)
        tensors[i * m + t] = self->tensors[drawn[i] * m + t];
      for (size_t k = 0; k < K; k++)
        codes[i * K + k] = self->codes[drawn[i] * K + k];
    }
  TosstStatus status = tosst_code_objective (self->context, coder, tensors, CANDIDATES, codes, objective, NULL);
  for (size_t i = 1; i < CANDIDATES; i++)
    if (objective[i] > objective[best])
      best = i;
  *index = drawn[best];
  return status;
}

/* Atoms that no code uses take slices of badly reconstructed tensors. Their b_k does not enter the objective while P_kk
 * = 0, but for finite gamma their B_k does, through W: where the new ones would raise the objective the old ones stay.
 */
static TosstStatus
replace_unused (TosstLearning *self, const TosstCoder *coder, TosstRandom *random, TosstIteration *iteration)
{
  size_t K = self->K, D = self->D, m = self->layout->m;
  int unused = 0;
  for (size_t k = 0; k < K; k++)
    unused += self->P[k * K + k] == 0;
  iteration->unused_atoms = unused;
  if (unused == 0)
    return TOSST_OK;

  double *V = malloc (sizeof *V * D * K), *work = malloc (sizeof *work * tosst_project_atom_work (self->layout->d));
  double *candidates = malloc (sizeof *candidates * CANDIDATES * (m + K));
  TosstStatus status = V && work && candidates ? TOSST_OK : TOSST_ERROR_MEMORY;
  if (status != TOSST_OK)
    tosst_context_fail (self->context, status, "not enough memory to replace unused atoms");
  else
    memcpy (V, self->dictionary->V, sizeof *V * D * K);
  for (size_t k = 0; k < K && status == TOSST_OK; k++)
    if (self->P[k * K + k] == 0)
      {
        size_t n;
        status = draw_bad_tensor (self, coder, random, candidates, &n);
        if (status == TOSST_OK && !tosst_learning_seed_atom (self, k, n, random, work))
          memcpy (self->dictionary->V + k * D, V + k * D, sizeof *V * D);
      }
  if (status == TOSST_OK)
    {
      TosstIteration after;
      status = tosst_reduction_update (&self->reduction, self->context, self->dictionary, self->options->gamma);
      if (status == TOSST_OK)
        status = tosst_learning_residuals (self);
      if (status == TOSST_OK)
        status = tosst_learning_objective (self, &after);
      if (status == TOSST_OK && after.objective > iteration->objective)
        memcpy (self->dictionary->V, V, sizeof *V * D * K);
      else if (status == TOSST_OK)
        {
          iteration->objective = after.objective;
          iteration->fit = after.fit;
          iteration->proximity = after.proximity;
        }
    }
  free (V);
  free (work);
  free (candidates);
  return status;
}

/* The dictionary given the codes. */
static TosstStatus
update_dictionary (TosstLearning *self, const TosstCoder *coder, TosstRandom *random, TosstIteration *iteration)
{
  TosstStatus status = tosst_learning_sum (self);
  if (status == TOSST_OK)
    status = tosst_reduction_update (&self->reduction, self->context, self->dictionary, self->options->gamma);
  if (status == TOSST_OK)
    status = tosst_learning_residuals (self);
  for (int round = 0; round < ROUNDS && status == TOSST_OK; round++)
    status = tosst_learning_update (self);
  if (status == TOSST_OK)
    status = tosst_learning_objective (self, iteration);
  if (status == TOSST_OK)
    status = replace_unused (self, coder, random, iteration);
  return status;
}

typedef struct
{
  TosstIterationFunc func;
  void *data;
  double *usage; /* K */
} Report;

static void
report_iteration (const TosstLearning *self, const TosstIteration *iteration, const Report *report)
{
  if (!report->func)
    return;
  for (size_t k = 0; k < (size_t)self->K; k++)
    report->usage[k] = self->P[k * self->K + k];
  report->func (iteration, self->dictionary, report->usage, report->data);
}

/* Iterations until the objective settles. last receives a copy of the dictionary after each whole one. */
static TosstStatus
iterate (TosstLearning *self, const Report *report, TosstDictionary **last)
{
  const TosstLearnOptions *options = self->options;
  double start = tosst_context_seconds (self->context), before = INFINITY;
  TosstStatus status = TOSST_OK;
  TosstRandom random;
  tosst_random_init (&random, options->seed, 1);

  for (int i = 1; i <= options->iterations && status == TOSST_OK; i++)
    {
      TosstIteration iteration = { .iteration = i };
      TosstCoder *coder = NULL;
      TosstRange range
          = tosst_context_narrow (self->context, (i - 1.0) / options->iterations, (i - 0.3) / options->iterations);
      status = update_codes (self, i > 1, &iteration, &coder);
      tosst_context_set_range (self->context, range);
      tosst_context_narrow (self->context, (i - 0.3) / options->iterations, (double)i / options->iterations);
      if (status == TOSST_OK)
        status = update_dictionary (self, coder, &random, &iteration);
      tosst_context_set_range (self->context, range);
      tosst_coder_free (coder);
      if (status != TOSST_OK)
        break;

      iteration.seconds = tosst_context_seconds (self->context) - start;
      tosst_dictionary_free (*last);
      *last = tosst_dictionary_copy (self->dictionary);
      if (!*last)
        return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to keep the dictionary");
      report_iteration (self, &iteration, report);
      if (before - iteration.objective < options->tolerance * fabs (before) && options->tolerance > 0
          && isfinite (before))
        break;
      before = iteration.objective;
    }
  return status;
}

TosstStatus
tosst_learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
             const TosstLearnOptions *options, TosstIterationFunc func, void *user_data, TosstDictionary **dictionary)
{
  *dictionary = NULL;
  const char *wrong = tosst_learn_options_check (options, n, layout->d);
  if (wrong)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", wrong);

  TosstLearning self;
  Report report = { func, user_data, malloc (sizeof (double) * options->atoms) };
  TosstStatus status = TOSST_OK;
  if (!tosst_learning_init (&self, context, layout, tensors, n, options) || !report.usage)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms from %zu tensors",
                                 options->atoms, n);
  if (status == TOSST_OK)
    status = tosst_learning_measure (&self);
  if (status == TOSST_OK)
    status = tosst_learning_start (&self);
  if (status == TOSST_OK)
    status = iterate (&self, &report, dictionary);
  if (status != TOSST_OK && status != TOSST_CANCELLED)
    {
      tosst_dictionary_free (*dictionary);
      *dictionary = NULL;
    }
  tosst_learning_clear (&self);
  free (report.usage);
  return status;
}
