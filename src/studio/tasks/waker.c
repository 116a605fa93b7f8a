/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/waker.h"

struct StudioWaker
{
  gatomicrefcount references; /* of its owner, and of a pending notification */
  gint pending;               /* atomic: whether a notification is pending */

  /* Main thread only. */
  StudioWakeFunc wake; /* NULL: disconnected */
  gpointer data;
};

StudioWaker *
studio_waker_new (StudioWakeFunc wake, gpointer data)
{
  StudioWaker *self = g_new0 (StudioWaker, 1);

  g_atomic_ref_count_init (&self->references);
  self->wake = wake;
  self->data = data;
  return self;
}

void
studio_waker_unref (StudioWaker *self)
{
  if (g_atomic_ref_count_dec (&self->references))
    g_free (self);
}

/* Main thread. The flag is cleared before wake reads the news: later news queue another notification. */
static gboolean
on_ring (gpointer data)
{
  StudioWaker *self = data;

  g_atomic_int_set (&self->pending, FALSE);
  if (self->wake != NULL)
    self->wake (self->data);
  return G_SOURCE_REMOVE;
}

void
studio_waker_ring (StudioWaker *self, guint delay_ms)
{
  if (!g_atomic_int_compare_and_exchange (&self->pending, FALSE, TRUE))
    return;
  g_atomic_ref_count_inc (&self->references);
  g_timeout_add_full (G_PRIORITY_DEFAULT, delay_ms, on_ring, self, (GDestroyNotify)studio_waker_unref);
}

void
studio_waker_silence (StudioWaker *self)
{
  self->wake = NULL;
}
