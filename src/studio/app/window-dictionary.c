/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* The visible dictionary, and navigation between views: from patches to atoms and back. */

/* Splits of the run whose atoms can be chosen. */
static void
show_splits (StudioWindow *self)
{
  studio_atoms_view_set_splits (STUDIO_ATOMS_VIEW (self->atoms_view),
                                studio_runner_get_n_dictionaries (self->project->runner));
}

static void
on_split_chosen (StudioWindow *self, int split)
{
  studio_project_show_split (self->project, split, -1);
}

static void
on_atoms (StudioWindow *self)
{
  StudioAtomsView *view = STUDIO_ATOMS_VIEW (self->atoms_view);
  StudioAtomSet *atoms = self->project->atoms;
  StudioAtom *open = STUDIO_ATOM_PANEL (view->panel)->atom;
  int number = self->project->refined && open != NULL ? open->number : self->project->first_atom;

  studio_atoms_view_set_atoms (view, atoms);
  studio_inspect_view_set_atoms (STUDIO_INSPECT_VIEW (self->inspect_view), atoms);
  show_splits (self);
  if (number >= 0)
    studio_atoms_view_open (view, number);
  if (self->project->dictionary_file == NULL)
    return;
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  if (self->project->dataset == NULL)
    adw_view_switcher_title_set_subtitle (ADW_VIEW_SWITCHER_TITLE (self->view_title), atoms->file);
}

static void
on_recipe (StudioWindow *self)
{
  const TosstRecipe *recipe = self->project->model->recipe;

  studio_atoms_view_set_recipe (STUDIO_ATOMS_VIEW (self->atoms_view), recipe);
  studio_inspect_view_set_recipe (STUDIO_INSPECT_VIEW (self->inspect_view), recipe);
}

static void
on_usage (StudioWindow *self, gboolean possible, double fraction)
{
  studio_atom_panel_set_finding (STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (self->atoms_view)->panel), possible, fraction);
}

/* Local features are coloured by the components of the run. */
static void
on_finished (StudioWindow *self)
{
  const TosstRunResult *result = self->project->runner->result;

  studio_data_view_set_components (STUDIO_DATA_VIEW (self->data_view),
                                   result != NULL && result->model != NULL ? result->model->pca : NULL);
}

static void
on_state (StudioWindow *self)
{
  gboolean will_learn
      = studio_project_is_busy (self->project) && tosst_recipe_has_dictionary (self->project->runner->recipe);

  studio_atoms_view_set_waiting (STUDIO_ATOMS_VIEW (self->atoms_view), will_learn);
  studio_inspect_view_set_waiting (STUDIO_INSPECT_VIEW (self->inspect_view), will_learn);
}

/* Chosen in the visible view: lists also choose their first image when they are filled. */
static void
on_image_chosen (StudioWindow *self, guint image)
{
  if (gtk_widget_get_mapped (self->data_view))
    studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), image);
}

static void
on_patch_activated (StudioWindow *self, int x, int y)
{
  studio_inspect_view_choose_patch (STUDIO_INSPECT_VIEW (self->inspect_view), x, y);
  studio_window_show_view (self, "inspect");
}

static void
on_atom_chosen (StudioWindow *self, int atom)
{
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), atom);
  studio_window_show_view (self, "atoms");
}

/* A number as recipes write it: three digits suffice for a slider. */
static void
set_number (TosstRecipe *recipe, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_autoptr (GError) error = NULL;

  g_ascii_formatd (text, sizeof text, "%.3g", value);
  if (!tosst_recipe_set (recipe, name, isinf (value) ? "inf" : text, &error))
    g_warning ("%s", error->message);
}

/* Sets dictionary.KEY, and coding.KEY where the recipe has one of its own. */
static void
set_weight (TosstRecipe *recipe, const char *key, double value, double of_coding)
{
  g_autofree char *learned = g_strconcat ("dictionary.", key, NULL), *coded = g_strconcat ("coding.", key, NULL);

  if (isnan (value))
    return;
  set_number (recipe, learned, value);
  if (!isnan (of_coding))
    set_number (recipe, coded, value);
}

/* One step of undo. NaN and 0: unchanged. */
static void
on_values (StudioWindow *self, double lambda, double gamma, int atoms)
{
  TosstRecipe *recipe = tosst_recipe_copy (self->project->model->recipe);

  set_weight (recipe, "lambda", lambda, recipe->coding.lambda);
  set_weight (recipe, "gamma", gamma, recipe->coding.gamma);
  if (atoms > 0)
    set_number (recipe, "dictionary.atoms", atoms);
  studio_recipe_model_take (self->project->model, recipe);
  g_signal_emit_by_name (self->project, "toast", _ ("The recipe has these values"), _ ("_Start"), "win.start");
}

/* A patch of the data set of a run, which may differ from the open one. */
static void
inspect_patch_of (StudioWindow *self, TosstDataset *dataset, guint image, int x, int y)
{
  if (self->project->dataset == NULL || dataset == NULL
      || strcmp (self->project->dataset->fingerprint, dataset->fingerprint) != 0)
    {
      studio_window_toast (self, _ ("This patch belongs to another data set"));
      return;
    }
  studio_inspect_view_set_image (STUDIO_INSPECT_VIEW (self->inspect_view), image);
  on_patch_activated (self, x, y);
}

static void
on_patch_of_atom (StudioWindow *self, guint image, int x, int y)
{
  inspect_patch_of (self, self->project->atoms->dataset, image, x, y);
}

/* Its first patch. */
static void
on_block (StudioWindow *self, guint image, int x, int y)
{
  inspect_patch_of (self, self->project->runner->dataset, image, x, y);
}

/* A file opened since then has other atoms. */
static void
on_shared_atom (StudioWindow *self, int atom)
{
  if (self->project->runner->learned != self->project->atoms)
    studio_project_show_learned (self->project);
  on_atom_chosen (self, atom);
}

/* Shows the atom in the dictionary of the split that Learn shows. */
static void
on_learned_atom (StudioWindow *self, int split, int atom)
{
  StudioAtomSet *atoms = self->project->atoms;

  if (atoms != NULL && self->project->dictionary_file == NULL && atoms->split == split)
    studio_atoms_view_open (STUDIO_ATOMS_VIEW (self->atoms_view), atom);
  else
    studio_project_show_split (self->project, split, atom);
  studio_window_show_view (self, "atoms");
}

void
studio_window_dictionary_init (StudioWindow *self)
{
  studio_connect (self->project, "atoms", on_atoms, self);
  studio_connect (self->project, "usage", on_usage, self);
  studio_connect (self->project->model, "changed", on_recipe, self);
  studio_connect (self->project->runner, "notify::state", on_state, self);
  studio_connect (self->project->runner, "finished", on_finished, self);
  studio_connect (self->inspect_view, "atom-chosen", on_atom_chosen, self);
  studio_connect (self->inspect_view, "values-chosen", on_values, self);
  studio_connect (self->atoms_view, "patch-chosen", on_patch_of_atom, self);
  studio_connect (self->results_view, "block-chosen", on_block, self);
  studio_connect (self->results_view, "atom-chosen", on_shared_atom, self);
  studio_connect (self->learn_view, "atom-chosen", on_learned_atom, self);
  studio_connect (self->atoms_view, "split-chosen", on_split_chosen, self);
  studio_connect (self->project->runner, "split", show_splits, self);
  studio_connect (self->data_view, "image-chosen", on_image_chosen, self);
  studio_connect (self->data_view, "patch-activated", on_patch_activated, self);
  on_recipe (self);
}
