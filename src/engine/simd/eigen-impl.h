/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenvectors of many small symmetric matrices, one after the other. LAPACK is made for large ones; at an order of 35
 * most of its time goes into calls. Householder's reflections make the matrix tridiagonal, A = Q T Q'; implicit QR
 * steps with Wilkinson's shift make T diagonal (Golub & Van Loan, Matrix Computations, section 8.3). Everything long is
 * done on whole rows: reflections add multiples of rows, and since eigenvectors are kept as rows, rotations mix two of
 * them.
 */

typedef struct
{
  double *A, *V;  /* n rows, stride apart */
  double *a, *b;  /* diagonal of T and what is beside it */
  double *v, *w;  /* one row each, zero where a reflection does not reach */
  double *weight; /* of the reflections: I - weight v v' */
  int n, stride;
} Eigen;

static inline void
add_multiple (double *y, double factor, const double *x, int from, int to)
{
  for (int j = from; j < to; j++)
    y[j] += factor * x[j];
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

/* Reflection k maps row k beyond the diagonal on a multiple of its first entry. Its vector replaces that row. */
static void
reflect (Eigen *self, int k)
{
  int n = self->n, stride = self->stride, from = (k + 1) / 8 * 8;
  double *row = self->A + k * stride, *v = self->v, *w = self->w;

  memset (v, 0, sizeof *v * stride);
  memset (w, 0, sizeof *w * stride);
  memcpy (v + k + 1, row + k + 1, sizeof *v * (n - k - 1));
  double norm = sqrt (inner (v, v, from, stride)), target = v[k + 1] > 0 ? -norm : norm;
  self->a[k] = row[k];
  self->b[k] = target;
  self->weight[k] = 0;
  if (norm == 0)
    return;
  /* v'v = 2 norm (norm + |v_first|), its first entry still the row's. */
  double weight = self->weight[k] = 1 / (norm * (norm + fabs (v[k + 1])));
  v[k + 1] -= target;

  /* A <- A - v w' - w v' with p = weight A v, w = p - weight (p'v) / 2 v. */
  for (int j = k + 1; j < n; j++)
    add_multiple (w, weight * v[j], self->A + j * stride, from, stride);
  add_multiple (w, -0.5 * weight * inner (w, v, from, stride), v, from, stride);
  for (int i = k + 1; i < n; i++)
    {
      double *to = self->A + i * stride, x = v[i], y = w[i];
      for (int j = from; j < stride; j++)
        to[j] -= x * w[j] + y * v[j];
    }
  memcpy (row + k + 1, v + k + 1, sizeof *v * (n - k - 1));
}

/* V = Q'. The last reflections touch the fewest rows: Q is built from them, and turned round. */
static void
collect_reflections (Eigen *self)
{
  int n = self->n, stride = self->stride;
  double *Q = self->V, *v = self->v, *w = self->w;

  memset (Q, 0, sizeof *Q * n * stride);
  for (int i = 0; i < n; i++)
    Q[i * stride + i] = 1;
  for (int k = n - 3; k >= 0; k--)
    {
      int from = (k + 1) / 8 * 8;
      memset (v, 0, sizeof *v * stride);
      memset (w, 0, sizeof *w * stride);
      memcpy (v + k + 1, self->A + k * stride + k + 1, sizeof *v * (n - k - 1));
      for (int j = k + 1; j < n; j++)
        add_multiple (w, self->weight[k] * v[j], Q + j * stride, from, stride);
      for (int j = k + 1; j < n; j++)
        add_multiple (Q + j * stride, -v[j], w, from, stride);
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      {
        double swap = Q[i * stride + j];
        Q[i * stride + j] = Q[j * stride + i];
        Q[j * stride + i] = swap;
      }
}

/* One implicit QR step on rows low .. high of T, V taken along. */
static void
qr_step (Eigen *self, int low, int high)
{
  double *a = self->a, *b = self->b;
  double half = (a[high - 1] - a[high]) / 2, beside = b[high - 1];
  double shift = a[high] - beside * beside / (half + copysign (sqrt (half * half + beside * beside), half));
  double x = a[low] - shift, z = b[low];

  for (int k = low; k < high; k++)
    {
      double r = sqrt (x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
      double first = a[k], second = a[k + 1], mixed = 2 * c * s * b[k];
      double *restrict p = self->V + k * self->stride, *restrict q = p + self->stride;

      if (k > low)
        b[k - 1] = r;
      a[k] = c * c * first + mixed + s * s * second;
      a[k + 1] = s * s * first - mixed + c * c * second;
      b[k] = c * s * (second - first) + (c * c - s * s) * b[k];
      if (k + 1 < high)
        {
          x = b[k];
          z = s * b[k + 1];
          b[k + 1] *= c;
        }
      for (int j = 0; j < self->stride; j++)
        {
          double here = p[j];
          p[j] = c * here + s * q[j];
          q[j] = c * q[j] - s * here;
        }
    }
}

/* T to diagonal form, from its end. What is beside the diagonal counts as zero once it is below the rounding of the
 * whole matrix, which the reflections left in every entry. */
static bool
diagonalise (Eigen *self)
{
  double *a = self->a, *b = self->b, size = 0;

  for (int i = 0; i < self->n; i++)
    size = fmax (size, fabs (a[i]) + (i + 1 < self->n ? fabs (b[i]) : 0));
  size *= 0x1p-53;
  for (int high = self->n - 1, steps = 0; high > 0; steps++)
    {
      int low = high;
      while (low > 0 && fabs (b[low - 1]) > size)
        low--;
      if (low == high)
        high--;
      else if (steps > 60 * self->n)
        return false;
      else
        qr_step (self, low, high);
    }
  return true;
}

static bool
symmetric_eigen (double *A, int n, int stride, double *V, double *values, double *work)
{
  Eigen self = { .A = A, .V = V, .a = values, .n = n, .stride = stride };

  self.v = work;
  self.w = work + stride;
  self.b = work + 2 * stride;
  self.weight = work + 3 * stride;
  for (int k = 0; k + 2 < n; k++)
    reflect (&self, k);
  for (int k = n > 2 ? n - 2 : 0; k < n; k++)
    values[k] = A[k * stride + k];
  if (n > 1)
    self.b[n - 2] = A[(n - 2) * stride + n - 1];
  collect_reflections (&self);
  return diagonalise (&self);
}
