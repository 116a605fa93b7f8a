/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run of the recipe, or the sweep while its view is visible, as a job for a cluster: a script for Slurm, and the
 * recipe that it reads. The files are copied to the cluster with the images; the store that comes back is opened here.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/cluster/job.h"
#include "studio/app/window-private.h"
#include "studio/settings/state.h"
#include "studio/tasks/task.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"

#define SETTING "cluster-job"
#define SETTING_TYPE "(iiisss)"
#define TIME "1:00:00"
#define STORE "runs.sqlite" /* in the folder in which the job is submitted, as that of `tosst classify` */

/* Parameters that name a file or folder of this computer. */
static const char *const path_names[] = { "dataset.path", "dataset.additions", "descriptor.folder" };

/* A job with what the user said of the cluster. */
typedef struct
{
  TosstSweep *sweep; /* one run without axes */
  double seconds;    /* of one process of this computer; NAN: unknown */
  TosstJob job;
  char *time, *partition, *account; /* as typed; empty: as the cluster has them */
  char *recipe;                     /* text of the sweep, when it is written */
} Job;

typedef struct
{
  StudioWindow *window; /* weak */
  Job *job;             /* NULL: it was passed on */
  GtkWidget *dialog, *needs, *problem;
  GtkWidget *nodes, *ranks, *threads, *time, *partition, *account, *paths[G_N_ELEMENTS (path_names)]; /* or NULL */
} Question;

TOSST_DEFINE_FREE (Job, job_free, (sweep, tosst_sweep_free), (time, g_free), (partition, g_free), (account, g_free),
                   (recipe, g_free))

/* Thread. */
static gboolean
write_job (Job *self, GFile *file, GError **error)
{
  return tosst_job_save (&self->job, self->recipe, file, error);
}

static void
on_written (GObject *window, GFile *file, const char *problem)
{
  StudioWindow *self = (StudioWindow *)window;
  g_autofree char *name = g_file_get_basename (file), *text = NULL;

  if (problem != NULL)
    {
      studio_window_show_problem (self, problem);
      return;
    }
  text = g_strdup_printf (_ ("Exported “%s” and its recipe. On the cluster: sbatch %s"), name, name);
  studio_window_toast (self, text);
}

/* Takes the job. */
static void
write_in_thread (StudioWindow *self, Job *job, GFile *file)
{
  job->recipe = job->job.kind == TOSST_JOB_SWEEP ? tosst_sweep_to_text (job->sweep)
                                                 : tosst_recipe_to_text (job->sweep->base, FALSE);
  studio_write_in_background (file, write_job, job, job_free, G_OBJECT (self), on_written);
}

/* The last answers. */
static void
load_answers (Job *self)
{
  GSettings *settings = studio_settings_get ();
  TosstJob *job = &self->job;

  if (settings != NULL)
    {
      g_settings_get (settings, SETTING, SETTING_TYPE, &job->nodes, &job->ranks, &job->threads, &self->time,
                      &self->partition, &self->account);
      return;
    }
  job->nodes = job->ranks = 1;
  self->time = g_strdup (TIME);
  self->partition = g_strdup ("");
  self->account = g_strdup ("");
}

/* Memory and time of the visible sweep or of the run of the recipe, as the window states them, if it does by now. */
static void
take_estimate (Job *self, StudioSweepPlanner *planner)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (planner);
  const TosstRunEstimate *needs = &planner->needs;

  self->seconds = estimate != NULL ? estimate->seconds : NAN;
  self->job.memory = estimate != NULL ? estimate->bytes : needs != NULL ? needs->bytes : 0;
}

static Job *
job_new (StudioWindow *window, GError **error)
{
  StudioProject *project = window->project;
  gboolean sweeps = studio_window_shows_sweep (window);
  g_autoptr (TosstSweep) sweep
      = sweeps ? tosst_sweep_copy (project->sweep->sweep) : tosst_sweep_new (project->model->recipe);

  if (!tosst_sweep_check (sweep, error))
    return NULL;
  Job *self = g_new0 (Job, 1);
  self->sweep = g_steal_pointer (&sweep);
  self->job.kind = self->sweep->axes->len > 0 ? TOSST_JOB_SWEEP : TOSST_JOB_CLASSIFY;
  self->job.output = STORE;
  load_answers (self);
  take_estimate (self, sweeps ? project->sweep : project->forecast);
  return self;
}

/* Whether the answers make a job. */
static gboolean
job_is_complete (Job *self, GError **error)
{
  self->job.partition = *self->partition != 0 ? self->partition : NULL;
  self->job.account = *self->account != 0 ? self->account : NULL;
  return tosst_job_parse_time (self->time, &self->job.seconds, error) && tosst_job_check (&self->job, error);
}

/* "Asks for 3.2 GB of memory on each node. One process of this computer would take about 2 h." */
static char *
describe_needs (Job *self)
{
  guint64 bytes = tosst_job_node_memory (&self->job);
  g_autofree char *memory = g_format_size (bytes), *time = NULL;
  GString *text = g_string_new (NULL);

  if (bytes > 0)
    g_string_append_printf (text, _ ("Asks for %s of memory on each node."), memory);
  if (isfinite (self->seconds))
    {
      time = studio_format_rough_duration (self->seconds);
      if (text->len > 0)
        g_string_append_c (text, ' ');
      /* Translators: a duration */
      g_string_append_printf (text, _ ("One process of this computer would take about %s."), time);
    }
  return g_string_free (text, FALSE);
}

/* The dialog. */

static void
question_free (Question *self, GClosure *closure)
{
  g_clear_weak_pointer (&self->window);
  g_clear_pointer (&self->job, job_free);
  g_free (self);
}

static int
number_of (GtkWidget *spin)
{
  return gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (spin));
}

static void
take_text (char **text, GtkWidget *entry)
{
  g_free (*text);
  *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
}

/* The images may be elsewhere on the cluster. */
static gboolean
take_paths (Question *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (path_names); i++)
    if (self->paths[i] != NULL
        && !tosst_sweep_set (self->job->sweep, path_names[i], gtk_editable_get_text (GTK_EDITABLE (self->paths[i])),
                             error))
      return FALSE;
  return tosst_sweep_check (self->job->sweep, error);
}

static void
update (Question *self)
{
  Job *job = self->job;
  g_autoptr (GError) error = NULL;

  job->job.nodes = number_of (self->nodes);
  job->job.ranks = number_of (self->ranks);
  job->job.threads = number_of (self->threads);
  take_text (&job->time, self->time);
  take_text (&job->partition, self->partition);
  take_text (&job->account, self->account);
  gboolean complete = job_is_complete (job, &error) && take_paths (self, &error);
  studio_label_take (self->needs, describe_needs (job));
  studio_label_show_problem (self->problem, complete ? NULL : error->message);
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self->dialog), "save", complete);
}

static void
on_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  StudioWindow *self = (StudioWindow *)widget;

  if (self->job_to_save != NULL)
    write_in_thread (self, g_steal_pointer (&self->job_to_save), file);
}

static void
on_response (AdwMessageDialog *dialog, const char *response, Question *self)
{
  static const StudioSaveKind kind = { "job", N_ ("Save Job Script"), "job.sh", "sh" };

  if (strcmp (response, "save") != 0 || self->window == NULL)
    return;
  GSettings *settings = studio_settings_get ();
  if (settings != NULL)
    g_settings_set (settings, SETTING, SETTING_TYPE, self->job->job.nodes, self->job->job.ranks, self->job->job.threads,
                    self->job->time, self->job->partition, self->job->account);
  studio_window_forget_job (self->window);
  self->window->job_to_save = g_steal_pointer (&self->job);
  studio_save_dialog (GTK_WIDGET (self->window), &kind, on_chosen);
}

void
studio_window_forget_job (StudioWindow *self)
{
  g_clear_pointer (&self->job_to_save, job_free);
}

static GtkWidget *
add_spin (Question *self, GtkWidget *group, const char *title, const char *subtitle, int least, int most, int value)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, NULL);
  GtkWidget *spin = gtk_spin_button_new_with_range (least, most, 1);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), value);
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), spin);
  studio_set_name (spin, title);
  g_signal_connect_swapped (spin, "value-changed", G_CALLBACK (update), self);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
  return spin;
}

static GtkWidget *
add_entry (Question *self, GtkWidget *group, const char *title, const char *text)
{
  GtkWidget *entry = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (entry), title);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (update), self);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), entry);
  return entry;
}

static GtkWidget *
rows_new (Question *self)
{
  GtkWidget *group = adw_preferences_group_new ();
  const Job *job = self->job;

  self->nodes = add_spin (self, group, _ ("Nodes"), NULL, 1, TOSST_JOB_MAX_NODES, job->job.nodes);
  self->ranks = add_spin (self, group, _ ("Processes on Each Node"), NULL, 1, TOSST_JOB_MAX_RANKS, job->job.ranks);
  self->threads = add_spin (self, group, _ ("Threads of Each Process"), _ ("0: all processors of the node"), 0,
                            TOSST_JOB_MAX_THREADS, job->job.threads);
  self->time = add_entry (self, group, _ ("Time Limit (minutes, 12:00:00, or 2-0 for days)"), job->time);
  self->partition = add_entry (self, group, _ ("Partition (optional)"), job->partition);
  self->account = add_entry (self, group, _ ("Account (optional)"), job->account);
  for (guint i = 0; i < G_N_ELEMENTS (path_names); i++)
    {
      const TosstParameter *parameter = tosst_parameter_find (path_names[i]);
      g_autofree char *path = tosst_recipe_get (self->job->sweep->base, parameter), *title = NULL;

      if (*path == 0)
        continue;
      /* Translators: a parameter, such as “Folder” */
      title = g_strdup_printf (_ ("%s, on the cluster"), _ (parameter->label));
      self->paths[i] = add_entry (self, group, title, path);
    }
  return group;
}

/* Takes the job. */
static void
present (StudioWindow *window, Job *job)
{
  Question *self = g_new0 (Question, 1);

  g_set_weak_pointer (&self->window, window);
  self->job = job;
  self->dialog = adw_message_dialog_new (
      GTK_WINDOW (window),
      job->job.kind == TOSST_JOB_SWEEP ? _ ("Job Script of the Sweep") : _ ("Job Script of the Run"),
      _ ("For a cluster with Slurm. At the end of its time the job saves its state, is queued again and resumes. "
         "This window opens the store that it leaves, runs.sqlite."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (self->dialog);
  self->needs = studio_label (NULL, "caption", "dim-label", NULL);
  self->problem = studio_label (NULL, "caption", "error", NULL);
  gtk_label_set_wrap (GTK_LABEL (self->needs), TRUE);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "save", _ ("_Save…"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  GtkWidget *rows = rows_new (self);
  adw_message_dialog_set_extra_child (dialog, studio_column (12, rows, self->needs, self->problem, NULL));
  update (self);
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), self, (GClosureNotify)question_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
ask (StudioWindow *self)
{
  g_autoptr (GError) error = NULL;
  Job *job = job_new (self, &error);

  if (job != NULL)
    present (self, job);
  else
    studio_window_show_problem (self, error->message);
}

/* With the last answers. */
static void
save (StudioWindow *self, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));
  g_autoptr (GError) error = NULL;
  Job *job = job_new (self, &error);

  if (job != NULL && job_is_complete (job, &error))
    {
      write_in_thread (self, job, file);
      return;
    }
  g_clear_pointer (&job, job_free);
  studio_window_show_problem (self, error->message);
}

void
studio_window_install_job_actions (GtkWidgetClass *widget_class)
{
  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.save-job-as", NULL, ask), ("win.save-job", "s", save));
}
