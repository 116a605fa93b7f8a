/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/base.h"
#include "tosst/tensor.h"

/* Tensors as arrays with all entries, which is how other programs have them. */

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

size_t
tosst_packed_size (int d)
{
  size_t n = d;
  return n * (n + 1) * (n + 2) / 6;
}

/* Largest d whose d(d+1)(d+2) is below 2^64. */
#define LARGEST_SIDE 2642244

int
tosst_packed_side (size_t m)
{
  int d = 0;
  while (d < LARGEST_SIDE && tosst_packed_size (d) < m)
    d++;
  return tosst_packed_size (d) == m ? d : 0;
}

size_t
tosst_packed_index (int d, int i, int j, int k)
{
  int swap;
  if (i > j)
    swap = i, i = j, j = swap;
  if (j > k)
    swap = j, j = k, k = swap;
  if (i > j)
    swap = i, i = j, j = swap;
  /* Triples before (i, ., .) are those of sides d - i + 1 .. d; then pairs of the remaining d - i values. */
  size_t before_i = tosst_packed_size (d) - tosst_packed_size (d - i);
  size_t r = d - i, q = j - i;
  size_t before_j = q * r - q * (q - 1) / 2;
  return before_i + before_j + (k - j);
}

TosstShape
tosst_shape (TosstShapeKind kind, int d)
{
  return (TosstShape){ kind, d, d, d };
}

bool
tosst_shape_equal (TosstShape a, TosstShape b)
{
  return a.kind == b.kind && a.d1 == b.d1 && a.d2 == b.d2 && a.d3 == b.d3;
}

static bool
is_super_symmetric (TosstShapeKind kind)
{
  return kind == TOSST_SHAPE_SUPER_SYMMETRIC || kind == TOSST_SHAPE_WHOLE;
}

bool
tosst_shape_fits (TosstShape a, TosstShape b)
{
  if (is_super_symmetric (a.kind) && is_super_symmetric (b.kind))
    a.kind = b.kind;
  return tosst_shape_equal (a, b);
}

int
tosst_shape_slices (TosstShape shape)
{
  switch (shape.kind)
    {
    case TOSST_SHAPE_SUPER_SYMMETRIC:
    case TOSST_SHAPE_GENERAL:
      return shape.d3;
    case TOSST_SHAPE_WHOLE:
    case TOSST_SHAPE_SYMMETRIC:
    default:
      return 1;
    }
}

int
tosst_shape_slice_length (TosstShape shape)
{
  switch (shape.kind)
    {
    case TOSST_SHAPE_WHOLE:
      return (int)tosst_packed_size (shape.d1);
    case TOSST_SHAPE_GENERAL:
      return shape.d1 * shape.d2;
    case TOSST_SHAPE_SUPER_SYMMETRIC:
    case TOSST_SHAPE_SYMMETRIC:
    default:
      return shape.d1 * (shape.d1 + 1) / 2;
    }
}

size_t
tosst_shape_numbers (TosstShape shape)
{
  switch (shape.kind)
    {
    case TOSST_SHAPE_SYMMETRIC:
      return (size_t)shape.d1 * (shape.d1 + 1) / 2;
    case TOSST_SHAPE_GENERAL:
      return (size_t)shape.d1 * shape.d2 * shape.d3;
    case TOSST_SHAPE_SUPER_SYMMETRIC:
    case TOSST_SHAPE_WHOLE:
    default:
      return tosst_packed_size (shape.d1);
    }
}

size_t
tosst_shape_atom_numbers (TosstShape shape)
{
  size_t matrix = (size_t)shape.d1 * shape.d2;
  return shape.kind == TOSST_SHAPE_WHOLE ? matrix * shape.d3 : matrix;
}

const char *
tosst_shape_check (TosstShape shape)
{
  if ((unsigned)shape.kind > TOSST_SHAPE_GENERAL)
    return "the kind of the tensors is unknown";
  if (shape.d1 < 1 || shape.d2 < 1 || shape.d3 < 1)
    return "the sides of tensors must be at least 1";
  if (shape.kind != TOSST_SHAPE_GENERAL && (shape.d1 != shape.d2 || shape.d1 != shape.d3))
    return "symmetric tensors must have equal sides";
  /* The first condition keeps the second from overflowing. */
  if ((size_t)shape.d1 * shape.d2 > INT32_MAX || tosst_shape_numbers (shape) > INT32_MAX)
    return "slices and tensors must have less than 2^31 numbers";
  return NULL;
}

TosstLayout *
tosst_layout_new (int d)
{
  return tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, d));
}

static void
fill_index (const TosstLayout *layout)
{
  int32_t *index = layout->index;
  int d = layout->d, S = layout->S, D = layout->D;
  for (int s = 0; s < S; s++)
    switch (layout->shape.kind)
      {
      case TOSST_SHAPE_SUPER_SYMMETRIC:
        for (int i = 0; i < d; i++)
          for (int j = i; j < d; j++)
            *index++ = tosst_packed_index (d, i, j, s);
        break;
      case TOSST_SHAPE_GENERAL:
        for (int p = 0; p < D; p++)
          *index++ = p * S + s;
        break;
      case TOSST_SHAPE_WHOLE:
      case TOSST_SHAPE_SYMMETRIC:
        for (int p = 0; p < D; p++)
          *index++ = p;
        break;
      }
}

/* Square root of the number of permutations of i <= j <= k. */
static double
triple_weight (int i, int j, int k)
{
  return sqrt (i == j && j == k ? 1 : i == j || j == k ? 3 : 6);
}

static void
fill_weight (TosstShape shape, double *weight)
{
  int d = shape.d1;
  if (shape.kind == TOSST_SHAPE_GENERAL)
    for (int p = 0; p < shape.d1 * shape.d2; p++)
      weight[p] = 1;
  else
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++)
        if (shape.kind == TOSST_SHAPE_WHOLE)
          for (int k = j; k < d; k++)
            *weight++ = triple_weight (i, j, k);
        else
          *weight++ = i == j ? 1 : M_SQRT2;
}

TosstLayout *
tosst_layout_new_shape (TosstShape shape)
{
  TosstLayout *layout = tosst_shape_check (shape) ? NULL : calloc (1, sizeof *layout);
  if (!layout)
    return NULL;
  layout->shape = shape;
  layout->d = shape.d1;
  layout->S = tosst_shape_slices (shape);
  layout->D = tosst_shape_slice_length (shape);
  layout->m = tosst_shape_numbers (shape);
  layout->index = malloc (sizeof *layout->index * layout->S * layout->D);
  layout->weight = malloc (sizeof *layout->weight * layout->D);
  if (!layout->index || !layout->weight)
    {
      tosst_layout_free (layout);
      return NULL;
    }
  fill_index (layout);
  fill_weight (shape, layout->weight);
  return layout;
}

void
tosst_layout_free (TosstLayout *layout)
{
  if (!layout)
    return;
  free (layout->index);
  free (layout->weight);
  free (layout);
}

void
tosst_slice_matrix (const TosstLayout *layout, const float *tensor, int s, double *matrix)
{
  const int32_t *index = layout->index + (size_t)s * layout->D;
  int d = layout->d;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      matrix[i * d + j] = matrix[j * d + i] = tensor[*index++];
}

void
tosst_vec_to_matrix (int d, const double *v, double *matrix)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      matrix[i * d + j] = matrix[j * d + i] = i == j ? *v : *v * M_SQRT1_2;
}

/* Among the numbers that round to the two equal entries, tosst_vec_to_matrix() gives these again: a dictionary that is read
 * and written keeps its bits. */
static double
off_diagonal (double a, double b)
{
  double v = (a + b) * M_SQRT1_2, up = v, down = v;

  for (int i = 0; i < 3 && a == b; i++)
    {
      if (up * M_SQRT1_2 == a)
        return up;
      if (down * M_SQRT1_2 == a)
        return down;
      up = nextafter (up, INFINITY);
      down = nextafter (down, -INFINITY);
    }
  return v;
}

void
tosst_matrix_to_vec (int d, const double *matrix, double *v)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      *v = i == j ? matrix[i * d + i] : off_diagonal (matrix[i * d + j], matrix[j * d + i]);
}

double
tosst_atom_entry (int d, const double *v, int i, int j, int k)
{
  int distinct = 1 + (i != j) + (k != i && k != j);
  return v[tosst_packed_index (d, i, j, k)] / sqrt (distinct == 1 ? 1 : distinct == 2 ? 3 : 6);
}

void
tosst_atom_to_array (TosstShape shape, const double *v, double *B)
{
  int d = shape.d1;
  if (shape.kind == TOSST_SHAPE_GENERAL)
    memcpy (B, v, sizeof *B * tosst_shape_atom_numbers (shape));
  else if (shape.kind != TOSST_SHAPE_WHOLE)
    tosst_vec_to_matrix (d, v, B);
  else
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++)
        for (int k = 0; k < d; k++)
          *B++ = tosst_atom_entry (d, v, i, j, k);
}

void
tosst_atom_from_array (TosstShape shape, const double *B, double *v)
{
  int d = shape.d1;
  if (shape.kind == TOSST_SHAPE_GENERAL)
    memcpy (v, B, sizeof *B * tosst_shape_atom_numbers (shape));
  else if (shape.kind != TOSST_SHAPE_WHOLE)
    tosst_matrix_to_vec (d, B, v);
  else
    {
#define AT(x, y, z) B[((size_t)(x)*d + (y)) * d + (z)]
      for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++)
          for (int k = j; k < d; k++)
            *v++ = triple_weight (i, j, k)
                   * (AT (i, j, k) + AT (i, k, j) + AT (j, i, k) + AT (j, k, i) + AT (k, i, j) + AT (k, j, i)) / 6;
#undef AT
    }
}
