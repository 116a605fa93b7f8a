/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tensor/layout.h"

#include <math.h>
#include <stdlib.h>

size_t
tosst_packed_size (int d)
{
  size_t n = d;
  return n * (n + 1) * (n + 2) / 6;
}

int
tosst_packed_side (size_t m)
{
  int d = 0;
  while (tosst_packed_size (d) < m)
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
  /* Triples before (i, ., .) are those of all sides d - i .. d; then pairs of the remaining d - i values. */
  size_t before_i = tosst_packed_size (d) - tosst_packed_size (d - i);
  size_t r = d - i, q = j - i;
  size_t before_j = q * r - q * (q - 1) / 2;
  return before_i + before_j + (k - j);
}

TosstLayout *
tosst_layout_new (int d)
{
  TosstLayout *layout = calloc (1, sizeof *layout);
  if (!layout)
    return NULL;
  layout->d = d;
  layout->S = d;
  layout->D = d * (d + 1) / 2;
  layout->m = tosst_packed_size (d);
  layout->index = malloc (sizeof *layout->index * layout->S * layout->D);
  layout->weight = malloc (sizeof *layout->weight * layout->D);
  if (!layout->index || !layout->weight)
    {
      tosst_layout_free (layout);
      return NULL;
    }
  int32_t *index = layout->index;
  for (int s = 0; s < d; s++)
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++)
        *index++ = tosst_packed_index (d, i, j, s);
  double *weight = layout->weight;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      *weight++ = i == j ? 1 : M_SQRT2;
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
  const int32_t *index = layout->index + (size_t) s * layout->D;
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

void
tosst_matrix_to_vec (int d, const double *matrix, double *v)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      *v = i == j ? matrix[i * d + i] : (matrix[i * d + j] + matrix[j * d + i]) * M_SQRT1_2;
}
