/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/tasks/task.h"

#include "core/base/each.h"

typedef struct
{
  GWeakRef object; /* read on the main thread */
  StudioTaskFunc func;
  gpointer data;
  GDestroyNotify free_data;
  StudioTaskDone done;
} Task;

static void
task_free (Task *self)
{
  g_weak_ref_clear (&self->object);
  self->free_data (self->data);
  g_free (self);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Task *self = data;
  GError *error = NULL;
  gboolean fine = self->func (self->data, &error);

  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, fine);
}

static void
on_ready (GObject *source, GAsyncResult *result, gpointer data)
{
  Task *self = g_task_get_task_data (G_TASK (result));
  g_autoptr (GObject) object = g_weak_ref_get (&self->object);
  g_autoptr (GError) error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  if (object != NULL)
    self->done (object, self->data, error);
}

void
studio_task_run_with (gpointer object, StudioTaskFunc func, gpointer data, GDestroyNotify free_data,
                      StudioTaskDone done)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_ready, NULL);
  Task *self = g_new0 (Task, 1);

  *self = (Task){ .func = func, .data = data, .free_data = free_data, .done = done };
  g_weak_ref_init (&self->object, object);
  g_task_set_task_data (task, self, (GDestroyNotify)task_free);
  g_task_run_in_thread (task, work);
}

typedef struct
{
  GFile *file;
  StudioWriteFunc write;
  gpointer job;
  GDestroyNotify free_job;
  StudioWrittenFunc written;
} Order;

TOSST_DEFINE_FREE (Order, order_free, (file, g_object_unref), (job, self->free_job))

static gboolean
write_file (Order *order, GError **error)
{
  return order->write (order->job, order->file, error);
}

static void
on_written (gpointer object, Order *order, const GError *error)
{
  order->written (object, order->file, error != NULL ? error->message : NULL);
}

void
studio_write_with (GFile *file, StudioWriteFunc write, gpointer job, GDestroyNotify free_job, gpointer object,
                   StudioWrittenFunc written)
{
  Order *order = g_new (Order, 1);

  *order = (Order){ g_object_ref (file), write, job, free_job, written };
  studio_task_run (object, write_file, order, order_free, on_written);
}

typedef struct
{
  guint *source;
  void (*func) (gpointer data);
  gpointer data;
} Later;

static gboolean
on_later (gpointer data)
{
  const Later later = *(const Later *)data;

  *later.source = 0;
  later.func (later.data);
  return G_SOURCE_REMOVE;
}

void
studio_later_at (guint *source, int priority, guint ms, GCallback func, gpointer data)
{
  Later later = { source, (void (*) (gpointer))func, data };

  if (*source == 0)
    *source = g_timeout_add_full (priority, ms, on_later, g_memdup2 (&later, sizeof later), g_free);
}
