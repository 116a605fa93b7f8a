/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matching the atoms of two dictionaries: the order of atoms is arbitrary, so that two runs may learn the same atoms
 * under other numbers. Maximising the sum of similarities is an assignment problem, solved by the Hungarian method
 * with potentials (for each row a tree of tight edges is grown until it reaches a free column; O(rows^2 columns)).
 */
#include "core/dictionary/common-atoms.h"

#include "core/base/base.h"
#include "core/data/frames.h"
#include "core/local/image-tensors.h"

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
      if (self->used[j])
        continue;
      double reduced = cost (self, row - 1, j - 1) - self->row_potential[row] - self->column_potential[j];
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

      self->used[column] = TRUE;
      int next = nearest_column (self, column, &delta);
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

/* Atoms common to several blocks. Their patches are described and coded again, since the codes of a run are pooled
 * immediately and not stored. */

#define MAX_PATCHES 256 /* per sample: enough for an estimate, for any size of samples */

typedef struct
{
  const TosstRecipe *recipe;
  TosstContext *context;
  const TosstPatchCoder *coder;
  gsize K;
  TosstDataset *dataset;
  int image; /* index of the image in memory; -1: none */
  TosstImage *pixels;
  TosstPca *pca;          /* of local features, or NULL */
  float *tensors, *codes; /* for MAX_PATCHES patches */
  double *use;            /* K: mean |alpha_k| of the current sample */
} Coding;

static gboolean
coding_init (Coding *self, GError **error)
{
  gsize m = tosst_shape_numbers (tosst_recipe_shape (self->recipe));

  self->image = -1;
  self->tensors = g_try_malloc_n (MAX_PATCHES, m * sizeof (float));
  self->codes = g_try_malloc_n (MAX_PATCHES, self->K * sizeof (float));
  self->use = g_new (double, self->K);
  if (tosst_recipe_is_local (self->recipe)
      && !tosst_local_components_of_split (self->recipe, self->context, self->dataset, 0, &self->pca, error))
    return FALSE;
  return tosst_error_from_status (self->tensors != NULL && self->codes != NULL ? TOSST_OK : TOSST_ERROR_MEMORY, NULL,
                                  _ ("Coding"), error);
}

/* Evenly spaced patches of a sample, at most MAX_PATCHES, in its image; returns their number. */
static gsize
choose_points (const TosstRecipe *recipe, const TosstSample *sample, TosstPoint *points)
{
  int patch = recipe->descriptor.patch, step = recipe->descriptor.step;
  gsize all = tosst_patch_grid (sample->width, sample->height, patch, step, NULL), n = MIN (all, MAX_PATCHES);
  g_autofree TosstPoint *grid = g_new (TosstPoint, all);

  tosst_patch_grid (sample->width, sample->height, patch, step, grid);
  for (gsize i = 0; i < n; i++)
    {
      points[i] = grid[i * all / n];
      points[i].x += sample->x;
      points[i].y += sample->y;
    }
  return n;
}

/* The same of frames in the image, which is the sample; 0 with error. */
static gsize
choose_frames (const Coding *self, TosstFrame *frames, GError **error)
{
  gsize all = 0, n;
  g_autofree TosstFrame *found = tosst_frames_of_image (
      self->recipe, self->pixels, &all, NULL, tosst_dataset_image (self->dataset, (guint)self->image)->name, error);

  n = found != NULL ? MIN (all, MAX_PATCHES) : 0;
  for (gsize i = 0; i < n; i++)
    frames[i] = found[i * all / n];
  return n;
}

/* Tensors of a sample: of its patches, or the one of its image. Returns their number; 0 with error. */
static gsize
describe_sample (Coding *self, const TosstSample *sample, GError **error)
{
  gboolean framed = tosst_recipe_has_frames (self->recipe);
  TosstPoint points[MAX_PATCHES];
  TosstFrame frames[MAX_PATCHES];

  if (tosst_recipe_is_local (self->recipe))
    return tosst_local_describe_images (self->recipe, self->pca, self->context, self->dataset, (guint)sample->image, 1,
                                        self->tensors, error);
  if (self->image != sample->image)
    {
      g_clear_pointer (&self->pixels, tosst_image_free);
      self->pixels = tosst_dataset_read_for (self->dataset, (guint)sample->image, 0, error);
      self->image = self->pixels ? sample->image : -1;
      if (!self->pixels)
        return 0;
    }
  gsize n = framed ? choose_frames (self, frames, error) : choose_points (self->recipe, sample, points);
  if (n == 0)
    return 0;
  TosstStatus status = tosst_describe_places (self->recipe, self->context, self->pixels, points, framed ? frames : NULL,
                                              n, self->tensors);
  return tosst_error_from_status (status, self->context, _ ("Coding"), error) ? n : 0;
}

static gboolean
code_sample (Coding *self, const TosstSample *sample, GError **error)
{
  gsize n = describe_sample (self, sample, error);

  if (n == 0)
    return FALSE;
  TosstStatus status = tosst_patch_coder_code (self->coder, self->context, self->tensors, n, self->codes, NULL);
  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  for (gsize k = 0; k < self->K; k++)
    self->use[k] = 0;
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < self->K; k++)
      self->use[k] += fabsf (self->codes[i * self->K + k]) / (double)n;
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const TosstCommonAtom *x = a, *y = b;

  if (x->least != y->least)
    return x->least > y->least ? -1 : 1;
  if (x->mean != y->mean)
    return x->mean > y->mean ? -1 : 1;
  return x->atom - y->atom;
}

static gboolean
add_samples (Coding *self, const GArray *samples, GArray *atoms, GError **error)
{
  for (guint i = 0; i < samples->len; i++)
    {
      if (!code_sample (self, tosst_dataset_sample (self->dataset, g_array_index (samples, guint, i)), error))
        return FALSE;
      for (guint k = 0; k < atoms->len; k++)
        {
          TosstCommonAtom *atom = &g_array_index (atoms, TosstCommonAtom, k);

          atom->least = i == 0 ? self->use[k] : MIN (atom->least, self->use[k]);
          atom->mean += self->use[k] / samples->len;
        }
    }
  return TRUE;
}

GArray *
tosst_common_atoms (const TosstRecipe *recipe, TosstContext *context, const TosstPatchCoder *coder, int K,
                    TosstDataset *dataset, const GArray *samples, guint most, GError **error)
{
  Coding coding = { .recipe = recipe, .context = context, .coder = coder, .K = (gsize)K, .dataset = dataset };
  g_autoptr (GArray) atoms = g_array_new (FALSE, TRUE, sizeof (TosstCommonAtom));

  g_array_set_size (atoms, (guint)K);
  gboolean fine = coding_init (&coding, error) && add_samples (&coding, samples, atoms, error);

  TOSST_CLEAR_MEMBERS (&coding, (pixels, tosst_image_free), (pca, tosst_pca_free), (tensors, g_free), (codes, g_free),
                       (use, g_free));
  if (!fine)
    return NULL;

  double total = 0;
  guint n = 0;

  for (guint k = 0; k < atoms->len; k++)
    {
      g_array_index (atoms, TosstCommonAtom, k).atom = (int)k;
      total += g_array_index (atoms, TosstCommonAtom, k).mean;
    }
  g_array_sort (atoms, compare);
  for (; n < MIN (most, atoms->len) && g_array_index (atoms, TosstCommonAtom, n).mean > 0; n++)
    g_array_index (atoms, TosstCommonAtom, n).share = g_array_index (atoms, TosstCommonAtom, n).mean / total;
  g_array_set_size (atoms, n);
  return g_steal_pointer (&atoms);
}
