/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "tosst/context.h"
#include "tosst/pool.h"

/* Signatures of all square windows of patches sliding over an image, from rows of codes in order. */
typedef struct TosstWindowPool TosstWindowPool;

typedef struct
{
  TosstPoolKind kind;
  double parameter, power;
  gboolean l2;
  int K;
  gsize columns; /* patches per row of the image */
  gsize side;    /* patches per row, and per column, of a window; at most columns */
  gsize stride;  /* step between windows in patches, in both directions */
} TosstWindowPoolOptions;

/* Bytes of memory of a pool. */
gsize tosst_window_pool_bytes (const TosstWindowPoolOptions *options, int threads);
/* Returns NULL if out of memory. threads: maximum of the contexts used with it. */
TosstWindowPool *tosst_window_pool_new (const TosstWindowPoolOptions *options, int threads);
void tosst_window_pool_free (TosstWindowPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstWindowPool, tosst_window_pool_free)

gsize tosst_window_pool_windows (const TosstWindowPool *self); /* windows per row */

/* Adds the next row of codes, columns x K. *complete: the row completes a row of windows, and signatures contains
 * their signatures, windows x K. */
TosstStatus tosst_window_pool_push (TosstWindowPool *self, TosstContext *context, const float *codes, float *signatures,
                                    gboolean *complete);
