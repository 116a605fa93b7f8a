/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atoms in a report: thumbnails of all, and one in full size.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/chart-private.h"
#include "core/plot/draw-atom.h"
#include "core/report/private.h"

#define A_ROW 12
#define MAX_SHOWN 144
#define DENSITY 120 /* approximate pixels of a thumbnail, for print resolution */

/* Copies of the thumbnails' data, as the figure is drawn later than the run is freed. */
typedef struct
{
  int n, rows, columns;
  double *matrices; /* n x rows x columns */
} Sheet;

static void
sheet_free (gpointer data)
{
  Sheet *sheet = data;

  g_free (sheet->matrices);
  g_free (sheet);
}

static Sheet *
sheet_new (const TosstDictionary *dictionary, int first, int n)
{
  Sheet *sheet = g_new0 (Sheet, 1);

  sheet->n = n;
  sheet->rows = dictionary->shape.d1;
  sheet->columns = dictionary->shape.d2;
  sheet->matrices = g_new (double, (gsize)n *(gsize)sheet->rows *(gsize)sheet->columns);
  for (int k = 0; k < n; k++)
    tosst_dictionary_matrix (dictionary, first + k,
                             sheet->matrices + (gsize)k * (gsize)sheet->rows * (gsize)sheet->columns);
  return sheet;
}

/* As an image: a hundred thousand cells as vector shapes would give a file of many megabytes. */
static cairo_surface_t *
small_atom (const Sheet *sheet, int k, gboolean dark)
{
  int side = MAX (sheet->rows, sheet->columns), factor = MAX (1, (DENSITY + side - 1) / side);
  int width = sheet->columns * factor, height = sheet->rows * factor;
  const TosstChartStyle cells_only = { .dark = dark, .font = "Sans", .font_size = MAX (width, height) };
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (image);

  tosst_draw_oblong_matrix (cr, width, height, &cells_only,
                            sheet->matrices + (gsize)k * (gsize)sheet->rows * (gsize)sheet->columns, sheet->rows,
                            sheet->columns);
  cairo_destroy (cr);
  return image;
}

static void
draw_sheet (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;
  int lines = (sheet->n + A_ROW - 1) / A_ROW;
  double gap = 0.012 * width, side = (width + gap) / A_ROW - gap, step = height / lines;
  g_auto (TosstText) text = { 0 };

  tosst_text_init (&text, style);
  for (int k = 0; k < sheet->n; k++)
    {
      double x = k % A_ROW * (side + gap), y = k / A_ROW * step;
      g_autofree char *label = g_strdup_printf ("%d", k + 1);

      cairo_surface_t *image = small_atom (sheet, k, style->dark);
      double scale = side / MAX (cairo_image_surface_get_width (image), cairo_image_surface_get_height (image));

      cairo_save (cr);
      cairo_translate (cr, x, y);
      cairo_scale (cr, scale, scale);
      cairo_set_source_surface (cr, image, 0, 0);
      cairo_paint (cr);
      cairo_restore (cr);
      cairo_surface_destroy (image);
      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&text, cr, label, x + 0.5 * side, y + side + 1, 0.5, 0.0, 0, 0.0, 0.8, FALSE);
    }
}

static void
draw_one (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;

  tosst_draw_oblong_matrix (cr, width, height, style, sheet->matrices, sheet->rows, sheet->columns);
}

static void
draw_vector (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Sheet *sheet = data;

  tosst_draw_bars (cr, width, height, style, &(TosstBarsDrawing){ sheet->matrices, sheet->columns, NULL });
}

/* Energy of an atom: ‖B_k‖ ‖b_k‖. */
static double
energy (const TosstDictionary *dictionary, int k)
{
  double v = 0, b = 0;

  for (int i = 0; i < dictionary->D; i++)
    v += pow (dictionary->V[(gsize)k * (gsize)dictionary->D + (gsize)i], 2);
  for (int s = 0; s < dictionary->S; s++)
    b += pow (dictionary->b[(gsize)k * (gsize)dictionary->S + (gsize)s], 2);
  return sqrt (v * b);
}

static void
add_largest (TosstDocument *document, const TosstDictionary *dictionary)
{
  int k = 0;
  g_autofree char *description = NULL, *text = NULL, *title = NULL;

  for (int i = 1; i < dictionary->K; i++)
    k = energy (dictionary, i) > energy (dictionary, k) ? i : k;
  description = g_strdup_printf (_ ("The matrix of atom %d as a heat map"), k + 1);
  title = g_strdup_printf (_ ("b of atom %d"), k + 1);
  text = g_strdup_printf (
      _ ("Atom %d, which has the largest energy ‖B‖ ‖b‖: its matrix, and its weight in each slice."), k + 1);
  tosst_document_add_figure (document, draw_one, sheet_new (dictionary, k, 1), sheet_free, TOSST_REPORT_HALF, 320, TRUE,
                             description);

  Sheet *sheet = g_new0 (Sheet, 1);
  gsize n = (gsize)dictionary->S;

  *sheet = (Sheet){ 1, 1, dictionary->S, g_memdup2 (dictionary->b + (gsize)k * n, n * sizeof (double)) };
  tosst_document_add_figure (document, draw_vector, sheet, sheet_free, TOSST_REPORT_HALF, 320, TRUE, title);
  tosst_document_add_remark (document, text);
}

void
tosst_report_add_atoms (TosstDocument *document, const TosstReportRun *run)
{
  g_autofree char *title = NULL;

  if (!run->dictionary)
    return;
  title = g_strdup_printf (_ ("Atoms of split %d"), run->dictionary_split + 1);
  tosst_document_add_heading (document, 2, title);

  int n = MIN (run->dictionary->K, MAX_SHOWN), lines = (n + A_ROW - 1) / A_ROW;
  double gap = 0.012 * TOSST_REPORT_WIDTH, side = (TOSST_REPORT_WIDTH + gap) / A_ROW - gap;
  g_autofree char *description = g_strdup_printf (ngettext ("%d atom as a heat map", "%d atoms as heat maps", n), n);
  g_autofree char *text
      = n < run->dictionary->K
            ? g_strdup_printf (
                _ ("Matrices B of the first %d of %d atoms, each coloured relative to its own largest entry."), n,
                run->dictionary->K)
            : g_strdup (_ ("Matrices B of all atoms, each coloured relative to its own largest entry."));

  tosst_document_add_figure (document, draw_sheet, sheet_new (run->dictionary, 0, n), sheet_free, TOSST_REPORT_WIDTH,
                             lines * (side + 18), FALSE, description);
  tosst_document_add_remark (document, text);
  if (run->dictionary->S > 1)
    add_largest (document, run->dictionary);
}
