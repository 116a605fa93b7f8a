/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/report/document-private.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/text.h"

static void
block_free (gpointer data)
{
  TosstBlock *block = data;

  g_free (block->text);
  g_free (block->label);
  g_free (block->more);
  tosst_table_free (block->table);
  if (block->destroy)
    block->destroy (block->data);
  g_free (block);
}

TosstDocument *
tosst_document_new (const char *title, const char *subtitle)
{
  TosstDocument *self = g_new0 (TosstDocument, 1);

  self->title = tosst_clean_text (title);
  self->subtitle = subtitle ? tosst_clean_text (subtitle) : NULL;
  self->blocks = g_ptr_array_new_with_free_func (block_free);
  return self;
}

void
tosst_document_free (TosstDocument *self)
{
  if (!self)
    return;
  g_free (self->title);
  g_free (self->subtitle);
  g_ptr_array_unref (self->blocks);
  g_free (self);
}

static TosstBlock *
add (TosstDocument *self, TosstBlockKind kind, const char *text)
{
  TosstBlock *block = g_new0 (TosstBlock, 1);

  block->kind = kind;
  block->text = text ? tosst_clean_text (text) : NULL;
  g_ptr_array_add (self->blocks, block);
  return block;
}

void
tosst_document_add_heading (TosstDocument *self, int level, const char *text)
{
  add (self, TOSST_BLOCK_HEADING, text)->level = level;
}

void
tosst_document_add_text (TosstDocument *self, const char *text)
{
  add (self, TOSST_BLOCK_TEXT, text);
}

void
tosst_document_add_remark (TosstDocument *self, const char *text)
{
  add (self, TOSST_BLOCK_REMARK, text);
}

void
tosst_document_add_warning (TosstDocument *self, const char *text)
{
  add (self, TOSST_BLOCK_WARNING, text);
}

void
tosst_document_add_code (TosstDocument *self, const char *text)
{
  add (self, TOSST_BLOCK_CODE, text);
}

void
tosst_document_add_figure_of_merit (TosstDocument *self, const char *value, const char *label, const char *more)
{
  TosstBlock *block = add (self, TOSST_BLOCK_MERIT, value);

  block->label = tosst_clean_text (label);
  block->more = more ? tosst_clean_text (more) : NULL;
}

void
tosst_document_add_table (TosstDocument *self, TosstTable *table)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (table != NULL);

  add (self, TOSST_BLOCK_TABLE, NULL)->table = table;
}

void
tosst_document_add_figure (TosstDocument *self, TosstDrawFunc draw, gpointer data, GDestroyNotify destroy, double width,
                           double height, gboolean half, const char *description)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (draw != NULL);
  g_return_if_fail (width > 0);
  g_return_if_fail (height > 0);

  TosstBlock *block = add (self, TOSST_BLOCK_FIGURE, description);

  block->draw = draw;
  block->data = data;
  block->destroy = destroy;
  block->width = width;
  block->height = height;
  block->half = half;
}

static void
draw_chart (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

static void
free_chart (gpointer data)
{
  tosst_chart_free (data);
}

void
tosst_document_add_chart (TosstDocument *self, TosstChart *chart, double width, double height, gboolean half)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (chart != NULL);

  g_autofree char *description = tosst_chart_describe (chart);

  tosst_document_add_figure (self, draw_chart, chart, free_chart, width, height, half, description);
}

void
tosst_document_begin_fold (TosstDocument *self, const char *summary)
{
  add (self, TOSST_BLOCK_FOLD, summary);
}

void
tosst_document_end_fold (TosstDocument *self)
{
  add (self, TOSST_BLOCK_UNFOLD, NULL);
}

guint
tosst_document_row (TosstDocument *self, guint first)
{
  const TosstBlock *block = g_ptr_array_index (self->blocks, first);
  guint most = block->kind == TOSST_BLOCK_MERIT ? G_MAXUINT : block->kind == TOSST_BLOCK_FIGURE && block->half ? 2 : 1;
  guint n = 1;

  for (; n < most && first + n < self->blocks->len; n++)
    {
      const TosstBlock *next = g_ptr_array_index (self->blocks, first + n);

      if (next->kind != block->kind || next->half != block->half)
        break;
    }
  return n;
}

cairo_status_t
tosst_document_append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

gboolean
tosst_document_drawn (cairo_status_t status, GError **error)
{
  return status == CAIRO_STATUS_SUCCESS
         || tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("a figure cannot be drawn: %s"),
                        cairo_status_to_string (status));
}
