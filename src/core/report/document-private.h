/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"

typedef enum
{
  TOSST_BLOCK_HEADING,
  TOSST_BLOCK_TEXT,
  TOSST_BLOCK_REMARK,
  TOSST_BLOCK_WARNING,
  TOSST_BLOCK_CODE,
  TOSST_BLOCK_MERIT,
  TOSST_BLOCK_TABLE,
  TOSST_BLOCK_FIGURE,
  TOSST_BLOCK_FOLD,
  TOSST_BLOCK_UNFOLD,
} TosstBlockKind;

typedef struct
{
  TosstBlockKind kind;
  int level;  /* of a heading */
  char *text; /* of most kinds; description of a figure */
  char *label, *more;
  TosstTable *table;
  TosstDrawFunc draw;
  gpointer data;
  GDestroyNotify destroy;
  double width, height;
  gboolean half;
} TosstBlock;

struct TosstDocument
{
  char *title, *subtitle;
  GPtrArray *blocks; /* TosstBlock * */
};

/* Number of blocks from first on that form one row with it, at least 1. */
guint tosst_document_row (TosstDocument *self, guint first);
/* Cairo write function that appends to a GByteArray, the closure. */
cairo_status_t tosst_document_append_bytes (void *closure, const unsigned char *data, unsigned int length);
gboolean tosst_document_drawn (cairo_status_t status, GError **error);
