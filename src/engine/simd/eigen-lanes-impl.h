/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigendecomposition of small symmetric matrices in lanes, one matrix per lane of a double register, with the
 * algorithm of simd/eigen-impl.h. Rotations outside the current block of a lane have angle zero.
 */

typedef int64_t LaneMask __attribute__ ((vector_size (VECTOR_BYTES)));

typedef struct
{
  Vector_double *A;      /* n x n: entries i <= j of the matrices; then the vectors of reflections */
  Vector_double *V;      /* n x n: entry i of eigenvector r at i n + r */
  Vector_double *a, *b;  /* n, n + 1: diagonal and off-diagonal of T */
  Vector_double *v, *w;  /* n: one reflection; cosines and sines of one QR step */
  Vector_double *weight; /* n: of the reflections */
  int n;
} EigenLanes;

static inline Vector_double
lanes_choose (LaneMask mask, Vector_double yes, Vector_double no)
{
  return (Vector_double)((mask & (LaneMask)yes) | (~mask & (LaneMask)no));
}

static inline Vector_double
lanes_sqrt (Vector_double x)
{
  for (int l = 0; l < (int)(VECTOR_BYTES / sizeof (double)); l++)
    x[l] = sqrt (x[l]);
  return x;
}

static inline Vector_double
lanes_abs (Vector_double x)
{
  return (Vector_double)((LaneMask)x & INT64_MAX);
}

static inline bool
lanes_any (LaneMask mask)
{
  int64_t any = 0;
  for (int l = 0; l < (int)(VECTOR_BYTES / sizeof (double)); l++)
    any |= mask[l];
  return any != 0;
}

/* Rows with a norm below this count as zero. Squares of their entries are subnormal, and with the loss of digits I -
 * weight v v' would not be orthogonal. */
#define LANES_NOTHING 0x1p-400

/* Reflection k maps row k beyond the diagonal to a multiple of its first entry; its vector replaces that row. */
static void
lanes_reflect (const EigenLanes *self, int k)
{
  int n = self->n;
  Vector_double *row = self->A + k * n, *v = self->v, *w = self->w, square = { 0 }, product = { 0 };

  for (int j = k + 1; j < n; j++)
    {
      v[j] = row[j];
      square += v[j] * v[j];
      w[j] = (Vector_double){ 0 };
    }
  Vector_double norm = lanes_sqrt (square), first = v[k + 1];
  LaneMask some = norm > LANES_NOTHING;
  Vector_double target = lanes_choose (first > 0, -norm, norm), size = norm * (norm + lanes_abs (first));
  Vector_double weight = lanes_choose (some, 1 / lanes_choose (some, size, norm + 1), norm);
  self->a[k] = row[k];
  self->b[k] = target;
  self->weight[k] = weight;
  v[k + 1] -= target;
  row[k + 1] = v[k + 1];

  /* A <- A - v w' - w v' with p = weight A v, w = p - weight (p'v) / 2 v. */
  for (int i = k + 1; i < n; i++)
    {
      const Vector_double *from = self->A + i * n;
      Vector_double sum = from[i] * v[i], here = v[i];
      for (int j = i + 1; j < n; j++)
        {
          sum += from[j] * v[j];
          w[j] += from[j] * here;
        }
      w[i] += sum;
    }
  for (int j = k + 1; j < n; j++)
    product += w[j] * v[j];
  product = 0.5 * weight * product * weight; /* weight itself may be near the largest double */
  for (int j = k + 1; j < n; j++)
    w[j] = weight * w[j] - product * v[j];
  for (int i = k + 1; i < n; i++)
    {
      Vector_double *to = self->A + i * n, x = v[i], y = w[i];
      for (int j = i; j < n; j++)
        to[j] -= x * w[j] + y * v[j];
    }
}

/* Some columns of lanes_apply(), with their products with v in registers. */
static inline __attribute__ ((always_inline)) void
lanes_apply_columns (Vector_double *Q, int n, const Vector_double *v, Vector_double weight, int row, int columns)
{
  Vector_double sum[8];

  for (int c = 0; c < columns; c++)
    sum[c] = (Vector_double){ 0 };
  for (int i = row; i < n; i++)
    for (int c = 0; c < columns; c++)
      sum[c] += v[i] * Q[i * n + c];
  for (int c = 0; c < columns; c++)
    sum[c] *= weight;
  for (int i = row; i < n; i++)
    for (int c = 0; c < columns; c++)
      Q[i * n + c] -= v[i] * sum[c];
}

/* Q <- (I - weight v v') Q, for the rows and columns of the n x n matrix from those on. */
static void
lanes_apply (Vector_double *Q, int n, const Vector_double *v, Vector_double weight, int row, int column)
{
  int c = column;
  for (; c + 8 <= n; c += 8)
    lanes_apply_columns (Q + c, n, v, weight, row, 8);
  for (; c + 2 <= n; c += 2)
    lanes_apply_columns (Q + c, n, v, weight, row, 2);
  if (c < n)
    lanes_apply_columns (Q + c, n, v, weight, row, 1);
}

/* V = Q, accumulated from the last reflections, which affect the fewest rows. */
static void
lanes_collect (const EigenLanes *self)
{
  int n = self->n;

  memset (self->V, 0, sizeof *self->V * n * n);
  for (int i = 0; i < n; i++)
    self->V[i * n + i] += 1;
  for (int k = n - 3; k >= 0; k--)
    lanes_apply (self->V, n, self->A + k * n, self->weight[k], k + 1, k + 1);
}

/* Applies the rotations of one step to columns low .. high of V, some rows at a time, so that rotations are loaded
 * once. */
static inline __attribute__ ((always_inline)) void
lanes_rotate_rows (const EigenLanes *self, Vector_double *V, int rows, int low, int high)
{
  Vector_double p[4];
  for (int i = 0; i < rows; i++)
    p[i] = V[i * self->n + low];
  for (int k = low; k < high; k++)
    {
      Vector_double c = self->v[k], s = self->w[k];
      for (int i = 0; i < rows; i++)
        {
          Vector_double q = V[i * self->n + k + 1];
          V[i * self->n + k] = c * p[i] + s * q;
          p[i] = c * q - s * p[i];
        }
    }
  for (int i = 0; i < rows; i++)
    V[i * self->n + high] = p[i];
}

static void
lanes_rotate (const EigenLanes *self, int low, int high)
{
  int i = 0;
  for (; i + 4 <= self->n; i += 4)
    lanes_rotate_rows (self, self->V + i * self->n, 4, low, high);
  for (; i < self->n; i++)
    lanes_rotate_rows (self, self->V + i * self->n, 1, low, high);
}

/* Last block of T that is not yet diagonal in each lane: rows low .. high, both zero after convergence. */
typedef struct
{
  LaneMask low, high;
  Vector_double shift; /* Wilkinson's */
  int first, last;     /* minimum and maximum over all lanes */
} LaneBlocks;

/* Finds the blocks and sets off-diagonal entries of magnitude below size to zero. Returns false if T is diagonal in
 * every lane. */
static bool
lanes_find_blocks (const EigenLanes *self, Vector_double size, int last, LaneBlocks *blocks)
{
  Vector_double *a = self->a, *b = self->b, upper = { 0 }, lower = { 0 }, beside = { 0 };
  LaneMask high = { 0 }, low = { 0 }, open = { 0 }, found = { 0 };

  blocks->last = 0;
  for (int i = last - 1; i >= 0; i--)
    {
      LaneMask some = lanes_abs (b[i]) > size, starts = some & ~found;
      b[i] = (Vector_double)(some & (LaneMask)b[i]);
      upper = lanes_choose (starts, a[i], upper);
      lower = lanes_choose (starts, a[i + 1], lower);
      beside = lanes_choose (starts, b[i], beside);
      high |= starts & (i + 1);
      open = (open | starts) & some;
      found |= some;
      low = (open & i) | (~open & low);
      if (blocks->last == 0 && lanes_any (some))
        blocks->last = i + 1;
    }
  if (blocks->last == 0)
    return false;
  blocks->low = low;
  blocks->high = high;
  blocks->first = blocks->last;
  for (int l = 0; l < (int)(VECTOR_BYTES / sizeof (double)); l++)
    if (high[l] > 0 && low[l] < blocks->first)
      blocks->first = (int)low[l];
  Vector_double half = (upper - lower) / 2, root = lanes_sqrt (half * half + beside * beside);
  Vector_double divisor = half + lanes_choose (half < 0, -root, root);
  LaneMask fine = divisor != 0;
  blocks->shift = lower - lanes_choose (fine, beside * beside / lanes_choose (fine, divisor, root + 1), beside);
  return true;
}

/* State of a QR step between two rotations. */
typedef struct
{
  Vector_double x, z;
} LaneBulge;

/* Rotation k of an implicit QR step that starts at row `first`. */
static inline __attribute__ ((always_inline)) void
lanes_turn (const EigenLanes *self, const LaneBlocks *blocks, int first, int k, LaneBulge *bulge)
{
  Vector_double *a = self->a, *b = self->b, one = (Vector_double){ 0 } + 1;
  LaneMask starts = blocks->low == k, active = (blocks->low <= k) & (blocks->high > k);
  Vector_double x = lanes_choose (starts, a[k] - blocks->shift, bulge->x), z = lanes_choose (starts, b[k], bulge->z);
  Vector_double r = lanes_sqrt (x * x + z * z);
  LaneMask turns = active & (r > 0);
  Vector_double inverse = 1 / lanes_choose (turns, r, one);
  Vector_double c = lanes_choose (turns, x * inverse, one), s = (Vector_double)(turns & (LaneMask)(z * inverse));
  Vector_double upper = a[k], lower = a[k + 1], mixed = 2 * c * s * b[k], cc = c * c, ss = s * s;

  if (k > first)
    b[k - 1] = lanes_choose (active & ~starts, r, b[k - 1]);
  a[k] = cc * upper + mixed + ss * lower;
  a[k + 1] = ss * upper - mixed + cc * lower;
  b[k] = c * s * (lower - upper) + (cc - ss) * b[k];
  bulge->x = b[k];
  bulge->z = s * b[k + 1];
  b[k + 1] *= c;
  self->v[k] = c;
  self->w[k] = s;
}

/* One implicit QR step in every lane of one or two registers of matrices. Rotations form a dependency chain with a
 * root and a quotient each; two registers give two independent chains. */
static inline __attribute__ ((always_inline)) void
lanes_qr_step (const EigenLanes *const *self, const LaneBlocks *const *blocks, int count)
{
  LaneBulge bulge[2] = { 0 };
  int first = blocks[0]->first, last = blocks[0]->last;

  for (int h = 1; h < count; h++)
    {
      first = first < blocks[h]->first ? first : blocks[h]->first;
      last = last > blocks[h]->last ? last : blocks[h]->last;
    }
  for (int k = first; k < last; k++)
    for (int h = 0; h < count; h++)
      lanes_turn (self[h], blocks[h], first, k, &bulge[h]);
  for (int h = 0; h < count; h++)
    lanes_rotate (self[h], blocks[h]->first, blocks[h]->last);
}

/* Computes A = V T V' with T tridiagonal in every lane. Returns the norm of T. */
static Vector_double
lanes_tridiagonal (const EigenLanes *self)
{
  int n = self->n;
  Vector_double *a = self->a, *b = self->b, size = { 0 };

  for (int k = 0; k + 2 < n; k++)
    lanes_reflect (self, k);
  for (int k = n > 2 ? n - 2 : 0; k < n; k++)
    a[k] = self->A[k * n + k];
  if (n > 1)
    b[n - 2] = self->A[(n - 2) * n + n - 1];
  b[n - 1] = b[n] = (Vector_double){ 0 };
  lanes_collect (self);
  for (int i = 0; i < n; i++)
    {
      Vector_double here = lanes_abs (a[i]) + lanes_abs (b[i]);
      size = lanes_choose (here > size, here, size);
    }
  return size;
}

/* Computes A = V diag (a) V' in every lane of two registers of matrices. Returns false if the iteration does not
 * converge. */
static bool
lanes_eigen (const EigenLanes self[2])
{
  int n = self->n;
  Vector_double size[2];
  LaneBlocks blocks[2] = { { .last = n - 1 }, { .last = n - 1 } };

  for (int h = 0; h < 2; h++)
    size[h] = 0x1p-53 * lanes_tridiagonal (&self[h]);
  for (int steps = 0; steps <= 60 * n; steps++)
    {
      const EigenLanes *open[2];
      const LaneBlocks *at[2];
      int count = 0;
      for (int h = 0; h < 2; h++)
        if (blocks[h].last > 0 && lanes_find_blocks (&self[h], size[h], blocks[h].last, &blocks[h]))
          {
            open[count] = &self[h];
            at[count++] = &blocks[h];
          }
      if (count == 0)
        return true;
      if (count == 2)
        lanes_qr_step (open, at, 2);
      else
        lanes_qr_step (open, at, 1);
    }
  return false;
}
