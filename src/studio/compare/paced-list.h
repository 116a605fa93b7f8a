/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#define STUDIO_PACED_STEP 8 /* items that change at once at most: rows that a list makes or drops between two events */
#define STUDIO_PACED_ROWS 256 /* steps are for these first items; GTK makes no rows for later ones */

/* A list of the items of a model, each of them once, which it follows: a change of more items than STUDIO_PACED_STEP in
 * steps, one for each picture on the screen. Items that stay are not removed meanwhile, so that a selection of one
 * holds; in another order they are replaced at once. Takes ownership of the model. Main thread. */
GListModel *studio_paced_list_new (GListModel *model);
