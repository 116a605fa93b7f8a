/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/base/atomic-file.h"
#include "studio/app/application.h"
#include "studio/app/window.h"
#include "studio/inspect/code-session.h"

/* Shared by the tests of the window: an application that owns no bus name, windows, and waiting without sleeping. */

/* FALSE, after telling the harness to skip, when there is no display. */
gboolean studio_test_init (int *argc, char ***argv);

StudioWindow *studio_test_window (void);         /* presented, with a workspace of its own */
StudioWindow *studio_test_another_window (void); /* with the workspace of the previous one */
StudioRecipePanel *studio_test_panel (StudioWindow *window);
const char *studio_test_problem (StudioWindow *window); /* the visible sentence; NULL: none */
void studio_test_close (StudioWindow *window);          /* also waits until it is disposed */

const char *studio_test_state_folder (void); /* XDG_STATE_HOME, XDG_DATA_HOME and XDG_CACHE_HOME of the test */

typedef gboolean (*StudioTestCondition) (gpointer data);
/* Iterates the main loop until the condition holds; fails the test with its name after seconds times a factor for
 * loaded machines: 10, or TOSST_TEST_PATIENCE of the environment. */
#define studio_test_wait(condition, ...) studio_test_wait_for (G_STRLOC, #condition, condition, __VA_ARGS__)
void studio_test_wait_for (const char *place, const char *what, StudioTestCondition condition, gpointer data,
                           double seconds);
gboolean studio_test_try (StudioTestCondition condition, gpointer data, double seconds); /* FALSE: timeout */
/* Waits at least so long; from 0.05 s on also until every visible window has drawn two frames, without a limit. */
void studio_test_spin (double seconds);

void studio_test_set (StudioWindow *window, const char *name, const char *value); /* a value of the recipe */
void studio_test_tiny (StudioWindow *window); /* samples and a recipe of a run of one or two seconds */

/* Children, views and files of a window. */
GtkWidget *studio_test_child (gpointer widget, GType type,
                              const char *name);             /* of its template; of a window also "NAME_view" */
GtkWidget *studio_test_find (GtkWidget *widget, GType type); /* the first of a type, itself or below; NULL: none */
gboolean studio_test_is_folded (gpointer fold);              /* a StudioFold shows one of its parts */
gboolean studio_test_has_label (GtkWidget *widget, const char *text);  /* itself or one below */
GtkEditable *studio_test_entry (GtkWidget *widget, const char *title); /* an AdwEntryRow in it; NULL: none */
GtkWidget *studio_test_dialog (void);                                  /* an open AdwMessageDialog; NULL: none */
void studio_test_show (StudioWindow *window, const char *view);
void studio_test_open (StudioWindow *window, const char *path);
const StudioCode *studio_test_code (gpointer window); /* image of Inspect; NULL: none */
/* The output of "win.export-KIND" to a new file, of more than a few bytes; new. */
char *studio_test_export (StudioWindow *window, const char *kind, const char *folder, const char *name);
gboolean studio_test_press_key (GtkWidget *widget, guint key); /* whether it was used */

gboolean studio_test_has_atoms (gpointer window);
gboolean studio_test_has_code (gpointer window);
gboolean studio_test_has_dataset (gpointer window);
gboolean studio_test_has_problem (gpointer window);
gboolean studio_test_is_idle (gpointer window);
gboolean studio_test_is_learning (gpointer window);
