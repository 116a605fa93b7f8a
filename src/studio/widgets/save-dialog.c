/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/save-dialog.h"

#include <glib/gi18n.h>

typedef struct
{
  const char *kind;
  StudioSaveChosen chosen;
} Question;

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      const Question *question = g_object_get_data (G_OBJECT (dialog), "question");
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      question->chosen (widget, question->kind, file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
ask (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_ (kind->title), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  Question *question = g_new (Question, 1);

  *question = (Question){ kind->kind, chosen };
  g_object_set_data_full (G_OBJECT (dialog), "question", question, g_free);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), kind->name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
studio_save_dialog (GtkWidget *widget, const StudioSaveKind *kinds, guint n, const char *kind, StudioSaveChosen chosen)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (kinds[i].kind, kind))
      ask (widget, &kinds[i], chosen);
}
