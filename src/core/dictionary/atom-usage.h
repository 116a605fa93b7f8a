/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/descriptor/describe.h"

G_BEGIN_DECLS

/* Where an atom is used most. */
typedef struct
{
  guint image;
  TosstPoint point; /* top left corner of the patch */
  float code;       /* alpha there */
} TosstAtomPatch;

enum
{
  TOSST_ATOM_PATCHES = 16 /* kept of each atom */
};

/* How the codes of many patches use their atoms: sums, by class too, and the patches that use each atom most. Numbers
 * do not depend on threads: codes are added one image after the other. Reference-counted; immutable once nothing is
 * added any more. */
typedef struct TosstAtomUsage
{
  gatomicrefcount references;
  int K, classes;
  gsize tensors;           /* codes added */
  double *use;             /* K: sum |alpha_k| */
  gsize *count;            /* K: codes with alpha_k != 0 */
  double *by_class;        /* K x classes: sum |alpha_k| over patches of that class */
  int *n_patches;          /* K: entries of the list below */
  TosstAtomPatch *patches; /* K x TOSST_ATOM_PATCHES, largest |alpha_k| first; of equal ones the earlier */
} TosstAtomUsage;

TosstAtomUsage *tosst_atom_usage_new (int K, int classes); /* NULL: not enough memory */
TosstAtomUsage *tosst_atom_usage_ref (TosstAtomUsage *self);
void tosst_atom_usage_unref (TosstAtomUsage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstAtomUsage, tosst_atom_usage_unref)
gsize tosst_atom_usage_bytes (int K, int classes);

/* codes: n x K, of the n patches of one image at these points. */
void tosst_atom_usage_add (TosstAtomUsage *self, const float *codes, gsize n, const TosstPoint *points, guint image,
                           int class_index);

/* The class that uses atom k most, and its share of that use in 0 .. 1; -1 if no code uses the atom. */
int tosst_atom_usage_class (const TosstAtomUsage *self, int k, double *share);

G_END_DECLS
