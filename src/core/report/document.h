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

/* level 1: a part, which starts a new page unless it is the first; 2: a section; 3: a subsection. */
void tosst_document_add_heading (TosstDocument *self, int level, const char *text);
void tosst_document_add_text (TosstDocument *self, const char *text);
void tosst_document_add_remark (TosstDocument *self, const char *text);  /* small print */
void tosst_document_add_warning (TosstDocument *self, const char *text); /* in a frame */
void tosst_document_add_code (TosstDocument *self, const char *text);    /* a command to copy */
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
/* Starts a fold: its blocks are collapsed in HTML. Folds do not nest. */
void tosst_document_begin_fold (TosstDocument *self, const char *summary);
void tosst_document_end_fold (TosstDocument *self);

/* A self-contained file: well-formed as HTML and as XML, without scripts; light or dark by the reader's preference,
 * light in print. New. */
GBytes *tosst_document_to_html (TosstDocument *self, GError **error);
/* A4 pages with page numbers and an outline. created: date of the file in seconds since 1970; NAN: no date. New. */
GBytes *tosst_document_to_pdf (TosstDocument *self, double created, GError **error);

/* Fails with a sentence if the suffix is not .html, .htm or .pdf, or if no file can be created there. */
gboolean tosst_document_check (GFile *file, GError **error);
/* Saves in the format of the suffix. Atomic. */
gboolean tosst_document_save (TosstDocument *self, double created, GFile *file, GError **error);
