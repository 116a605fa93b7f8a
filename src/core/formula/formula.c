/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/formula/private.h"

TosstFormula *
tosst_formula_new (const char *source, GError **error)
{
  TosstNode *root = tosst_node_parse (source, error);
  TosstFormula *self;

  if (root == NULL)
    return NULL;
  self = g_new0 (TosstFormula, 1);
  self->root = root;
  return self;
}

void
tosst_formula_free (TosstFormula *self)
{
  if (self == NULL)
    return;
  tosst_node_free (self->root);
  tosst_box_free (self->box);
  g_free (self);
}

static void
ensure_box (TosstFormula *self, double size)
{
  if (self->box != NULL && self->size == size)
    return;
  tosst_box_free (self->box);
  self->box = tosst_box_layout (self->root, size);
  self->size = size;
}

void
tosst_formula_measure (TosstFormula *self, double size, TosstFormulaExtent *extent)
{
  ensure_box (self, size);
  extent->width = self->box->width;
  extent->ascent = self->box->ascent;
  extent->descent = self->box->descent;
}

void
tosst_formula_draw (TosstFormula *self, cairo_t *cr, double x, double y, double size)
{
  ensure_box (self, size);
  tosst_box_draw (self->box, cr, x, y);
}
