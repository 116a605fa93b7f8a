/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/save-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/each.h"

typedef struct
{
  const StudioSaveKind *kind;
  StudioSaveChosen chosen;
} Question;

char *
studio_written_sentence (GFile *file, const char *problem)
{
  g_autofree char *name = g_file_get_basename (file);

  return problem != NULL ? g_strdup (problem) : g_strdup_printf (_ ("Exported “%s”"), name);
}

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

const char *
studio_save_format_label (const char *suffix)
{
  static const struct
  {
    const char *suffix, *label;
  } labels[] = {
    { "svg", N_ ("SVG Picture") },       { "pdf", N_ ("PDF Document") },
    { "png", N_ ("PNG Picture") },       { "csv", N_ ("CSV Table") },
    { "html", N_ ("Web Page") },         { "json", N_ ("JSON Data") },
    { "npz", N_ ("NumPy Arrays") },      { "mat", N_ ("MATLAB File") },
    { "tosst", N_ ("Recipe") },          { "ini", N_ ("Recipe with the Suffix .ini") },
    { "tosst-project", N_ ("Project") }, { "sh", N_ ("Shell Script") },
    { "py", N_ ("Python Script") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (g_str_equal (labels[i].suffix, suffix))
      return _ (labels[i].label);
  return suffix;
}

char *
studio_save_name (const char *name, const char *formats, const char *suffix)
{
  g_auto (GStrv) all = g_strsplit (formats, " ", -1);
  const char *dot = strrchr (name, '.');
  g_autofree char *lower = dot != NULL ? g_ascii_strdown (dot + 1, -1) : NULL;
  gsize stem = lower != NULL && g_strv_contains ((const char *const *)all, lower) ? (gsize)(dot - name) : strlen (name);

  return g_strdup_printf ("%.*s.%s", (int)stem, name, suffix);
}

static const char *
suffix_of (GtkFileChooser *dialog)
{
  GtkFileFilter *filter = gtk_file_chooser_get_filter (dialog);

  return filter != NULL ? g_object_get_data (G_OBJECT (filter), "suffix") : NULL;
}

static void ask (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen, GFile *file);

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  void (*chosen) (GtkWidget * widget, GFile * file) = g_object_get_data (G_OBJECT (dialog), "chosen");
  const Question *question = g_object_get_data (G_OBJECT (dialog), "question");
  const char *suffix = suffix_of (GTK_FILE_CHOOSER (dialog));
  g_autoptr (GListModel) files
      = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog)) : NULL;

  for (guint i = 0; files != NULL && i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);

      if (question != NULL)
        {
          g_autofree char *name
              = studio_save_name (question->kind->name, question->kind->formats,
                                  (suffix != NULL ? suffix : strrchr (question->kind->name, '.') + 1));
          g_autoptr (GFile) whole = studio_save_file (file, name);

          /* The dialog did not ask whether to replace the file with the suffix. */
          if (!g_file_equal (whole, file) && g_file_query_exists (whole, NULL))
            ask (widget, question->kind, question->chosen, whole);
          else
            question->chosen (widget, question->kind->kind, whole);
        }
      else
        chosen (widget, file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

GtkFileChooser *
studio_file_dialog_new (GtkWidget *widget, GtkFileChooserAction action, const char *title, const char *accept,
                        const char *filter, const char *const *suffixes,
                        void (*chosen) (GtkWidget *widget, GFile *file))
{
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_root (widget)), action, accept, NULL);
  g_autoptr (GtkFileFilter) files = gtk_file_filter_new ();

  for (guint i = 0; suffixes != NULL && suffixes[i] != NULL; i++)
    gtk_file_filter_add_suffix (files, suffixes[i] + (suffixes[i][0] == '.'));
  gtk_file_filter_set_name (files, filter);
  if (suffixes != NULL)
    gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), files);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "chosen", chosen);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), widget, 0);
  return GTK_FILE_CHOOSER (dialog);
}

/* The name follows the chosen format. */
static void
on_filter (GtkFileChooser *dialog)
{
  const Question *question = g_object_get_data (G_OBJECT (dialog), "question");
  const char *suffix = suffix_of (dialog);
  g_autofree char *now = gtk_file_chooser_get_current_name (dialog), *name = NULL;

  if (suffix == NULL || now == NULL || *now == 0)
    return;
  name = studio_save_name (now, question->kind->formats, suffix);
  gtk_file_chooser_set_current_name (dialog, name);
}

/* file: the suggested one, or NULL. */
static void
ask (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen, GFile *file)
{
  GtkFileChooser *dialog
      = studio_file_dialog_new (widget, GTK_FILE_CHOOSER_ACTION_SAVE, _ (kind->title), _ ("_Save"), NULL, NULL, NULL);
  Question *question = g_new (Question, 1);

  *question = (Question){ kind, chosen };
  g_object_set_data_full (G_OBJECT (dialog), "question", question, g_free);
  g_auto (GStrv) all = g_strsplit (kind->formats, " ", -1);
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
      g_autofree char *name = g_strdup_printf ("%s (.%s)", studio_save_format_label (all[i]), all[i]);

      gtk_file_filter_set_name (filter, name);
      gtk_file_filter_add_suffix (filter, all[i]);
      g_object_set_data_full (G_OBJECT (filter), "suffix", g_strdup (all[i]), g_free);
      gtk_file_chooser_add_filter (dialog, filter);
      if (i == 0)
        gtk_file_chooser_set_filter (dialog, filter);
    }
  g_signal_connect (dialog, "notify::filter", G_CALLBACK (on_filter), NULL);
  if (file != NULL)
    gtk_file_chooser_set_file (dialog, file, NULL);
  else
    gtk_file_chooser_set_current_name (dialog, kind->name);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
studio_save_dialog (GtkWidget *widget, const StudioSaveKind *kind, StudioSaveChosen chosen)
{
  ask (widget, kind, chosen, NULL);
}

/* Exports. */

static const StudioExports *
exports_of (gpointer widget)
{
  return g_object_get_data (widget, "studio-exports");
}

static const StudioSaveKind *
find_kind (gpointer widget, const char *kind)
{
  const StudioExports *exports = exports_of (widget);

  for (guint i = 0; i < exports->n; i++)
    if (g_str_equal (exports->kinds[i].kind, kind))
      return &exports->kinds[i];
  return NULL;
}

void
studio_exports_set (gpointer widget, const StudioExports *exports)
{
  g_object_set_data (widget, "studio-exports", (gpointer)exports);
}

gboolean
studio_export_can (gpointer widget, const char *kind)
{
  return find_kind (widget, kind) != NULL && exports_of (widget)->can (widget, kind);
}

TOSST_DEFINE_FREE (StudioContent, content_free, (data, self->free))

/* Worker. */
static gboolean
write_content (gpointer data, GFile *file, GError **error)
{
  const StudioContent *content = data;

  if (content->write != NULL)
    return content->write (content->data, file, error);
  if (content->draw != NULL)
    return tosst_draw_save (content->draw, content->data, content->width, content->height, file, error);
  return tosst_atomic_write (file, content->data, strlen (content->data), error);
}

static void
on_written (GObject *widget, GFile *file, const char *problem)
{
  g_autofree char *sentence = studio_written_sentence (file, problem);

  ((StudioExported)exports_of (widget)->written) (widget, sentence, problem, file);
}

void
studio_export_write (gpointer widget, const char *kind, GFile *file)
{
  const StudioSaveKind *found = find_kind (widget, kind);
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);
  const char *dot = strrchr (lower, '.');
  g_autoptr (GError) error = NULL;
  StudioContent content = { NULL };

  if (studio_export_can (widget, kind))
    content = found->take (widget, found, dot != NULL ? dot + 1 : "", &error);
  if (content.data != NULL)
    studio_write_in_background (file, write_content, g_memdup2 (&content, sizeof content), content_free, widget,
                                on_written);
  else if (error != NULL)
    on_written (widget, file, error->message);
  else
    ((StudioExported)exports_of (widget)->written) (widget, _ ("There is nothing to export yet"), NULL, NULL);
}

static void
on_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  studio_export_write (widget, kind, file);
}

void
studio_export_ask (gpointer widget, const char *kind)
{
  if (find_kind (widget, kind) != NULL)
    studio_save_dialog (widget, find_kind (widget, kind), on_chosen);
}
