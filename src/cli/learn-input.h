/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/describer.h"
#include "core/format/npy-rows.h"
#include "tosst/learn.h"

/* Tensors to learn a dictionary from: of a file, all in memory or read in blocks, or of images. Of more than
 * dictionary.sample tensors that many are drawn by dictionary.seed, the same ones in all cases. */
typedef struct
{
  char *name; /* for messages */
  TosstShape shape;
  gsize n;                 /* tensors drawn */
  CliDescriber *describer; /* of images, or NULL */
  TosstNpy *array;         /* all in memory, of images those of this rank; or NULL */
  TosstNpyRows *rows;      /* read in blocks, or NULL */
  gsize *number; /* tensors of the file or the images that were drawn, ascending; NULL: all, or those of array */
  GChecksum *checksum;
  gsize hashed;  /* number of tensors in the checksum, in order */
  GError *error; /* error of reading during learning */
} CliLearnInput;

/* Opens what the operands name. in_blocks: a file also without dictionary.minibatch. recipe: borrowed. */
CliLearnInput *cli_learn_input_open (CliCall *call, TosstRecipe *recipe, gboolean in_blocks, GError **error);
void cli_learn_input_free (CliLearnInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliLearnInput, cli_learn_input_free)

/* Describes the images: the tensors of this rank. Nothing for a file. */
gboolean cli_learn_input_describe (CliLearnInput *self, CliCall *call, GError **error);

TosstStream cli_learn_input_stream (CliLearnInput *self);

/* Hash of shape and numbers of the tensors drawn; new. For tensors read in blocks it is available after all have
 * been read in order, as in the pass that measures the scale, and NULL before; and for a part of the images. */
char *cli_learn_input_fingerprint (CliLearnInput *self);
