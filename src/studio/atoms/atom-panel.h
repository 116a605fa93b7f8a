/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/atoms/atom.h"

/* Details of one atom: B_k with the names of features, b_k, eigenvalues, its slices, and the patches that use it most.
 * Signal: "patch-chosen" (uint image, int x, int y) when one of these is clicked. */
#define STUDIO_TYPE_ATOM_PANEL (studio_atom_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomPanel, studio_atom_panel, STUDIO, ATOM_PANEL, AdwBin)

void studio_atom_panel_set_atom (StudioAtomPanel *self, StudioAtom *atom); /* NULL: none */
/* While the patches that use the atoms are unknown: whether they can be searched for, and the progress of the search,
 * 0..1; negative: no search. */
void studio_atom_panel_set_finding (StudioAtomPanel *self, gboolean possible, double fraction);
StudioAtom *studio_atom_panel_get_atom (StudioAtomPanel *self);
