/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/settings/settings.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>
#include <string.h>

#define PATH "/io/github/tosst/Studio/"

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
  g_autofree char *file = NULL;

  if (strcmp (G_OBJECT_TYPE_NAME (standard), "GMemorySettingsBackend") != 0)
    return NULL;
  file = g_build_filename (g_get_user_state_dir (), "tosst-studio", "settings.ini", NULL);
  return g_keyfile_settings_backend_new (file, PATH, "settings");
}

static GSettings *
make_settings (void)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();
  g_autoptr (GSettingsBackend) backend = schema != NULL ? make_backend () : NULL;

  return schema != NULL ? g_settings_new_full (schema, backend, NULL) : NULL;
}

GSettings *
studio_settings_get (void)
{
  static gboolean made;
  static GSettings *settings;

  if (!made)
    settings = make_settings ();
  made = TRUE;
  return settings;
}
