/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"

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
