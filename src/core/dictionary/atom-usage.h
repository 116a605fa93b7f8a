/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/data/dataset.h"
#include "core/data/patches.h"
#include "core/recipe/recipe.h"

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

/* Usage by images of tosst_dataset_subset() (images: guint, in order of their classes, of the whole data set), as usage by
 * the whole data set. New; NULL if memory is short. */
TosstAtomUsage *tosst_atom_usage_of_subset (const TosstAtomUsage *self, TosstDataset *whole, const GArray *images);

/* As the bytes of a .npy file, and back: NULL with error if they are of other atoms or images. New. */
GBytes *tosst_atom_usage_to_bytes (const TosstAtomUsage *self);
TosstAtomUsage *tosst_atom_usage_from_bytes (GBytes *bytes, int K, TosstDataset *dataset, GError **error);

/* The class with the largest use of atom k, and its share of the total use in [0, 1]; -1 if no code uses the atom. */
int tosst_atom_usage_class (const TosstAtomUsage *self, int k, double *share);

/* Computes the usage of a dictionary's atoms by the patches of a data set, if no run has recorded it: describes and
 * codes all patches by the recipe, which must have a dictionary of this shape. An unreadable image is an error.
 * Of local features all images are coded, with the principal components of the training images of the first split.
 * Memory: the lists of patches and the pixels of one image. Reports progress to the context. Returns a new
 * TosstAtomUsage, or NULL with error. */
TosstAtomUsage *tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                                  TosstDataset *dataset, GError **error);
