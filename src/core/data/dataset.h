/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/io.h"
#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* An image of the data set, not its pixels. */
typedef struct
{
  char *name; /* shown to people: "D1.gif", "bricks/bricks-03.png" */
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

/* Immutable once open: may be read from any thread. Reference-counted. */
typedef struct TosstDataset TosstDataset;

/* Lists the data set that the recipe names and cuts it into samples; reads sizes, no pixels. Unreadable files are
 * skipped and listed; what makes the whole useless (no folder, no class, one class, a class with fewer samples than
 * train-per-class + 1, every image smaller than a patch) is an error. */
TosstDataset *tosst_dataset_open (const TosstRecipe *recipe, GCancellable *cancellable, GError **error);
TosstDataset *tosst_dataset_ref (TosstDataset *self);
void tosst_dataset_unref (TosstDataset *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDataset, tosst_dataset_unref)

/* A header line, then a line per image: its name, class, size in pixels, and how many samples are cut out of it. New.
 * */
char *tosst_dataset_to_csv (TosstDataset *self);

/* The kind that a folder looks like: brodatz (flat, D*.gif) or folders. */
TosstDatasetKind tosst_dataset_guess_kind (GFile *folder);

const char *tosst_dataset_title (TosstDataset *self); /* "Brodatz", the folder's name, ... */
guint tosst_dataset_classes (TosstDataset *self);
const char *tosst_dataset_class_name (TosstDataset *self, guint index);
guint tosst_dataset_images (TosstDataset *self);
const TosstDatasetImage *tosst_dataset_image (TosstDataset *self, guint index);
guint tosst_dataset_samples (TosstDataset *self);
const TosstSample *tosst_dataset_sample (TosstDataset *self, guint index);
const GPtrArray *tosst_dataset_skipped (TosstDataset *self); /* of TosstSkippedFile * */
/* Identifies names, sizes and, for files, lengths and modification times: hex, 16 characters. */
const char *tosst_dataset_fingerprint (TosstDataset *self);

/* Bytes of memory that decoding the largest image takes. */
gsize tosst_dataset_largest_bytes (TosstDataset *self);

/* Pixels of one image, as the descriptor wants them. Any thread. */
TosstImage *tosst_dataset_read (TosstDataset *self, guint image, GError **error);
/* To look at, as tosst_image_read_reduced(). */
TosstImage *tosst_dataset_read_reduced (TosstDataset *self, guint image, int side, GError **error);

/* How many splits the recipe asks for. random: dataset.splits. leave-one-out: as many as the largest class has units.
 * fixed: 1. With dataset.within it is dataset.splits, whatever the protocol. A unit is what is drawn as a whole: a
 * block of a Brodatz texture; else an image, with all its blocks. */
guint tosst_dataset_splits (TosstDataset *self, const TosstRecipe *recipe);

/* Split number split (0, 1, ...) of the recipe. random: train-per-class units of each class, drawn by dataset.seed,
 * train; the rest test. leave-one-out: unit number split of every class tests. fixed: what lies in folders train and
 * test; without these the first train-per-class units of each class train. With dataset.within = w > 0 only what trains
 * in split w − 1 of that is divided: dataset.validate units of each class, drawn by dataset.seed and split, test, the
 * others train, and what tests in split w − 1 is in neither. Depends on recipe and split alone. Indices of samples,
 * ascending, none in both. Both arrays are of guint, new. */
gboolean tosst_dataset_split (TosstDataset *self, const TosstRecipe *recipe, guint split, GArray **train, GArray **test,
                              GError **error);

G_END_DECLS
