/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* The x axis that charts have in common: whoever zooms or pans one, or points into it, does so in its partners, too.
 * Main thread. Signals "range" and "pointer" when they change. */
#define STUDIO_TYPE_CHART_SESSION (studio_chart_session_get_type ())
G_DECLARE_FINAL_TYPE (StudioChartSession, studio_chart_session, STUDIO, CHART_SESSION, GObject)

StudioChartSession *studio_chart_session_new (void);
void studio_chart_session_set_range (StudioChartSession *self, double low, double high); /* NaN: all of the data */
void studio_chart_session_get_range (StudioChartSession *self, double *low, double *high);
void studio_chart_session_set_pointer (StudioChartSession *self, double x); /* NaN: nobody points anywhere */
double studio_chart_session_get_pointer (StudioChartSession *self);

G_END_DECLS
