/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"
#include "studio/widgets/chart-session.h"

G_BEGIN_DECLS

/* Shows a TosstChart: value under the pointer, zoom with scroll, pinch or + and -, pan by dragging or Shift and the
 * arrow keys, 0 or a double click for the whole range. Left and Right move the reading point along a curve, Up and Down
 * to another curve. The picture is drawn once per change of data or size. */
#define STUDIO_TYPE_CHART_VIEW (studio_chart_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioChartView, studio_chart_view, STUDIO, CHART_VIEW, GtkWidget)

void studio_chart_view_set_chart (StudioChartView *self, TosstChart *chart); /* borrowed; NULL before it is freed */
void studio_chart_view_refresh (StudioChartView *self);                      /* after data or axes changed */
/* Shares its x axis with the other charts of the session; NULL: with none. */
void studio_chart_view_set_session (StudioChartView *self, StudioChartSession *session);
/* The marked point of a series; series -1: none, also after a change of chart. */
void studio_chart_view_mark (StudioChartView *self, int series, double x);
/* Names series and values of a point in the bubble: new string. */
typedef char *(*StudioChartLabelFunc) (guint series, double x, double y, gpointer data);
void studio_chart_view_set_label_func (StudioChartView *self, StudioChartLabelFunc func, gpointer data);

G_END_DECLS
