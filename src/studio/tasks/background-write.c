/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/background-write.h"

#include "studio/tasks/task.h"

typedef struct
{
  GFile *file;
  StudioWriteFunc write;
  gpointer job;
  GDestroyNotify free_job;
  StudioWrittenFunc written;
} Order;

static void
order_free (gpointer data)
{
  Order *order = data;

  g_object_unref (order->file);
  order->free_job (order->job);
  g_free (order);
}

static gboolean
work (gpointer data, GError **error)
{
  Order *order = data;

  return order->write (order->job, order->file, error);
}

static void
on_written (gpointer object, gpointer data, const GError *error)
{
  Order *order = data;

  order->written (object, order->file, error != NULL ? error->message : NULL);
}

void
studio_write_in_background (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job, GObject *object,
                            StudioWrittenFunc written)
{
  Order *order = g_new (Order, 1);

  *order = (Order){ g_object_ref (file), write, job, free_job, written };
  studio_task_run (object, work, order, order_free, on_written);
}
