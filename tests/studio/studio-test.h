/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/app/application.h"
#include "studio/app/window.h"
#include "studio/inspect/code.h"

/* What the window's tests share: an application that owns no bus name, windows, and waiting without sleeping. */

/* FALSE, after telling the harness to skip, when there is no display. */
gboolean studio_test_init (int *argc, char ***argv);

StudioWindow *studio_test_window (void);         /* presented, with a workspace of its own */
StudioWindow *studio_test_another_window (void); /* with the workspace of the last one */
void studio_test_close (StudioWindow *window);   /* and waits until it is gone */

const char *studio_test_state_folder (void); /* XDG_STATE_HOME and XDG_DATA_HOME of the test */

typedef gboolean (*StudioTestCondition) (gpointer data);
/* Spins the main loop until the condition holds; fails the test, naming it, after seconds times a patience that a machine
 * with other work needs: 10, or TOSST_TEST_PATIENCE where the environment has that. */
#define studio_test_wait(condition, ...) studio_test_wait_for (G_STRLOC, #condition, condition, __VA_ARGS__)
void studio_test_wait_for (const char *place, const char *what, StudioTestCondition condition, gpointer data,
                           double seconds);
gboolean studio_test_try (StudioTestCondition condition, gpointer data, double seconds); /* FALSE: it does not hold */
/* At least so long; from 0.05 s on also until every window in sight has drawn two frames, however long that takes. */
void studio_test_spin (double seconds);

void studio_test_set (StudioWindow *window, const char *name, const char *value); /* a recipe's value */
void studio_test_tiny (StudioWindow *window); /* samples and a recipe that ends in a second or two */

/* Children, views and files of a window. */
GtkWidget *studio_test_child (gpointer widget, GType type, const char *name); /* of its template */
void studio_test_show (StudioWindow *window, const char *view);
void studio_test_open (StudioWindow *window, const char *path);
const StudioCode *studio_test_code (gpointer window); /* that Inspect shows; NULL: none */
/* What "win.export-KIND" writes to a file that is not there yet, and has more than a few bytes; new. */
char *studio_test_export (StudioWindow *window, const char *kind, const char *folder, const char *name);
gboolean studio_test_press_key (GtkWidget *widget, guint key); /* whether it was made use of */
void studio_test_remove_folder (const char *path);             /* and all in it */

gboolean studio_test_has_atoms (gpointer window);
gboolean studio_test_has_code (gpointer window);
gboolean studio_test_has_dataset (gpointer window);
gboolean studio_test_has_problem (gpointer window);
gboolean studio_test_is_idle (gpointer window);
gboolean studio_test_is_learning (gpointer window);
