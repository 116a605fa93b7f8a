/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/format/tensor-array.h"

#include "core/base/base.h"
#include "tosst/dictionary.h"

/* Maximum size of a tensor; indices of larger ones would not fit into 32 bits. */
#define MAX_NUMBERS 100000000

/* Tolerance of symmetry, relative to the largest entry of the matrix. */
#define ASYMMETRY 1e-5

static double
value (const TosstNpy *array, gsize i)
{
  return array->type == TOSST_NPY_FLOAT32 ? ((const float *)array->data)[i] : ((const double *)array->data)[i];
}

static void
set_value (TosstNpy *array, gsize i, double number)
{
  if (array->type == TOSST_NPY_FLOAT32)
    ((float *)array->data)[i] = (float)number;
  else
    ((double *)array->data)[i] = number;
}

gboolean
tosst_tensor_array_is_symmetric (const TosstNpy *array, gsize n, gsize d)
{
  gsize first = n * d * d;
  double largest = 0, difference = 0;

  for (gsize i = 0; i < d * d; i++)
    largest = MAX (largest, fabs (value (array, first + i)));
  for (gsize i = 0; i < d; i++)
    for (gsize j = i + 1; j < d; j++)
      difference = MAX (difference, fabs (value (array, first + i * d + j) - value (array, first + j * d + i)));
  return difference <= ASYMMETRY * largest;
}

/* Packs matrices to their upper triangles in place: the write position never passes the read position. */
static gboolean
pack_matrices (TosstNpy *array, const char *name, gsize d, GError **error)
{
  gsize out = 0;

  for (gsize n = 0; n < array->shape[0]; n++)
    {
      if (!tosst_tensor_array_is_symmetric (array, n, d))
        return tosst_fail_input (error, name, _ ("holds matrices that must be symmetric, but number %zu is not"), n);
      for (gsize i = 0; i < d; i++)
        for (gsize j = i; j < d; j++)
          set_value (array, out++, value (array, n * d * d + i * d + j));
    }
  return TRUE;
}

gboolean
tosst_tensor_array_prepare (TosstNpy *array, const char *name, TosstShape *shape, GError **error)
{
  const gsize *size = array->shape;
  double largest = 0;

  if (array->ndim < 2)
    return tosst_fail_input (error, name, _ ("has %d dimensions where tensors have 2, (N, m), or 3 or 4"), array->ndim);
  if (array->count == 0)
    return tosst_fail_input (error, name, _ ("holds no tensor"));
  if (array->count / size[0] > MAX_NUMBERS)
    return tosst_fail_input (error, name, _ ("holds tensors of %zu numbers, more than are supported"),
                             array->count / size[0]);
  /* Limits the entries: float32 keeps its precision in learning and coding up to here. */
  for (gsize i = 0; i < array->count; i++)
    largest = MAX (largest, fabs (value (array, i)));
  if (!(largest <= (float)TOSST_LARGEST))
    return tosst_fail_input (error, name, _ ("has entries up to %.3g, more than %.0e: scale all of them down"), largest,
                             TOSST_LARGEST);
  switch (array->ndim)
    {
    case 2:
      *shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, tosst_packed_side (size[1]));
      if (shape->d1 == 0)
        return tosst_fail_input (error, name, _ ("has rows of %zu numbers, which is not d(d+1)(d+2)/6 for any d"),
                                 size[1]);
      break;
    case 3:
      if (size[1] != size[2])
        return tosst_fail_input (error, name, _ ("holds matrices of %zu × %zu, which cannot be symmetric"), size[1],
                                 size[2]);
      /* A single number is the same in all shapes, and dictionaries do not distinguish them. */
      *shape = tosst_shape (size[1] == 1 ? TOSST_SHAPE_SUPER_SYMMETRIC : TOSST_SHAPE_SYMMETRIC, (int)size[1]);
      if (!pack_matrices (array, name, size[1], error))
        return FALSE;
      break;
    default:
      *shape = (TosstShape){ TOSST_SHAPE_GENERAL, (int)size[1], (int)size[2], (int)size[3] };
      break;
    }
  array->ndim = 2;
  array->shape[1] = tosst_shape_numbers (*shape);
  array->count = array->shape[0] * array->shape[1];
  return TRUE;
}

void
tosst_tensor_array_unpack (const float *packed, gsize n, int d, float *matrices)
{
  for (; n > 0; n--, matrices += (gsize)d * (gsize)d)
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++)
        matrices[i * d + j] = matrices[j * d + i] = *packed++;
}
