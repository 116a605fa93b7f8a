/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums of accumulate.c in float64 throughout. The objective is a difference of terms in Y, P and Sxx: with few
 * tensors and a small objective, float rounding could appear as an increase. float64 is used for problems so small
 * that its cost is negligible.
 */
#include <math.h>
#include <string.h>

#include "engine/learning/state.h"
#include "engine/learning/tuning.h"

bool
tosst_learning_is_small (const TosstLearning *self)
{
  double K = self->K;
  return (double)self->n * K * ((double)self->layout->m + K) <= SMALL_WORK;
}

/* out: K x length; adds the rows times their codes to keep times out. */
static void
add_rows (const TosstLearning *self, const float *rows, size_t length, double *out)
{
  size_t K = self->K;
  for (size_t i = 0; i < K * length; i++)
    out[i] = self->keep > 0 ? self->keep * out[i] : 0;
  for (size_t n = 0; n < self->n; n++)
    for (size_t k = 0; k < K; k++)
      {
        double code = self->codes[n * K + k];
        for (size_t t = 0; code != 0 && t < length; t++)
          out[k * length + t] += code * rows[n * length + t];
      }
}

void
tosst_learning_accumulate_stats_f64 (TosstLearning *self)
{
  self->l1 = self->keep > 0 ? self->keep * self->l1 : 0;
  for (size_t i = 0; i < self->n * self->K; i++)
    self->l1 += fabs (self->codes[i]);
  add_rows (self, self->tensors, self->layout->m, self->Y);
  tosst_learning_lap (self, TOSST_LEARN_Y);
  add_rows (self, self->codes, self->K, self->P);
  tosst_learning_lap (self, TOSST_LEARN_P);
}
