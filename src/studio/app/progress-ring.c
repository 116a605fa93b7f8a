/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/progress-ring.h"

#include <math.h>

#define SIZE 24
#define LINE 3.5

struct _StudioProgressRing
{
  GtkWidget parent_instance;
  double fraction;
};

G_DEFINE_FINAL_TYPE (StudioProgressRing, studio_progress_ring, GTK_TYPE_WIDGET)

static void
studio_progress_ring_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioProgressRing *self = STUDIO_PROGRESS_RING (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double radius = (MIN (width, height) - LINE) / 2 - 1;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  cairo_set_line_width (cr, LINE);
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, color.alpha * 0.2);
  cairo_arc (cr, width / 2, height / 2, radius, 0, 2 * G_PI);
  cairo_stroke (cr);
  if (self->fraction > 0)
    {
      gdk_cairo_set_source_rgba (cr, &color);
      cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
      cairo_arc (cr, width / 2, height / 2, radius, -G_PI / 2, -G_PI / 2 + 2 * G_PI * self->fraction);
      cairo_stroke (cr);
    }
  cairo_destroy (cr);
}

static void
studio_progress_ring_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                              int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
studio_progress_ring_class_init (StudioProgressRingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = studio_progress_ring_snapshot;
  widget_class->measure = studio_progress_ring_measure;
  gtk_widget_class_set_css_name (widget_class, "progressring");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PROGRESS_BAR);
}

static void
studio_progress_ring_init (StudioProgressRing *self)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 100.0, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, 0.0, -1);
}

void
studio_progress_ring_set_fraction (StudioProgressRing *self, double fraction)
{
  int old = (int)(self->fraction * 100);

  self->fraction = CLAMP (fraction, 0, 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (old != (int)(self->fraction * 100))
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW,
                                    floor (self->fraction * 100), -1);
}
