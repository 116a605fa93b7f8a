/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "studio/tasks/task.h"

/* A file dialog over the window of the widget, to be shown by gtk_native_dialog_show(), which frees it in the end: chosen is
 * called for each file that was selected; the widget is not kept alive, and chosen is not called after its disposal.
 * filter: name of the files with these suffixes, which may begin with a point; suffixes NULL: all files. */
GtkFileChooser *studio_file_dialog_new (GtkWidget *widget, GtkFileChooserAction action, const char *title,
                                        const char *accept, const char *filter, const char *const *suffixes,
                                        void (*chosen) (GtkWidget *widget, GFile *file));

/* What a file will contain, taken from the widgets at once and written by a thread: what write writes, or else a drawing of
 * this size, or else data, a text. */
typedef struct
{
  gpointer data; /* NULL: nothing */
  GDestroyNotify free;
  StudioWriteFunc write;
  TosstDrawFunc draw;
  double width, height;
} StudioContent;

/* A kind of file that a widget saves: its name in actions, the title of the dialog (N_()), the initial name of the file,
 * and the suffixes of its formats, with spaces between them, that of the initial name first. take: the content, for a
 * suffix in lower case; an error is a sentence. */
typedef struct StudioSaveKind
{
  const char *kind, *title, *name, *formats;
  StudioContent (*take) (gpointer widget, const struct StudioSaveKind *kind, const char *suffix, GError **error);
} StudioSaveKind;

/* At the end, with a sentence for the user; problem: the same where it failed, else NULL; file: NULL where there was
 * nothing. */
typedef void (*StudioExported) (gpointer widget, const char *sentence, const char *problem, GFile *file);

/* All that a widget exports; can: whether there is something of a kind. */
typedef struct
{
  const StudioSaveKind *kinds;
  guint n;
  gboolean (*can) (gpointer widget, const char *kind);
  GCallback written; /* StudioExported, whose last arguments may be missing */
} StudioExports;

void studio_exports_set (gpointer widget, const StudioExports *exports); /* static; once */
gboolean studio_export_can (gpointer widget, const char *kind);
void studio_export_write (gpointer widget, const char *kind, GFile *file);
void studio_export_ask (gpointer widget, const char *kind); /* a file dialog first */

typedef void (*StudioSaveChosen) (GtkWidget *widget, const char *kind, GFile *file);

/* Opens a file dialog over the window of the widget. chosen is called when a file was selected; the widget is not kept
 * alive, and chosen is not called after its disposal. The dialog offers the formats; another one changes the suffix of the
 * name, and a name without a suffix gets that of the format. kind must be static. */
void studio_save_dialog (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen);
/* The name with another suffix instead of one of the formats; new. */
char *studio_save_name (const char *name, const char *formats, const char *suffix);
/* "SVG picture", for a suffix; translated. */
const char *studio_save_format_label (const char *suffix);
/* “Exported …”, or the problem; new. */
char *studio_written_sentence (GFile *file, const char *problem);
/* The chosen file, with the suffix of a name if it has none; new. */
GFile *studio_save_file (GFile *file, const char *name);
