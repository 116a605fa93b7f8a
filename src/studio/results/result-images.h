/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/runner.h"

/* The atoms that some blocks use most in common, as heat maps under a heading; computed in a separate thread. Signal:
 * "atom-chosen" (int atom), of a click or Enter on one. */
#define STUDIO_TYPE_SHARED_ATOMS (studio_shared_atoms_get_type ())
G_DECLARE_FINAL_TYPE (StudioSharedAtoms, studio_shared_atoms, STUDIO, SHARED_ATOMS, AdwBin)

/* samples: of guint, of the data set. Hidden without samples, or with NULL for all three. atoms: of a run, with the
 * recipe of its learning. */
void studio_shared_atoms_show (StudioSharedAtoms *self, StudioAtomSet *atoms, TosstDataset *dataset,
                               const GArray *samples);

/* The blocks counted by one cell of the confusion matrix, as pictures, and the atoms they share. Signals:
 * "block-chosen" (uint image, int x, int y), the top left corner in pixels of the image, of a double click or Enter on
 * one; "atom-chosen" (int atom). */
#define STUDIO_TYPE_CELL_BLOCKS (studio_cell_blocks_get_type ())
G_DECLARE_FINAL_TYPE (StudioCellBlocks, studio_cell_blocks, STUDIO, CELL_BLOCKS, AdwBin)

/* Blocks of class truth that were classified as said, of all splits; a block tested by several splits is shown once.
 * atoms: of the run; NULL if it learned none. */
void studio_cell_blocks_show (StudioCellBlocks *self, TosstDataset *dataset, const TosstRunResult *result,
                              StudioAtomSet *atoms, guint truth, guint said);
void studio_cell_blocks_clear (StudioCellBlocks *self); /* clears and hides it */

/* One class of a run with several labels an image: its precision-recall curve, and the images that it ranks best and
 * worst, with their scores. Signal "image-chosen" (uint image) of a double click or Enter on one. */
#define STUDIO_TYPE_CLASS_SCORES (studio_class_scores_get_type ())
G_DECLARE_FINAL_TYPE (StudioClassScores, studio_class_scores, STUDIO, CLASS_SCORES, AdwBin)

/* Shows the first split. */
void studio_class_scores_show (StudioClassScores *self, TosstDataset *dataset, const TosstRunResult *result,
                               int class_index);
void studio_class_scores_clear (StudioClassScores *self);
