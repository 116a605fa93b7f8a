/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Baselines without a dictionary: the descriptor itself, and the logarithm of a covariance matrix, which maps the
 * curved space of positive definite matrices to a flat space, in which ||log A - log B||_F is the log-Euclidean
 * distance.
 */
#include "engine/base/base.h"
#include "engine/coding/coder-private.h"
#include "engine/coding/tuning.h"
#include "engine/tensor/spectrum.h"

typedef struct
{
  const TosstLayout *layout;
  const float *tensors;
  float *out;
} Weighing;

static TosstStatus
weigh (size_t item, int worker, void *data)
{
  Weighing *self = data;
  size_t m = self->layout->m;

  (void)worker;
  for (size_t i = 0; i < m; i++)
    self->out[item * m + i] = self->layout->weight[i] * self->tensors[item * m + i];
  return TOSST_OK;
}

TosstStatus
tosst_plain_raw (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n, float *out)
{
  TOSST_REQUIRE (context, context && layout && (n == 0 || (tensors && out)));
  Weighing self = { layout, tensors, out };

  if (layout->S != 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "plain vectors need whole tensors, not slices");
  return tosst_parallel (context, n, weigh, &self, 0, 1);
}

static const char *
take_logarithm (double *values, int d, double parameter)
{
  double largest = 0, trace = 0;

  for (int i = 0; i < d; i++)
    {
      largest = fmax (largest, fabs (values[i]));
      trace += values[i];
    }
  for (int i = 0; i < d; i++)
    if (values[i] < -ROUNDED_NEGATIVE * largest)
      return "is not positive semi-definite and has no logarithm";
  if (largest == 0)
    return "is zero and has no logarithm";
  for (int i = 0; i < d; i++)
    values[i] = log (fmax (values[i], 0) + parameter * trace / d);
  return NULL;
}

TosstStatus
tosst_plain_log_euclidean (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n, float *out)
{
  TOSST_REQUIRE (context, context && layout && (n == 0 || (tensors && out)));
  const TosstSpectrumMap logarithm
      = { .func = take_logarithm, .parameter = TOSST_LOG_FLOOR, .weighted = true, .reports = true };

  return tosst_map_spectra (context, layout, &logarithm, tensors, n, out);
}

/* Projections onto the span of the atoms, as coordinates in an orthonormal basis of it. In problem (3) without sparsity
 * the reconstruction of a tensor is its projection P x, with <P x, P y> = q_x' H^{-1} q_y. For H = L L' the numbers
 * L^{-1} q have these inner products: Gram-Schmidt, in the order of the atoms. */

size_t
tosst_span_bytes (size_t K, bool wide)
{
  return wide ? 0 : K * K * sizeof (double);
}

static TosstStatus
factor (TosstContext *context, size_t K, double *H)
{
  double trace = 0;

  for (size_t k = 0; k < K; k++)
    trace += H[k * K + k];
  /* If all atoms are zero, any ridge gives the projection zero. */
  double ridge = trace > 0 ? SPAN_RIDGE * trace / (double)K : 1;
  for (size_t k = 0; k < K; k++)
    H[k * K + k] += ridge;
  return tosst_cholesky (context, (int)K, H);
}

TosstStatus
tosst_span_factor (const TosstCoder *coder, TosstContext *context, bool wide, void *L)
{
  size_t K = (size_t)coder->K;
  double *H = wide ? L : tosst_alloc_aligned (K * K, sizeof *H);
  TosstStatus status = H ? tosst_reduction_gram (&coder->reduction, context, coder->dictionary, NULL, NULL, true, H)
                         : tosst_coding_no_memory (context);

  TOSST_THEN (status, factor (context, K, H));
  for (size_t i = 0; !wide && status == TOSST_OK && i < K * K; i++)
    ((float *)L)[i] = (float)H[i];
  if (!wide)
    free (H);
  return status;
}

/* Always as many columns, so that the bits of one do not depend on the others. */
#define DEFINE_SOLVE(TYPE, TRSM)                                                                                       \
  static bool solve_##TYPE (const TYPE *L, size_t K, const TYPE *q, size_t count, TYPE *work, TYPE *codes)             \
  {                                                                                                                    \
    TYPE zero = 0;                                                                                                     \
                                                                                                                       \
    memcpy (work, q, count *K * sizeof *work);                                                                         \
    memset (work + count * K, 0, (SPAN_ROWS - count) * K * sizeof *work);                                              \
    TRSM (CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)K, SPAN_ROWS, 1, L, (int)K, work,     \
          (int)K);                                                                                                     \
    memcpy (codes, work, count *K * sizeof *work);                                                                     \
    for (size_t i = 0; i < count * K; i++)                                                                             \
      zero += codes[i] * 0; /* NaN for numbers that are not finite */                                                  \
    return zero == 0;                                                                                                  \
  }

DEFINE_SOLVE (float, cblas_strsm)
DEFINE_SOLVE (double, cblas_dtrsm)

TosstStatus
tosst_span_solve (TosstContext *context, size_t K, bool wide, const void *L, size_t first, size_t count, const char *q,
                  void *work, char *codes)
{
  size_t row = K * (wide ? sizeof (double) : sizeof (float));

  for (size_t i = 0; i < count; i += SPAN_ROWS, q += SPAN_ROWS * row, codes += SPAN_ROWS * row)
    {
      size_t rows = count - i < SPAN_ROWS ? count - i : SPAN_ROWS;

      if (tosst_context_checkpoint (context))
        return TOSST_CANCELLED;
      if (!(wide ? solve_double (L, K, (const double *)q, rows, work, (double *)codes)
                 : solve_float (L, K, (const float *)q, rows, work, (float *)codes)))
        return tosst_context_fail (context, TOSST_ERROR_NUMERIC, TOSST_CODING_NOT_FINITE, first + i);
    }
  return TOSST_OK;
}
