/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/run/scores.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"

TosstScores *
tosst_scores_new (guint samples, int classes)
{
  TosstScores *self = g_atomic_rc_box_new0 (TosstScores);

  self->samples = samples;
  self->classes = classes;
  /* Not NULL without samples: rows are reached by offsets. */
  self->sample = g_new0 (guint, (gsize)samples + 1);
  self->margin = g_new0 (double, (gsize)samples *(gsize)classes + 1);
  self->label = g_new0 (int, (gsize)samples *(gsize)classes + 1);
  return self;
}

TosstScores *
tosst_scores_ref (TosstScores *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  TosstScores *self = data;

  g_free (self->sample);
  g_free (self->margin);
  g_free (self->label);
}

void
tosst_scores_unref (TosstScores *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, clear);
}

gboolean
tosst_scores_average_precision (const TosstScores *self, int class_index, TosstAveragePrecision *result,
                                TosstRecallPoint *curve, GError **error)
{
  g_autofree double *column = g_new (double, self->samples);

  for (guint i = 0; i < self->samples; i++)
    column[i] = self->margin[(gsize)i * (gsize)self->classes + (gsize)class_index];
  TosstStatus status = tosst_average_precision (column, self->label + (gsize)class_index * self->samples, self->samples,
                                                result, curve);
  return tosst_error_from_status (status, NULL, _ ("Average precision"), error);
}

gboolean
tosst_scores_mean (const TosstScores *self, TosstScore score, double *per_class, double *mean, GError **error)
{
  double sum = 0;
  int n = 0;

  for (int c = 0; c < self->classes; c++)
    {
      TosstAveragePrecision result;

      if (!tosst_scores_average_precision (self, c, &result, NULL, error))
        return FALSE;
      double value = 100 * (score == TOSST_SCORE_AREA ? result.area : result.ap11);
      if (per_class != NULL)
        per_class[c] = value;
      if (isnan (value))
        continue;
      sum += value;
      n++;
    }
  *mean = n > 0 ? sum / n : NAN;
  return TRUE;
}

double
tosst_class_score_value (const TosstClassScore *self, TosstScore score)
{
  return score == TOSST_SCORE_AREA ? self->area : self->ap11;
}

/* A mean of the values that are defined. */
typedef struct
{
  double sum;
  guint n;
} Mean;

static void
mean_add (Mean *mean, double value)
{
  if (isnan (value))
    return;
  mean->sum += value;
  mean->n++;
}

static double
mean_value (const Mean *mean)
{
  return mean->n > 0 ? mean->sum / mean->n : NAN;
}

/* Means of both scores, and the tests counted. */
typedef struct
{
  Mean ap11, area;
  gsize positives, negatives;
} Means;

static void
means_add (Means *means, double ap11, double area)
{
  mean_add (&means->ap11, ap11);
  mean_add (&means->area, area);
}

static TosstClassScore
means_value (const Means *means)
{
  return (TosstClassScore){ mean_value (&means->ap11), mean_value (&means->area), means->positives, means->negatives };
}

/* Adds one split to the means of each class, and the mean over its classes to total. */
static gboolean
add_split (const TosstScores *self, Means *classes, Means *total, GError **error)
{
  Means over = { 0 };

  for (int c = 0; c < self->classes; c++)
    {
      TosstAveragePrecision one;

      if (!tosst_scores_average_precision (self, c, &one, NULL, error))
        return FALSE;
      means_add (&classes[c], 100 * one.ap11, 100 * one.area);
      means_add (&over, 100 * one.ap11, 100 * one.area);
      classes[c].positives += one.positives;
      classes[c].negatives += one.negatives;
      total->positives += one.positives;
      total->negatives += one.negatives;
    }
  means_add (total, mean_value (&over.ap11), mean_value (&over.area));
  return TRUE;
}

gboolean
tosst_scores_summarise (TosstScores *const *splits, guint n, TosstClassScore *per_class, TosstClassScore *mean,
                        GError **error)
{
  int classes = n > 0 ? splits[0]->classes : 0;
  g_autofree Means *means = g_new0 (Means, classes);
  Means total = { 0 };

  for (guint i = 0; i < n; i++)
    if (!add_split (splits[i], means, &total, error))
      return FALSE;
  for (int c = 0; per_class != NULL && c < classes; c++)
    per_class[c] = means_value (&means[c]);
  if (mean != NULL)
    *mean = means_value (&total);
  return TRUE;
}

TosstRecallPoint *
tosst_scores_curve (const TosstScores *self, int class_index, gsize *n, GError **error)
{
  g_autofree TosstRecallPoint *curve = g_new (TosstRecallPoint, self->samples + 1);
  TosstAveragePrecision result;

  *n = 0;
  if (!tosst_scores_average_precision (self, class_index, &result, curve, error))
    return NULL;
  gsize all = result.positives > 0 ? result.positives + result.negatives : 0;
  for (gsize i = 0; i < all; i++)
    if (*n == 0 || i + 1 == all || curve[i].recall != curve[*n - 1].recall || curve[i + 1].recall != curve[i].recall)
      curve[(*n)++] = curve[i]; /* never ahead of i */
  return g_steal_pointer (&curve);
}

const char *
tosst_score_label (TosstScore score)
{
  return score == TOSST_SCORE_ACCURACY ? _ ("Accuracy") : _ ("Mean average precision");
}

const char *
tosst_score_name (TosstScore score)
{
  static const char *const names[] = { "accuracy", "ap11", "area" };

  return names[score];
}

TosstClassScore *
tosst_run_result_class_scores (const TosstRunResult *result, TosstClassScore *mean, GError **error)
{
  g_autoptr (GPtrArray) splits = g_ptr_array_new ();
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, result->classes + 1);

  for (int s = 0; s < result->splits; s++)
    if (result->split[s].scores != NULL)
      g_ptr_array_add (splits, result->split[s].scores);
  for (int c = 0; c < result->classes; c++)
    classes[c].ap11 = classes[c].area = NAN;
  return tosst_scores_summarise ((TosstScores *const *)(gpointer)splits->pdata, splits->len, classes, mean, error)
             ? g_steal_pointer (&classes)
             : NULL;
}
