/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equations (15)-(20) for tensors in lanes, one tensor per lane of a float register: only distinct entries are
 * computed, without padding. The eigenvectors are computed in simd/whiten-axes-impl.h, the transforms in
 * simd/whiten-reflect-impl.h.
 */

/* The first reflection alone: U of both halves of the lanes, interleaved. */
static void
whiten_contract_first (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;
  Vector_double *U = work->eigen[0].A;

  for (int p = 0; p < tables->pairs; p += LANES_TILE)
    {
      Vector_double sum[LANES_TILE][2] = { 0 };
      for (int i = 0; i < d; i++)
        for (int r = 0; r < LANES_TILE; r++)
          {
            const Vector_float *x = work->X + tables->index[(p + r) * d + i];
            for (int half = 0; half < 2; half++)
              sum[r][half] += work->first[2 * i + half] * whiten_wide (x, half);
          }
      for (int r = 0; r < LANES_TILE; r++)
        for (int half = 0; half < 2; half++)
          U[2 * (p + r) + half] = work->first[2 * d + half] * sum[r][half];
    }
}

static void
whiten_fold_first (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int d = tables->d;
  Vector_double *U = work->eigen[0].A + half, *Y = work->eigen[0].w, rest = { 0 };
  const Vector_double *v = work->first + half, weight = v[2 * d];

  for (int k = 0; k < d; k++)
    {
      Y[k] = (Vector_double){ 0 };
      for (int j = 0; j < d; j++)
        Y[k] += v[2 * j] * U[2 * tables->pair[k * d + j]];
      rest += v[2 * k] * Y[k];
    }
  rest *= weight * weight / 6;
  for (int k = 0; k < d; k++)
    Y[k] = 0.5 * weight * Y[k] - rest * v[2 * k];
  for (int j = 0, p = 0; j < d; j++)
    for (int k = j; k < d; k++, p++)
      U[2 * p] -= v[2 * j] * Y[k] + v[2 * k] * Y[j];
}

/* Applies the first reflection to X. It removes most of the magnitude of the tensor of an image from the operand of
 * the later reflections, whose rounding errors decrease accordingly; hence it is applied in double. */
static void
whiten_reflect_first (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;
  const Vector_double *v = work->first;
  HalfVector *X = (HalfVector *)work->X;

  whiten_contract_first (tables, work);
  whiten_fold_first (tables, work, 0);
  whiten_fold_first (tables, work, 1);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      {
        const Vector_double *across = work->eigen[0].A + 2 * (tables->pair[i * d + i] - i);
        const Vector_double *along = work->eigen[0].A + 2 * (tables->pair[j * d + j] - j);
        Vector_double x[2], y[2], z[2];
        for (int half = 0; half < 2; half++)
          {
            x[half] = v[2 * i + half];
            y[half] = v[2 * j + half];
            z[half] = across[2 * j + half];
          }
        for (int k = 2 * j; k < 2 * d; k += 2, X += 2)
          for (int half = 0; half < 2; half++)
            X[half] = whiten_narrow (whiten_widen (X[half]) - x[half] * along[k + half] - y[half] * across[k + half]
                                     - z[half] * v[k + half]);
      }
}

/* Power of the core; entries of directions at rounding level become zero. */
static void
whiten_power (const TosstWhitenTables *tables, const WhitenLanes *work, float gamma)
{
  int d = tables->d;
  Vector_float *E = work->X;

  for (int a = 0; a < d; a++)
    for (int b = a; b < d; b++)
      for (int c = b; c < d; c++, E++)
        {
          WhitenMask holds = work->holds[a] & work->holds[b] & work->holds[c];
          *E = signed_power_vector ((PowerVector)(holds & (WhitenMask)*E), gamma);
        }
}

/* Transposes a square of registers. even, odd: shuffles of the two rows of each step. */
static inline __attribute__ ((always_inline)) void
whiten_transpose (Vector_float row[LANES], const WhitenMask *even, const WhitenMask *odd)
{
#pragma GCC unroll 4
  for (int s = 0; s < 4; s++)
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
      if (1 << s < LANES && !(i & 1 << s))
        {
          Vector_float x = row[i], y = row[i + (1 << s)];
          row[i] = SHUFFLE_TWO (x, y, even[s]);
          row[i + (1 << s)] = SHUFFLE_TWO (x, y, odd[s]);
        }
}

static void
whiten_shuffles (WhitenMask even[4], WhitenMask odd[4])
{
  for (int s = 0; s < 4; s++)
    for (int l = 0; l < LANES; l++)
      {
        even[s][l] = l & 1 << s ? LANES + l - (1 << s) : l;
        odd[s][l] = l & 1 << s ? LANES + l : l + (1 << s);
      }
}

/* Transposes tensors into lanes. Lanes beyond count repeat the first tensor. */
static void
whiten_load (const float *tensors, size_t m, int count, Vector_float *X)
{
  WhitenMask even[4], odd[4];
  const float *from[LANES];
  size_t i = 0;

  whiten_shuffles (even, odd);
  for (int l = 0; l < LANES; l++)
    from[l] = tensors + (l < count ? l * m : 0);
  for (; i + LANES <= m; i += LANES)
    {
      Vector_float row[LANES];
      for (int l = 0; l < LANES; l++)
        {
          __builtin_prefetch (from[l] + i + LOAD_AHEAD);
          memcpy (&row[l], from[l] + i, sizeof row[l]);
        }
      whiten_transpose (row, even, odd);
      for (int l = 0; l < LANES; l++)
        X[i + l] = row[l];
    }
  for (; i < m; i++)
    for (int l = 0; l < LANES; l++)
      X[i][l] = from[l][i];
  X[m] = (Vector_float){ 0 };
}

/* Inverse of the transposition above. */
static void
whiten_store (const Vector_float *X, size_t m, int count, float *tensors)
{
  WhitenMask even[4], odd[4];
  size_t i = 0;

  whiten_shuffles (even, odd);
  for (; i + LANES <= m; i += LANES)
    {
      Vector_float row[LANES];
      for (int l = 0; l < LANES; l++)
        row[l] = X[i + l];
      whiten_transpose (row, even, odd);
#pragma GCC unroll 16
      for (int l = 0; l < LANES; l++)
        if (l < count)
          memcpy (tensors + l * m + i, &row[l], sizeof row[l]);
    }
  for (; i < m; i++)
    for (int l = 0; l < count; l++)
      tensors[l * m + i] = X[i][l];
}

static bool
whiten (const TosstWhitenTables *tables, float *tensors, int count, float gamma_eigen, float gamma_coefficient,
        void *memory)
{
  WhitenLanes work = whiten_lanes (tables, memory);
  int d = tables->d;

  whiten_load (tensors, tables->m, count, work.X);
  if (!whiten_axes (tables, &work))
    return false;
  whiten_reflect_first (tables, &work);
  for (int c0 = 0; c0 + 1 < d; c0 += LANES_TILE)
    whiten_reflect (tables, &work, c0, true);
  whiten_power (tables, &work, gamma_eigen);
  for (int c0 = (d - 1) / LANES_TILE * LANES_TILE; c0 >= 0; c0 -= LANES_TILE)
    whiten_reflect (tables, &work, c0, false);
  if (gamma_coefficient < 1)
    signed_power ((float *)work.X, tables->m * LANES, gamma_coefficient);
  whiten_store (work.X, tables->m, count, tensors);
  return true;
}

#undef LANES
#undef LANES_PAIRS
#undef WHITEN_BOTH
