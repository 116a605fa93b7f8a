/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/drawing.h"

#include <math.h>

#include "core/plot/draw-code.h"
#include "studio/settings/presenter.h"
#include "studio/widgets/build.h"

double
studio_font_size (GtkWidget *widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double size = font != NULL ? pango_font_description_get_size (font) / (double)PANGO_SCALE : 0;
  double resolution = pango_cairo_context_get_resolution (context);

  if (size > 0 && pango_font_description_get_size_is_absolute (font))
    return size;
  return (size > 0 ? size : 10) * (resolution > 0 ? resolution : 96) / 72;
}

void
studio_chart_style (GtkWidget *widget, TosstChartStyle *style)
{
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (widget));
  const PangoFontDescription *font = pango_context_get_font_description (gtk_widget_get_pango_context (widget));

  style->dark = adw_style_manager_get_dark (manager);
  style->high_contrast = adw_style_manager_get_high_contrast (manager);
  style->font = font != NULL && pango_font_description_get_family (font) != NULL
                    ? pango_font_description_get_family (font)
                    : "Sans";
  style->boldness = studio_presenter_get () ? 1.4 : 1;
  style->font_size = round (studio_font_size (widget) * 0.85); /* a step below the interface's text */
}

GdkTexture *
studio_draw_scaled (int width, int height, int scale, const TosstChartStyle *style, TosstDrawFunc draw, gpointer data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * scale, height * scale);
  cairo_t *cr = cairo_create (surface);
  int stride = cairo_image_surface_get_stride (surface);

  cairo_scale (cr, scale, scale);
  draw (cr, width, height, style, data);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  g_autoptr (GBytes) bytes
      = g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), (gsize)stride * height * scale,
                                    (GDestroyNotify)cairo_surface_destroy, surface);
  return gdk_memory_texture_new (width * scale, height * scale, GDK_MEMORY_DEFAULT, bytes, stride);
}

typedef struct
{
  TosstDrawFunc draw;
  gpointer data;
} OnPaper;

static void
draw_on_paper (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const OnPaper *drawing = data;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  drawing->draw (cr, width, height, style, drawing->data);
}

void
studio_copy_drawing (GtkWidget *widget, TosstDrawFunc draw, gpointer data)
{
  TosstChartStyle style;
  OnPaper drawing = { draw, data };

  studio_chart_style (widget, &style);
  style.dark = FALSE;
  g_autoptr (GdkTexture) texture
      = studio_draw_scaled (MAX (gtk_widget_get_width (widget), 320), MAX (gtk_widget_get_height (widget), 200), 2,
                            &style, draw_on_paper, &drawing);
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
}

GdkTexture *
studio_draw_texture (GtkWidget *widget, int width, int height, TosstDrawFunc draw, gpointer data)
{
  TosstChartStyle style;

  studio_chart_style (widget, &style);
  return studio_draw_scaled (width, height, gtk_widget_get_scale_factor (widget), &style, draw, data);
}

GdkTexture *
studio_matrix_texture (GtkWidget *widget, const double *matrix, int rows, int columns, int zoom)
{
  gsize width = (gsize)columns * zoom, height = (gsize)rows * zoom;
  guint32 *pixels = g_new (guint32, width * height);
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, width * height * sizeof *pixels);
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (widget));

  tosst_atom_pixels (matrix, rows, columns, zoom, adw_style_manager_get_dark (manager), pixels);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, width * sizeof *pixels);
}

void
studio_snapshot_picture (GtkWidget *widget, GtkSnapshot *snapshot, StudioPicture *picture, TosstDrawFunc draw,
                         gpointer data)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (width != picture->width || height != picture->height)
    g_clear_object (&picture->texture);
  if (picture->texture == NULL)
    *picture = (StudioPicture){ studio_draw_texture (widget, width, height, draw, data), width, height };
  gtk_snapshot_append_texture (snapshot, picture->texture, &GRAPHENE_RECT_INIT (0, 0, width, height));
}

void
studio_redraw_picture (GtkWidget *widget, StudioPicture *picture)
{
  g_clear_object (&picture->texture);
  gtk_widget_queue_draw (widget);
}

void
studio_watch_style (GtkWidget *widget, void (*refresh) (GtkWidget *widget))
{
  /* That of the display, whose colours are drawn with: the default one notifies before it changes the others. */
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (widget));

  studio_connect (manager, "notify::dark", refresh, widget);
  studio_connect (manager, "notify::high-contrast", refresh, widget);
  studio_connect (gtk_settings_get_default (), "notify::gtk-xft-dpi", refresh, widget);
  studio_connect (widget, "notify::scale-factor", refresh, widget);
}

static void
set_pointer (GtkEventController *controller, const StudioPointer *pointer)
{
  GtkWidget *widget = gtk_event_controller_get_widget (controller);
  void (*moved) (gpointer) = g_object_get_data (G_OBJECT (controller), "studio-moved");

  *(StudioPointer *)g_object_get_data (G_OBJECT (controller), "studio-pointer") = *pointer;
  if (moved != NULL)
    moved (widget);
  gtk_widget_queue_draw (widget);
}

static void
on_motion (GtkEventController *controller, double x, double y)
{
  set_pointer (controller, &(StudioPointer){ TRUE, x, y });
}

static void
on_leave (GtkEventController *controller, const StudioPointer *pointer)
{
  set_pointer (controller, &(StudioPointer){ FALSE, pointer->x, pointer->y });
}

void
studio_follow_pointer (gpointer widget, StudioPointer *pointer, void (*moved) (gpointer widget))
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  g_object_set_data (G_OBJECT (motion), "studio-pointer", pointer);
  g_object_set_data (G_OBJECT (motion), "studio-moved", moved);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), NULL);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), NULL);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), pointer);
  gtk_widget_add_controller (widget, motion);
}

void
studio_snapshot_bubble (GtkWidget *widget, GtkSnapshot *snapshot, double x, double y, const char *text, gboolean markup)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, markup ? NULL : text);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget), w, h;
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_for_display (gtk_widget_get_display (widget)));
  const GdkRGBA night = { 0.13, 0.13, 0.15, 0.94 }, day = { 0.96, 0.96, 0.97, 0.96 };
  const GdkRGBA plate = dark ? day : night, ink = dark ? night : day;
  GskRoundedRect outline;
  graphene_rect_t bounds;

  if (markup)
    pango_layout_set_markup (layout, text, -1);
  pango_layout_get_pixel_size (layout, &w, &h);
  w += 20;
  h += 12;
  x = x + 14 + w < width ? x + 14 : x - 14 - w;
  y = CLAMP (y - h / 2.0, 2, MAX (2, height - h - 2));
  x = CLAMP (x, 2, MAX (2, width - w - 2));
  graphene_rect_init (&bounds, round (x), round (y), w, h);
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 8);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &plate, &bounds);
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (bounds.origin.x + 10, bounds.origin.y + 6));
  gtk_snapshot_append_layout (snapshot, layout, &ink);
  gtk_snapshot_restore (snapshot);
}
