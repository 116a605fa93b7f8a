/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run keeps on disk while it lasts: when a checkpoint is due, and the file of its tensors or features.
 */
#include "config.h"

#include "core/run/hash.h"
#include "core/run/private.h"

/* Tensors are saved if describing them took this fraction of the time between checkpoints. */
#define WORTH_KEEPING 0.1

gboolean
tosst_run_has_checkpoints (const TosstRun *self)
{
  return (self->options->save != NULL || self->options->ranks != NULL) && self->options->interval > 0;
}

static gboolean
is_due (const TosstRun *self)
{
  double seconds = 1e-6 * (double)(g_get_monotonic_time () - self->saved);

  return self->options->interval > 0 && seconds >= MAX (self->options->interval, self->interval);
}

gboolean
tosst_run_checkpoint_is_due (const TosstRun *self)
{
  return tosst_run_has_checkpoints (self) && is_due (self);
}

gboolean
tosst_run_keep_is_due (const TosstRun *self)
{
  return self->options->keep != NULL && is_due (self);
}

gboolean
tosst_run_is_worth_keeping (const TosstRun *self, double seconds)
{
  return self->options->keep != NULL && self->options->interval > 0
         && seconds >= WORTH_KEEPING * self->options->interval;
}

void
tosst_run_saved (TosstRun *self, gint64 start)
{
  self->saved = g_get_monotonic_time ();
  self->interval = self->saved - start > G_USEC_PER_SEC ? 1e-5 * (double)(self->saved - start) : 0;
}

TosstTensorFile *
tosst_run_tensors_file (TosstRun *self, int split, gsize rows, gsize bytes, gboolean creates)
{
  g_autofree char *hash = tosst_run_part_hash (self->recipe, tosst_dataset_key (self->dataset), TOSST_PART_TENSORS);
  g_autofree char *contents = split < 0 ? g_strdup (hash) : tosst_run_split_hash (hash, split);
  g_autoptr (GFile) file = NULL;

  if (self->options->keep == NULL || !(self->options->interval > 0))
    return NULL;
  file = self->options->keep (hash, creates, self->options->data);
  return file != NULL ? tosst_tensor_file_open (file, contents, rows, bytes, creates) : NULL;
}
