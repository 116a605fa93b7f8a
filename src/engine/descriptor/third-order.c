/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for patches that share their position features: simd/third-order-patch-impl.h, and
 * simd/third-order-planes-impl.h for few features.
 */
#include "engine/base/base.h"
#include "engine/descriptor/private.h"
#include "engine/descriptor/tuning.h"
#include "tosst/tensor.h"

/* Products and sums of p_i with p_j and p_k, i <= j <= k; each list is contiguous over i. */
static void
fill_from (float *table, const double *p, size_t size, size_t P, size_t i, size_t *square, size_t *cube)
{
  size_t squares = P * (P + 1) / 2, sums = size * (P + squares);
  double first = 0;

  for (size_t x = 0; x < size; x++)
    {
      first += p[x * P + i];
      table[x * P + i] = (float)p[x * P + i];
    }
  table[sums + i] = (float)first;
  for (size_t j = i; j < P; j++, ++*square)
    {
      double second = 0;
      for (size_t x = 0; x < size; x++)
        {
          second += p[x * P + i] * p[x * P + j];
          table[size * P + x * squares + *square] = (float)(p[x * P + i] * p[x * P + j]);
        }
      table[sums + P + *square] = (float)second;
      for (size_t k = j; k < P; k++, ++*cube)
        {
          double third = 0;
          for (size_t x = 0; x < size; x++)
            third += p[x * P + i] * p[x * P + j] * p[x * P + k];
          table[sums + P + squares + *cube] = (float)third;
        }
    }
}

float *
tosst_position_table (const double *p, int size, int P)
{
  size_t n = (size_t)P, squares = n * (n + 1) / 2, cubes = tosst_packed_size (P), square = 0, cube = 0;
  float *table = malloc (((size_t)size * (n + squares) + n + squares + cubes) * sizeof *table);

  for (size_t i = 0; table && i < n; i++)
    fill_from (table, p, (size_t)size, n, i, &square, &cube);
  return table;
}

/* Cached sums of a rectangle of the image. */
typedef struct
{
  int x, y, width, height;
  bool spent; /* preferred for replacement */
  float *sums;
} PatchPart;

typedef struct
{
  PatchPart *part;
  int count, next;
} PatchParts;

struct TosstPatchSums
{
  const TosstKernels *kernels;
  TosstPatchShape shape;
  const float *table;
  void *work; /* workspace, followed by the sums of all parts */
  PatchParts quarters, halves;
};

static void
sums_init (TosstPatchSums *self, void *memory, PatchPart *parts, int quarters, int halves)
{
  TosstPatchBytes bytes = self->kernels->third_order_bytes (&self->shape);
  char *at = (char *)memory + bytes.work;

  self->work = memory;
  self->quarters = (PatchParts){ parts, quarters, 0 };
  self->halves = (PatchParts){ parts + quarters, halves, 0 };
  for (int i = 0; i < quarters + halves; i++)
    {
      parts[i] = (PatchPart){ .x = -1, .y = -1, .spent = true, .sums = (float *)at };
      at += i < quarters ? bytes.quarter : bytes.half;
    }
}

TosstPatchSums *
tosst_patch_sums_new (const TosstKernels *kernels, const TosstPatchShape *shape, const float *table, int step, int rows)
{
  TosstPatchBytes bytes = kernels->third_order_bytes (shape);
  int half = shape->size / 2, apart = shape->size % 2 == 0 && half % step == 0 ? half / step : 0;
  size_t quarters = apart > 0 ? (size_t)apart + 1 : LEAST_PARTS, halves = (size_t)rows * (size_t)apart + LEAST_PARTS;

  if (quarters * bytes.quarter + halves * bytes.half > PARTS_MOST_BYTES)
    quarters = halves = LEAST_PARTS;
  TosstPatchSums *self = malloc (sizeof *self + (quarters + halves) * sizeof (PatchPart));
  void *memory = tosst_alloc_aligned (1, bytes.work + quarters * bytes.quarter + halves * bytes.half);
  if (!self || !memory)
    {
      free (self);
      free (memory);
      return NULL;
    }
  *self = (TosstPatchSums){ .kernels = kernels, .shape = *shape, .table = table };
  sums_init (self, memory, (PatchPart *)(self + 1), (int)quarters, (int)halves);
  return self;
}

void
tosst_patch_sums_free (TosstPatchSums *self)
{
  if (self)
    free (self->work);
  free (self);
}

static PatchPart *
find_part (const PatchParts *parts, int x, int y, int width, int height)
{
  for (int i = 0; i < parts->count; i++)
    {
      PatchPart *part = &parts->part[i];
      if (part->x == x && part->y == y && part->width == width && part->height == height)
        return part;
    }
  return NULL;
}

/* Selects a part to replace, other than `keep`: a spent one, which no later patch of a grid uses, or the next in
 * round-robin order. */
static PatchPart *
take_part (PatchParts *parts, const PatchPart *keep, int x, int y, int width, int height)
{
  PatchPart *part = NULL;

  for (int i = 0; i < parts->count && !part; i++)
    if (parts->part[i].spent && &parts->part[i] != keep)
      part = &parts->part[i];
  while (!part || part == keep)
    {
      part = &parts->part[parts->next];
      parts->next = (parts->next + 1) % parts->count;
    }
  *part = (PatchPart){ x, y, width, height, false, part->sums };
  return part;
}

static PatchPart *
quarter_at (TosstPatchSums *self, const PatchPart *keep, int x, int y, int width, int height, const float *pixels)
{
  PatchPart *part = find_part (&self->quarters, x, y, width, height);

  if (!part)
    {
      part = take_part (&self->quarters, keep, x, y, width, height);
      self->kernels->third_order_quarter (&self->shape, width, height, pixels, self->work, part->sums);
    }
  return part;
}

/* Grids are processed row by row: the left quarter and the upper half are not needed again. */
static PatchPart *
half_at (TosstPatchSums *self, const PatchPart *keep, int x, int y, int height, const float *pixels)
{
  int size = self->shape.size, left = (size + 1) / 2;
  PatchPart *part = find_part (&self->halves, x, y, size, height);

  if (!part)
    {
      PatchPart *first = quarter_at (self, NULL, x, y, left, height, pixels);
      const PatchPart *second = quarter_at (self, first, x + left, y, size - left, height,
                                            pixels + (size_t)left * (size_t)self->shape.features);
      part = take_part (&self->halves, keep, x, y, size, height);
      self->kernels->third_order_half (&self->shape, height, pixels, self->table, first->sums, second->sums,
                                       part->sums);
      first->spent = true;
    }
  return part;
}

void
tosst_patch_sums_tensor (TosstPatchSums *self, int x, int y, const float *pixels, float *tensor)
{
  const TosstPatchShape *shape = &self->shape;
  int top = (shape->size + 1) / 2;
  size_t m = tosst_packed_size (2 * shape->position + shape->features), N = (size_t)shape->size * (size_t)shape->size;
  float scale = 1.0f / (float)N;
  PatchPart *upper = half_at (self, NULL, x, y, top, pixels);
  const PatchPart *lower = half_at (self, upper, x, y + top, shape->size - top, pixels + (size_t)top * shape->row);

  self->kernels->third_order_patch (shape, self->table, upper->sums, lower->sums, self->work, tensor);
  upper->spent = true;
  for (size_t i = 0; i < m; i++)
    tensor[i] *= scale;
}

double *
tosst_position_planes (const double *p, int size, TosstPlanes *planes)
{
  /* Kernels read up to one register past the last column and row. */
  size_t n = (size_t)size, lanes = 64 / sizeof (double);
  double *table = calloc (n + lanes + n * lanes, sizeof *table), *rows = table + n + lanes;

  for (size_t x = 0; table && x < n; x++)
    {
      table[x] = p[x];
      for (size_t l = 0; l < lanes; l++)
        rows[x * lanes + l] = p[x];
    }
  planes->size = size;
  planes->feature[0] = (TosstPlane){ table, 0, 1 };
  planes->feature[1] = (TosstPlane){ rows, lanes, 0 };
  return table;
}

void
tosst_planes_third_order (const TosstKernels *kernels, const TosstPlanes *planes, double *work, float *tensor)
{
  double N = (double)planes->size * planes->size;
  size_t m = tosst_packed_size (planes->d);

  kernels->third_order_planes (planes, work);
  for (size_t i = 0; i < m; i++)
    tensor[i] = (float)(work[i] / N);
}
