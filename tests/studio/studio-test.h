/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "application.h"
#include "window.h"

/* What the window's tests share: an application that owns no bus name, windows, and waiting without sleeping. */

/* FALSE, after telling the harness to skip, when there is no display. */
gboolean studio_test_init (int *argc, char ***argv);

StudioWindow *studio_test_window (void);         /* presented, with a workspace of its own */
StudioWindow *studio_test_another_window (void); /* with the workspace of the last one */
void studio_test_close (StudioWindow *window);   /* and waits until it is gone */

const char *studio_test_state_folder (void); /* XDG_STATE_HOME and XDG_DATA_HOME of the test */

typedef gboolean (*StudioTestCondition) (gpointer data);
/* Spins the main loop until the condition holds; fails the test after seconds, times TOSST_TEST_PATIENCE where the
 * environment has that. */
void studio_test_wait (StudioTestCondition condition, gpointer data, double seconds);
gboolean studio_test_try (StudioTestCondition condition, gpointer data, double seconds); /* FALSE: it does not hold */
void studio_test_spin (double seconds);

void studio_test_set (StudioWindow *window, const char *name, const char *value); /* a recipe's value */
void studio_test_tiny (StudioWindow *window); /* samples and a recipe that ends in a second or two */

gboolean studio_test_has_dataset (gpointer window);
gboolean studio_test_has_problem (gpointer window);
gboolean studio_test_is_idle (gpointer window);
gboolean studio_test_is_learning (gpointer window);
