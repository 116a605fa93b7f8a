/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-grid.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/format.h"

G_DEFINE_FINAL_TYPE (StudioAtomGrid, studio_atom_grid, GTK_TYPE_WIDGET)

#define CELL 56 /* requested side of a tile, before rounding to whole pixels per entry */
#define GAP 6   /* minimum distance between tiles */
#define EDGE 3  /* above and below, for the frame of a chosen atom */
#define NATURAL_COLUMNS 6
#define MOST_CONTRAST 4.0
#define KEPT 4000      /* matrices; of 56 x 56 pixels each these take 50 MB */
#define PATCH_SIDE 128 /* maximum size of a patch, pixels */
#define KEPT_PATCHES 600
#define FRAME_US (8 * 1000) /* time for new ones in a frame; the rest follows in the next */

/* Places. */

/* Squares of one size in lines that are justified to the width. */
typedef struct
{
  int zoom;      /* logical pixels per matrix entry, whole, so that entries stay sharp squares */
  int size;      /* side of a square, logical pixels */
  int columns;   /* at least 1 */
  int line;      /* from the top of one line to that of the next */
  double stride; /* from one square to the next in a line; the rest of a line is distributed between them */
} Lattice;

static Lattice
lattice_for (StudioAtomGrid *self, int width, int cell)
{
  Lattice lattice = { .zoom = 1, .size = cell };

  if (self->side > 0)
    {
      lattice.zoom = MAX (1, (cell + self->side / 2) / self->side);
      lattice.size = MIN (self->side * lattice.zoom, 2 * cell); /* larger matrices are scaled down */
    }
  lattice.columns = MAX (1, (width + GAP) / (lattice.size + GAP));
  lattice.stride = lattice.size + GAP;
  if (lattice.columns > 1 && self->n >= lattice.columns) /* fewer are not justified */
    lattice.stride = (double)(width - lattice.size) / (lattice.columns - 1);
  lattice.line = MIN ((int)lattice.stride, lattice.size + 2 * GAP);
  return lattice;
}

static int
height_of (StudioAtomGrid *self, const Lattice *lattice)
{
  int lines = (self->n + lattice->columns - 1) / lattice->columns;

  return MAX (0, lines * lattice->line - (lattice->line - lattice->size)) + 2 * EDGE;
}

/* In the size that the grid has: a few tiles are larger than requested where all of them still have room. */
static Lattice
lattice_of (StudioAtomGrid *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  int largest = (self->set != NULL ? 2 : 3) * self->cell;
  Lattice lattice = lattice_for (self, width, self->cell), larger;

  while (self->n > 0 && (lattice.zoom + 1) * self->side <= largest)
    {
      larger = lattice_for (self, width, (lattice.zoom + 1) * self->side);
      if (larger.size > width || height_of (self, &larger) > height)
        break;
      lattice = larger;
    }
  return lattice;
}

static GdkRectangle
place (const Lattice *lattice, int position)
{
  return (GdkRectangle){ (int)(position % lattice->columns * lattice->stride),
                         EDGE + position / lattice->columns * lattice->line, lattice->size, lattice->size };
}

static int
position_at (StudioAtomGrid *self, double x, double y)
{
  Lattice lattice = lattice_of (self);
  int column = (int)floor (x / lattice.stride), line = (int)floor ((y - EDGE) / lattice.line);
  int position = line * lattice.columns + column;
  GdkRectangle tile = place (&lattice, position);

  return x >= 0 && y >= EDGE && column < lattice.columns && position < self->n && x < tile.x + tile.width
                 && y < tile.y + tile.height
             ? position
             : -1;
}

/* Position of an atom by its number in the dictionary; -1: not shown. */
static int
position_of (StudioAtomGrid *self, int atom)
{
  int position = self->n - 1;

  while (position >= 0 && (atom < 0 || self->sorted[position] != atom))
    position--;
  return position;
}

static GtkWidget *
viewport_of (gpointer self)
{
  return gtk_widget_get_ancestor (self, GTK_TYPE_VIEWPORT);
}

/* The part of its height that is visible. */
static void
find_visible (StudioAtomGrid *self, int *top, int *bottom)
{
  GtkWidget *viewport = viewport_of (self);
  double x, y;

  *top = 0;
  *bottom = gtk_widget_get_height (GTK_WIDGET (self));
  if (viewport == NULL || !gtk_widget_translate_coordinates (viewport, GTK_WIDGET (self), 0, 0, &x, &y))
    return;
  *top = MAX (*top, (int)y);
  *bottom = MIN (*bottom, (int)y + gtk_widget_get_height (viewport));
}

/* Tiles, made when they are first seen: matrices, or the patches that use them most (matrices where there is none). */

static void
drop_items (StudioAtomGrid *self)
{
  GHashTableIter iter;
  gpointer item;

  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    {
      g_signal_handlers_disconnect_by_data (item, self);
      studio_image_loader_cancel (self->loader, item);
    }
  g_hash_table_remove_all (self->items);
}

StudioImageItem *
studio_atom_patch_item (StudioAtomSet *atoms, const TosstAtomPatch *patch)
{
  int x = patch->point.x, y = patch->point.y, width = atoms->recipe->descriptor.patch, height = width;

  if (atoms->usage->framed)
    return studio_image_item_new_patch (atoms->dataset, patch->image, &patch->frame, width,
                                        atoms->recipe->descriptor.photometric);
  if (tosst_recipe_is_local (atoms->recipe))
    studio_region_place (patch->point.x, tosst_dataset_image (atoms->dataset, patch->image), &x, &y, &width, &height);
  return studio_image_item_new_part (atoms->dataset, patch->image, x, y, width, height);
}

static gboolean
has_patch (StudioAtomGrid *self, int atom)
{
  const TosstAtomUsage *usage = self->set != NULL ? self->set->usage : NULL;

  return self->patches && usage != NULL && self->set->recipe != NULL && usage->n_patches[atom] > 0;
}

static GdkTexture *
patch_of (StudioAtomGrid *self, int atom)
{
  StudioImageItem *item = g_hash_table_lookup (self->items, GINT_TO_POINTER (atom));

  if (item == NULL)
    {
      if (g_hash_table_size (self->items) > KEPT_PATCHES)
        drop_items (self);
      item = studio_atom_patch_item (self->set, self->set->usage->patches + (gsize)atom * TOSST_ATOM_PATCHES);
      g_hash_table_insert (self->items, GINT_TO_POINTER (atom), item);
      g_signal_connect_swapped (item, "notify::texture", G_CALLBACK (gtk_widget_queue_draw), self);
      studio_image_loader_request (self->loader, item, PATCH_SIDE);
    }
  return item->texture;
}

/* Entries above the largest one have its colour. */
static void
raise_contrast (double *matrix, gsize n, double contrast)
{
  double most = 0;

  for (gsize i = 0; i < n; i++)
    most = isfinite (matrix[i]) ? MAX (most, fabs (matrix[i])) : most;
  for (gsize i = 0; i < n; i++)
    matrix[i] = isfinite (matrix[i]) ? CLAMP (contrast * matrix[i], -most, most) : matrix[i];
}

/* make FALSE: only a tile that is there. NULL: not yet. */
static GdkTexture *
tile_at (StudioAtomGrid *self, int position, gboolean make)
{
  int atom = self->sorted[position];

  if (has_patch (self, atom))
    return patch_of (self, atom);
  GdkTexture *texture = g_hash_table_lookup (self->textures, GINT_TO_POINTER (atom));
  if (texture != NULL || !make)
    return texture;
  if (g_hash_table_size (self->textures) > KEPT)
    g_hash_table_remove_all (self->textures);
  TosstShape shape
      = self->set != NULL ? self->set->dictionary->shape : (TosstShape){ .d1 = self->side, .d2 = self->side };
  gsize size = (gsize)shape.d1 * shape.d2;
  g_autofree double *matrix = g_new (double, size);
  if (self->set != NULL)
    tosst_dictionary_matrix (self->set->dictionary, atom, matrix);
  else
    memcpy (matrix, self->some->display + position * size, size * sizeof *matrix);
  if (self->contrast > 1)
    raise_contrast (matrix, size, self->contrast);
  texture = studio_matrix_texture (GTK_WIDGET (self), matrix, shape.d1, shape.d2, self->zoom);
  g_hash_table_insert (self->textures, GINT_TO_POINTER (atom), texture);
  return texture;
}

/* Deferred, as a request made while drawing would be lost. */
static gboolean
draw_rest (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

/* A hairline around a tile, so that pale matrices have edges too, or a wide frame around the chosen one. */
static void
draw_frame (GtkWidget *widget, GtkSnapshot *snapshot, const GdkRectangle *tile, gboolean chosen)
{
  float away = chosen ? 3 : 1, thick = chosen ? 2 : 1;
  GskRoundedRect outline;
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  if (!chosen)
    color.alpha *= 0.25f;
  gsk_rounded_rect_init_from_rect (
      &outline, &GRAPHENE_RECT_INIT (tile->x - away, tile->y - away, tile->width + 2 * away, tile->height + 2 * away),
      away + 1);
  gtk_snapshot_append_border (snapshot, &outline, (float[4]){ thick, thick, thick, thick },
                              (GdkRGBA[4]){ color, color, color, color });
}

static void
studio_atom_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  Lattice lattice = lattice_of (self);
  gint64 start = g_get_monotonic_time ();
  gboolean late = FALSE;
  int top, bottom;

  if (lattice.zoom != self->zoom)
    g_hash_table_remove_all (self->textures);
  self->zoom = lattice.zoom;
  find_visible (self, &top, &bottom);
  int first = MAX (0, top - EDGE) / lattice.line * lattice.columns;
  int end = MIN (self->n, (bottom / lattice.line + 1) * lattice.columns);
  for (int i = first; i < end; i++)
    {
      GdkRectangle tile = place (&lattice, i);

      late = late || (self->set != NULL && g_get_monotonic_time () - start > FRAME_US);
      GdkTexture *texture = tile_at (self, i, !late);
      if (texture != NULL)
        {
          int w = gdk_texture_get_width (texture), h = gdk_texture_get_height (texture);
          double scale = MIN ((double)lattice.size / w, (double)lattice.size / h);

          gtk_snapshot_append_texture (snapshot, texture,
                                       &GRAPHENE_RECT_INIT (tile.x + (lattice.size - w * scale) / 2,
                                                            tile.y + (lattice.size - h * scale) / 2, w * scale,
                                                            h * scale));
        }
      draw_frame (widget, snapshot, &tile, self->sorted[i] == self->chosen);
    }
  if (late)
    gtk_widget_add_tick_callback (widget, draw_rest, NULL, NULL);
}

/* Size and scrolling. */

static void
studio_atom_grid_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  Lattice lattice = lattice_for (self, MAX (0, for_size), self->cell);
  int natural_width = NATURAL_COLUMNS * (lattice.size + GAP);

  *minimum = lattice.size;
  *natural = natural_width;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  if (for_size < 0)
    lattice = lattice_for (self, natural_width, self->cell);
  *minimum = *natural = height_of (self, &lattice);
}

/* Scrolls the chosen atom into view. The viewport itself would scroll to the end of the grid, which has the focus. */
static void
show_chosen (StudioAtomGrid *self)
{
  int position = position_of (self, self->chosen);
  Lattice lattice = lattice_of (self);
  GdkRectangle tile = place (&lattice, MAX (0, position));
  GtkWidget *viewport = viewport_of (self);
  double x, y;

  if (position >= 0 && self->scroll != NULL && viewport != NULL
      && gtk_widget_translate_coordinates (GTK_WIDGET (self), gtk_widget_get_first_child (viewport), 0, tile.y - EDGE,
                                           &x, &y))
    gtk_adjustment_clamp_page (self->scroll, y, y + tile.height + 2 * EDGE);
}

/* An adjustment must not change while sizes are set. */
static void
studio_atom_grid_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);

  if (!self->settled)
    studio_later (&self->later, 0, show_chosen, self);
  self->settled = TRUE;
}

static void
studio_atom_grid_map (GtkWidget *widget)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  GtkWidget *viewport = viewport_of (self);

  GTK_WIDGET_CLASS (studio_atom_grid_parent_class)->map (widget);
  if (viewport == NULL || self->scroll != NULL)
    return;
  self->scroll = g_object_ref (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport)));
  studio_connect (self->scroll, "value-changed", gtk_widget_queue_draw, self);
  if (viewport == gtk_widget_get_parent (widget))
    gtk_viewport_set_scroll_to_focus (GTK_VIEWPORT (viewport), FALSE);
}

/* Words. */

static char *
describe_atom (StudioAtomGrid *self, int position)
{
  int atom = self->sorted[position];
  g_autofree char *number = studio_format_count (atom + 1), *all = studio_format_count (self->K), *text = NULL;

  if (self->some != NULL)
    text = studio_format_percent (100 * self->some->share[position], 1);
  else if (self->order == STUDIO_ORDER_ENERGY || (self->order == STUDIO_ORDER_NUMBER && self->set->usage == NULL))
    {
      text = studio_format_real (self->set->energy[atom], 2);
      return g_strdup_printf (_ ("Atom %s of %s: energy %s"), number, all, text);
    }
  else if (self->order == STUDIO_ORDER_CLASS)
    {
      double share;
      int most = tosst_atom_usage_class (self->set->usage, atom, &share);

      text = studio_format_percent (100 * share, 0);
      if (most >= 0)
        return g_strdup_printf (_ ("Atom %s of %s: %s of its use by %s"), number, all, text,
                                tosst_dataset_class_label (self->set->dataset, most));
      return g_strdup_printf (_ ("Atom %s of %s: not used"), number, all);
    }
  else if (self->order == STUDIO_ORDER_RANK)
    return g_strdup_printf (_ ("Atom %s of %s: rank %d"), number, all, self->set->ranks[atom]);
  else
    text = studio_format_percent (100 * studio_atom_set_share (self->set, atom), 1);
  return g_strdup_printf (_ ("Atom %s of %s: %s of all use"), number, all, text);
}

char *
studio_atom_grid_describe_chosen (StudioAtomGrid *self)
{
  int position = position_of (self, self->chosen);

  return position >= 0 ? describe_atom (self, position) : NULL;
}

static gboolean
studio_atom_grid_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  StudioAtomGrid *self = STUDIO_ATOM_GRID (widget);
  int position = keyboard ? position_of (self, self->chosen) : position_at (self, x, y);
  Lattice lattice = lattice_of (self);
  GdkRectangle tile = place (&lattice, MAX (0, position));

  if (position < 0)
    return FALSE;
  g_autofree char *text = describe_atom (self, position);
  gtk_tooltip_set_tip_area (tooltip, &tile);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* Choosing. */

void
studio_atom_grid_choose (StudioAtomGrid *self, int atom)
{
  self->chosen = position_of (self, atom) >= 0 ? atom : -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_autofree char *text = studio_atom_grid_describe_chosen (self);
  if (text == NULL)
    return;
  studio_set_description (self, text);
  show_chosen (self);
}

static void
choose (StudioAtomGrid *self, int atom)
{
  if (atom == self->chosen)
    return;
  studio_atom_grid_choose (self, atom);
  g_signal_emit_by_name (self, "chosen", atom);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, StudioAtomGrid *self)
{
  int position = position_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (position >= 0 || self->set == NULL)
    choose (self, position >= 0 ? self->sorted[position] : -1);
  if (position < 0)
    return;
  g_signal_emit_by_name (self, "activated", self->chosen);
  if (n_press == 2)
    g_signal_emit_by_name (self, "opened", self->chosen);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioAtomGrid *self)
{
  Lattice lattice = lattice_of (self);
  gboolean opens = key == GDK_KEY_Return || key == GDK_KEY_KP_Enter;
  int n = lattice.columns, now = position_of (self, self->chosen), top, bottom;

  find_visible (self, &top, &bottom);
  int page = MAX (1, (bottom - top) / lattice.line) * n;
  int step = key == GDK_KEY_Left        ? -1
             : key == GDK_KEY_Right     ? 1
             : key == GDK_KEY_Up        ? -n
             : key == GDK_KEY_Down      ? n
             : key == GDK_KEY_Page_Up   ? -page
             : key == GDK_KEY_Page_Down ? page
             : key == GDK_KEY_Home      ? -self->n
             : key == GDK_KEY_End       ? self->n
                                        : 0;

  if (opens || key == GDK_KEY_space)
    {
      if (now >= 0)
        g_signal_emit_by_name (self, "activated", self->chosen);
      if (now >= 0 && opens)
        g_signal_emit_by_name (self, "opened", self->chosen);
      return TRUE;
    }
  if (step == 0 || self->n == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  choose (self, self->sorted[now < 0 ? 0 : CLAMP (now + step, 0, self->n - 1)]);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  return TRUE;
}

static void
refresh (GtkWidget *widget)
{
  g_hash_table_remove_all (STUDIO_ATOM_GRID (widget)->textures);
  gtk_widget_queue_draw (widget);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioAtomGrid, studio_atom_grid, drop_items (self), (later, g_source_remove))

STUDIO_DEFINE_FINALIZE (StudioAtomGrid, studio_atom_grid, (set, studio_atom_set_unref), (some, studio_atoms_unref),
                        (sorted, g_free), (textures, g_hash_table_unref), (items, g_hash_table_unref),
                        (loader, g_object_unref), (scroll, g_object_unref))

static void
studio_atom_grid_class_init (StudioAtomGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = studio_atom_grid_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_atom_grid_finalize;
  studio_add_signal (klass, "chosen", 1, G_TYPE_INT);
  studio_add_signal (klass, "activated", 1, G_TYPE_INT);
  studio_add_signal (klass, "opened", 1, G_TYPE_INT);
  widget_class->snapshot = studio_atom_grid_snapshot;
  widget_class->measure = studio_atom_grid_measure;
  widget_class->get_request_mode = studio_height_for_width;
  widget_class->size_allocate = studio_atom_grid_size_allocate;
  widget_class->map = studio_atom_grid_map;
  widget_class->query_tooltip = studio_atom_grid_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "atomgrid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
studio_atom_grid_init (StudioAtomGrid *self)
{
  self->chosen = -1;
  self->cell = CELL;
  self->contrast = 1;
  self->textures = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  self->items = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  self->loader = studio_image_loader_new ();
  studio_add_controller (self, gtk_gesture_click_new (), "pressed", G_CALLBACK (on_pressed), NULL);
  studio_add_controller (self, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  studio_watch_style (GTK_WIDGET (self), refresh);
}

/* Takes the numbers of n of K atoms in reading order. */
static void
sort (StudioAtomGrid *self, int *sorted, int n, int K, int side)
{
  self->settled = self->settled && n == self->n && side == self->side;
  g_free (self->sorted);
  self->sorted = sorted;
  self->n = n;
  self->K = K;
  self->side = side;
  if (!self->settled)
    gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
studio_atom_grid_set_dictionary (StudioAtomGrid *self, StudioAtomSet *set)
{
  const TosstDictionary *dictionary = set != NULL ? set->dictionary : NULL;

  drop_items (self);
  g_hash_table_remove_all (self->textures);
  if (set != NULL)
    studio_atom_set_ref (set);
  g_clear_pointer (&self->set, studio_atom_set_unref);
  self->set = set;
  self->chosen = -1;
  if (set != NULL && !studio_atom_set_knows (set, self->order))
    self->order = STUDIO_ORDER_ENERGY;
  if (set != NULL)
    sort (self, studio_atom_set_sorted (set, self->order), dictionary->K, dictionary->K,
          MAX (dictionary->shape.d1, dictionary->shape.d2));
  else
    sort (self, NULL, 0, 0, 0);
}

void
studio_atom_grid_set_atoms (StudioAtomGrid *self, StudioAtoms *atoms)
{
  g_hash_table_remove_all (self->textures);
  if (atoms != NULL)
    studio_atoms_ref (atoms);
  g_clear_pointer (&self->some, studio_atoms_unref);
  self->some = atoms;
  if (atoms != NULL)
    sort (self, g_memdup2 (atoms->index, atoms->n * sizeof *atoms->index), atoms->n, atoms->K, atoms->d);
  else
    sort (self, NULL, 0, 0, 0);
  if (position_of (self, self->chosen) < 0) /* the order changes with use */
    self->chosen = -1;
}

void
studio_atom_grid_set_order (StudioAtomGrid *self, StudioAtomOrder order)
{
  if (self->order == order)
    return;
  self->order = order;
  if (self->set != NULL)
    sort (self, studio_atom_set_sorted (self->set, order), self->n, self->K, self->side);
  if (self->chosen >= 0)
    studio_atom_grid_choose (self, self->chosen); /* keeps it visible */
}

void
studio_atom_grid_set_tiles (StudioAtomGrid *self, gboolean patches, int cell, double contrast)
{
  self->patches = patches;
  self->settled = self->settled && cell == self->cell;
  self->cell = cell;
  self->contrast = CLAMP (contrast, 1, MOST_CONTRAST);
  g_hash_table_remove_all (self->textures);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
