/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/draw-parallel.h"

typedef struct
{
  char *label;
  char **names;
  gboolean logarithmic;
  double brush_low, brush_high;
  gboolean flipped; /* small values at the top */
  guint place;      /* from the left */
} TosstParallelAxis;

struct TosstParallel
{
  GPtrArray *axes;
  GArray *values; /* lines x axes */
  int chosen;
};

static inline const TosstParallelAxis *
tosst_parallel_axis (const TosstParallel *self, guint axis)
{
  return g_ptr_array_index (self->axes, axis);
}
