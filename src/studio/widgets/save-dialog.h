/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* A file dialog over the window of the widget, to be shown by gtk_native_dialog_show(), which frees it in the end: chosen is
 * called for each file that was selected; the widget is not kept alive, and chosen is not called after its disposal.
 * filter: name of the files with these suffixes, which may begin with a point; suffixes NULL: all files. */
GtkFileChooser *studio_file_dialog_new (GtkWidget *widget, GtkFileChooserAction action, const char *title,
                                        const char *accept, const char *filter, const char *const *suffixes,
                                        void (*chosen) (GtkWidget *widget, GFile *file));

/* An export of a view: its name in actions, the title of the dialog (N_()), the initial name of the file, and the
 * suffixes of its formats, with spaces between them, that of the initial name first. */
typedef struct
{
  const char *kind, *title, *name, *formats;
} StudioSaveKind;

typedef void (*StudioSaveChosen) (GtkWidget *widget, const char *kind, GFile *file);

/* Opens a file dialog over the window of the widget for one of n kinds; no effect if the kind is unknown. chosen is
 * called when a file was selected; the widget is not kept alive, and chosen is not called after its disposal. The dialog
 * offers the formats; another one changes the suffix of the name, and a name without a suffix gets that of the format.
 * kinds must be static. */
void studio_save_dialog (GtkWidget *widget, const StudioSaveKind *kinds, guint n, const char *kind,
                         StudioSaveChosen chosen);
/* The name with another suffix instead of one of the formats; new. */
char *studio_save_name (const char *name, const char *formats, const char *suffix);
/* "SVG picture", for a suffix; translated. */
const char *studio_save_format_label (const char *suffix);
/* “Exported …”, or the problem; new. */
char *studio_written_sentence (GFile *file, const char *problem);
/* The chosen file, with the suffix of a name if it has none; new. */
GFile *studio_save_file (GFile *file, const char *name);
