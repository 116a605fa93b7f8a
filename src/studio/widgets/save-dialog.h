/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What a view can write to a file: its name in actions, the title of the dialog (N_()), the name of the file at first. */
typedef struct
{
  const char *kind, *title, *name;
} StudioSaveKind;

typedef void (*StudioSaveChosen) (GtkWidget *widget, const char *kind, GFile *file);

/* Asks over the window of the widget where to write this one of n kinds; nothing if it is none of them. chosen is called
 * once there is a file; the widget is not kept alive: not after it is gone. kinds must last as long as the program. */
void studio_save_dialog (GtkWidget *widget, const StudioSaveKind *kinds, guint n, const char *kind,
                         StudioSaveChosen chosen);

G_END_DECLS
