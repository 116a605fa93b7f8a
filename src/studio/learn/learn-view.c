/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/learn/learn-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/atoms/atom-grid.h"
#include "studio/learn/patch-tensor.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

#define FIRST_ITERATIONS 10 /* width of the chart while there are few iterations */

/* Delay of the first atoms of a run after the chart: each fits into a frame, but not both together. */
#define FIRST_ATOMS_MS 80

enum
{
  OBJECTIVE,
  FIT,
  PROXIMITY,
  SPARSITY,
  N_SERIES,
};

/* The blocks done, each with its changes, and the buttons for the next block and for undoing. */
#define STUDIO_TYPE_STEPPER_PANEL (studio_stepper_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioStepperPanel, studio_stepper_panel, STUDIO, STEPPER_PANEL, AdwBin)

struct _StudioStepperPanel
{
  AdwBin parent_instance;
  StudioStepper *stepper;
  guint rows; /* number of steps in the list */

  GtkWidget *list, *scroller, *next_button, *back_button, *spinner, *note, *single;
};

G_DEFINE_FINAL_TYPE (StudioStepperPanel, studio_stepper_panel, ADW_TYPE_BIN)

/* "−1.25", with a typographic minus. */
static char *
format_change (double before, double after)
{
  g_autofree char *size = studio_format_real (fabs (after - before), 3);

  if (!isfinite (after - before))
    return g_strdup ("–");
  return g_strconcat (after < before ? "−" : after > before ? "+" : "", size, NULL);
}

static char *
describe_parts (const TosstStep *step)
{
  g_autofree char *fit = format_change (step->before.fit, step->after.fit),
                  *proximity = format_change (step->before.proximity, step->after.proximity),
                  *sparsity = format_change (step->before.sparsity, step->after.sparsity);

  return g_strdup_printf (_ ("fit %s · proximity %s · sparsity %s"), fit, proximity, sparsity);
}

static char *
describe_block (const TosstStep *step)
{
  g_autofree char *block = studio_step_describe (step);

  if (step->rounds > 1)
    return g_strdup_printf (_ ("Iteration %d: %s, round %d of %d"), step->iteration, block, step->round, step->rounds);
  return g_strdup_printf (_ ("Iteration %d: %s"), step->iteration, block);
}

static char *
describe_change (const TosstStep *step)
{
  return format_change (step->before.objective, step->after.objective);
}

/* Description in words: "Iteration 1: codes: objective −64.1; fit −34.4 · ...". */
static char *
describe_step (const TosstStep *step)
{
  g_autofree char *block = describe_block (step), *change = describe_change (step), *parts = describe_parts (step);

  return g_strdup_printf (_ ("%s: objective %s; %s"), block, change, parts);
}

static GtkWidget *
make_row (const TosstStep *step)
{
  g_autofree char *block = describe_block (step), *change = describe_change (step), *what = describe_parts (step),
                  *spoken = describe_step (step);
  GtkWidget *grid = gtk_grid_new (), *row = gtk_list_box_row_new (), *name = studio_label (block, "numeric", NULL);
  GtkWidget *parts = studio_label (what, "dim-label", "numeric", "caption", NULL);

  g_object_set (name, "hexpand", TRUE, "ellipsize", PANGO_ELLIPSIZE_END, "tooltip-text", block, NULL);
  g_object_set (parts, "ellipsize", PANGO_ELLIPSIZE_END, "tooltip-text", what, NULL);
  gtk_grid_attach (GTK_GRID (grid), name, 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), studio_label (change, "numeric", NULL), 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), parts, 0, 1, 2, 1);
  g_object_set (grid, "column-spacing", 12, "margin-start", 12, "margin-end", 12, "margin-top", 6, "margin-bottom", 6,
                NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), grid);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  studio_set_name (row, spoken);
  return row;
}

/* For screen readers the description of the focused button is the last block, and its label the next one. */
static void
show_buttons (StudioStepperPanel *self)
{
  const GArray *steps = self->stepper->steps;
  g_autofree char *next = studio_stepper_describe_next (self->stepper);
  g_autofree char *label = next != NULL ? g_strdup_printf (_ ("_Step: %s"), next) : g_strdup (_ ("_Step"));
  g_autofree char *done
      = steps->len > 0 ? describe_step (&g_array_index (steps, TosstStep, steps->len - 1)) : g_strdup ("");

  gtk_button_set_label (GTK_BUTTON (self->next_button), label);
  for (int i = 0; i < 2; i++)
    studio_set_description (i == 0 ? self->next_button : self->back_button, done);
  if (gtk_widget_has_focus (self->back_button) && !self->stepper->busy && !studio_stepper_can_back (self->stepper))
    gtk_widget_grab_focus (self->next_button); /* the other one becomes insensitive */
}

static void
on_changed (StudioStepperPanel *self)
{
  gboolean busy = self->stepper->busy;
  g_autofree char *limit = g_format_size_full (STUDIO_STEPPER_HISTORY, G_FORMAT_SIZE_IEC_UNITS), *note = NULL;
  const GArray *steps = self->stepper->steps;

  /* Newest first, visible without scrolling. */
  while (self->rows > steps->len)
    {
      gtk_list_box_remove (GTK_LIST_BOX (self->list),
                           GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0)));
      self->rows--;
    }
  for (; self->rows < steps->len; self->rows++)
    gtk_list_box_prepend (GTK_LIST_BOX (self->list), make_row (&g_array_index (steps, TosstStep, self->rows)));
  gtk_widget_set_visible (self->scroller, self->rows > 0);
  if (self->stepper->forgot)
    note = g_strdup_printf (_ ("%s of steps are kept: the first ones can no longer be undone"), limit);
  studio_label_show_problem (self->note, note);
  show_buttons (self);
  gtk_widget_set_visible (self->spinner, busy);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), busy);
}

static void
on_single (StudioStepperPanel *self)
{
  if (self->stepper != NULL)
    studio_stepper_set_single (self->stepper, gtk_check_button_get_active (GTK_CHECK_BUTTON (self->single)));
}

STUDIO_DEFINE_DISPOSE (StudioStepperPanel, studio_stepper_panel, (stepper, g_object_unref))

static void
studio_stepper_panel_class_init (StudioStepperPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_stepper_panel_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioStepperPanel, "stepper-panel", list, scroller, next_button, back_button, spinner,
                       note, single);
  STUDIO_BIND_CALLBACKS (klass, on_single);
}

STUDIO_DEFINE_INIT (StudioStepperPanel, studio_stepper_panel, gtk_widget_init_template (GTK_WIDGET (self)))

/* The view. */

G_DEFINE_FINAL_TYPE (StudioLearnView, studio_learn_view, ADW_TYPE_BIN)

static const char *const series_names[N_SERIES] = { N_ ("Objective"), N_ ("Fit"), N_ ("Proximity"), N_ ("Sparsity") };

static gboolean
over_seconds (StudioLearnView *self)
{
  return studio_is_on (self->seconds_button);
}

/* "step 2", and its block. */
static char *
label_step (StudioLearnView *self, guint number)
{
  const GArray *steps = self->stepper->steps;
  g_autofree char *step = g_strdup_printf (_ ("step %.0f"), (double)number), *block = NULL;

  if (number == 0 || number > steps->len)
    return g_steal_pointer (&step);
  block = studio_step_describe (&g_array_index (steps, TosstStep, number - 1));
  return g_strdup_printf ("%s · %s", step, block);
}

static char *
label_point (guint series, double x, double y, StudioLearnView *self)
{
  g_autofree char *value = studio_format_real (y, 5);
  g_autofree char *at = self->stepping        ? label_step (self, (guint)MAX (lround (x), 0))
                        : over_seconds (self) ? studio_format_duration (x)
                                              : g_strdup_printf (_ ("iteration %.0f"), x);

  return g_strdup_printf (_ ("%s %s at %s"), series < N_SERIES ? _ (series_names[series]) : "", value, at);
}

/* The split shown in the chart: the chosen or current one. */
static int
wanted_split (StudioLearnView *self)
{
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->splits));

  if (chosen == 0 || chosen == GTK_INVALID_LIST_POSITION)
    return self->runner->last_split;
  return (int)chosen - 1;
}

static void
append_point (StudioLearnView *self, double x, const TosstIteration *it)
{
  tosst_chart_append (self->chart, OBJECTIVE, x, it->objective);
  tosst_chart_append (self->chart, FIT, x, it->fit);
  tosst_chart_append (self->chart, PROXIMITY, x, it->proximity);
  tosst_chart_append (self->chart, SPARSITY, x, it->sparsity);
}

static void
append_new_points (StudioLearnView *self)
{
  if (self->stepping)
    {
      const GArray *steps = self->stepper->steps;

      /* The objective before the first block, then after each. */
      for (; steps->len > 0 && self->drawn <= steps->len; self->drawn++)
        append_point (self, self->drawn,
                      self->drawn == 0 ? &g_array_index (steps, TosstStep, 0).before
                                       : &g_array_index (steps, TosstStep, self->drawn - 1).after);
      tosst_chart_set_x_range (self->chart, 0, MAX (steps->len, FIRST_ITERATIONS));
    }
  else
    {
      const GArray *iterations = studio_runner_get_iterations (self->runner, self->split);
      gboolean seconds = over_seconds (self);
      guint points = iterations != NULL ? iterations->len : 0;
      gboolean few = points < FIRST_ITERATIONS && !seconds;
      double low, high;

      /* The x axis spans at least ten iterations, so that the first points of a run are not stretched. A range chosen by
       * the user is kept. */
      tosst_chart_get_x_range (self->chart, &low, &high);
      if (few && isnan (low) && points <= 1)
        tosst_chart_set_x_range (self->chart, 1, FIRST_ITERATIONS);
      else if (!few && low == 1 && high == FIRST_ITERATIONS)
        tosst_chart_set_x_range (self->chart, NAN, NAN);
      for (; self->drawn < points; self->drawn++)
        {
          const TosstIteration *it = &g_array_index (iterations, TosstIteration, self->drawn);

          append_point (self, seconds ? it->seconds : it->iteration, it);
        }
    }
  studio_chart_view_refresh (STUDIO_CHART_VIEW (self->chart_view));
}

/* NULL: none yet. */
static const TosstIteration *
last_iteration (StudioLearnView *self)
{
  const GArray *iterations = studio_runner_get_iterations (self->runner, self->split), *steps;

  if (!self->stepping)
    return iterations != NULL && iterations->len > 0 ? &g_array_index (iterations, TosstIteration, iterations->len - 1)
                                                     : NULL;
  steps = self->stepper->steps;
  return steps->len > 0 ? &g_array_index (steps, TosstStep, steps->len - 1).after : NULL;
}

static StudioAtoms *
atoms_of (StudioLearnView *self)
{
  return self->stepping ? self->stepper->atoms : self->runner->atoms;
}

static void
show_numbers (StudioLearnView *self)
{
  const TosstIteration *it = last_iteration (self);

  /* An opened run has its curves, but no atoms of its iterations: their heading is hidden. */
  gtk_widget_set_visible (self->atoms_part,
                          self->stepping || atoms_of (self) != NULL || studio_runner_is_busy (self->runner));
  if (it == NULL)
    {
      GtkWidget *const labels[] = { self->iteration, self->objective, self->nonzeros, self->unused };

      for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
        gtk_label_set_label (GTK_LABEL (labels[i]), "–");
      return;
    }
  studio_label_take (self->iteration, studio_format_count (it->iteration));
  studio_label_take (self->objective, studio_format_real (it->objective, 5));
  studio_label_take (self->nonzeros, studio_format_real (it->mean_nonzeros, 3));
  studio_label_take (self->unused, studio_format_count (it->unused_atoms));
}

static void
redraw_chart (StudioLearnView *self)
{
  gboolean seconds = !self->stepping && over_seconds (self);

  tosst_chart_clear (self->chart);
  tosst_chart_set_x_label (self->chart, self->stepping ? _ ("Step") : seconds ? _ ("Seconds") : _ ("Iteration"));
  tosst_chart_set_integer_x (self->chart, !seconds);
  self->drawn = 0;
  append_new_points (self);
}

/* Patches becoming tensors, until the first iteration. The icon is in the way. */
static void
show_patches (StudioLearnView *self, gboolean show)
{
  StudioPatchTensor *patches = STUDIO_PATCH_TENSOR (self->patches);

  if (show)
    studio_patch_tensor_begin (patches, self->project->dataset, self->runner->recipe);
  else
    studio_patch_tensor_end (patches);
  adw_status_page_set_icon_name (ADW_STATUS_PAGE (self->waiting),
                                 gtk_widget_get_visible (self->patches) ? NULL : "tosst-learn-symbolic");
}

/* Above the chart, as long as it is that of the first look. */
static void
show_look (StudioLearnView *self)
{
  const char *look = self->runner->look;
  gboolean shown = !self->stepping && self->split == STUDIO_FIRST_LOOK && studio_runner_is_busy (self->runner);

  gtk_widget_set_visible (self->look, shown);
  if (shown)
    gtk_label_set_label (GTK_LABEL (self->look),
                         look != NULL ? look : _ ("First look at a few images: the run follows with all of them."));
}

static void
on_iterations (StudioLearnView *self)
{
  int split = wanted_split (self);

  for (int n = g_list_model_get_n_items (G_LIST_MODEL (self->split_names)) - 1; n < (int)self->runner->iterations->len;
       n++)
    {
      g_autofree char *name = g_strdup_printf (_ ("Split %d"), n + 1);
      gtk_string_list_append (self->split_names, name);
    }
  if (self->stepping)
    return;
  if (gtk_widget_get_visible (self->patches))
    show_patches (self, FALSE);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "learning");
  if (split != self->split)
    {
      self->split = split;
      redraw_chart (self);
    }
  else
    append_new_points (self);
  show_numbers (self);
  show_look (self);
}

static void
on_axes (StudioLearnView *self)
{
  if (self->chart == NULL)
    return;
  tosst_chart_set_x_range (self->chart, NAN, NAN);
  tosst_chart_set_y_range (self->chart, NAN, NAN);
  redraw_chart (self);
  g_signal_emit_by_name (self, "axes-changed");
}

static void
on_split_chosen (StudioLearnView *self)
{
  if (self->runner == NULL || self->chart == NULL || self->stepping)
    return;
  self->split = wanted_split (self);
  redraw_chart (self);
  show_numbers (self);
}

static void
describe_atoms (StudioLearnView *self)
{
  StudioAtoms *atoms = atoms_of (self);
  g_autofree char *chosen = studio_atom_grid_describe_chosen (STUDIO_ATOM_GRID (self->atom_grid)), *detail = NULL;

  if (chosen == NULL && atoms != NULL && atoms->split == STUDIO_FIRST_LOOK)
    detail = g_strdup_printf (_ ("%d by use, first look, iteration %d"), atoms->K, atoms->iteration);
  else if (chosen == NULL && atoms != NULL)
    detail = atoms->n < atoms->K ? g_strdup_printf (_ ("the %d most used of %d, split %d, iteration %d"), atoms->n,
                                                    atoms->K, atoms->split + 1, atoms->iteration)
                                 : g_strdup_printf (_ ("%d by use, split %d, iteration %d"), atoms->K, atoms->split + 1,
                                                    atoms->iteration);
  gtk_label_set_label (GTK_LABEL (self->atoms_detail), chosen != NULL ? chosen : detail != NULL ? detail : "");
}

/* Atoms shows the dictionary of a split, once it is learned. */
static void
on_atom_opened (StudioLearnView *self, int atom)
{
  StudioAtoms *atoms = atoms_of (self);

  if (atoms != NULL && atoms->split >= 0
      && (self->stepping || atoms->split < studio_runner_get_n_dictionaries (self->runner)))
    g_signal_emit_by_name (self, "atom-chosen", atoms->split, atom);
  else
    gtk_label_set_label (GTK_LABEL (self->atoms_detail),
                         _ ("Atoms open in Atoms when those of their split are learned"));
}

static void
show_atoms (StudioLearnView *self)
{
  StudioAtoms *atoms = atoms_of (self);

  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->atom_grid), atoms);
  if (atoms == NULL)
    return;
  if (self->stepping)
    {
      const GArray *steps = self->stepper->steps;
      const TosstStep *last = steps->len > 0 ? &g_array_index (steps, TosstStep, steps->len - 1) : NULL;

      /* The atom that the last step updated, if it was one. */
      studio_atom_grid_choose (STUDIO_ATOM_GRID (self->atom_grid),
                               last != NULL && last->kind == TOSST_STEP_ONE_B ? last->atom - 1 : -1);
    }
  describe_atoms (self);
}

static void
on_first_atoms (StudioLearnView *self)
{
  self->has_atoms = TRUE;
  show_atoms (self);
}

static void
on_atoms (StudioLearnView *self)
{
  if (self->has_atoms)
    show_atoms (self);
  else
    studio_later (&self->atoms_source, FIRST_ATOMS_MS, on_first_atoms, self);
}

static gboolean
learns (StudioLearnView *self)
{
  return tosst_recipe_has_dictionary (self->runner->recipe);
}

static void
on_started (StudioLearnView *self)
{
  g_clear_handle_id (&self->atoms_source, g_source_remove);
  self->has_atoms = FALSE;
  while (g_list_model_get_n_items (G_LIST_MODEL (self->split_names)) > 1)
    gtk_string_list_remove (self->split_names, 1);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->splits), 0);
  self->split = -1;
  tosst_chart_set_x_range (self->chart, NAN, NAN);
  tosst_chart_set_y_range (self->chart, NAN, NAN);
  redraw_chart (self);
  show_numbers (self);
  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (self->atom_grid), NULL);
  gtk_label_set_label (GTK_LABEL (self->atoms_detail), "");
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), learns (self) ? "describing" : "empty");
  show_patches (self, learns (self) && !self->runner->opened);
}

/* The present stage, before the first point. */
static void
on_progress (StudioLearnView *self)
{
  gboolean tensors = studio_runner_get_current_split (self->runner) < 0;
  gboolean third = tosst_recipe_moment (self->runner->recipe) == TOSST_MOMENT_THIRD_ORDER;
  double fraction = self->runner->status.fraction; /* of the run */

  show_look (self);
  if (self->stepping || last_iteration (self) != NULL)
    return;
  const char *text = third && tensors ? _ ("Every patch is described by one third-order tensor.")
                     : tensors        ? _ ("Every patch is described by one matrix.")
                                      : _ ("Each training tensor is coded, then each atom is updated.");
  g_autofree char *percent = studio_format_percent (100 * fraction, 0);
  g_autofree char *both = g_strdup_printf ("%s\n%s", text, percent);
  adw_status_page_set_title (ADW_STATUS_PAGE (self->waiting),
                             tensors ? _ ("Computing Tensors") : _ ("First Iteration"));
  adw_status_page_set_description (ADW_STATUS_PAGE (self->waiting), fraction > 0 ? both : text);
}

static void
on_finished (StudioLearnView *self)
{
  double low, high;

  show_patches (self, FALSE);
  show_look (self);
  /* No more points follow: the present ones use the whole width. */
  tosst_chart_get_x_range (self->chart, &low, &high);
  if (!self->stepping && low == 1 && high == FIRST_ITERATIONS)
    {
      tosst_chart_set_x_range (self->chart, NAN, NAN);
      studio_chart_view_refresh (STUDIO_CHART_VIEW (self->chart_view));
    }
  if (!self->stepping && self->runner->last_split < 0 && learns (self))
    gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "empty");
  show_numbers (self); /* an opened run: no atoms follow */
}

static void
on_stepper (StudioLearnView *self)
{
  gboolean stepping = self->stepper->work != NULL, was = self->stepping;

  self->stepping = stepping;
  gtk_widget_set_visible (self->steps, stepping);
  gtk_widget_set_sensitive (self->axes, !stepping);
  gtk_widget_set_sensitive (self->splits, !stepping);
  if (!stepping && !was)
    return;
  if (stepping)
    {
      gboolean some = self->stepper->steps->len > 0 || self->stepper->atoms != NULL;

      adw_status_page_set_title (ADW_STATUS_PAGE (self->waiting), _ ("Computing Tensors"));
      adw_status_page_set_description (ADW_STATUS_PAGE (self->waiting),
                                       _ ("Steps use the tensors of the first split."));
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), some ? "learning" : "describing");
    }
  else
    {
      /* The page for the present state of a run. */
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), self->runner->last_split >= 0 ? "learning"
                                                                 : studio_runner_is_busy (self->runner) && learns (self)
                                                                     ? "describing"
                                                                     : "empty");
      tosst_chart_set_x_range (self->chart, NAN, NAN);
    }
  if (stepping != was || self->drawn > self->stepper->steps->len + 1)
    redraw_chart (self);
  else
    append_new_points (self);
  show_numbers (self);
  show_atoms (self);
}

/* The header bar then has the progress of the sweep. */
static void
on_state (StudioLearnView *self)
{
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->sweep_bar), self->runner->sweep != NULL);
}

static void
studio_learn_view_dispose (GObject *object)
{
  StudioLearnView *self = STUDIO_LEARN_VIEW (object);

  g_clear_handle_id (&self->atoms_source, g_source_remove);
  if (self->chart != NULL)
    studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), NULL);
  g_clear_pointer (&self->chart, tosst_chart_free);
  g_clear_object (&self->runner);
  g_clear_object (&self->stepper);
  G_OBJECT_CLASS (studio_learn_view_parent_class)->dispose (object);
}

static void
studio_learn_view_class_init (StudioLearnViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_CHART_VIEW, STUDIO_TYPE_ATOM_GRID, STUDIO_TYPE_PATCH_TENSOR,
                       STUDIO_TYPE_STEPPER_PANEL, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_learn_view_dispose;
  studio_add_signal (klass, "axes-changed", 0);
  studio_add_signal (klass, "atom-chosen", 2, G_TYPE_INT, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioLearnView, "learn-view", stack, sweep_bar, waiting, patches, look, chart_view,
                       iterations_button, seconds_button, splits, split_names, iteration, objective, nonzeros, unused,
                       atoms_detail, atoms_part, atom_grid, steps, axes);
  STUDIO_BIND_CALLBACKS (klass, on_axes, describe_atoms, on_atom_opened, on_split_chosen);
}

static void
studio_learn_view_init (StudioLearnView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->split = -1;
  self->chart = tosst_chart_new ("", _ ("Iteration"), _ ("Objective"));
  for (int i = 0; i < N_SERIES; i++)
    tosst_chart_add_series (self->chart, _ (series_names[i]));
  tosst_chart_set_best (self->chart, OBJECTIVE, TOSST_CHART_BEST_LOWEST);
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), self->chart);
  studio_chart_view_set_label_func (STUDIO_CHART_VIEW (self->chart_view), (StudioChartLabelFunc)label_point, self);
}

void
studio_learn_view_set_project (StudioLearnView *self, StudioProject *project)
{
  StudioRunner *runner = project->runner;
  StudioStepperPanel *panel = STUDIO_STEPPER_PANEL (self->steps);

  self->project = project;
  self->runner = g_object_ref (runner);
  self->stepper = g_object_ref (project->stepper);
  panel->stepper = g_object_ref (project->stepper);
  studio_connect (project->stepper, "changed", on_changed, panel);
  on_changed (panel);
  studio_connect (project->stepper, "changed", on_stepper, self);
  studio_connect (runner, "notify::state", on_state, self);
  studio_connect (runner, "started", on_started, self);
  studio_connect (runner, "progress", on_progress, self);
  studio_connect (runner, "iterations", on_iterations, self);
  studio_connect (runner, "atoms", on_atoms, self);
  studio_connect (runner, "finished", on_finished, self);
}

void
studio_learn_view_get_axes (StudioLearnView *self, gboolean *logarithmic_x, gboolean *logarithmic, gboolean *seconds)
{
  g_object_get (self->chart_view, "log-x", logarithmic_x, "log-y", logarithmic, NULL);
  *seconds = over_seconds (self);
}

void
studio_learn_view_set_axes (StudioLearnView *self, gboolean logarithmic_x, gboolean logarithmic, gboolean seconds)
{
  g_object_set (self->chart_view, "log-x", logarithmic_x, "log-y", logarithmic, NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (seconds ? self->seconds_button : self->iterations_button), TRUE);
}
