/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/coder-private.h"

#include <stdlib.h>
#include <string.h>

#include "engine/coding/tuning.h"

typedef struct
{
  int atom;
  size_t use;
} Use;

static int
more_used (const void *a, const void *b)
{
  const Use *x = a, *y = b;
  return x->use != y->use ? (x->use < y->use) - (x->use > y->use) : x->atom - y->atom;
}

typedef struct
{
  const void *H;
  bool wide;
  size_t K;
  const int *order;
  void *out;
} Gram;

/* SUFFIX names the precision. */
#define DEFINE_ORDER(SUFFIX, TYPE)                                                                                     \
  static void count_##SUFFIX (const TYPE *code, size_t K, Use *use)                                                    \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      use[k].use += code[k] != 0;                                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static void pick_##SUFFIX (const TYPE *restrict row, size_t K, const int *order, TYPE *restrict out)                 \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      out[k] = row[order[k]];                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static void place_##SUFFIX (const TYPE *restrict row, size_t K, const int *order, TYPE *restrict out)                \
  {                                                                                                                    \
    for (size_t k = 0; k < K; k++)                                                                                     \
      out[order[k]] = row[k];                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static void rows_##SUFFIX (TYPE *rows, size_t count, size_t K, const int *order, bool back, TYPE *work)              \
  {                                                                                                                    \
    for (TYPE *row = rows; row < rows + count * K; row += K)                                                           \
      {                                                                                                                \
        memcpy (work, row, sizeof *row *K);                                                                            \
        if (back)                                                                                                      \
          place_##SUFFIX (work, K, order, row);                                                                        \
        else                                                                                                           \
          pick_##SUFFIX (work, K, order, row);                                                                         \
      }                                                                                                                \
  }

DEFINE_ORDER (float, float)
DEFINE_ORDER (double, double)

bool
tosst_order_by_use (const void *codes, bool wide, size_t n, size_t K, int *order)
{
  Use *use = malloc (sizeof *use * K);
  size_t step = n / USE_SAMPLE + 1;
  if (!use)
    return false;
  for (size_t k = 0; k < K; k++)
    use[k] = (Use){ k, 0 };
  for (size_t i = 0; i < n; i += step)
    if (wide)
      count_double ((const double *)codes + i * K, K, use);
    else
      count_float ((const float *)codes + i * K, K, use);
  qsort (use, K, sizeof *use, more_used);
  for (size_t k = 0; k < K; k++)
    order[k] = use[k].atom;
  free (use);
  return true;
}

static TosstStatus
gram_task (size_t item, int worker, void *data)
{
  Gram *self = data;
  size_t K = self->K, first = item * ORDERED_ROWS, end = first + ORDERED_ROWS < K ? first + ORDERED_ROWS : K;
  for (size_t i = first; i < end; i++)
    if (self->wide)
      pick_double ((const double *)self->H + self->order[i] * K, K, self->order, (double *)self->out + i * K);
    else
      pick_float ((const float *)self->H + self->order[i] * K, K, self->order, (float *)self->out + i * K);
  return TOSST_OK;
}

TosstStatus
tosst_order_gram (TosstContext *context, const void *H, bool wide, size_t K, const int *order, void *out)
{
  Gram gram = { H, wide, K, order, out };
  return tosst_parallel_work (context, (K + ORDERED_ROWS - 1) / ORDERED_ROWS, (double)K * K, gram_task, &gram);
}

void
tosst_order_rows (void *rows, bool wide, size_t count, size_t K, const int *order, bool back, void *work)
{
  if (wide)
    rows_double (rows, count, K, order, back, work);
  else
    rows_float (rows, count, K, order, back, work);
}
