/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/runner.h"

G_BEGIN_DECLS

/* The blocks that one cell of the confusion counts, as pictures, and the atoms they share. Signals: "block-chosen" (uint
 * image, int x, int y), the top left corner in pixels of the image, of a double click or Enter on one; "atom-chosen" (int
 * atom). */
#define STUDIO_TYPE_CELL_BLOCKS (studio_cell_blocks_get_type ())
G_DECLARE_FINAL_TYPE (StudioCellBlocks, studio_cell_blocks, STUDIO, CELL_BLOCKS, AdwBin)

/* Those of class truth of which the classifier said said, of all splits; a block that several splits test is shown once.
 * atoms: the run's; NULL if it learned none. */
void studio_cell_blocks_show (StudioCellBlocks *self, TosstDataset *dataset, const TosstRunResult *result,
                              StudioAtomSet *atoms, guint truth, guint said);
void studio_cell_blocks_clear (StudioCellBlocks *self); /* and hides it */

G_END_DECLS
