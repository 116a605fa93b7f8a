/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/cache.h"

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

G_END_DECLS
