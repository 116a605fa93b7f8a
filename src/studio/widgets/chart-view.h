/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"

/* The x axis shared by charts: zooming, panning and pointing in one apply to the others, too. Main thread. Signals
 * "range" and "pointer" when they change. */
#define STUDIO_TYPE_CHART_SESSION (studio_chart_session_get_type ())
G_DECLARE_FINAL_TYPE (StudioChartSession, studio_chart_session, STUDIO, CHART_SESSION, GObject)

StudioChartSession *studio_chart_session_new (void);
void studio_chart_session_set_range (StudioChartSession *self, double low, double high); /* NaN: all of the data */

/* Shows a TosstChart: a crosshair with the values of all curves; dragging selects a range of both axes, scroll, pinch
 * or + and - zoom, a drag with Shift or the middle button, and Shift with the arrow keys, pan; 0, a double click or the
 * button at the corner show the whole range. Left and Right move the reading point along a curve, Up and Down to another
 * curve. A context menu copies the picture and the numbers. Properties "log-x" and "log-y": the axes as the user chose
 * them, kept for the charts that follow; else as the chart has them. The picture is drawn once per change of data or
 * size. */
#define STUDIO_TYPE_CHART_VIEW (studio_chart_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioChartView, studio_chart_view, STUDIO, CHART_VIEW, GtkWidget)

void studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart); /* borrowed; NULL before it is freed */
void studio_chart_view_refresh (StudioChartView *self);                      /* after data or axes changed */
void studio_chart_view_forget_axes (StudioChartView *self);                  /* the chart's own kind of axes again */
/* Shares its x axis with the other charts of the session; NULL: with none. */
void studio_chart_view_set_session (StudioChartView *self, StudioChartSession *session);
/* The marked point of a series; series -1: none, also after a change of chart. */
void studio_chart_view_mark (StudioChartView *self, int series, double x);
/* Names series and values of a point in the bubble: new string. */
typedef char *(*StudioChartLabelFunc) (guint series, double x, double y, gpointer data);
void studio_chart_view_set_label_func (StudioChartView *self, StudioChartLabelFunc func, gpointer data);

/* A TosstDrawFunc and a StudioWriteFunc of a TosstChart: its picture, or its numbers where the file is a .csv. */
void studio_chart_draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer chart);
gboolean studio_chart_write (gpointer chart, GFile *file, GError **error);

/* What the crosshair of a chart reads: of each visible series the point nearest in x. */
typedef struct
{
  guint series;
  double x, y, x_at, y_at;
} StudioChartValue;

/* Array of StudioChartValue, the nearest in x first, then in the order of the series; empty for NAN. */
GPtrArray *studio_chart_readings_new (TosstChart *chart, double pointer_x);
/* Pango markup: the heading, then a line for each series except one (-1: none), with a dot of its colour. New. */
char *studio_chart_readings_markup (TosstChart *chart, GtkWidget *widget, const GPtrArray *readings, int except,
                                    const char *heading);
