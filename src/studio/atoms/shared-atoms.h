/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/atoms/atom-set.h"

/* The atoms that some blocks use most in common, as heat maps under a heading; computed in a separate thread. Signal:
 * "atom-chosen" (int atom), of a click or Enter on one. */
#define STUDIO_TYPE_SHARED_ATOMS (studio_shared_atoms_get_type ())
G_DECLARE_FINAL_TYPE (StudioSharedAtoms, studio_shared_atoms, STUDIO, SHARED_ATOMS, AdwBin)

/* samples: of guint, of the data set. Hidden without samples, or with NULL for all three. atoms: of a run, with the
 * recipe of its learning. */
void studio_shared_atoms_show (StudioSharedAtoms *self, StudioAtomSet *atoms, TosstDataset *dataset,
                               const GArray *samples);
