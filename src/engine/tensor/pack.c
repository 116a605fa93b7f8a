/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors as arrays with all entries, which is how other programs have them.
 */
#include "tosst/tensor.h"

#include <math.h>

/* Array elements that share one stored value, at most the six permutations of (i, j, k). */
typedef struct
{
  size_t at[6];
  int count;
} Orbit;

static bool
is_second_order (TosstShape shape)
{
  return shape.kind == TOSST_SHAPE_SYMMETRIC;
}

size_t
tosst_shape_full_numbers (TosstShape shape)
{
  size_t matrix = (size_t)shape.d1 * shape.d2;
  return is_second_order (shape) ? matrix : matrix * shape.d3;
}

static void
add (Orbit *orbit, size_t at)
{
  for (int i = 0; i < orbit->count; i++)
    if (orbit->at[i] == at)
      return;
  orbit->at[orbit->count++] = at;
}

/* The elements equal to (i, j, k), i <= j <= k; of a matrix (i, j). */
static Orbit
orbit_of (TosstShape shape, size_t i, size_t j, size_t k)
{
  size_t d = shape.d1;
  Orbit orbit = { .count = 0 };
  if (is_second_order (shape))
    {
      add (&orbit, i * d + j);
      add (&orbit, j * d + i);
      return orbit;
    }
  const size_t triple[6][3] = { { i, j, k }, { i, k, j }, { j, i, k }, { j, k, i }, { k, i, j }, { k, j, i } };
  for (int p = 0; p < 6; p++)
    add (&orbit, (triple[p][0] * d + triple[p][1]) * d + triple[p][2]);
  return orbit;
}

/* Moves (i, j, k) to the next stored value, in lexicographic order of i <= j <= k; a matrix has k = 0. */
static void
advance (TosstShape shape, size_t *i, size_t *j, size_t *k)
{
  size_t d = shape.d1;
  if (!is_second_order (shape) && ++*k < d)
    return;
  if (++*j == d)
    *j = ++*i;
  if (!is_second_order (shape))
    *k = *j;
}

/* A general tensor has no equal entries. */
static Orbit
orbit_at (TosstShape shape, size_t p, size_t i, size_t j, size_t k)
{
  return shape.kind == TOSST_SHAPE_GENERAL ? (Orbit){ { p }, 1 } : orbit_of (shape, i, j, k);
}

/* Both directions for one type of numbers. */
#define CONVERSIONS(Number, pack, unpack)                                                                              \
  double pack (TosstShape shape, const Number *full, size_t n, Number *packed)                                         \
  {                                                                                                                    \
    size_t m = tosst_shape_numbers (shape), all = tosst_shape_full_numbers (shape);                                    \
    double worst = 0;                                                                                                  \
    for (size_t t = 0; t < n; t++, full += all, packed += m)                                                           \
      for (size_t p = 0, i = 0, j = 0, k = 0; p < m; p++, advance (shape, &i, &j, &k))                                 \
        {                                                                                                              \
          Orbit orbit = orbit_at (shape, p, i, j, k);                                                                  \
          double first = full[orbit.at[0]], change = 0;                                                                \
          for (int q = 1; q < orbit.count; q++)                                                                        \
            change += (full[orbit.at[q]] - first) / orbit.count;                                                       \
          packed[p] = (Number)(first + change);                                                                        \
          for (int q = 0; q < orbit.count; q++)                                                                        \
            worst = fmax (worst, fabs ((double)full[orbit.at[q]] - packed[p]));                                        \
        }                                                                                                              \
    return worst;                                                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  void unpack (TosstShape shape, const Number *packed, size_t n, Number *full)                                         \
  {                                                                                                                    \
    size_t m = tosst_shape_numbers (shape), all = tosst_shape_full_numbers (shape);                                    \
    for (size_t t = 0; t < n; t++, full += all, packed += m)                                                           \
      for (size_t p = 0, i = 0, j = 0, k = 0; p < m; p++, advance (shape, &i, &j, &k))                                 \
        {                                                                                                              \
          Orbit orbit = orbit_at (shape, p, i, j, k);                                                                  \
          for (int q = 0; q < orbit.count; q++)                                                                        \
            full[orbit.at[q]] = packed[p];                                                                             \
        }                                                                                                              \
  }

CONVERSIONS (float, tosst_pack, tosst_unpack)
CONVERSIONS (double, tosst_pack_double, tosst_unpack_double)
