/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* The user's settings: the schema APP_ID, data/io.github.tosst.Studio.gschema.xml. Stored in the settings of the
 * desktop (dconf), or without these in tosst-studio/settings.ini in the user's state folder. Owned by the program; NULL
 * if even the built-in schema cannot be read: then defaults apply. Main thread. */
GSettings *studio_settings_get (void);

/* The state that the program keeps between sessions. The user's settings and the window's size are settings
 * above. Recently opened files are in a key file, tosst-studio/state.ini in the user's state folder
 * (g_get_user_state_dir()), written atomically. An unreadable file counts as missing; a failure to write is only
 * logged. Main thread. */

/* Restores the size of the window, and saves it when the window closes. */
void studio_state_watch_window (GtkWindow *window);

/* Folders and recipes opened, newest first. */
void studio_state_add_recent (GFile *file);
void studio_state_remove_recent (GFile *file);
GPtrArray *studio_state_get_recent (void); /* of GFile; free with g_ptr_array_unref() */
/* The initial folder of a file chooser; NULL: the default. */
GFile *studio_state_get_folder (void);

/* The store of runs that was opened instead of the default one; NULL: none, or it no longer exists. New. */
GFile *studio_state_get_workspace (void);
void studio_state_set_workspace (GFile *file); /* NULL: the default one */
/* Seconds between checkpoints of a run. */
double studio_state_get_checkpoint_interval (void);
void studio_state_set_checkpoint_interval (double seconds);

/* The session: a key file of its own, session.ini beside state.ini; for its contents see window-session.c. NULL: none or
 * unreadable. now: written before this returns, else in the background. */
GKeyFile *studio_state_load_session (void);
void studio_state_save_session (GKeyFile *session, gboolean now);

/* The last visible page of a lesson, from 0. */
guint studio_state_get_lesson_page (const char *lesson);
void studio_state_set_lesson_page (const char *lesson, guint page);
/* A setting that is on or off; otherwise: its default, without settings. */
#define STUDIO_RESTORES "restore-session" /* a window restores the last session; the default is TRUE */
#define STUDIO_PRESENTER "presenter"      /* large text and lines, for a projector */
gboolean studio_state_get_flag (const char *key, gboolean otherwise);
void studio_state_set_flag (const char *key, gboolean value);
