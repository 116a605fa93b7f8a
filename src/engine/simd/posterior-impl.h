/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Posteriors of a mixture from logarithms of densities, gamma_k = exp (l_k - log sum_j exp l_j), and sums weighted by
 * them. Of some hundred components only a few have a posterior that matters, so that the sums are those of few rows.
 */

typedef int32_t PosteriorBits __attribute__ ((vector_size (VECTOR_BYTES)));

/* exp (x) for x <= 0; zero where that is subnormal. */
static inline Vector_float
posterior_exp (Vector_float x)
{
  Vector_float push = (Vector_float){ 0 } + 12582912.0f;
  PosteriorBits normal = x > -87.0f;

  /* The exponent of a smaller x does not fit into an integer. */
  x = (Vector_float)((PosteriorBits)x & normal);
  Vector_float n = (x * 1.44269504f + push) - push, r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Vector_float y
      = 1 + r * (1 + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (0.00833333333f + r * 0.00138888889f)))));

  return (Vector_float)(((PosteriorBits)y + (__builtin_convertvector(n, PosteriorBits) << 23)) & normal);
}

static void
posteriors (float *rows, size_t count, size_t stride, const float *constants, double *logs)
{
  enum
  {
    LANES = VECTOR_BYTES / sizeof (float)
  };
  size_t vectors = stride / LANES;

  for (size_t i = 0; i < count; i++)
    {
      Vector_float *row = (Vector_float *)(rows + i * stride), sum = { 0 };
      const Vector_float *constant = (const Vector_float *)constants;
      Vector_float most = row[0] + constant[0];
      double total = 0;

      for (size_t v = 0; v < vectors; v++)
        {
          Vector_float value = row[v] + constant[v];
          PosteriorBits more = value > most;
          row[v] = value;
          most = (Vector_float)(((PosteriorBits)value & more) | ((PosteriorBits)most & ~more));
        }
      float largest = most[0];
      for (int l = 1; l < LANES; l++)
        largest = most[l] > largest ? most[l] : largest;
      for (size_t v = 0; v < vectors; v++)
        {
          row[v] = posterior_exp (row[v] - largest);
          sum += row[v];
        }
      for (int l = 0; l < LANES; l++)
        total += sum[l];
      logs[i] = largest + log (total);
      float scale = (float)(1 / total);
      for (size_t v = 0; v < vectors; v++)
        row[v] *= scale;
    }
}

/* sum += weight x, `vectors` registers. */
static inline void
posterior_add (float weight, const Vector_float *x, size_t vectors, Vector_float *sum)
{
  for (size_t v = 0; v < vectors; v++)
    sum[v] += weight * x[v];
}

static void
posterior_sums (const float *rows, size_t count, size_t stride, float threshold, const float *x, size_t width,
                float *sums, float *totals)
{
  size_t vectors = width / (VECTOR_BYTES / sizeof (float));

  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < stride; k++)
      if (rows[i * stride + k] > threshold)
        {
          posterior_add (rows[i * stride + k], (const Vector_float *)(x + i * width), vectors,
                         (Vector_float *)(sums + k * width));
          totals[k] += rows[i * stride + k];
        }
}
