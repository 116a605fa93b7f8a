/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/predict/predict-choose.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/image/files.h"
#include "studio/tasks/task.h"
#include "studio/widgets/save-dialog.h"

void
studio_predict_choose (GtkWidget *widget, StudioPredictChoice choice, void (*chosen) (GtkWidget *widget, GFile *file))
{
  static const char *const titles[] = { N_ ("Images to Predict"), N_ ("Folder of Images"), N_ ("Open Model") };
  static const char *const models[] = { "npz", NULL };
  const char *const *suffixes[] = { tosst_image_files_suffixes, NULL, models };
  GtkFileChooser *dialog = studio_file_dialog_new (
      widget, choice == STUDIO_CHOOSE_FOLDER ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN,
      _ (titles[choice]), _ ("_Open"), choice == STUDIO_CHOOSE_MODEL ? _ ("Models") : _ ("Images"), suffixes[choice],
      chosen);

  gtk_file_chooser_set_select_multiple (dialog, choice == STUDIO_CHOOSE_IMAGES);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

typedef struct
{
  GFile *file;
  GPtrArray *files;
  void (*listed) (gpointer object, GPtrArray *files, const char *problem);
} ListJob;

static void
list_job_free (gpointer data)
{
  ListJob *job = data;

  g_object_unref (job->file);
  g_clear_pointer (&job->files, g_ptr_array_unref);
  g_free (job);
}

static gboolean
list (gpointer data, GError **error)
{
  ListJob *job = data;
  g_autofree char *name = g_file_get_parse_name (job->file);

  if (g_file_query_file_type (job->file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY)
    job->files = tosst_image_files_list (job->file, tosst_image_files_is_any, error);
  else
    {
      job->files = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (job->files, g_object_ref (job->file));
    }
  if (job->files != NULL && job->files->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: no image in this folder"), name);
  return job->files != NULL;
}

static void
on_listed (gpointer object, gpointer data, const GError *error)
{
  ListJob *job = data;

  job->listed (object, job->files, error != NULL ? error->message : NULL);
}

void
studio_predict_list_images (gpointer object, GFile *file,
                            void (*listed) (gpointer object, GPtrArray *files, const char *problem))
{
  ListJob *job = g_new0 (ListJob, 1);

  job->file = g_object_ref (file);
  job->listed = listed;
  studio_task_run (object, list, job, list_job_free, on_listed);
}

typedef struct
{
  GFile *file;
  TosstModel *model;
  StudioModelLoaded loaded;
} ModelJob;

static void
model_job_free (gpointer data)
{
  ModelJob *job = data;

  g_object_unref (job->file);
  tosst_model_free (job->model);
  g_free (job);
}

static gboolean
load_model (gpointer data, GError **error)
{
  ModelJob *job = data;

  job->model = tosst_model_load (job->file, error);
  return job->model != NULL;
}

static void
on_model (gpointer object, gpointer data, const GError *error)
{
  ModelJob *job = data;

  job->loaded (object, job->file, job->model, error != NULL ? error->message : NULL);
}

void
studio_predict_load_model (gpointer object, GFile *file, StudioModelLoaded loaded)
{
  ModelJob *job = g_new0 (ModelJob, 1);

  job->file = g_object_ref (file);
  job->loaded = loaded;
  studio_task_run (object, load_model, job, model_job_free, on_model);
}
