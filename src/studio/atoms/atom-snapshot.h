/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/dictionary/common-atoms.h"

/* The most used atoms, at one iteration of learning or by some blocks: plain data, reference-counted, immutable, any
 * thread. */
typedef struct
{
  int d, K, n; /* side, atoms in all, atoms held here (the n most used, most used first) */
  int split, iteration;
  int *index;       /* n: their numbers in the dictionary */
  double *share;    /* n: part of the whole usage, 0..1 */
  double *matrices; /* n x d x d: B_k */
  double *b;        /* n x d: b_k */
  double *display;  /* n x d x d: B_k scaled by its largest |entry|, so that atoms of small energy show structure */
  gatomicrefcount references;
} StudioAtoms;

#define STUDIO_MAX_ATOMS 200

StudioAtoms *studio_atoms_new (const TosstDictionary *dictionary, const double *usage, int split, int iteration);
/* Those of tosst_common_atoms(), in their order; split and iteration are -1. */
StudioAtoms *studio_atoms_new_common (const TosstDictionary *dictionary, const GArray *common);
StudioAtoms *studio_atoms_ref (StudioAtoms *self);
void studio_atoms_unref (StudioAtoms *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioAtoms, studio_atoms_unref)
