/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranks that are threads of this process, for tests of what ranks do together.
 */
#pragma once

#include "tosst/ranks.h"

#define MOST_RANKS 5

/* Calls func once for each rank, on a thread of its own, and waits. */
void run_ranks (int size, void (*func) (TosstRanks *ranks, void *data), void *data);
