/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/runner.h"

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
