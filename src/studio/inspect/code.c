/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/inspect/code.h"

#include <glib/gi18n.h>

StudioCodeQuestion *
studio_code_question_copy (const StudioCodeQuestion *question)
{
  StudioCodeQuestion *self = g_memdup2 (question, sizeof *question);

  self->atoms = studio_atom_set_ref (question->atoms);
  self->recipe = tosst_recipe_copy (question->recipe);
  self->dataset = tosst_dataset_ref (question->dataset);
  return self;
}

void
studio_code_question_free (StudioCodeQuestion *self)
{
  studio_atom_set_unref (self->atoms);
  tosst_recipe_free ((TosstRecipe *)self->recipe);
  tosst_dataset_unref (self->dataset);
  g_free (self);
}

StudioCode *
studio_code_ref (StudioCode *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_code_unref (StudioCode *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  g_free (self->problem);
  g_free (self->tensor);
  g_free (self->reconstruction);
  g_free (self->residual);
  g_free (self->code);
  g_free (self);
}

char *
studio_code_place (const StudioCode *self)
{
  return self->local    ? g_strdup (studio_region_name (self->point.x))
         : self->framed ? g_strdup_printf (_ ("frame %d"), self->point.x + 1)
                        : g_strdup_printf (_ ("patch at %d, %d"), self->point.x, self->point.y);
}

TosstSlicesDrawing
studio_code_slices (const StudioCode *self, int chosen, GArray *groups)
{
  return (TosstSlicesDrawing){ .map = { self->tensor, self->reconstruction, self->residual },
                               .planes = self->planes,
                               .rows = self->rows,
                               .columns = self->columns,
                               .chosen = chosen,
                               .groups = groups };
}
