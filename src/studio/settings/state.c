/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/settings/state.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/each.h"

#define PATH "/io/github/tosst/Studio/"
#define DEFAULT_CHECKPOINT 30.0 /* s; default without settings */
#define MAX_RECENT 8
#define MIN_SIDE 200
#define MAX_SIDE 32767

typedef enum
{
  FILE_STATE,
  FILE_SESSION,
  N_FILES,
} StateFile;

static GFile *
state_file (StateFile which)
{
  static const char *const names[N_FILES] = { "state.ini", "session.ini" };

  return g_file_new_build_filename (g_get_user_state_dir (), "tosst-studio", names[which], NULL);
}

/* Read once; changes of this process are made here first. */
static GKeyFile *
get_state (void)
{
  static GKeyFile *state;

  if (state == NULL)
    {
      g_autoptr (GFile) file = state_file (FILE_STATE);

      state = g_key_file_new ();
      g_key_file_load_from_file (state, g_file_peek_path (file), G_KEY_FILE_NONE, NULL);
    }
  return state;
}

/* Texts to write are numbered, so that a slow thread does not overwrite a newer text. */
typedef struct
{
  StateFile which;
  GFile *file;
  char *text;
  guint number;
} Draft;

static GMutex write_lock;
static guint last_written[N_FILES]; /* guarded by it */

static Draft *
draft_new (StateFile which, GKeyFile *contents)
{
  static guint last;
  Draft *draft = g_new0 (Draft, 1);

  draft->which = which;
  draft->file = state_file (which);
  draft->text = g_key_file_to_data (contents, NULL, NULL);
  draft->number = ++last;
  return draft;
}

TOSST_DEFINE_FREE (Draft, draft_free, (file, g_object_unref), (text, g_free))

/* Any thread. */
static void
draft_write (Draft *draft)
{
  g_autofree char *folder = g_path_get_dirname (g_file_peek_path (draft->file));
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&write_lock);
  if (draft->number > last_written[draft->which])
    {
      g_mkdir_with_parents (folder, 0700);
      if (!tosst_atomic_write (draft->file, draft->text, strlen (draft->text), &error))
        g_message ("%s", error->message);
      last_written[draft->which] = draft->number;
    }
  g_mutex_unlock (&write_lock);
}

static void
write_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  draft_write (data);
}

/* In a thread, as the disk may be slow. */
static void
write_later (Draft *draft)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_set_task_data (task, draft, (GDestroyNotify)draft_free);
  g_task_run_in_thread (task, write_work);
}

static void
write_now (Draft *draft)
{
  draft_write (draft);
  draft_free (draft);
}

static void
save_later (void)
{
  write_later (draft_new (FILE_STATE, get_state ()));
}

/* Settings. */

/* The compiled schema in the program: GLib loads it only from a folder, and then keeps it in memory. */
static GSettingsSchemaSource *
open_own_source (GError **error)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (PATH "gschemas.compiled", G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  g_autofree char *folder = bytes != NULL ? g_dir_make_tmp ("tosst-studio-XXXXXX", error) : NULL;
  g_autofree char *file = folder != NULL ? g_build_filename (folder, "gschemas.compiled", NULL) : NULL;
  GSettingsSchemaSource *source = NULL;

  if (file == NULL)
    return NULL;
  if (g_file_set_contents (file, g_bytes_get_data (bytes, NULL), (gssize)g_bytes_get_size (bytes), error))
    source = g_settings_schema_source_new_from_directory (folder, g_settings_schema_source_get_default (), TRUE, error);
  g_remove (file);
  g_rmdir (folder);
  return source;
}

/* The installed schema; else the built-in one. */
static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default (), *own;
  GSettingsSchema *schema = installed != NULL ? g_settings_schema_source_lookup (installed, APP_ID, TRUE) : NULL;
  g_autoptr (GError) error = NULL;

  if (schema != NULL)
    return schema;
  own = open_own_source (&error);
  if (own == NULL)
    {
      g_message ("%s", error->message);
      return NULL;
    }
  schema = g_settings_schema_source_lookup (own, APP_ID, FALSE);
  g_settings_schema_source_unref (own);
  return schema;
}

/* NULL: the backend of the desktop. GLib falls back to memory if no persistent backend is installed. */
static GSettingsBackend *
make_backend (void)
{
  g_autoptr (GSettingsBackend) standard = g_settings_backend_get_default ();

  if (strcmp (G_OBJECT_TYPE_NAME (standard), "GMemorySettingsBackend") != 0)
    return NULL;
  g_autofree char *file = g_build_filename (g_get_user_state_dir (), "tosst-studio", "settings.ini", NULL);
  return g_keyfile_settings_backend_new (file, PATH, "settings");
}

GSettings *
studio_settings_get (void)
{
  static gboolean made;
  static GSettings *settings;

  if (!made)
    {
      g_autoptr (GSettingsSchema) schema = find_schema ();
      g_autoptr (GSettingsBackend) backend = schema != NULL ? make_backend () : NULL;

      settings = schema != NULL ? g_settings_new_full (schema, backend, NULL) : NULL;
    }
  made = TRUE;
  return settings;
}

/* Settings of the desktop; without them, defaults apply and are not saved. */

gboolean
studio_state_get_flag (const char *key, gboolean otherwise)
{
  GSettings *settings = studio_settings_get ();

  return settings != NULL ? g_settings_get_boolean (settings, key) : otherwise;
}

void
studio_state_set_flag (const char *key, gboolean value)
{
  if (studio_settings_get () != NULL && studio_state_get_flag (key, FALSE) != value)
    g_settings_set_boolean (studio_settings_get (), key, value);
}

static void
on_close (GtkWindow *window)
{
  GSettings *settings = studio_settings_get ();
  int width, height;

  write_now (draft_new (FILE_STATE, get_state ()));
  if (settings == NULL)
    return;
  gtk_window_get_default_size (window, &width, &height); /* the current size, except in a maximised window */
  if (width >= MIN_SIDE && height >= MIN_SIDE && width <= MAX_SIDE && height <= MAX_SIDE)
    {
      g_settings_set_int (settings, "window-width", width);
      g_settings_set_int (settings, "window-height", height);
    }
  studio_state_set_flag ("window-maximized", gtk_window_is_maximized (window));
}

void
studio_state_watch_window (GtkWindow *window)
{
  GSettings *settings = studio_settings_get ();

  if (settings != NULL)
    gtk_window_set_default_size (window, g_settings_get_int (settings, "window-width"),
                                 g_settings_get_int (settings, "window-height"));
  if (studio_state_get_flag ("window-maximized", FALSE))
    gtk_window_maximize (window);
  g_signal_connect (window, "unrealize", G_CALLBACK (on_close), NULL);
}

double
studio_state_get_checkpoint_interval (void)
{
  GSettings *settings = studio_settings_get ();

  return settings != NULL ? g_settings_get_double (settings, "checkpoint-interval") : DEFAULT_CHECKPOINT;
}

void
studio_state_set_checkpoint_interval (double seconds)
{
  if (studio_settings_get () != NULL)
    g_settings_set_double (studio_settings_get (), "checkpoint-interval", seconds);
}

/* Recent files. */

GPtrArray *
studio_state_get_recent (void)
{
  GKeyFile *state = get_state ();
  g_auto (GStrv) uris = g_key_file_get_string_list (state, "recent", "uris", NULL, NULL);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; uris != NULL && uris[i] != NULL && files->len < MAX_RECENT; i++)
    g_ptr_array_add (files, g_file_new_for_uri (uris[i]));
  return files;
}

static void
set_recent (GPtrArray *files)
{
  GKeyFile *state = get_state ();
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < MIN (files->len, MAX_RECENT); i++)
    g_ptr_array_add (uris, g_file_get_uri (files->pdata[i]));
  g_key_file_set_string_list (state, "recent", "uris", (const char *const *)uris->pdata, uris->len);
  save_later ();
}

static void
take_out (GPtrArray *files, GFile *file)
{
  for (guint i = files->len; i-- > 0;)
    if (g_file_equal (files->pdata[i], file))
      g_ptr_array_remove_index (files, i);
}

void
studio_state_add_recent (GFile *file)
{
  g_autoptr (GPtrArray) files = studio_state_get_recent ();

  take_out (files, file);
  g_ptr_array_insert (files, 0, g_object_ref (file));
  set_recent (files);
}

void
studio_state_remove_recent (GFile *file)
{
  g_autoptr (GPtrArray) files = studio_state_get_recent ();

  take_out (files, file);
  set_recent (files);
}

GFile *
studio_state_get_folder (void)
{
  g_autoptr (GPtrArray) files = studio_state_get_recent ();

  return files->len > 0 ? g_file_get_parent (files->pdata[0]) : NULL;
}

/* The store of runs. */

GFile *
studio_state_get_workspace (void)
{
  g_autofree char *uri = g_key_file_get_string (get_state (), "runs", "workspace", NULL);
  g_autoptr (GFile) file = uri != NULL && *uri != '\0' ? g_file_new_for_uri (uri) : NULL;

  return file != NULL && g_file_query_exists (file, NULL) ? g_steal_pointer (&file) : NULL;
}

void
studio_state_set_workspace (GFile *file)
{
  g_autofree char *uri = file != NULL ? g_file_get_uri (file) : g_strdup ("");

  g_key_file_set_string (get_state (), "runs", "workspace", uri);
  save_later ();
}

/* The session. */

GKeyFile *
studio_state_load_session (void)
{
  g_autoptr (GFile) file = state_file (FILE_SESSION);
  g_autoptr (GKeyFile) session = g_key_file_new ();

  return g_key_file_load_from_file (session, g_file_peek_path (file), G_KEY_FILE_NONE, NULL)
             ? g_steal_pointer (&session)
             : NULL;
}

void
studio_state_save_session (GKeyFile *session, gboolean now)
{
  (now ? write_now : write_later) (draft_new (FILE_SESSION, session));
}

/* Lessons. */

guint
studio_state_get_lesson_page (const char *lesson)
{
  return (guint)MAX (g_key_file_get_integer (get_state (), "lessons", lesson, NULL), 0);
}

void
studio_state_set_lesson_page (const char *lesson, guint page)
{
  if (page == studio_state_get_lesson_page (lesson))
    return;
  g_key_file_set_integer (get_state (), "lessons", lesson, (int)page);
  save_later ();
}
