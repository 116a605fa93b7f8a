/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/atoms/atom-grid.h"
#include "studio/atoms/atom-panel.h"

/* All atoms of a dictionary, sorted, and the details of one of them. Signals: "patch-chosen" (uint image, int x, int
 * y), "split-chosen" (int split, from 0), "changed" when the exports or the tiles changed. */
#define STUDIO_TYPE_ATOMS_VIEW (studio_atoms_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomsView, studio_atoms_view, STUDIO, ATOMS_VIEW, AdwBin)

/* Other files only read the members. */
struct _StudioAtomsView
{
  AdwBin parent_instance;
  StudioAtomSet *atoms;
  TosstRecipe *given; /* copy of the window's recipe */
  gboolean waiting, updating;
  gboolean patches; /* chosen as tiles; shown as soon as they are known */
  int n_splits;     /* of the run, whose atoms can be shown */

  GtkWidget *matrices_button, *patches_button;
  GtkAdjustment *tile_size, *tile_contrast;
  GtkWidget *stack, *fold, *count, *split, *source, *browser, *panel;
  GtkWidget *use_button, *energy_button, *class_button, *rank_button, *number_button;
};

void studio_atoms_view_set_atoms (StudioAtomsView *self, StudioAtomSet *atoms); /* NULL: none */
void studio_atoms_view_set_splits (StudioAtomsView *self, int n); /* of the run, whose atoms can be chosen */
/* Names the features if the dictionary does not. */
void studio_atoms_view_set_recipe (StudioAtomsView *self, const TosstRecipe *recipe);
void studio_atoms_view_set_waiting (StudioAtomsView *self, gboolean waiting); /* a run will provide atoms */
void studio_atoms_view_open (StudioAtomsView *self, int atom);
/* As in studio_atom_grid_set_tiles(); patches are shown as soon as they are known. */
void studio_atoms_view_get_tiles (StudioAtomsView *self, gboolean *patches, int *size, double *contrast);
void studio_atoms_view_set_tiles (StudioAtomsView *self, gboolean patches, int size, double contrast);
