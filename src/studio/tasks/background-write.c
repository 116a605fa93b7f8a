/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/background-write.h"

typedef struct
{
  GFile *file;
  StudioWriteFunc write;
  gpointer job;
  GDestroyNotify free_job;
} Order;

/* The object that receives the result. Only the main thread may check whether it still exists. */
typedef struct
{
  GWeakRef object;
  StudioWrittenFunc written;
} Waiting;

static void
order_free (gpointer data)
{
  Order *order = data;

  g_object_unref (order->file);
  order->free_job (order->job);
  g_free (order);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Order *order = data;
  GError *error = NULL;

  if (order->write (order->job, order->file, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiting *waiting = data;
  g_autoptr (GObject) object = g_weak_ref_get (&waiting->object);
  g_autoptr (GError) error = NULL;
  Order *order = g_task_get_task_data (G_TASK (result));

  g_task_propagate_boolean (G_TASK (result), &error);
  if (object != NULL)
    waiting->written (object, order->file, error != NULL ? error->message : NULL);
  g_weak_ref_clear (&waiting->object);
  g_free (waiting);
}

void
studio_write_in_background (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job, GObject *object,
                            StudioWrittenFunc written)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  Order *order = g_new0 (Order, 1);
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_written, waiting);

  g_weak_ref_init (&waiting->object, object);
  waiting->written = written;
  *order = (Order){ g_object_ref (file), write, job, free_job };
  g_task_set_task_data (task, order, order_free);
  g_task_run_in_thread (task, work);
}
