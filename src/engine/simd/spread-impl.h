/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (13) for many values: with u = zeta_c + delta, zeta_c the nearest pivot, the other pivots are
 *     phi_z / phi_c = exp (k h (2 delta - k h) / sigma^2),   k = z - c,
 * at most 1. The results are rounded to single precision, for which a polynomial of degree 10 is more than
 * sufficient.
 */

#define SPREAD_LANES (VECTOR_BYTES / sizeof (double))
#define SPREAD_ROUNDING 6755399441055744.0 /* adding it rounds values below 2^51 to integers in the low bits */
#define SPREAD_LEAST (-707.0)              /* below, exp (x) is subnormal in double, and zero in single precision */

/* exp (x) for x from SPREAD_LEAST to 0. */
static inline Vector_double
spread_exp (Vector_double x)
{
  static const double over_factorial[]
      = { 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1 };
  Vector_double shifted = x * 1.4426950408889634 + SPREAD_ROUNDING, whole = shifted - SPREAD_ROUNDING;
  Vector_double r = x - whole * 6.93147180369123816490e-01 - whole * 1.90821492927058770002e-10;
  Vector_double y = (Vector_double){ 0 } + over_factorial[0];

#pragma GCC unroll 16
  for (int i = 1; i <= 10; i++)
    y = y * r + over_factorial[i];
  return (Vector_double)((LaneMask)y + ((LaneMask)shifted << 52));
}

/* Computes all pivots of some values, over = 1 / sigma^2; returns the factor that normalises the sum of their
 * squares to 1. */
static inline Vector_double
spread_some (const TosstSpread *self, double over, Vector_double u, Vector_double *phi)
{
  Vector_double low = (Vector_double){ 0 } + self->low, high = (Vector_double){ 0 } + self->high, sum = { 0 };

  u = lanes_choose (u > low, u, low);
  u = lanes_choose (u < high, u, high);
  Vector_double nearest = ((u - low) * (1 / self->h) + SPREAD_ROUNDING) - SPREAD_ROUNDING;
  Vector_double delta = 2 * (u - low - nearest * self->h);
  for (int z = 0; z < self->pivots; z++)
    {
      Vector_double k = (double)z - nearest, away = k * self->h, power = away * (delta - away) * over;
      power = lanes_choose (power > SPREAD_LEAST, power, (Vector_double){ 0 } + SPREAD_LEAST);
      phi[z] = lanes_choose (k == 0, (Vector_double){ 0 } + 1, spread_exp (power));
      sum += phi[z] * phi[z];
    }
  return 1 / lanes_sqrt (sum);
}

static void
rbf_spread (const TosstSpread *self, const double *u, size_t n, float *out, size_t stride)
{
  Vector_double phi[TOSST_MOST_PIVOTS];
  double over = self->s2 > 1 / DBL_MAX ? 1 / self->s2 : DBL_MAX; /* finite, because zero times it has to be zero */

  for (size_t x = 0; x < n; x += SPREAD_LANES)
    {
      size_t some = n - x < SPREAD_LANES ? n - x : SPREAD_LANES;
      Vector_double here = { 0 };
      memcpy (&here, u + x, some * sizeof *u);
      Vector_double scale = spread_some (self, over, here, phi);
      for (int z = 0; z < self->pivots; z++)
        {
          HalfVector narrow = whiten_narrow (phi[z] * scale);
          for (size_t l = 0; l < some; l++)
            out[(x + l) * stride + z] = narrow[l];
        }
    }
}
