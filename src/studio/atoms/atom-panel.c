/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/atoms/atom-grid.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/formula-view.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/picture-view.h"
#include "studio/widgets/wrap.h"

#define PATCH_SIDE 96  /* maximum size of a thumbnail, pixels */
#define PATCH_SHOWN 44 /* least size that is shown */
#define PATCH_LARGEST 60
#define SLICE_MS 600 /* while slices play */

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

  for (int i = 1; i < bars.n; i++)
    if (bars.values[i] > bars.values[most])
      most = i;
  g_autofree char *name = tosst_feature_group_label (bars.groups, most);
  g_autofree char *value = studio_format_real (bars.values[most], 2);
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

/* The slice on show, or B. */
static void
show_slice (StudioAtomPanel *self)
{
  const StudioAtom *atom = self->atom;
  StudioDrawing matrix = { STUDIO_DRAWING_MATRIX }, strip = { STUDIO_DRAWING_STRIP };

  matrix.matrix = self->slice < 0 ? studio_atom_matrix (atom) : studio_atom_slice (atom, self->slice);
  strip.strip = studio_atom_strip (atom);
  strip.strip.chosen = self->slice;
  strip.groups = atom->groups;
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->matrix), &matrix);
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->strip), &strip);
  g_autofree char *title
      = self->slice < 0 ? g_strdup (_ ("Choose a slice, or play them")) : studio_atom_slice_title (atom, self->slice);
  g_autofree char *markup = studio_symbol_markup (title);
  gtk_label_set_markup (GTK_LABEL (self->slice_label), markup);
  gtk_widget_set_tooltip_markup (self->slice_label, markup);
}

static void
stop_playing (StudioAtomPanel *self)
{
  g_clear_handle_id (&self->play_source, g_source_remove);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->play_button), FALSE);
}

/* The chosen one again: B. */
static void
choose_slice (int slice, StudioAtomPanel *self)
{
  stop_playing (self);
  self->slice = slice == self->slice ? -1 : slice;
  show_slice (self);
}

static char *
describe_strip (StudioAtomPanel *self)
{
  return g_strdup (gtk_label_get_text (GTK_LABEL (self->slice_label)));
}

static gboolean
play_next (StudioAtomPanel *self)
{
  self->slice = self->slice + 1 < self->atom->planes ? self->slice + 1 : 0;
  show_slice (self);
  return G_SOURCE_CONTINUE;
}

/* From the slice on show to the last, and again. */
static void
on_play (StudioAtomPanel *self)
{
  gboolean play = studio_is_on (self->play_button) && self->atom != NULL;

  g_clear_handle_id (&self->play_source, g_source_remove);
  gtk_button_set_icon_name (GTK_BUTTON (self->play_button),
                            play ? "media-playback-pause-symbolic" : "media-playback-start-symbolic");
  if (!play)
    return;
  play_next (self);
  self->play_source = g_timeout_add (SLICE_MS, G_SOURCE_FUNC (play_next), self);
}

/* Without animations, a setting of the desktop, slices are chosen by hand. */
static void
allow_playing (StudioAtomPanel *self)
{
  gboolean animations;

  g_object_get (gtk_settings_get_default (), "gtk-enable-animations", &animations, NULL);
  if (!animations)
    stop_playing (self);
  gtk_widget_set_sensitive (self->play_button, animations);
  gtk_widget_set_tooltip_text (self->play_button, animations
                                                      ? _ ("Play the slices")
                                                      : _ ("Animations are turned off in the desktop's settings"));
}

static const StudioPictureFuncs strip_funcs
    = { .choose = G_CALLBACK (choose_slice), .describe = G_CALLBACK (describe_strip) };
static const StudioPictureFuncs matrix_funcs = { .describe = G_CALLBACK (describe_matrix) };
static const StudioPictureFuncs b_funcs = { .describe = G_CALLBACK (describe_b) };
static const StudioPictureFuncs eigenvalue_funcs = { .describe = G_CALLBACK (describe_eigenvalues) };

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
  if (atom != NULL)
    show_slice (self);
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
  g_autofree char *value = studio_format_real (patch->code, 2), *text = NULL;
  const char *name = tosst_dataset_image (dataset, patch->image)->name;
  gboolean framed = self->atom->set->usage->framed;
  int x = framed ? (int)lroundf (patch->frame.x) : patch->point.x;
  int y = framed ? (int)lroundf (patch->frame.y) : patch->point.y;

  self->items[i] = studio_atom_patch_item (self->atom->set, patch);
  self->bindings[i] = g_object_bind_property (self->items[i], "texture", self->pictures[i], "paintable", 0);
  studio_image_loader_request (self->loader, self->items[i], PATCH_SIDE);
  text = tosst_recipe_is_local (recipe)
             ? g_strdup_printf (_ ("%s, %s: α = %s"), name, studio_region_name (patch->point.x), value)
             : g_strdup_printf (_ ("%s at %d, %d: α = %s"), name, x, y, value);
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
      gtk_widget_set_visible (self->buttons[i], i < n);
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
  int i = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "patch"));

  if (self->atom == NULL || self->atom->set->usage == NULL)
    return;
  const TosstAtomPatch *patch = self->atom->set->usage->patches + (gsize)self->atom->number * TOSST_ATOM_PATCHES + i;
  g_signal_emit_by_name (self, "patch-chosen", patch->image, patch->point.x, patch->point.y);
}

/* A patch is as high as it is wide, in its share of a line. */

static GtkSizeRequestMode
patch_mode (GtkWidget *frame)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure_patch (GtkWidget *frame, GtkOrientation orientation, int for_size, int *minimum, int *natural,
               int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural
      = orientation == GTK_ORIENTATION_VERTICAL ? CLAMP (for_size, PATCH_SHOWN, PATCH_LARGEST) : PATCH_SHOWN;
}

static void
allocate_patch (GtkWidget *frame, int width, int height, int baseline)
{
  gboolean mirrored = gtk_widget_get_direction (frame) == GTK_TEXT_DIR_RTL;
  int side = MIN (width, height);

  gtk_widget_size_allocate (gtk_widget_get_first_child (frame),
                            &(GtkAllocation){ mirrored ? width - side : 0, (height - side) / 2, side, side }, -1);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioAtomPanel, studio_atom_panel,
                            if (self->atom != NULL) studio_atom_panel_set_atom (self, NULL),
                            (play_source, g_source_remove), (loader, g_object_unref))

static void
studio_atom_panel_class_init (StudioAtomPanelClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_FORMULA, STUDIO_TYPE_PICTURE_VIEW, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_atom_panel_dispose;
  studio_add_signal (klass, "patch-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioAtomPanel, "atom-panel", hint, slice_label, play_button, title, facts, matrix,
                       b_part, b, eigenvalues, slices_part, strip, patches, no_patches, patches_title, find_button);
  STUDIO_BIND_CALLBACKS (klass, on_play);
}

static void
studio_atom_panel_init (StudioAtomPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->loader = studio_image_loader_new ();
  self->found = -1;
  self->slice = -1;
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->strip), &strip_funcs, self);
  studio_connect (gtk_settings_get_default (), "notify::gtk-enable-animations", allow_playing, self);
  allow_playing (self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->matrix), &matrix_funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->b), &b_funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->eigenvalues), &eigenvalue_funcs, self);
  for (int i = 0; i < TOSST_ATOM_PATCHES; i++)
    {
      GtkWidget *button = gtk_button_new (), *frame = adw_bin_new ();

      self->pictures[i] = studio_thumbnail (PATCH_SHOWN);
      adw_bin_set_child (ADW_BIN (frame), self->pictures[i]);
      gtk_widget_set_layout_manager (frame, gtk_custom_layout_new (patch_mode, measure_patch, allocate_patch));
      gtk_button_set_child (GTK_BUTTON (button), frame);
      gtk_widget_set_hexpand (button, TRUE);
      studio_add_classes (button, "flat", "patch", NULL);
      g_object_set_data (G_OBJECT (button), "patch", GINT_TO_POINTER (i));
      g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
      gtk_widget_set_parent (button, self->patches);
      self->buttons[i] = button;
    }
  show_patches (self);
}

void
studio_atom_panel_set_atom (StudioAtomPanel *self, StudioAtom *atom)
{
  g_autoptr (StudioAtom) old G_GNUC_UNUSED = g_steal_pointer (&self->atom);

  self->atom = atom != NULL ? studio_atom_ref (atom) : NULL;
  if (self->play_button != NULL)
    stop_playing (self);
  self->slice = -1;
  show_pictures (self);
  show_patches (self);
  if (atom == NULL)
    return;
  studio_label_take (self->title, studio_atom_title (atom));
  studio_label_take (self->facts, studio_atom_facts (atom));
  g_autofree char *text = studio_atom_hint (self->atom);
  g_autofree char *markup = studio_symbol_markup (text);
  gtk_label_set_markup (GTK_LABEL (self->hint), markup);
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
