/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/save-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  const StudioSaveKind *kind;
  StudioSaveChosen chosen;
} Question;

GFile *
studio_save_file (GFile *file, const char *name)
{
  g_autofree char *base = g_file_get_basename (file), *whole = NULL;
  g_autoptr (GFile) folder = g_file_get_parent (file);
  const char *dot = strrchr (base, '.');

  /* "rate-0.5" has no suffix. */
  if (folder == NULL || (dot != NULL && dot > base && g_ascii_isalpha (dot[1])))
    return g_object_ref (file);
  whole = g_strconcat (base, strrchr (name, '.'), NULL);
  return g_file_get_child (folder, whole);
}

static void ask (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen, GFile *file);

/* The dialog did not ask whether to replace the file with the suffix. */
static void
take (GtkWidget *widget, const Question *question, GFile *file)
{
  g_autoptr (GFile) whole = studio_save_file (file, question->kind->name);

  if (!g_file_equal (whole, file) && g_file_query_exists (whole, NULL))
    ask (widget, question->kind, question->chosen, whole);
  else
    question->chosen (widget, question->kind->kind, whole);
}

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      const Question *question = g_object_get_data (G_OBJECT (dialog), "question");
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      take (widget, question, file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

/* file: the suggested one, or NULL. */
static void
ask (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen, GFile *file)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_ (kind->title), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  Question *question = g_new (Question, 1);

  *question = (Question){ kind, chosen };
  g_object_set_data_full (G_OBJECT (dialog), "question", question, g_free);
  if (file != NULL)
    gtk_file_chooser_set_file (GTK_FILE_CHOOSER (dialog), file, NULL);
  else
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
      ask (widget, &kinds[i], chosen, NULL);
}
