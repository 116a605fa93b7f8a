/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums of accumulate.c in float64 throughout. The objective is what Y, P and Sxx leave of each other: where few tensors
 * leave little, what floats round would look like a rise. A problem that is small enough for this to take no time is.
 */
#include <math.h>
#include <string.h>

#include "engine/learning/state.h"

/* Multiply-adds in all, were every code there. */
#define MOST_WORK (1u << 22)

bool
tosst_learning_is_small (const TosstLearning *self)
{
  double K = self->K;
  return (double)self->n * K * ((double)self->layout->m + K) <= MOST_WORK;
}

/* out: K x length; to what stays of it the rows times their codes. */
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
