/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dense SIFT, the loops over pixels. The eight orientations of a pixel, and of a spatial bin, are contiguous.
 */

/* Bins are passed between static functions only, so that the calling convention does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float SiftBin __attribute__ ((vector_size (8 * sizeof (float)), may_alias));
typedef int32_t SiftBinMask __attribute__ ((vector_size (8 * sizeof (float)), may_alias));
typedef int32_t SiftMask __attribute__ ((vector_size (VECTOR_BYTES), may_alias));

static inline Vector_float
sift_choose (SiftMask mask, Vector_float yes, Vector_float no)
{
  return (Vector_float)(((SiftMask)yes & mask) | ((SiftMask)no & ~mask));
}

static inline SiftBin
sift_bin_choose (SiftBinMask mask, SiftBin yes, SiftBin no)
{
  return (SiftBin)(((SiftBinMask)yes & mask) | ((SiftBinMask)no & ~mask));
}

/* 4 / pi atan (x) for |x| <= tan (pi / 8), with a relative error of 3e-8. */
static inline Vector_float
sift_atan (Vector_float x)
{
  Vector_float z = x * x;
  return x * (1.27323954f + z * (-0.42440829f + z * (0.254364112f + z * (-0.176696181f + z * 0.102543460f))));
}

/* Direction of the gradient in units of 45 degrees, from 0 (+x) over 2 (+y) to 8; 0 for a zero gradient. */
static inline Vector_float
sift_direction (Vector_float gx, Vector_float gy)
{
  Vector_float ax = (Vector_float)((SiftMask)gx & INT32_MAX), ay = (Vector_float)((SiftMask)gy & INT32_MAX);
  SiftMask steep = ay > ax;
  Vector_float large = sift_choose (steep, ay, ax), small = sift_choose (steep, ax, ay);
  Vector_float t = small / sift_choose (large == 0, (Vector_float){ 0 } + 1, large);
  SiftMask outer = t > 0.41421356f;
  Vector_float turn = sift_atan (sift_choose (outer, (1 - t) / (1 + t), t));
  turn = sift_choose (outer, 1 - turn, turn);
  turn = sift_choose (steep, 2 - turn, turn);
  turn = sift_choose (gx < 0, 4 - turn, turn);
  return sift_choose (gy < 0, 8 - turn, turn);
}

/* Divides the magnitude linearly between the two neighbouring orientations. */
static inline SiftBin
sift_spread (float direction, float magnitude)
{
  SiftBin away = direction - (SiftBin){ 0, 1, 2, 3, 4, 5, 6, 7 };
  away = (SiftBin)((SiftBinMask)away & INT32_MAX);
  away = sift_bin_choose (away > 4, 8 - away, away);
  return sift_bin_choose (away < 1, (1 - away) * magnitude, (SiftBin){ 0 });
}

static void
sift_gradient (const float *row, const float *above, const float *below, float dy, int width, float *out)
{
  enum
  {
    LANES = VECTOR_BYTES / sizeof (float)
  };

  for (int x = 0; x < width; x += LANES)
    {
      int some = width - x < LANES ? width - x : LANES;
      float gx[LANES] = { 0 }, gy[LANES] = { 0 }, direction[LANES], magnitude[LANES];
      for (int l = 0; l < some; l++)
        {
          int left = x + l > 0 ? x + l - 1 : 0, right = x + l + 1 < width ? x + l + 1 : width - 1;
          gx[l] = (row[right] - row[left]) * (right - left == 2 ? 0.5f : 1.0f);
          gy[l] = (below[x + l] - above[x + l]) * dy;
        }
      Vector_float vx, vy, turn, size;
      memcpy (&vx, gx, sizeof vx);
      memcpy (&vy, gy, sizeof vy);
      turn = sift_direction (vx, vy);
      size = power_root (vx * vx + vy * vy);
      memcpy (direction, &turn, sizeof turn);
      memcpy (magnitude, &size, sizeof size);
      for (int l = 0; l < some; l++)
        ((SiftBin *)out)[x + l] = sift_spread (direction[l], magnitude[l]);
    }
}

/* out = sum_t weight[t] row[t], n values, a multiple of 8. */
static void
sift_filter_rows (const float *const *row, const float *weight, int taps, size_t n, float *out)
{
  enum
  {
    HELD = 4
  };
  SiftBin *to = (SiftBin *)out;
  size_t i = 0;

  for (; i + HELD <= n / 8; i += HELD)
    {
      SiftBin sum[HELD] = { { 0 } };
      for (int t = 0; t < taps; t++)
        for (int h = 0; h < HELD; h++)
          sum[h] += ((const SiftBin *)row[t])[i + (size_t)h] * weight[t];
      for (int h = 0; h < HELD; h++)
        to[i + (size_t)h] = sum[h];
    }
  for (; i < n / 8; i++)
    {
      SiftBin sum = { 0 };
      for (int t = 0; t < taps; t++)
        sum += ((const SiftBin *)row[t])[i] * weight[t];
      to[i] = sum;
    }
}

/* out[p] = sum_t weight[t] pixel[p step + t] for p < count. */
static void
sift_filter_columns (const float *pixel, int step, const float *weight, int taps, int count, float *out)
{
  enum
  {
    HELD = 4
  };
  const SiftBin *from = (const SiftBin *)pixel;
  SiftBin *to = (SiftBin *)out;
  int p = 0;

  for (; p + HELD <= count; p += HELD)
    {
      SiftBin sum[HELD] = { { 0 } };
      for (int t = 0; t < taps; t++)
        for (int h = 0; h < HELD; h++)
          sum[h] += from[(p + h) * step + t] * weight[t];
      for (int h = 0; h < HELD; h++)
        to[p + h] = sum[h];
    }
  for (; p < count; p++)
    {
      SiftBin sum = { 0 };
      for (int t = 0; t < taps; t++)
        sum += from[p * step + t] * weight[t];
      to[p] = sum;
    }
}

static inline float
sift_add (SiftBin v)
{
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static inline float
sift_inverse_norm (const SiftBin *part)
{
  SiftBin sum = part[0] * part[0];
  for (int b = 1; b < 16; b++)
    sum += part[b] * part[b];
  float square = sift_add (sum);
  return square > 0 ? 1 / sqrtf (square) : 0;
}

static float
sift_descriptor (const float *const *row, int apart, const float *weight, float clamp, float *out)
{
  SiftBin part[16], sum = { 0 }, top = (SiftBin){ 0 } + clamp;

  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++)
      {
        SiftBin bin = *(const SiftBin *)(row[y] + (size_t)x * (size_t)apart) * weight[4 * y + x];
        part[4 * y + x] = bin;
        sum += bin;
      }
  float scale = sift_inverse_norm (part);
  for (int b = 0; b < 16; b++)
    {
      SiftBin bin = part[b] * scale;
      part[b] = sift_bin_choose (bin > top, top, bin);
    }
  scale = sift_inverse_norm (part);
  for (int b = 0; b < 16; b++)
    {
      SiftBin bin = part[b] * scale;
      memcpy (out + 8 * b, &bin, sizeof bin);
    }
  return sift_add (sum);
}
