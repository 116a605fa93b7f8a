/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "learned.h"

#include <cblas.h>
#include <glib.h>
#include <lapacke.h>

/* PSD, trace and rank of a d x d matrix, its rows and columns these steps apart. */
static void
check_matrix (const double *from, int d, int row, int column, int rank)
{
  double matrix[16 * 16], mu[16], trace = 0;

  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      {
        matrix[i * d + j] = from[i * row + j * column];
        g_assert_cmpfloat (from[i * row + j * column], ==, from[j * row + i * column]);
      }
  for (int i = 0; i < d; i++)
    trace += matrix[i * d + i];
  g_assert_cmpfloat (trace, <=, 1 + 1e-12);
  g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, 'N', 'U', d, matrix, d, mu), ==, 0);
  g_assert_cmpfloat (mu[0], >=, -1e-12);
  for (int i = 0; i < d - rank; i++)
    g_assert_cmpfloat (mu[i], <=, 1e-12);
}

static void
check_atom (const TosstDictionary *dictionary, const TosstLearnOptions *options, const double *B, const double *b)
{
  int d = dictionary->d, rank = options->scheme == TOSST_SCHEME_LOW_RANK ? options->rank : d;

  g_assert_cmpfloat (cblas_dasum (dictionary->S, b, 1), <=, 1 + 1e-12);
  for (int s = 0; s < dictionary->S && !options->signed_b; s++)
    g_assert_cmpfloat (b[s], >=, 0);
  if (options->scheme == TOSST_SCHEME_FREE)
    g_assert_cmpfloat (cblas_dnrm2 (tosst_shape_atom_numbers (dictionary->shape), B, 1), <=, 1 + 1e-12);
  else if (options->scheme != TOSST_SCHEME_FULL)
    check_matrix (B, d, d, 1, rank);
  else
    for (int s = 0; s < d; s++)
      {
        /* All three ways to slice, which is super-symmetry besides. */
        check_matrix (B + s, d, d * d, d, d);
        check_matrix (B + s * d, d, d * d, 1, d);
        check_matrix (B + s * d * d, d, d, 1, d);
        for (int i = 0; i < d * d; i++)
          {
            g_assert_cmpfloat (B[i * d + s], ==, B[s * d * d + i]);
            g_assert_cmpfloat (B[(i / d * d + s) * d + i % d], ==, B[s * d * d + i]);
          }
      }
}

void
assert_constraints (const TosstDictionary *dictionary, const TosstLearnOptions *options)
{
  gsize cells = tosst_shape_atom_numbers (dictionary->shape);
  g_autofree double *B = g_new (double, dictionary->K *cells), *b = g_new (double, dictionary->K * dictionary->S);

  tosst_dictionary_get (dictionary, B, b);
  for (int k = 0; k < dictionary->K; k++)
    check_atom (dictionary, options, B + k * cells, b + k * dictionary->S);
}

void
keep_course (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *course)
{
  Course *self = course;

  g_assert_cmpint (self->n, <, COURSE_LENGTH);
  self->trace[self->n] = *iteration;
  self->dictionary[self->n++] = tosst_dictionary_copy (dictionary);
}

void
free_course (Course *course)
{
  for (int i = 0; i < course->n; i++)
    tosst_dictionary_free (course->dictionary[i]);
}

void
assert_same_atoms (const TosstDictionary *a, const TosstDictionary *b)
{
  g_assert_cmpint (a->K, ==, b->K);
  g_assert_cmpmem (a->V, sizeof (double) * a->D * a->K, b->V, sizeof (double) * b->D * b->K);
  g_assert_cmpmem (a->b, sizeof (double) * a->S * a->K, b->b, sizeof (double) * b->S * b->K);
  g_assert_cmpfloat (a->scale, ==, b->scale);
}
