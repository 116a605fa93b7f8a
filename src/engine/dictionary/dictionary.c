/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/dictionary.h"
#include "engine/base/base.h"
#include "engine/dictionary/tuning.h"

TosstDictionary *
tosst_dictionary_new (int d, int K)
{
  return tosst_dictionary_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, d), K);
}

/* numbers: allocation function, calloc() or similar. */
static TosstDictionary *
allocate (TosstShape shape, int K, void *(*numbers) (size_t count, size_t element))
{
  TosstDictionary *self = K < 1 || tosst_shape_check (shape) ? NULL : calloc (1, sizeof *self);
  if (!self)
    return NULL;
  self->shape = shape;
  self->d = shape.d1;
  self->D = tosst_shape_slice_length (shape);
  self->S = tosst_shape_slices (shape);
  self->K = K;
  self->scale = 1;
  self->V = numbers ((size_t)self->D * K, sizeof *self->V);
  self->b = numbers ((size_t)self->S * K, sizeof *self->b);
  if (!self->V || !self->b)
    {
      tosst_dictionary_free (self);
      return NULL;
    }
  return self;
}

TosstDictionary *
tosst_dictionary_new_shape (TosstShape shape, int K)
{
  return allocate (shape, K, calloc);
}

TosstDictionary *
tosst_dictionary_new_undefined (TosstShape shape, int K)
{
  return allocate (shape, K, tosst_alloc_aligned);
}

TosstDictionary *
tosst_dictionary_copy (const TosstDictionary *dictionary)
{
  TosstDictionary *copy = tosst_dictionary_new_undefined (dictionary->shape, dictionary->K);
  if (!copy)
    return NULL;
  memcpy (copy->V, dictionary->V, sizeof *copy->V * copy->D * copy->K);
  memcpy (copy->b, dictionary->b, sizeof *copy->b * copy->S * copy->K);
  copy->scale = dictionary->scale;
  return copy;
}

void
tosst_dictionary_free (TosstDictionary *dictionary)
{
  if (!dictionary)
    return;
  free (dictionary->V);
  free (dictionary->b);
  free (dictionary);
}

void
tosst_dictionary_set (TosstDictionary *dictionary, const double *B, const double *b)
{
  size_t numbers = tosst_shape_atom_numbers (dictionary->shape);
  for (int k = 0; k < dictionary->K; k++)
    tosst_atom_from_array (dictionary->shape, B + k * numbers, dictionary->V + (size_t)k * dictionary->D);
  memcpy (dictionary->b, b, sizeof *b * dictionary->S * dictionary->K);
}

void
tosst_dictionary_get (const TosstDictionary *dictionary, double *B, double *b)
{
  size_t numbers = tosst_shape_atom_numbers (dictionary->shape);
  for (int k = 0; k < dictionary->K; k++)
    tosst_atom_to_array (dictionary->shape, dictionary->V + (size_t)k * dictionary->D, B + k * numbers);
  memcpy (b, dictionary->b, sizeof *b * dictionary->S * dictionary->K);
}

void
tosst_dictionary_matrix (const TosstDictionary *dictionary, int k, double *matrix)
{
  const double *v = dictionary->V + (size_t)k * dictionary->D;
  int d = dictionary->d;
  if (dictionary->shape.kind != TOSST_SHAPE_WHOLE)
    {
      tosst_atom_to_array (dictionary->shape, v, matrix);
      return;
    }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      {
        double sum = 0;
        for (int s = 0; s < d; s++)
          sum += tosst_atom_entry (d, v, i, j, s);
        matrix[i * d + j] = sum / d;
      }
}

/* Columns of V divided by their norms; zero columns are kept. Returns NULL if out of memory. */
static double *
normalised (const TosstDictionary *dictionary)
{
  size_t D = dictionary->D;
  double *unit = tosst_alloc_aligned (D * dictionary->K, sizeof *unit);
  for (int k = 0; unit && k < dictionary->K; k++)
    {
      const double *from = dictionary->V + D * k;
      double norm = tosst_norm (D, from);
      for (size_t i = 0; i < D; i++)
        unit[D * k + i] = norm > 0 ? from[i] / norm : 0;
    }
  return unit;
}

TosstStatus
tosst_dictionary_similarity (const TosstDictionary *first, const TosstDictionary *second, double *similarity)
{
  if (!first || !second || !similarity || first->D != second->D)
    return TOSST_ERROR_ARGUMENT;
  size_t n = (size_t)first->K * second->K;
  double *a = normalised (first), *b = normalised (second);
  TosstStatus status = a && b ? TOSST_OK : TOSST_ERROR_MEMORY;
  if (status == TOSST_OK)
    cblas_dgemm (CblasRowMajor, CblasNoTrans, CblasTrans, first->K, second->K, first->D, 1, a, first->D, b, second->D,
                 0, similarity, second->K);
  for (size_t i = 0; status == TOSST_OK && i < n; i++)
    similarity[i] = fmin (fabs (similarity[i]), 1);
  free (a);
  free (b);
  return status;
}

/* With the factors d_k = (z_k - mean) / sqrt (K - 1) of the covariance, mean + sum_k g_k d_k has this covariance for
 * independent standard normal g_k. */

/* Random stream of the seed, distinct from those of learning. */
#define DRAW_STREAM 2000000001u

struct TosstAtomDistribution
{
  int D, S, K;
  double *mean;   /* D + S */
  double *factor; /* (D + S) x K, column-major */
};

bool
tosst_random_atom (const TosstAtomSet *set, bool signed_b, TosstRandom *random, double *v, double *b, double *work)
{
  int D = tosst_shape_slice_length (set->shape), S = tosst_shape_slices (set->shape);
  double size = 0, sum = 0;
  for (int draw = 0; draw < MOST_DRAWS && !(size > 0); draw++)
    {
      /* Scaled so that the trace bound is not active: its projection would retain only the largest eigenvalues. */
      for (int p = 0; p < D; p++)
        v[p] = tosst_random_normal (random) / (16.0 * D);
      if (tosst_atom_set_project (set, v, work) == TOSST_OK)
        size = tosst_atom_set_size (set, v);
    }
  if (!(size > 0))
    return false;
  for (int p = 0; p < D; p++)
    v[p] /= size;
  for (int s = 0; s < S; s++)
    sum += b[s] = S == 1 ? 1 : -log1p (-tosst_random_uniform (random));
  for (int s = 0; s < S; s++)
    b[s] = (sum > 0 ? b[s] / sum : 1.0 / S) * (signed_b && S > 1 && tosst_random_uniform (random) < 0.5 ? -1 : 1);
  return true;
}

TosstAtomDistribution *
tosst_atom_distribution_new (const TosstDictionary *learned)
{
  size_t D = learned->D, S = learned->S, K = learned->K, n = D + S;
  TosstAtomDistribution *self = calloc (1, sizeof *self);
  if (!self)
    return NULL;
  *self = (TosstAtomDistribution){ .D = D, .S = S, .K = K };
  self->mean = calloc (n, sizeof *self->mean);
  self->factor = malloc (sizeof *self->factor * n * K);
  if (!self->mean || !self->factor)
    {
      tosst_atom_distribution_free (self);
      return NULL;
    }
  for (size_t k = 0; k < K; k++)
    {
      memcpy (self->factor + k * n, learned->V + k * D, sizeof (double) * D);
      memcpy (self->factor + k * n + D, learned->b + k * S, sizeof (double) * S);
      cblas_daxpy (n, 1.0 / K, self->factor + k * n, 1, self->mean, 1);
    }
  double scale = K > 1 ? 1 / sqrt (K - 1.0) : 0;
  for (size_t k = 0; k < K; k++)
    for (size_t i = 0; i < n; i++)
      self->factor[k * n + i] = (self->factor[k * n + i] - self->mean[i]) * scale;
  return self;
}

void
tosst_atom_distribution_free (TosstAtomDistribution *self)
{
  if (!self)
    return;
  free (self->mean);
  free (self->factor);
  free (self);
}

void
tosst_atom_distribution_draw (const TosstAtomDistribution *self, TosstRandom *random, double *v, double *b,
                              double *work)
{
  int n = self->D + self->S;
  for (int k = 0; k < self->K; k++)
    work[k] = tosst_random_normal (random);
  memcpy (v, self->mean, sizeof *v * self->D);
  memcpy (b, self->mean + self->D, sizeof *b * self->S);
  cblas_dgemv (CblasColMajor, CblasNoTrans, self->D, self->K, 1, self->factor, n, work, 1, 1, v, 1);
  cblas_dgemv (CblasColMajor, CblasNoTrans, self->S, self->K, 1, self->factor + self->D, n, work, 1, 1, b, 1);
}

typedef struct
{
  TosstContext *context;
  const TosstAtomDistribution *distribution;
  const TosstAtomSet *set;
  bool signed_b;
  uint64_t seed;
  TosstDictionary *dictionary;
  double *work; /* per worker */
  size_t size;
} Drawing;

static bool
is_zero (const double *x, int n)
{
  for (int i = 0; i < n; i++)
    if (x[i] != 0)
      return false;
  return true;
}

/* Each atom has an independent random stream, so that the result does not depend on the number of threads. */
static TosstStatus
draw_atom (size_t k, int worker, void *data)
{
  Drawing *self = data;
  int D = self->dictionary->D, S = self->dictionary->S;
  double *v = self->dictionary->V + k * D, *b = self->dictionary->b + k * S, *work = self->work + self->size * worker;
  TosstRandom random;
  tosst_random_init (&random, self->seed, (uint64_t)k << 32 | DRAW_STREAM);
  for (int draw = 0; draw < MOST_DRAWS; draw++)
    {
      tosst_atom_distribution_draw (self->distribution, &random, v, b, work);
      TosstStatus status = tosst_atom_set_project (self->set, v, work);
      if (status != TOSST_OK)
        return tosst_context_fail (self->context, status, "a random atom cannot be projected");
      tosst_project_l1 (b, S, !self->signed_b, work);
      if (!is_zero (v, D) && !is_zero (b, S))
        return TOSST_OK;
    }
  return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC,
                             "random atoms have no nonzero projection onto their constraints");
}

TosstStatus
tosst_dictionary_draw (TosstContext *context, const TosstDictionary *learned, const TosstAtomSet *set, bool signed_b,
                       int K, uint64_t seed, TosstDictionary **dictionary)
{
  TOSST_REQUIRE (context, context && learned && set && dictionary);
  *dictionary = NULL;
  if (K < 1 || tosst_atom_set_check (set) || !tosst_shape_equal (set->shape, learned->shape))
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                               "random atoms of this shape, number or scheme cannot be drawn from this dictionary");
  size_t size = tosst_atom_set_work (set), threads = tosst_context_threads (context);
  size = size > (size_t)learned->K ? size : (size_t)learned->K;
  size = size > (size_t)learned->S ? size : (size_t)learned->S;
  Drawing self = { .context = context, .set = set, .signed_b = signed_b, .seed = seed };
  TosstAtomDistribution *distribution = tosst_atom_distribution_new (learned);
  self.distribution = distribution;
  self.dictionary = tosst_dictionary_new_shape (learned->shape, K);
  self.size = tosst_thread_stride (sizeof (double) * size)
              / sizeof (double); /* fixed alignment, because BLAS results may depend on it */
  self.work = tosst_alloc_aligned (self.size * threads, sizeof *self.work);
  TosstStatus status = TOSST_OK;
  if (!distribution || !self.dictionary || !self.work)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for a random dictionary");
  else
    {
      self.dictionary->scale = learned->scale;
      status = tosst_parallel (context, K, draw_atom, &self, 0, 0);
    }
  if (status == TOSST_OK)
    *dictionary = self.dictionary;
  else
    tosst_dictionary_free (self.dictionary);
  tosst_atom_distribution_free (distribution);
  free (self.work);
  return status;
}
