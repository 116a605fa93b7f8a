/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define STUDIO_PACED_STEP 16 /* items that change at once at most: rows that a list makes or drops between two events */

/* The items of another list model, each of them once. A change of more items than STUDIO_PACED_STEP is followed in steps
 * when the main loop is idle; items that stay are never removed meanwhile, so that a selection of one holds. Main
 * thread. */
#define STUDIO_TYPE_PACED_LIST (studio_paced_list_get_type ())
G_DECLARE_FINAL_TYPE (StudioPacedList, studio_paced_list, STUDIO, PACED_LIST, GObject)

StudioPacedList *studio_paced_list_new (GListModel *model); /* takes ownership */

G_END_DECLS
