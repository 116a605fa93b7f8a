/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/project.h"

#include "studio/settings/state.h"

enum
{
  PROP_WORK_STATE = 1,
  N_PROPERTIES,
};
static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (StudioProject, studio_project, G_TYPE_OBJECT)

/* Work. */

gboolean
studio_project_is_busy (StudioProject *self)
{
  return !self->disposed && studio_runner_get_state (self->runner) != STUDIO_RUNNER_IDLE;
}

gboolean
studio_project_is_sweeping (StudioProject *self)
{
  return !self->disposed && studio_sweep_runner_get_state (self->sweep) != STUDIO_RUNNER_IDLE;
}

gboolean
studio_project_is_working (StudioProject *self)
{
  return studio_project_is_busy (self) || studio_project_is_sweeping (self);
}

StudioRunnerState
studio_project_get_work_state (StudioProject *self)
{
  if (studio_project_is_sweeping (self))
    return studio_sweep_runner_get_state (self->sweep);
  return studio_runner_get_state (self->runner);
}

void
studio_project_toggle_pause (StudioProject *self)
{
  gboolean pause = studio_project_get_work_state (self) == STUDIO_RUNNER_RUNNING;

  if (studio_project_is_sweeping (self))
    studio_sweep_runner_pause (self->sweep, pause);
  else
    studio_runner_pause (self->runner, pause);
}

void
studio_project_stop_work (StudioProject *self)
{
  studio_runner_stop (self->runner);
  studio_sweep_runner_stop (self->sweep);
}

static void
on_state (StudioProject *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WORK_STATE]);
}

/* The object. */

/* All signal handlers go with it, too. */
static void
studio_project_dispose (GObject *object)
{
  StudioProject *self = STUDIO_PROJECT (object);

  self->disposed = TRUE;
  g_object_run_dispose (G_OBJECT (self->runner)); /* ends its thread, whatever else holds the runner */
  g_object_run_dispose (G_OBJECT (self->sweep));
  studio_stepper_end (self->stepper);
  g_object_run_dispose (G_OBJECT (self->stepper));
  g_object_run_dispose (G_OBJECT (self->workspace));
  g_object_run_dispose (G_OBJECT (self->model));
  G_OBJECT_CLASS (studio_project_parent_class)->dispose (object);
}

static void
studio_project_finalize (GObject *object)
{
  StudioProject *self = STUDIO_PROJECT (object);

  g_object_unref (self->stepper);
  g_object_unref (self->sweep);
  g_object_unref (self->runner);
  g_object_unref (self->workspace);
  g_object_unref (self->model);
  G_OBJECT_CLASS (studio_project_parent_class)->finalize (object);
}

static void
studio_project_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_WORK_STATE)
    g_value_set_int (value, studio_project_get_work_state (STUDIO_PROJECT (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_project_class_init (StudioProjectClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = studio_project_dispose;
  object_class->finalize = studio_project_finalize;
  object_class->get_property = studio_project_get_property;
  properties[PROP_WORK_STATE]
      = g_param_spec_int ("work-state", NULL, NULL, STUDIO_RUNNER_IDLE, STUDIO_RUNNER_STOPPING, 0,
                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

/* Connected after the views of a run, which then know already what these handlers report. */
static void
connect_after (gpointer object, const char *signal, void (*handler) (StudioProject *self), StudioProject *self)
{
  g_signal_connect_data (object, signal, G_CALLBACK (handler), self, NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

static void
studio_project_init (StudioProject *self)
{
  g_autoptr (GFile) file = studio_state_get_workspace ();

  self->model = studio_recipe_model_new ();
  self->workspace = studio_workspace_new (file);
  self->runner = studio_runner_new ();
  self->sweep = studio_sweep_runner_new (self->workspace);
  self->stepper = studio_stepper_new ();
  connect_after (self->runner, "notify::state", on_state, self);
  connect_after (self->sweep, "notify::state", on_state, self);
}

StudioProject *
studio_project_new (void)
{
  return g_object_new (STUDIO_TYPE_PROJECT, NULL);
}
