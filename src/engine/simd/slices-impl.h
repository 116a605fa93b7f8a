/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of the slices of several stored tensors with one vector each. Slices access the elements of a tensor
 * indirectly, which is slow for one tensor; here each access loads one element of TOSST_ABREAST interleaved tensors.
 */

typedef double Abreast __attribute__ ((vector_size (8 * TOSST_ABREAST), may_alias));

/* Number of sums in registers. */
#define HELD (VECTOR_BYTES / 8)

static void
set_abreast (const double *rows, size_t stride, int count, size_t n, double *out)
{
  if (count < TOSST_ABREAST)
    memset (out, 0, sizeof *out * n * TOSST_ABREAST);
  if (count == TOSST_ABREAST)
    for (size_t t = 0; t < n; t++)
      for (int i = 0; i < TOSST_ABREAST; i++)
        out[t * TOSST_ABREAST + i] = rows[i * stride + t];
  else
    for (int i = 0; i < count; i++)
      for (size_t t = 0; t < n; t++)
        out[t * TOSST_ABREAST + i] = rows[i * stride + t];
}

static inline __attribute__ ((always_inline)) void
slices_times_b_some (const Abreast *data, const int32_t *index, int D, int S, const Abreast *b, int p, int count,
                     Abreast *out)
{
  Abreast sum[HELD] = { 0 };
  for (int s = 0; s < S; s++)
    {
      const int32_t *at = index + (size_t)s * D + p;
      Abreast factor = b[s];
      for (int i = 0; i < count; i++)
        sum[i] += factor * data[at[i]];
    }
  for (int i = 0; i < count; i++)
    out[p + i] = sum[i];
}

static void
slices_times_b (const double *data, const int32_t *index, int D, int S, const double *b, double *out)
{
  int p = 0;
  for (; p + HELD <= D; p += HELD)
    slices_times_b_some ((const Abreast *)data, index, D, S, (const Abreast *)b, p, HELD, (Abreast *)out);
  for (; p < D; p++)
    slices_times_b_some ((const Abreast *)data, index, D, S, (const Abreast *)b, p, 1, (Abreast *)out);
}

static void
slices_times_u (const double *data, const int32_t *index, int D, int S, const double *u, double *out)
{
  const Abreast *from = (const Abreast *)data, *factor = (const Abreast *)u;
  for (int s = 0; s < S; s++, index += D)
    {
      Abreast sum[4] = { 0 };
      int p = 0;
      for (; p + 4 <= D; p += 4)
        for (int i = 0; i < 4; i++)
          sum[i] += factor[p + i] * from[index[p + i]];
      for (; p < D; p++)
        sum[0] += factor[p] * from[index[p]];
      ((Abreast *)out)[s] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static void
add_entries (const double *data, const double *factor, const int32_t *at, const int32_t *from, const int32_t *to,
             size_t count, double *out)
{
  const Abreast *entry = (const Abreast *)data, *times = (const Abreast *)factor;
  Abreast *sum = (Abreast *)out;
  for (size_t i = 0; i < count; i++)
    sum[to[i]] += times[from[i]] * entry[at[i]];
}

#undef HELD
