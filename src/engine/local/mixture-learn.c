/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expectation maximisation. The vectors are divided into PARTS that do not depend on the number of threads, whose sums are
 * added in order. An iteration that does not raise the likelihood is undone and is the last one, so that rounding of
 * the float32 products, the floor of the variances and components that are placed again cannot lower it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/local/mixture-private.h"

enum
{
  PARTS = 16,
  SEEDED = 64,    /* vectors a component among which seeds are drawn */
  CLUSTERING = 8, /* iterations of k-means before EM */
};

#define SEED_STREAM 1
/* A component with less than this part of the mean number of vectors is placed again. */
#define EMPTY 0.01
#define LEAST_WEIGHT 1e-9

void
tosst_mixture_options_default (TosstMixtureOptions *options)
{
  *options = (TosstMixtureOptions){ .gaussians = 256, .iterations = 30, .tolerance = 5e-3, .floor = 1e-3, .seed = 1 };
}

typedef struct
{
  TosstContext *context;
  const float *x;
  size_t n;
  int D, K;
  const TosstMixtureOptions *options;
  double *variance; /* D: of all vectors */
  TosstDensities densities;
  TosstDensityWork *work; /* one a thread */
  TosstMixtureSums parts[PARTS];
  TosstMixture *mixture, *best;
  bool is_hard;
} Learning;

static bool
learning_init (Learning *self)
{
  int threads = tosst_context_threads (self->context);
  bool ok = tosst_densities_init (&self->densities, self->D, self->K);

  self->variance = calloc ((size_t)self->D, sizeof *self->variance);
  self->mixture = tosst_mixture_new (self->D, self->K);
  self->best = tosst_mixture_new (self->D, self->K);
  self->work = calloc ((size_t)threads, sizeof *self->work);
  for (int t = 0; t < threads && self->work; t++)
    ok = tosst_density_work_init (&self->work[t], &self->densities) && ok;
  for (int p = 0; p < PARTS; p++)
    ok = tosst_mixture_sums_init (&self->parts[p], self->D, self->K) && ok;
  return ok && self->variance && self->mixture && self->best && self->work;
}

static void
learning_clear (Learning *self)
{
  for (int t = 0; self->work && t < tosst_context_threads (self->context); t++)
    tosst_density_work_clear (&self->work[t]);
  for (int p = 0; p < PARTS; p++)
    tosst_mixture_sums_clear (&self->parts[p]);
  tosst_densities_clear (&self->densities);
  tosst_mixture_free (self->mixture);
  tosst_mixture_free (self->best);
  free (self->variance);
  free (self->work);
}

/* Mean and variance of the vectors as units of the densities; a constant number of all vectors has a variance of its own. */
static void
measure (Learning *self)
{
  size_t D = (size_t)self->D;
  double *mean = self->parts->moments, most = 0; /* not used yet */

  for (size_t i = 0; i < self->n; i++)
    for (size_t j = 0; j < D; j++)
      mean[j] += self->x[i * D + j];
  for (size_t j = 0; j < D; j++)
    mean[j] /= (double)self->n;
  for (size_t i = 0; i < self->n; i++)
    for (size_t j = 0; j < D; j++)
      self->variance[j] += (self->x[i * D + j] - mean[j]) * (self->x[i * D + j] - mean[j]);
  for (size_t j = 0; j < D; j++)
    most = fmax (most, self->variance[j] /= (double)self->n);
  for (size_t j = 0; j < D; j++)
    {
      self->variance[j] = fmax (self->variance[j], most > 0 ? 1e-10 * most : 1);
      tosst_densities_set_unit (&self->densities, j, mean[j], self->variance[j]);
    }
}

/* Seeds of k-means++ among m vectors, y: D x m centred values. */
static void
choose_seeds (Learning *self, TosstRandom *random, const float *y, size_t m, float *distance)
{
  size_t D = (size_t)self->D;
  float *fresh = distance + m;

  for (size_t i = 0; i < m; i++)
    distance[i] = INFINITY;
  for (size_t k = 0, chosen = tosst_random_below (random, m); k < (size_t)self->K; k++)
    {
      double sum = 0, aim;
      memset (fresh, 0, m * sizeof *fresh);
      for (size_t j = 0; j < D; j++)
        {
          float centre = y[j * m + chosen];
          self->mixture->means[k * D + j] = self->densities.shift[j] + centre;
          for (size_t i = 0; i < m; i++)
            fresh[i] += (y[j * m + i] - centre) * (y[j * m + i] - centre);
        }
      for (size_t i = 0; i < m; i++)
        sum += distance[i] = fresh[i] < distance[i] ? fresh[i] : distance[i];
      aim = tosst_random_uniform (random) * sum;
      chosen = sum > 0 ? 0 : tosst_random_below (random, m);
      for (aim -= distance[chosen]; sum > 0 && aim >= 0 && chosen + 1 < m; aim -= distance[chosen])
        chosen++;
    }
}

/* Means at seeds, equal weights and spherical Gaussians: hard assignment is then k-means. */
static TosstStatus
begin (Learning *self)
{
  size_t D = (size_t)self->D, K = (size_t)self->K, m = K * SEEDED < self->n ? K * SEEDED : self->n;
  float *y = malloc (m * D * sizeof *y), *distance = malloc (2 * m * sizeof *distance);
  size_t *drawn = malloc (self->n * sizeof *drawn);
  double sum = 0;
  TosstRandom random;
  bool ok = y && distance && drawn;

  tosst_random_init (&random, self->options->seed, SEED_STREAM);
  for (size_t i = 0; ok && i < self->n; i++)
    drawn[i] = i;
  for (size_t i = 0; ok && i < m; i++)
    {
      size_t other = i + tosst_random_below (&random, self->n - i), from = drawn[other];
      drawn[other] = drawn[i];
      for (size_t j = 0; j < D; j++)
        y[j * m + i] = (float)(self->x[from * D + j] - self->densities.shift[j]);
    }
  if (ok)
    choose_seeds (self, &random, y, m, distance);
  for (size_t j = 0; j < D; j++)
    sum += self->variance[j];
  for (size_t i = 0; i < K * D; i++)
    self->mixture->variances[i] = sum / (double)D;
  for (size_t k = 0; k < K; k++)
    self->mixture->weights[k] = 1 / (double)K;
  free (y);
  free (distance);
  free (drawn);
  return ok ? TOSST_OK : tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "Not enough memory for the mixture");
}

static TosstStatus
add_part (size_t item, int worker, void *data)
{
  Learning *self = data;
  TosstMixtureSums *sums = &self->parts[item];
  size_t D = (size_t)self->D, K = (size_t)self->K, first = self->n * item / PARTS, end = self->n * (item + 1) / PARTS;

  memset (sums->totals, 0, K * sizeof *sums->totals);
  memset (sums->moments, 0, 2 * K * D * sizeof *sums->moments);
  sums->likelihood = 0;
  return tosst_mixture_sums_add (sums, &self->densities, self->x + first * D, end - first, self->is_hard,
                                 &self->work[worker]);
}

/* Sums of all vectors for the present mixture, in parts[0]; returns the mean log-likelihood. */
static TosstStatus
expect (Learning *self, double *likelihood)
{
  size_t numbers = 2 * (size_t)self->K * (size_t)self->D;
  TosstMixtureSums *sums = self->parts;

  tosst_densities_set (&self->densities, self->mixture);
  TosstStatus status = tosst_parallel (self->context, PARTS, add_part, self, 0, 0);
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_context_fail (self->context, status, "The likelihood of the mixture is not finite");
  for (int p = 1; p < PARTS && status == TOSST_OK; p++)
    {
      for (int k = 0; k < self->K; k++)
        sums->totals[k] += self->parts[p].totals[k];
      for (size_t i = 0; i < numbers; i++)
        sums->moments[i] += self->parts[p].moments[i];
      sums->likelihood += self->parts[p].likelihood;
    }
  *likelihood = sums->likelihood / (double)self->n;
  return status;
}

/* Places a component beside the one with the most vectors, whose weight they share, along its longest axis. */
static void
place_again (TosstMixture *mixture, size_t k)
{
  size_t D = (size_t)mixture->D, from = 0, axis = 0;

  for (size_t other = 1; other < (size_t)mixture->K; other++)
    if (mixture->weights[other] > mixture->weights[from])
      from = other;
  if (from == k)
    return;
  for (size_t j = 1; j < D; j++)
    if (mixture->variances[from * D + j] > mixture->variances[from * D + axis])
      axis = j;
  memcpy (mixture->means + k * D, mixture->means + from * D, D * sizeof *mixture->means);
  memcpy (mixture->variances + k * D, mixture->variances + from * D, D * sizeof *mixture->variances);
  double away = 0.5 * sqrt (mixture->variances[from * D + axis]);
  mixture->means[k * D + axis] += away;
  mixture->means[from * D + axis] -= away;
  mixture->weights[k] = mixture->weights[from] /= 2;
}

static void
set_component (Learning *self, size_t k)
{
  size_t D = (size_t)self->D;
  const TosstDensities *units = &self->densities;
  const double *first = self->parts->moments + 2 * k * D, *second = first + D;
  double total = self->parts->totals[k];

  self->mixture->weights[k] = fmax (total / (double)self->n, LEAST_WEIGHT);
  for (size_t j = 0; j < D && total > 0; j++)
    {
      double mean = first[j] / total, variance = second[j] / total - mean * mean;
      self->mixture->means[k * D + j] = units->shift[j] + mean / units->scale[j];
      self->mixture->variances[k * D + j] = fmax (variance, self->options->floor) / (units->scale[j] * units->scale[j]);
    }
}

/* New parameters from the sums. Returns the number of components that were placed again. */
static int
maximise (Learning *self, bool places)
{
  double sum = 0;
  int placed = 0;

  for (size_t k = 0; k < (size_t)self->K; k++)
    set_component (self, k);
  for (size_t k = 0; k < (size_t)self->K && places; k++)
    if (self->parts->totals[k] < EMPTY * (double)self->n / self->K)
      {
        place_again (self->mixture, k);
        placed++;
      }
  for (int k = 0; k < self->K; k++)
    sum += self->mixture->weights[k];
  for (int k = 0; k < self->K; k++)
    self->mixture->weights[k] /= sum;
  return placed;
}

/* k-means; spherical Gaussians remain until the last iteration. */
static TosstStatus
cluster (Learning *self)
{
  size_t numbers = (size_t)self->K * (size_t)self->D;
  double likelihood, variance = self->mixture->variances[0];
  TosstStatus status = TOSST_OK;

  self->is_hard = true;
  for (int i = 0; i < CLUSTERING && status == TOSST_OK; i++)
    {
      status = expect (self, &likelihood);
      if (status != TOSST_OK)
        break;
      maximise (self, true);
      for (size_t j = 0; j < numbers && i + 1 < CLUSTERING; j++)
        self->mixture->variances[j] = variance;
      for (int k = 0; k < self->K && i + 1 < CLUSTERING; k++)
        self->mixture->weights[k] = 1.0 / self->K;
    }
  self->is_hard = false;
  return status;
}

/* One iteration from the sums of `best`, whose likelihood is given; *grown receives the new likelihood, or the old one
 * if no step raises it. */
static TosstStatus
iterate (Learning *self, double likelihood, double *grown, int *reseeded)
{
  int placed = maximise (self, true);
  TosstStatus status = expect (self, grown);

  if (status == TOSST_OK && placed > 0 && !(*grown > likelihood))
    {
      /* The sums of the last mixture are needed again. */
      tosst_mixture_assign (self->mixture, self->best);
      status = expect (self, grown);
      placed = maximise (self, false);
      if (status == TOSST_OK)
        status = expect (self, grown);
    }
  if (status != TOSST_OK)
    return status;
  if (*grown > likelihood)
    {
      tosst_mixture_assign (self->best, self->mixture);
      *reseeded += placed;
    }
  else
    *grown = likelihood;
  return TOSST_OK;
}

static TosstStatus
learn (Learning *self, double *trace, TosstMixtureReport *report)
{
  double likelihood = 0;
  TosstStatus status = begin (self);

  if (status == TOSST_OK)
    status = cluster (self);
  tosst_mixture_assign (self->best, self->mixture);
  if (status == TOSST_OK)
    status = expect (self, &likelihood);
  if (trace && status == TOSST_OK)
    trace[0] = likelihood;
  for (int i = 0; i < self->options->iterations && status == TOSST_OK; i++)
    {
      double before = likelihood;
      tosst_context_progress (self->context, (double)(i + 1) / (self->options->iterations + 1));
      status = iterate (self, before, &likelihood, &report->reseeded);
      if (status != TOSST_OK)
        break;
      report->iterations++;
      if (trace)
        trace[report->iterations] = likelihood;
      if (!(likelihood > before + self->options->tolerance))
        break;
    }
  report->likelihood = likelihood;
  return status;
}

static TosstStatus
check (TosstContext *context, const float *x, size_t n, int D, const TosstMixtureOptions *options)
{
  float probe = 0;

  if (D < 1 || options->gaussians < 1 || n < (size_t)options->gaussians)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "A mixture of %d Gaussians of %zu vectors of length %d",
                               options->gaussians, n, D);
  if (options->iterations < 0 || !(options->tolerance >= 0) || !(options->floor > 0 && options->floor < 1))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "Invalid options of a mixture");
  /* Zero times a finite value is zero; otherwise the sum is NaN. */
  for (size_t i = 0; i < n * (size_t)D; i++)
    probe += x[i] * 0.0f;
  return probe == 0.0f ? TOSST_OK
                       : tosst_context_fail (context, TOSST_ERROR_NUMERIC, "A vector of the mixture is not finite");
}

TosstStatus
tosst_mixture_learn (TosstContext *context, const float *x, size_t n, int D, const TosstMixtureOptions *options,
                     double *trace, TosstMixtureReport *report, TosstMixture **mixture)
{
  Learning self = { .context = context, .x = x, .n = n, .D = D, .K = options->gaussians, .options = options };
  TosstMixtureReport own;
  TosstStatus status = check (context, x, n, D, options);

  *mixture = NULL;
  report = report ? report : &own;
  *report = (TosstMixtureReport){ 0 };
  if (status != TOSST_OK)
    return status;
  if (learning_init (&self))
    {
      measure (&self);
      status = learn (&self, trace, report);
    }
  else
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "Not enough memory for the mixture");
  if (status == TOSST_OK)
    {
      *mixture = self.best;
      self.best = NULL;
    }
  learning_clear (&self);
  return status;
}
