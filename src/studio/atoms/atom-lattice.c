/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/atoms/atom-lattice.h"

#include <math.h>

#define GAP STUDIO_ATOM_LATTICE_GAP

StudioAtomLattice
studio_atom_lattice (int side, int n, int width)
{
  return studio_atom_lattice_sized (side, n, width, STUDIO_ATOM_LATTICE_CELL);
}

StudioAtomLattice
studio_atom_lattice_sized (int side, int n, int width, int cell)
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
  StudioAtomLattice self = studio_atom_lattice_sized (side, n, width, cell), larger;

  while (side > 0 && n > 0 && (self.zoom + 1) * side <= largest)
    {
      larger = studio_atom_lattice_sized (side, n, width, (self.zoom + 1) * side);
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
