/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

#include "studio/settings/state.h"
#include "studio/widgets/build.h"

/* Delays after the last edit. */
#define SWEEP_SETTLE_MS 250 /* before the sweep is planned */
#define RUN_SETTLE_MS 400   /* before the run is estimated */

G_DEFINE_FINAL_TYPE (StudioProject, studio_project, G_TYPE_OBJECT)

/* This disconnects all signal handlers, too. */
static void
studio_project_dispose (GObject *object)
{
  StudioProject *self = STUDIO_PROJECT (object);

  self->disposed = TRUE;
  studio_project_cancel_opening (self);
  studio_project_stop_finding (self);
  g_object_run_dispose (G_OBJECT (self->runner)); /* ends its thread despite other references to the runner */
  g_object_run_dispose (G_OBJECT (self->sweep));
  g_object_run_dispose (G_OBJECT (self->forecast));
  g_object_run_dispose (G_OBJECT (self->presets));
  studio_stepper_end (self->stepper);
  g_object_run_dispose (G_OBJECT (self->stepper));
  g_object_run_dispose (G_OBJECT (self->workspace));
  g_object_run_dispose (G_OBJECT (self->model));
  G_OBJECT_CLASS (studio_project_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE_WITH (StudioProject, studio_project, studio_project_forget_refused (self),
                             (dataset, tosst_dataset_unref), (atoms, studio_atom_set_unref),
                             (dictionary_file, g_object_unref), (loading, g_object_unref), (stepper, g_object_unref),
                             (sweep, g_object_unref), (forecast, g_object_unref), (presets, g_object_unref),
                             (runner, g_object_unref), (workspace, g_object_unref), (model, g_object_unref))

static void
studio_project_class_init (StudioProjectClass *klass)
{
  static const char *const plain[] = { "changed", "dataset", "atoms", "loading", "settled", "commit", "start" };
  static const char *const of_string[] = { "interrupted", "problem", "show-view" };

  G_OBJECT_CLASS (klass)->dispose = studio_project_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_project_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    studio_add_signal (klass, plain[i], 0);
  for (guint i = 0; i < G_N_ELEMENTS (of_string); i++)
    studio_add_signal (klass, of_string[i], 1, G_TYPE_STRING);
  studio_add_signal (klass, "opened", 1, G_TYPE_FILE);
  g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL,
                NULL, G_TYPE_BOOLEAN, 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
  studio_add_signal (klass, "ended", 2, G_TYPE_BOOLEAN, G_TYPE_BOOLEAN);
  studio_add_signal (klass, "toast", 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  studio_add_signal (klass, "forecast", 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
  studio_add_signal (klass, "preset-time", 2, G_TYPE_UINT, G_TYPE_DOUBLE);
  studio_add_signal (klass, "usage", 2, G_TYPE_BOOLEAN, G_TYPE_DOUBLE);
}

static void
studio_project_init (StudioProject *self)
{
  g_autoptr (GFile) file = studio_state_get_workspace ();

  self->model = g_object_new (STUDIO_TYPE_RECIPE_MODEL, NULL);
  self->workspace = studio_workspace_new (file);
  self->runner = g_object_new (STUDIO_TYPE_RUNNER, NULL);
  self->sweep = studio_sweep_planner_new (self->workspace, SWEEP_SETTLE_MS);
  self->forecast = studio_sweep_planner_new (self->workspace, RUN_SETTLE_MS);
  self->presets = studio_sweep_planner_new (self->workspace, 0);
  self->stepper = g_object_new (STUDIO_TYPE_STEPPER, NULL);
  studio_project_open_init (self);
  studio_project_run_init (self);
  studio_project_forecast_init (self);
  studio_project_preset_init (self);
  studio_project_usage_init (self);
}
