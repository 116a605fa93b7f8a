/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>

/* Undo and redo: the history of the recipe, which also records choices of patches and atoms. */

typedef struct
{
  guint image;
  int x, y;
} Patch;

static void
apply_patch (StudioWindow *self, const Patch *patch)
{
  studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), patch->image);
  studio_inspect_view_choose_patch (STUDIO_INSPECT_VIEW (self->inspect_view), patch->x, patch->y);
  studio_window_show_view (self, "inspect");
}

static void
apply_atom (StudioWindow *self, gconstpointer state)
{
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), *(const int *)state);
  studio_window_show_view (self, "atoms");
}

/* Views also choose by themselves when their data change; these choices are not recorded. */
static void
on_patch (StudioWindow *self)
{
  Patch now, before = { self->chosen_image, self->chosen_x, self->chosen_y };
  gboolean there = studio_inspect_view_get_patch (STUDIO_INSPECT_VIEW (self->inspect_view), &now.image, &now.x, &now.y);
  gboolean same_data = self->chosen_dataset == (gpointer)self->project->dataset && self->restoring == NULL;

  self->chosen_dataset = there ? self->project->dataset : NULL;
  self->chosen_image = now.image;
  self->chosen_x = now.x;
  self->chosen_y = now.y;
  if (!there || !same_data || (before.image == now.image && before.x == now.x && before.y == now.y))
    return;
  studio_history_add (self->project->model->history, _ ("Choice of Patch"), " patch", (StudioHistoryFunc)apply_patch,
                      self, g_memdup2 (&before, sizeof before), g_memdup2 (&now, sizeof now), g_free);
}

static void
on_atom (StudioWindow *self)
{
  StudioAtom *atom = STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel)->atom;
  int before = self->chosen_atom, now = atom != NULL ? atom->number : -1;
  gboolean same_data = self->chosen_atoms == (gpointer)self->project->atoms && self->restoring == NULL;

  self->chosen_atoms = atom != NULL && atom->set == self->project->atoms ? self->project->atoms : NULL;
  self->chosen_atom = now;
  if (before < 0 || now < 0 || before == now || !same_data || self->chosen_atoms == NULL)
    return;
  studio_history_add (self->project->model->history, _ ("Choice of Atom"), " atom", (StudioHistoryFunc)apply_atom, self,
                      g_memdup2 (&before, sizeof before), g_memdup2 (&now, sizeof now), g_free);
}

static void
on_history (StudioWindow *self)
{
  StudioHistory *history = self->project->model->history;
  const char *undo = studio_history_get_undo_name (history), *redo = studio_history_get_redo_name (history);

  studio_enable (self, "win.undo", undo != NULL);
  studio_enable (self, "win.redo", redo != NULL);
  studio_recipe_panel_name_history (STUDIO_RECIPE_PANEL (self->panel), undo, redo);
}

static void
undo (StudioWindow *self)
{
  studio_history_undo (self->project->model->history);
}

static void
redo (StudioWindow *self)
{
  studio_history_redo (self->project->model->history);
}

/* All values of the data set or preset. */
static void
reset_recipe (StudioWindow *self)
{
  const TosstRecipe *now = self->project->model->recipe;
  TosstRecipe *recipe = tosst_recipe_copy (self->project->model->base);

  recipe->dataset.kind = now->dataset.kind;
  g_free (recipe->dataset.path);
  recipe->dataset.path = g_strdup (now->dataset.path);
  studio_recipe_model_take (self->project->model, recipe);
  studio_window_toast (self, _ ("All parameters were reset to their defaults"));
}

void
studio_window_install_history_actions (GtkWidgetClass *widget_class)
{
  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.undo", NULL, undo), ("win.redo", NULL, redo),
                                 ("win.reset-recipe", NULL, reset_recipe));
}

void
studio_window_history_init (StudioWindow *self)
{
  self->chosen_atom = -1;
  studio_connect (self->project->model->history, "changed", on_history, self);
  studio_connect (self->inspect_view, "selected", on_patch, self);
  studio_connect (self->atoms_view, "changed", on_atom, self);
  on_history (self);
}
