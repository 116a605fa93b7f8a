/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/file.h"

G_BEGIN_DECLS

/* A dictionary as the window shows it, of a run or of a file, and what is known of its atoms: plain data,
 * reference-counted, immutable, any thread. */
typedef struct
{
  gatomicrefcount references;
  TosstDictionary *dictionary;
  TosstRecipe *recipe;   /* that it was learned by; NULL: not known */
  char *file;            /* name of the file that it was opened from; NULL: the run's */
  int *ranks;            /* K: rank (B_k) */
  double *energy;        /* K: ||B_k (x) b_k||^2 */
  int *order;            /* K: numbers of the atoms, those that matter most first: by use, or else by energy */
  TosstAtomUsage *usage; /* by the codes of a run, or of who asked for it; NULL: not known */
  TosstDataset *dataset; /* whose patches and classes that speaks of; NULL with it */
} StudioAtomSet;

/* Takes dictionary, copies recipe (may be NULL), holds usage and dataset (both or none). Ranks take a while: not for the
 * main thread. NULL with an error. */
StudioAtomSet *studio_atom_set_new (TosstDictionary *dictionary, const TosstRecipe *recipe, TosstAtomUsage *usage,
                                    TosstDataset *dataset, int threads, GError **error);
/* From a file that tosst_dictionary_save() wrote, or any program. */
StudioAtomSet *studio_atom_set_load (GFile *file, int threads, GError **error);
/* The same dictionary, now that its usage is known, by tensors of this recipe. */
StudioAtomSet *studio_atom_set_new_used (StudioAtomSet *of, const TosstRecipe *recipe, TosstAtomUsage *usage,
                                         TosstDataset *dataset);
StudioAtomSet *studio_atom_set_ref (StudioAtomSet *self);
void studio_atom_set_unref (StudioAtomSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioAtomSet, studio_atom_set_unref)

/* A copy of the recipe that tensors for it are described by: its own, else the given one. */
TosstRecipe *studio_atom_set_recipe (StudioAtomSet *self, const TosstRecipe *otherwise);
/* NULL, or a translated sentence why tensors by this recipe do not fit its atoms. */
char *studio_atom_set_mismatch (StudioAtomSet *self, const TosstRecipe *recipe);

/* The n atoms that matter most: a dictionary, new, their numbers in chosen (n). NULL if out of memory. */
TosstDictionary *studio_atom_set_select (StudioAtomSet *self, int n, int *chosen);

typedef enum
{
  STUDIO_ORDER_USE,
  STUDIO_ORDER_ENERGY,
  STUDIO_ORDER_CLASS, /* the share of the class that uses it most */
  STUDIO_ORDER_RANK,
  STUDIO_ORDER_NUMBER,
  STUDIO_N_ORDERS,
} StudioAtomOrder;

/* Numbers of all atoms (K), new: largest first but for STUDIO_ORDER_NUMBER, equal ones by number. */
int *studio_atom_set_sorted (StudioAtomSet *self, StudioAtomOrder order);
gboolean studio_atom_set_knows (StudioAtomSet *self, StudioAtomOrder order); /* what to sort by */
double studio_atom_set_share (StudioAtomSet *self, int atom);                /* of all use; NaN: not known */
/* A header line, then a line per atom; numbers in the C locale, empty where they are not known. New. */
char *studio_atom_set_to_csv (StudioAtomSet *self);

/* Names of the components of a feature vector, of TosstFeatureGroup; NULL where they are not known. */
GArray *studio_atom_set_groups (StudioAtomSet *self, const TosstRecipe *otherwise);

G_END_DECLS
