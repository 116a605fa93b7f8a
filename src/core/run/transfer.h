/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that another process executes: what it starts from and what it reports, as bytes. Both processes are of the
 * same version and kind of processor.
 */
#pragma once

#include "core/run/run.h"

/* What a run starts from: finished splits without their models, the checkpoint of the first unfinished one, and the
 * names that place() gives for checkpoints, if it is set. New. */
GBytes *tosst_run_pack_start (const TosstRecipe *recipe, TosstDataset *dataset, const TosstRunOptions *options);

typedef struct
{
  GArray *done; /* TosstSplitResult */
  int split;    /* of the checkpoint */
  GBytes *checkpoint;
  GHashTable *files; /* split to char *: path; empty where this process does not see their folder */
} TosstRunStart;

/* NULL: invalid. New. */
TosstRunStart *tosst_run_unpack_start (GBytes *bytes, int classes);
void tosst_run_start_free (TosstRunStart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRunStart, tosst_run_start_free)
GFile *tosst_run_start_file (const TosstRunStart *self, int split); /* of a checkpoint; new or NULL */

/* A finished split with its model, without margins of samples with one class and the use of its atoms. New. */
GBytes *tosst_run_pack_split (const TosstSplitResult *split, int classes);
/* *model: new or NULL; the split borrows it. Returns FALSE if the bytes are invalid. */
gboolean tosst_run_unpack_split (GBytes *bytes, int classes, TosstSplitResult *split, struct TosstModel **model);

/* How a run ended: seconds of its result, or of its partial one, and its error. result may be NULL. New. */
GBytes *tosst_run_pack_end (const TosstRunResult *result, const GError *cause);
/* Fills in the seconds. *cause: new or NULL. */
void tosst_run_unpack_end (GBytes *bytes, TosstRunResult *result, GError **cause);
