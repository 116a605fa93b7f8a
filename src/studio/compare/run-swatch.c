/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/compare/run-swatch.h"

#include "studio/widgets/build.h"

#include "studio/widgets/drawing.h"

#define SIZE 12

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  int color = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (area), "color"));
  TosstChartStyle style;
  double rgb[3];

  if (color < 0)
    return;
  studio_chart_style (GTK_WIDGET (area), &style);
  tosst_chart_color (&style, (guint)color, rgb);
  cairo_set_source_rgb (cr, rgb[0], rgb[1], rgb[2]);
  cairo_arc (cr, width / 2.0, height / 2.0, SIZE / 2.0, 0, 2 * G_PI);
  cairo_fill (cr);
}

GtkWidget *
studio_run_swatch_new (int color)
{
  GtkWidget *swatch = g_object_new (GTK_TYPE_DRAWING_AREA, "valign", GTK_ALIGN_CENTER, "content-width", SIZE,
                                    "content-height", SIZE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (swatch), draw, NULL, NULL);
  studio_run_swatch_set_color (swatch, color);
  studio_watch_style (swatch, gtk_widget_queue_draw);
  return swatch;
}

void
studio_run_swatch_set_color (GtkWidget *swatch, int color)
{
  g_object_set_data (G_OBJECT (swatch), "color", GINT_TO_POINTER (color));
  gtk_widget_queue_draw (swatch);
}

GtkWidget *
studio_run_caption_new (int color, const char *text, const char *css_class)
{
  GtkWidget *label = studio_label (text, css_class, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  return studio_row (6, studio_run_swatch_new (color), label, NULL);
}
