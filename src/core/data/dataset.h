/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/io.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* An image of the data set, without pixels. */
typedef struct
{
  char *name; /* display name: "D1.gif", "bricks/bricks-03.png" */
  int class_index;
  int width, height;
} TosstDatasetImage;

/* A sample: a block of an image, or a whole image. */
typedef struct
{
  int image; /* index of its image */
  int class_index;
  int x, y, width, height;
} TosstSample;

typedef struct
{
  char *name;
  char *reason; /* one sentence */
} TosstSkippedFile;

/* Immutable and thread-safe once open. Reference-counted. */
typedef struct TosstDataset TosstDataset;

/* Opens the data set named in the recipe and divides it into samples; reads sizes, no pixels. Unreadable files are
 * skipped and listed; errors are those of the whole data set (no folder, no class, one class, a class with fewer
 * samples than train-per-class + 1, every image smaller than a patch). */
TosstDataset *tosst_dataset_open (const TosstRecipe *recipe, GCancellable *cancellable, GError **error);
TosstDataset *tosst_dataset_ref (TosstDataset *self);
void tosst_dataset_unref (TosstDataset *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDataset, tosst_dataset_unref)

/* CSV: a header line, then a line per image: name, class, size in pixels, number of samples. New. */
char *tosst_dataset_to_csv (TosstDataset *self);

/* Guesses the kind of a folder: brodatz (flat, D*.gif) or folders. */
TosstDatasetKind tosst_dataset_guess_kind (GFile *folder);

const char *tosst_dataset_title (TosstDataset *self); /* "Brodatz", the folder's name and so on */
guint tosst_dataset_classes (TosstDataset *self);
const char *tosst_dataset_class_name (TosstDataset *self, guint index);
guint tosst_dataset_images (TosstDataset *self);
const TosstDatasetImage *tosst_dataset_image (TosstDataset *self, guint index);
guint tosst_dataset_samples (TosstDataset *self);
const TosstSample *tosst_dataset_sample (TosstDataset *self, guint index);
const GPtrArray *tosst_dataset_skipped (TosstDataset *self); /* TosstSkippedFile * */
/* Hash of names, sizes and, for files, lengths and modification times: 16 hex digits. */
const char *tosst_dataset_fingerprint (TosstDataset *self);

/* Bytes of memory for decoding the largest image. */
gsize tosst_dataset_largest_bytes (TosstDataset *self);

/* Reads the pixels of one image for the descriptor. Thread-safe. */
TosstImage *tosst_dataset_read (TosstDataset *self, guint image, GError **error);
/* Reads one image for display, as tosst_image_read_reduced(). */
TosstImage *tosst_dataset_read_reduced (TosstDataset *self, guint image, int side, GError **error);

/* Number of splits of the recipe. random: dataset.splits. leave-one-out: the number of units of the largest class.
 * fixed: 1. With dataset.within it is dataset.splits for any protocol. A unit is assigned as a whole: a block of a
 * Brodatz texture; else an image with all its blocks. */
guint tosst_dataset_splits (TosstDataset *self, const TosstRecipe *recipe);

/* Computes split number split (0, 1, ...) of the recipe. random: train-per-class units of each class, drawn by
 * dataset.seed, train; the rest test. leave-one-out: unit number split of every class tests. fixed: the folders
 * train and test; without them the first train-per-class units of each class train. With dataset.within = w > 0 only
 * the training set of split w − 1 is divided: dataset.validate units of each class, drawn by dataset.seed and split,
 * test, the others train, and the test set of split w − 1 is not used. Depends on recipe and split only. Indices of
 * samples, ascending and disjoint. Both arrays are new arrays of guint. */
gboolean tosst_dataset_split (TosstDataset *self, const TosstRecipe *recipe, guint split, GArray **train, GArray **test,
                              GError **error);

G_END_DECLS
