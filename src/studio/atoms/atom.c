/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/atoms/atom.h"

#include <glib/gi18n.h>
#include <string.h>

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

static void
fill_eigenvalues (StudioAtom *self)
{
  TosstShape shape = self->set->dictionary->shape;
  gpointer work = g_aligned_alloc (1, tosst_plane_work (shape), 64);

  self->n_eigenvalues = tosst_plane_rank_limit (shape);
  self->eigenvalues = g_new0 (double, self->n_eigenvalues);
  if (tosst_plane_spectrum (shape, self->matrix, work, self->eigenvalues) != TOSST_OK)
    memset (self->eigenvalues, 0, sizeof *self->eigenvalues * self->n_eigenvalues);
  g_aligned_free (work);
}

StudioAtom *
studio_atom_new (StudioAtomSet *set, int number, GArray *groups)
{
  const TosstDictionary *dictionary = set->dictionary;
  StudioAtom *self = g_new0 (StudioAtom, 1);

  g_atomic_ref_count_init (&self->references);
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
  fill_eigenvalues (self);
  return self;
}

StudioAtom *
studio_atom_ref (StudioAtom *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_atom_unref (StudioAtom *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  studio_atom_set_unref (self->set);
  g_clear_pointer (&self->groups, g_array_unref);
  g_free (self->matrix);
  g_free (self->slices);
  g_free (self->eigenvalues);
  g_free (self->b);
  g_free (self);
}

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
  int most;

  if (self->set->usage == NULL)
    return g_strdup_printf (_ ("rank %d · energy %s"), self->set->ranks[self->number], energy);
  use = studio_format_percent (100 * studio_atom_set_share (self->set, self->number), 1);
  most = tosst_atom_usage_class (self->set->usage, self->number, &share);
  if (most < 0)
    return g_strdup_printf (_ ("rank %d · energy %s · not used"), self->set->ranks[self->number], energy);
  part = studio_format_percent (100 * share, 0);
  return g_strdup_printf (_ ("rank %d · energy %s · %s of all use, %s of that by %s"), self->set->ranks[self->number],
                          energy, use, part, tosst_dataset_class_name (self->set->dataset, most));
}

TosstMatrixDrawing
studio_atom_matrix (const StudioAtom *self)
{
  return (TosstMatrixDrawing){ self->matrix, self->rows, self->columns, self->groups };
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
