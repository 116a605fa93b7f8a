/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/atoms/atom-tiles.h"

#include <math.h>

#include "studio/widgets/drawing.h"

#define KEPT 4000      /* matrices; of 56 x 56 pixels each these take 50 MB */
#define PATCH_SIDE 128 /* maximum size of a patch, pixels */
#define KEPT_PATCHES 600

struct StudioAtomTiles
{
  GtkWidget *widget; /* owns this */
  StudioAtomSet *atoms;
  gboolean patches;
  double contrast;
  GHashTable *textures; /* number to GdkTexture */
  GHashTable *items;    /* number to StudioImageItem */
  StudioImageLoader *loader;
};

StudioAtomTiles *
studio_atom_tiles_new (GtkWidget *widget)
{
  StudioAtomTiles *self = g_new0 (StudioAtomTiles, 1);

  self->widget = widget;
  self->contrast = 1;
  self->textures = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  self->items = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  self->loader = studio_image_loader_new ();
  return self;
}

static void
drop_items (StudioAtomTiles *self)
{
  GHashTableIter iter;
  gpointer item;

  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    {
      g_signal_handlers_disconnect_by_data (item, self->widget);
      studio_image_loader_cancel (self->loader, item);
    }
  g_hash_table_remove_all (self->items);
}

void
studio_atom_tiles_clear (StudioAtomTiles *self)
{
  g_hash_table_remove_all (self->textures);
}

void
studio_atom_tiles_set_atoms (StudioAtomTiles *self, StudioAtomSet *atoms)
{
  drop_items (self);
  studio_atom_tiles_clear (self);
  if (atoms != NULL)
    studio_atom_set_ref (atoms);
  g_clear_pointer (&self->atoms, studio_atom_set_unref);
  self->atoms = atoms;
}

void
studio_atom_tiles_free (StudioAtomTiles *self)
{
  studio_atom_tiles_set_atoms (self, NULL);
  g_hash_table_unref (self->textures);
  g_hash_table_unref (self->items);
  g_object_unref (self->loader);
  g_free (self);
}

void
studio_atom_tiles_set_patches (StudioAtomTiles *self, gboolean patches)
{
  self->patches = patches;
}

void
studio_atom_tiles_set_contrast (StudioAtomTiles *self, double contrast)
{
  self->contrast = CLAMP (contrast, 1, STUDIO_MOST_CONTRAST);
  studio_atom_tiles_clear (self);
}

guint
studio_atom_tiles_count (StudioAtomTiles *self)
{
  return g_hash_table_size (self->textures);
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
has_patch (StudioAtomTiles *self, int atom)
{
  const TosstAtomUsage *usage = self->atoms->usage;

  return self->patches && usage != NULL && self->atoms->recipe != NULL && usage->n_patches[atom] > 0;
}

static GdkTexture *
patch_of (StudioAtomTiles *self, int atom)
{
  StudioImageItem *item = g_hash_table_lookup (self->items, GINT_TO_POINTER (atom));

  if (item == NULL)
    {
      if (g_hash_table_size (self->items) > KEPT_PATCHES)
        drop_items (self);
      item = studio_atom_patch_item (self->atoms, self->atoms->usage->patches + (gsize)atom * TOSST_ATOM_PATCHES);
      g_hash_table_insert (self->items, GINT_TO_POINTER (atom), item);
      g_signal_connect_swapped (item, "notify::texture", G_CALLBACK (gtk_widget_queue_draw), self->widget);
      studio_image_loader_request (self->loader, item, PATCH_SIDE);
    }
  return item->texture;
}

GdkTexture *
studio_atom_tiles_get (StudioAtomTiles *self, int atom, int zoom, gboolean make)
{
  if (has_patch (self, atom))
    return patch_of (self, atom);
  GdkTexture *texture = g_hash_table_lookup (self->textures, GINT_TO_POINTER (atom));
  TosstShape shape = self->atoms->dictionary->shape;
  if (texture != NULL || !make)
    return texture;
  if (g_hash_table_size (self->textures) > KEPT)
    studio_atom_tiles_clear (self);
  g_autofree double *matrix = g_new (double, (gsize)shape.d1 *shape.d2);
  tosst_dictionary_matrix (self->atoms->dictionary, atom, matrix);
  if (self->contrast > 1)
    {
      gsize n = (gsize)shape.d1 * shape.d2;
      double most = 0;

      /* Entries above the largest one have its colour. */
      for (gsize i = 0; i < n; i++)
        most = isfinite (matrix[i]) ? MAX (most, fabs (matrix[i])) : most;
      for (gsize i = 0; i < n; i++)
        matrix[i] = isfinite (matrix[i]) ? CLAMP (self->contrast * matrix[i], -most, most) : matrix[i];
    }
  texture = studio_matrix_texture (self->widget, matrix, shape.d1, shape.d2, zoom);
  g_hash_table_insert (self->textures, GINT_TO_POINTER (atom), texture);
  return texture;
}

#define GAP STUDIO_ATOM_LATTICE_GAP

StudioAtomLattice
studio_atom_lattice (int side, int n, int width, int cell)
{
  StudioAtomLattice self = { .zoom = 1, .size = cell };

  if (side > 0)
    {
      self.zoom = MAX (1, (cell + side / 2) / side);
      self.size = MIN (side * self.zoom, 2 * cell); /* larger matrices are scaled down */
    }
  self.columns = MAX (1, (width + GAP) / (self.size + GAP));
  self.stride = self.size + GAP;
  if (self.columns > 1 && n >= self.columns) /* fewer are not justified */
    self.stride = (double)(width - self.size) / (self.columns - 1);
  self.line = MIN ((int)self.stride, self.size + 2 * GAP);
  return self;
}

StudioAtomLattice
studio_atom_lattice_filling (int side, int n, int width, int height, int cell, int largest)
{
  StudioAtomLattice self = studio_atom_lattice (side, n, width, cell), larger;

  while (side > 0 && n > 0 && (self.zoom + 1) * side <= largest)
    {
      larger = studio_atom_lattice (side, n, width, (self.zoom + 1) * side);
      if (larger.size > width || studio_atom_lattice_height (&larger, n) > height)
        break;
      self = larger;
    }
  return self;
}

void
studio_atom_lattice_place (const StudioAtomLattice *self, int i, int *x, int *y)
{
  *x = (int)(i % self->columns * self->stride);
  *y = i / self->columns * self->line;
}

int
studio_atom_lattice_at (const StudioAtomLattice *self, int n, double x, double y)
{
  int column = (int)floor (x / self->stride), line = (int)floor (y / self->line);
  int i = line * self->columns + column, left, top;

  if (x < 0 || y < 0 || column >= self->columns || i >= n)
    return -1;
  studio_atom_lattice_place (self, i, &left, &top);
  return x < left + self->size && y < top + self->size ? i : -1;
}

int
studio_atom_lattice_height (const StudioAtomLattice *self, int n)
{
  int lines = (n + self->columns - 1) / self->columns;

  return MAX (0, lines * self->line - (self->line - self->size));
}

void
studio_atom_lattice_frame (const StudioAtomLattice *self, GtkWidget *widget, GtkSnapshot *snapshot, int x, int y,
                           gboolean chosen)
{
  float away = chosen ? 3 : 1, thick = chosen ? 2 : 1;
  GskRoundedRect outline;
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  if (!chosen)
    color.alpha *= 0.25f;
  gsk_rounded_rect_init_from_rect (
      &outline, &GRAPHENE_RECT_INIT (x - away, y - away, self->size + 2 * away, self->size + 2 * away), away + 1);
  gtk_snapshot_append_border (snapshot, &outline, (float[4]){ thick, thick, thick, thick },
                              (GdkRGBA[4]){ color, color, color, color });
}
