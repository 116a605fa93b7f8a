/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

/* The x axis shared by charts: zooming, panning and pointing in one apply to the others, too. Main thread. Signals
 * "range" and "pointer" when they change. */
#define STUDIO_TYPE_CHART_SESSION (studio_chart_session_get_type ())
G_DECLARE_FINAL_TYPE (StudioChartSession, studio_chart_session, STUDIO, CHART_SESSION, GObject)

StudioChartSession *studio_chart_session_new (void);
void studio_chart_session_set_range (StudioChartSession *self, double low, double high); /* NaN: all of the data */
void studio_chart_session_get_range (StudioChartSession *self, double *low, double *high);
void studio_chart_session_set_pointer (StudioChartSession *self, double x); /* NaN: no pointer in a chart */
double studio_chart_session_get_pointer (StudioChartSession *self);
