/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* A table of texts for the terminal, CSV, Markdown, and the documents of document.h. Columns are added first, then
 * cells, row after row. The caller formats numbers in its locale. Texts pass through tosst_clean_text(). */
typedef struct
{
  GArray *columns, *cells; /* cells: row after row */
} TosstTable;

/* kinds: a letter for each column whose title follows, t for texts, n for numbers, which are right-aligned. */
TosstTable *tosst_table_new (const char *kinds, ...);
void tosst_table_free (TosstTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstTable, tosst_table_free)

/* Adds columns, before the first cell. */
void tosst_table_add_columns (TosstTable *self, const char *kinds, ...);
/* Adds a cell for each text; NULL: empty. */
#define tosst_table_add(self, ...)                                                                                     \
  tosst_table_add_texts (self, G_N_ELEMENTS (((const char *[]){ __VA_ARGS__ })), (const char *[]){ __VA_ARGS__ })
void tosst_table_add_texts (TosstTable *self, gsize n, const char *const *texts);
/* The same of numbers with all digits, in the C locale; empty unless finite. */
#define tosst_table_add_numbers(self, ...)                                                                             \
  tosst_table_add_values (self, G_N_ELEMENTS (((double[]){ __VA_ARGS__ })), (double[]){ __VA_ARGS__ })
void tosst_table_add_values (TosstTable *self, gsize n, const double *values);
void tosst_table_add_printf (TosstTable *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Adds a cell with a bar over this fraction (0 to 1) of its width; text formats show no bar. */
void tosst_table_add_bar (TosstTable *self, double part, const char *text);

guint tosst_table_rows (const TosstTable *self);
const char *tosst_table_title (const TosstTable *self, guint column);
gboolean tosst_table_has_titles (const TosstTable *self); /* whether any column has one */
gboolean tosst_table_is_number (const TosstTable *self, guint column);
const char *tosst_table_cell (const TosstTable *self, guint row, guint column); /* "" for a cell not added yet */
double tosst_table_bar (const TosstTable *self, guint row, guint column);       /* NAN: none */
/* Transposes: column titles become the first column, and the first column becomes the titles. New. */
TosstTable *tosst_table_transpose (const TosstTable *self);

/* Order of scores: falling, NAN last; 0: equal. */
int tosst_compare_falling (double x, double y);

/* Each returns a new string that ends with a line end. */
char *tosst_table_to_text (const TosstTable *self); /* columns padded to their widest cell */
char *tosst_table_to_csv (const TosstTable *self);
char *tosst_table_to_markdown (const TosstTable *self);
