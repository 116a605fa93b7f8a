/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/base/context.h"
#include "engine/pooling/pool.h"

G_BEGIN_DECLS

/* Signatures of all square windows of patches that slide over an image, from rows of codes that come one after the
 * other. */
typedef struct TosstWindowPool TosstWindowPool;

typedef struct
{
  TosstPoolKind kind;
  double parameter, power;
  gboolean l2;
  int K;
  gsize columns; /* patches in a row of the image */
  gsize side;    /* patches in a row, and in a column, of a window; at most columns */
  gsize stride;  /* patches from one window to the next, across and down */
} TosstWindowPoolOptions;

/* Bytes that it will hold. */
gsize tosst_window_pool_bytes (const TosstWindowPoolOptions *options, int threads);
/* NULL if out of memory. threads: of the contexts that it will be used with. */
TosstWindowPool *tosst_window_pool_new (const TosstWindowPoolOptions *options, int threads);
void tosst_window_pool_free (TosstWindowPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstWindowPool, tosst_window_pool_free)

gsize tosst_window_pool_windows (const TosstWindowPool *self); /* in a row */

/* Takes the next row of codes, columns x K. *complete: it ends a row of windows, whose signatures are then in
 * signatures, windows x K. */
TosstStatus tosst_window_pool_push (TosstWindowPool *self, TosstContext *context, const float *codes, float *signatures,
                                    gboolean *complete);

G_END_DECLS
