/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/data/dataset.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/common-atoms.h"
#include "core/dictionary/file.h"

/* The dictionary of a run or of a file, with the properties of its atoms: plain data, reference-counted, immutable, any
 * thread. */
typedef struct
{
  TosstDictionary *dictionary;
  TosstRecipe *recipe;   /* of its learning; NULL: unknown */
  TosstPca *pca;         /* components of the local features that it was learned from; NULL: unknown, or none */
  int split;             /* of the run, from 0 */
  char *file;            /* name of the file that it was opened from, of a first look or of steps; NULL: of the run */
  int *ranks;            /* K: rank (B_k) */
  double *energy;        /* K: ||B_k (x) b_k||^2 */
  int *order;            /* K: numbers of the atoms, most important first: by use, or else by energy */
  TosstAtomUsage *usage; /* from the codes of a run or of a search; NULL: unknown */
  TosstDataset *dataset; /* data set of its patches and classes; NULL with it */
} StudioAtomSet;

/* Takes dictionary, copies recipe (may be NULL), holds usage and dataset (both or none). Computing ranks is slow: not
 * for the main thread. NULL with an error. */
StudioAtomSet *studio_atom_set_new (TosstDictionary *dictionary, const TosstRecipe *recipe, TosstAtomUsage *usage,
                                    TosstDataset *dataset, int threads, GError **error);
/* Copies the components of its local features; before it is shared. NULL: none. */
void studio_atom_set_set_components (StudioAtomSet *self, const TosstPca *pca);
/* From a file written by tosst_dictionary_save() or another program. */
StudioAtomSet *studio_atom_set_load (GFile *file, int threads, GError **error);
/* A copy of the dictionary with its usage by tensors of this recipe. */
StudioAtomSet *studio_atom_set_new_used (StudioAtomSet *of, const TosstRecipe *recipe, TosstAtomUsage *usage,
                                         TosstDataset *dataset);
#define studio_atom_set_ref(self) g_atomic_rc_box_acquire (self)
void studio_atom_set_unref (StudioAtomSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioAtomSet, studio_atom_set_unref)

/* A copy of the recipe that describes tensors for it: its own, else the given one. */
TosstRecipe *studio_atom_set_recipe (StudioAtomSet *self, const TosstRecipe *otherwise);
/* NULL, or a translated sentence why tensors by this recipe do not fit its atoms. */
char *studio_atom_set_mismatch (StudioAtomSet *self, const TosstRecipe *recipe);

/* With local features a tensor describes an image or a region of it, by the number of tosst_recipe_regions(): its name,
 * and its place in an image of that size. */
const char *studio_region_name (int region);
void studio_region_place (int region, const TosstDatasetImage *image, int *x, int *y, int *width, int *height);

/* The n most important atoms: a dictionary, new, their numbers in chosen (n). NULL if out of memory. */
TosstDictionary *studio_atom_set_select (StudioAtomSet *self, int n, int *chosen);

typedef enum
{
  STUDIO_ORDER_USE,
  STUDIO_ORDER_ENERGY,
  STUDIO_ORDER_CLASS, /* share of the class that uses it most */
  STUDIO_ORDER_RANK,
  STUDIO_ORDER_NUMBER,
  STUDIO_N_ORDERS,
} StudioAtomOrder;

/* Numbers of all atoms (K), new: largest first except for STUDIO_ORDER_NUMBER, equal ones by number. */
int *studio_atom_set_sorted (StudioAtomSet *self, StudioAtomOrder order);
gboolean studio_atom_set_knows (StudioAtomSet *self, StudioAtomOrder order); /* sort key */
double studio_atom_set_share (StudioAtomSet *self, int atom);                /* share of all use; NaN: unknown */
/* A header line, then a line per atom; numbers in the C locale, empty if unknown. New. */
char *studio_atom_set_to_csv (StudioAtomSet *self);

/* Names of the components of a feature vector, of TosstFeatureGroup; NULL if unknown. */
GArray *studio_atom_set_groups (StudioAtomSet *self, const TosstRecipe *otherwise);

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
} StudioAtoms;

#define STUDIO_MAX_ATOMS 200

StudioAtoms *studio_atoms_new (const TosstDictionary *dictionary, const double *usage, int split, int iteration);
/* Those of tosst_common_atoms(), in their order; split and iteration are -1. */
StudioAtoms *studio_atoms_new_common (const TosstDictionary *dictionary, const GArray *common);
#define studio_atoms_ref(self) g_atomic_rc_box_acquire (self)
void studio_atoms_unref (StudioAtoms *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioAtoms, studio_atoms_unref)
