/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-set.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/plot/draw-slices.h"
#include "studio/tasks/shared.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

/* A GCompareDataFunc of indices (int) by values (const double *): largest first, equal ones by index. */
static int
compare_values (gconstpointer a, gconstpointer b, const double *value)
{
  double x = value[*(const int *)a], y = value[*(const int *)b];

  return x > y ? -1 : x < y ? 1 : *(const int *)a - *(const int *)b;
}

static int *
sorted_by_usage (const double *usage, int K)
{
  int *order = g_new (int, K);

  for (int k = 0; k < K; k++)
    order[k] = k;
  if (usage != NULL)
    g_qsort_with_data (order, K, sizeof *order, (GCompareDataFunc)compare_values, (gpointer)usage);
  return order;
}

#define NOISE 1e-6 /* of the largest entry: a zero with a negative rounding error is not a negative entry */

/* Takes ownership of index, whose first n are shown. */
static StudioAtoms *
show_atoms (const TosstDictionary *dictionary, int *index, int n, int split, int iteration)
{
  StudioAtoms *self = g_atomic_rc_box_new0 (StudioAtoms);
  int d = dictionary->d;
  gsize square = (gsize)d * d, entries = square * n;

  self->d = d;
  self->K = dictionary->K;
  self->n = n;
  self->split = split;
  self->iteration = iteration;
  self->index = index;
  self->share = g_new0 (double, n);
  self->matrices = g_new (double, entries);
  self->b = g_new0 (double, entries / d);
  self->display = g_new0 (double, entries);
  for (int i = 0; i < n; i++)
    {
      double *matrix = self->matrices + i * square, limit = 0;

      tosst_dictionary_matrix (dictionary, index[i], matrix);
      for (int s = 0; s < dictionary->S; s++)
        self->b[(gsize)i * d + s] = dictionary->b[(gsize)index[i] * dictionary->S + s];
      for (gsize p = 0; p < square; p++)
        limit = MAX (limit, fabs (matrix[p]));
      for (gsize p = 0; p < square && limit > 0; p++)
        self->display[i * square + p] = fabs (matrix[p]) > NOISE * limit ? matrix[p] / limit : 0;
    }
  return self;
}

StudioAtoms *
studio_atoms_new (const TosstDictionary *dictionary, const double *usage, int split, int iteration)
{
  StudioAtoms *self = show_atoms (dictionary, sorted_by_usage (usage, dictionary->K),
                                  MIN (dictionary->K, STUDIO_MAX_ATOMS), split, iteration);
  double total = 0;

  for (int k = 0; usage != NULL && k < dictionary->K; k++)
    total += usage[k];
  for (int i = 0; i < self->n; i++)
    self->share[i] = total > 0 ? usage[self->index[i]] / total : 0;
  return self;
}

StudioAtoms *
studio_atoms_new_common (const TosstDictionary *dictionary, const GArray *common)
{
  int *index = g_new (int, common->len);

  for (guint i = 0; i < common->len; i++)
    index[i] = g_array_index (common, TosstCommonAtom, i).atom;
  StudioAtoms *self = show_atoms (dictionary, index, (int)common->len, -1, -1);
  for (guint i = 0; i < common->len; i++)
    self->share[i] = g_array_index (common, TosstCommonAtom, i).share;
  return self;
}

STUDIO_DEFINE_UNREF (StudioAtoms, studio_atoms_unref, (index, g_free), (share, g_free), (matrices, g_free), (b, g_free),
                     (display, g_free))

/* ||B_k||^2 ||b_k||^2: columns of V are weighted so that their norm is that of the matrix. */
static void
measure_energy (StudioAtomSet *self)
{
  const TosstDictionary *dictionary = self->dictionary;

  for (int k = 0; k < dictionary->K; k++)
    {
      const double *v = dictionary->V + (gsize)k * dictionary->D, *b = dictionary->b + (gsize)k * dictionary->S;
      double first = 0, second = 0;

      for (int p = 0; p < dictionary->D; p++)
        first += v[p] * v[p];
      for (int s = 0; s < dictionary->S; s++)
        second += b[s] * b[s];
      self->energy[k] = first * second;
    }
}

gboolean
studio_atom_set_knows (StudioAtomSet *self, StudioAtomOrder order)
{
  return self->usage != NULL || (order != STUDIO_ORDER_USE && order != STUDIO_ORDER_CLASS);
}

static double
value_of (StudioAtomSet *self, StudioAtomOrder order, int k)
{
  double share = 0;

  switch (order)
    {
    case STUDIO_ORDER_USE:
      return self->usage->use[k];
    case STUDIO_ORDER_CLASS:
      tosst_atom_usage_class (self->usage, k, &share);
      return share;
    case STUDIO_ORDER_ENERGY:
      return self->energy[k];
    case STUDIO_ORDER_RANK:
      return self->ranks[k];
    default:
      return -k;
    }
}

int *
studio_atom_set_sorted (StudioAtomSet *self, StudioAtomOrder order)
{
  int K = self->dictionary->K, *sorted = g_new (int, K);
  g_autofree double *values = g_new (double, K);

  for (int k = 0; k < K; k++)
    {
      sorted[k] = k;
      values[k] = studio_atom_set_knows (self, order) ? value_of (self, order, k) : 0;
    }
  g_qsort_with_data (sorted, K, sizeof *sorted, (GCompareDataFunc)compare_values, values);
  return sorted;
}

double
studio_atom_set_share (StudioAtomSet *self, int atom)
{
  double total = 0;

  if (self->usage == NULL)
    return NAN;
  for (int k = 0; k < self->dictionary->K; k++)
    total += self->usage->use[k];
  return total > 0 ? self->usage->use[atom] / total : 0;
}

static void
append_number (GString *text, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, ",%s", g_ascii_formatd (number, sizeof number, "%.9g", value));
}

static void
append_usage (GString *text, StudioAtomSet *self, int k)
{
  double share;

  if (self->usage == NULL)
    {
      g_string_append (text, ",,,,");
      return;
    }
  append_number (text, self->usage->use[k]);
  g_string_append_printf (text, ",%" G_GSIZE_FORMAT, self->usage->count[k]);
  int most = tosst_atom_usage_class (self->usage, k, &share);
  if (most >= 0)
    {
      g_auto (GStrv) parts = g_strsplit (tosst_dataset_class_name (self->dataset, most), "\"", -1);
      g_autofree char *name = g_strjoinv ("\"\"", parts);

      g_string_append_printf (text, ",\"%s\"", name);
      append_number (text, share);
    }
  else
    g_string_append (text, ",,");
}

char *
studio_atom_set_to_csv (StudioAtomSet *self)
{
  GString *text = g_string_new ("atom,energy,rank,use,patches,class,class_share\n");

  for (int k = 0; k < self->dictionary->K; k++)
    {
      g_string_append_printf (text, "%d", k + 1);
      append_number (text, self->energy[k]);
      g_string_append_printf (text, ",%d", self->ranks[k]);
      append_usage (text, self, k);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static gboolean
measure_ranks (StudioAtomSet *self, int threads, GError **error)
{
  TosstContext *context = tosst_context_new (threads);
  TosstStatus status;

  if (context == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Ranks"), error);
  status
      = tosst_atom_ranks (context, self->dictionary, tosst_rank_tolerance (self->dictionary->shape, TRUE), self->ranks);
  gboolean fine = tosst_error_from_status (status, context, _ ("Ranks"), error);
  tosst_context_free (context);
  return fine;
}

/* Atoms are looked at by sparse codes, also where a run projects tensors onto their span. */
static TosstRecipe *
copy_for_codes (const TosstRecipe *recipe)
{
  TosstRecipe *copy = tosst_recipe_copy (recipe);

  if (copy->coding.method == TOSST_CODING_SPAN)
    copy->coding.method = TOSST_CODING_SPARSE;
  return copy;
}

StudioAtomSet *
studio_atom_set_new (TosstDictionary *dictionary, const TosstRecipe *recipe, TosstAtomUsage *usage,
                     TosstDataset *dataset, int threads, GError **error)
{
  g_autoptr (StudioAtomSet) self = g_atomic_rc_box_new0 (StudioAtomSet);

  self->dictionary = dictionary;
  self->recipe = recipe != NULL ? copy_for_codes (recipe) : NULL;
  self->ranks = g_new0 (int, dictionary->K);
  self->energy = g_new0 (double, dictionary->K);
  self->usage = usage != NULL ? tosst_atom_usage_ref (usage) : NULL;
  self->dataset = usage != NULL ? tosst_dataset_ref (dataset) : NULL;
  if (!measure_ranks (self, threads, error))
    return NULL;
  measure_energy (self);
  self->order = studio_atom_set_sorted (self, usage != NULL ? STUDIO_ORDER_USE : STUDIO_ORDER_ENERGY);
  return g_steal_pointer (&self);
}

void
studio_atom_set_set_components (StudioAtomSet *self, const TosstPca *pca)
{
  g_clear_pointer (&self->pca, tosst_pca_free);
  self->pca = pca != NULL ? tosst_pca_copy (pca) : NULL;
}

StudioAtomSet *
studio_atom_set_load (GFile *file, int threads, GError **error)
{
  TosstDictionaryMeta meta = { 0 };
  TosstDictionary *dictionary = tosst_dictionary_load (file, &meta, error);
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (TosstRecipe) recipe = NULL;

  if (dictionary == NULL)
    return NULL;
  /* An unreadable recipe counts as missing: only the atoms are required. */
  if (meta.recipe != NULL)
    recipe = tosst_recipe_parse (meta.recipe, name, NULL);
  StudioAtomSet *self = studio_atom_set_new (dictionary, recipe, NULL, NULL, threads, error);
  if (self != NULL)
    self->file = g_filename_display_name (name);
  tosst_dictionary_meta_clear (&meta);
  return self;
}

StudioAtomSet *
studio_atom_set_new_used (StudioAtomSet *of, const TosstRecipe *recipe, TosstAtomUsage *usage, TosstDataset *dataset)
{
  StudioAtomSet *self = g_atomic_rc_box_new0 (StudioAtomSet);
  gsize K = of->dictionary->K;

  self->dictionary = tosst_dictionary_copy (of->dictionary);
  if (self->dictionary == NULL)
    g_error ("out of memory");
  self->recipe = tosst_recipe_copy (recipe);
  studio_atom_set_set_components (self, of->pca);
  self->split = of->split;
  self->file = g_strdup (of->file);
  self->ranks = g_memdup2 (of->ranks, K * sizeof *of->ranks);
  self->energy = g_memdup2 (of->energy, K * sizeof *of->energy);
  self->usage = tosst_atom_usage_ref (usage);
  self->dataset = tosst_dataset_ref (dataset);
  self->order = studio_atom_set_sorted (self, STUDIO_ORDER_USE);
  return self;
}

STUDIO_DEFINE_UNREF (StudioAtomSet, studio_atom_set_unref, (dictionary, tosst_dictionary_free),
                     (recipe, tosst_recipe_free), (pca, tosst_pca_free), (file, g_free), (ranks, g_free),
                     (energy, g_free), (order, g_free), (usage, tosst_atom_usage_unref), (dataset, tosst_dataset_unref))

TosstRecipe *
studio_atom_set_recipe (StudioAtomSet *self, const TosstRecipe *otherwise)
{
  return copy_for_codes (self->recipe != NULL ? self->recipe : otherwise);
}

static TosstShape
described_shape (const TosstRecipe *recipe)
{
  return tosst_moment_shape (tosst_recipe_moment (recipe), tosst_recipe_dimension (recipe));
}

char *
studio_atom_set_mismatch (StudioAtomSet *self, const TosstRecipe *recipe)
{
  TosstShape described = described_shape (recipe), shape = self->dictionary->shape;

  if (tosst_shape_fits (described, shape))
    return NULL;
  if (shape.kind == TOSST_SHAPE_GENERAL || described.kind == shape.kind)
    return g_strdup_printf (_ ("Its atoms have side %d, and the recipe describes patches by tensors of side %d. Under "
                               "Descriptor, choose the features with which it was learned."),
                            shape.d1, described.d1);
  return g_strdup (
      _ ("Its atoms are for another kind of descriptor. Under Descriptor, choose the kind with which it was learned."));
}

TosstDictionary *
studio_atom_set_select (StudioAtomSet *self, int n, int *chosen)
{
  const TosstDictionary *all = self->dictionary;
  TosstDictionary *some = tosst_dictionary_new_shape (all->shape, n);

  if (some == NULL)
    return NULL;
  some->scale = all->scale;
  for (int i = 0; i < n; i++)
    {
      gsize k = (gsize)self->order[i];

      chosen[i] = self->order[i];
      memcpy (some->V + (gsize)i * all->D, all->V + k * all->D, sizeof *all->V * all->D);
      memcpy (some->b + (gsize)i * all->S, all->b + k * all->S, sizeof *all->b * all->S);
    }
  return some;
}

/* The vectors of local features: components, or numbers, and the cells of the spatial code. */
static GArray *
local_groups (const TosstRecipe *recipe)
{
  int d = tosst_recipe_dimension (recipe),
      cells = recipe->descriptor.spatial == TOSST_SPATIAL_SPM ? TOSST_SPATIAL_LENGTH : 0;
  TosstFeatureGroup features = { "", 0, d - cells }, places = { "", d - cells, cells };
  GArray *groups = g_array_new (FALSE, TRUE, sizeof (TosstFeatureGroup));

  g_strlcpy (features.name, recipe->descriptor.pca > 0 ? "PC" : "x", sizeof features.name);
  g_strlcpy (places.name, "SPM", sizeof places.name);
  g_array_append_val (groups, features);
  if (cells > 0)
    g_array_append_val (groups, places);
  return groups;
}

const char *
studio_region_name (int region)
{
  static const char *const names[] = { N_ ("whole image"), N_ ("top left"),     N_ ("top right"),
                                       N_ ("bottom left"), N_ ("bottom right"), N_ ("centre") };

  return _ (names[CLAMP (region, 0, (int)G_N_ELEMENTS (names) - 1)]);
}

void
studio_region_place (int region, const TosstDatasetImage *image, int *x, int *y, int *width, int *height)
{
  TosstRecipe recipe = { .descriptor = { .kind = TOSST_DESCRIPTOR_SIFT, .regions = TRUE } };
  const TosstRegion *regions, *part;
  guint n = tosst_recipe_regions (&recipe, &regions);

  part = &regions[CLAMP (region, 0, (int)n - 1)];
  *x = (int)lround (part->left * image->width);
  *y = (int)lround (part->top * image->height);
  *width = (int)lround (part->right * image->width) - *x;
  *height = (int)lround (part->bottom * image->height) - *y;
}

GArray *
studio_atom_set_groups (StudioAtomSet *self, const TosstRecipe *otherwise)
{
  const TosstRecipe *recipe = self->recipe != NULL ? self->recipe : otherwise;
  TosstFeatureOptions options;

  if (recipe == NULL || !tosst_shape_fits (described_shape (recipe), self->dictionary->shape))
    return NULL;
  if (tosst_recipe_is_local (recipe))
    return local_groups (recipe);
  tosst_recipe_feature_options (recipe, &options);
  return tosst_feature_groups (&options);
}
