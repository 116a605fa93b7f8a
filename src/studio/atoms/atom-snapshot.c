/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/atoms/atom-snapshot.h"

#include <math.h>

#include "studio/atoms/atom-set.h"

static int *
sorted_by_usage (const double *usage, int K)
{
  int *order = g_new (int, K);

  for (int k = 0; k < K; k++)
    order[k] = k;
  if (usage != NULL)
    g_qsort_with_data (order, K, sizeof *order, studio_compare_values, (gpointer)usage);
  return order;
}

#define NOISE 1e-6 /* of the largest entry: a zero with a negative rounding error is not a negative entry */

static void
fill_display (const double *matrix, gsize square, double *display)
{
  double limit = 0;

  for (gsize p = 0; p < square; p++)
    limit = MAX (limit, fabs (matrix[p]));
  for (gsize p = 0; p < square && limit > 0; p++)
    display[p] = fabs (matrix[p]) > NOISE * limit ? matrix[p] / limit : 0;
}

/* Takes ownership of index, whose first n are shown. */
static StudioAtoms *
show_atoms (const TosstDictionary *dictionary, int *index, int n, int split, int iteration)
{
  StudioAtoms *self = g_new0 (StudioAtoms, 1);
  int d = dictionary->d;
  gsize square = (gsize)d * d, entries = square * n;

  g_atomic_ref_count_init (&self->references);
  self->d = d;
  self->K = dictionary->K;
  self->n = n;
  self->split = split;
  self->iteration = iteration;
  self->index = index;
  self->share = g_new0 (double, n);
  self->matrices = g_new (double, entries);
  self->b = g_new0 (double, entries / d);
  self->display = g_new0 (double, entries);
  for (int i = 0; i < n; i++)
    {
      double *matrix = self->matrices + i * square;

      tosst_dictionary_matrix (dictionary, index[i], matrix);
      for (int s = 0; s < dictionary->S; s++)
        self->b[(gsize)i * d + s] = dictionary->b[(gsize)index[i] * dictionary->S + s];
      fill_display (matrix, square, self->display + i * square);
    }
  return self;
}

StudioAtoms *
studio_atoms_new (const TosstDictionary *dictionary, const double *usage, int split, int iteration)
{
  StudioAtoms *self = show_atoms (dictionary, sorted_by_usage (usage, dictionary->K),
                                  MIN (dictionary->K, STUDIO_MAX_ATOMS), split, iteration);
  double total = 0;

  for (int k = 0; usage != NULL && k < dictionary->K; k++)
    total += usage[k];
  for (int i = 0; i < self->n; i++)
    self->share[i] = total > 0 ? usage[self->index[i]] / total : 0;
  return self;
}

StudioAtoms *
studio_atoms_new_common (const TosstDictionary *dictionary, const GArray *common)
{
  int *index = g_new (int, common->len);
  StudioAtoms *self;

  for (guint i = 0; i < common->len; i++)
    index[i] = g_array_index (common, TosstCommonAtom, i).atom;
  self = show_atoms (dictionary, index, (int)common->len, -1, -1);
  for (guint i = 0; i < common->len; i++)
    self->share[i] = g_array_index (common, TosstCommonAtom, i).share;
  return self;
}

StudioAtoms *
studio_atoms_ref (StudioAtoms *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_atoms_unref (StudioAtoms *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->index);
  g_free (self->share);
  g_free (self->matrices);
  g_free (self->b);
  g_free (self->display);
  g_free (self);
}
