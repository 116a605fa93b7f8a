/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "studio/sweep/sweep-view-private.h"

/* What is swept as a whole: opened from a file, begun with again, and undone. A state of the history is a sweep, as its
 * recipe is the window's. */

static StudioSweepEditor *
editor_of (StudioSweepView *self)
{
  return STUDIO_SWEEP_EDITOR (self->editor);
}

static void
free_state (gpointer sweep)
{
  tosst_sweep_free (sweep);
}

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
apply (gpointer target, gconstpointer state)
{
  StudioSweepView *self = target;
  const TosstSweep *sweep = state;

  if (studio_sweep_view_is_busy (self))
    {
      studio_sweep_view_say (self, going_on ());
      return;
    }
  studio_sweep_editor_take (editor_of (self), sweep);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.view", "s", "sweep");
}

void
studio_sweep_view_remember_edited (StudioSweepView *self)
{
  TosstSweep *now = studio_sweep_editor_dup_edited (editor_of (self)), *before = self->edited;

  if (now == NULL) /* in the middle of being typed */
    return;
  self->edited = now;
  if (before != NULL && !varies_alike (before, now))
    {
      tosst_recipe_free (before->base);
      before->base = tosst_recipe_copy (now->base);
      studio_history_add (studio_recipe_model_get_history (self->model), _ ("Sweep"), " sweep", apply, self, before,
                          tosst_sweep_copy (now), free_state);
    }
  else
    g_clear_pointer (&before, tosst_sweep_free);
}

void
studio_sweep_view_take (StudioSweepView *self, const TosstSweep *sweep, gboolean go_on)
{
  TosstSweep *before;

  if (studio_sweep_view_is_busy (self))
    return;
  self->go_on = go_on && !studio_project_is_busy (self->project);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), FALSE);
  before = tosst_sweep_copy (self->edited);
  tosst_recipe_free (before->base);
  before->base = tosst_recipe_copy (studio_recipe_model_peek (self->model));
  studio_history_do (studio_recipe_model_get_history (self->model), _ ("Sweep"), apply, self, before,
                     tosst_sweep_copy (sweep), free_state);
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
  self->go_on = studio_sweep_planner_is_planning (self->planner) && !studio_sweep_planner_is_planned (self->planner);
  if (!self->go_on)
    gtk_widget_activate_action (GTK_WIDGET (self), "sweep.start", NULL);
}

gboolean
studio_sweep_view_varies (StudioSweepView *self)
{
  return self->edited != NULL && self->edited->axes->len > 0;
}

char *
studio_sweep_view_get_text (StudioSweepView *self)
{
  return studio_sweep_view_varies (self) ? tosst_sweep_to_text (self->edited) : NULL;
}

/* The recipe is the window's already. */
void
studio_sweep_view_restore (StudioSweepView *self, const char *text)
{
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "session.ini", NULL);

  if (sweep == NULL || studio_sweep_view_is_busy (self))
    return;
  tosst_recipe_free (sweep->base);
  sweep->base = tosst_recipe_copy (studio_recipe_model_peek (self->model));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->editor_button), FALSE);
  tosst_sweep_free (self->edited);
  self->edited = tosst_sweep_copy (sweep); /* no change that could be undone */
  studio_sweep_editor_take (editor_of (self), sweep);
}

int
studio_sweep_view_get_jobs (StudioSweepView *self)
{
  return studio_sweep_editor_get_jobs (editor_of (self));
}

void
studio_sweep_view_set_jobs (StudioSweepView *self, int jobs)
{
  studio_sweep_editor_set_jobs (editor_of (self), jobs);
}
