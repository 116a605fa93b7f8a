/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/sweep/importance.h"

#include "core/base/base.h"

/* The runs that have a result. */
typedef struct
{
  guint runs, parameters;
  guint *level;  /* runs x parameters */
  guint *levels; /* of each parameter: number of levels that occur, which are 0, 1, ... */
  double *result;
  double mean, variance;
} Data;

TOSST_DEFINE_CLEAR (Data, data_clear, (level, g_free), (levels, g_free), (result, g_free))

static int
compare_levels (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a, y = *(const guint *)b;

  return (x > y) - (x < y);
}

/* Numbers the levels that occur, in their order. */
static void
renumber (Data *data, guint parameter)
{
  g_autofree guint *sorted = g_new (guint, data->runs + 1);
  guint n = 0;

  for (guint i = 0; i < data->runs; i++)
    sorted[i] = data->level[i * data->parameters + parameter];
  qsort (sorted, data->runs, sizeof *sorted, compare_levels);
  for (guint i = 0; i < data->runs; i++)
    if (i == 0 || sorted[i] != sorted[i - 1])
      sorted[n++] = sorted[i];
  for (guint i = 0; i < data->runs; i++)
    {
      guint *at = &data->level[i * data->parameters + parameter];
      const guint *found = bsearch (at, sorted, n, sizeof *sorted, compare_levels);

      *at = (guint)(found - sorted);
    }
  data->levels[parameter] = n;
}

static void
data_init (Data *data, const guint *level, const double *result, guint runs, guint parameters)
{
  *data = (Data){ .parameters = parameters };
  data->level = g_new (guint, (gsize)runs * parameters + 1);
  data->levels = g_new0 (guint, parameters + 1);
  data->result = g_new (double, runs + 1);
  for (guint i = 0; i < runs; i++)
    {
      if (!isfinite (result[i]))
        continue;
      for (guint p = 0; p < parameters; p++)
        data->level[data->runs * parameters + p] = level[i * parameters + p];
      data->result[data->runs++] = result[i];
      data->mean += result[i];
    }
  data->mean /= MAX (data->runs, 1);
  for (guint i = 0; i < data->runs; i++)
    data->variance += (data->result[i] - data->mean) * (data->result[i] - data->mean) / data->runs;
  for (guint p = 0; p < parameters; p++)
    renumber (data, p);
}

/* Every combination of levels occurs equally often. */
static gboolean
is_complete (const Data *data)
{
  double combinations = 1;

  for (guint p = 0; p < data->parameters; p++)
    combinations *= data->levels[p];
  if (combinations > data->runs)
    return FALSE;
  g_autofree guint *count = g_new0 (guint, (gsize)combinations);
  for (guint i = 0; i < data->runs; i++)
    {
      gsize at = 0;

      for (guint p = 0; p < data->parameters; p++)
        at = at * data->levels[p] + data->level[i * data->parameters + p];
      count[at]++;
    }
  for (gsize i = 1; i < (gsize)combinations; i++)
    if (count[i] != count[0])
      return FALSE;
  return TRUE;
}

/* Variance of the means of groups; group: of each run, below n. */
static double
between_groups (const Data *data, const guint *group, guint n)
{
  g_autofree double *sum = g_new0 (double, n + 1);
  g_autofree guint *count = g_new0 (guint, n + 1);
  double variance = 0;

  for (guint i = 0; i < data->runs; i++)
    {
      sum[group[i]] += data->result[i] - data->mean;
      count[group[i]]++;
    }
  for (guint g = 0; g < n; g++)
    if (count[g] > 0)
      variance += sum[g] / count[g] * sum[g] / data->runs;
  return variance;
}

/* The part of one parameter (a == b), or of the pairs of values of two. */
static double
variance_of (const Data *data, guint a, guint b)
{
  g_autofree guint *group = g_new (guint, data->runs + 1);

  for (guint i = 0; i < data->runs; i++)
    {
      group[i] = data->level[i * data->parameters + a];
      if (a != b)
        group[i] = group[i] * data->levels[b] + data->level[i * data->parameters + b];
    }
  return between_groups (data, group, a != b ? data->levels[a] * data->levels[b] : data->levels[a]);
}

static int
compare_effects (gconstpointer x, gconstpointer y)
{
  const TosstEffect *p = x, *q = y;

  if (p->share != q->share)
    return p->share > q->share ? -1 : 1;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static void
add_effect (TosstImportance *self, guint a, guint b, double share)
{
  TosstEffect effect = { a, b, CLAMP (share, 0, 1) };

  g_array_append_val (self->effects, effect);
}

static void
decompose (TosstImportance *self, const Data *data)
{
  g_autofree double *alone = g_new (double, data->parameters + 1);
  double explained = 0;

  for (guint p = 0; p < data->parameters; p++)
    {
      alone[p] = variance_of (data, p, p) / data->variance;
      explained += alone[p];
      add_effect (self, p, p, alone[p]);
    }
  for (guint a = 0; a < data->parameters; a++)
    for (guint b = a + 1; b < data->parameters; b++)
      {
        double both = variance_of (data, a, b) / data->variance - alone[a] - alone[b];

        explained += both;
        add_effect (self, a, b, both);
      }
  self->rest = CLAMP (1 - explained, 0, 1);
}

/* Neighbouring levels in groups of about the same number of runs, at most the square root of all. */
static guint
group_levels (const Data *data, guint parameter, guint *group)
{
  guint n = MAX (2, (guint)sqrt (data->runs)), before = 0, groups = 0;
  g_autofree guint *count = g_new0 (guint, data->levels[parameter] + 1);
  g_autofree guint *of_level = g_new0 (guint, data->levels[parameter] + 1);

  for (guint i = 0; i < data->runs; i++)
    count[data->level[i * data->parameters + parameter]]++;
  for (guint l = 0; l < data->levels[parameter]; l++)
    {
      of_level[l] = data->levels[parameter] <= n ? l : (guint)((guint64)before * n / data->runs);
      groups = MAX (groups, of_level[l] + 1);
      before += count[l];
    }
  for (guint i = 0; i < data->runs; i++)
    group[i] = of_level[data->level[i * data->parameters + parameter]];
  return groups;
}

static void
estimate (TosstImportance *self, const Data *data)
{
  g_autofree guint *group = g_new (guint, data->runs + 1);

  for (guint p = 0; p < data->parameters; p++)
    {
      guint n = group_levels (data, p, group);
      double share = between_groups (data, group, n) / data->variance;

      add_effect (self, p, p, n < data->runs ? 1 - (1 - share) * (data->runs - 1.0) / (data->runs - n) : 0);
    }
  self->rest = NAN;
}

TosstImportance *
tosst_importance_new (const guint *level, const double *result, guint runs, guint parameters)
{
  Data data;

  data_init (&data, level, result, runs, parameters);
  if (data.runs < 2 || parameters == 0 || !(data.variance > 1e-24 * data.mean * data.mean))
    {
      data_clear (&data);
      return NULL;
    }
  TosstImportance *self = g_new0 (TosstImportance, 1);
  self->effects = g_array_new (FALSE, FALSE, sizeof (TosstEffect));
  self->runs = data.runs;
  self->variance = data.variance;
  self->complete = is_complete (&data);
  if (self->complete)
    decompose (self, &data);
  else
    estimate (self, &data);
  g_array_sort (self->effects, compare_effects);
  data_clear (&data);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstImportance, tosst_importance_free, TosstImportance *, (effects, g_array_unref))
