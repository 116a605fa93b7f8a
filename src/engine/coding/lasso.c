/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coding/lasso.h"

#include <stdlib.h>

static void *
aligned (size_t count, size_t element)
{
  return aligned_alloc (64, (count * element + 127) / 64 * 64);
}

TosstLassoWork *
tosst_lasso_work_new (int K, size_t element)
{
  TosstLassoWork *work = calloc (1, sizeof *work);
  if (!work)
    return NULL;
  /* Rows of the compact Gram matrix are padded to 16 numbers. */
  size_t n = K, side = (n + 31) / 16 * 16;
  work->K = K;
  work->active = malloc (sizeof *work->active * n);
  work->position = malloc (sizeof *work->position * n);
  work->list = malloc (sizeof *work->list * n);
  work->state = malloc (n);
  work->r = aligned (side, element);
  work->x = aligned (side, element);
  work->rho = aligned (side, element);
  work->delta = aligned (side, element);
  work->step = aligned (side, element);
  work->inverse = aligned (side, element);
  work->G = aligned (side * side, element);
  work->L = aligned (side * side, element);
  if (work->active && work->position && work->list && work->state && work->r && work->x && work->rho && work->delta
      && work->step && work->inverse && work->G && work->L)
    return work;
  tosst_lasso_work_free (work);
  return NULL;
}

void
tosst_lasso_work_free (TosstLassoWork *work)
{
  if (!work)
    return;
  free (work->active);
  free (work->position);
  free (work->list);
  free (work->state);
  free (work->r);
  free (work->x);
  free (work->rho);
  free (work->delta);
  free (work->step);
  free (work->inverse);
  free (work->G);
  free (work->L);
  free (work);
}
