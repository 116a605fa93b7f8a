/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy-rows.h"
#include "core/recipe/recipe.h"
#include "engine/learning/stream.h"

/* The tensors of a file that a dictionary is learned from: all in memory, or read in pieces. Of a file with more than
 * dictionary.sample of them that many are drawn by dictionary.seed, the same ones either way. */
typedef struct
{
  char *name; /* for messages */
  TosstShape shape;
  gsize n;            /* tensors drawn */
  TosstNpy *array;    /* in memory, or NULL */
  TosstNpyRows *rows; /* read in pieces, or NULL */
  gsize *number;      /* rows of the file that were drawn, ascending; NULL: all, or in memory */
  GChecksum *checksum;
  gsize hashed;  /* tensors that the checksum has seen, in order */
  GError *error; /* why reading failed in the midst of learning */
} CliLearnInput;

CliLearnInput *cli_learn_input_open (const char *path, const TosstRecipe *recipe, GError **error);
void cli_learn_input_free (CliLearnInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliLearnInput, cli_learn_input_free)

TosstStream cli_learn_input_stream (CliLearnInput *self);

/* Identifies shape and numbers of the tensors drawn; new. Of tensors that are read in pieces it is known once all have
 * been read in order, as the pass that measures the scale does, and NULL before. */
char *cli_learn_input_fingerprint (CliLearnInput *self);
