/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A dot in the colour of a run in all charts. */
#define STUDIO_TYPE_RUN_SWATCH (studio_run_swatch_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunSwatch, studio_run_swatch, STUDIO, RUN_SWATCH, GtkWidget)

GtkWidget *studio_run_swatch_new (int slot);
void studio_run_swatch_set_slot (StudioRunSwatch *self, int slot); /* -1: none, keeping its space */

G_END_DECLS
