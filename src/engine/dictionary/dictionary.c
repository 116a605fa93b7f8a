/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/dictionary.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/vector.h"

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
  if (first->D != second->D)
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
