/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/atoms/atom.h"

G_BEGIN_DECLS

/* One atom, opened: B_k with the names of features, b_k, eigenvalues, its slices, and the patches that use it most.
 * Signal: "patch-chosen" (uint image, int x, int y) when one of these is clicked. */
#define STUDIO_TYPE_ATOM_PANEL (studio_atom_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomPanel, studio_atom_panel, STUDIO, ATOM_PANEL, AdwBin)

void studio_atom_panel_set_atom (StudioAtomPanel *self, StudioAtom *atom); /* NULL: none */
/* While nobody knows which patches use the atoms: whether they can be found, and how far that is, 0..1; negative: nobody looks. */
void studio_atom_panel_set_finding (StudioAtomPanel *self, gboolean possible, double fraction);
StudioAtom *studio_atom_panel_get_atom (StudioAtomPanel *self);

G_END_DECLS
