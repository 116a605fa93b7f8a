/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/compare/paired.h"

#include <math.h>

/* The finite sums of Abramowitz & Stegun, 26.7.3 and 26.7.4. */
double
tosst_student_two_sided (double t, guint degrees)
{
  double angle = atan2 (fabs (t), sqrt (degrees)), c = cos (angle), sum = 0, term = 1;

  if (degrees % 2 == 1)
    {
      for (guint k = 1; k + 2 <= degrees; k += 2)
        {
          term *= k == 1 ? c : c * c * (k - 1) / k;
          sum += term;
        }
      return fmax (1 - 2 / G_PI * (angle + sin (angle) * sum), 0);
    }
  for (guint k = 0; k + 2 <= degrees; k += 2)
    {
      term *= k == 0 ? 1 : c * c * (k - 1) / k;
      sum += term;
    }
  return fmax (1 - sin (angle) * sum, 0);
}

TosstPaired
tosst_paired_compare (const double *a, const double *b, guint n, double trains, double tests)
{
  TosstPaired paired = { 0, NAN };
  double squares = 0;

  for (guint i = 0; i < n; i++)
    paired.mean += (a[i] - b[i]) / n;
  for (guint i = 0; i < n; i++)
    squares += pow (a[i] - b[i] - paired.mean, 2);
  if (n < 2)
    return paired;
  double variance = squares / (n - 1) * (1.0 / n + tests / trains);
  /* Equal differences: certain, unless there is none. */
  paired.p = variance > 0 ? tosst_student_two_sided (paired.mean / sqrt (variance), n - 1) : paired.mean == 0 ? 1 : 0;
  return paired;
}
