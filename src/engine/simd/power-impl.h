/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * sgn (x) |x|^p, vectorised: |x|^p = 2^(p log2 |x|), with |x| = 2^e f, f in [sqrt 1/2, sqrt 2), and
 *     log2 f = 2 / ln 2 (s + s^3 / 3 + s^5 / 5 + ...),  s = (f - 1) / (f + 1), |s| < 0.172
 * The relative error is that of p log2 |x| in single precision: 1e-7 near 1, below 1e-5 at the ends of the range.
 */

typedef float PowerVector __attribute__ ((vector_size (VECTOR_BYTES)));
typedef int32_t PowerBits __attribute__ ((vector_size (VECTOR_BYTES)));

static inline PowerVector
power_root (PowerVector x)
{
  for (int l = 0; l < (int)(VECTOR_BYTES / sizeof (float)); l++)
    x[l] = sqrtf (x[l]);
  return x;
}

static inline PowerVector
signed_power_vector (PowerVector x, float p)
{
  const int32_t lowest = 0x3f3504f3; /* sqrt 1/2 */
  PowerBits bits = (PowerBits)x, sign = bits & INT32_MIN, size = bits & INT32_MAX;
  if (p == 0.5f) /* common case */
    return (PowerVector)((PowerBits)power_root ((PowerVector)(size & (size >= 0x00800000))) | sign);
  PowerBits exponent = (size - lowest) >> 23;
  PowerVector f = (PowerVector)(size - (exponent << 23)), e = __builtin_convertvector(exponent, PowerVector);
  PowerVector s = (f - 1) / (f + 1), s2 = s * s;
  PowerVector log
      = s * (2.88539008f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * (0.412198583f + s2 * 0.320598898f))));

  /* p e + p log = n + t with n an integer; n is rounded by shifting the fraction out of the mantissa. */
  PowerVector whole = e * p, push = (PowerVector){ 0 } + 12582912.0f;
  PowerVector n = (whole + log * p + push) - push, t = (whole - n) + log * p;
  PowerVector y
      = 1
        + t
              * (0.693147181f
                 + t
                       * (0.240226507f
                          + t
                                * (0.0555041087f
                                   + t
                                         * (0.00961812911f
                                            + t * (0.00133335581f + t * (0.000154035304f + t * 0.0000152527338f))))));
  PowerBits result = (PowerBits)y + (__builtin_convertvector(n, PowerBits) << 23);
  /* Zero and subnormal results become zero. */
  return (PowerVector)((result & (size >= 0x00800000)) | sign);
}

static void
signed_power (float *x, size_t n, float p)
{
  enum
  {
    LANES = VECTOR_BYTES / sizeof (float)
  };
  PowerVector v;
  size_t i = 0;

  for (; i + LANES <= n; i += LANES)
    {
      memcpy (&v, x + i, sizeof v);
      v = signed_power_vector (v, p);
      memcpy (x + i, &v, sizeof v);
    }
  if (i < n)
    {
      v = (PowerVector){ 0 };
      memcpy (&v, x + i, (n - i) * sizeof *x);
      v = signed_power_vector (v, p);
      memcpy (x + i, &v, (n - i) * sizeof *x);
    }
}
