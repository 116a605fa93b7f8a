/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/workspace.h"

#include <glib/gi18n.h>

#include "studio/runs/run-registry.h"

struct _StudioWorkspace
{
  GObject parent_instance;
  GFile *file;
  guint opening; /* number of the store being opened, 0: none */
};

enum
{
  CHANGED,
  NOTICE,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (StudioWorkspace, studio_workspace, G_TYPE_OBJECT)

static void
studio_workspace_finalize (GObject *object)
{
  g_clear_object (&STUDIO_WORKSPACE (object)->file);
  G_OBJECT_CLASS (studio_workspace_parent_class)->finalize (object);
}

static void
studio_workspace_class_init (StudioWorkspaceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_workspace_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[NOTICE] = g_signal_new ("notice", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
studio_workspace_init (StudioWorkspace *self)
{
}

GFile *
studio_workspace_get_own_file (void)
{
  return g_file_new_build_filename (g_get_user_data_dir (), "tosst-studio", "runs.sqlite", NULL);
}

StudioWorkspace *
studio_workspace_new (GFile *file)
{
  StudioWorkspace *self = g_object_new (STUDIO_TYPE_WORKSPACE, NULL);

  self->file = file != NULL ? g_object_ref (file) : studio_workspace_get_own_file ();
  return self;
}

GFile *
studio_workspace_get_file (StudioWorkspace *self)
{
  return self->file;
}

gboolean
studio_workspace_is_own (StudioWorkspace *self)
{
  g_autoptr (GFile) own = studio_workspace_get_own_file ();

  return g_file_equal (self->file, own);
}

char *
studio_workspace_dup_name (StudioWorkspace *self)
{
  g_autofree char *name = NULL, *shown = NULL;

  if (studio_workspace_is_own (self))
    return g_strdup (_ ("My Runs"));
  name = g_file_get_basename (self->file);
  shown = g_filename_display_name (name);
  return g_steal_pointer (&shown);
}

void
studio_workspace_changed (StudioWorkspace *self)
{
  studio_run_registry_refresh (self->file);
  g_signal_emit (self, signals[CHANGED], 0);
}

TosstStore *
studio_workspace_open_store (GFile *file, TosstStoreMode mode, GError **error)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);

  /* A failure to create it is reported by opening. */
  if (mode == TOSST_STORE_WRITE && folder != NULL && g_file_peek_path (folder) != NULL)
    g_mkdir_with_parents (g_file_peek_path (folder), 0700);
  return tosst_store_open (file, mode, error);
}

/* Work with a store in a thread, without access to the object. */
typedef struct
{
  GFile *file;
  TosstStoreMode mode;
  StudioStoreFunc func;
  gpointer data;
  GDestroyNotify free_data;
} Work;

static void
work_free (Work *work)
{
  g_object_unref (work->file);
  if (work->free_data != NULL)
    work->free_data (work->data);
  g_free (work);
}

static void
do_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = g_object_get_data (G_OBJECT (task), "work");
  GError *error = NULL;
  g_autoptr (TosstStore) store = studio_workspace_open_store (work->file, work->mode, &error);

  if (store != NULL && work->func (store, data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
studio_workspace_run (StudioWorkspace *self, TosstStoreMode mode, StudioStoreFunc func, gpointer data,
                      GDestroyNotify free_data, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Work *work = g_new (Work, 1);

  *work = (Work){ g_object_ref (self->file), mode, func, data, free_data };
  g_object_set_data_full (G_OBJECT (task), "work", work, (GDestroyNotify)work_free);
  g_task_set_task_data (task, data, NULL);
  g_task_run_in_thread (task, do_work);
}

/* Another store. */

typedef struct
{
  GFile *file;
  gboolean must_exist; /* a missing store is not created */
  gboolean readable;   /* open, but read-only */
  char *notice;
} Look;

typedef struct
{
  GWeakRef workspace;
  guint number; /* 0: the present store */
} Looking;

static void
look_free (Look *look)
{
  g_object_unref (look->file);
  g_free (look->notice);
  g_free (look);
}

static void
look_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Look *look = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = NULL;

  if (look->must_exist && !g_file_query_exists (look->file, NULL))
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  store = studio_workspace_open_store (look->file, TOSST_STORE_WRITE, &error);
  if (store != NULL)
    {
      look->notice = g_strdup (tosst_store_notice (store));
      g_task_return_boolean (task, TRUE);
      return;
    }
  store = tosst_store_open (look->file, TOSST_STORE_READ, NULL);
  look->readable = store != NULL;
  g_task_return_error (task, g_steal_pointer (&error));
}

static void
say (StudioWorkspace *self, const char *sentence)
{
  g_signal_emit (self, signals[NOTICE], 0, sentence);
}

static void
switch_to (StudioWorkspace *self, GFile *file)
{
  g_set_object (&self->file, file);
  studio_workspace_changed (self);
}

static void
on_looked (GObject *source, GAsyncResult *result, gpointer data)
{
  Looking *looking = data;
  g_autoptr (StudioWorkspace) self = g_weak_ref_get (&looking->workspace);
  g_autoptr (GError) error = NULL;
  gboolean fine = g_task_propagate_boolean (G_TASK (result), &error);
  Look *look = g_task_get_task_data (G_TASK (result));
  guint number = looking->number;

  g_weak_ref_clear (&looking->workspace);
  g_free (looking);
  if (self == NULL || (number != 0 && number != self->opening))
    return;
  if (number != 0)
    self->opening = 0;
  if (number != 0 && (fine || look->readable))
    switch_to (self, look->file);
  else if (fine && g_file_equal (look->file, self->file))
    studio_workspace_changed (self);
  if (look->notice != NULL)
    say (self, look->notice);
  if (!fine && look->readable)
    {
      g_autofree char *text = g_strdup_printf (_ ("Runs cannot be recorded here: %s"), error->message);
      say (self, text);
    }
  else if (!fine)
    say (self, error->message);
}

static void
begin_look (StudioWorkspace *self, GFile *file, guint number)
{
  g_autoptr (GTask) task = NULL;
  Looking *looking = g_new0 (Looking, 1);
  Look *look = g_new0 (Look, 1);

  looking->number = number;
  g_weak_ref_init (&looking->workspace, self);
  look->file = g_object_ref (file);
  look->must_exist = number == 0;
  task = g_task_new (NULL, NULL, on_looked, looking);
  g_task_set_task_data (task, look, (GDestroyNotify)look_free);
  g_task_run_in_thread (task, look_work);
}

void
studio_workspace_open (StudioWorkspace *self, GFile *file)
{
  static guint last;

  self->opening = ++last;
  begin_look (self, file, self->opening);
}

void
studio_workspace_look (StudioWorkspace *self)
{
  begin_look (self, self->file, 0);
}
