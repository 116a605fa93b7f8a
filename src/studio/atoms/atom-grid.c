/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-grid.h"

#include <glib/gi18n.h>

#include "studio/atoms/atom-tiles.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/format.h"

struct _StudioAtomGrid
{
  GtkWidget parent_instance;
  StudioAtoms *atoms;
  GPtrArray *textures; /* of GdkTexture, one per atom */
  int zoom;            /* of these */
  int chosen;          /* -1: none */
};

G_DEFINE_FINAL_TYPE (StudioAtomGrid, studio_atom_grid, GTK_TYPE_WIDGET)

#define NATURAL_COLUMNS 12
#define EDGE 3 /* above and below, for the frame of a chosen atom */

static StudioAtomLattice
lattice_for (StudioAtomGrid *self, int width)
{
  return studio_atom_lattice (self->atoms != NULL ? self->atoms->d : 0, self->atoms != NULL ? self->atoms->n : 0, width,
                              STUDIO_ATOM_LATTICE_CELL);
}

/* In the size that the grid has, which is larger than it asked for where there is room. */
static StudioAtomLattice
lattice_of (StudioAtomGrid *self)
{
  return studio_atom_lattice_filling (
      self->atoms != NULL ? self->atoms->d : 0, self->atoms != NULL ? self->atoms->n : 0,
      gtk_widget_get_width (GTK_WIDGET (self)), gtk_widget_get_height (GTK_WIDGET (self)) - 2 * EDGE,
      STUDIO_ATOM_LATTICE_CELL, 3 * STUDIO_ATOM_LATTICE_CELL);
}

static void
make_textures (StudioAtomGrid *self)
{
  int n = self->atoms != NULL ? self->atoms->n : 0, d = n > 0 ? self->atoms->d : 0;

  self->zoom = lattice_of (self).zoom;
  g_ptr_array_set_size (self->textures, 0);
  for (int i = 0; i < n; i++)
    g_ptr_array_add (self->textures, studio_matrix_texture (GTK_WIDGET (self), self->atoms->display + (gsize)i * d * d,
                                                            d, d, self->zoom));
}

static void
studio_atom_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  StudioAtomLattice lattice = lattice_of (self);

  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (0, EDGE));
  for (guint i = 0; i < self->textures->len; i++)
    {
      int x, y;

      studio_atom_lattice_place (&lattice, i, &x, &y);
      gtk_snapshot_append_texture (snapshot, self->textures->pdata[i],
                                   &GRAPHENE_RECT_INIT (x, y, lattice.size, lattice.size));
      studio_atom_lattice_frame (&lattice, widget, snapshot, x, y, (int)i == self->chosen);
    }
}

static void
studio_atom_grid_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  int n = self->atoms != NULL ? self->atoms->n : 0;
  StudioAtomLattice lattice = lattice_for (self, MAX (0, for_size));
  int natural_width = NATURAL_COLUMNS * (lattice.size + STUDIO_ATOM_LATTICE_GAP);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = lattice.size;
      *natural = natural_width;
      return;
    }
  if (for_size < 0)
    lattice = lattice_for (self, natural_width);
  *minimum = *natural = studio_atom_lattice_height (&lattice, n) + 2 * EDGE;
}

static void
studio_atom_grid_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);

  if (lattice_of (self).zoom != self->zoom)
    make_textures (self);
}

static char *
describe_atom (StudioAtomGrid *self, int i)
{
  g_autofree char *share = studio_format_percent (100 * self->atoms->share[i], 1);

  return g_strdup_printf (_ ("Atom %d of %d: %s of all use"), self->atoms->index[i] + 1, self->atoms->K, share);
}

static int
atom_at (StudioAtomGrid *self, double x, double y)
{
  StudioAtomLattice lattice = lattice_of (self);

  return self->atoms != NULL ? studio_atom_lattice_at (&lattice, self->atoms->n, x, y - EDGE) : -1;
}

static gboolean
studio_atom_grid_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  StudioAtomLattice lattice = lattice_of (self);
  int i = keyboard ? self->chosen : atom_at (self, x, y), cx, cy;

  if (i < 0)
    return FALSE;
  g_autofree char *text = describe_atom (self, i);
  studio_atom_lattice_place (&lattice, i, &cx, &cy);
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle){ cx, cy + EDGE, lattice.size, lattice.size });
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
choose (StudioAtomGrid *self, int i)
{
  g_autofree char *text = NULL;

  self->chosen = i;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (i >= 0)
    {
      text = describe_atom (self, i);
      studio_set_description (self, text);
    }
  g_signal_emit_by_name (self, "chosen");
}

char *
studio_atom_grid_describe_chosen (StudioAtomGrid *self)
{
  return self->chosen >= 0 ? describe_atom (self, self->chosen) : NULL;
}

/* Scrolls the chosen atom into view. The viewport itself would scroll to the end of the grid, which has the focus. */
static void
show_chosen (StudioAtomGrid *self)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_VIEWPORT);
  StudioAtomLattice lattice = lattice_of (self);
  int x, y;
  double left, top;

  if (viewport == NULL)
    return;
  studio_atom_lattice_place (&lattice, self->chosen, &x, &y);
  if (!gtk_widget_translate_coordinates (GTK_WIDGET (self), viewport, x, y, &left, &top))
    return;
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport));
  top += gtk_adjustment_get_value (adjustment);
  gtk_adjustment_clamp_page (adjustment, top, top + lattice.size + 2 * EDGE);
}

static void
activate (StudioAtomGrid *self)
{
  if (self->chosen >= 0)
    g_signal_emit_by_name (self, "atom-activated", self->atoms->index[self->chosen]);
}

static void
open_chosen (StudioAtomGrid *self)
{
  if (self->chosen >= 0)
    g_signal_emit_by_name (self, "atom-opened", self->atoms->index[self->chosen]);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioAtomGrid *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  choose (self, atom_at (self, x, y));
  activate (self);
  if (n_press == 2)
    open_chosen (self);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioAtomGrid *self)
{
  int columns = lattice_of (self).columns;
  int step = key == GDK_KEY_Left    ? -1
             : key == GDK_KEY_Right ? 1
             : key == GDK_KEY_Up    ? -columns
             : key == GDK_KEY_Down  ? columns
                                    : 0;

  if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space)
    {
      activate (self);
      if (key != GDK_KEY_space)
        open_chosen (self);
      return TRUE;
    }
  if (step == 0 || self->atoms == NULL || self->atoms->n == 0)
    return FALSE;
  choose (self, self->chosen < 0 ? 0 : CLAMP (self->chosen + step, 0, self->atoms->n - 1));
  show_chosen (self);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  return TRUE;
}

static void
refresh (GtkWidget *widget)
{
  make_textures (STUDIO_ATOM_GRID (widget));
  gtk_widget_queue_draw (widget);
}

STUDIO_DEFINE_FINALIZE (StudioAtomGrid, studio_atom_grid, (atoms, studio_atoms_unref), (textures, g_ptr_array_unref))

static void
studio_atom_grid_class_init (StudioAtomGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = studio_atom_grid_finalize;
  studio_add_signal (klass, "atom-activated", 1, G_TYPE_INT);
  studio_add_signal (klass, "atom-opened", 1, G_TYPE_INT);
  studio_add_signal (klass, "chosen", 0);
  widget_class->snapshot = studio_atom_grid_snapshot;
  widget_class->measure = studio_atom_grid_measure;
  widget_class->get_request_mode = studio_height_for_width;
  widget_class->size_allocate = studio_atom_grid_size_allocate;
  widget_class->query_tooltip = studio_atom_grid_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "atomgrid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_atom_grid_init (StudioAtomGrid *self)
{
  self->chosen = -1;
  self->textures = g_ptr_array_new_with_free_func (g_object_unref);
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  studio_watch_style (GTK_WIDGET (self), refresh);
}

/* Index of an atom by its number in the dictionary; -1: not shown. */
static int
index_of (const StudioAtoms *atoms, int atom)
{
  int i = atoms != NULL ? atoms->n - 1 : -1;

  while (i >= 0 && (atom < 0 || atoms->index[i] != atom))
    i--;
  return i;
}

void
studio_atom_grid_set_atoms (StudioAtomGrid *self, StudioAtoms *atoms)
{
  gboolean resize = atoms == NULL || self->atoms == NULL || atoms->n != self->atoms->n || atoms->d != self->atoms->d;
  int chosen = self->chosen >= 0 ? self->atoms->index[self->chosen] : -1;

  if (atoms != NULL)
    studio_atoms_ref (atoms);
  g_clear_pointer (&self->atoms, studio_atoms_unref);
  self->atoms = atoms;
  self->chosen = index_of (atoms, chosen); /* the order changes with use */
  make_textures (self);
  if (resize)
    gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_atom_grid_choose (StudioAtomGrid *self, int atom)
{
  choose (self, index_of (self->atoms, atom));
}
