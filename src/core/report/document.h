/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/report/table.h"

G_BEGIN_DECLS

/* A document of headings, texts, tables and figures, in order, for HTML and PDF. Texts have no markup and pass through
 * tosst_clean_text(). */
typedef struct TosstDocument TosstDocument;

TosstDocument *tosst_document_new (const char *title, const char *subtitle);
void tosst_document_free (TosstDocument *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstDocument, tosst_document_free)

/* level 1: a part, on a page of its own where it is not the first; 2: a section; 3: a part of that. */
void tosst_document_add_heading (TosstDocument *self, int level, const char *text);
void tosst_document_add_text (TosstDocument *self, const char *text);
void tosst_document_add_remark (TosstDocument *self, const char *text);  /* small print */
void tosst_document_add_warning (TosstDocument *self, const char *text); /* in a frame */
void tosst_document_add_code (TosstDocument *self, const char *text);    /* to copy: a command */
/* A headline number with its label, and a remark or NULL; consecutive ones stand side by side. */
void tosst_document_add_figure_of_merit (TosstDocument *self, const char *value, const char *label, const char *more);
/* Takes the table. */
void tosst_document_add_table (TosstDocument *self, TosstTable *table);
/* A figure of this size, drawn when the document is written: data is kept, and freed by destroy. description says in
 * words what is to be seen. Two narrow ones (half: TRUE) after each other stand side by side. */
void tosst_document_add_figure (TosstDocument *self, TosstDrawFunc draw, gpointer data, GDestroyNotify destroy,
                                double width, double height, gboolean half, const char *description);
/* Takes the chart. */
void tosst_document_add_chart (TosstDocument *self, TosstChart *chart, double width, double height, gboolean half);
/* Blocks up to the end of the fold are collapsed in HTML. Folds do not nest. */
void tosst_document_begin_fold (TosstDocument *self, const char *summary);
void tosst_document_end_fold (TosstDocument *self);

/* One file that needs nothing else: well-formed as HTML and as XML, without scripts; light or dark as the reader's
 * screen is, light on paper. New. */
GBytes *tosst_document_to_html (TosstDocument *self, GError **error);
/* Pages of A4 with numbers and an outline. created: seconds since 1970, of the file; NAN: none is written. New. */
GBytes *tosst_document_to_pdf (TosstDocument *self, double created, GError **error);

/* Fails with a sentence where the name ends in neither .html, .htm nor .pdf, or no file can be made there. */
gboolean tosst_document_check (GFile *file, GError **error);
/* By the end of its name. Atomic. */
gboolean tosst_document_save (TosstDocument *self, double created, GFile *file, GError **error);

G_END_DECLS
