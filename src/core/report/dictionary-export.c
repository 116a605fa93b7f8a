/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "core/report/dictionary-export.h"

#include "core/base/atomic-file.h"
#include "core/plot/chart.h"

/* Size of a cell in units of the drawing, and bounds of the total size, which includes labels and colours. */
#define CELL 16.0
#define MIN_SIDE 160.0
#define MAX_SIDE 900.0
#define ROOM_RIGHT 100.0
#define ROOM_BELOW 30.0

static void
append_number (GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, ',');
  g_string_append (text, g_ascii_dtostr (digits, sizeof digits, value));
}

static void
append_header (GString *text, const TosstDictionary *dictionary)
{
  TosstShape shape = dictionary->shape;
  int third = shape.kind == TOSST_SHAPE_WHOLE ? shape.d3 : 1;

  g_string_append (text, "atom,scale");
  for (int s = 1; s <= dictionary->S; s++)
    g_string_append_printf (text, ",b_%d", s);
  for (int i = 1; i <= shape.d1; i++)
    for (int j = 1; j <= shape.d2; j++)
      for (int k = 1; k <= third; k++)
        if (shape.kind == TOSST_SHAPE_WHOLE)
          g_string_append_printf (text, ",B_%d_%d_%d", i, j, k);
        else
          g_string_append_printf (text, ",B_%d_%d", i, j);
  g_string_append_c (text, '\n');
}

gboolean
tosst_dictionary_export_csv (const TosstDictionary *dictionary, GFile *file, GError **error)
{
  gsize numbers = tosst_shape_atom_numbers (dictionary->shape);
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open (file, error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree double *B = g_new (double, numbers);

  append_header (text, dictionary);
  for (int k = 0; output && k < dictionary->K; k++)
    {
      tosst_atom_to_array (dictionary->shape, dictionary->V + (gsize)k * dictionary->D, B);
      g_string_append_printf (text, "%d", k + 1);
      append_number (text, dictionary->scale);
      for (int s = 0; s < dictionary->S; s++)
        append_number (text, dictionary->b[(gsize)k * dictionary->S + s]);
      for (gsize i = 0; i < numbers; i++)
        append_number (text, B[i]);
      g_string_append_c (text, '\n');
      if (!tosst_atomic_file_write (output, text->str, text->len, error))
        return FALSE;
      g_string_truncate (text, 0);
    }
  return output && tosst_atomic_file_commit (output, error);
}

typedef struct
{
  double *matrix;
  int rows, columns;
} Picture;

static void
draw_picture (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Picture *self = data;

  tosst_draw_oblong_matrix (cr, width, height, style, self->matrix, self->rows, self->columns);
}

/* The slices X[:,:,s] of a whole atom from left to right. */
static void
lay_side_by_side (int d, const double *B, double *matrix)
{
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int s = 0; s < d; s++)
        matrix[((gsize)i * d + s) * d + j] = *B++;
}

gboolean
tosst_dictionary_export_picture (const TosstDictionary *dictionary, int k, GFile *folder, GError **error)
{
  TosstShape shape = dictionary->shape;
  gboolean whole = shape.kind == TOSST_SHAPE_WHOLE;
  gsize numbers = tosst_shape_atom_numbers (shape);
  g_autofree double *B = g_new (double, numbers), *slices = whole ? g_new (double, numbers) : NULL;
  g_autofree char *name = g_strdup_printf ("atom-%04d.png", k + 1);
  g_autoptr (GFile) file = g_file_get_child (folder, name);
  Picture picture = { whole ? slices : B, shape.d1, whole ? shape.d1 * shape.d1 : shape.d2 };

  tosst_atom_to_array (shape, dictionary->V + (gsize)k * dictionary->D, B);
  if (whole)
    lay_side_by_side (shape.d1, B, slices);
  return tosst_draw_save (draw_picture, &picture, CLAMP (CELL * picture.columns, MIN_SIDE, MAX_SIDE) + ROOM_RIGHT,
                          CLAMP (CELL * picture.rows, MIN_SIDE, MAX_SIDE) + ROOM_BELOW, file, error);
}
