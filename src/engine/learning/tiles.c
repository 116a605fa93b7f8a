/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning without Y in memory: a tile of columns of Y, for all atoms, is summed from the tensors and the lists of
 * non-zero codes, multiplied by b_k or W v_k and discarded. Every use of Y reads the tensors once, and there are two
 * in a round of block updates; with sparse codes these sums take less time than the correlations of coding.
 *
 * An entry t of a tensor is entry p of slice s for up to three (s, p). For each tile the products of its entries are
 * added to the results of all atoms, TOSST_ABREAST atoms interleaved.
 */
#include "engine/base/base.h"
#include "engine/learning/accumulate.h"
#include "engine/learning/divided.h"
#include "engine/simd/kernels.h"

/* Products with U_k, the slices of Y_k divided by the scale (D x S), directly from the packed Y_k. */

#define ABREAST TOSST_ABREAST

typedef struct
{
  TosstLearning *learning;
  double *work; /* per worker: tosst_learning_slices_work() */
  bool by_b;    /* times b_k, else times W v_k */
} Slices;

size_t
tosst_learning_slices_work (const TosstLayout *layout)
{
  return (layout->m + layout->D + layout->S) * ABREAST;
}

/* Sxc[:,k] = U_k b_k, or Ub[:,k] = U_k' W v_k, for the Y_k of a group. */
static TosstStatus
slices_task (size_t item, int worker, void *data)
{
  Slices *self = data;
  TosstLearning *l = self->learning;
  const TosstLayout *layout = l->layout;
  const TosstKernels *kernels = tosst_kernels ();
  size_t D = l->D, S = l->S, m = layout->m, first = item * ABREAST, in = self->by_b ? S : D,
         length = self->by_b ? D : S;
  double *group = self->work + worker * tosst_learning_slices_work (layout), *factor = group + m * ABREAST,
         *out = factor + in * ABREAST, *result = (self->by_b ? l->Sxc : l->Ub) + first * length;
  int count = l->K - first < ABREAST ? l->K - first : ABREAST;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  kernels->set_abreast (l->Y + tosst_learning_row (l, first) * m, m, count, m, group);
  kernels->set_abreast ((self->by_b ? l->dictionary->b : l->reduction.WV) + first * in, in, count, in, factor);
  for (size_t p = 0; p < D && !self->by_b; p++)
    for (int k = 0; k < ABREAST; k++)
      factor[p * ABREAST + k] *= layout->weight[p];
  (self->by_b ? kernels->slices_times_b : kernels->slices_times_u) (group, layout->index, D, S, factor, out);
  for (int k = 0; k < count; k++)
    for (size_t p = 0; p < length; p++)
      result[k * length + p] = out[p * ABREAST + k] * (self->by_b ? layout->weight[p] : 1) / l->dictionary->scale;
  return TOSST_OK;
}

static TosstStatus
for_groups (TosstLearning *self, bool by_b)
{
  size_t size = tosst_learning_slices_work (self->layout) * tosst_context_threads (self->context);
  Slices slices = { self, aligned_alloc (64, sizeof (double) * size), by_b };
  if (!slices.work)
    return tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  TosstStatus status = tosst_parallel_work (self->context, (self->K + ABREAST - 1) / ABREAST,
                                            2. * self->K * self->layout->m, slices_task, &slices);
  free (slices.work);
  return status;
}

TosstStatus
tosst_learning_update_Sxc (TosstLearning *self)
{
  return self->Y ? for_groups (self, true) : tosst_learning_add_tiles (self, true);
}

TosstStatus
tosst_learning_update_Ub (TosstLearning *self)
{
  TosstStatus status = self->Y ? for_groups (self, false) : tosst_learning_add_tiles (self, false);
  return tosst_learning_gather (self, status, self->Ub, sizeof *self->Ub * self->S);
}

typedef struct TosstTiles
{
  TosstLearning *learning;
  bool by_b;           /* times b_k, else times W v_k */
  size_t columns;      /* of a tile */
  size_t *start;       /* m + 1: first pair of each entry */
  int32_t *at;         /* S D pairs by entry: entry relative to the tile, */
  int32_t *s, *p;      /* slice and position in it */
  double *Y;           /* K x columns */
  double *work;        /* per worker: columns + max (D, S), interleaved */
  double *Ub;          /* S values of each group of atoms, interleaved */
  size_t first, count; /* current tile */
  TosstMemory memory;
} TosstTiles;

static size_t
tile_columns (const TosstLayout *layout, size_t K)
{
  size_t columns = LEAN_TILE_BYTES / (sizeof (double) * K) / TOSST_TILE_COLUMNS * TOSST_TILE_COLUMNS;
  return columns < TOSST_TILE_COLUMNS ? TOSST_TILE_COLUMNS : columns < layout->m ? columns : layout->m;
}

static size_t
groups_of (size_t K)
{
  return (K + ABREAST - 1) / ABREAST;
}

static size_t
work_size (const TosstLayout *layout, size_t columns)
{
  size_t in = layout->D > layout->S ? layout->D : layout->S;
  return (columns + in) * ABREAST;
}

size_t
tosst_learning_tiles_bytes (const TosstLayout *layout, size_t K, int threads)
{
  size_t columns = tile_columns (layout, K);
  return (columns * K + work_size (layout, columns) * threads + (size_t)layout->S * ABREAST * groups_of (K))
             * sizeof (double)
         + (layout->m + 1) * sizeof (size_t) + (size_t)layout->S * layout->D * 3 * sizeof (int32_t);
}

/* Lists the pairs (s, p) of every entry. */
static void
list_pairs (TosstTiles *self)
{
  const TosstLayout *layout = self->learning->layout;
  size_t D = layout->D, m = layout->m, pairs = layout->S * D;
  memset (self->start, 0, sizeof *self->start * (m + 1));
  for (size_t i = 0; i < pairs; i++)
    self->start[layout->index[i] + 1]++;
  for (size_t t = 0; t < m; t++)
    self->start[t + 1] += self->start[t];
  for (size_t i = 0; i < pairs; i++)
    {
      size_t t = layout->index[i], to = self->start[t]++;
      self->at[to] = t % self->columns;
      self->s[to] = i / D;
      self->p[to] = i % D;
    }
  memmove (self->start + 1, self->start, sizeof *self->start * m);
  self->start[0] = 0;
}

static bool
tiles_init (TosstTiles *self, TosstLearning *learning)
{
  const TosstLayout *layout = learning->layout;
  size_t K = learning->K, pairs = (size_t)layout->S * layout->D, columns = tile_columns (layout, K);
  size_t work = work_size (layout, columns) * tosst_context_threads (learning->context);
  *self = (TosstTiles){ .learning = learning, .columns = columns };
  TosstMemory *memory = &self->memory;
  self->start = tosst_keep (memory, malloc (sizeof *self->start * (layout->m + 1)));
  self->at = tosst_keep (memory, malloc (sizeof *self->at * pairs));
  self->s = tosst_keep (memory, malloc (sizeof *self->s * pairs));
  self->p = tosst_keep (memory, malloc (sizeof *self->p * pairs));
  self->Y = tosst_keep (memory, tosst_alloc_aligned (columns * K, sizeof *self->Y));
  self->work = tosst_keep (memory, tosst_alloc_aligned (work, sizeof *self->work));
  self->Ub = tosst_keep (memory, tosst_alloc_aligned (layout->S * ABREAST * groups_of (K), sizeof *self->Ub));
  if (memory->failed)
    return false;
  list_pairs (self);
  return true;
}

/* The interleaved results of a group. D values of each atom fill the place of ABREAST columns of Sxc, which has room
 * for a last group. */
static double *
results_of (const TosstTiles *self, size_t group)
{
  const TosstLearning *l = self->learning;
  return self->by_b ? l->Sxc + group * ABREAST * l->D : self->Ub + group * ABREAST * l->S;
}

static size_t
length_of (const TosstTiles *self)
{
  return self->by_b ? self->learning->D : self->learning->S;
}

/* Adds the products of the current tile for a group of atoms. */
static TosstStatus
group_task (size_t group, int worker, void *data)
{
  TosstTiles *self = data;
  const TosstLearning *l = self->learning;
  const TosstKernels *kernels = tosst_kernels ();
  size_t first = group * ABREAST, in = self->by_b ? l->S : l->D, pair = self->start[self->first],
         pairs = self->start[self->first + self->count] - pair;
  int count = l->K - first < ABREAST ? l->K - first : ABREAST;
  double *Y = self->work + worker * work_size (l->layout, self->columns), *factor = Y + self->columns * ABREAST,
         *out = results_of (self, group);
  kernels->set_abreast (self->Y + first * self->count, self->count, count, self->count, Y);
  kernels->set_abreast ((self->by_b ? l->dictionary->b : l->reduction.WV) + first * in, in, count, in, factor);
  for (size_t p = 0; p < in && !self->by_b; p++)
    for (int k = 0; k < ABREAST; k++)
      factor[p * ABREAST + k] *= l->layout->weight[p];
  if (self->first == 0)
    memset (out, 0, sizeof *out * ABREAST * length_of (self));
  kernels->add_entries (Y, factor, self->at + pair, (self->by_b ? self->s : self->p) + pair,
                        (self->by_b ? self->p : self->s) + pair, pairs, out);
  return TOSST_OK;
}

/* Takes the results of a group apart, times weights and divided by the scale. */
static TosstStatus
finish_task (size_t group, int worker, void *data)
{
  TosstTiles *self = data;
  TosstLearning *l = self->learning;
  size_t first = group * ABREAST, length = length_of (self);
  int count = l->K - first < ABREAST ? l->K - first : ABREAST;
  const double *from = results_of (self, group);
  double *copy = self->work + worker * work_size (l->layout, self->columns),
         *to = (self->by_b ? l->Sxc : l->Ub) + first * length;
  memcpy (copy, from, sizeof *copy * ABREAST * length);
  for (int k = 0; k < count; k++)
    for (size_t i = 0; i < length; i++)
      to[k * length + i] = copy[i * ABREAST + k] * (self->by_b ? l->layout->weight[i] : 1) / l->dictionary->scale;
  return TOSST_OK;
}

static TosstStatus
add_tiles (TosstTiles *self)
{
  TosstLearning *l = self->learning;
  size_t m = l->layout->m, groups = groups_of (l->K);
  TosstStatus status = TOSST_OK;
  TosstLearnStage stage = self->by_b ? TOSST_LEARN_SUMS : TOSST_LEARN_b;
  TosstRange range = tosst_context_narrow (l->context, 0, 0);
  tosst_learning_lap (l, stage);
  for (self->first = 0; self->first < m && status == TOSST_OK; self->first += self->columns)
    {
      self->count = m - self->first < self->columns ? m - self->first : self->columns;
      status = tosst_accumulation_add_Y (l->sums, self->first, self->first + self->count, self->Y);
      tosst_learning_lap (l, TOSST_LEARN_Y);
      TOSST_THEN (status, tosst_parallel_work (l->context, groups, 3. * l->K * self->count, group_task, self));
      tosst_learning_lap (l, stage);
    }
  tosst_context_set_range (l->context, range);
  return status ?: tosst_parallel_work (l->context, groups, (double)l->K * l->D, finish_task, self);
}

/* The tiles are kept from call to call: pages of half a gigabyte take a while to come. */
TosstStatus
tosst_learning_add_tiles (TosstLearning *learning, bool by_b)
{
  if (!learning->tiles)
    {
      learning->tiles = calloc (1, sizeof *learning->tiles);
      if (!learning->tiles || !tiles_init (learning->tiles, learning))
        return tosst_context_fail (learning->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
    }
  learning->tiles->by_b = by_b;
  return add_tiles (learning->tiles);
}

static void
free_sums (TosstLearning *learning)
{
  if (learning->sums)
    tosst_accumulation_clear (learning->sums);
  free (learning->sums);
  learning->sums = NULL;
}

void
tosst_learning_free_tiles (TosstLearning *learning)
{
  free_sums (learning);
  if (learning->tiles)
    tosst_release (&learning->tiles->memory);
  free (learning->tiles);
  learning->tiles = NULL;
}

static TosstStatus
accumulate_lean (TosstLearning *learning)
{
  free_sums (learning);
  learning->sums = calloc (1, sizeof *learning->sums);
  TosstStatus status = learning->sums ? tosst_accumulation_init (learning->sums, learning)
                                      : tosst_context_fail (learning->context, TOSST_ERROR_MEMORY,
                                                            "not enough memory to learn %d atoms", learning->K);
  TOSST_THEN (status, tosst_accumulation_add_P (learning->sums));
  if (status == TOSST_OK)
    learning->l1 = learning->sums->sum_l1;
  TOSST_THEN (status, tosst_learning_mirror_P (learning));
  tosst_learning_lap (learning, TOSST_LEARN_P);
  return status;
}

TosstStatus
tosst_learning_accumulate_stats (TosstLearning *learning)
{
  if (learning->run.ranks)
    return tosst_learning_accumulate_divided (learning);
  return learning->is_lean ? accumulate_lean (learning) : tosst_learning_accumulate_whole (learning);
}
