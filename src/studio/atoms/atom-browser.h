/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"
#include "studio/atoms/atom-tiles.h"

/* All atoms of a dictionary as small heat maps in reading order, to be put into a scrolled window: only the visible
 * ones are drawn and cached. A click, arrow keys, Page Up and Down, Home and End choose one. Signals: "chosen" (int
 * atom), another one; "activated" (int atom), at a click or Return. */
#define STUDIO_TYPE_ATOM_BROWSER (studio_atom_browser_get_type ())
G_DECLARE_FINAL_TYPE (StudioAtomBrowser, studio_atom_browser, STUDIO, ATOM_BROWSER, GtkWidget)

/* Other files only read the members. */
struct _StudioAtomBrowser
{
  GtkWidget parent_instance;
  StudioAtomSet *atoms;
  StudioAtomOrder order;
  int *sorted;   /* K: numbers of atoms in reading order */
  int *position; /* K: the inverse */
  int chosen;    /* number of an atom, -1: none */
  double total;  /* shares of all use */
  StudioAtomTiles *tiles;
  int cell;                     /* requested side of a tile */
  GtkAdjustment *adjustment[2]; /* horizontal, vertical */
  guint policy[2];
};

void studio_atom_browser_set_atoms (StudioAtomBrowser *self, StudioAtomSet *atoms); /* NULL: none; clears the choice */
void studio_atom_browser_set_order (StudioAtomBrowser *self, StudioAtomOrder order);
/* The tiles: patches that use the atoms most, or matrices; their side, in pixels; the contrast of matrices, from 1 on. */
void studio_atom_browser_set_tiles (StudioAtomBrowser *self, gboolean patches, int cell, double contrast);
void studio_atom_browser_choose (StudioAtomBrowser *self, int atom); /* also scrolls there; emits no signal */
