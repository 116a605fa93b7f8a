/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"
#include "studio/widgets/wrap.h"

G_DEFINE_FINAL_TYPE (StudioSweepView, studio_sweep_view, ADW_TYPE_BIN)

/* What the Sweep view says of its sweep: how far it is, what it will take, and why it cannot begin. */

/* As a toast */
static void
say (StudioSweepView *self, const char *sentence)
{
  g_signal_emit_by_name (self, "toast", sentence);
}

gboolean
studio_sweep_view_is_busy (StudioSweepView *self)
{
  return studio_project_is_sweeping (self->project);
}

/* What is to be done: neither done nor failed */
static guint
count_open (StudioSweepView *self)
{
  return self->planner->count[TOSST_RUN_QUEUED] + self->planner->count[TOSST_RUN_STOPPED]
         + self->planner->count[TOSST_RUN_RUNNING];
}

static void
append_count (GString *text, guint n, const char *format)
{
  g_autofree char *part = n > 0 ? g_strdup_printf (format, n) : NULL;

  if (part != NULL)
    g_string_append_printf (text, " · %s", part);
}

static char *
describe_runs (StudioSweepView *self)
{
  guint n = g_list_model_get_n_items (self->planner->rows);

  if (self->planner->plan == NULL)
    return g_strdup (_ ("Sweep"));
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, ngettext ("%u run", "%u runs", n), n);
  append_count (text, self->planner->count[TOSST_RUN_DONE], _ ("%u done"));
  append_count (text, self->planner->count[TOSST_RUN_FAILED], _ ("%u failed"));
  return g_string_free (text, FALSE);
}

/* NULL: every run fits into memory. One that would not is refused before the sweep begins. */
static char *
describe_refusal (StudioSweepView *self)
{
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->planner);

  if (estimate == NULL || estimate->bytes <= estimate->available)
    return NULL;
  g_autofree char *bytes = g_format_size (estimate->bytes);
  g_autofree char *available = g_format_size (estimate->available);
  g_autofree char *problem
      = g_strdup_printf (_ ("The largest run needs %s of memory and %s are available: lower dictionary.atoms, "
                            "dictionary.sample or descriptor.pivots, or raise descriptor.step"),
                         bytes, available);
  return studio_format_problem (problem);
}

/* How far it is stands in the header bar, which all views have. */
static char *
describe_state (StudioSweepView *self, gboolean *wrong)
{
  const char *problem = self->planner->problem;
  StudioSweepPlan *plan = self->planner->plan;
  gboolean busy = studio_sweep_view_is_busy (self);
  char *refusal = busy ? NULL : describe_refusal (self);

  *wrong = !busy && (refusal != NULL || problem != NULL);
  if (busy)
    return g_strdup ("");
  if (refusal != NULL)
    return refusal;
  if (problem != NULL)
    return studio_format_problem (problem);
  if (plan != NULL && plan->plan->idle)
    return studio_format_problem (plan->plan->idle);
  if (self->planner->planned && count_open (self) == 0)
    return g_strdup (_ ("No runs remain"));
  if (studio_project_is_busy (self->project))
    return g_strdup (_ ("A run is in progress: stop it or wait for it before starting the sweep"));
  const TosstSweepEstimate *estimate = studio_sweep_planner_get_estimate (self->planner);
  guint open = count_open (self);
  if (estimate == NULL && studio_sweep_planner_is_planning (self->planner))
    return g_strdup (_ ("Estimating time and memory…"));
  if (estimate == NULL && open > 0) /* it was stopped */
    return g_strdup_printf (ngettext ("%u run remains", "%u runs remain", open), open);
  if (estimate == NULL)
    return g_strdup ("");
  g_autofree char *bytes = g_format_size (estimate->bytes);
  g_autofree char *available = g_format_size (estimate->available);
  if (isnan (estimate->seconds))
    return g_strdup_printf (_ ("Up to %s of %s of memory for each run"), bytes, available);
  g_autofree char *seconds = studio_format_rough_duration (estimate->seconds);
  /* Translators: a duration, an amount of memory, and how much there is */
  return g_strdup_printf (_ ("About %s · up to %s of %s of memory for each run"), seconds, bytes, available);
}

/* Sweeps that the workspace has: to be looked at again, and to go on with after an interrupt. */

#define LATER_MS 300 /* a sweep under way changes the workspace often */

static void
sweeps_free (gpointer sweeps)
{
  g_clear_pointer ((GPtrArray **)sweeps, g_ptr_array_unref);
  g_free (sweeps);
}

/* Worker. */
static gboolean
read_sweeps (TosstStore *store, gpointer sweeps, GError **error)
{
  return (*(GPtrArray **)sweeps = tosst_store_sweeps (store, error)) != NULL;
}

static gboolean
is_open (const TosstStoreSweep *sweep)
{
  return sweep->count[TOSST_RUN_DONE] + sweep->count[TOSST_RUN_FAILED] < sweep->runs
         && sweep->count[TOSST_RUN_RUNNING] == 0;
}

const TosstStoreSweep *
studio_sweep_view_get_interrupted (StudioSweepView *self)
{
  for (guint i = self->earlier != NULL ? self->earlier->len : 0; i > 0; i--)
    if (is_open (g_ptr_array_index (self->earlier, i - 1)))
      return g_ptr_array_index (self->earlier, i - 1);
  return NULL;
}

static char *
describe (const TosstStoreSweep *sweep)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64)sweep->created);
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%x %H:%M") : g_strdup ("");
  g_autofree char *failed = sweep->count[TOSST_RUN_FAILED] > 0
                                ? g_strdup_printf (_ (", %u failed"), (guint)sweep->count[TOSST_RUN_FAILED])
                                : g_strdup ("");

  /* Translators: "4 of 9 runs done, 1 failed · 22.11.2026 14:05" */
  return g_strdup_printf (_ ("%u of %u runs done%s · %s"), (guint)sweep->count[TOSST_RUN_DONE], (guint)sweep->runs,
                          failed, when);
}

static GtkWidget *
row_new (const TosstStoreSweep *sweep)
{
  const char *name = *sweep->title != 0 ? sweep->title : _ ("Sweep");
  g_autofree char *text = describe (sweep), *both = g_strconcat (name, ": ", text, NULL);
  GtkWidget *title = studio_label (name, NULL);
  GtkWidget *box = studio_column (2, title, studio_label (text, "dim-label", "caption", NULL), NULL);
  GtkWidget *row = gtk_list_box_row_new ();

  g_object_set (title, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 44, NULL);
  g_object_set (box, "margin-top", 4, "margin-bottom", 4, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  studio_set_name (row, both);
  g_object_set_data (G_OBJECT (row), "sweep", (gpointer)sweep);
  return row;
}

static void
on_read (StudioSweepView *self, gpointer data, const GError *error)
{
  GPtrArray **sweeps = data;
  GtkWidget *row;

  if (self->planner == NULL)
    return;
  g_clear_pointer (&self->earlier, g_ptr_array_unref);
  /* A missing store has no sweeps. */
  self->earlier = error == NULL ? g_steal_pointer (sweeps) : g_ptr_array_new ();
  /* The latest first. */
  const TosstStoreSweep *interrupted = studio_sweep_view_get_interrupted (self);
  while ((row = gtk_widget_get_first_child (self->earlier_list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->earlier_list), row);
  for (guint i = self->earlier->len; i > 0; i--)
    gtk_list_box_append (GTK_LIST_BOX (self->earlier_list), row_new (g_ptr_array_index (self->earlier, i - 1)));
  gtk_widget_set_sensitive (self->earlier_button, self->earlier->len > 0);
  gtk_widget_set_visible (self->interrupted, interrupted != NULL);
  if (interrupted != NULL)
    studio_label_take (self->interrupted_label,
                       g_strdup_printf (_ ("A sweep over %s was interrupted with %u of %u runs done"),
                                        interrupted->title, (guint)interrupted->count[TOSST_RUN_DONE],
                                        (guint)interrupted->runs));
}

static void
on_later (StudioSweepView *self)
{
  studio_workspace_run (self->workspace, TOSST_STORE_READ, read_sweeps, g_new0 (GPtrArray *, 1), sweeps_free, self,
                        on_read);
}

void
studio_sweep_view_open_earlier (StudioSweepView *self, const TosstStoreSweep *earlier, gboolean go_on)
{
  g_autofree char *name = studio_workspace_dup_name (self->workspace);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (earlier->recipe, name, &error);

  if (sweep != NULL)
    studio_sweep_view_take (self, sweep, go_on);
  else
    say (self, error->message);
}

/* What is swept as a whole: opened from a file, begun with again, and undone. A state of the history is a sweep, as its
 * recipe is the window's. */

/* All but the recipe. */
static gboolean
varies_alike (const TosstSweep *a, const TosstSweep *b)
{
  g_autoptr (TosstSweep) other = tosst_sweep_copy (b);
  g_autofree char *one = tosst_sweep_to_text (a), *two = NULL;

  tosst_recipe_free (other->base);
  other->base = tosst_recipe_copy (a->base);
  two = tosst_sweep_to_text (other);
  return strcmp (one, two) == 0;
}

static const char *
going_on (void)
{
  return _ ("A sweep is running: stop it or wait for it before starting another one");
}

/* Undone and redone where it can be seen. */
static void
apply (StudioSweepView *self, const TosstSweep *sweep)
{
  if (studio_sweep_view_is_busy (self))
    {
      say (self, going_on ());
      return;
    }
  studio_sweep_editor_take (self->editor, sweep);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.view", "s", "sweep");
}

static void
remember_edited (StudioSweepView *self)
{
  TosstSweep *now = studio_sweep_editor_dup_edited (self->editor), *before = self->edited;

  if (now == NULL) /* in the middle of being typed */
    return;
  self->edited = now;
  if (before != NULL && !varies_alike (before, now))
    {
      tosst_recipe_free (before->base);
      before->base = tosst_recipe_copy (now->base);
      studio_history_add (self->model->history, _ ("Sweep"), " sweep", (StudioHistoryFunc)apply, self, before,
                          tosst_sweep_copy (now), (GDestroyNotify)tosst_sweep_free);
    }
  else
    g_clear_pointer (&before, tosst_sweep_free);
}

void
studio_sweep_view_take (StudioSweepView *self, const TosstSweep *sweep, gboolean go_on)
{
  if (studio_sweep_view_is_busy (self))
    return;
  self->go_on = go_on && !studio_project_is_busy (self->project);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), FALSE);
  TosstSweep *before = tosst_sweep_copy (self->edited);
  tosst_recipe_free (before->base);
  before->base = tosst_recipe_copy (self->model->recipe);
  studio_history_do (self->model->history, _ ("Sweep"), (StudioHistoryFunc)apply, self, before,
                     tosst_sweep_copy (sweep), (GDestroyNotify)tosst_sweep_free);
}

gboolean
studio_sweep_view_open (StudioSweepView *self, const TosstSweep *sweep, GError **error)
{
  if (studio_sweep_view_is_busy (self))
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s", going_on ());
  if (!tosst_sweep_check (sweep, error) || !studio_sweep_editor_can_show (sweep, error))
    return FALSE;
  studio_sweep_view_take (self, sweep, FALSE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), TRUE);
  return TRUE;
}

void
studio_sweep_view_begin (StudioSweepView *self)
{
  self->go_on = studio_sweep_planner_is_planning (self->planner) && !self->planner->planned;
  if (!self->go_on)
    gtk_widget_activate_action (GTK_WIDGET (self), "sweep.start", NULL);
}

gboolean
studio_sweep_view_varies (StudioSweepView *self)
{
  return self->edited != NULL && self->edited->axes->len > 0;
}

/* The recipe is the window's already, but for the division of training images. */
void
studio_sweep_view_restore (StudioSweepView *self, const char *text)
{
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "session.ini", NULL);

  if (sweep == NULL || studio_sweep_view_is_busy (self))
    return;
  int within = sweep->base->dataset.within;

  tosst_recipe_free (sweep->base);
  sweep->base = tosst_recipe_copy (self->model->recipe);
  sweep->base->dataset.within = within;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), FALSE);
  tosst_sweep_free (self->edited);
  self->edited = tosst_sweep_copy (sweep); /* no change that could be undone */
  studio_sweep_editor_take (self->editor, sweep);
}

/* Exports. */

static const TosstRecipe *
selected_recipe (StudioSweepView *self)
{
  return tosst_sweep_plan_run (studio_sweep_table_get_selected (self->table)->plan->plan,
                               studio_sweep_table_get_selected (self->table)->index)
      ->recipe;
}

static gboolean
can_export (gpointer view, const char *kind)
{
  StudioSweepView *self = view;

  if (strcmp (kind, "run") == 0)
    return studio_sweep_table_get_selected (self->table) != NULL;
  if (strcmp (kind, "picture") == 0)
    return studio_sweep_charts_has_picture (self->charts);
  if (strcmp (kind, "recipe") == 0)
    return self->planner->sweep != NULL;
  return self->planner->plan != NULL;
}

static StudioContent
take (gpointer view, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioSweepView *self = view;

  if (strcmp (kind->kind, "picture") == 0)
    return studio_sweep_charts_copy (self->charts);
  if (strcmp (kind->kind, "recipe") == 0)
    return (StudioContent){ tosst_sweep_to_text (self->planner->sweep), g_free };
  if (strcmp (kind->kind, "run") == 0)
    return (StudioContent){ tosst_recipe_to_text (selected_recipe (self), TRUE), g_free };
  return (StudioContent){ studio_sweep_table_to_csv (self->table), g_free };
}

static const StudioSaveKind kinds[] = {
  { "table", N_ ("Export Table of Runs as CSV"), "sweep.csv", "csv", take },
  { "picture", N_ ("Export Chart (SVG, PDF or PNG)"), "sweep.svg", "svg pdf png", take },
  { "recipe", N_ ("Save Recipe of the Sweep"), "sweep.tosst", "tosst ini", take },
  { "run", N_ ("Save Recipe of the Run"), "recipe.tosst", "tosst ini", take },
};

static const StudioExports exports = { kinds, G_N_ELEMENTS (kinds), can_export, G_CALLBACK (say) };

static void
show_words (StudioSweepView *self)
{
  gboolean wrong;
  g_autofree char *runs = describe_runs (self), *state = describe_state (self, &wrong);

  gtk_label_set_label (GTK_LABEL (self->summary), runs);
  gtk_label_set_label (GTK_LABEL (self->detail), state);
  gtk_widget_set_tooltip_text (self->detail, state);
  gtk_widget_set_visible (self->detail, *state != 0); /* its heading is in the middle then */
  studio_set_class (self->detail, "error", wrong);
  studio_set_class (self->detail, "dim-label", !wrong);
}

/* Ids (gint64) of the rows that the store has. */
static GArray *
recorded_ids (GPtrArray *rows)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < rows->len; i++)
    if (((StudioSweepRow *)rows->pdata[i])->outcome.id != 0)
      g_array_append_val (ids, ((StudioSweepRow *)rows->pdata[i])->outcome.id);
  return ids;
}

static void
show_row_actions (StudioSweepView *self)
{
  StudioSweepRow *row = studio_sweep_table_get_selected (self->table);
  g_autoptr (GPtrArray) rows = studio_sweep_table_get_selection (self->table);
  g_autoptr (GArray) recorded = recorded_ids (rows);
  gboolean idle = !studio_sweep_view_is_busy (self) && !studio_project_is_busy (self->project);

  studio_enable (self, "sweep.open", row != NULL && row->outcome.state == TOSST_RUN_DONE && idle);
  studio_enable (self, "sweep.use", row != NULL);
  studio_enable (self, "sweep.again", row != NULL && idle);
  studio_enable (self, "sweep.rename", row != NULL && row->outcome.id != 0);
  studio_enable (self, "sweep.copy-script", row != NULL && row->outcome.id != 0);
  studio_enable (self, "sweep.save-script", row != NULL && row->outcome.id != 0);
  studio_enable (self, "sweep.star", recorded->len > 0);
  studio_enable (self, "sweep.hide", rows->len > 0);
  studio_enable (self, "sweep.compare", recorded->len > 1);
  studio_enable (self, "sweep.copy-run-command", row != NULL);
  studio_enable (self, "sweep.export-run-as", row != NULL);
}

/* labels, buttons and actions */
static void
show_state (StudioSweepView *self)
{
  StudioRunnerState state = self->project->runner->state;
  gboolean busy = studio_sweep_view_is_busy (self), paused = state == STUDIO_RUNNER_PAUSED;
  gboolean ready = !busy && !studio_project_is_busy (self->project) && self->planner->planned;
  guint open = count_open (self), failed = self->planner->count[TOSST_RUN_FAILED];
  guint done = self->planner->count[TOSST_RUN_DONE];
  guint stopped = self->planner->count[TOSST_RUN_STOPPED];
  gboolean any = studio_sweep_editor_n_axes (self->editor) > 0;
  g_autofree char *refusal = busy ? NULL : describe_refusal (self);
  const char *pause = paused ? _ ("Resume the sweep") : _ ("Pause the sweep");

  show_words (self);
  gtk_button_set_label (GTK_BUTTON (self->start_button),
                        (done > 0 || stopped > 0) && open > 0 ? _ ("_Resume") : _ ("_Start Sweep"));
  gtk_widget_set_visible (self->start_button, !busy && any && (open > 0 || failed == 0));
  gtk_widget_set_visible (self->retry_button, !busy && failed > 0);
  gtk_widget_set_visible (self->editor_button, any);
  gtk_widget_set_visible (self->pause_button, busy);
  gtk_widget_set_visible (self->stop_button, busy);
  gtk_widget_set_sensitive (GTK_WIDGET (self->editor), !busy);
  gtk_widget_set_sensitive (self->earlier_button, !busy && self->earlier != NULL && self->earlier->len > 0);
  gtk_button_set_icon_name (GTK_BUTTON (self->pause_button),
                            paused ? "media-playback-start-symbolic" : "media-playback-pause-symbolic");
  gtk_widget_set_tooltip_text (self->pause_button, pause);
  studio_set_name (self->pause_button, pause);
  studio_enable (self, "sweep.start", ready && open > 0 && refusal == NULL);
  studio_enable (self, "sweep.retry", ready && failed > 0 && refusal == NULL);
  studio_enable (self, "sweep.pause", busy && state != STUDIO_RUNNER_STOPPING);
  studio_enable (self, "sweep.stop", busy && state != STUDIO_RUNNER_STOPPING);
  studio_enable (self, "sweep.clear", !busy);
  studio_enable (self, "sweep.copy-command", self->planner->sweep != NULL);
  studio_enable (self, "sweep.export-table-as", can_export (self, "table"));
  studio_enable (self, "sweep.export-picture-as", can_export (self, "picture"));
  studio_enable (self, "sweep.export-recipe-as", can_export (self, "recipe"));
  show_row_actions (self);
}

/* The sweep that is being edited. */

static void
on_edited (StudioSweepView *self)
{
  gboolean any = studio_sweep_editor_n_axes (self->editor) > 0;

  remember_edited (self);
  g_signal_emit_by_name (self, "edited");
  if (studio_sweep_view_is_busy (self))
    return; /* the recipe of the window is another one; the sweep goes on with its own */
  g_autoptr (TosstSweep) sweep = studio_sweep_editor_dup_sweep (self->editor);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), any ? "work" : "empty");
  if (!any)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), TRUE);
  if (sweep != NULL || !any)
    studio_sweep_planner_set_sweep (self->planner, sweep, studio_sweep_editor_get_jobs (self->editor));
  show_state (self);
}

static void
on_planned (StudioSweepView *self)
{
  gboolean go_on = self->go_on && self->planner->planned;

  self->go_on = FALSE; /* one that cannot be planned does not begin by surprise when it is mended */
  studio_sweep_charts_plan (self->charts);
  show_state (self);
  if (go_on)
    gtk_widget_activate_action (GTK_WIDGET (self), "sweep.start", NULL);
}

static void
on_run (StudioSweepView *self, StudioSweepRow *row)
{
  studio_sweep_charts_refresh (self->charts);
  if (row->outcome.state == TOSST_RUN_DONE || row->outcome.state == TOSST_RUN_FAILED)
    studio_workspace_changed (self->workspace);
}

static void
on_finished (StudioSweepView *self)
{
  show_state (self);
  studio_workspace_changed (self->workspace);
}

static void
on_workspace (StudioSweepView *self)
{
  GFile *file = self->workspace->file;

  studio_later (&self->earlier_source, LATER_MS, on_later, self);
  if (self->list != NULL && g_file_equal (self->list->file, file))
    return;
  g_clear_object (&self->list);
  self->list = studio_run_list_get (file);
  studio_sweep_table_set_list (self->table, self->list);
  if (studio_sweep_editor_n_axes (self->editor) > 0)
    on_edited (self); /* another store has done other runs */
}

/* Table and pictures. */

static void
on_selected (StudioSweepView *self)
{
  studio_sweep_charts_choose (self->charts, studio_sweep_table_get_selected (self->table));
  show_row_actions (self);
}

static void
on_brushed (StudioSweepView *self)
{
  g_autoptr (GHashTable) rows = studio_sweep_charts_get_brushed (self->charts);

  studio_sweep_table_set_brush (self->table, rows);
}

static void
on_earlier (StudioSweepView *self, GtkListBoxRow *row)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->earlier_button));
  studio_sweep_view_open_earlier (self, g_object_get_data (G_OBJECT (row), "sweep"), FALSE);
}

static void
on_go_on (StudioSweepView *self)
{
  const TosstStoreSweep *interrupted = studio_sweep_view_get_interrupted (self);

  if (interrupted != NULL)
    studio_sweep_view_open_earlier (self, interrupted, TRUE);
}

/* Actions. */

static void
start (StudioSweepView *self, const char *name)
{
  studio_project_start_sweep (self->project, strcmp (name, "sweep.retry") == 0);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), FALSE); /* room for what comes */
}

static void
toggle_pause (StudioSweepView *self)
{
  studio_project_toggle_pause (self->project);
}

static void
stop (StudioSweepView *self)
{
  studio_project_stop_work (self->project);
}

static void
clear (StudioSweepView *self)
{
  studio_sweep_editor_clear (self->editor);
}

static void
show_example (StudioSweepView *self, const char *name, GVariant *parameter)
{
  StudioSweepEditor *editor = self->editor;
  const char *example = g_variant_get_string (parameter, NULL);

  if (strcmp (example, "lambda") == 0)
    studio_sweep_editor_add (editor, "dictionary.lambda", "log:0.0001:0.1:4");
  else if (strcmp (example, "atoms") == 0)
    studio_sweep_editor_add (editor, "dictionary.atoms", "10;20;40;60");
  else
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.open-samples", NULL);
      studio_sweep_editor_add (editor, "dictionary.scheme", "psd;low-rank;free");
      studio_sweep_editor_add (editor, "dictionary.atoms", "10;20;40");
    }
}

/* "sweep.open", "sweep.copy-script", "sweep.save-script" */
static void
act_on_run (GtkWidget *widget, const char *name, GVariant *parameter)
{
  StudioSweepRow *row = studio_sweep_table_get_selected (STUDIO_SWEEP_VIEW (widget)->table);

  if (row == NULL)
    return;
  if (strcmp (name, "sweep.open") == 0)
    g_signal_emit_by_name (widget, "open-run", row);
  else if (strcmp (name, "sweep.save-script") == 0)
    gtk_widget_activate_action (widget, "win.save-script-as", "x", row->outcome.id);
  else
    gtk_widget_activate_action (widget, "win.copy-script", "(xs)", row->outcome.id,
                                g_variant_get_string (parameter, NULL));
}

static void
use_recipe (StudioSweepView *self, const char *name)
{
  g_autoptr (StudioSweepRow) row = NULL;

  g_set_object (&row, studio_sweep_table_get_selected (self->table));
  if (row == NULL)
    return;
  studio_recipe_model_take (self->model,
                            tosst_recipe_copy (tosst_sweep_plan_run (row->plan->plan, row->index)->recipe));
  if (strcmp (name, "sweep.again") == 0)
    g_signal_emit_by_name (self, "run-again", row);
  else
    say (self, _ ("The recipe of this run was applied"));
}

/* "sweep.rename", "sweep.star", "sweep.hide" */
static void
mark (StudioSweepView *self, const char *name)
{
  StudioSweepTable *table = self->table;

  if (strcmp (name, "sweep.rename") == 0)
    studio_sweep_table_rename (table);
  else if (strcmp (name, "sweep.star") == 0)
    studio_sweep_table_toggle_star (table);
  else
    studio_sweep_table_toggle_hidden (table);
}

/* The selected ones, in the order of the table: the first is what the others are compared with. */
static void
compare_runs (StudioSweepView *self)
{
  g_autoptr (GPtrArray) rows = studio_sweep_table_get_selection (self->table);
  g_autoptr (GArray) ids = recorded_ids (rows);

  gtk_widget_activate_action (GTK_WIDGET (self), "win.compare-runs", "@ax",
                              g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, ids->data, ids->len, sizeof (gint64)));
}

static void
copy_command (StudioSweepView *self, const char *name)
{
  g_autofree char *command = NULL;

  if (strcmp (name, "sweep.copy-run-command") == 0)
    command = tosst_recipe_command (selected_recipe (self));
  else
    command = tosst_sweep_command (self->planner->sweep);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
  say (self, _ ("Command copied"));
}

static void
export_to (StudioSweepView *self, const char *name, GVariant *parameter)
{
  const char *kind, *path;

  g_variant_get (parameter, "(&s&s)", &kind, &path);
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  studio_export_write (self, kind, file);
}

/* "sweep.export-table-as" */
static void
export_as (StudioSweepView *self, const char *name)
{
  g_auto (GStrv) words = g_strsplit (name, "-", 3);

  studio_export_ask (self, words[1]);
}

STUDIO_DEFINE_DISPOSE (StudioSweepView, studio_sweep_view, (earlier_source, g_source_remove), (list, g_object_unref),
                       (earlier, g_ptr_array_unref), (edited, tosst_sweep_free))

STUDIO_DEFINE_FINALIZE (StudioSweepView, studio_sweep_view, (project, g_object_unref))

static void
studio_sweep_view_class_init (StudioSweepViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_SWEEP_EDITOR, STUDIO_TYPE_WRAP, STUDIO_TYPE_SWEEP_TABLE, STUDIO_TYPE_SWEEP_CHARTS,
                       STUDIO_TYPE_TAB_STOP);
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_view_finalize;
  studio_add_signal (klass, "edited", 0);
  studio_add_signal (klass, "toast", 1, G_TYPE_STRING);
  studio_add_signal (klass, "open-run", 1, STUDIO_TYPE_SWEEP_ROW);
  studio_add_signal (klass, "run-again", 1, STUDIO_TYPE_SWEEP_ROW);
  STUDIO_SET_TEMPLATE (klass, StudioSweepView, "sweep-view", stack, editor, editor_revealer, editor_button, table,
                       charts, panes, summary, detail, start_button, pause_button, stop_button, retry_button,
                       earlier_button, earlier_list, interrupted, interrupted_label);
  STUDIO_BIND_CALLBACKS (klass, studio_menu, on_edited, on_selected, on_brushed, on_earlier, on_go_on,
                         studio_sweep_charts_refresh, studio_sweep_table_select);
  STUDIO_INSTALL_ACTIONS (klass, ("sweep.start", NULL, start), ("sweep.retry", NULL, start),
                          ("sweep.pause", NULL, toggle_pause), ("sweep.stop", NULL, stop), ("sweep.clear", NULL, clear),
                          ("sweep.example", "s", show_example), ("sweep.open", NULL, act_on_run),
                          ("sweep.use", NULL, use_recipe), ("sweep.again", NULL, use_recipe),
                          ("sweep.copy-script", "s", act_on_run), ("sweep.save-script", NULL, act_on_run),
                          ("sweep.rename", NULL, mark), ("sweep.star", NULL, mark), ("sweep.hide", NULL, mark),
                          ("sweep.compare", NULL, compare_runs), ("sweep.copy-command", NULL, copy_command),
                          ("sweep.copy-run-command", NULL, copy_command), ("sweep.export", "(ss)", export_to),
                          ("sweep.export-table-as", NULL, export_as), ("sweep.export-picture-as", NULL, export_as),
                          ("sweep.export-recipe-as", NULL, export_as), ("sweep.export-run-as", NULL, export_as));
}

STUDIO_DEFINE_INIT (StudioSweepView, studio_sweep_view, gtk_widget_init_template (GTK_WIDGET (self));
                    studio_exports_set (self, &exports))

void
studio_sweep_view_set_project (StudioSweepView *self, StudioProject *project)
{
  self->project = g_object_ref (project);
  self->model = project->model;
  self->workspace = project->workspace;
  self->planner = project->sweep;
  studio_sweep_editor_set_model (self->editor, self->model);
  studio_sweep_table_set_planner (self->table, self->planner);
  studio_sweep_charts_set_planner (self->charts, self->planner, G_LIST_MODEL (self->table->filtered));
  studio_connect (self->planner, "planned", on_planned, self);
  studio_connect (self->planner, "estimated", show_state, self);
  studio_connect (self->planner, "run", on_run, self);
  studio_connect (self->planner, "progress", show_words, self);
  studio_connect (self->planner, "finished", on_finished, self);
  studio_connect (self->planner, "notice", say, self);
  studio_connect (project->runner, "notify::state", show_state, self);
  studio_connect (self->workspace, "changed", on_workspace, self);
  on_workspace (self);
  remember_edited (self);
  show_state (self);
}
