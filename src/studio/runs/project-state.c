/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

/* The state of a project, and its signals. */

gboolean
studio_project_is_empty (StudioProject *self)
{
  return self->dataset == NULL && self->opening == NULL && self->atoms == NULL && self->loading == NULL;
}

gboolean
studio_project_is_busy (StudioProject *self)
{
  return !self->disposed && studio_runner_is_busy (self->runner);
}

gboolean
studio_project_is_sweeping (StudioProject *self)
{
  return !self->disposed && self->runner->sweep != NULL;
}

gboolean
studio_project_is_working (StudioProject *self)
{
  return !self->disposed && self->runner->state != STUDIO_RUNNER_IDLE;
}

gboolean
studio_project_check (StudioProject *self, GError **error)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->model);
  gboolean opening = self->opening != NULL || self->reopen_source != 0;

  if (opening && recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES && recipe->descriptor.length <= 0)
    return TRUE;
  return tosst_recipe_check (recipe, error);
}

void
studio_project_changed (StudioProject *self)
{
  g_signal_emit_by_name (self, "changed");
}

void
studio_project_settled (StudioProject *self)
{
  g_signal_emit_by_name (self, "settled");
}

void
studio_project_toast (StudioProject *self, const char *sentence, const char *button, const char *action)
{
  g_signal_emit_by_name (self, "toast", sentence, button, action);
}

void
studio_project_problem (StudioProject *self, const char *sentence)
{
  g_signal_emit_by_name (self, "problem", sentence);
}

void
studio_project_show_view (StudioProject *self, const char *name)
{
  g_signal_emit_by_name (self, "show-view", name);
}

/* Connected after the views, so that they are up to date when these handlers emit. */
void
studio_project_connect (StudioProject *self, gpointer object, const char *signal, GCallback handler)
{
  g_signal_connect_data (object, signal, handler, self, NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}
