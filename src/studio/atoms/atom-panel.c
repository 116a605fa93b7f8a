/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/atoms/atom-panel.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/formula-view.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/picture-view.h"

#define PATCH_SIDE 96 /* maximum size of a thumbnail, pixels */
#define PATCH_SHOWN 44

struct _StudioAtomPanel
{
  AdwBin parent_instance;
  StudioAtom *atom; /* NULL: none */
  StudioImageLoader *loader;
  StudioImageItem *items[TOSST_ATOM_PATCHES];
  GtkWidget *buttons[TOSST_ATOM_PATCHES], *pictures[TOSST_ATOM_PATCHES];
  GBinding *bindings[TOSST_ATOM_PATCHES]; /* of the texture of an item to its picture */

  GtkWidget *title, *facts, *matrix, *b_part, *b, *eigenvalues, *slices_part, *strip, *patches, *no_patches,
      *patches_title, *find_button;
  gboolean can_find;
  double found; /* progress of the search for patches; negative: no search */
};

G_DEFINE_FINAL_TYPE (StudioAtomPanel, studio_atom_panel, ADW_TYPE_BIN)

static StudioAtom *
atom_of (gpointer data)
{
  return ((StudioAtomPanel *)data)->atom;
}

/* Pictures. */

static char *
describe_matrix (gpointer data)
{
  return studio_atom_facts (atom_of (data));
}

static char *
describe_largest (TosstBarsDrawing bars)
{
  int most = 0;
  g_autofree char *name = NULL, *value = NULL;

  for (int i = 1; i < bars.n; i++)
    if (bars.values[i] > bars.values[most])
      most = i;
  name = tosst_feature_group_label (bars.groups, most);
  value = studio_format_real (bars.values[most], 2);
  return g_strdup_printf (_ ("Largest: %s, %s"), name, value);
}

static char *
describe_b (gpointer data)
{
  return describe_largest (studio_atom_b (atom_of (data)));
}

static char *
describe_eigenvalues (gpointer data)
{
  return describe_largest (studio_atom_eigenvalues (atom_of (data)));
}

static const StudioPictureFuncs matrix_funcs = { .describe = describe_matrix };
static const StudioPictureFuncs b_funcs = { .describe = describe_b };
static const StudioPictureFuncs eigenvalue_funcs = { .describe = describe_eigenvalues };

static void
show_pictures (StudioAtomPanel *self)
{
  const StudioAtom *atom = self->atom;
  GtkWidget *const views[] = { self->matrix, self->b, self->eigenvalues, self->strip };
  StudioDrawing drawings[G_N_ELEMENTS (views)] = { 0 };

  if (atom != NULL)
    {
      drawings[0] = (StudioDrawing){ STUDIO_DRAWING_MATRIX, .matrix = studio_atom_matrix (atom) };
      drawings[1] = (StudioDrawing){ STUDIO_DRAWING_BARS, .bars = studio_atom_b (atom) };
      drawings[2] = (StudioDrawing){ STUDIO_DRAWING_BARS, .bars = studio_atom_eigenvalues (atom) };
      drawings[3] = (StudioDrawing){ STUDIO_DRAWING_STRIP, .strip = studio_atom_strip (atom), .groups = atom->groups };
    }
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    studio_picture_view_show (STUDIO_PICTURE_VIEW (views[i]), atom != NULL ? &drawings[i] : NULL);
}

/* Patches. */

static void
forget_patch (StudioAtomPanel *self, int i)
{
  gtk_picture_set_paintable (GTK_PICTURE (self->pictures[i]), NULL);
  if (self->items[i] == NULL)
    return;
  g_clear_pointer (&self->bindings[i], g_binding_unbind);
  studio_image_loader_cancel (self->loader, self->items[i]);
  g_clear_object (&self->items[i]);
}

static void
show_patch (StudioAtomPanel *self, int i, const TosstAtomPatch *patch)
{
  TosstDataset *dataset = self->atom->set->dataset;
  const TosstRecipe *recipe = self->atom->set->recipe;
  int x = patch->point.x, y = patch->point.y, width = recipe->descriptor.patch, height = width;
  g_autofree char *value = studio_format_real (patch->code, 2), *text = NULL;
  const char *name = tosst_dataset_image (dataset, patch->image)->name;

  if (tosst_recipe_is_local (recipe))
    studio_region_place (patch->point.x, tosst_dataset_image (dataset, patch->image), &x, &y, &width, &height);
  self->items[i] = studio_image_item_new_part (dataset, patch->image, x, y, width, height);
  self->bindings[i] = g_object_bind_property (self->items[i], "texture", self->pictures[i], "paintable", 0);
  studio_image_loader_request (self->loader, self->items[i], PATCH_SIDE);
  text = tosst_recipe_is_local (recipe)
             ? g_strdup_printf (_ ("%s, %s: α = %s"), name, studio_region_name (patch->point.x), value)
             : g_strdup_printf (_ ("%s at %d, %d: α = %s"), name, patch->point.x, patch->point.y, value);
  gtk_widget_set_tooltip_text (self->buttons[i], text);
  studio_set_name (self->buttons[i], text);
}

static gboolean
is_local (StudioAtomPanel *self)
{
  return self->atom != NULL && self->atom->set->recipe != NULL && tosst_recipe_is_local (self->atom->set->recipe);
}

static void
say_what_is_found (StudioAtomPanel *self)
{
  gboolean known = self->atom == NULL || self->atom->set->usage != NULL, looks = self->found >= 0;
  g_autofree char *percent = studio_format_percent (100 * self->found, 0);
  char *text = known ? g_strdup (is_local (self) ? _ ("No image uses this atom.") : _ ("No patch uses this atom."))
               : looks
                   ? g_strdup_printf (_ ("Coding all patches: %s"), percent)
                   : g_strdup (_ ("A run finds them. For atoms of a file or a stored run, all patches are recoded."));

  gtk_label_set_label (GTK_LABEL (self->patches_title),
                       is_local (self) ? _ ("Images That Use It Most") : _ ("Patches That Use It Most"));
  studio_label_take (self->no_patches, text);
  gtk_widget_set_visible (self->find_button, !known && self->can_find);
  gtk_button_set_label (GTK_BUTTON (self->find_button), looks ? _ ("Stop") : _ ("Find Patches"));
}

static void
show_patches (StudioAtomPanel *self)
{
  const TosstAtomUsage *usage = self->atom != NULL ? self->atom->set->usage : NULL;
  int n = usage != NULL ? usage->n_patches[self->atom->number] : 0;

  for (int i = 0; i < TOSST_ATOM_PATCHES; i++)
    {
      forget_patch (self, i);
      gtk_widget_set_visible (gtk_widget_get_parent (self->buttons[i]), i < n);
      if (i < n)
        show_patch (self, i, usage->patches + (gsize)self->atom->number * TOSST_ATOM_PATCHES + i);
    }
  gtk_widget_set_visible (self->patches, n > 0);
  gtk_widget_set_visible (self->no_patches, n == 0);
  say_what_is_found (self);
}

static void
on_clicked (GtkWidget *button, StudioAtomPanel *self)
{
  const TosstAtomPatch *patch;
  int i = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "patch"));

  if (self->atom == NULL || self->atom->set->usage == NULL)
    return;
  patch = self->atom->set->usage->patches + (gsize)self->atom->number * TOSST_ATOM_PATCHES + i;
  g_signal_emit_by_name (self, "patch-chosen", patch->image, patch->point.x, patch->point.y);
}

static void
add_button (StudioAtomPanel *self, int i)
{
  GtkWidget *button = gtk_button_new ();

  self->pictures[i] = studio_thumbnail (PATCH_SHOWN);
  gtk_button_set_child (GTK_BUTTON (button), self->pictures[i]);
  studio_add_classes (button, "flat", "patch", NULL);
  g_object_set_data (G_OBJECT (button), "patch", GINT_TO_POINTER (i));
  g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
  gtk_flow_box_append (GTK_FLOW_BOX (self->patches), button);
  gtk_widget_set_focusable (gtk_widget_get_parent (button), FALSE); /* the button has the focus */
  self->buttons[i] = button;
}

static void
studio_atom_panel_dispose (GObject *object)
{
  StudioAtomPanel *self = STUDIO_ATOM_PANEL (object);

  if (self->atom != NULL)
    studio_atom_panel_set_atom (self, NULL);
  g_clear_object (&self->loader);
  G_OBJECT_CLASS (studio_atom_panel_parent_class)->dispose (object);
}

static void
studio_atom_panel_class_init (StudioAtomPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (STUDIO_TYPE_FORMULA);
  g_type_ensure (STUDIO_TYPE_PICTURE_VIEW);
  G_OBJECT_CLASS (klass)->dispose = studio_atom_panel_dispose;
  studio_add_signal (klass, "patch-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/tosst/Studio/atom-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, title);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, facts);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, matrix);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, b_part);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, b);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, eigenvalues);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, slices_part);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, strip);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, patches);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, no_patches);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, patches_title);
  gtk_widget_class_bind_template_child (widget_class, StudioAtomPanel, find_button);
}

static void
studio_atom_panel_init (StudioAtomPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->loader = studio_image_loader_new ();
  self->found = -1;
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->matrix), &matrix_funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->b), &b_funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->eigenvalues), &eigenvalue_funcs, self);
  for (int i = 0; i < TOSST_ATOM_PATCHES; i++)
    add_button (self, i);
  show_patches (self);
}

void
studio_atom_panel_set_atom (StudioAtomPanel *self, StudioAtom *atom)
{
  g_autoptr (StudioAtom) old G_GNUC_UNUSED = g_steal_pointer (&self->atom);

  self->atom = atom != NULL ? studio_atom_ref (atom) : NULL;
  show_pictures (self);
  show_patches (self);
  if (atom == NULL)
    return;
  studio_label_take (self->title, studio_atom_title (atom));
  studio_label_take (self->facts, studio_atom_facts (atom));
  gtk_widget_set_visible (self->slices_part, atom->planes > 1);
  gtk_widget_set_visible (self->b_part, atom->n_b > 1); /* otherwise it is 1 */
}

void
studio_atom_panel_set_finding (StudioAtomPanel *self, gboolean possible, double fraction)
{
  self->can_find = possible;
  self->found = fraction;
  say_what_is_found (self);
}

StudioAtom *
studio_atom_panel_get_atom (StudioAtomPanel *self)
{
  return self->atom;
}
