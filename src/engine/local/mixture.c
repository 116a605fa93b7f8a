/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "engine/simd/kernels.h"
#include "tosst/local.h"

/* Posteriors of a mixture for blocks of vectors. With y = (x - shift) / scale, where shift and scale are those of the whole
 * mixture, the logarithms of w_k N (x; mu_k, sigma_k^2) are a product and a constant:
 *     (y, y^2) F + c,   F = (mu_k / sigma_k^2; -1 / (2 sigma_k^2)) in the units of y.
 * Standardised values keep the differences that float32 would lose in features with a large mean. */

/* Vectors in a block. */
#define MIXTURE_BLOCK ((size_t)256)

typedef struct
{
  int D, K;
  size_t width;     /* 2 D, rounded up */
  size_t stride;    /* K, rounded up */
  double *shift;    /* D */
  double *scale;    /* D: 1 / scale of the text above */
  float *units;     /* 2 D: shift and scale, which float32 holds exactly */
  float *factors;   /* width x stride */
  float *constants; /* stride */
  double offset;    /* sum log scale: log p (x) = log p (y) + offset */
  TosstMemory memory;
} TosstDensities;

/* Work space of one thread. */
typedef struct
{
  float *vectors;    /* MIXTURE_BLOCK x width: y, y^2, zeros */
  float *posteriors; /* MIXTURE_BLOCK x stride */
  float *sums;       /* stride x width, of a block */
  float *totals;     /* stride, of a block */
  double *logs;      /* MIXTURE_BLOCK */
  TosstMemory memory;
} TosstDensityWork;

/* Sums over vectors: of gamma_k, gamma_k y and gamma_k y^2, and of log p (x). */
typedef struct
{
  double *totals;  /* K */
  double *moments; /* K x 2 D */
  double likelihood;
  TosstMemory memory;
} TosstMixtureSums;

#define LEAST_POSTERIOR 1e-6f
#define EXCLUDED (-1e30f) /* constant of the columns that pad a row of posteriors */

TosstMixture *
tosst_mixture_new (int D, int K)
{
  TosstMixture *self = D >= 1 && K >= 1 ? calloc (1, sizeof *self) : NULL;

  if (!self)
    return NULL;
  *self = (TosstMixture){ .D = D, .K = K };
  self->weights = calloc ((size_t)K, sizeof *self->weights);
  self->means = calloc ((size_t)K * (size_t)D, sizeof *self->means);
  self->variances = calloc ((size_t)K * (size_t)D, sizeof *self->variances);
  if (self->weights && self->means && self->variances)
    return self;
  tosst_mixture_free (self);
  return NULL;
}

/* Copies the parameters of a mixture of the same shape. */
static void
tosst_mixture_assign (TosstMixture *self, const TosstMixture *from)
{
  size_t K = (size_t)self->K, n = K * (size_t)self->D;

  memcpy (self->weights, from->weights, K * sizeof *self->weights);
  memcpy (self->means, from->means, n * sizeof *self->means);
  memcpy (self->variances, from->variances, n * sizeof *self->variances);
}

TosstMixture *
tosst_mixture_copy (const TosstMixture *mixture)
{
  TosstMixture *self = tosst_mixture_new (mixture->D, mixture->K);

  if (self)
    tosst_mixture_assign (self, mixture);
  return self;
}

void
tosst_mixture_free (TosstMixture *self)
{
  if (!self)
    return;
  free (self->weights);
  free (self->means);
  free (self->variances);
  free (self);
}

bool
tosst_mixture_is_valid (const TosstMixture *self)
{
  size_t n = (size_t)self->K * (size_t)self->D;
  bool ok = true;

  for (int k = 0; k < self->K; k++)
    ok = ok && isfinite (self->weights[k]) && self->weights[k] > 0;
  for (size_t i = 0; i < n; i++)
    ok = ok && isfinite (self->means[i]) && isfinite (self->variances[i]) && self->variances[i] > 0;
  return ok;
}

static bool
tosst_densities_init (TosstDensities *self, int D, int K)
{
  TosstMemory *memory = &self->memory;

  *self = (TosstDensities){ .D = D, .K = K, .width = tosst_grain (2 * (size_t)D), .stride = tosst_grain ((size_t)K) };
  self->shift = tosst_keep (memory, calloc ((size_t)D, sizeof *self->shift));
  self->scale = tosst_keep (memory, calloc ((size_t)D, sizeof *self->scale));
  self->units = tosst_keep (memory, calloc (2 * (size_t)D, sizeof *self->units));
  self->factors = tosst_keep (memory, tosst_alloc_aligned (self->width * self->stride, sizeof *self->factors));
  self->constants = tosst_keep (memory, tosst_alloc_aligned (self->stride, sizeof *self->constants));
  return !memory->failed;
}

/* Sets shift and scale of number j of a vector, rounded to float32. */
static void
tosst_densities_set_unit (TosstDensities *self, size_t j, double mean, double variance)
{
  self->units[j] = (float)mean;
  self->units[(size_t)self->D + j] = (float)(1 / sqrt (variance));
  self->shift[j] = self->units[j];
  self->scale[j] = self->units[(size_t)self->D + j];
}

/* Sets shift and scale to mean and deviation of the whole mixture. */
static void
tosst_densities_set_units (TosstDensities *self, const TosstMixture *mixture)
{
  size_t D = (size_t)self->D;

  for (size_t j = 0; j < D; j++)
    {
      double mean = 0, variance = 0;
      for (size_t k = 0; k < (size_t)self->K; k++)
        mean += mixture->weights[k] * mixture->means[k * D + j];
      for (size_t k = 0; k < (size_t)self->K; k++)
        variance += mixture->weights[k] * (mixture->variances[k * D + j] + pow (mixture->means[k * D + j] - mean, 2));
      tosst_densities_set_unit (self, j, mean, variance);
    }
}

/* Sets the factors of a mixture; shift and scale are set. */
static void
tosst_densities_set (TosstDensities *self, const TosstMixture *mixture)
{
  size_t D = (size_t)self->D, K = (size_t)self->K;

  memset (self->factors, 0, self->width * self->stride * sizeof *self->factors);
  self->offset = 0;
  for (size_t j = 0; j < D; j++)
    self->offset += log (self->scale[j]);
  for (size_t k = 0; k < self->stride; k++)
    self->constants[k] = EXCLUDED;
  for (size_t k = 0; k < K; k++)
    {
      double constant = log (mixture->weights[k]);
      for (size_t j = 0; j < D; j++)
        {
          double mean = (mixture->means[k * D + j] - self->shift[j]) * self->scale[j];
          double variance = mixture->variances[k * D + j] * self->scale[j] * self->scale[j];
          self->factors[j * self->stride + k] = (float)(mean / variance);
          self->factors[(D + j) * self->stride + k] = (float)(-0.5 / variance);
          constant -= 0.5 * (log (2 * M_PI * variance) + mean * mean / variance);
        }
      self->constants[k] = (float)fmax (constant, EXCLUDED);
    }
}

static bool
tosst_density_work_init (TosstDensityWork *self, const TosstDensities *densities)
{
  size_t width = densities->width, stride = densities->stride;
  TosstMemory *memory = &self->memory;

  *self = (TosstDensityWork){ 0 };
  self->vectors = tosst_keep (memory, tosst_alloc_aligned (MIXTURE_BLOCK * width, sizeof *self->vectors));
  self->posteriors = tosst_keep (memory, tosst_alloc_aligned (MIXTURE_BLOCK * stride, sizeof *self->posteriors));
  self->sums = tosst_keep (memory, tosst_alloc_aligned (stride * width, sizeof *self->sums));
  self->totals = tosst_keep (memory, tosst_alloc_aligned (stride, sizeof *self->totals));
  self->logs = tosst_keep (memory, malloc (MIXTURE_BLOCK * sizeof *self->logs));
  return !memory->failed;
}

/* zeros */
static bool
tosst_mixture_sums_init (TosstMixtureSums *self, int D, int K)
{
  TosstMemory *memory = &self->memory;

  *self = (TosstMixtureSums){ 0 };
  self->totals = tosst_keep (memory, calloc ((size_t)K, sizeof *self->totals));
  self->moments = tosst_keep (memory, calloc ((size_t)K * 2 * (size_t)D, sizeof *self->moments));
  return !memory->failed;
}

/* Writes (y, y^2) of n vectors. */
static void
load_vectors (const TosstDensities *self, const float *restrict x, size_t n, float *restrict to)
{
  size_t D = (size_t)self->D;
  const float *restrict shift = self->units, *restrict scale = shift + D;

  for (size_t i = 0; i < n; i++, x += D, to += self->width)
    {
      for (size_t j = 0; j < D; j++)
        {
          float y = (x[j] - shift[j]) * scale[j];
          to[j] = y;
          to[D + j] = y * y;
        }
      for (size_t j = 2 * D; j < self->width; j++)
        to[j] = 0;
    }
}

/* Replaces posteriors by 1 for the largest one, the first of these, and 0 for the others. */
static void
harden (float *posteriors, size_t n, size_t K, size_t stride)
{
  for (size_t i = 0; i < n; i++)
    {
      float *row = posteriors + i * stride;
      size_t best = 0;
      for (size_t k = 1; k < K; k++)
        if (row[k] > row[best])
          best = k;
      memset (row, 0, stride * sizeof *row);
      row[best] = 1;
    }
}

/* Adds the sums of a block. */
static void
add_block (TosstMixtureSums *self, const TosstDensities *densities, size_t n, const TosstDensityWork *work)
{
  size_t D = (size_t)densities->D, K = (size_t)densities->K, width = densities->width, stride = densities->stride;

  memset (work->sums, 0, stride * width * sizeof *work->sums);
  memset (work->totals, 0, stride * sizeof *work->totals);
  tosst_kernels ()->posterior_sums (work->posteriors, n, stride, LEAST_POSTERIOR, work->vectors, width, work->sums,
                                    work->totals);
  for (size_t k = 0; k < K; k++)
    {
      self->totals[k] += work->totals[k];
      for (size_t j = 0; j < 2 * D; j++)
        self->moments[k * 2 * D + j] += work->sums[k * width + j];
    }
}

/* Adds n vectors. is_hard: the whole weight goes to the most likely component. Returns TOSST_ERROR_NUMERIC for a
 * likelihood that is not finite. */
static TosstStatus
tosst_mixture_sums_add (TosstMixtureSums *self, const TosstDensities *densities, const float *x, size_t n, bool is_hard,
                        TosstDensityWork *work)
{
  size_t D = (size_t)densities->D, K = (size_t)densities->K, stride = densities->stride;

  for (size_t first = 0, count; first < n; first += count)
    {
      double sum = 0;
      count = n - first < MIXTURE_BLOCK ? n - first : MIXTURE_BLOCK;
      load_vectors (densities, x + first * D, count, work->vectors);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)stride, (int)(2 * D), 1, work->vectors,
                   (int)densities->width, densities->factors, (int)stride, 0, work->posteriors, (int)stride);
      tosst_kernels ()->posteriors (work->posteriors, count, stride, densities->constants, work->logs);
      for (size_t i = 0; i < count; i++)
        sum += work->logs[i];
      if (!isfinite (sum))
        return TOSST_ERROR_NUMERIC;
      if (is_hard)
        harden (work->posteriors, count, K, stride);
      add_block (self, densities, count, work);
      self->likelihood += sum + (double)count * densities->offset;
    }
  return TOSST_OK;
}

/* Expectation maximisation. The vectors are divided into PARTS that do not depend on the number of threads, whose sums are
 * added in order. An iteration that does not raise the likelihood is undone and is the last one, so that rounding of
 * the float32 products, the floor of the variances and components that are placed again cannot lower it. */

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
    tosst_release (&self->work[t].memory);
  for (int p = 0; p < PARTS; p++)
    tosst_release (&self->parts[p].memory);
  tosst_release (&self->densities.memory);
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
      TOSST_THEN (status, expect (self, grown));
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

  TOSST_THEN (status, cluster (self));
  tosst_mixture_assign (self->best, self->mixture);
  TOSST_THEN (status, expect (self, &likelihood));
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
  TOSST_REQUIRE (context, context && x && options && mixture);
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

/* Fisher vectors from the sums s0 = sum gamma, s1 = sum gamma y and s2 = sum gamma y^2 of each component:
 *     sum gamma (y - mu) / sigma = (s1 - mu s0) / sigma,   sum gamma (y - mu)^2 / sigma^2 = (s2 - 2 mu s1 + mu^2 s0) / sigma^2. */

struct TosstFisher
{
  TosstMixture *mixture; /* in the units of the densities */
  TosstDensities densities;
};

/* Converts means and variances to the units of the densities. */
static void
standardise (TosstMixture *mixture, const TosstDensities *units)
{
  size_t D = (size_t)mixture->D;

  for (size_t i = 0; i < (size_t)mixture->K * D; i++)
    {
      double scale = units->scale[i % D];
      mixture->means[i] = (mixture->means[i] - units->shift[i % D]) * scale;
      mixture->variances[i] *= scale * scale;
    }
}

TosstFisher *
tosst_fisher_new (const TosstMixture *mixture)
{
  TosstFisher *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->mixture = tosst_mixture_copy (mixture);
  if (!tosst_densities_init (&self->densities, mixture->D, mixture->K) || !self->mixture)
    {
      tosst_fisher_free (self);
      return NULL;
    }
  tosst_densities_set_units (&self->densities, mixture);
  tosst_densities_set (&self->densities, mixture);
  standardise (self->mixture, &self->densities);
  return self;
}

void
tosst_fisher_free (TosstFisher *self)
{
  if (!self)
    return;
  tosst_mixture_free (self->mixture);
  tosst_release (&self->densities.memory);
  free (self);
}

size_t
tosst_fisher_length (const TosstMixture *mixture)
{
  return 2 * (size_t)mixture->K * (size_t)mixture->D;
}

static void
write_gradients (const TosstMixture *mixture, const TosstMixtureSums *sums, size_t n, float *out)
{
  size_t D = (size_t)mixture->D, K = (size_t)mixture->K;

  for (size_t k = 0; k < K; k++)
    {
      const double *first = sums->moments + 2 * k * D, *second = first + D;
      double s0 = sums->totals[k], factor = 1 / ((double)n * sqrt (mixture->weights[k]));
      for (size_t j = 0; j < D; j++)
        {
          double mean = mixture->means[k * D + j], variance = mixture->variances[k * D + j];
          double s1 = first[j] - mean * s0, s2 = second[j] - 2 * mean * first[j] + mean * mean * s0;
          out[k * D + j] = (float)(factor * s1 / sqrt (variance));
          out[(K + k) * D + j] = (float)(factor * M_SQRT1_2 * (s2 / variance - s0));
        }
    }
}

TosstStatus
tosst_fisher_code (const TosstFisher *self, const float *x, size_t n, float *out, double *likelihood)
{
  TOSST_REQUIRE (NULL, self && x && out);
  TosstDensityWork work;
  TosstMixtureSums sums;
  TosstStatus status = TOSST_ERROR_MEMORY;
  bool has_work = tosst_density_work_init (&work, &self->densities);
  bool has_sums = tosst_mixture_sums_init (&sums, self->mixture->D, self->mixture->K);

  if (n == 0)
    status = TOSST_ERROR_ARGUMENT;
  else if (has_work && has_sums)
    status = tosst_mixture_sums_add (&sums, &self->densities, x, n, false, &work);
  if (status == TOSST_OK)
    {
      write_gradients (self->mixture, &sums, n, out);
      if (likelihood)
        *likelihood = sums.likelihood / (double)n;
    }
  tosst_release (&work.memory);
  tosst_release (&sums.memory);
  return status;
}
