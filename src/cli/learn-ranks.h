/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning on several ranks: tensors and states of each.
 */
#pragma once

#include "cli/learn-input.h"
#include "core/run/checkpoint.h"

/* The tensors of this rank: *n x m, new; NULL with an error in the input. */
float *cli_learn_ranks_read (CliLearnInput *input, gsize *n);
/* The fingerprint of all tensors, read by rank 0. Collective; NULL after a failure, with an error on the rank that failed. */
char *cli_learn_ranks_fingerprint (CliLearnInput *input);
/* On rank 0 the checkpoint with the codes of all ranks from those of each, new; NULL if any has none, and on other ranks.
 * Collective. */
TosstCheckpoint *cli_learn_ranks_collect (const TosstCheckpoint *own);
