/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <sys/stat.h>

#include "core/data/dataset.h"

/* SHA-256 in hex */
#define TOSST_SUM_DIGITS 64

/* A rotated and rescaled sample. */
typedef struct
{
  TosstSample of; /* of which it is a copy, in its image */
  double angle, scale;
} TosstDatasetCopy;

/* Result of a scan: one entry per usable image. */
typedef struct
{
  TosstDatasetImage public;
  GFile *file; /* NULL for a built-in texture */
  guint texture, variant;
  gboolean hard;                  /* texture */
  guint64 bytes, modified;        /* of the file; modification time in microseconds */
  char sum[TOSST_SUM_DIGITS + 1]; /* of its content; empty without a file */
  guint content;                  /* its number: equal images, and copies of one, have the same */
  /* The file of an image; a texture or a copy has its memory only. No memory: a file of features, without pixels. */
  TosstImageProbe header;
  TosstSide side;
  gboolean added;         /* by dataset.additions: trains in every split, and no protocol counts it */
  guint row;              /* of labels */
  TosstDatasetCopy *copy; /* or NULL */
} TosstDatasetEntry;

static inline TosstDatasetEntry *
tosst_dataset_entry (const TosstDataset *self, guint image)
{
  return g_ptr_array_index (self->entries, image);
}

/* Attributes of a file that an entry needs. */
#define TOSST_DATASET_QUERY                                                                                            \
  G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE                 \
                                 "," G_FILE_ATTRIBUTE_TIME_MODIFIED "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC            \
                                 "," G_FILE_ATTRIBUTE_TIME_CHANGED "," G_FILE_ATTRIBUTE_TIME_CHANGED_USEC

typedef struct
{
  TosstDataset *self;
  GFile *root;
  GStrv excluded;
  GCancellable *cancellable;
  gboolean features; /* files of features take the place of images */
} TosstDatasetScan;

/* dataset.c. An empty data set; new. */
TosstDataset *tosst_dataset_new (TosstDatasetKind kind);

/* What is known of files in this process, of any thread. */
typedef struct
{
  gsize bytes;        /* of a value */
  guint most;         /* with more values all are forgotten */
  GHashTable *values; /* by key */
} TosstKnown;

/* entries.c. Copies the value of a key that is known. */
gboolean tosst_known_recall (TosstKnown *self, const char *key, gpointer value);
void tosst_known_remember (TosstKnown *self, const char *key, gconstpointer value);
gboolean tosst_dataset_scan_is_cancelled (const TosstDatasetScan *scan, GError **error);
gboolean tosst_dataset_scan_excludes (const TosstDatasetScan *scan, const char *name); /* with or without suffix */
/* Adds a file, without reading it, and returns its entry. name: for display. */
TosstDatasetEntry *tosst_dataset_add_entry (TosstDataset *self, GFile *file, GFileInfo *info, const char *name,
                                            int class_index, TosstSide side);
/* Adds an image and returns its entry, or adds a skipped file and returns NULL. name: for display. */
TosstDatasetEntry *tosst_dataset_add_file (TosstDataset *self, GFile *file, GFileInfo *info, const char *name,
                                           int class_index, TosstSide side);
void tosst_dataset_skip (TosstDataset *self, const char *name, const char *reason);
/* Why an image cannot be read, without the name of the file. */
const char *tosst_dataset_reason (GFile *file, const GError *error);
/* content.c: reads the sums of images and numbers their contents. An image in two classes is an error; an added image that
 * is there already is skipped. */
gboolean tosst_dataset_read_contents (TosstDataset *self, GCancellable *cancellable, GError **error);
/* A context of the threads of the machine, until *handler of the cancellable is disconnected; NULL: no memory. New. */
TosstContext *tosst_dataset_context (GCancellable *cancellable, gulong *handler);
/* Adds the sums of files (GFile) to a checksum. */
gboolean tosst_dataset_add_features (TosstDataset *self, GPtrArray *files, GChecksum *checksum,
                                     GCancellable *cancellable, GError **error);
/* Once its images are known. */
void tosst_dataset_set_fingerprint (TosstDataset *self, const char *checksum);
/* Whether the images of the only class are in several folders of it. */
gboolean tosst_dataset_is_a_level_too_high (TosstDataset *self);
TosstDatasetEntry *tosst_dataset_entry_copy (const TosstDatasetEntry *entry);
void tosst_dataset_entry_free (TosstDatasetEntry *entry);
/* dataset.c. Whether its file has the length and modification time of the fingerprint. */
gboolean tosst_dataset_entry_is_as_listed (const TosstDatasetEntry *entry, struct stat *info);

/* lists.c: the images and labels of lists. */
gboolean tosst_dataset_scan_lists (const TosstDatasetScan *scan, GError **error);
gboolean tosst_dataset_check_lists (TosstDataset *self, const TosstRecipe *recipe, GError **error);

/* The images of dataset.additions, after the others. */
gboolean tosst_dataset_scan_additions (const TosstDatasetScan *scan, const char *path, GError **error);

/* split.c: leaves out classes of one image where a share of each class trains. */
void tosst_dataset_leave_out (TosstDataset *self, const TosstRecipe *recipe);
/* Checks that every class has enough units for the protocol. */
gboolean tosst_dataset_check_units (TosstDataset *self, const TosstRecipe *recipe, GError **error);
/* Whether each sample trains in some split, of any number of random ones. New. */
gboolean *tosst_dataset_may_train (const TosstDataset *self, const TosstRecipe *recipe);

/* copies.c: whether a recipe has copies that a data set can have and has not yet; adds them; makes one of
 * the pixels of its image. */
gboolean tosst_dataset_wants_copies (const TosstDataset *self, const TosstRecipe *recipe);
void tosst_dataset_add_copies (TosstDataset *self, const TosstRecipe *recipe);
TosstImage *tosst_dataset_make_copy (const TosstDatasetEntry *entry, const TosstImage *whole, GError **error);
