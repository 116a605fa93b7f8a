/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "engine/simd/kernels.h"
#include "tosst/local.h"

enum
{
  BLOCK = 2048,      /* vectors summed in float32 */
  PADDING = 16,      /* floats that kernels may read past the last vector */
  ACCUMULATED = 256, /* vectors converted to double at a time, second order */
};

static int
cell (double position, int cells)
{
  int at = (int)floor (position * cells);

  return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

void
tosst_spatial_code (double x, double y, float weight, float *code)
{
  memset (code, 0, TOSST_SPATIAL_LENGTH * sizeof *code);
  code[0] = weight;
  code[1 + cell (y, 3)] = weight;
  code[4 + cell (x, 3)] = weight;
  code[7 + 2 * cell (y, 2) + cell (x, 2)] = weight;
}

int
tosst_local_dimension (const TosstLocalEncoding *self)
{
  return self->q + (self->weight != 0 ? TOSST_SPATIAL_LENGTH : 0);
}

TosstShape
tosst_local_shape (const TosstLocalEncoding *self)
{
  return tosst_shape (self->order == 2 ? TOSST_SHAPE_SYMMETRIC : TOSST_SHAPE_SUPER_SYMMETRIC,
                      tosst_local_dimension (self));
}

/* The bands and quarters cut an image at 1/3, 1/2 and 2/3 in x and y: vectors of one of these parts have one code. */
#define CUTS 4
#define PARTS (CUTS * CUTS)

static int
cut (double position)
{
  return cell (position, 3) + cell (position, 2);
}

/* Buffers of one image. */
typedef struct
{
  const TosstLocalEncoding *encoding;
  TosstRegion region;
  float *basis;    /* D x q, or NULL */
  float *features; /* BLOCK x D: normalised and centred */
  float *vectors;  /* BLOCK x stride */
  size_t *index;   /* BLOCK: features in the block */
  int *part;       /* BLOCK */
  size_t count;
  TosstMemory memory;
} Block;

static bool
block_init (Block *self, const TosstLocalEncoding *encoding, const TosstRegion *region)
{
  size_t D = (size_t)encoding->D, q = (size_t)encoding->q;
  TosstMemory *memory = &self->memory;

  *self = (Block){ .encoding = encoding, .region = { 0, 0, 1, 1 } };
  if (region)
    self->region = *region;
  self->features = tosst_keep (memory, malloc (BLOCK * D * sizeof *self->features));
  self->vectors = tosst_keep (memory, calloc (BLOCK * (q + TOSST_SPATIAL_LENGTH) + PADDING, sizeof *self->vectors));
  self->index = tosst_keep (memory, malloc (2 * BLOCK * sizeof *self->index));
  self->part = tosst_keep (memory, malloc (2 * BLOCK * sizeof *self->part));
  if (encoding->basis)
    {
      self->basis = tosst_keep (memory, malloc (D * q * sizeof *self->basis));
      for (size_t i = 0; self->basis && i < D * q; i++)
        self->basis[i] = (float)encoding->basis[i];
    }
  return !memory->failed;
}

/* Position relative to the region; false if outside. */
static bool
locate (const TosstRegion *region, const double *xy, double *x, double *y)
{
  *x = (xy[0] - region->left) / (region->right - region->left);
  *y = (xy[1] - region->top) / (region->bottom - region->top);
  return xy[0] >= region->left && xy[0] <= region->right && xy[1] >= region->top && xy[1] <= region->bottom;
}

/* Takes the features from *next on that are inside the region, at most BLOCK. */
static void
choose_features (Block *self, const double *xy, size_t n, size_t *next)
{
  double x = 0, y = 0;

  self->count = 0;
  for (; *next < n && self->count < BLOCK; ++*next)
    if (!xy || locate (&self->region, xy + 2 * *next, &x, &y))
      {
        self->index[self->count] = *next;
        self->part[self->count++] = CUTS * cut (y) + cut (x);
      }
}

/* Orders the features of the block by their parts; start: PARTS + 1 values. */
static void
sort_by_part (Block *self, size_t *start)
{
  size_t next[PARTS], *sorted = self->index + BLOCK;

  memset (start, 0, (PARTS + 1) * sizeof *start);
  for (size_t r = 0; r < self->count; r++)
    start[self->part[r] + 1]++;
  for (int c = 0; c < PARTS; c++)
    {
      next[c] = start[c];
      start[c + 1] += start[c];
    }
  for (size_t r = 0; r < self->count; r++)
    sorted[next[self->part[r]]++] = self->index[r];
  memcpy (self->index, sorted, self->count * sizeof *sorted);
}

static double
scale_of (const float *x, int D, TosstNormalise normalise)
{
  double sum = 0;

  for (int i = 0; i < D; i++)
    sum += normalise == TOSST_NORMALISE_L2 ? (double)x[i] * x[i] : fabs ((double)x[i]);
  return sum == 0 ? 0 : normalise == TOSST_NORMALISE_L2 ? 1 / sqrt (sum) : 1 / sum;
}

static void
load_feature (const TosstLocalEncoding *encoding, const float *x, float *to)
{
  int D = encoding->D;

  if (encoding->normalise == TOSST_NORMALISE_NONE)
    memcpy (to, x, (size_t)D * sizeof *to);
  else
    {
      double scale = scale_of (x, D, encoding->normalise);
      for (int i = 0; i < D; i++)
        to[i] = encoding->normalise == TOSST_NORMALISE_L2 ? (float)(x[i] * scale)
                                                          : (float)copysign (sqrt (fabs (x[i]) * scale), x[i]);
    }
  for (int i = 0; encoding->mean && i < D; i++)
    to[i] = (float)(to[i] - encoding->mean[i]);
}

/* Computes the components of the features of the block, stride values apart. */
static void
project (Block *self, const float *x, size_t stride)
{
  const TosstLocalEncoding *encoding = self->encoding;
  size_t D = (size_t)encoding->D;

  for (size_t r = 0; r < self->count; r++)
    load_feature (encoding, x + self->index[r] * D, self->basis ? self->features + r * D : self->vectors + r * stride);
  if (self->basis && self->count > 0)
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)self->count, encoding->q, encoding->D, 1,
                 self->features, encoding->D, self->basis, encoding->q, 0, self->vectors, (int)stride);
}

/* Computes the vectors of the block in the order of the features, d values each. */
static void
fill_vectors (Block *self, const float *x, const double *xy, size_t n, size_t *next)
{
  const TosstLocalEncoding *encoding = self->encoding;
  size_t d = (size_t)tosst_local_dimension (encoding);

  choose_features (self, xy, n, next);
  project (self, x, d);
  for (size_t r = 0; encoding->weight != 0 && r < self->count; r++)
    {
      double across, down;
      locate (&self->region, xy + 2 * self->index[r], &across, &down);
      tosst_spatial_code (across, down, (float)encoding->weight, self->vectors + r * d + encoding->q);
    }
}

/* Whether features without positions can be encoded. */
static bool
is_placed (const TosstLocalEncoding *encoding, const double *xy, const TosstRegion *region)
{
  return xy || (encoding->weight == 0 && !region);
}

TosstStatus
tosst_local_vectors (const TosstLocalEncoding *encoding, const float *x, const double *xy, size_t n, float *v)
{
  TOSST_REQUIRE (NULL, encoding && (n == 0 || (x && v)));
  if (!is_placed (encoding, xy, NULL))
    return TOSST_ERROR_ARGUMENT;
  size_t d = (size_t)tosst_local_dimension (encoding);
  Block block;
  TosstStatus status = block_init (&block, encoding, NULL) ? TOSST_OK : TOSST_ERROR_MEMORY;

  for (size_t next = 0; status == TOSST_OK && next < n; v += block.count * d)
    {
      fill_vectors (&block, x, xy, n, &next);
      memcpy (v, block.vectors, block.count * d * sizeof *v);
    }
  tosst_release (&block.memory);
  return status;
}

/* sum (d x d, lower triangle) += V'V in double. */
static void
add_squares (const Block *block, int d, double *chunk, double *sum)
{
  size_t width = (size_t)d;

  for (size_t first = 0; first < block->count; first += ACCUMULATED)
    {
      size_t rows = block->count - first < ACCUMULATED ? block->count - first : ACCUMULATED;
      for (size_t i = 0; i < rows * width; i++)
        chunk[i] = block->vectors[first * width + i];
      cblas_dsyrk (CblasRowMajor, CblasLower, CblasTrans, d, (int)rows, 1, chunk, d, 1, sum, d);
    }
}

static TosstStatus
sum_squares (Block *block, const float *x, const double *xy, size_t n, float *tensor, size_t *used)
{
  size_t d = (size_t)tosst_local_dimension (block->encoding), next = 0;
  double *sum = calloc (d * d + ACCUMULATED * d, sizeof *sum);

  if (!sum)
    return TOSST_ERROR_MEMORY;
  while (next < n)
    {
      fill_vectors (block, x, xy, n, &next);
      add_squares (block, (int)d, sum + d * d, sum);
      *used += block->count;
    }
  for (size_t i = 0; i<d && * used> 0; i++)
    for (size_t j = i; j < d; j++)
      *tensor++ = (float)(sum[j * d + i] / (double)*used);
  free (sum);
  return TOSST_OK;
}

/* Sums of the components u (length q) of an image. The spatial code is constant in each part of the image, so that the
 * entries with its indices are moments of the parts of lower order:
 *     X_ijk     = sum u_i u_j u_k
 *     X_ij,q+a  = w   sum_c code_a S_ij                          S, s, n: second and first moment and number
 *     X_i,q+a,b = w^2 sum_c code_a code_b s_i                    of the vectors in part c */
typedef struct
{
  double *cubes;         /* packed, side q */
  double *squares;       /* PARTS x q x q, lower triangles */
  double *sums;          /* PARTS x q */
  double numbers[PARTS]; /* of vectors */
  float *packed;         /* sums of a block */
  float *square;         /* q x q */
  void *work;
  TosstMemory memory;
} Moments;

static bool
moments_init (Moments *self, size_t q)
{
  size_t m = tosst_packed_size ((int)q);
  TosstMemory *memory = &self->memory;

  *self = (Moments){ 0 };
  self->cubes = tosst_keep (memory, calloc (m, sizeof *self->cubes));
  self->squares = tosst_keep (memory, calloc (PARTS * q * q, sizeof *self->squares));
  self->sums = tosst_keep (memory, calloc (PARTS * q, sizeof *self->sums));
  self->packed = tosst_keep (memory, malloc (m * sizeof *self->packed));
  self->square = tosst_keep (memory, malloc (q * q * sizeof *self->square));
  self->work = tosst_keep (memory, tosst_alloc_aligned (1, tosst_third_order_work ((int)q, sizeof (float))));
  return !memory->failed;
}

/* Adds count vectors of one part to its second and first moment. */
static void
add_part (Moments *self, size_t q, int part, const float *vectors, size_t count)
{
  double *squares = self->squares + (size_t)part * q * q, *sums = self->sums + (size_t)part * q;

  if (count == 0)
    return;
  cblas_ssyrk (CblasRowMajor, CblasLower, CblasTrans, (int)q, (int)count, 1, vectors, (int)q, 0, self->square, (int)q);
  for (size_t i = 0; i < q; i++)
    for (size_t j = 0; j <= i; j++)
      squares[i * q + j] += self->square[i * q + j];
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < q; i++)
      sums[i] += vectors[r * q + i];
  self->numbers[part] += (double)count;
}

static void
add_block (Moments *self, Block *block, const float *x)
{
  size_t q = (size_t)block->encoding->q, m = tosst_packed_size ((int)q), start[PARTS + 1];

  sort_by_part (block, start);
  project (block, x, q);
  tosst_kernels ()->third_order_float (block->vectors, block->count, (int)q, (int)q, self->work, self->packed);
  for (size_t i = 0; i < m; i++)
    self->cubes[i] += self->packed[i];
  for (int c = 0; c < PARTS && block->encoding->weight != 0; c++)
    add_part (self, q, c, block->vectors + start[c] * q, start[c + 1] - start[c]);
}

/* Sum over the parts whose codes contain a, b and c of values that are `stride` apart. */
static double
sum_parts (const float codes[PARTS][TOSST_SPATIAL_LENGTH], int a, int b, int c, const double *values, size_t stride)
{
  double sum = 0;

  for (size_t part = 0; part < PARTS; part++)
    if (codes[part][a] != 0 && codes[part][b] != 0 && codes[part][c] != 0)
      sum += values[part * stride];
  return sum;
}

/* Writes the entries i <= j <= k, with spatial indices from q on. */
static void
assemble (const Moments *self, const TosstLocalEncoding *encoding, double scale, float *tensor)
{
  int q = encoding->q, d = tosst_local_dimension (encoding);
  size_t width = (size_t)q;
  const double *cubes = self->cubes;
  double w = encoding->weight;
  static const double middle[CUTS] = { 1.0 / 6, 5.0 / 12, 7.0 / 12, 5.0 / 6 };
  float codes[PARTS][TOSST_SPATIAL_LENGTH];

  for (int part = 0; part < PARTS; part++)
    tosst_spatial_code (middle[part % CUTS], middle[part / CUTS], 1, codes[part]);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        {
          double value;
          if (k < q)
            value = *cubes++;
          else if (j < q)
            value = w
                    * sum_parts (codes, k - q, k - q, k - q, self->squares + (size_t)j * width + (size_t)i,
                                 width * width);
          else if (i < q)
            value = w * w * sum_parts (codes, j - q, k - q, k - q, self->sums + i, width);
          else
            value = w * w * w * sum_parts (codes, i - q, j - q, k - q, self->numbers, 1);
          *tensor++ = (float)(value * scale);
        }
}

static TosstStatus
sum_cubes (Block *block, const float *x, const double *xy, size_t n, float *tensor, size_t *used)
{
  Moments moments;
  TosstStatus status = moments_init (&moments, (size_t)block->encoding->q) ? TOSST_OK : TOSST_ERROR_MEMORY;

  for (size_t next = 0; status == TOSST_OK && next < n; *used += block->count)
    {
      choose_features (block, xy, n, &next);
      add_block (&moments, block, x);
    }
  if (status == TOSST_OK && *used > 0)
    assemble (&moments, block->encoding, 1 / (double)*used, tensor);
  tosst_release (&moments.memory);
  return status;
}

TosstStatus
tosst_local_tensor (const TosstLocalEncoding *encoding, const float *x, const double *xy, size_t n,
                    const TosstRegion *region, float *tensor, size_t *used)
{
  TOSST_REQUIRE (NULL, encoding && x && tensor);
  size_t D = (size_t)encoding->D, count = 0;
  float probe = 0;
  TosstStatus status = TOSST_ERROR_MEMORY;
  Block block;

  if (!is_placed (encoding, xy, region))
    return TOSST_ERROR_ARGUMENT;
  /* Zero times a finite value is zero; otherwise the sum is NaN. */
  for (size_t i = 0; i < n * D; i++)
    probe += x[i] * 0.0f;
  if (probe != 0.0f)
    return TOSST_ERROR_NUMERIC;
  if (block_init (&block, encoding, region))
    status = (encoding->order == 2 ? sum_squares : sum_cubes) (&block, x, xy, n, tensor, &count);
  tosst_release (&block.memory);
  if (used)
    *used = count;
  return status == TOSST_OK && count == 0 ? TOSST_ERROR_ARGUMENT : status;
}

/* Multiplicity of entry i <= j <= k. */
static double
repeated (int i, int j, int k)
{
  return i == k ? 1 : i == j || j == k ? 3 : 6;
}

static double
square_norm (const TosstLayout *layout, const float *tensor)
{
  bool cubic = layout->shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC || layout->shape.kind == TOSST_SHAPE_WHOLE;
  double sum = 0;

  for (int i = 0; i < layout->d; i++)
    for (int j = i; j < layout->d; j++)
      for (int k = cubic ? j : layout->d - 1; k < layout->d; k++, tensor++)
        sum += (cubic ? repeated (i, j, k) : i == j ? 1 : 2) * (double)*tensor * *tensor;
  return sum;
}

double
tosst_tensor_normalise (const TosstLayout *layout, float *tensor)
{
  double norm = sqrt (square_norm (layout, tensor));

  for (size_t i = 0; norm > 0 && i < layout->m; i++)
    tensor[i] = (float)(tensor[i] / norm);
  return norm;
}
