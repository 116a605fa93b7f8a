/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

/* The preset of the recipe: shown and chosen in the recipe panel. */

static StudioPresetChooser *
chooser_of (StudioWindow *self)
{
  return studio_recipe_panel_get_presets (STUDIO_RECIPE_PANEL (self->panel));
}

static void
show (StudioWindow *self)
{
  const TosstRecipe *recipe = studio_recipe_model_peek (self->project->model);
  gboolean there = self->project->dataset != NULL, changed;
  TosstPreset preset = studio_project_get_preset (self->project, &changed);
  g_autofree char *sentence = there ? tosst_preset_sentence (recipe, &self->project->facts) : NULL;

  studio_preset_chooser_show (chooser_of (self), preset, changed, tosst_recipe_has_dictionary (recipe), sentence);
  gtk_widget_set_visible (GTK_WIDGET (chooser_of (self)), there);
}

static void
on_time (StudioWindow *self, guint preset, double seconds)
{
  studio_preset_chooser_set_time (chooser_of (self), preset, seconds);
}

void
studio_window_preset_init (StudioWindow *self)
{
  StudioProject *project = self->project;

  g_signal_connect_object (project->model, "changed", G_CALLBACK (show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (project, "dataset", G_CALLBACK (show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (project, "preset-time", G_CALLBACK (on_time), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (chooser_of (self), "opened", G_CALLBACK (studio_project_estimate_presets), project,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (chooser_of (self), "chosen", G_CALLBACK (studio_project_choose_preset), project,
                           G_CONNECT_SWAPPED);
  show (self);
}
