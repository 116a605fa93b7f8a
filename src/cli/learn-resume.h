/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/checkpoint.h"

/* The dictionary from which learning resumes. */
typedef struct
{
  GFile *file;
  TosstDictionary *dictionary;
  TosstDictionaryMeta meta;
  TosstCheckpoint *state; /* or NULL: the dictionary alone */
} CliResumed;

void cli_resumed_clear (CliResumed *self);

/* The file that --resume names, or the checkpoint beside it: of one learning that with more iterations, as file times
 * are no better than clocks; of two, the checkpoint, which goes when its learning writes the file. */
gboolean cli_resumed_open (CliResumed *self, const char *path, GError **error);

/* Whether both recipes learn the same way, whatever they say about when to stop. */
gboolean cli_learns_alike (const TosstRecipe *a, const TosstRecipe *b);
