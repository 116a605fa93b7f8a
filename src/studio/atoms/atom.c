/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "studio/tasks/shared.h"
#include "studio/widgets/format.h"
#include "tosst/tensor.h"

static gboolean
is_whole (const StudioAtom *self)
{
  return self->set->dictionary->shape.kind == TOSST_SHAPE_WHOLE;
}

/* B_k b_k^s one slice after the other. */
static void
fill_slices (StudioAtom *self)
{
  const TosstDictionary *dictionary = self->set->dictionary;
  gsize square = (gsize)self->rows * self->columns;

  self->planes = is_whole (self) ? dictionary->shape.d3 : dictionary->S;
  self->slices = g_new (double, square * self->planes);
  if (is_whole (self))
    {
      g_autofree double *B = g_new (double, square * self->planes);

      tosst_atom_to_array (dictionary->shape, dictionary->V + (gsize)self->number * dictionary->D, B);
      for (gsize i = 0; i < square; i++)
        for (int s = 0; s < self->planes; s++)
          self->slices[s * square + i] = B[i * self->planes + s];
      return;
    }
  for (int s = 0; s < self->planes; s++)
    for (gsize i = 0; i < square; i++)
      self->slices[s * square + i] = self->matrix[i] * self->b[s];
}

StudioAtom *
studio_atom_new (StudioAtomSet *set, int number, GArray *groups)
{
  const TosstDictionary *dictionary = set->dictionary;
  StudioAtom *self = g_atomic_rc_box_new0 (StudioAtom);

  self->set = studio_atom_set_ref (set);
  self->number = number;
  self->groups = groups != NULL ? g_array_ref (groups) : NULL;
  self->rows = dictionary->shape.d1;
  self->columns = dictionary->shape.d2;
  self->n_b = dictionary->S;
  self->b = g_memdup2 (dictionary->b + (gsize)number * dictionary->S, sizeof *self->b * dictionary->S);
  self->matrix = g_new (double, (gsize)self->rows * self->columns);
  tosst_dictionary_matrix (dictionary, number, self->matrix);
  fill_slices (self);
  TosstShape shape = self->set->dictionary->shape;
  gpointer work = g_aligned_alloc (1, tosst_plane_work (shape), 64);
  self->n_eigenvalues = tosst_plane_rank_limit (shape);
  self->eigenvalues = g_new0 (double, self->n_eigenvalues);
  if (tosst_plane_spectrum (shape, self->matrix, work, self->eigenvalues) != TOSST_OK)
    memset (self->eigenvalues, 0, sizeof *self->eigenvalues * self->n_eigenvalues);
  g_aligned_free (work);
  return self;
}

STUDIO_DEFINE_UNREF (StudioAtom, studio_atom_unref, (set, studio_atom_set_unref), (groups, g_array_unref),
                     (matrix, g_free), (slices, g_free), (eigenvalues, g_free), (b, g_free))

char *
studio_atom_title (const StudioAtom *self)
{
  g_autofree char *number = studio_format_count (self->number + 1);
  g_autofree char *all = studio_format_count (self->set->dictionary->K);

  return g_strdup_printf (_ ("Atom %s of %s"), number, all);
}

char *
studio_atom_facts (const StudioAtom *self)
{
  g_autofree char *energy = studio_format_real (self->set->energy[self->number], 2), *use = NULL, *part = NULL;
  double share;

  if (self->set->usage == NULL)
    return g_strdup_printf (_ ("rank %d · energy %s"), self->set->ranks[self->number], energy);
  use = studio_format_percent (100 * studio_atom_set_share (self->set, self->number), 1);
  int most = tosst_atom_usage_class (self->set->usage, self->number, &share);
  if (most < 0)
    return g_strdup_printf (_ ("rank %d · energy %s · not used"), self->set->ranks[self->number], energy);
  part = studio_format_percent (100 * share, 0);
  return g_strdup_printf (_ ("rank %d · energy %s · %s of all use, %s of that by %s"), self->set->ranks[self->number],
                          energy, use, part, tosst_dataset_class_label (self->set->dataset, most));
}

TosstMatrixDrawing
studio_atom_matrix (const StudioAtom *self)
{
  return (TosstMatrixDrawing){ self->matrix, self->rows, self->columns, self->groups, 0 };
}

TosstMatrixDrawing
studio_atom_slice (const StudioAtom *self, int slice)
{
  gsize square = (gsize)self->rows * self->columns;
  TosstMatrixDrawing drawing = { self->slices + slice * square, self->rows, self->columns, self->groups, 0 };

  for (gsize i = 0; i < square * self->planes; i++)
    drawing.limit = isfinite (self->slices[i]) ? MAX (drawing.limit, fabs (self->slices[i])) : drawing.limit;
  return drawing;
}

char *
studio_atom_slice_title (const StudioAtom *self, int slice)
{
  g_autofree char *name = tosst_feature_group_label (self->groups, slice), *weight = NULL;

  if (self->n_b != self->planes)
    return g_strdup_printf (_ ("Slice %s, %d of %d"), name, slice + 1, self->planes);
  weight = studio_format_real (self->b[slice], 2);
  /* Translators: a slice by the name of its feature, its number, and its weight in b */
  return g_strdup_printf (_ ("Slice %s, %d of %d: b = %s"), name, slice + 1, self->planes, weight);
}

/* What to look for. */

/* The component with the largest value. */
static int
largest (const double *values, int n, int step)
{
  int most = 0;

  for (int i = 1; i < n; i++)
    if (values[(gsize)i * step] > values[(gsize)most * step])
      most = i;
  return most;
}

/* The pair of different components that vary together most. */
static double
strongest_pair (const StudioAtom *self, int *row, int *column)
{
  double most = 0;

  for (int i = 0; i < self->rows; i++)
    for (int j = 0; j < i && j < self->columns; j++)
      {
        double entry = self->matrix[(gsize)i * self->columns + j];

        if (fabs (entry) <= fabs (most))
          continue;
        most = entry;
        *row = i;
        *column = j;
      }
  return most;
}

/* What the pivots of a feature stand for, from its lowest value to its highest. */
static const struct
{
  const char *feature;
  const char *words[3];
} meanings[] = {
  { "x", { N_ ("on the left"), N_ ("in the middle"), N_ ("on the right") } },
  { "y", { N_ ("at the top"), N_ ("in the middle"), N_ ("at the bottom") } },
  { "I", { N_ ("dark"), N_ ("of medium brightness"), N_ ("bright") } },
  { "I_x", { N_ ("darker to the right"), N_ ("even from left to right"), N_ ("brighter to the right") } },
  { "I_y", { N_ ("darker downwards"), N_ ("even from top to bottom"), N_ ("brighter downwards") } },
  { "I_xx", { N_ ("a bright upright line"), N_ ("no upright line"), N_ ("a dark upright line") } },
  { "I_yy", { N_ ("a bright level line"), N_ ("no level line"), N_ ("a dark level line") } },
};

/* "x 4 (on the right)"; the label alone where a feature has no pivots, or absolute values. New. */
static char *
name_feature (const StudioAtom *self, int i)
{
  char *label = tosst_feature_group_label (self->groups, i);
  gboolean absolute = self->set->recipe != NULL && self->set->recipe->descriptor.absolute;

  for (guint g = 0; self->groups != NULL && !absolute && g < self->groups->len; g++)
    {
      const TosstFeatureGroup *group = &g_array_index (self->groups, TosstFeatureGroup, g);

      for (guint m = 0; m < G_N_ELEMENTS (meanings); m++)
        if (group->count > 2 && i >= group->first && i < group->first + group->count
            && strcmp (group->name, meanings[m].feature) == 0)
          {
            const char *words = _ (meanings[m].words[3 * (i - group->first) / group->count]);
            char *name = g_strdup_printf ("%s (%s)", label, words);

            g_free (label);
            return name;
          }
    }
  return label;
}

static void
append_pair (GString *text, const StudioAtom *self)
{
  int i, j = 0, row = 0, column = 0;
  double pair = strongest_pair (self, &row, &column);
  g_autofree char *most = NULL, *a = NULL, *b = NULL;

  i = largest (self->matrix, MIN (self->rows, self->columns), self->columns + 1);
  j = self->n_b > 1 ? largest (self->b, self->n_b, 1) : -1;
  most = name_feature (self, i);
  g_string_append_printf (
      text, _ ("Its strongest feature is %s: the square of the diagonal with the most intense colour."), most);
  if (pair != 0)
    {
      a = name_feature (self, column);
      b = name_feature (self, row);
      g_string_append_c (text, ' ');
      g_string_append_printf (text, pair > 0 ? _ ("%s and %s rise together.") : _ ("Where %s rises, %s falls."), a, b);
    }
  if (j >= 0)
    {
      g_autofree char *slice = tosst_feature_group_label (self->groups, j);

      g_string_append_c (text, ' ');
      g_string_append_printf (text, _ ("The vector b weights slice %s most."), slice);
    }
}

static void
append_class (GString *text, const StudioAtom *self)
{
  const TosstAtomUsage *usage = self->set->usage;
  guint classes = self->set->dataset != NULL ? self->set->dataset->classes->len : 0;
  double share;
  int most = usage != NULL ? tosst_atom_usage_class (usage, self->number, &share) : -1;

  if (most < 0 || classes < 2)
    return;
  g_string_append_c (text, ' ');
  if (share * classes >= 3)
    g_string_append_printf (text,
                            _ ("It belongs to the class %s, which uses it much more than the others: compare its "
                               "patches below."),
                            tosst_dataset_class_label (self->set->dataset, (guint)most));
  else
    g_string_append (text, _ ("Several classes use it: it stands for what their textures share."));
}

char *
studio_atom_hint (const StudioAtom *self)
{
  GString *text = g_string_new (NULL);
  int rank = self->set->ranks[self->number];

  append_pair (text, self);
  g_string_append_c (text, ' ');
  g_string_append_printf (text,
                          4 * rank <= self->rows
                              ? ngettext ("Rank %d of %d: one combination of features describes it.",
                                          "Rank %d of %d: few combinations of features describe it.", rank)
                              : ngettext ("Rank %d of %d: many features vary on their own.",
                                          "Rank %d of %d: many features vary on their own.", rank),
                          rank, self->rows);
  append_class (text, self);
  return g_string_free (text, FALSE);
}

TosstBarsDrawing
studio_atom_b (const StudioAtom *self)
{
  return (TosstBarsDrawing){ self->b, self->n_b, self->n_b == self->rows ? self->groups : NULL };
}

TosstBarsDrawing
studio_atom_eigenvalues (const StudioAtom *self)
{
  return (TosstBarsDrawing){ self->eigenvalues, self->n_eigenvalues, NULL };
}

TosstStripDrawing
studio_atom_strip (const StudioAtom *self)
{
  return (TosstStripDrawing){ self->slices, self->planes, self->rows, self->columns, -1 };
}
