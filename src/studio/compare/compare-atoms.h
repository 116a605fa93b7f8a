/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/compare/compare-set.h"

/* Dictionaries of the compared runs side by side: each atom of the first beside the most similar atoms of the others,
 * matched one to one, with their similarities. */
#define STUDIO_TYPE_COMPARE_ATOMS (studio_compare_atoms_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareAtoms, studio_compare_atoms, STUDIO, COMPARE_ATOMS, AdwBin)

void studio_compare_atoms_set_set (StudioCompareAtoms *self, StudioCompareSet *set); /* NULL: none */
gboolean studio_compare_atoms_is_matching (StudioCompareAtoms *self);                /* in the background, now */
