/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"

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
