/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/file.h"
#include "core/format/npz.h"
#include "core/recipe/recipe.h"
#include "core/run/sparse-codes.h"
#include "engine/classify/svm-choose.h"

G_BEGIN_DECLS

/* A split under way, as far as it has come: in learning, in coding with a dictionary that is learned, or where there is
 * none, in choosing C. */
typedef struct
{
  TosstDictionary *dictionary;
  gboolean learned;           /* it is final, or there is none */
  GArray *trace;              /* TosstIteration, of all iterations done */
  int done;                   /* iterations, or batches, that learning goes on from; with */
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

/* TOSST_HELD_MB, or so many bytes: what may be held of a learning between its checkpoints. */
gsize tosst_checkpoint_max_ram (gsize otherwise);

/* Of learning from n tensors, without its trace; copies: it outlives the state. NULL if it takes more than most bytes
 * or memory does not hold it. */
TosstCheckpoint *tosst_checkpoint_new (const TosstLearnState *state, gsize n, gboolean copies, gsize most);
/* What learning from n tensors goes on from; borrowed, but for codes, new, which may be NULL. FALSE: it is not of them. */
gboolean tosst_checkpoint_get_state (const TosstCheckpoint *self, gsize n, TosstLearnState *state, float **codes);

GBytes *tosst_checkpoint_to_bytes (const TosstCheckpoint *self);
/* NULL if the bytes are not of such a split (shape of tensors, atoms, or 0 without a dictionary, numbers of signatures), or of another version of
 * the program: then the split begins anew. */
TosstCheckpoint *tosst_checkpoint_from_bytes (GBytes *bytes, TosstShape shape, int atoms, gsize numbers);

/* The same in a file of its own, for parts of any size: they are written from where they lie, and read are only the
 * pages that are looked at. Fails without touching the file where the disk would be left too full. */
gboolean tosst_checkpoint_write (const TosstCheckpoint *self, GFile *file, GError **error);
TosstCheckpoint *tosst_checkpoint_read (GFile *file, TosstShape shape, int atoms, gsize numbers);

/* The same as members of a .npz file, beside others; NULL if it has none. */
void tosst_checkpoint_to_npz (const TosstCheckpoint *self, TosstNpz *npz);
TosstCheckpoint *tosst_checkpoint_from_npz (TosstNpz *npz, TosstShape shape, int atoms);

/* A dictionary file of a learning under way. It holds what the next iteration starts from, too, so that going on from it
 * comes to the same bits as never having stopped; for all else it is a dictionary file like any other. state may be
 * NULL. */
gboolean tosst_learning_file_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta,
                                   const TosstCheckpoint *state, GFile *file, GError **error);

/* *state is NULL if the file has none, or one of another version of the program or of other atoms than its own. */
TosstDictionary *tosst_learning_file_load (GFile *file, TosstDictionaryMeta *meta, TosstCheckpoint **state,
                                           GError **error);

G_END_DECLS
