/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What the program remembers from one start to the next. What the user has set, and the window's size, are settings
 * (settings.h). What was opened last is a key file, tosst-studio/state.ini in the user's state folder
 * (g_get_user_state_dir()), written whole or not at all. A file that cannot be read is as none; one that cannot be written is
 * a message and nothing worse. Main thread. */

/* Gives the window the size it had, and writes it down when the window closes. */
void studio_state_watch_window (GtkWindow *window);

/* Folders and recipes opened, newest first. */
void studio_state_add_recent (GFile *file);
void studio_state_remove_recent (GFile *file);
GPtrArray *studio_state_get_recent (void); /* of GFile; free with g_ptr_array_unref() */
/* Where a file chooser should begin; NULL: nowhere special. */
GFile *studio_state_get_folder (void);

/* The store of runs that was opened instead of the user's own; NULL: none, or it is no longer there. New. */
GFile *studio_state_get_workspace (void);
void studio_state_set_workspace (GFile *file); /* NULL: the user's own */
/* Seconds between checkpoints of a run. */
double studio_state_get_checkpoint_interval (void);
void studio_state_set_checkpoint_interval (double seconds);

/* The session: a key file of its own, session.ini beside state.ini; what is in it is session.h's. NULL: none that can be
 * read. now: before this returns, else in the background. */
GKeyFile *studio_state_load_session (void);
void studio_state_save_session (GKeyFile *session, gboolean now);
/* Whether a window begins with the last session; it does until the user says otherwise. */
gboolean studio_state_get_restores (void);
void studio_state_set_restores (gboolean restores);

/* The page, from 0, on which a lesson was left. */
guint studio_state_get_lesson_page (const char *lesson);
void studio_state_set_lesson_page (const char *lesson, guint page);
/* Large text and lines, for a projector. */
gboolean studio_state_get_presenter (void);
void studio_state_set_presenter (gboolean presenter);

G_END_DECLS
