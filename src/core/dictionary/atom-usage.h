/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/data/patches.h"

/* A patch whose code uses an atom most. */
typedef struct
{
  guint image;
  TosstPoint point; /* top left corner of the patch; of frames x is its number in the image */
  float code;       /* alpha */
  TosstFrame frame; /* zero: patches are on a grid */
} TosstAtomPatch;

enum
{
  TOSST_ATOM_PATCHES = 16 /* maximum number of patches per atom */
};

/* Usage of atoms by the codes of many patches: sums, in total and by class, and the patches with the largest
 * coefficients of each atom. Independent of the number of threads, as codes are added image by image.
 * Reference-counted; immutable after the last codes are added. */
typedef struct TosstAtomUsage
{
  gatomicrefcount references;
  int K, classes;
  gsize tensors;           /* codes added */
  double *use;             /* K: sum |alpha_k| */
  gsize *count;            /* K: codes with alpha_k != 0 */
  double *by_class;        /* K x classes: sum |alpha_k| over patches of that class */
  int *n_patches;          /* K: number of entries in patches */
  gboolean framed;         /* the frames of patches are set */
  TosstAtomPatch *patches; /* K x TOSST_ATOM_PATCHES, by decreasing |alpha_k|; equal ones in order of addition */
} TosstAtomUsage;

TosstAtomUsage *tosst_atom_usage_new (int K, int classes); /* NULL if memory is short */
TosstAtomUsage *tosst_atom_usage_ref (TosstAtomUsage *self);
void tosst_atom_usage_unref (TosstAtomUsage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstAtomUsage, tosst_atom_usage_unref)
gsize tosst_atom_usage_bytes (int K, int classes);

/* Adds codes: n x K, of the n patches of one image at these points. */
void tosst_atom_usage_add (TosstAtomUsage *self, const float *codes, gsize n, const TosstPoint *points, guint image,
                           int class_index);

/* Adds their frames to the patches of the lists, if they have any: the first time, under a lock, for runs that share the
 * codes of a split share their usage. */
void tosst_atom_usage_set_frames (TosstAtomUsage *self, const TosstPatches *patches);

/* The class with the largest use of atom k, and its share of the total use in [0, 1]; -1 if no code uses the atom. */
int tosst_atom_usage_class (const TosstAtomUsage *self, int k, double *share);
