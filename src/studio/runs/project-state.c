/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/project-private.h"

/* The state of a project. */

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
  const TosstRecipe *recipe = self->model->recipe;
  gboolean opening = self->opening != NULL || self->reopen_source != 0;

  if (opening && recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES && recipe->descriptor.length <= 0)
    return TRUE;
  return tosst_recipe_check (recipe, error);
}

/* Connected after the views, so that they are up to date when these handlers emit. */
void
studio_project_connect (StudioProject *self, gpointer object, const char *signal, GCallback handler)
{
  g_signal_connect_data (object, signal, handler, self, NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}
