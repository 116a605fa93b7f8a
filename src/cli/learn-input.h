/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy-rows.h"
#include "core/recipe/recipe.h"
#include "tosst/learn.h"

/* Tensors of a file to learn a dictionary from: all in memory, or read in blocks. From a file with more than
 * dictionary.sample tensors that many are drawn by dictionary.seed, the same ones in both cases. */
typedef struct
{
  char *name; /* for messages */
  TosstShape shape;
  gsize n;            /* tensors drawn */
  TosstNpy *array;    /* all in memory, or NULL */
  TosstNpyRows *rows; /* read in blocks, or NULL */
  gsize *number;      /* rows of the file that were drawn, ascending; NULL: all rows, or array is used */
  GChecksum *checksum;
  gsize hashed;  /* number of tensors in the checksum, in order */
  GError *error; /* error of reading during learning */
} CliLearnInput;

/* in_blocks: also without dictionary.minibatch. */
CliLearnInput *cli_learn_input_open (const char *path, const TosstRecipe *recipe, gboolean in_blocks, GError **error);
void cli_learn_input_free (CliLearnInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliLearnInput, cli_learn_input_free)

TosstStream cli_learn_input_stream (CliLearnInput *self);

/* Hash of shape and numbers of the tensors drawn; new. For tensors read in blocks it is available after all have
 * been read in order, as in the pass that measures the scale, and NULL before. */
char *cli_learn_input_fingerprint (CliLearnInput *self);
