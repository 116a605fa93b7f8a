/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch of few features, in double, including the position features: neighbouring pixels in the
 * lanes of a register, and sums that stay in registers. The entries with first index i are computed in one pass over
 * the features from i on; those of the last four features in a single pass.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (double)))

typedef int64_t PlanesMask __attribute__ ((vector_size (VECTOR_BYTES)));

/* Start addresses of n features from `first` on, in row y. */
static inline __attribute__ ((always_inline)) void
planes_start (const TosstPlanes *planes, int first, int n, int y, const double **at)
{
#pragma GCC unroll 16
  for (int f = 0; f < n; f++)
    at[f] = planes->feature[first + f].first + y * planes->feature[first + f].row;
}

/* Loads these features for the pixels from column x on, zero outside the patch, and advances the addresses. */
static inline __attribute__ ((always_inline)) void
planes_load (const TosstPlanes *planes, int first, int n, int x, PlanesMask last, const double **at, Vector_double *g)
{
#pragma GCC unroll 16
  for (int f = 0; f < n; f++)
    {
      memcpy (&g[f], at[f], sizeof *g);
      at[f] += LANES * planes->feature[first + f].column;
    }
  if (x + LANES > planes->size)
#pragma GCC unroll 16
    for (int f = 0; f < n; f++)
      g[f] = (Vector_double)(last & (PlanesMask)g[f]);
}

static inline double
planes_sum (Vector_double x)
{
  double sum = 0;
  for (int l = 0; l < LANES; l++)
    sum += x[l];
  return sum;
}

/* Computes the entries with first feature d - n. */
static inline __attribute__ ((always_inline)) double *
planes_one (const TosstPlanes *planes, int n, PlanesMask last, double *packed)
{
  Vector_double sum[TOSST_PLANES][TOSST_PLANES];

#pragma GCC unroll 16
  for (int j = 0; j < n; j++)
#pragma GCC unroll 16
    for (int k = j; k < n; k++)
      sum[j][k] = (Vector_double){ 0 };
  for (int y = 0; y < planes->size; y++)
    {
      const double *at[TOSST_PLANES];
      planes_start (planes, planes->d - n, n, y, at);
      for (int x = 0; x < planes->size; x += LANES)
        {
          Vector_double g[TOSST_PLANES];
          planes_load (planes, planes->d - n, n, x, last, at, g);
#pragma GCC unroll 16
          for (int j = 0; j < n; j++)
            {
              Vector_double h = g[0] * g[j];
#pragma GCC unroll 16
              for (int k = j; k < n; k++)
                sum[j][k] += h * g[k];
            }
        }
    }
#pragma GCC unroll 16
  for (int j = 0; j < n; j++)
#pragma GCC unroll 16
    for (int k = j; k < n; k++)
      *packed++ = planes_sum (sum[j][k]);
  return packed;
}

/* Computes the entries of the last four features. */
static void
planes_four (const TosstPlanes *planes, PlanesMask last, double *packed)
{
  Vector_double sum[20];

#pragma GCC unroll 20
  for (int q = 0; q < 20; q++)
    sum[q] = (Vector_double){ 0 };
  for (int y = 0; y < planes->size; y++)
    {
      const double *at[4];
      planes_start (planes, planes->d - 4, 4, y, at);
      for (int x = 0; x < planes->size; x += LANES)
        {
          Vector_double g[4];
          int q = 0;
          planes_load (planes, planes->d - 4, 4, x, last, at, g);
#pragma GCC unroll 4
          for (int i = 0; i < 4; i++)
#pragma GCC unroll 4
            for (int j = i; j < 4; j++)
              {
                Vector_double h = g[i] * g[j];
#pragma GCC unroll 4
                for (int k = j; k < 4; k++)
                  sum[q++] += h * g[k];
              }
        }
    }
  for (int q = 0; q < 20; q++)
    packed[q] = planes_sum (sum[q]);
}

static void
third_order_planes (const TosstPlanes *planes, double *packed)
{
  int rest = planes->size % LANES;
  PlanesMask last;

  for (int l = 0; l < LANES; l++)
    last[l] = rest == 0 || l < rest ? -1 : 0;
  switch (planes->d)
    {
    case 9:
      packed = planes_one (planes, 9, last, packed);
      __attribute__ ((fallthrough));
    case 8:
      packed = planes_one (planes, 8, last, packed);
      __attribute__ ((fallthrough));
    case 7:
      packed = planes_one (planes, 7, last, packed);
      __attribute__ ((fallthrough));
    case 6:
      packed = planes_one (planes, 6, last, packed);
      __attribute__ ((fallthrough));
    default:
      packed = planes_one (planes, 5, last, packed);
    }
  planes_four (planes, last, packed);
}

#undef LANES
