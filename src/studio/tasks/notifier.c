/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/notifier.h"

struct StudioNotifier
{
  gatomicrefcount references; /* of its owner, and of a pending notification */
  gint pending;               /* atomic: whether a notification is pending */

  /* Main thread only. */
  StudioNotifyFunc notify; /* NULL: disconnected */
  gpointer data;
};

StudioNotifier *
studio_notifier_new (StudioNotifyFunc notify, gpointer data)
{
  StudioNotifier *self = g_new0 (StudioNotifier, 1);

  g_atomic_ref_count_init (&self->references);
  self->notify = notify;
  self->data = data;
  return self;
}

void
studio_notifier_unref (StudioNotifier *self)
{
  if (g_atomic_ref_count_dec (&self->references))
    g_free (self);
}

/* Main thread. The flag is cleared before notify reads the news: later news queue another notification. */
static gboolean
on_queued (gpointer data)
{
  StudioNotifier *self = data;

  g_atomic_int_set (&self->pending, FALSE);
  if (self->notify != NULL)
    self->notify (self->data);
  return G_SOURCE_REMOVE;
}

void
studio_notifier_queue (StudioNotifier *self, guint delay_ms)
{
  if (!g_atomic_int_compare_and_exchange (&self->pending, FALSE, TRUE))
    return;
  g_atomic_ref_count_inc (&self->references);
  g_timeout_add_full (G_PRIORITY_DEFAULT, delay_ms, on_queued, self, (GDestroyNotify)studio_notifier_unref);
}

void
studio_notifier_disconnect (StudioNotifier *self)
{
  self->notify = NULL;
}
