/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigendecomposition of small symmetric matrices, one at a time. LAPACK is optimised for large matrices; at an order
 * of 35 it spends most of its time in calls. Householder reflections reduce the matrix to tridiagonal form, A = Q T
 * Q'; QR steps with Wilkinson's shift s diagonalise T (Golub & Van Loan, Matrix Computations, section 8.3): T - s I
 * = G R with rotations G, T <- R G + s I = G' T G. All long loops are over whole rows, some registers of columns at
 * a time: reflections add multiples of rows, and since eigenvectors are stored as rows, rotations combine two rows.
 *
 * The rotations of a step are a dependency chain with a root and a quotient each: x_k, the entry of row k after the
 * previous rotation, gives r_k = sqrt (x_k^2 + b_k^2), cos_k = x_k / r_k and sin_k = b_k / r_k. Multiplied by all
 * previous r_j, x_k and r_k satisfy recurrences without roots and quotients, p_k = x_k r_0 .. r_{k-1} and N_k = (r_0
 * .. r_k)^2:
 *     p_k = (a_k - s) p_{k-1} - b_{k-1}^2 p_{k-2},   N_k = p_k^2 + b_k^2 N_{k-1},   p_{-1} = N_{-1} = 1, p_{-2} = 0.
 * (p_k is the determinant of the first k + 1 rows and columns of T - s I. By backward error analysis the computed
 * p_k and N_k are accurate for a T whose entries are perturbed by rounding.) The remaining quantities are computed
 * for a register of rows at once: cos_k = p_k / sqrt (N_k), sin_k^2 = b_k^2 N_{k-1} / N_k, r_k^2 = N_k / N_{k-1},
 * and with g_k = cos_{k-1} x_k = p_{k-1} p_k / N_{k-1}
 *     a_k <- g_k - g_{k+1} + a_{k+1},   b_k^2 <- sin_k^2 r_{k+1}^2;   in the last row a_k <- g_k + s.
 * Only b^2 is stored: the signs of b are absorbed into the eigenvectors.
 */

#define EIGEN_LANES ((int)(VECTOR_BYTES / sizeof (double)))

/* For entries of magnitude 1 a row with a norm below this counts as zero: its square is nearly subnormal. */
#define EIGEN_NOTHING 0x1p-400

typedef struct
{
  double *A, *V;      /* n rows, stride apart */
  double *a, *b;      /* diagonal of T; off-diagonal of T or its square */
  double *v, *w;      /* one row each: Householder vector, and the combination of rows subtracted in proportion to it */
  double *weight;     /* of the reflections: I - weight v v' */
  double *p, *before; /* in a QR step: p_k, then cos_k; N_{k-1}, then sin_k */
  double *size, *g;   /* N_k, then r_k^2; g_k */
  double scale;       /* scale of A and T */
  int n, stride;
} Eigen;

/* Operation on some registers of columns, for rows from k + 1 on or for k rotations. */
typedef void (*EigenColumns) (const Eigen *self, double *rows, int k, int at, int registers);

/* Applies an operation to all columns from `from` on; the number of registers is always a compile-time constant. */
static inline __attribute__ ((always_inline)) void
eigen_columns (const Eigen *self, double *rows, int k, int from, EigenColumns some)
{
  int at = from / EIGEN_LANES * EIGEN_LANES, end = (self->n + EIGEN_LANES - 1) / EIGEN_LANES * EIGEN_LANES;
  for (; end - at > EIGEN_REGISTERS * EIGEN_LANES; at += EIGEN_REGISTERS * EIGEN_LANES)
    some (self, rows, k, at, EIGEN_REGISTERS);
  switch ((end - at) / EIGEN_LANES)
    {
    case 1:
      some (self, rows, k, at, 1);
      break;
    case 2:
      some (self, rows, k, at, 2);
      break;
    case 3:
      some (self, rows, k, at, 3);
      break;
    case 4:
      some (self, rows, k, at, 4);
      break;
    case 5:
      some (self, rows, k, at, 5);
      break;
    }
}

/* w = sum_j v_j row_j. */
static inline __attribute__ ((always_inline)) void
combine_rows (const Eigen *self, double *rows, int k, int at, int registers)
{
  Vector_double sum[EIGEN_REGISTERS];
  for (int l = 0; l < registers; l++)
    sum[l] = (Vector_double){ 0 };
  for (int j = k + 1; j < self->n; j++)
    for (int l = 0; l < registers; l++)
      sum[l] += self->v[j] * ((const Vector_double *)(rows + j * self->stride + at))[l];
  for (int l = 0; l < registers; l++)
    ((Vector_double *)(self->w + at))[l] = sum[l];
}

/* row_i -= v_i w. */
static inline __attribute__ ((always_inline)) void
reflect_rows (const Eigen *self, double *rows, int k, int at, int registers)
{
  Vector_double w[EIGEN_REGISTERS];
  for (int l = 0; l < registers; l++)
    w[l] = ((const Vector_double *)(self->w + at))[l];
  for (int i = k + 1; i < self->n; i++)
    for (int l = 0; l < registers; l++)
      ((Vector_double *)(rows + i * self->stride + at))[l] -= self->v[i] * w[l];
}

/* row_i -= v_i w + w_i v. */
static inline __attribute__ ((always_inline)) void
reflect_both (const Eigen *self, double *rows, int k, int at, int registers)
{
  Vector_double v[EIGEN_REGISTERS], w[EIGEN_REGISTERS];
  for (int l = 0; l < registers; l++)
    {
      v[l] = ((const Vector_double *)(self->v + at))[l];
      w[l] = ((const Vector_double *)(self->w + at))[l];
    }
  for (int i = k + 1; i < self->n; i++)
    for (int l = 0; l < registers; l++)
      ((Vector_double *)(rows + i * self->stride + at))[l] -= self->v[i] * w[l] + self->w[i] * v[l];
}

/* Rotates rows 0 and 1, 1 and 2, and so on to k, the last of which may change its sign. */
static inline __attribute__ ((always_inline)) void
rotate_rows (const Eigen *self, double *rows, int k, int at, int registers)
{
  Vector_double here[EIGEN_REGISTERS];
  rows += at;
  for (int l = 0; l < registers; l++)
    here[l] = ((const Vector_double *)rows)[l];
  for (int i = 0; i < k; i++, rows += self->stride)
    {
      double c = self->p[i], s = self->before[i];
      for (int l = 0; l < registers; l++)
        {
          Vector_double next = ((const Vector_double *)(rows + self->stride))[l];
          ((Vector_double *)rows)[l] = c * here[l] + s * next;
          here[l] = -s * here[l] + c * next;
        }
    }
  for (int l = 0; l < registers; l++)
    ((Vector_double *)rows)[l] = self->p[k] * here[l];
}

static inline double
inner (const double *x, const double *y, int from, int to)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int j = from; j < to; j++)
    sum += x[j] * y[j];
  return sum;
}

/* Power of two that scales the largest value to about 1; zero if it is not finite. */
static inline double
scale_to_one (double largest)
{
  return largest <= DBL_MAX ? ldexp (1, -ilogb (fmax (largest, DBL_MIN))) : 0;
}

/* Scales A so that its largest entry is between 1 and 2, which prevents underflow of the squares of relevant rows. */
static void
scale_matrix (Eigen *self)
{
  size_t numbers = (size_t)self->n * self->stride;
  double *A = self->A, largest = 0;
#pragma omp simd reduction(max : largest)
  for (size_t i = 0; i < numbers; i++)
    {
      double size = fabs (A[i]);
      largest = size > largest ? size : largest;
    }
  double scale = self->scale = scale_to_one (largest);
  for (size_t i = 0; i < numbers; i++)
    A[i] *= scale;
}

/* Reflection k maps row k beyond the diagonal to a multiple of its first entry; its vector replaces that row. */
static void
reflect (Eigen *self, int k)
{
  int n = self->n, from = (k + 1) / EIGEN_LANES * EIGEN_LANES, end = (n + EIGEN_LANES - 1) / EIGEN_LANES * EIGEN_LANES;
  double *row = self->A + k * self->stride, *v = self->v, *w = self->w;

  memcpy (v + from, row + from, sizeof *v * (end - from));
  memset (v + from, 0, sizeof *v * (k + 1 - from));
  double norm = sqrt (inner (v, v, from, end)), target = v[k + 1] > 0 ? -norm : norm;
  self->a[k] = row[k];
  self->b[k] = target;
  self->weight[k] = 0;
  if (norm < EIGEN_NOTHING)
    {
      self->b[k] = 0;
      return;
    }
  /* v'v = 2 norm (norm + |v_first|), with the first entry of the row. */
  double weight = self->weight[k] = 1 / (norm * (norm + fabs (v[k + 1])));
  v[k + 1] -= target;
  row[k + 1] = v[k + 1];

  /* A <- A - v w' - w v' with p = weight A v, w = p - weight (p'v) / 2 v. */
  eigen_columns (self, self->A, k, from, combine_rows);
  for (int j = from; j < end; j++)
    w[j] *= weight;
  double half = 0.5 * weight * inner (w, v, from, end);
  for (int j = from; j < end; j++)
    w[j] -= half * v[j];
  eigen_columns (self, self->A, k, from, reflect_both);
}

/* V = Q'. The last reflections affect the fewest rows, so Q is accumulated from the last to the first and then
 * transposed. */
static void
collect_reflections (Eigen *self)
{
  int n = self->n, stride = self->stride, end = (n + EIGEN_LANES - 1) / EIGEN_LANES * EIGEN_LANES;
  double *Q = self->V;

  memset (Q, 0, sizeof *Q * n * stride);
  for (int i = 0; i < n; i++)
    Q[i * stride + i] = 1;
  for (int k = n - 3; k >= 0; k--)
    {
      memcpy (self->v + k + 1, self->A + k * stride + k + 1, sizeof *self->v * (n - k - 1));
      eigen_columns (self, Q, k, k + 1, combine_rows);
      for (int j = (k + 1) / EIGEN_LANES * EIGEN_LANES; j < end; j++)
        self->w[j] *= self->weight[k];
      eigen_columns (self, Q, k, k + 1, reflect_rows);
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      {
        double swap = Q[i * stride + j];
        Q[i * stride + j] = Q[j * stride + i];
        Q[j * stride + i] = swap;
      }
}

/* Power of two whose square times x > 0 is about 1; x is neither too small nor too large for it. */
static inline double
power_near_root (double x)
{
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  bits = (UINT64_C (0x5fe) - (bits >> 53)) << 52;
  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Computes p_k, p_{k-1} p_k, N_{k-1} and N_k of n rows, rescaled every 8 rows (whole registers): per row N grows by
 * at most 2^5 and shrinks by at most 2^106. */
static inline void
find_determinants (const Eigen *self, const double *a, const double *b, int n, double shift)
{
  double p = 1, before = 0, size = 1, square = 0;

  for (int k = 0; k < n; k++)
    {
      double next = (a[k] - shift) * p - square * before;
      before = p;
      p = next;
      square = b[k];
      self->p[k] = p;
      self->g[k] = before * p;
      self->before[k] = size;
      size = square * size + p * p;
      self->size[k] = size;
      if (k % 8 == 7)
        {
          double scale = power_near_root (size);
          p *= scale;
          before *= scale;
          size *= scale * scale;
        }
    }
}

/* One QR step on rows low .. high of T, applied to V as well. Results after row high in the same register are
 * undefined. */
static void
qr_step (Eigen *self, int low, int high)
{
  int n = high - low + 1, last = high - low;
  double *restrict a = self->a + low, *restrict b = self->b + low;
  double *restrict p = self->p, *restrict before = self->before, *restrict size = self->size, *restrict g = self->g;
  double half = (a[last - 1] - a[last]) / 2;
  double shift = a[last] - b[last - 1] / (half + copysign (sqrt (half * half + b[last - 1]), half));

  find_determinants (self, a, b, n, shift);
  double sign = copysign (1, p[last]);
  n = (n + EIGEN_LANES - 1) / EIGEN_LANES * EIGEN_LANES;
#pragma omp simd
  for (int k = 0; k < n; k++)
    {
      double over_size = 1 / size[k], over_before = 1 / before[k];
      p[k] *= sqrt (over_size);
      before[k] = sqrt (b[k] * before[k] * over_size);
      size[k] *= over_before;
      g[k] *= over_before;
    }
  p[last] = sign;
#pragma omp simd
  for (int k = 0; k < n; k++)
    {
      a[k] = g[k] - g[k + 1] + a[k + 1];
      b[k] = before[k] * before[k] * size[k + 1];
    }
  a[last] = g[last] + shift;
  b[last] = 0;
  eigen_columns (self, self->V + low * self->stride, last, 0, rotate_rows);
}

/* Scales T to a largest row between 1 and 2 and squares b; its signs are applied to rows of V. Returns false if T is
 * not finite. */
static bool
scale_tridiagonal (Eigen *self)
{
  int n = self->n;
  double *a = self->a, *b = self->b, size = 0, sum = 0, sign = 1;

  for (int i = 0; i < n; i++)
    {
      size = fmax (size, fabs (a[i]) + fabs (b[i]));
      sum += fabs (a[i]) + fabs (b[i]);
    }
  double scale = isfinite (sum) ? scale_to_one (size) : 0;
  for (int i = 0; i < n; i++)
    {
      for (int j = 0; j < n && sign < 0; j++)
        self->V[i * self->stride + j] *= -1;
      sign = copysign (sign, sign * b[i]);
      a[i] *= scale;
      b[i] *= scale;
      b[i] *= b[i];
    }
  self->scale *= scale;
  return scale > 0;
}

/* Diagonalises T from its end. An off-diagonal entry counts as zero if it is below the rounding of the whole matrix,
 * the error of the reflections in every entry. */
static bool
diagonalise (Eigen *self, double *values)
{
  double *b = self->b;

  if (!scale_tridiagonal (self))
    return false;
  for (int high = self->n - 1, steps = 0; high >= 0; steps++)
    {
      int low = high;
      while (low > 0 && b[low - 1] > 0x1p-106)
        low--;
      if (low < high && steps > 60 * self->n)
        return false;
      if (low < high)
        qr_step (self, low, high);
      else
        {
          values[high] = self->a[high] / self->scale;
          if (--high >= 0)
            b[high] = 0;
        }
    }
  return true;
}

static bool
symmetric_eigen (double *A, int n, int stride, double *V, double *values, double *work)
{
  size_t row = stride + TOSST_GRAIN;
  Eigen self = { .A = A, .V = V, .a = work, .b = work + row, .n = n, .stride = stride };

  for (size_t i = 0; i < 6 * row; i++)
    work[i] = 1;
  self.p = self.v = work + 2 * row;
  self.before = self.w = work + 3 * row;
  self.size = self.weight = work + 4 * row;
  self.g = work + 5 * row;
  scale_matrix (&self);
  for (int k = 0; k + 2 < n; k++)
    reflect (&self, k);
  for (int k = n > 2 ? n - 2 : 0; k < n; k++)
    {
      self.a[k] = A[k * stride + k];
      self.b[k] = k + 1 < n ? A[k * stride + k + 1] : 0;
    }
  collect_reflections (&self);
  return diagonalise (&self, values);
}
