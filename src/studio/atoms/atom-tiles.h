/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"
#include "studio/widgets/image-loader.h"

/* The pictures of atoms in a browser, made when they are first seen: their matrices, or the patches that use them most
 * (their matrices where there is none). Main thread. */
typedef struct StudioAtomTiles StudioAtomTiles;

#define STUDIO_MOST_CONTRAST 4.0

StudioAtomTiles *studio_atom_tiles_new (GtkWidget *widget); /* of which to queue a drawing when a patch has been read */
void studio_atom_tiles_free (StudioAtomTiles *self);
void studio_atom_tiles_set_atoms (StudioAtomTiles *self, StudioAtomSet *atoms); /* NULL: none */
void studio_atom_tiles_set_patches (StudioAtomTiles *self, gboolean patches);
void studio_atom_tiles_set_contrast (StudioAtomTiles *self, double contrast); /* factor of the entries, from 1 on */
void studio_atom_tiles_clear (StudioAtomTiles *self);                         /* they have to be made again */
guint studio_atom_tiles_count (StudioAtomTiles *self);
/* zoom: pixels per entry of a matrix. make FALSE: only one that is there. NULL: not yet. */
GdkTexture *studio_atom_tiles_get (StudioAtomTiles *self, int atom, int zoom, gboolean make);

/* The patch of an image, or its region, to be read by a loader. */
StudioImageItem *studio_atom_patch_item (StudioAtomSet *atoms, const TosstAtomPatch *patch);

/* Layout of many small matrices: squares of one size in lines that are justified to the width. */
typedef struct
{
  int zoom;      /* logical pixels per matrix entry, whole, so that entries stay sharp squares */
  int size;      /* side of a square, logical pixels */
  int columns;   /* at least 1 */
  int line;      /* from the top of one line to that of the next */
  double stride; /* from one square to the next in a line; the rest of a line is distributed between them */
} StudioAtomLattice;

#define STUDIO_ATOM_LATTICE_CELL 56 /* requested side of a square, before rounding to whole pixels per entry */
#define STUDIO_ATOM_LATTICE_GAP 6   /* minimum distance between squares */

/* n squares for matrices whose larger dimension is `side` (0: none yet), in `width` logical pixels; cell: requested side. */
StudioAtomLattice studio_atom_lattice (int side, int n, int width, int cell);
/* The same for larger squares, as long as all of them fit into `height` and none is larger than `largest`: a small
 * dictionary uses a large window. */
StudioAtomLattice studio_atom_lattice_filling (int side, int n, int width, int height, int cell, int largest);
/* The corner of square i, relative to that of the first. */
void studio_atom_lattice_place (const StudioAtomLattice *self, int i, int *x, int *y);
/* The square at a position, -1: none. */
int studio_atom_lattice_at (const StudioAtomLattice *self, int n, double x, double y);
int studio_atom_lattice_height (const StudioAtomLattice *self, int n);

/* A hairline around the square at x, y, so that pale matrices have edges too, or a wide frame around the chosen one;
 * both in the colour of the widget. */
void studio_atom_lattice_frame (const StudioAtomLattice *self, GtkWidget *widget, GtkSnapshot *snapshot, int x, int y,
                                gboolean chosen);
