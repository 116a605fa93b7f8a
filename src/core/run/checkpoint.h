/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"
#include "core/format/npz.h"
#include "core/recipe/recipe.h"
#include "tosst/classify.h"

/* Sparse rows of codes. Only numbers whose bits are all zero are omitted, so that expanding restores the rows bit
 * for bit. */
typedef struct TosstCodes TosstCodes;

TosstCodes *tosst_codes_new (gsize length); /* length: numbers per row */
void tosst_codes_free (TosstCodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCodes, tosst_codes_free)

void tosst_codes_append (TosstCodes *self, const float *rows, gsize n);
/* Expands n rows from row number first on into rows, n x length. */
void tosst_codes_expand (const TosstCodes *self, gsize first, gsize n, float *rows);
gsize tosst_codes_rows (const TosstCodes *self);
gsize tosst_codes_bytes (const TosstCodes *self);

/* Serialisation, new, and parsing; NULL unless the bytes are codes of this length. */
GBytes *tosst_codes_to_bytes (const TosstCodes *self);
TosstCodes *tosst_codes_from_bytes (gconstpointer data, gsize size, gsize length);

/* State of an unfinished split: of learning, of coding, or of choosing C. */
typedef struct
{
  TosstDictionary *dictionary;
  gboolean learned;           /* learning has finished, or the recipe has no dictionary */
  GArray *trace;              /* TosstIteration, of all completed iterations */
  int done;                   /* number of completed iterations or batches */
  double objective, seconds;  /* last objective; seconds of learning */
  TosstCodes *codes;          /* non-zeros of the exact solver without batches, or NULL */
  GPtrArray *parts;           /* state of other solvers: TOSST_LEARN_PARTS GBytes; both NULL once learned */
  guint images;               /* number of images coded and pooled, or more than 0 with shares */
  double worst_kkt, nonzeros; /* of these images */
  float *signatures;          /* samples x length, zero for images not coded yet; NULL before the first one */
  gsize numbers;              /* length of signatures: samples x length */
  double *shares; /* of each image in the mean of non-zeros, negative: not coded yet; NULL: images in their order */
  gsize n_shares; /* images, or 0 */
  TosstSvmChoice choice; /* of the classifier's C, after coding */
} TosstCheckpoint;

void tosst_checkpoint_free (TosstCheckpoint *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCheckpoint, tosst_checkpoint_free)

/* Maximum bytes of memory for the state of learning between checkpoints: TOSST_HELD_MB (MB) if set, else otherwise. */
gsize tosst_checkpoint_max_ram (gsize otherwise);

/* A checkpoint of learning from n tensors, without its trace. copies: the checkpoint owns copies of the state.
 * Returns NULL if it takes more than `most` bytes or memory is short. */
TosstCheckpoint *tosst_checkpoint_new (const TosstLearnState *state, gsize n, gboolean copies, gsize most);
/* The state to resume learning from n tensors, with the codes of count of these from number first on; borrowed, except
 * codes (new, may be NULL). Returns FALSE if the checkpoint has another number of tensors. */
gboolean tosst_checkpoint_get_rows (const TosstCheckpoint *self, gsize n, gsize first, gsize count,
                                    TosstLearnState *state, float **codes);

/* An array of bytes, and a copy of one if it has the expected size. */
GVariant *tosst_checkpoint_raw (gconstpointer data, gsize size);
gboolean tosst_checkpoint_get_raw (GVariant *array, gpointer to, gsize expected);

GBytes *tosst_checkpoint_to_bytes (const TosstCheckpoint *self);
/* Parses a checkpoint. Returns NULL if it does not match the split (shape of tensors, atoms, or 0 without a
 * dictionary, numbers of signatures) or the version of the program: the split is then started from the beginning. */
TosstCheckpoint *tosst_checkpoint_from_bytes (GBytes *bytes, TosstShape shape, int atoms, gsize numbers);

/* On process 0 the state of learning with the codes of all processes, each of which has its own; own: NULL without memory.
 * Collective. New; NULL on others, or if one of them has none. */
TosstCheckpoint *tosst_checkpoint_collect (TosstRanks *ranks, const TosstCheckpoint *own);

/* Stores a checkpoint in a file of its own, for parts of any size: they are written without a copy, and only
 * accessed pages are read. Fails without changing the file if the disk has too little room. */
gboolean tosst_checkpoint_write (const TosstCheckpoint *self, GFile *file, GError **error);
TosstCheckpoint *tosst_checkpoint_read (GFile *file, TosstShape shape, int atoms, gsize numbers);

/* Saves a dictionary file with the state of unfinished learning, so that resuming gives the same bits as an
 * uninterrupted run. Other readers see a normal dictionary file. state may be NULL. */
gboolean tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                                   const TosstCheckpoint *state, GFile *file, GError **error);

/* *state is NULL if the file has none, or one of another version of the program or for other atoms. */
TosstDictionary *tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state,
                                           GError **error);
