/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/workspace.h"

#include <glib/gi18n.h>

#include "studio/runs/run-list.h"
#include "studio/widgets/build.h"

G_DEFINE_FINAL_TYPE (StudioWorkspace, studio_workspace, G_TYPE_OBJECT)

STUDIO_DEFINE_FINALIZE (StudioWorkspace, studio_workspace, (file, g_object_unref))

static void
studio_workspace_class_init (StudioWorkspaceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_workspace_finalize;
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "notice", 1, G_TYPE_STRING);
}

STUDIO_DEFINE_INIT (StudioWorkspace, studio_workspace)

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

gboolean
studio_workspace_is_own (StudioWorkspace *self)
{
  g_autoptr (GFile) own = studio_workspace_get_own_file ();

  return g_file_equal (self->file, own);
}

char *
studio_workspace_dup_name (StudioWorkspace *self)
{
  if (studio_workspace_is_own (self))
    return g_strdup (_ ("My Runs"));
  g_autofree char *name = g_file_get_basename (self->file);
  g_autofree char *shown = g_filename_display_name (name);
  return g_steal_pointer (&shown);
}

void
studio_workspace_changed (StudioWorkspace *self)
{
  studio_run_list_refresh (self->file);
  g_signal_emit_by_name (self, "changed");
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
  StudioTaskDone done;
} Work;

TOSST_DEFINE_FREE (Work, work_free, (file, g_object_unref), (data, self->free_data))

static gboolean
do_work (gpointer data, GError **error)
{
  Work *work = data;
  g_autoptr (TosstStore) store = studio_workspace_open_store (work->file, work->mode, error);

  return store != NULL && work->func (store, work->data, error);
}

static void
on_done (gpointer object, gpointer data, const GError *error)
{
  Work *work = data;

  work->done (object, work->data, error);
}

void
studio_workspace_run_with (StudioWorkspace *self, TosstStoreMode mode, StudioStoreFunc func, gpointer data,
                           GDestroyNotify free_data, gpointer object, StudioTaskDone done)
{
  Work *work = g_new (Work, 1);

  *work = (Work){ g_object_ref (self->file), mode, func, data, free_data, done };
  studio_task_run (object, do_work, work, work_free, on_done);
}

/* Another store. */

typedef struct
{
  GFile *file;
  guint number;      /* 0: the present store, which is not created if it is missing */
  gboolean readable; /* open, but read-only */
  char *notice;
} Look;

TOSST_DEFINE_FREE (Look, look_free, (file, g_object_unref), (notice, g_free))

static gboolean
look_work (Look *look, GError **error)
{
  if (look->number == 0 && !g_file_query_exists (look->file, NULL))
    return TRUE;
  g_autoptr (TosstStore) store = studio_workspace_open_store (look->file, TOSST_STORE_WRITE, error);
  if (store != NULL)
    {
      look->notice = g_strdup (tosst_store_notice (store));
      return TRUE;
    }
  store = tosst_store_open (look->file, TOSST_STORE_READ, NULL);
  look->readable = store != NULL;
  return FALSE;
}

static void
say (StudioWorkspace *self, const char *sentence)
{
  g_signal_emit_by_name (self, "notice", sentence);
}

static void
on_looked (StudioWorkspace *self, const Look *look, const GError *error)
{
  gboolean fine = error == NULL;

  if (look->number != 0 && look->number != self->opening)
    return;
  if (look->number != 0)
    self->opening = 0;
  if (look->number != 0 && (fine || look->readable))
    {
      g_set_object (&self->file, look->file);
      studio_workspace_changed (self);
    }
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
  Look *look = g_new0 (Look, 1);

  look->file = g_object_ref (file);
  look->number = number;
  studio_task_run (self, look_work, look, look_free, on_looked);
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
