/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"
#include "studio/widgets/image-loader.h"

/* Atoms as small heat maps, or as the patches that use them most, in reading order; tall as needed, to be put into a
 * scrolled window. Only what is visible is drawn, and kept. A click, arrow keys, Page Up and Down, Home and End choose
 * one; its tooltip names it. Signals, each with the number of an atom in the dictionary: "chosen", another one, or -1;
 * "activated", at a click, Return or space; "opened", at a double click or Return. */
#define STUDIO_TYPE_ATOM_GRID (studio_atom_grid_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomGrid, studio_atom_grid, STUDIO, ATOM_GRID, GtkWidget)

/* Other files only read the members. */
struct _StudioAtomGrid
{
  GtkWidget parent_instance;
  StudioAtomSet *set; /* all atoms of a dictionary, or NULL */
  StudioAtoms *some;  /* the most used ones, or NULL */
  StudioAtomOrder order;
  int n, K, side;
  int *sorted; /* n: numbers of atoms in reading order */
  int chosen;  /* number of an atom, -1: none */
  int cell;    /* requested side of a tile */
  int zoom;    /* pixels per entry of the matrices kept */
  gboolean patches;
  double contrast;
  gboolean settled;     /* its size is that of these atoms */
  GHashTable *textures; /* number to GdkTexture */
  GHashTable *items;    /* number to StudioImageItem */
  StudioImageLoader *loader;
  GtkAdjustment *scroll; /* once it has been shown, if it can be scrolled */
  guint later;
};

/* All atoms of a dictionary, none chosen, or the most used ones; NULL: none. */
void studio_atom_grid_set_dictionary (StudioAtomGrid *self, StudioAtomSet *set);
void studio_atom_grid_set_atoms (StudioAtomGrid *self, StudioAtoms *atoms);
void studio_atom_grid_set_order (StudioAtomGrid *self, StudioAtomOrder order); /* of all */
/* The tiles: patches that use the atoms most, or matrices; their side, in pixels; the contrast of matrices, from 1 on. */
void studio_atom_grid_set_tiles (StudioAtomGrid *self, gboolean patches, int cell, double contrast);
char *studio_atom_grid_describe_chosen (StudioAtomGrid *self); /* new; NULL: none is chosen */
void studio_atom_grid_choose (StudioAtomGrid *self, int atom); /* also scrolls there; emits no signal; -1: none */

/* The patch of an image, or its region, to be read by a loader. */
StudioImageItem *studio_atom_patch_item (StudioAtomSet *atoms, const TosstAtomPatch *patch);
