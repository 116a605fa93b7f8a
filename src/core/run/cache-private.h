/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/cache.h"
#include "engine/base/context.h"

G_BEGIN_DECLS

/* Something that runs have in common, counted; constant once it is shared. */
typedef struct
{
  gatomicrefcount references;
  gpointer data;
  GDestroyNotify free;
  gsize bytes;
  double seconds; /* that making it took */
} TosstShared;

TosstShared *tosst_shared_new (gpointer data, GDestroyNotify free, gsize bytes); /* takes data */
TosstShared *tosst_shared_ref (TosstShared *self);
void tosst_shared_unref (TosstShared *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstShared, tosst_shared_unref)

/* What a run asks for. */
typedef struct
{
  TosstRunShare *share; /* NULL: nothing is shared */
  TosstRunPart part;
  char *key;
  gboolean promised; /* others may wait for it */
  double start;      /* for who makes it */
} TosstWant;

/* A new reference to what there is of a part of a run, waiting for whoever makes it; NULL: it is this thread's to make,
 * with tosst_want_give() at the end; or, with an error, cancelled. split: -1 for all. */
TosstShared *tosst_want_take (TosstWant *self, TosstRunShare *share, const TosstRecipe *recipe, TosstDataset *dataset,
                              TosstRunPart part, int split, TosstContext *context, GError **error);
/* Whether another run will ask for it. */
gboolean tosst_want_is_shared (const TosstWant *self);
/* Made (borrowed), or NULL if it could not be. Ends the want. */
void tosst_want_give (TosstWant *self, TosstShared *made);

G_END_DECLS
