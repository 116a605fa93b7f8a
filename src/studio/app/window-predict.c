/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/data/lists.h"
#include "studio/tasks/task.h"
#include "studio/widgets/format.h"

/* The Predict view: the model of the run, and the images that join the training data. */

static StudioPredictView *
view_of (StudioWindow *self)
{
  return STUDIO_PREDICT_VIEW (self->predict_view);
}

static StudioPredictDetail *
detail_of (StudioWindow *self)
{
  return STUDIO_PREDICT_DETAIL (view_of (self)->detail);
}

/* Predicts with it while further splits run. A run without one leaves the model of the run before. */
static void
on_model (StudioWindow *self)
{
  StudioRunner *runner = self->project->runner;

  studio_predict_view_set_run (view_of (self), runner->model, runner->id);
}

static void
on_exported (StudioWindow *self, const char *name, const char *problem)
{
  g_autofree char *text = g_strdup_printf (_ ("Saved %s"), name);

  if (problem != NULL)
    studio_window_show_problem (self, problem);
  else
    studio_window_toast (self, text);
}

/* Corrections: a list beside the runs names the image and its class, and the recipe names the list. */

typedef struct
{
  GFile *list, *image;
  char *class_name; /* NULL: the image is not in the list */
} Correction;

static gpointer
correction_new (GFile *list, GFile *image, const char *class_name)
{
  Correction *self = g_new (Correction, 1);

  *self = (Correction){ g_object_ref (list), g_object_ref (image), g_strdup (class_name) };
  return self;
}

TOSST_DEFINE_FREE (Correction, correction_free, (list, g_object_unref), (image, g_object_unref), (class_name, g_free))

typedef struct
{
  Correction *wanted;
  char *former;   /* class of the image in the list before; NULL: none */
  gboolean again; /* to undo or redo */
} PutJob;

TOSST_DEFINE_FREE (PutJob, put_job_free, (wanted, correction_free), (former, g_free))

static gboolean
put (PutJob *job, GError **error)
{
  g_autoptr (GPtrArray) listed = tosst_additions_load (job->wanted->list, NULL);

  for (guint i = 0; listed != NULL && i < listed->len; i++)
    {
      const TosstAddition *one = listed->pdata[i];

      if (g_file_equal (one->image, job->wanted->image))
        job->former = g_strdup (one->class_name);
    }
  return tosst_additions_put (job->wanted->list, job->wanted->image, job->wanted->class_name, error);
}

/* Data sets of other folders have other lists. New. */
static GFile *
find_list (StudioWindow *self)
{
  const TosstRecipe *recipe = self->project->model->recipe;
  const char *folder
      = recipe->dataset.path != NULL && recipe->dataset.kind != TOSST_DATASET_SAMPLES ? recipe->dataset.path : "";
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, folder, -1);
  g_autofree char *base = *folder != '\0' ? g_path_get_basename (folder) : g_strdup ("samples");
  g_autofree char *name = g_strdup_printf ("%s-%.8s.txt", base, sum);
  g_autoptr (GFile) runs = g_file_get_parent (self->project->workspace->file);
  g_autoptr (GFile) lists = g_file_get_child (runs, "additions");

  return recipe->dataset.additions != NULL ? g_file_new_for_path (recipe->dataset.additions)
                                           : g_file_get_child (lists, name);
}

static void start_put (StudioWindow *self, Correction *wanted, gboolean again);

/* Undo and redo. */
static void
apply_correction (gpointer target, const Correction *wanted)
{
  start_put (target, correction_new (wanted->list, wanted->image, wanted->class_name), TRUE);
}

static void
on_put (StudioWindow *self, const PutJob *job, const GError *error)
{
  const Correction *now = job->wanted;
  g_autofree char *base = g_file_get_basename (now->image), *name = g_filename_display_name (base), *text = NULL;

  if (error != NULL)
    text = studio_format_problem (error->message);
  else if (now->class_name != NULL)
    text = g_strdup_printf (_ ("%s trains %s from the next run on. The image stays where it is; %s lists it."), name,
                            now->class_name, g_file_peek_path (now->list));
  if (error == NULL)
    studio_predict_view_correct (view_of (self), now->image, now->class_name, self->project->runner->id + 1);
  studio_predict_detail_say (detail_of (self), text);
  if (error == NULL)
    {
      const char *path = g_file_peek_path (now->list);

      /* The data set is opened again with the image, or without it. */
      if (g_strcmp0 (self->project->model->recipe->dataset.additions, path) == 0)
        studio_project_reopen (self->project);
      else
        studio_recipe_model_set (self->project->model, "dataset.additions", path, NULL);
      if (!job->again)
        studio_history_add (self->project->model->history, _ ("Correction"), NULL, (StudioHistoryFunc)apply_correction,
                            self, correction_new (now->list, now->image, job->former),
                            correction_new (now->list, now->image, now->class_name), correction_free);
    }
}

/* Takes wanted. */
static void
start_put (StudioWindow *self, Correction *wanted, gboolean again)
{
  PutJob *job = g_new0 (PutJob, 1);

  job->wanted = wanted;
  job->again = again;
  studio_task_run (self, put, job, put_job_free, on_put);
}

static gboolean
has_class (TosstDataset *dataset, const char *name)
{
  for (guint i = 0; i < dataset->classes->len; i++)
    if (strcmp (tosst_dataset_class_name (dataset, i), name) == 0)
      return TRUE;
  return FALSE;
}

static void
on_corrected (StudioWindow *self, GFile *image, const char *class_name)
{
  TosstDataset *dataset = self->project->dataset;
  g_autofree char *problem = NULL;

  if (dataset == NULL)
    return;
  if (!has_class (dataset, class_name))
    problem = g_strdup_printf (_ ("The open data set has no class “%s”."), class_name);
  else if (tosst_dataset_has_file (dataset, image))
    problem = g_strdup (_ ("The data set has this image already."));
  if (problem != NULL)
    {
      studio_predict_detail_say (detail_of (self), problem);
      return;
    }
  g_autoptr (GFile) list = find_list (self);
  start_put (self, correction_new (list, image, class_name), FALSE);
}

static void
update_correction (StudioWindow *self)
{
  const TosstRecipe *recipe = self->project->model->recipe;
  const char *why = tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dataset.additions"));

  studio_predict_detail_set_uncorrectable (
      detail_of (self), self->project->dataset == NULL ? _ ("Open the data set that it is to train with first") : why);
}

gboolean
studio_window_predicts (StudioWindow *self, GFile *file)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (self->pages)),
             *view = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views));

  return g_strcmp0 (page, "work") == 0 && g_strcmp0 (view, "predict") == 0
         && studio_predict_view_take (view_of (self), file);
}

void
studio_window_predict_init (StudioWindow *self)
{
  studio_connect (self->project->runner, "model", on_model, self);
  studio_connect (self->predict_view, "exported", on_exported, self);
  studio_connect (self->predict_view, "corrected", on_corrected, self);
  studio_connect (self->project, "changed", update_correction, self);
  studio_connect (self->project->model, "changed", update_correction, self);
  update_correction (self);
}
