/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* A dot in the colour of a run in all charts. */
GtkWidget *studio_run_swatch_new (int color);
void studio_run_swatch_set_color (GtkWidget *swatch, int color); /* -1: none, keeping its space */
/* A dot and a text beside it, which takes another line where it has to; with a CSS class. */
GtkWidget *studio_run_caption_new (int color, const char *text, const char *css_class);
