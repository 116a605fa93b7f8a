/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dictionary/dictionary.h"

#include <stdlib.h>
#include <string.h>

TosstDictionary *
tosst_dictionary_new (int d, int K)
{
  TosstDictionary *self = calloc (1, sizeof *self);
  if (!self)
    return NULL;
  self->d = d;
  self->D = d * (d + 1) / 2;
  self->K = K;
  self->scale = 1;
  self->V = calloc ((size_t)self->D * K, sizeof *self->V);
  self->b = calloc ((size_t)d * K, sizeof *self->b);
  if (!self->V || !self->b)
    {
      tosst_dictionary_free (self);
      return NULL;
    }
  return self;
}

TosstDictionary *
tosst_dictionary_copy (const TosstDictionary *dictionary)
{
  TosstDictionary *copy = tosst_dictionary_new (dictionary->d, dictionary->K);
  if (!copy)
    return NULL;
  memcpy (copy->V, dictionary->V, sizeof *copy->V * copy->D * copy->K);
  memcpy (copy->b, dictionary->b, sizeof *copy->b * copy->d * copy->K);
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
  size_t d = dictionary->d;
  for (int k = 0; k < dictionary->K; k++)
    tosst_matrix_to_vec (d, B + k * d * d, dictionary->V + (size_t)k * dictionary->D);
  memcpy (dictionary->b, b, sizeof *b * d * dictionary->K);
}

void
tosst_dictionary_get (const TosstDictionary *dictionary, double *B, double *b)
{
  size_t d = dictionary->d;
  for (int k = 0; k < dictionary->K; k++)
    tosst_vec_to_matrix (d, dictionary->V + (size_t)k * dictionary->D, B + k * d * d);
  memcpy (b, dictionary->b, sizeof *b * d * dictionary->K);
}
