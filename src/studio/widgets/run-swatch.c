/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/run-swatch.h"

#include "studio/widgets/drawing.h"

#define SIZE 12

struct _StudioRunSwatch
{
  GtkWidget parent_instance;
  int slot;
};

G_DEFINE_FINAL_TYPE (StudioRunSwatch, studio_run_swatch, GTK_TYPE_WIDGET)

static void
studio_run_swatch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  StudioRunSwatch *self = STUDIO_RUN_SWATCH (widget);
  float x = (float)(gtk_widget_get_width (widget) - SIZE) / 2, y = (float)(gtk_widget_get_height (widget) - SIZE) / 2;
  GskRoundedRect outline;
  TosstChartStyle style;
  double rgb[3];

  if (self->slot < 0)
    return;
  studio_chart_style (widget, &style);
  tosst_chart_color (&style, (guint)self->slot, rgb);
  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (x, y, SIZE, SIZE), SIZE / 2.0f);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &(GdkRGBA){ (float)rgb[0], (float)rgb[1], (float)rgb[2], 1 }, &outline.bounds);
  gtk_snapshot_pop (snapshot);
}

static void
studio_run_swatch_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
studio_run_swatch_class_init (StudioRunSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = studio_run_swatch_snapshot;
  widget_class->measure = studio_run_swatch_measure;
  gtk_widget_class_set_css_name (widget_class, "runswatch");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
studio_run_swatch_init (StudioRunSwatch *self)
{
  self->slot = -1;
  studio_watch_style (GTK_WIDGET (self), gtk_widget_queue_draw);
}

GtkWidget *
studio_run_swatch_new (int slot)
{
  StudioRunSwatch *self = g_object_new (STUDIO_TYPE_RUN_SWATCH, "valign", GTK_ALIGN_CENTER, NULL);

  self->slot = slot;
  return GTK_WIDGET (self);
}

void
studio_run_swatch_set_slot (StudioRunSwatch *self, int slot)
{
  self->slot = slot;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
