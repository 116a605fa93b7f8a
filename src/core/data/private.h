/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"

G_BEGIN_DECLS

typedef enum
{
  TOSST_SIDE_ANY,   /* by the protocol */
  TOSST_SIDE_TRAIN, /* in a folder named train */
  TOSST_SIDE_TEST,
} TosstSide;

/* Result of a scan: one entry per usable image. */
typedef struct
{
  TosstDatasetImage public;
  GFile *file; /* NULL for a built-in texture */
  guint texture, variant;
  guint64 bytes, modified; /* of the file; modification time in microseconds */
  guint64 decoded;         /* bytes of memory for decoding it */
  TosstSide side;
} TosstDatasetEntry;

struct TosstDataset
{
  gatomicrefcount references;
  TosstDatasetKind kind;
  char *title;
  char *where;        /* name of the folder in messages */
  GPtrArray *classes; /* char * */
  GPtrArray *entries; /* TosstDatasetEntry *, by class, then in natural order of names */
  GArray *samples;    /* TosstSample, by image */
  GPtrArray *skipped;
  char fingerprint[17];
  gboolean has_sides; /* there are folders train and test */
};

/* scan.c: fill classes, entries and skipped. */
gboolean tosst_dataset_scan (TosstDataset *self, const TosstRecipe *recipe, GCancellable *cancellable, GError **error);
void tosst_dataset_skip (TosstDataset *self, const char *name, const char *reason);
void tosst_dataset_entry_free (TosstDatasetEntry *entry);
gboolean tosst_dataset_is_album_name (const char *name); /* D12.gif */

/* split.c: checks that every class has enough units for the protocol. */
gboolean tosst_dataset_check_units (TosstDataset *self, const TosstRecipe *recipe, GError **error);

G_END_DECLS
