/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/report/table.h"

#include "core/base/base.h"

typedef struct
{
  char *title;
  gboolean number;
} Column;

typedef struct
{
  char *text;
  double bar;
} Cell;

TOSST_DEFINE_CLEAR (Column, clear_column, (title, g_free))
TOSST_DEFINE_CLEAR (Cell, clear_cell, (text, g_free))

static void
add_columns (TosstTable *self, const char *kinds, va_list titles)
{
  for (; *kinds; kinds++)
    {
      Column column = { tosst_clean_text (va_arg (titles, const char *)), *kinds == 'n' };

      g_array_append_val (self->columns, column);
    }
}

TosstTable *
tosst_table_new (const char *kinds, ...)
{
  TosstTable *self = g_new0 (TosstTable, 1);
  va_list titles;

  self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (self->columns, clear_column);
  g_array_set_clear_func (self->cells, clear_cell);
  va_start (titles, kinds);
  add_columns (self, kinds, titles);
  va_end (titles);
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstTable, tosst_table_free, TosstTable *, (columns, g_array_unref), (cells, g_array_unref))

void
tosst_table_add_columns (TosstTable *self, const char *kinds, ...)
{
  va_list titles;

  va_start (titles, kinds);
  add_columns (self, kinds, titles);
  va_end (titles);
}

void
tosst_table_add_bar (TosstTable *self, double part, const char *text)
{
  Cell cell = { tosst_clean_text (text ? text : ""), part };

  g_array_append_val (self->cells, cell);
}

void
tosst_table_add_texts (TosstTable *self, gsize n, const char *const *texts)
{
  for (gsize i = 0; i < n; i++)
    tosst_table_add_bar (self, NAN, texts[i]);
}

void
tosst_table_add_values (TosstTable *self, gsize n, const double *values)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < n; i++)
    tosst_table_add (self, isfinite (values[i]) ? g_ascii_dtostr (text, sizeof text, values[i]) : NULL);
}

int
tosst_compare_falling (double x, double y)
{
  return isnan (x) || isnan (y) ? isnan (x) - isnan (y) : (x < y) - (x > y);
}

void
tosst_table_add_printf (TosstTable *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  tosst_table_add (self, text);
}

guint
tosst_table_rows (const TosstTable *self)
{
  guint columns = self->columns->len;

  return columns ? (self->cells->len + columns - 1) / columns : 0;
}

const char *
tosst_table_title (const TosstTable *self, guint column)
{
  return g_array_index (self->columns, Column, column).title;
}

gboolean
tosst_table_has_titles (const TosstTable *self)
{
  for (guint i = 0; i < self->columns->len; i++)
    if (*tosst_table_title (self, i))
      return TRUE;
  return FALSE;
}

gboolean
tosst_table_is_number (const TosstTable *self, guint column)
{
  return g_array_index (self->columns, Column, column).number;
}

static const Cell *
cell_at (const TosstTable *self, guint row, guint column)
{
  guint i = row * self->columns->len + column;

  return i < self->cells->len ? &g_array_index (self->cells, Cell, i) : NULL;
}

const char *
tosst_table_cell (const TosstTable *self, guint row, guint column)
{
  const Cell *cell = cell_at (self, row, column);

  return cell ? cell->text : "";
}

double
tosst_table_bar (const TosstTable *self, guint row, guint column)
{
  const Cell *cell = cell_at (self, row, column);

  return cell ? cell->bar : NAN;
}

TosstTable *
tosst_table_transpose (const TosstTable *self)
{
  TosstTable *turned = tosst_table_new ("t", tosst_table_title (self, 0));
  guint rows = tosst_table_rows (self);

  for (guint row = 0; row < rows; row++)
    tosst_table_add_columns (turned, "t", tosst_table_cell (self, row, 0));
  for (guint column = 1; column < self->columns->len; column++)
    {
      tosst_table_add (turned, tosst_table_title (self, column));
      for (guint row = 0; row < rows; row++)
        tosst_table_add_bar (turned, tosst_table_bar (self, row, column), tosst_table_cell (self, row, column));
    }
  return turned;
}

/* Appends a cell to its line. */
typedef void (*AppendFunc) (GString *text, const TosstTable *self, guint column, const char *cell, gpointer data);

/* The titles, a line below them, and the rows: cells by func, and the ends of lines. trims: spaces at ends of rows. */
static char *
write_lines (const TosstTable *self, AppendFunc func, gpointer data, const char *end, const char *below, gboolean trims)
{
  GString *text = g_string_new (NULL);

  for (guint line = 0; line <= tosst_table_rows (self); line++)
    {
      for (guint i = 0; i < self->columns->len; i++)
        func (text, self, i, line > 0 ? tosst_table_cell (self, line - 1, i) : tosst_table_title (self, i), data);
      while (trims && line > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate (text, text->len - 1);
      g_string_append_printf (text, "%s%s", end, line == 0 ? below : "");
    }
  return g_string_free (text, FALSE);
}

/* data: widths of the columns. */
static void
append_padded (GString *text, const TosstTable *self, guint column, const char *cell, gpointer data)
{
  gboolean number = tosst_table_is_number (self, column);
  int missing = (int)(((const glong *)data)[column] - g_utf8_strlen (cell, -1));

  g_string_append_printf (text, "%*s%s", number ? missing : 0, "", cell);
  if (column + 1 < self->columns->len)
    g_string_append_printf (text, "%*s", 2 + (number ? 0 : missing), "");
}

char *
tosst_table_to_text (const TosstTable *self)
{
  g_autofree glong *widths = g_new (glong, self->columns->len + 1);

  for (guint i = 0; i < self->columns->len; i++)
    {
      widths[i] = g_utf8_strlen (tosst_table_title (self, i), -1);
      for (guint row = 0; row < tosst_table_rows (self); row++)
        widths[i] = MAX (widths[i], g_utf8_strlen (tosst_table_cell (self, row, i), -1));
    }
  return write_lines (self, append_padded, widths, "\n", "", TRUE);
}

static void
append_field (GString *text, const TosstTable *self, guint column, const char *cell, gpointer data)
{
  g_string_append (text, column > 0 ? "," : "");
  tosst_csv_append_field (text, cell);
}

char *
tosst_table_to_csv (const TosstTable *self)
{
  return write_lines (self, append_field, NULL, "\n", "", FALSE);
}

static void
append_markdown (GString *text, const TosstTable *self, guint column, const char *cell, gpointer data)
{
  g_string_append (text, "| ");
  for (; *cell; cell++)
    if (*cell == '\n')
      g_string_append (text, "<br>");
    else
      g_string_append_printf (text, strchr ("\\|*_`<>[]", *cell) ? "\\%c" : "%c", *cell);
  g_string_append_c (text, ' ');
}

char *
tosst_table_to_markdown (const TosstTable *self)
{
  g_autoptr (GString) rule = g_string_new (NULL);

  for (guint i = 0; i < self->columns->len; i++)
    g_string_append (rule, tosst_table_is_number (self, i) ? "|---:" : "|---");
  g_string_append (rule, "|\n");
  return write_lines (self, append_markdown, NULL, "|\n", rule->str, FALSE);
}
