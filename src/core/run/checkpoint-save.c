/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Saving checkpoints of a run, and when they are due.
 */
#include "config.h"

#include "core/run/private.h"

/* Limit for the state of solvers and batches, and for signatures, bytes. Above it no copy is kept between checkpoints,
 * and checkpoints are written to files of their own. */
#define MAX_CHECKPOINT_RAM ((gsize)64 << 20)

gboolean
tosst_run_has_checkpoints (const TosstRun *self)
{
  return (self->options->save != NULL || self->options->ranks != NULL) && self->options->interval > 0;
}

gboolean
tosst_run_checkpoint_is_due (const TosstRun *self)
{
  double seconds = 1e-6 * (double)(g_get_monotonic_time () - self->saved);

  return tosst_run_has_checkpoints (self) && seconds >= MAX (self->options->interval, self->interval);
}

void
tosst_run_saved (TosstRun *self, gint64 start)
{
  self->saved = g_get_monotonic_time ();
  self->interval = self->saved - start > G_USEC_PER_SEC ? 1e-5 * (double)(self->saved - start) : 0;
}

gsize
tosst_run_max_checkpoint_ram (void)
{
  return tosst_checkpoint_max_ram (MAX_CHECKPOINT_RAM);
}

/* A failure is only logged: it costs time if the program is killed, and no results. */
static void
save (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  gint64 start = g_get_monotonic_time ();
  gsize bytes = checkpoint->signatures != NULL ? checkpoint->numbers * sizeof (float) : 0; /* of the large parts */
  g_autoptr (GError) error = NULL;

  for (guint i = 0; checkpoint->parts != NULL && i < checkpoint->parts->len; i++)
    bytes += g_bytes_get_size (g_ptr_array_index (checkpoint->parts, i));
  if (bytes > tosst_run_max_checkpoint_ram () && self->options->place != NULL)
    {
      g_autoptr (GFile) file = self->options->place (self->split, self->options->data);

      if (file != NULL && !tosst_checkpoint_write (checkpoint, file, &error))
        g_debug ("%s", error->message);
    }
  else
    {
      g_autoptr (GBytes) content = tosst_checkpoint_to_bytes (checkpoint);

      self->options->save (self->split, content, self->options->data);
    }
  tosst_run_saved (self, start);
}

/* Of a divided run process 0 saves. */
void
tosst_run_save (TosstRun *self, const TosstCheckpoint *checkpoint)
{
  if (self->options->save != NULL)
    save (self, checkpoint);
  else
    tosst_run_saved (self, g_get_monotonic_time ());
}

void
tosst_run_save_coded (TosstRun *self, const TosstLearned *learned, const TosstSignatures *signatures, guint images,
                      const double *shares, const TosstSvmChoice *choice)
{
  tosst_run_save (self, &(TosstCheckpoint){ .dictionary = learned != NULL ? learned->dictionary : NULL,
                                            .learned = TRUE,
                                            .trace = learned != NULL ? learned->trace : NULL,
                                            .images = images,
                                            .worst_kkt = signatures->worst_kkt,
                                            .nonzeros = signatures->mean_nonzeros,
                                            .signatures = signatures->values,
                                            .numbers = self->patches->samples * self->length,
                                            .shares = (double *)shares,
                                            .n_shares = shares != NULL ? self->patches->images : 0,
                                            .choice = choice != NULL ? *choice : (TosstSvmChoice){ 0 } });
}

guint
tosst_run_load_coded (const TosstRun *self, TosstSignatures *signatures)
{
  const TosstCheckpoint *checkpoint = self->checkpoint;

  if (checkpoint == NULL || checkpoint->images == 0 || checkpoint->images > self->patches->images)
    return 0;
  memcpy (signatures->values, checkpoint->signatures, checkpoint->numbers * sizeof (float));
  signatures->worst_kkt = checkpoint->worst_kkt;
  signatures->mean_nonzeros = checkpoint->nonzeros;
  return checkpoint->images;
}
