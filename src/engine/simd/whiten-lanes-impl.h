/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workspace of whitening in lanes (simd/whiten-impl.h), and conversions between its float and double registers.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (float)))

/* Pairs a <= b of LANES_TILE, and the index of one in lexicographic order. */
#define LANES_PAIRS (LANES_TILE * (LANES_TILE + 1) / 2)
#define WHITEN_BOTH(a, b) ((a) * (2 * LANES_TILE - (a)-1) / 2 + (b))

typedef float HalfVector __attribute__ ((vector_size (VECTOR_BYTES / 2)));
typedef int32_t HalfMask __attribute__ ((vector_size (VECTOR_BYTES / 2)));
typedef int32_t WhitenMask __attribute__ ((vector_size (VECTOR_BYTES)));

/* Matrices with one column per reflection of a block have rows of LANES_TILE. */
typedef struct
{
  Vector_float *X;      /* m + 1, the last zero */
  Vector_float *U;      /* pairs + LANES_TILE rows; rows beyond the pairs are read and not used */
  Vector_float *Y;      /* LANES_PAIRS x side: S, later Y */
  Vector_float *V;      /* side rows per block, zero above the block */
  Vector_float *T;      /* LANES_TILE rows per block */
  Vector_float *W;      /* side rows, current block */
  WhitenMask *holds;    /* side: mask of directions above rounding level */
  Vector_double *first; /* d + 1 values of both halves, interleaved: first reflection and its weight */
  Vector_double *wide;  /* WIDENED_PAIRS x side, zero beyond d */
  EigenLanes eigen[2];  /* one per half of the lanes */
} WhitenLanes;

static size_t
whiten_work (const TosstWhitenTables *tables)
{
  size_t side = tables->side, n = tables->d, tile = LANES_TILE;
  size_t floats = tables->m + 1 + (tables->pairs + tile) * tile + LANES_PAIRS * side + side * side + side * tile
                  + side * tile + side;
  return (floats + 4 * side * side + 12 * (n + 1) + WIDENED_PAIRS * side) * VECTOR_BYTES;
}

static WhitenLanes
whiten_lanes (const TosstWhitenTables *tables, void *memory)
{
  size_t side = tables->side, n = tables->d, tile = LANES_TILE;
  WhitenLanes work = { .X = memory };
  work.U = work.X + tables->m + 1;
  work.Y = work.U + (tables->pairs + tile) * tile;
  work.V = work.Y + LANES_PAIRS * side;
  work.T = work.V + side * side;
  work.W = work.T + side * tile;
  work.holds = (WhitenMask *)(work.W + side * tile);
  Vector_double *at = (Vector_double *)(work.holds + side);
  for (int half = 0; half < 2; half++)
    {
      EigenLanes *eigen = &work.eigen[half];
      *eigen = (EigenLanes){ .A = at, .V = at + side * side, .n = tables->d };
      eigen->a = eigen->V + side * side;
      eigen->b = eigen->a + n + 1;
      eigen->v = eigen->b + n + 1;
      eigen->w = eigen->v + n + 1;
      eigen->weight = eigen->w + n + 1;
      at = eigen->weight + n + 1;
    }
  work.first = at;
  work.wide = at + 2 * (n + 1);
  return work;
}

/* __builtin_convertvector() on these vectors compiles to conversions of quarters of a register. */
static inline Vector_double
whiten_widen (HalfVector x)
{
#if defined(__AVX512F__)
  return (Vector_double)_mm512_cvtps_pd ((__m256)x);
#elif defined(__AVX2__)
  return (Vector_double)_mm256_cvtps_pd ((__m128)x);
#else
  return __builtin_convertvector(x, Vector_double);
#endif
}

static inline HalfVector
whiten_narrow (Vector_double x)
{
#if defined(__AVX512F__)
  return (HalfVector)_mm512_cvtpd_ps ((__m512d)x);
#elif defined(__AVX2__)
  return (HalfVector)_mm256_cvtpd_ps ((__m256d)x);
#else
  return __builtin_convertvector(x, HalfVector);
#endif
}

static inline Vector_double
whiten_wide (const Vector_float *x, int half)
{
  return whiten_widen (((const HalfVector *)x)[half]);
}
