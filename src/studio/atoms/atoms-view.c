/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atoms-view.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/format.h"

G_DEFINE_FINAL_TYPE (StudioAtomsView, studio_atoms_view, ADW_TYPE_BIN)

static GtkWidget *
button_of (StudioAtomsView *self, StudioAtomOrder order)
{
  GtkWidget *const buttons[STUDIO_N_ORDERS]
      = { self->use_button, self->energy_button, self->class_button, self->rank_button, self->number_button };

  return buttons[order];
}

/* Sorting. */

static void
on_order (StudioAtomsView *self)
{
  for (int order = 0; order < STUDIO_N_ORDERS && !self->updating; order++)
    if (studio_is_on (button_of (self, order)))
      studio_atom_grid_set_order (STUDIO_ATOM_GRID (self->browser), order);
}

static void
on_tiles (StudioAtomsView *self)
{
  studio_atom_grid_set_tiles (STUDIO_ATOM_GRID (self->browser), !studio_is_on (self->matrices_button),
                              (int)gtk_adjustment_get_value (self->tile_size),
                              gtk_adjustment_get_value (self->tile_contrast));
  g_signal_emit_by_name (self, "changed");
}

static void
on_pictures (StudioAtomsView *self)
{
  self->patches = !studio_is_on (self->matrices_button);
  on_tiles (self);
}

/* Patches are known after a run; those of an opened run are found in the background. */
static void
offer_patches (StudioAtomsView *self)
{
  gboolean known = self->atoms->usage != NULL;

  gtk_widget_set_sensitive (self->patches_button, known);
  gtk_widget_set_tooltip_text (self->patches_button, known ? _ ("Of each atom the patch that uses it most")
                                                           : _ ("Known after a run: files do not record it"));
  if (known && self->patches)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->patches_button), TRUE);
}

/* The atom shown in detail. */

static void
open_atom (StudioAtomsView *self, int number)
{
  g_autoptr (GArray) groups = studio_atom_set_groups (self->atoms, self->given);
  g_autoptr (StudioAtom) atom = studio_atom_new (self->atoms, number, groups);

  studio_atom_panel_set_atom (STUDIO_ATOM_PANEL (self->panel), atom);
  g_signal_emit_by_name (self, "changed");
}

static void
on_patch (StudioAtomsView *self, guint image, int x, int y)
{
  g_signal_emit_by_name (self, "patch-chosen", image, x, y);
}

/* Where the atoms come from. The list of splits beside it has the split. */
static void
show_source (StudioAtomsView *self)
{
  const TosstDictionary *dictionary = self->atoms->dictionary;
  g_autofree char *number = studio_format_count (dictionary->K), *count = NULL, *source = NULL, *dimension = NULL;

  count = g_strdup_printf (ngettext ("%s atom", "%s atoms", dictionary->K), number);
  dimension = g_strdup_printf (_ ("d = %d"), dictionary->d);
  source = self->atoms->file != NULL ? g_strdup_printf (_ ("%s · d = %d"), self->atoms->file, dictionary->d)
           : self->atoms->split == 0
               ? g_strdup_printf (_ ("learned by the first split · d = %d"), dictionary->d)
               : g_strdup_printf (_ ("learned by split %d · d = %d"), self->atoms->split + 1, dictionary->d);
  gtk_label_set_label (GTK_LABEL (self->count), count);
  gtk_label_set_label (GTK_LABEL (self->source), gtk_widget_get_visible (self->split) ? dimension : source);
  gtk_widget_set_tooltip_text (self->source, source);
}

/* The splits of a run, where there are several to choose from. */
static void
show_splits (StudioAtomsView *self)
{
  gboolean any
      = self->atoms != NULL && self->atoms->file == NULL && self->atoms->split < self->n_splits && self->n_splits > 1;
  g_autoptr (GtkStringList) list = NULL;

  gtk_widget_set_visible (self->split, any);
  if (self->atoms != NULL)
    show_source (self);
  if (!any)
    return;
  self->updating = TRUE;
  if ((int)g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (self->split))) != self->n_splits)
    {
      list = gtk_string_list_new (NULL);
      for (int i = 0; i < self->n_splits; i++)
        gtk_string_list_take (list, g_strdup_printf (_ ("Split %d"), i + 1));
      gtk_drop_down_set_model (GTK_DROP_DOWN (self->split), G_LIST_MODEL (list));
    }
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->split), (guint)self->atoms->split);
  self->updating = FALSE;
}

static void
on_split (StudioAtomsView *self)
{
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->split));

  if (!self->updating && self->atoms != NULL && (int)chosen < self->n_splits && (int)chosen != self->atoms->split)
    g_signal_emit_by_name (self, "split-chosen", (int)chosen);
}

static void
update_page (StudioAtomsView *self)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), self->atoms != NULL ? "work"
                                                             : self->waiting     ? "waiting"
                                                                                 : "empty");
}

STUDIO_DEFINE_DISPOSE (StudioAtomsView, studio_atoms_view, (atoms, studio_atom_set_unref), (given, tosst_recipe_free))

static void
studio_atoms_view_class_init (StudioAtomsViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_ATOM_GRID, STUDIO_TYPE_ATOM_PANEL, STUDIO_TYPE_FOLD);
  G_OBJECT_CLASS (klass)->dispose = studio_atoms_view_dispose;
  studio_add_signal (klass, "patch-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "split-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioAtomsView, "atoms-view", stack, fold, matrices_button, patches_button, tile_size,
                       tile_contrast, count, split, source, browser, panel, use_button, energy_button, class_button,
                       rank_button, number_button);
  STUDIO_BIND_CALLBACKS (klass, on_tiles, on_pictures, on_split, on_order, studio_fold_open, open_atom, on_patch);
}

static void
studio_atoms_view_init (StudioAtomsView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->patches = TRUE;
}

void
studio_atoms_view_set_atoms (StudioAtomsView *self, StudioAtomSet *atoms)
{
  StudioAtomGrid *browser = STUDIO_ATOM_GRID (self->browser);
  static const char *const tips[STUDIO_N_ORDERS] = {
    N_ ("Most used first: the sum of |α| over all patches"),
    N_ ("Largest ‖B ⊗ b‖² first"),
    N_ ("Largest share of a single class first"),
    N_ ("Highest rank first"),
    N_ ("In the order of the dictionary"),
  };

  if (atoms != NULL)
    studio_atom_set_ref (atoms);
  studio_atom_panel_set_atom (STUDIO_ATOM_PANEL (self->panel), NULL);
  studio_atom_grid_set_dictionary (browser, atoms);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = atoms;
  update_page (self);
  show_splits (self);
  if (atoms == NULL)
    return;
  /* Unknown keys are insensitive, and the button's tooltip shows the reason. */
  for (int order = 0; order < STUDIO_N_ORDERS; order++)
    {
      gboolean known = studio_atom_set_knows (self->atoms, order);

      gtk_widget_set_sensitive (button_of (self, order), known);
      gtk_widget_set_tooltip_text (button_of (self, order),
                                   known ? _ (tips[order]) : _ ("Known after a run: files do not record it"));
    }
  offer_patches (self);
  self->updating = TRUE;
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (button_of (self, atoms->usage != NULL ? STUDIO_ORDER_USE : STUDIO_ORDER_ENERGY)), TRUE);
  self->updating = FALSE;
  on_order (self);
  studio_atoms_view_open (self, browser->sorted[0]);
  studio_fold_show_last (STUDIO_FOLD (self->fold), FALSE);
}

void
studio_atoms_view_set_splits (StudioAtomsView *self, int n)
{
  self->n_splits = n;
  show_splits (self);
}

void
studio_atoms_view_set_recipe (StudioAtomsView *self, const TosstRecipe *recipe)
{
  g_clear_pointer (&self->given, tosst_recipe_free);
  self->given = tosst_recipe_copy (recipe);
  if (self->atoms != NULL && self->atoms->recipe == NULL)
    open_atom (self, STUDIO_ATOM_GRID (self->browser)->chosen); /* names may have changed */
}

void
studio_atoms_view_set_waiting (StudioAtomsView *self, gboolean waiting)
{
  self->waiting = waiting;
  update_page (self);
}

void
studio_atoms_view_open (StudioAtomsView *self, int atom)
{
  if (self->atoms == NULL || atom < 0 || atom >= self->atoms->dictionary->K)
    return;
  studio_atom_grid_choose (STUDIO_ATOM_GRID (self->browser), atom);
  open_atom (self, atom);
  studio_fold_show_last (STUDIO_FOLD (self->fold), TRUE);
}

void
studio_atoms_view_get_tiles (StudioAtomsView *self, gboolean *patches, int *size, double *contrast)
{
  *patches = self->patches;
  *size = (int)gtk_adjustment_get_value (self->tile_size);
  *contrast = gtk_adjustment_get_value (self->tile_contrast);
}

void
studio_atoms_view_set_tiles (StudioAtomsView *self, gboolean patches, int size, double contrast)
{
  gtk_adjustment_set_value (self->tile_size, size);
  gtk_adjustment_set_value (self->tile_contrast, contrast);
  self->patches = patches;
  if (self->atoms != NULL)
    offer_patches (self);
}
