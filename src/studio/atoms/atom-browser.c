/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-browser.h"

#include <glib/gi18n.h>

#include "studio/atoms/atom-tiles.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/format.h"

#define MARGIN 18           /* at the left and the right */
#define TOP 8               /* above and below all of them */
#define FRAME_US (8 * 1000) /* time for new ones in a frame; the rest follows in the next */

enum
{
  PROP_HADJUSTMENT = 1,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

G_DEFINE_FINAL_TYPE_WITH_CODE (StudioAtomBrowser, studio_atom_browser, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

/* Places. */

static int
count (StudioAtomBrowser *self)
{
  return self->atoms != NULL ? self->atoms->dictionary->K : 0;
}

static int
side_of (StudioAtomBrowser *self)
{
  return self->atoms != NULL ? MAX (self->atoms->dictionary->shape.d1, self->atoms->dictionary->shape.d2) : 0;
}

/* Few tiles are up to twice as large as requested where all of them still have room. */
static StudioAtomLattice
lattice_of (StudioAtomBrowser *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  return studio_atom_lattice_filling (side_of (self), count (self), gtk_widget_get_width (widget) - 2 * MARGIN,
                                      gtk_widget_get_height (widget) - 2 * TOP, self->cell, 2 * self->cell);
}

static double
scrolled (StudioAtomBrowser *self)
{
  return self->adjustment[GTK_ORIENTATION_VERTICAL] != NULL
             ? gtk_adjustment_get_value (self->adjustment[GTK_ORIENTATION_VERTICAL])
             : 0;
}

/* Position of an atom in the visible area. */
static void
place (StudioAtomBrowser *self, const StudioAtomLattice *lattice, int position, int *x, int *y)
{
  studio_atom_lattice_place (lattice, position, x, y);
  *x += MARGIN;
  *y += TOP - (int)scrolled (self);
}

static int
position_at (StudioAtomBrowser *self, double x, double y)
{
  StudioAtomLattice lattice = lattice_of (self);

  return studio_atom_lattice_at (&lattice, count (self), x - MARGIN, y + (int)scrolled (self) - TOP);
}

/* Thumbnails. */

/* Deferred, as a request made while drawing would be lost. */
static gboolean
draw_rest (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

static void
studio_atom_browser_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (widget);
  StudioAtomLattice lattice = lattice_of (self);
  int n = lattice.columns;
  int first = MAX (0, ((int)scrolled (self) - TOP) / lattice.line) * n;
  int last = MIN (count (self), ((int)scrolled (self) + gtk_widget_get_height (widget)) / lattice.line * n + n);
  gint64 start = g_get_monotonic_time ();
  gboolean late = FALSE;

  for (int i = first; i < last; i++)
    {
      int x, y;

      late = late || g_get_monotonic_time () - start > FRAME_US;
      GdkTexture *texture = studio_atom_tiles_get (self->tiles, self->sorted[i], lattice.zoom, !late);
      place (self, &lattice, i, &x, &y);
      if (texture != NULL)
        {
          int size = lattice.size, w = gdk_texture_get_width (texture), h = gdk_texture_get_height (texture);
          double zoom = MIN ((double)size / w, (double)size / h);

          gtk_snapshot_append_texture (
              snapshot, texture,
              &GRAPHENE_RECT_INIT (x + (size - w * zoom) / 2, y + (size - h * zoom) / 2, w * zoom, h * zoom));
        }
      studio_atom_lattice_frame (&lattice, widget, snapshot, x, y, self->sorted[i] == self->chosen);
    }
  if (late)
    gtk_widget_add_tick_callback (widget, draw_rest, NULL, NULL);
}

/* Scrolling. */

static void
configure (StudioAtomBrowser *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  GtkAdjustment *across = self->adjustment[GTK_ORIENTATION_HORIZONTAL];
  GtkAdjustment *down = self->adjustment[GTK_ORIENTATION_VERTICAL];
  StudioAtomLattice lattice = lattice_of (self);
  int line = lattice.line, all = MAX (studio_atom_lattice_height (&lattice, count (self)) + 2 * TOP, height);

  if (across != NULL)
    gtk_adjustment_configure (across, 0, 0, width, 1, width, width);
  if (down != NULL)
    gtk_adjustment_configure (down, CLAMP (gtk_adjustment_get_value (down), 0, all - height), 0, all, line,
                              MAX (line, height - line), height);
}

static void
studio_atom_browser_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  configure (STUDIO_ATOM_BROWSER (widget));
}

static void
studio_atom_browser_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                             int *minimum_baseline, int *natural_baseline)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (widget);
  int size = studio_atom_lattice (side_of (self), count (self), 0, self->cell).size + STUDIO_ATOM_LATTICE_GAP;

  *minimum = size + 2 * MARGIN;
  *natural = 6 * size + 2 * MARGIN;
}

static void
set_adjustment (StudioAtomBrowser *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  if (self->adjustment[orientation] != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustment[orientation], self);
  g_clear_object (&self->adjustment[orientation]);
  if (adjustment == NULL)
    return;
  self->adjustment[orientation] = g_object_ref_sink (adjustment);
  g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  configure (self);
}

static void
studio_atom_browser_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    set_adjustment (self, id - PROP_HADJUSTMENT, g_value_get_object (value));
  else if (id == PROP_HSCROLL_POLICY || id == PROP_VSCROLL_POLICY)
    self->policy[id - PROP_HSCROLL_POLICY] = g_value_get_enum (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_atom_browser_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_value_set_object (value, self->adjustment[id - PROP_HADJUSTMENT]);
  else if (id == PROP_HSCROLL_POLICY || id == PROP_VSCROLL_POLICY)
    g_value_set_enum (value, self->policy[id - PROP_HSCROLL_POLICY]);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Words. */

static char *
describe_atom (StudioAtomBrowser *self, int atom)
{
  g_autofree char *number = studio_format_count (atom + 1), *all = studio_format_count (count (self)), *text = NULL;

  if (self->order == STUDIO_ORDER_ENERGY || (self->order == STUDIO_ORDER_NUMBER && self->atoms->usage == NULL))
    {
      text = studio_format_real (self->atoms->energy[atom], 2);
      return g_strdup_printf (_ ("Atom %s of %s: energy %s"), number, all, text);
    }
  if (self->order == STUDIO_ORDER_CLASS)
    {
      double share;
      int most = tosst_atom_usage_class (self->atoms->usage, atom, &share);

      text = studio_format_percent (100 * share, 0);
      if (most >= 0)
        return g_strdup_printf (_ ("Atom %s of %s: %s of its use by %s"), number, all, text,
                                tosst_dataset_class_label (self->atoms->dataset, most));
      return g_strdup_printf (_ ("Atom %s of %s: not used"), number, all);
    }
  if (self->order == STUDIO_ORDER_RANK)
    return g_strdup_printf (_ ("Atom %s of %s: rank %d"), number, all, self->atoms->ranks[atom]);
  text = studio_format_percent (self->total > 0 ? 100 * self->atoms->usage->use[atom] / self->total : 0, 1);
  return g_strdup_printf (_ ("Atom %s of %s: %s of all use"), number, all, text);
}

static gboolean
studio_atom_browser_query_tooltip (GtkWidget *widget, int px, int py, gboolean keyboard, GtkTooltip *tooltip)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (widget);
  int position = keyboard ? (self->chosen >= 0 ? self->position[self->chosen] : -1) : position_at (self, px, py);
  StudioAtomLattice lattice = lattice_of (self);
  int x, y;

  if (position < 0)
    return FALSE;
  g_autofree char *text = describe_atom (self, self->sorted[position]);
  place (self, &lattice, position, &x, &y);
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle){ x, y, lattice.size, lattice.size });
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* Choosing. */

static void
scroll_to (StudioAtomBrowser *self, int position)
{
  GtkAdjustment *down = self->adjustment[GTK_ORIENTATION_VERTICAL];
  StudioAtomLattice lattice = lattice_of (self);
  double top = position / lattice.columns * lattice.line;

  if (down != NULL)
    gtk_adjustment_clamp_page (down, top, top + lattice.size + 2 * TOP);
}

void
studio_atom_browser_choose (StudioAtomBrowser *self, int atom)
{
  if (atom < 0 || atom >= count (self))
    return;
  self->chosen = atom;
  scroll_to (self, self->position[atom]);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_autofree char *text = describe_atom (self, atom);
  studio_set_description (self, text);
}

static void
choose_position (StudioAtomBrowser *self, int position)
{
  int atom = self->sorted[CLAMP (position, 0, count (self) - 1)];

  if (atom == self->chosen)
    return;
  studio_atom_browser_choose (self, atom);
  g_signal_emit_by_name (self, "chosen", atom);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioAtomBrowser *self)
{
  int position = position_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (position < 0)
    return;
  choose_position (self, position);
  g_signal_emit_by_name (self, "activated", self->chosen);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioAtomBrowser *self)
{
  StudioAtomLattice lattice = lattice_of (self);
  int n = lattice.columns, now = self->chosen >= 0 ? self->position[self->chosen] : -1;
  int page = MAX (1, gtk_widget_get_height (GTK_WIDGET (self)) / lattice.line) * n;
  int step = key == GDK_KEY_Left        ? -1
             : key == GDK_KEY_Right     ? 1
             : key == GDK_KEY_Up        ? -n
             : key == GDK_KEY_Down      ? n
             : key == GDK_KEY_Page_Up   ? -page
             : key == GDK_KEY_Page_Down ? page
             : key == GDK_KEY_Home      ? -count (self)
             : key == GDK_KEY_End       ? count (self)
                                        : 0;

  if ((key == GDK_KEY_Return || key == GDK_KEY_KP_Enter) && self->chosen >= 0)
    {
      g_signal_emit_by_name (self, "activated", self->chosen);
      return TRUE;
    }
  if (step == 0 || count (self) == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  choose_position (self, now < 0 ? 0 : now + step);
  return TRUE;
}

static void
refresh (GtkWidget *widget)
{
  studio_atom_tiles_clear (STUDIO_ATOM_BROWSER (widget)->tiles);
  gtk_widget_queue_draw (widget);
}

static void
studio_atom_browser_dispose (GObject *object)
{
  StudioAtomBrowser *self = STUDIO_ATOM_BROWSER (object);

  set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, NULL);
  set_adjustment (self, GTK_ORIENTATION_VERTICAL, NULL);
  G_OBJECT_CLASS (studio_atom_browser_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE (StudioAtomBrowser, studio_atom_browser, (atoms, studio_atom_set_unref), (sorted, g_free),
                        (position, g_free), (tiles, studio_atom_tiles_free))

static void
studio_atom_browser_class_init (StudioAtomBrowserClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = studio_atom_browser_dispose;
  object_class->finalize = studio_atom_browser_finalize;
  object_class->set_property = studio_atom_browser_set_property;
  object_class->get_property = studio_atom_browser_get_property;
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  widget_class->snapshot = studio_atom_browser_snapshot;
  widget_class->measure = studio_atom_browser_measure;
  widget_class->size_allocate = studio_atom_browser_size_allocate;
  widget_class->query_tooltip = studio_atom_browser_query_tooltip;
  studio_add_signal (klass, "chosen", 1, G_TYPE_INT);
  studio_add_signal (klass, "activated", 1, G_TYPE_INT);
  gtk_widget_class_set_css_name (widget_class, "atombrowser");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_atom_browser_init (StudioAtomBrowser *self)
{
  self->chosen = -1;
  self->tiles = studio_atom_tiles_new (GTK_WIDGET (self));
  self->cell = STUDIO_ATOM_LATTICE_CELL;
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  studio_watch_style (GTK_WIDGET (self), refresh);
}

static void
sort (StudioAtomBrowser *self)
{
  g_clear_pointer (&self->sorted, g_free);
  g_clear_pointer (&self->position, g_free);
  if (self->atoms == NULL)
    return;
  self->sorted = studio_atom_set_sorted (self->atoms, self->order);
  self->position = g_new (int, count (self));
  for (int i = 0; i < count (self); i++)
    self->position[self->sorted[i]] = i;
}

void
studio_atom_browser_set_atoms (StudioAtomBrowser *self, StudioAtomSet *atoms)
{
  if (atoms != NULL)
    studio_atom_set_ref (atoms);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  studio_atom_tiles_set_atoms (self->tiles, atoms);
  self->atoms = atoms;
  self->chosen = -1;
  self->total = 0;
  for (int k = 0; atoms != NULL && atoms->usage != NULL && k < count (self); k++)
    self->total += atoms->usage->use[k];
  if (atoms != NULL && !studio_atom_set_knows (atoms, self->order))
    self->order = STUDIO_ORDER_ENERGY;
  sort (self);
  if (self->adjustment[GTK_ORIENTATION_VERTICAL] != NULL)
    gtk_adjustment_set_value (self->adjustment[GTK_ORIENTATION_VERTICAL], 0);
  configure (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_atom_browser_set_order (StudioAtomBrowser *self, StudioAtomOrder order)
{
  if (self->order == order)
    return;
  self->order = order;
  sort (self);
  if (self->chosen >= 0)
    studio_atom_browser_choose (self, self->chosen); /* keeps it visible */
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_atom_browser_set_tiles (StudioAtomBrowser *self, gboolean patches, int cell, double contrast)
{
  self->cell = cell;
  studio_atom_tiles_set_patches (self->tiles, patches);
  studio_atom_tiles_set_contrast (self->tiles, contrast);
  configure (self);
  if (self->chosen >= 0)
    scroll_to (self, self->position[self->chosen]);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
