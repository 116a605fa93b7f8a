/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"
#include "core/format/npz.h"
#include "core/recipe/recipe.h"
#include "core/run/sparse-codes.h"
#include "engine/classify/svm-choose.h"

G_BEGIN_DECLS

/* State of an unfinished split: of learning, of coding, or of choosing C. */
typedef struct
{
  TosstDictionary *dictionary;
  gboolean learned;           /* it is final, or there is none */
  GArray *trace;              /* TosstIteration, of all iterations done */
  int done;                   /* iterations, or batches, done; */
  double objective, seconds;  /* the last objective, the seconds spent, and */
  TosstCodes *codes;          /* either codes */
  GPtrArray *parts;           /* or GBytes, TOSST_LEARN_PARTS of them; both NULL once it is learned */
  guint images;               /* that are coded and pooled */
  double worst_kkt, nonzeros; /* of these */
  float *signatures;          /* samples x length; of images that are not coded, zeros; NULL if none is */
  gsize numbers;              /* of signatures: samples x length */
  TosstSvmChoice choice;      /* of the classifier's C, once all are coded */
} TosstCheckpoint;

void tosst_checkpoint_free (TosstCheckpoint *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCheckpoint, tosst_checkpoint_free)

/* Bytes of memory that the state of learning may take between checkpoints: TOSST_HELD_MB (MB) if set, else otherwise.
 * */
gsize tosst_checkpoint_max_ram (gsize otherwise);

/* A checkpoint of learning from n tensors, without its trace. copies: the checkpoint outlives the state. NULL if it
 * takes more than most bytes or memory is short. */
TosstCheckpoint *tosst_checkpoint_new (const TosstLearnState *state, gsize n, gboolean copies, gsize most);
/* The state to resume learning from n tensors; borrowed, except codes (new, may be NULL). FALSE if the checkpoint is of
 * another number of tensors. */
gboolean tosst_checkpoint_get_state (const TosstCheckpoint *self, gsize n, TosstLearnState *state, float **codes);

GBytes *tosst_checkpoint_to_bytes (const TosstCheckpoint *self);
/* NULL if the bytes are not of such a split (shape of tensors, atoms, or 0 without a dictionary, numbers of
 * signatures), or of another version of the program: then the split begins anew. */
TosstCheckpoint *tosst_checkpoint_from_bytes (GBytes *bytes, TosstShape shape, int atoms, gsize numbers);

/* The same in a file of its own, for parts of any size: they are written from where they lie, and read are only the
 * pages that are looked at. Fails without touching the file where the disk would be left too full. */
gboolean tosst_checkpoint_write (const TosstCheckpoint *self, GFile *file, GError **error);
TosstCheckpoint *tosst_checkpoint_read (GFile *file, TosstShape shape, int atoms, gsize numbers);

/* The same as members of a .npz file, beside others; NULL if it has none. */
void tosst_checkpoint_to_npz (const TosstCheckpoint *self, TosstNpz *npz);
TosstCheckpoint *tosst_checkpoint_from_npz (TosstNpz *npz, TosstShape shape, int atoms);

/* A dictionary file with the state of an unfinished learning, so that resuming gives the same bits as an uninterrupted
 * one. Other readers see a normal dictionary file. state may be NULL. */
gboolean tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                                   const TosstCheckpoint *state, GFile *file, GError **error);

/* *state is NULL if the file has none, or if it is of another version of the program or of other atoms. */
TosstDictionary *tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state,
                                           GError **error);

G_END_DECLS
