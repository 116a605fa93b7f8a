/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of whitening and spectra.
 */
#pragma once

/* whiten.c */
/* Tensors of one batch: above this, memory latency outweighs the gain from full registers. */
#define LANES_MOST_BYTES ((size_t)12 << 20)
#define WHITEN_TILE 6   /* values of b per tile of T2, which stays in the first-level cache */
#define WHITEN_CHUNK 32 /* pairs of the Gram matrix converted to double at a time */

/* sparsify.c */
/* Eigenvalues of a slice below this part of the largest count as zero; documented in tosst/tensor.h. */
#define SPARSIFY_RANK_TOLERANCE 1e-9
