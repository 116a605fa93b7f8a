/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/draw-code.h"
#include "studio/atoms/atom-set.h"

/* The data drawn for one atom: plain data, reference-counted, immutable, any thread. */
typedef struct
{
  StudioAtomSet *set;
  int number; /* from 0 */
  GArray *groups;
  int rows, columns, planes;
  double *matrix;      /* rows x columns: B_k; of a whole atom the mean of its slices */
  double *slices;      /* planes x rows x columns: B_k b_k^s; of a whole atom B[:,:,s] */
  double *eigenvalues; /* n_eigenvalues, largest first; singular values where it is not symmetric */
  int n_eigenvalues;
  double *b; /* n_b; a single number if atoms have no b */
  int n_b;
} StudioAtom;

StudioAtom *studio_atom_new (StudioAtomSet *set, int number, GArray *groups); /* groups: may be NULL */
#define studio_atom_ref(self) g_atomic_rc_box_acquire (self)
void studio_atom_unref (StudioAtom *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioAtom, studio_atom_unref)

/* "Atom 17 of 2,000", and its figures in one line: new, translated. */
char *studio_atom_title (const StudioAtom *self);
char *studio_atom_facts (const StudioAtom *self);

/* What to look for in its pictures, in words: new, translated. */
char *studio_atom_hint (const StudioAtom *self);

/* Drawings of it; they borrow the atom. */
TosstMatrixDrawing studio_atom_matrix (const StudioAtom *self);
TosstMatrixDrawing studio_atom_slice (const StudioAtom *self, int slice); /* in colours common to all slices */
char *studio_atom_slice_title (const StudioAtom *self, int slice);        /* new, translated */
TosstBarsDrawing studio_atom_b (const StudioAtom *self);
TosstBarsDrawing studio_atom_eigenvalues (const StudioAtom *self);
TosstStripDrawing studio_atom_strip (const StudioAtom *self);
