/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/atoms/atom.h"
#include "studio/widgets/image-loader.h"

/* Details of one atom: B_k with the names of features, b_k, eigenvalues, its slices, and the patches that use it most.
 * Signal: "patch-chosen" (uint image, int x, int y) when one of these is clicked. */
#define STUDIO_TYPE_ATOM_PANEL (studio_atom_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomPanel, studio_atom_panel, STUDIO, ATOM_PANEL, AdwBin)

/* Other files only read the members. */
struct _StudioAtomPanel
{
  AdwBin parent_instance;
  StudioAtom *atom; /* NULL: none */
  StudioImageLoader *loader;
  StudioImageItem *items[TOSST_ATOM_PATCHES];
  GtkWidget *buttons[TOSST_ATOM_PATCHES], *pictures[TOSST_ATOM_PATCHES];
  GBinding *bindings[TOSST_ATOM_PATCHES]; /* of the texture of an item to its picture */

  int slice; /* on show instead of B; -1: B */
  guint play_source;

  GtkWidget *hint, *slice_label, *play_button, *title, *facts, *matrix, *b_part, *b, *eigenvalues, *slices_part, *strip,
      *patches, *no_patches, *patches_title, *find_button;
  gboolean can_find;
  double found; /* progress of the search for patches; negative: no search */
};

void studio_atom_panel_set_atom (StudioAtomPanel *self, StudioAtom *atom); /* NULL: none */
/* While the patches that use the atoms are unknown: whether they can be searched for, and the progress of the search,
 * 0..1; negative: no search. */
void studio_atom_panel_set_finding (StudioAtomPanel *self, gboolean possible, double fraction);
