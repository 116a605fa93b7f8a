/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart-private.h"
#include "core/report/document-private.h"

G_BEGIN_DECLS

/* State of drawing the pages of a document. Lengths are in points. */

#define TOSST_PAGE_WIDTH 595.28
#define TOSST_PAGE_HEIGHT 841.89
#define TOSST_PAGE_MARGIN 50.0
#define TOSST_PAGE_INNER (TOSST_PAGE_WIDTH - 2 * TOSST_PAGE_MARGIN)
#define TOSST_PAGE_BOTTOM (TOSST_PAGE_HEIGHT - 56.0)

#define TOSST_PAGE_BODY 9.5
#define TOSST_PAGE_SMALL 8.0
#define TOSST_PAGE_GAP 8.0 /* between blocks */

typedef struct
{
  TosstDocument *document;
  cairo_surface_t *surface;
  cairo_t *cr;
  TosstText text;             /* provides the Pango context */
  PangoLayout *layout, *foot; /* foot: of page footers, which may be drawn in the middle of a text */
  double y;
  int page, pages; /* pages: 0 in the first pass */
  GArray *folds;   /* guint: first blocks of pending folds */
  gboolean folded; /* in small print */
  gboolean parts;  /* a part has begun */
  int outline;     /* outline item of the current part */
} TosstPages;

typedef struct
{
  double size;
  gboolean bold, mono;
} TosstPageFont;

extern const TosstColor tosst_page_ink, tosst_page_dim;

void tosst_page_begin (TosstPages *p); /* starts the next page */
void tosst_page_draw_footer (TosstPages *p);
void tosst_page_set_color (TosstPages *p, TosstColor color);
/* Sets the layout's text, wrapped at width (0: not wrapped); its size; drawing it. */
void tosst_page_set_text (TosstPages *p, const char *text, TosstPageFont font, double width);
void tosst_page_text_size (TosstPages *p, double *width, double *height);
void tosst_page_show (TosstPages *p, double x, double y);
void tosst_page_draw_table (TosstPages *p, const TosstTable *table);

G_END_DECLS
