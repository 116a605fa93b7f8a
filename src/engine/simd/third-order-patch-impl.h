/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch whose feature vectors are (p(x), p(y), g), with p(x) and p(y) the position features of
 * column and row, the same in all patches, and g (n numbers) those of the pixel. With the sums
 *     U_x = sum_y u,   U_y = sum_x u,   u = all pairs g_j g_k, and all g_k
 * entries with a position feature are small products over one side of the patch, and only sum g g g is one over all
 * pixels:
 *     p_i(x) g_j g_k        sum_x p_i(x) U_x[jk]
 *     p_i(x) p_j(x) g_k     sum_x p_i(x) p_j(x) U_x[k]        the same with y
 *     p_i(x) p_j(y) g_k     sum_y p_j(y) (sum_x p_i(x) g_k)
 * and those of position features alone are products of moments of p. After simd/third-order-impl.h.
 */

#define LANES ((size_t)VECTOR_BYTES / sizeof (float))
#define CHUNK 10 /* pixels whose u stay in the first-level cache */

/* Rows of sums are `stride` numbers apart: pairs, then single features from `pairs` on. */
typedef struct
{
  size_t pairs, singles, stride, cross, squares; /* cross: P singles. squares: P (P + 1) / 2 */
  float *u;                                      /* CHUNK rows */
  float *sum_x, *sum_y;                          /* size rows */
  float *ggg;                                    /* n rows */
  float *xgg, *ygg;                              /* P rows */
  float *xxg, *yyg;                              /* squares rows of singles */
  float *row;                                    /* size x cross: sum_x p_i(x) g_k of each row */
  float *xyg;                                    /* P x cross: p_j(y) above, p_i(x) g_k across */
  size_t numbers;                                /* of all */
} PatchSums;

static PatchSums
patch_sums (const TosstPatchShape *shape, float *memory)
{
  size_t n = shape->features, P = shape->position, size = shape->size, squares = P * (P + 1) / 2;
  PatchSums s = { .pairs = (n * (n + 1) / 2 + LANES - 1) / LANES * LANES,
                  .singles = (n + LANES - 1) / LANES * LANES,
                  .cross = (n + LANES - 1) / LANES * LANES * P,
                  .squares = squares };
  size_t at = 0, stride = s.stride = s.pairs + s.singles;
  s.sum_x = memory;
  s.sum_y = memory + (at += size * stride);
  s.ggg = memory + (at += size * stride);
  s.xgg = memory + (at += n * stride);
  s.ygg = memory + (at += P * stride);
  s.xxg = memory + (at += P * stride);
  s.yyg = memory + (at += squares * s.singles);
  s.row = memory + (at += squares * s.singles);
  s.xyg = memory + (at += size * s.cross);
  s.u = memory + (at += P * s.cross);
  s.numbers = at + CHUNK * stride;
  return s;
}

static size_t
third_order_patch_work (const TosstPatchShape *shape)
{
  static float none;
  return patch_sums (shape, &none).numbers * sizeof (float);
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

/* u of the pixels of a chunk, which begins at (x, y), and its sums. */
static void
add_pixels (const PatchSums *s, const float *g, int n, size_t pixels, size_t x, size_t y)
{
  float *sum_x = s->sum_x + x * s->stride, *sum_y = s->sum_y + y * s->stride;
  size_t pairs = (size_t)n * (n + 1) / 2;
  for (size_t r = 0; r < pixels; r++)
    {
      float *u = s->u + r * s->stride;
      third_order_pairs_float (g + r * n, n, pairs, s->pairs, u);
      *(Vector_float *)(u + s->stride - LANES) = (Vector_float){ 0 };
      for (int k = 0; k < n; k++)
        u[s->pairs + k] = g[r * n + k];
    }
  for (size_t v = 0; v < s->stride; v += LANES)
    {
      Vector_float sum = { 0 };
      const float *from = s->u + v;
      float *to = sum_x + v;
      if (x > 0)
        sum = *(Vector_float *)(sum_y + v);
      for (size_t r = 0; r < pixels; r++, from += s->stride, to += s->stride)
        {
          Vector_float u = *(const Vector_float *)from;
          sum += u;
          if (y > 0)
            u += *(const Vector_float *)to;
          *(Vector_float *)to = u;
        }
      *(Vector_float *)(sum_y + v) = sum;
    }
}

/* Rows i of the packed tensor that belong to p(x). moments: of p over one side, first to third. */
static float *
pack_columns (const TosstPatchShape *shape, const PatchSums *s, const float *moments, float *packed)
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
          memcpy (packed, s->xxg + square * s->singles, sizeof *packed * n);
          packed += n;
        }
      for (int j = 0, other = 0; j < P; j++)
        {
          for (int k = j; k < P; k++, other++)
            *packed++ = moments[i] * squares[other];
          memcpy (packed, s->xyg + j * s->cross + i * s->singles, sizeof *packed * n);
          packed += n;
        }
      memcpy (packed, s->xgg + i * s->stride, sizeof *packed * pairs);
      packed += pairs;
    }
  return packed;
}

/* Those of p(y). */
static float *
pack_rows (const TosstPatchShape *shape, const PatchSums *s, const float *moments, float *packed)
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
          memcpy (packed, s->yyg + square * s->singles, sizeof *packed * n);
          packed += n;
        }
      memcpy (packed, s->ygg + i * s->stride, sizeof *packed * pairs);
      packed += pairs;
    }
  return packed;
}

static void
third_order_patch (const TosstPatchShape *shape, const float *pixels, const float *p, void *work, float *packed)
{
  PatchSums s = patch_sums (shape, work);
  int n = shape->features, P = shape->position;
  size_t size = shape->size;
  const float *square = p + size * P, *moments = square + size * s.squares;

  /* The first sums of u are stored, all others are added to zeros. */
  memset (s.ggg, 0, sizeof *packed * (s.u - s.ggg));
  for (size_t y = 0; y < size; y++)
    for (size_t x = 0; x < size; x += CHUNK)
      {
        const float *g = pixels + y * shape->row + x * n;
        size_t count = size - x < CHUNK ? size - x : CHUNK;
        add_pixels (&s, g, n, count, x, y);
        third_order_chunk_float (s.u, s.stride, s.pairs, g, n, n, count, s.ggg);
        third_order_all (s.u + s.pairs, s.stride, s.singles, p + x * P, P, count, P, s.row + y * s.cross, s.singles);
      }
  third_order_all (s.sum_x, s.stride, s.pairs, p, P, size, P, s.xgg, s.stride);
  third_order_all (s.sum_y, s.stride, s.pairs, p, P, size, P, s.ygg, s.stride);
  third_order_all (s.sum_x + s.pairs, s.stride, s.singles, square, (int)s.squares, size, (int)s.squares, s.xxg,
                   s.singles);
  third_order_all (s.sum_y + s.pairs, s.stride, s.singles, square, (int)s.squares, size, (int)s.squares, s.yyg,
                   s.singles);
  third_order_all (s.row, s.cross, s.cross, p, P, size, P, s.xyg, s.cross);

  packed = pack_columns (shape, &s, moments, packed);
  packed = pack_rows (shape, &s, moments, packed);
  third_order_pack_float (s.ggg, s.stride, n, packed);
}

#undef LANES
#undef CHUNK
