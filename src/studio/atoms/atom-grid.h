/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"

/* Many small heat maps, one per atom, in reading order of their use. Arrow keys or the pointer choose one; its tooltip
 * names it. Signals: "chosen", another atom or none; "atom-activated" (int atom), its number in the dictionary, at a
 * click, Return or space; "atom-opened" (int atom), at a double click or Return. */
#define STUDIO_TYPE_ATOM_GRID (studio_atom_grid_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomGrid, studio_atom_grid, STUDIO, ATOM_GRID, GtkWidget)

void studio_atom_grid_set_atoms (StudioAtomGrid *self, StudioAtoms *atoms); /* NULL: none */
char *studio_atom_grid_describe_chosen (StudioAtomGrid *self);              /* new; NULL: none is chosen */
void studio_atom_grid_choose (StudioAtomGrid *self, int atom); /* by its number in the dictionary; -1: none */
