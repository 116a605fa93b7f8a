/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/widgets/chart-reading.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/drawing.h"

/* Shared by the files of the chart view. They do not depend on chart-view.c, which calls each of them: handlers of actions
 * cast without STUDIO_CHART_VIEW (). */

#define STUDIO_CHART_ZOOM_STEP 1.25
#define STUDIO_CHART_NEAREST 1e-9 /* smallest range, relative to the larger of its ends */

typedef enum
{
  STUDIO_CHART_DRAG_NONE,
  STUDIO_CHART_DRAG_BOX,
  STUDIO_CHART_DRAG_PAN,
} StudioChartDrag;

struct _StudioChartView
{
  GtkWidget parent_instance;
  TosstChart *chart; /* borrowed */
  StudioPicture picture;

  StudioChartLabelFunc label_func;
  gpointer label_data;

  StudioChartSession *session; /* NULL: own x axis */

  gboolean pointer_inside;
  double pointer_x, pointer_y;
  double drag_low, drag_high, pinch_low, pinch_high; /* logarithms on a logarithmic axis */
  StudioChartDrag dragging;
  double drag_x, drag_y, drag_dx, drag_dy;

  GtkWidget *reset_button;
  gboolean zoomed;               /* by the user */
  gboolean log_x, log_y;         /* as in the chart */
  gboolean log_x_set, log_y_set; /* by the user, also for the charts that follow */
  guint describe_source;
  gint64 described; /* monotonic time */

  StudioChartReading reading;

  int marked_series; /* -1: none */
  double marked_x;
};

/* chart-hover.c */
char *studio_chart_label (StudioChartView *self, guint series, double x, double y);
/* The reading point, if it is visible: zoom and pan may have moved it out of the range. */
gboolean studio_chart_read_point (StudioChartView *self, double *x, double *y, double *x_at, double *y_at);
void studio_chart_snapshot_hover (StudioChartView *self, GtkSnapshot *snapshot);
void studio_chart_snapshot_mark (StudioChartView *self, GtkSnapshot *snapshot);
void studio_chart_snapshot_partner (StudioChartView *self, GtkSnapshot *snapshot);
void studio_chart_snapshot_box (StudioChartView *self, GtkSnapshot *snapshot);

/* chart-zoom.c */
void studio_chart_zoom_init (StudioChartView *self);
gboolean studio_chart_is_ready (StudioChartView *self); /* the axes are known after the first drawing */
/* x on the axis: its logarithm on a logarithmic one. */
double studio_chart_along (StudioChartView *self, double x);
/* The visible range, and another one, on the axis. */
void studio_chart_visible_range (StudioChartView *self, double *low, double *high);
void studio_chart_set_visible_range (StudioChartView *self, double low, double high);
void studio_chart_show_all (StudioChartView *self);
void studio_chart_zoom_about (StudioChartView *self, double center, double factor);
void studio_chart_pan_by (StudioChartView *self, double part);
void studio_chart_update_reset (StudioChartView *self);
void studio_chart_on_session_range (StudioChartView *self);
graphene_rect_t studio_chart_box (StudioChartView *self); /* of the present drag */

/* chart-export.c */
void studio_chart_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer chart);
void studio_chart_install_exports (GtkWidgetClass *widget_class);
