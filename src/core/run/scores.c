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
  self->sample = g_new0 (guint, samples);
  self->margin = g_new0 (double, (gsize)samples *(gsize)classes);
  self->label = g_new0 (int, (gsize)samples *(gsize)classes);
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
