/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the Python package needs of core, in plain types: parameters of recipes, images that are equal, and models of whole
 * images. bind.py reads the declarations. A context is that of the binding to the engine, which also ends the work.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TosstContext TosstContext;

enum
{
  TOSST_CORE_FINE,
  TOSST_CORE_VALUE,  /* a value, a recipe or an image that is wrong */
  TOSST_CORE_MEMORY, /* too little memory */
  TOSST_CORE_CANCELLED,
};

/* Why a call failed: one sentence, that the caller frees. */
typedef struct
{
  int kind;
  char *text;
} TosstCoreError;

void tosst_core_free (void *memory);
void tosst_core_free_list (char **list); /* and its texts */

/* Loads what GLib and GdkPixbuf load once, as the environment names it at this time. */
void tosst_core_settle (void);

/* Why a parameter of a recipe, given as the text of a file, has no effect; NULL: it has one. New. */
char *tosst_core_why_inactive (const char *recipe, const char *name, TosstCoreError *error);
/* The text of the recipe of a preset; new. */
char *tosst_core_preset (const char *name, TosstCoreError *error);
/* The same of a method of `tosst compare --list`. */
char *tosst_core_method (const char *name, TosstCoreError *error);

/* The paths of the images in a folder and its subfolders, ended by NULL; new. */
char **tosst_core_list_images (const char *folder, TosstCoreError *error);

/* Two images, first < second, with the same bytes or alike: encoded again, or of another size. */
typedef struct
{
  size_t first, second;
  bool equal;
} TosstCorePair;

/* All pairs of n images, *count of them; new. *skipped: sentences on files that are no images, ended by NULL; new. */
TosstCorePair *tosst_core_find_pairs (TosstContext *context, const char *const *paths, size_t n, size_t *count,
                                      char ***skipped, TosstCoreError *error);

/* A model that predicts. */
typedef struct TosstCoreModel TosstCoreModel;

/* Images, or files of features, that train: n paths, their names in messages and their classes; `where` names them all. */
typedef struct
{
  const char *const *paths, *const *names;
  const int *labels;          /* n; or NULL: */
  const signed char *targets; /* n x n_classes: 1 shows the class, -1 does not, 0 has no part in it */
  const unsigned *numbers;    /* places in another data set, by which features are drawn; NULL: their own */
  unsigned total;             /* images of that data set, whose copies follow them */
  bool alone;                 /* the training images alone have copies */
  size_t n;
  const char *const *classes;
  size_t n_classes;
  const char *where;
} TosstCoreImages;

/* Trains on all images, as tosst classify trains on those of a split. report: of progress from 0 to 1. New. */
TosstCoreModel *tosst_core_train (TosstContext *context, const char *recipe, const TosstCoreImages *images,
                                  void (*report) (double fraction, void *data), void *data, TosstCoreError *error);
void tosst_core_model_free (TosstCoreModel *self);

/* The content of a model's file; new. And a model of such a content; name: for messages. */
char *tosst_core_model_to_bytes (const TosstCoreModel *self, size_t *size, TosstCoreError *error);
TosstCoreModel *tosst_core_model_from_bytes (TosstContext *context, const char *bytes, size_t size, const char *name,
                                             TosstCoreError *error);

/* Index of the class of each window of an image, rows x columns, and their margins, x classes; both new, or NULL with error.
 * size: rows, columns, and side and step of windows, which are taken from it where they are not 0. */
int *tosst_core_map (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name, int *size,
                     float **margins, TosstCoreError *error);

size_t tosst_core_model_classes (const TosstCoreModel *self);
const char *tosst_core_model_class (const TosstCoreModel *self, size_t index);
bool tosst_core_model_has_labels (const TosstCoreModel *self); /* several of an image */
char *tosst_core_model_recipe (const TosstCoreModel *self);    /* the text of a file; new */
/* Parts whose similarities are added, or 1; weight: NAN if it is not known, as in files. */
size_t tosst_core_model_parts (const TosstCoreModel *self);
const char *tosst_core_model_part (const TosstCoreModel *self, size_t index, double *weight);
size_t tosst_core_model_length (const TosstCoreModel *self, size_t index); /* numbers of the signature of a part */
/* Training images whose distances are known; 0 of a model from a file. */
size_t tosst_core_model_training (const TosstCoreModel *self);

/* Margins and probabilities of an image, classes each; probabilities are NAN if the model has none. FALSE with error. */
bool tosst_core_predict (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name,
                         double *margins, double *probabilities, TosstCoreError *error);
/* The signature of an image: those of all parts. FALSE with error. */
bool tosst_core_sign (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name,
                      float *signature, TosstCoreError *error);
/* The terms of its margins: parts x classes; and its squared distances from the training images by the weighted similarities of
 * the parts. Not thread-safe. */
bool tosst_core_explain (TosstContext *context, TosstCoreModel *self, const char *path, const char *name, double *terms,
                         double *distances, TosstCoreError *error);
