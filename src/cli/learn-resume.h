/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/checkpoint.h"

/* The dictionary to resume learning from. */
typedef struct
{
  GFile *file;
  TosstDictionary *dictionary;
  TosstDictionaryMeta meta;
  TosstCheckpoint *state; /* NULL: the dictionary only */
} CliResumed;

void cli_resumed_clear (CliResumed *self);

/* Opens the file of --resume, or its checkpoint, FILE.checkpoint. For the same learning problem, the one with more
 * iterations is used, as file times are unreliable; for different ones, the checkpoint, which is deleted when its
 * learning writes the file. */
gboolean cli_resumed_open (CliResumed *self, const char *path, GError **error);

/* Whether both recipes learn in the same way, regardless of their stopping criteria. */
gboolean cli_learns_alike (const TosstRecipe *a, const TosstRecipe *b);
