/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch whose feature vectors are (p(x), p(y), g), with p(x) and p(y) the position features of
 * column and row, the same in all patches, and g the n features of the pixel. With the sums
 *     U_x = sum_y u,   U_y = sum_x u,   u = all pairs g_j g_k, and all g_k
 * entries with a position feature are small products over one side of the patch, and only sum g g g is one over all
 * pixels:
 *     p_i(x) g_j g_k        sum_x p_i(x) U_x[jk]
 *     p_i(x) p_j(x) g_k     sum_x p_i(x) p_j(x) U_x[k]        the same with y
 *     p_i(x) p_j(y) g_k     sum_y p_j(y) (sum_x p_i(x) g_k)
 * and those of position features alone are products of moments of p. After simd/third-order-impl.h.
 *
 * A patch is the sum of an upper and a lower half, and a half the sum of a left and a right quarter. Overlapping
 * patches share them; the result does not depend on sharing. A quarter consists of U_x, U_y and sum g g g, which do
 * not depend on its position in a patch; a half of all sums over x.
 */

#define LANES ((size_t)VECTOR_BYTES / sizeof (float))

/* Rows of sums are `stride` values apart: pairs, then single features from `pairs` on. */
typedef struct
{
  size_t n, P;
  size_t pairs, singles, stride, cross, squares; /* cross: P singles. squares: P (P + 1) / 2 */
  size_t packed;                                 /* all triples of g, and one register */
  size_t left, top; /* columns of the left quarters and rows of the upper half: half of the size, rounded up */
} PatchSizes;

typedef struct
{
  float *ggg;   /* n rows */
  float *sum_x; /* one row per column of pixels */
  float *sum_y;
  size_t numbers;
} PatchQuarter;

typedef struct
{
  float *ggg; /* packed */
  float *xgg; /* P rows */
  float *xxg; /* squares rows of singles */
  float *sum_y;
  float *row; /* rows x cross: sum_x p_i(x) g_k of each row */
  size_t numbers;
} PatchHalf;

/* Workspace of one patch, not shared. */
typedef struct
{
  float *u;   /* PATCH_CHUNK rows */
  float *xgg; /* P rows */
  float *ygg; /* P rows */
  float *xxg; /* squares rows of singles */
  float *yyg;
  float *xyg; /* P x cross: row p_j(y), column p_i(x) g_k */
  size_t numbers;
} PatchRest;

static size_t
patch_up (size_t n)
{
  return (n + LANES - 1) / LANES * LANES;
}

static PatchSizes
patch_sizes (const TosstPatchShape *shape)
{
  size_t n = shape->features, P = shape->position, longer = ((size_t)shape->size + 1) / 2;
  PatchSizes s = { .n = n,
                   .P = P,
                   .pairs = patch_up (n * (n + 1) / 2),
                   .singles = patch_up (n),
                   .cross = patch_up (n) * P,
                   .squares = P * (P + 1) / 2,
                   .packed = patch_up (n * (n + 1) * (n + 2) / 6) + LANES,
                   .left = longer,
                   .top = longer };
  s.stride = s.pairs + s.singles;
  return s;
}

static PatchQuarter
patch_quarter (const PatchSizes *s, float *memory)
{
  PatchQuarter quarter = { .ggg = memory, .sum_x = memory + s->n * s->stride };
  quarter.sum_y = quarter.sum_x + s->left * s->stride;
  quarter.numbers = (s->n + s->left + s->top) * s->stride;
  return quarter;
}

static PatchHalf
patch_half (const PatchSizes *s, float *memory)
{
  size_t at = 0;
  PatchHalf half = { .ggg = memory };
  half.xgg = memory + (at += s->packed);
  half.xxg = memory + (at += s->P * s->stride);
  half.sum_y = memory + (at += s->squares * s->singles);
  half.row = memory + (at += s->top * s->stride);
  half.numbers = at + s->top * s->cross;
  return half;
}

static PatchRest
patch_rest (const PatchSizes *s, float *memory)
{
  size_t at = 0;
  PatchRest rest = { .u = memory };
  rest.xgg = memory + (at += PATCH_CHUNK * s->stride);
  rest.ygg = memory + (at += s->P * s->stride);
  rest.xxg = memory + (at += s->P * s->stride);
  rest.yyg = memory + (at += s->squares * s->singles);
  rest.xyg = memory + (at += s->squares * s->singles);
  rest.numbers = at + s->P * s->cross;
  return rest;
}

/* Sizes in bytes, multiples of the register width. */
static TosstPatchBytes
third_order_bytes (const TosstPatchShape *shape)
{
  static float none;
  PatchSizes s = patch_sizes (shape);
  return (TosstPatchBytes){ .quarter = patch_quarter (&s, &none).numbers * sizeof (float),
                            .half = patch_half (&s, &none).numbers * sizeof (float),
                            .work = patch_rest (&s, &none).numbers * sizeof (float) };
}

/* third_order_product_float() for any number of features. */
static void
third_order_all (const float *z, size_t stride, size_t pairs, const float *x, int ld, size_t pixels, int rows,
                 float *out, size_t to)
{
  for (int i = 0; i < rows; i += THIRD_ROWS)
    third_order_product_float (z, stride, pairs, x + i, ld, pixels, rows - i < THIRD_ROWS ? rows - i : THIRD_ROWS,
                               out + i * to, to);
}

/* Computes u of consecutive pixels. */
static void
patch_fill (const PatchSizes *s, const float *g, size_t pixels, float *u)
{
  size_t pairs = s->n * (s->n + 1) / 2;
  for (size_t r = 0; r < pixels; r++, g += s->n, u += s->stride)
    {
      third_order_pairs_float (g, (int)s->n, 0, (int)s->n, pairs, s->pairs, u);
      *(Vector_float *)(u + s->stride - LANES) = (Vector_float){ 0 };
      memcpy (u + s->pairs, g, s->n * sizeof *g);
    }
}

/* Adds u of a chunk, whose first pixel is (x, y), to its sums; the first contribution is stored instead of added. */
static void
patch_sum (const PatchSizes *s, const PatchQuarter *quarter, const float *chunk, size_t x, size_t y, size_t columns,
           size_t rows)
{
  for (size_t v = 0; v < s->stride; v += LANES)
    {
      const float *from = chunk + v;
      for (size_t b = y; b < y + rows; b++)
        {
          float *sum_y = quarter->sum_y + b * s->stride + v, *to = quarter->sum_x + x * s->stride + v;
          Vector_float sum = x > 0 ? *(Vector_float *)sum_y : (Vector_float){ 0 };
          for (size_t a = 0; a < columns; a++, from += s->stride, to += s->stride)
            {
              Vector_float u = *(const Vector_float *)from;
              sum += u;
              if (b > 0)
                u += *(const Vector_float *)to;
              *(Vector_float *)to = u;
            }
          *(Vector_float *)sum_y = sum;
        }
    }
}

/* Zeroes the elements to which products are added: from the first pair of each block of rows on. */
static void
patch_clear (const PatchSizes *s, float *ggg)
{
  for (size_t i = 0; i < s->n; i++)
    {
      size_t first = i / THIRD_ROWS * THIRD_ROWS;
      size_t from = (first * s->n - first * (first - 1) / 2) / LANES * LANES;
      memset (ggg + i * s->stride + from, 0, (s->pairs - from) * sizeof *ggg);
    }
}

/* A chunk is a part of one row of pixels, all parts of about equal length, or a number of whole rows. */
static void
third_order_quarter (const TosstPatchShape *shape, int width, int height, const float *pixels, void *work, float *out)
{
  PatchSizes s = patch_sizes (shape);
  PatchQuarter quarter = patch_quarter (&s, out);
  float *u = patch_rest (&s, work).u;
  size_t parts = ((size_t)width + PATCH_CHUNK - 1) / PATCH_CHUNK, columns = ((size_t)width + parts - 1) / parts,
         rows = PATCH_CHUNK / columns;

  patch_clear (&s, quarter.ggg);
  for (size_t y = 0; y < (size_t)height; y += rows)
    for (size_t x = 0; x < (size_t)width; x += columns)
      {
        size_t across = (size_t)width - x < columns ? (size_t)width - x : columns,
               down = (size_t)height - y < rows ? (size_t)height - y : rows;
        for (size_t r = 0; r < down; r++)
          patch_fill (&s, pixels + (y + r) * shape->row + x * s.n, across, u + r * across * s.stride);
        patch_sum (&s, &quarter, u, x, y, across, down);
        third_order_chunk_float (u, s.stride, s.pairs, u + s.pairs, (int)s.n, 0, (int)s.n, (int)s.stride, across * down,
                                 quarter.ggg);
      }
}

/* Concatenates the suffixes of the sum of two quarters. Elements written past the end of a row are overwritten by
 * the next row. */
static void
patch_pack_sum (const PatchSizes *s, const float *left, const float *right, float *packed)
{
  size_t pairs = s->n * (s->n + 1) / 2, from = 0;
  for (size_t i = 0; i < s->n; i++, left += s->stride, right += s->stride)
    {
      for (size_t p = from; p < pairs; p += LANES)
        {
          Vector_float a, b;
          memcpy (&a, left + p, sizeof a);
          memcpy (&b, right + p, sizeof b);
          a += b;
          memcpy (packed + p - from, &a, sizeof a);
        }
      packed += pairs - from;
      from += s->n - i;
    }
}

/* sum_x p_i(x) g_k of one row of pixels, k in registers that may extend into the next pixel. */
static void
patch_cross (const PatchSizes *s, const float *g, const float *p, size_t columns, float *out)
{
  for (size_t i = 0; i < s->P; i++)
    for (size_t k = 0; k < s->singles; k += 2 * LANES)
      {
        Vector_float sum[2] = { 0 };
        size_t some = s->singles - k < 2 * LANES ? 1 : 2;
        for (size_t x = 0; x < columns; x++)
          for (size_t v = 0; v < some; v++)
            {
              Vector_float a;
              memcpy (&a, g + x * s->n + k + v * LANES, sizeof a);
              sum[v] += p[x * s->P + i] * a;
            }
        for (size_t v = 0; v < some; v++)
          *(Vector_float *)(out + i * s->singles + k + v * LANES) = sum[v];
      }
}

static void
third_order_half (const TosstPatchShape *shape, int height, const float *pixels, const float *p, const float *left,
                  const float *right, float *out)
{
  PatchSizes s = patch_sizes (shape);
  PatchHalf half = patch_half (&s, out);
  const PatchQuarter side[2] = { patch_quarter (&s, (float *)left), patch_quarter (&s, (float *)right) };
  size_t size = shape->size, other = size - s.left;
  const float *square = p + size * s.P;

  patch_pack_sum (&s, side[0].ggg, side[1].ggg, half.ggg);
  memset (half.xgg, 0, (size_t)(half.sum_y - half.xgg) * sizeof *out);
  for (size_t q = 0, x = 0; q < 2; q++, x += s.left)
    {
      size_t columns = q == 0 ? s.left : other;
      third_order_all (side[q].sum_x, s.stride, s.pairs, p + x * s.P, (int)s.P, columns, (int)s.P, half.xgg, s.stride);
      third_order_all (side[q].sum_x + s.pairs, s.stride, s.singles, square + x * s.squares, (int)s.squares, columns,
                       (int)s.squares, half.xxg, s.singles);
    }
  for (size_t i = 0; i < (size_t)height * s.stride; i += LANES)
    *(Vector_float *)(half.sum_y + i)
        = *(const Vector_float *)(side[0].sum_y + i) + *(const Vector_float *)(side[1].sum_y + i);
  for (size_t y = 0; y < (size_t)height; y++)
    patch_cross (&s, pixels + y * shape->row, p, size, half.row + y * s.cross);
}

/* Writes rows i of the packed tensor that belong to p(x). moments: of p over one side, first to third. */
static float *
pack_columns (const TosstPatchShape *shape, const PatchSizes *s, const PatchRest *rest, const float *moments,
              float *packed)
{
  int P = shape->position, n = shape->features;
  size_t pairs = (size_t)n * (n + 1) / 2, square = 0;
  const float *squares = moments + P, *cubes = squares + s->squares;
  for (int i = 0; i < P; i++)
    {
      for (int j = i; j < P; j++, square++)
        {
          for (int k = j; k < P; k++)
            *packed++ = shape->size * *cubes++;
          for (int k = 0; k < P; k++)
            *packed++ = squares[square] * moments[k];
          memcpy (packed, rest->xxg + square * s->singles, sizeof *packed * n);
          packed += n;
        }
      for (int j = 0, other = 0; j < P; j++)
        {
          for (int k = j; k < P; k++, other++)
            *packed++ = moments[i] * squares[other];
          memcpy (packed, rest->xyg + j * s->cross + i * s->singles, sizeof *packed * n);
          packed += n;
        }
      memcpy (packed, rest->xgg + i * s->stride, sizeof *packed * pairs);
      packed += pairs;
    }
  return packed;
}

/* Writes the rows that belong to p(y). */
static float *
pack_rows (const TosstPatchShape *shape, const PatchSizes *s, const PatchRest *rest, const float *moments,
           float *packed)
{
  int P = shape->position, n = shape->features;
  size_t pairs = (size_t)n * (n + 1) / 2, square = 0;
  const float *cubes = moments + P + s->squares;
  for (int i = 0; i < P; i++)
    {
      for (int j = i; j < P; j++, square++)
        {
          for (int k = j; k < P; k++)
            *packed++ = shape->size * *cubes++;
          memcpy (packed, rest->yyg + square * s->singles, sizeof *packed * n);
          packed += n;
        }
      memcpy (packed, rest->ygg + i * s->stride, sizeof *packed * pairs);
      packed += pairs;
    }
  return packed;
}

/* Elementwise a + b. */
static void
patch_add (const float *a, const float *b, size_t numbers, float *out)
{
  size_t i = 0;
  for (; i + LANES <= numbers; i += LANES)
    {
      Vector_float sum = *(const Vector_float *)(a + i) + *(const Vector_float *)(b + i);
      memcpy (out + i, &sum, sizeof sum);
    }
  for (; i < numbers; i++)
    out[i] = a[i] + b[i];
}

static void
third_order_patch (const TosstPatchShape *shape, const float *p, const float *upper, const float *lower, void *work,
                   float *packed)
{
  PatchSizes s = patch_sizes (shape);
  PatchRest rest = patch_rest (&s, work);
  const PatchHalf half[2] = { patch_half (&s, (float *)upper), patch_half (&s, (float *)lower) };
  size_t size = shape->size;
  const float *square = p + size * s.P, *moments = square + size * s.squares;

  memset (rest.ygg, 0, (rest.numbers - (size_t)(rest.ygg - rest.u)) * sizeof *packed);
  patch_add (half[0].xgg, half[1].xgg, s.P * s.stride, rest.xgg);
  patch_add (half[0].xxg, half[1].xxg, s.squares * s.singles, rest.xxg);
  for (size_t h = 0, y = 0; h < 2; h++, y += s.top)
    {
      size_t rows = h == 0 ? s.top : size - s.top;
      third_order_all (half[h].sum_y, s.stride, s.pairs, p + y * s.P, (int)s.P, rows, (int)s.P, rest.ygg, s.stride);
      third_order_all (half[h].sum_y + s.pairs, s.stride, s.singles, square + y * s.squares, (int)s.squares, rows,
                       (int)s.squares, rest.yyg, s.singles);
      third_order_all (half[h].row, s.cross, s.cross, p + y * s.P, (int)s.P, rows, (int)s.P, rest.xyg, s.cross);
    }
  packed = pack_columns (shape, &s, &rest, moments, packed);
  packed = pack_rows (shape, &s, &rest, moments, packed);
  patch_add (half[0].ggg, half[1].ggg, s.n * (s.n + 1) * (s.n + 2) / 6, packed);
}

#undef LANES
