/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Saving checkpoints of a run.
 */
#include "config.h"

#include "core/run/private.h"

/* Limit for the state of solvers and batches, and for signatures, bytes. Above it no copy is kept between checkpoints,
 * and checkpoints are written to files of their own. */
#define MAX_CHECKPOINT_RAM ((gsize)64 << 20)

gsize
tosst_run_max_checkpoint_ram (void)
{
  return tosst_checkpoint_max_ram (MAX_CHECKPOINT_RAM);
}

static void
save_bytes (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  g_autoptr (GBytes) bytes = tosst_checkpoint_to_bytes (checkpoint);

  self->options->save (self->split, bytes, self->options->data);
}

/* A failure is only logged: it costs time if the program is killed, and no results. */
static void
write_file (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  g_autoptr (GFile) file = self->options->place (self->split, self->options->data);
  g_autoptr (GError) error = NULL;

  if (file != NULL && !tosst_checkpoint_write (checkpoint, file, &error))
    g_debug ("%s", error->message);
}

/* Size of the large parts of a checkpoint. */
static gsize
checkpoint_bytes (const TosstCheckpoint *checkpoint)
{
  gsize bytes = checkpoint->signatures != NULL ? checkpoint->numbers * sizeof (float) : 0;

  for (guint i = 0; checkpoint->parts != NULL && i < checkpoint->parts->len; i++)
    bytes += g_bytes_get_size (g_ptr_array_index (checkpoint->parts, i));
  return bytes;
}

void
tosst_run_save (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  gint64 start = g_get_monotonic_time ();

  if (tosst_run_checkpoint_is_due (self))
    tosst_run_tensors_save (self);
  if (checkpoint_bytes (checkpoint) > tosst_run_max_checkpoint_ram () && self->options->place != NULL)
    write_file (self, checkpoint);
  else
    save_bytes (self, checkpoint);
  tosst_run_saved (self, start);
}
