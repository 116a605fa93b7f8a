/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/compare/compare-match.h"

#include <math.h>

#include "core/dictionary/atom-match.h"

const TosstDictionary *
studio_match_dictionary (const StudioMatch *self, guint i)
{
  return self->report[i]->run->dictionary;
}

StudioMatch *
studio_match_new (StudioCompareSet *set)
{
  guint n = studio_compare_set_length (set);
  StudioMatch *self = g_atomic_rc_box_new0 (StudioMatch);

  self->report = g_new0 (StudioRunReport *, n);
  self->color = g_new0 (guint, n);
  self->name = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (set, i);

      if (run->report == NULL || run->report->run->dictionary == NULL)
        continue;
      self->color[self->n] = run->color;
      self->name[self->n] = studio_compared_run_name (run);
      self->report[self->n++] = studio_run_report_ref (run->report);
    }
  self->atom = g_new0 (int *, n);
  self->similarity = g_new0 (double *, n);
  self->agreement = g_new0 (double, n);
  if (self->n > 0)
    return self;
  studio_match_unref (self);
  return NULL;
}

static void
match_clear (gpointer data)
{
  StudioMatch *self = data;

  for (guint i = 0; i < self->n; i++)
    {
      studio_run_report_unref (self->report[i]);
      g_free (self->atom[i]);
      g_free (self->similarity[i]);
    }
  g_free (self->report);
  g_free (self->color);
  g_strfreev (self->name);
  g_free (self->atom);
  g_free (self->similarity);
  g_free (self->energy);
  g_free (self->mean);
  g_free (self->agreement);
}

StudioMatch *
studio_match_ref (StudioMatch *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
studio_match_unref (StudioMatch *self)
{
  g_atomic_rc_box_release_full (self, match_clear);
}

/* Atoms of different sizes are not compared. */
static gboolean
is_comparable (const TosstDictionary *a, const TosstDictionary *b)
{
  return a->D == b->D && a->shape.d1 == b->shape.d1 && a->shape.d2 == b->shape.d2;
}

static void
match_one (StudioMatch *self, guint i)
{
  const TosstDictionary *first = studio_match_dictionary (self, 0), *other = studio_match_dictionary (self, i);
  g_autofree double *all = NULL;
  g_autofree int *atom = NULL;
  double sum = 0;
  int matched = 0;

  self->agreement[i] = NAN;
  if (!is_comparable (first, other) || (all = g_try_new (double, (gsize)first->K *(gsize)other->K)) == NULL)
    return;
  atom = g_new (int, first->K);
  if (tosst_dictionary_similarity (first, other, all) != TOSST_OK || !tosst_match (all, first->K, other->K, atom))
    return;
  self->similarity[i] = g_new (double, first->K);
  for (int k = 0; k < first->K; k++)
    {
      self->similarity[i][k] = atom[k] >= 0 ? all[(gsize)k * (gsize)other->K + (gsize)atom[k]] : NAN;
      sum += atom[k] >= 0 ? self->similarity[i][k] : 0;
      matched += atom[k] >= 0;
    }
  self->agreement[i] = sum / matched;
  self->atom[i] = g_steal_pointer (&atom);
}

static double
mean_similarity (const StudioMatch *self, int k)
{
  double sum = 0;
  int n = 0;

  for (guint i = 1; i < self->n; i++)
    if (self->atom[i] != NULL && self->atom[i][k] >= 0)
      {
        sum += self->similarity[i][k];
        n++;
      }
  return n > 0 ? sum / n : NAN;
}

void
studio_match_run (StudioMatch *self)
{
  const TosstDictionary *first = studio_match_dictionary (self, 0);

  self->agreement[0] = NAN;
  for (guint i = 1; i < self->n; i++)
    match_one (self, i);
  self->energy = g_new0 (double, first->K);
  self->mean = g_new0 (double, first->K);
  for (int k = 0; k < first->K; k++)
    {
      for (int j = 0; j < first->D; j++)
        self->energy[k]
            += first->V[(gsize)k * (gsize)first->D + (gsize)j] * first->V[(gsize)k * (gsize)first->D + (gsize)j];
      self->mean[k] = mean_similarity (self, k);
    }
}

typedef struct
{
  const double *keys;
  double sign; /* -1: largest first */
} Sorting;

/* Atoms without a key sort last. */
static int
compare_atoms (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *sorting = data;
  int i = *(const int *)a, j = *(const int *)b;
  double x = sorting->keys[i], y = sorting->keys[j];

  if (isnan (x) || isnan (y))
    return isnan (x) != isnan (y) ? isnan (x) - isnan (y) : i - j;
  return x != y ? (sorting->sign * x < sorting->sign * y ? -1 : 1) : i - j;
}

int *
studio_match_sorted (const StudioMatch *self, StudioMatchOrder order)
{
  int K = studio_match_dictionary (self, 0)->K, *atoms = g_new (int, K);
  Sorting sorting
      = { order == STUDIO_MATCH_BY_ENERGY ? self->energy : self->mean, order == STUDIO_MATCH_LEAST_ALIKE ? 1 : -1 };

  for (int k = 0; k < K; k++)
    atoms[k] = k;
  g_qsort_with_data (atoms, K, sizeof *atoms, compare_atoms, &sorting);
  return atoms;
}
