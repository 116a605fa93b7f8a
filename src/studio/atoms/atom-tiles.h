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
