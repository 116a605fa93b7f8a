/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/image/probe.h"
#include "core/recipe/recipe.h"
#include "tosst/context.h"

/* List of an image in a data set that comes divided. */
typedef enum
{
  TOSST_SIDE_ANY,      /* by the protocol */
  TOSST_SIDE_TRAIN,    /* list or folder train */
  TOSST_SIDE_VALIDATE, /* list val */
  TOSST_SIDE_TEST,     /* list or folder test */
} TosstSide;

/* An image of the data set, without pixels. With several labels an image class_index, here and in samples, is for
 * display only: the first class with label 1, or without one the first with label 0, or 0. */
typedef struct
{
  char *name; /* display name: "D1.gif", "bricks/bricks-03.png" */
  int class_index;
  int width, height; /* 0 of a file of features without an image */
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
typedef struct TosstDataset
{
  TosstDatasetKind kind;
  char *title;         /* "Brodatz", the folder's name and so on */
  char *where;         /* name of the folder in messages */
  GFile *folder;       /* of the names of images, or NULL */
  int longest;         /* of the recipe, to which images are reduced; 0: none */
  GPtrArray *classes;  /* char * */
  GPtrArray *entries;  /* TosstDatasetEntry *, by class, then in natural order of names; of lists by name only */
  GArray *samples;     /* TosstSample, by image */
  GPtrArray *skipped;  /* TosstSkippedFile * */
  GPtrArray *left_out; /* char *: classes of one image, which cannot both train and test */
  /* Hash of names, sizes, lists, labels and contents of images and files of features: 16 hex digits. A folder that was moved
   * or copied has the same. */
  char fingerprint[17];
  char listed[17]; /* the fingerprint of earlier versions, which had times of change for contents; or empty */
  /* The data in hashes of runs (core/run/hash.h): the fingerprint, a colon and the longest side of its images in pixels, of
   * the whole data set in its parts, too. */
  char key[32];
  gboolean measures;  /* a few images that are described to see how long it takes: nothing is kept or read */
  gboolean has_sides; /* there are folders train and test */
  gboolean has_equal; /* two images have the same content */
  GArray *origin;     /* guint: samples in the whole data set of a part that one split trains from; else NULL */
  GArray *copied; /* guint: the sample of which each of the last images and samples is a copy; NULL: there are none */
  gint8 *labels;  /* rows of classes; NULL: each image has one class */
  guint *numbers; /* of images in another data set, by which features are drawn; NULL: their own */
} TosstDataset;

/* Opens the data set named in the recipe and divides it into samples; reads sizes, no pixels. Unreadable files are
 * skipped and listed; errors are those of the whole data set (no folder, no class, one class, a class with fewer
 * samples than train-per-class + 1, every image smaller than a patch) and those of lists and labels (an image that is
 * missing or in two lists, a label that is not 1, 0 or -1). Images of lists are in natural order of names. With
 * descriptor.kind features each image must have a file of features, and folders of classes may have such files only. */
TosstDataset *tosst_dataset_open (const TosstRecipe *recipe, GCancellable *cancellable, GError **error);
TosstDataset *tosst_dataset_ref (TosstDataset *self);
void tosst_dataset_unref (TosstDataset *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDataset, tosst_dataset_unref)

/* A data set of these images (guint, ascending) and their samples, of their classes alone, which any protocol divides:
 * folders train and test have no say, as either may be empty. For measurements of time: nothing of it is kept
 * (core/data/kept.h). Images with several labels become those of two classes in turn. share: of the area of each sample that is
 * left, its middle, with sides of `least` pixels or more; 1: all of it. New. */
TosstDataset *tosst_dataset_subset (TosstDataset *whole, const GArray *images, double share, int least);

/* The data set that a run of the recipe uses. With dataset.within it has the training samples of that split and their
 * images, which nested splits divide as they divide the whole; else all of them. With dataset.copies rotated and rescaled
 * copies of samples follow, each an image of its own: of those that may train. Splits have the copies of their training
 * samples, and no others. The fingerprint is that of the whole. New reference, or NULL with error. */
TosstDataset *tosst_dataset_of_run (TosstDataset *whole, const TosstRecipe *recipe, GError **error);
#define TOSST_COPIES_LARGEST 1.6 /* scale */
/* Index in the whole data set of a sample of such a part; of a copy, that of the sample it is a copy of. */
guint tosst_dataset_origin (TosstDataset *self, guint sample);
/* Numbers of images and samples without the copies, which follow them. */
guint tosst_dataset_own_images (TosstDataset *self);
guint tosst_dataset_own_samples (TosstDataset *self);

/* CSV: a header line, then a line per image: name, class, size in pixels, number of samples. With several labels an
 * image it has the form of labels.csv: name, list, label of each class. New. */
char *tosst_dataset_to_csv (TosstDataset *self);

/* Guesses the kind of a folder or file: voc2007 (ImageSets/Main and JPEGImages, here or in VOC2007), labels
 * (labels.csv), brodatz (flat, D*.gif), else folders. */
TosstDatasetKind tosst_dataset_guess_kind (GFile *folder);

/* Sets the kind of a recipe that names a path but no kind, by tosst_dataset_guess_kind(), as the sample textures need no
 * path. Returns whether it did. */
gboolean tosst_dataset_imply_kind (TosstRecipe *recipe);

const char *tosst_dataset_class_name (TosstDataset *self, guint index);
const char *tosst_dataset_class_label (TosstDataset *self, guint index); /* the same, of sample textures translated */
const TosstDatasetImage *tosst_dataset_image (TosstDataset *self, guint index);
const TosstSample *tosst_dataset_sample (TosstDataset *self, guint index);
/* Folder of the files of features of the images: descriptor.folder, else the folder of the images. New, or NULL. */
GFile *tosst_dataset_features_folder (TosstDataset *self, const TosstRecipe *recipe);
/* Name of the files of an image's local features (core/local/features.h): its name without suffix, with subfolders,
 * such as "000012" or "bricks/bricks-03". New. */
char *tosst_dataset_image_id (TosstDataset *self, guint image);

/* Data sets with several labels an image, which have labels: kinds voc2007 and labels. A whole image is one sample; train, val
 * and test are given lists. */
/* Label of a sample: 1 (shows the class), -1 (does not) or 0 (neither trains nor tests this class). In other data sets
 * 1 for its class and -1 for all others. */
int tosst_dataset_label (TosstDataset *self, guint sample, guint class_index);
TosstSide tosst_dataset_side (TosstDataset *self, guint image);
/* Number of images of a list with that label of a class; TOSST_SIDE_ANY: of all lists. */
guint tosst_dataset_count_label (TosstDataset *self, TosstSide side, guint class_index, int label);
/* Whether a class is trained and tested with a recipe: images with label 1 and with -1 train, and one with 1 tests. A
 * class without is skipped and not in the mean. */
gboolean tosst_dataset_has_scores (TosstDataset *self, const TosstRecipe *recipe, guint class_index);
/* Sentences about faults that do not prevent a run with this recipe: the classes that have no scores, with several
 * labels; else classes of one image, which are left out. New array of strings. */
GPtrArray *tosst_dataset_warnings (TosstDataset *self, const TosstRecipe *recipe);

/* The file of an image, borrowed; NULL of a texture and of a copy. */
GFile *tosst_dataset_image_file (TosstDataset *self, guint image);
/* SHA-256 of the file of an image in hex; empty without a file. */
const char *tosst_dataset_image_sum (TosstDataset *self, guint image);
/* Whether a file has the content of one of its images, beside those of dataset.additions. Reads it. */
gboolean tosst_dataset_has_file (TosstDataset *self, GFile *file);

/* Bytes of memory for decoding the largest image. side: as below. */
gsize tosst_dataset_largest_bytes (TosstDataset *self, int side);
gsize tosst_dataset_image_bytes (TosstDataset *self, guint image, int side); /* the same of one; 0: without pixels */
/* Pixels of the largest image. */
gsize tosst_dataset_largest_pixels (TosstDataset *self, int side);

/* Reads the pixels of one image for a descriptor, any thread. Of one that reduces images to a longest side
 * (tosst_recipe_longest(), 0: none) the pixels of a large image are means of squares, as of tosst_image_read_for(). */
TosstImage *tosst_dataset_read_for (TosstDataset *self, guint image, int side, GError **error);
/* The rectangle of a sample, as an image; NULL without memory. New. */
TosstImage *tosst_dataset_cut_out (const TosstImage *image, const TosstSample *part);
/* Reads one image for display, as tosst_image_read_reduced(). */
TosstImage *tosst_dataset_read_reduced (TosstDataset *self, guint image, int side, GError **error);

/* Number of splits of the recipe. random: dataset.splits. leave-one-out: the number of units of the largest class.
 * fixed: 1. With dataset.within it is dataset.splits for any protocol. A unit is assigned as a whole: a block of a
 * Brodatz texture; else an image with all its blocks. With several labels an image: 1. */
guint tosst_dataset_splits (TosstDataset *self, const TosstRecipe *recipe);

/* Images that look alike but have different contents: encoded again, or of another size. */
typedef struct
{
  guint a, b; /* images, a < b */
} TosstNearPair;
/* All such pairs, ascending; none if the context is cancelled. Decodes images that were not compared before. New. */
GArray *tosst_dataset_find_near (TosstDataset *self, TosstContext *context);
/* Those on both sides of one of the first `splits` splits: the names of a training image and of the test image by turns, each
 * test image once. New. */
GStrv tosst_dataset_find_duplicates (TosstDataset *self, const TosstRecipe *recipe, guint splits,
                                     TosstContext *context);
/* One sentence on them, new; NULL: there are none. */
char *tosst_dataset_describe_duplicates (const GStrv duplicates);
/* The same of all splits of a recipe, before a run. */
char *tosst_dataset_warn_of_duplicates (TosstDataset *self, const TosstRecipe *recipe, GCancellable *cancellable);

/* The unit of a sample: samples of one unit are never on both sides of a split, nor are those of images with the same content.
 * Any thread. */
guint tosst_dataset_unit (const TosstDataset *self, guint sample);

/* Computes split number split (0, 1, ...) of the recipe. random: train-per-class units of each class, or a
 * share of them (tosst_recipe_train_units()), drawn by dataset.seed, train; the rest test. leave-one-out: unit number split of every class tests. fixed: the folders
 * train and test; without them the first train-per-class units of each class train. With dataset.within = w > 0 only
 * the training set of split w − 1 is divided: dataset.validate units of each class, drawn by dataset.seed and split,
 * test, the others train, and the test set of split w − 1 is not used. With several labels an image the lists train
 * and val train and the list test tests; with dataset.within = 1 train trains and val tests. The images of
 * dataset.additions train in every split, beside the units that the protocol draws or counts, and so do copies of
 * training samples. Depends on recipe and split only. Indices of samples, ascending and disjoint. Both arrays are new
 * arrays of guint. */
gboolean tosst_dataset_split (TosstDataset *self, const TosstRecipe *recipe, guint split, GArray **train, GArray **test,
                              GError **error);
