/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "core/base/base.h"
#include "core/plot/chart-private.h"

/* Pixels per unit of a PNG: on dense screens, and of a figure for print. */
#define PNG_SCALE 2.0
#define PRINT_SCALE (300.0 / 72)

#define MM (72 / 25.4)

static TosstFigure figure;
static GMutex figure_lock;

void
tosst_figure_set (const TosstFigure *wanted)
{
  g_mutex_lock (&figure_lock);
  figure = *wanted;
  g_mutex_unlock (&figure_lock);
}

static TosstFigure
figure_get (void)
{
  g_mutex_lock (&figure_lock);
  TosstFigure now = figure;
  g_mutex_unlock (&figure_lock);
  return now;
}

typedef enum
{
  FORMAT_UNKNOWN,
  FORMAT_SVG,
  FORMAT_PDF,
  FORMAT_PNG,
} Format;

static Format
format_of (const char *name)
{
  static const char *const suffixes[] = { NULL, ".svg", ".pdf", ".png" };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = FORMAT_SVG; i <= FORMAT_PNG; i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return i;
  return FORMAT_UNKNOWN;
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
surface_new (Format format, double width, double height, double scale, GByteArray *bytes)
{
  cairo_surface_t *surface;

  switch (format)
    {
    case FORMAT_SVG: /* tosst_draw_svg() */
    case FORMAT_PDF:
      return cairo_pdf_surface_create_for_stream (append_bytes, bytes, width, height);
    case FORMAT_PNG:
    case FORMAT_UNKNOWN:
    default:
      surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int)(scale * width), (int)(scale * height));
      cairo_surface_set_device_scale (surface, scale, scale);
      return surface;
    }
}

gboolean
tosst_draw_check (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file);

  if (format_of (name) == FORMAT_UNKNOWN)
    return tosst_fail (error, TOSST_FAILED_NAME, _ ("“%s” cannot be saved: its name must end in .svg, .pdf or .png"),
                       name);
  return tosst_memory_check_drawing (error) && tosst_atomic_check (file, error);
}

/* In front of its end, where the drawing has been written. */
static void
insert_text (GByteArray *svg, const GString *elements)
{
  static const char end[] = "</svg>\n";
  gsize length = strlen (end);

  if (svg->len < length || memcmp (svg->data + svg->len - length, end, length) != 0)
    return;
  g_byte_array_set_size (svg, svg->len - (guint)length);
  g_byte_array_append (svg, (const guint8 *)elements->str, (guint)elements->len);
  g_byte_array_append (svg, (const guint8 *)end, (guint)length);
}

static cairo_status_t
draw_on (cairo_surface_t *surface, TosstDrawFunc draw, gpointer data, double width, double height,
         const TosstChartStyle *style, gboolean white)
{
  cairo_t *cr = cairo_create (surface);

  if (white)
    {
      cairo_set_source_rgb (cr, 1.0, 1.0, 1.0);
      cairo_paint (cr);
    }
  draw (cr, width, height, style, data);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  return status;
}

/* Also the surface is freed. */
static cairo_status_t
finish (cairo_surface_t *surface, cairo_status_t status)
{
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return status;
}

cairo_status_t
tosst_draw_svg (TosstDrawFunc draw, gpointer data, double width, double height, const TosstChartStyle *style,
                gboolean white, GByteArray *bytes)
{
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (append_bytes, bytes, width, height);
  g_autoptr (GString) elements = tosst_text_collect (surface);
  cairo_status_t status = finish (surface, draw_on (surface, draw, data, width, height, style, white));

  insert_text (bytes, elements);
  return status;
}

static gboolean
save (TosstDrawFunc draw, gpointer data, double width, double height, const TosstFigure *wanted, GFile *file,
      GError **error)
{
  double shrink = wanted->width > 0 ? wanted->width * MM / width : 1;
  g_autofree char *name = g_file_get_basename (file);
  Format format = format_of (name);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status;

  if (!tosst_draw_check (file, error))
    return FALSE;
  width *= shrink;
  height *= shrink;

  const TosstChartStyle style = { .font = wanted->font ? wanted->font : "Sans",
                                  .font_size = wanted->font_size > 0 ? wanted->font_size : 11,
                                  .untitled = wanted->untitled };
  if (format == FORMAT_SVG)
    status = tosst_draw_svg (draw, data, width, height, &style, TRUE, bytes);
  else
    {
      cairo_surface_t *surface
          = surface_new (format, width, height, wanted->width > 0 ? PRINT_SCALE : PNG_SCALE, bytes);
      status = draw_on (surface, draw, data, width, height, &style, TRUE);
      if (status == CAIRO_STATUS_SUCCESS && format == FORMAT_PNG)
        status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
      status = finish (surface, status);
    }
  if (status != CAIRO_STATUS_SUCCESS)
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("“%s” cannot be drawn: %s"), name,
                       cairo_status_to_string (status));
  return tosst_atomic_write (file, bytes->data, bytes->len, error);
}

gboolean
tosst_draw_save (TosstDrawFunc draw, gpointer data, double width, double height, GFile *file, GError **error)
{
  TosstFigure wanted = figure_get ();

  return save (draw, data, width, height, &wanted, file, error);
}

static void
draw_chart (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_chart_draw (data, cr, width, height, style);
}

gboolean
tosst_chart_save (TosstChart *self, double width, double height, GFile *file, GError **error)
{
  TosstAxis x_axis = self->x_axis, y_axis = self->y_axis;
  gboolean drawn = self->drawn;
  TosstFigure wanted = figure_get ();

  if (wanted.width <= 0)
    wanted.width = TOSST_FIGURE_COLUMN;
  if (wanted.font_size <= 0)
    wanted.font_size = 8;
  gboolean saved = save (draw_chart, self, width, height, &wanted, file, error);

  /* Picking still refers to the drawing in the window. */
  self->x_axis = x_axis;
  self->y_axis = y_axis;
  self->drawn = drawn;
  return saved;
}
