/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matching the atoms of two dictionaries: the order of atoms is arbitrary, so that two runs may learn the same atoms
 * under other numbers. Maximising the sum of similarities is an assignment problem, solved by the Hungarian method
 * with potentials (for each row a tree of tight edges is grown until it reaches a free column; O(rows^2 columns)).
 */
#include "config.h"

#include "core/dictionary/atom-match.h"

#include <math.h>
#include <stdlib.h>

/* --- Hungarian method, rows <= columns --- */

typedef struct
{
  const double *weights;
  int rows, columns;
  gboolean turned; /* weights are transposed: columns x rows */
  double *row_potential, *column_potential, *slack;
  int *owner;  /* per column: its row, from 1; 0: free */
  int *before; /* per column: previous column on the augmenting path */
  gboolean *used;
} Hungarian;

static double
cost (const Hungarian *self, int row, int column)
{
  return -(self->turned ? self->weights[(gsize)column * (gsize)self->rows + (gsize)row]
                        : self->weights[(gsize)row * (gsize)self->columns + (gsize)column]);
}

/* The next column to add to the tree, and the required change of the potentials; columns count from 1, 0 is the
 * root. */
static int
nearest_column (Hungarian *self, int from, double *delta)
{
  int row = self->owner[from], next = 0;

  *delta = INFINITY;
  for (int j = 1; j <= self->columns; j++)
    {
      double reduced;

      if (self->used[j])
        continue;
      reduced = cost (self, row - 1, j - 1) - self->row_potential[row] - self->column_potential[j];
      if (reduced < self->slack[j])
        {
          self->slack[j] = reduced;
          self->before[j] = from;
        }
      if (self->slack[j] < *delta)
        {
          *delta = self->slack[j];
          next = j;
        }
    }
  return next;
}

static void
add_row (Hungarian *self, int row)
{
  int column = 0;

  self->owner[0] = row;
  for (int j = 0; j <= self->columns; j++)
    {
      self->slack[j] = INFINITY;
      self->used[j] = FALSE;
    }
  do
    {
      double delta;
      int next;

      self->used[column] = TRUE;
      next = nearest_column (self, column, &delta);
      for (int j = 0; j <= self->columns; j++)
        if (self->used[j])
          {
            self->row_potential[self->owner[j]] += delta;
            self->column_potential[j] -= delta;
          }
        else
          self->slack[j] -= delta;
      column = next;
    }
  while (self->owner[column] != 0);
  for (; column != 0; column = self->before[column])
    self->owner[column] = self->owner[self->before[column]];
}

static gboolean
match_exactly (const double *weights, int rows, int columns, int *column)
{
  gboolean turned = rows > columns;
  gsize n = (gsize)MAX (rows, columns) + 1;
  g_autofree double *numbers = g_try_new0 (double, 3 * n);
  g_autofree int *links = g_try_new0 (int, 3 * n);
  Hungarian self = { weights, MIN (rows, columns), MAX (rows, columns), turned };

  if (!numbers || !links)
    return FALSE;
  self.row_potential = numbers;
  self.column_potential = numbers + n;
  self.slack = numbers + 2 * n;
  self.owner = links;
  self.before = links + n;
  self.used = links + 2 * n;
  for (int row = 1; row <= self.rows; row++)
    add_row (&self, row);
  for (int i = 0; i < rows; i++)
    column[i] = -1;
  for (int j = 1; j <= self.columns; j++)
    if (self.owner[j] != 0)
      {
        if (turned)
          column[j - 1] = self.owner[j] - 1;
        else
          column[self.owner[j] - 1] = j - 1;
      }
  return TRUE;
}

/* --- greedy, by decreasing weight --- */

typedef struct
{
  double weight;
  int row, column;
} Pair;

static int
compare_pairs (const void *a, const void *b)
{
  const Pair *x = a, *y = b;

  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->column < y->column ? -1 : x->column > y->column);
}

gboolean
tosst_match (const double *weights, int rows, int columns, int *column)
{
  if (rows <= TOSST_MATCH_EXACT && columns <= TOSST_MATCH_EXACT)
    return match_exactly (weights, rows, columns, column);

  gsize n = (gsize)rows * (gsize)columns;
  g_autofree Pair *pairs = g_try_new (Pair, n);
  g_autofree gboolean *taken = g_try_new0 (gboolean, columns);

  if (!pairs || !taken)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    pairs[i] = (Pair){ weights[i], (int)(i / (gsize)columns), (int)(i % (gsize)columns) };
  qsort (pairs, n, sizeof *pairs, compare_pairs);
  for (int i = 0; i < rows; i++)
    column[i] = -1;
  for (gsize i = 0; i < n; i++)
    if (column[pairs[i].row] < 0 && !taken[pairs[i].column])
      {
        column[pairs[i].row] = pairs[i].column;
        taken[pairs[i].column] = TRUE;
      }
  return TRUE;
}
