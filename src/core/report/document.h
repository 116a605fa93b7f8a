/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/report/table.h"

/* A document of headings, texts, tables and figures, in order, for HTML and PDF. Texts are plain and pass through
 * tosst_clean_text(). */
typedef struct TosstDocument TosstDocument;

TosstDocument *tosst_document_new (const char *title, const char *subtitle);
void tosst_document_free (TosstDocument *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDocument, tosst_document_free)

typedef enum
{
  TOSST_BLOCK_PART, /* its heading, which starts a new page unless it is the first */
  TOSST_BLOCK_SECTION,
  TOSST_BLOCK_SUBSECTION,
  TOSST_BLOCK_TEXT,
  TOSST_BLOCK_REMARK,  /* small print */
  TOSST_BLOCK_WARNING, /* in a frame */
  TOSST_BLOCK_CODE,    /* a command to copy */
  TOSST_BLOCK_FOLD,    /* the summary of following blocks, which are collapsed in HTML; folds do not nest */
  TOSST_BLOCK_UNFOLD,  /* the end of these; without text */
  TOSST_BLOCK_MERIT,   /* this and those below are added by functions of their own */
  TOSST_BLOCK_TABLE,
  TOSST_BLOCK_FIGURE,
} TosstBlockKind;

void tosst_document_add (TosstDocument *self, TosstBlockKind kind, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* A headline number with its label, and a remark or NULL; consecutive ones form a row. */
void tosst_document_add_figure_of_merit (TosstDocument *self, const char *value, const char *label, const char *more);
/* Takes the table. */
void tosst_document_add_table (TosstDocument *self, TosstTable *table);
/* A figure of this size, drawn when the document is written: the document owns data and frees it with destroy.
 * description: text alternative. Two consecutive narrow figures (half: TRUE) form a row. */
void tosst_document_add_figure (TosstDocument *self, TosstDrawFunc draw, gpointer data, GDestroyNotify destroy,
                                double width, double height, gboolean half, const char *description);
/* Takes the chart. */
void tosst_document_add_chart (TosstDocument *self, TosstChart *chart, double width, double height, gboolean half);

/* A self-contained file: well-formed as HTML and as XML, without scripts; light or dark by the reader's preference,
 * light in print. New. */
GBytes *tosst_document_to_html (TosstDocument *self, GError **error);
/* A4 pages with page numbers and an outline. created: date of the file in seconds since 1970; NAN: no date. New. */
GBytes *tosst_document_to_pdf (TosstDocument *self, double created, GError **error);

/* Fails with a sentence if the suffix is not .html, .htm or .pdf, or if no file can be created there. */
gboolean tosst_document_check (GFile *file, GError **error);
/* Saves in the format of the suffix. Atomic. */
gboolean tosst_document_save (TosstDocument *self, double created, GFile *file, GError **error);
