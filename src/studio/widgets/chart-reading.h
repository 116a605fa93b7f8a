/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"

/* The point of a chart that is read with the keyboard. All zero: none. */
typedef struct
{
  gboolean active;
  guint series;
  gsize point;
} StudioChartReading;

/* Left, Right, Home and End move along a curve, Up and Down to another curve. */
gboolean studio_chart_reading_is_key (guint key);
/* Starts with the first point of the first curve that has any if no point is read or its curve is hidden or empty; else
 * moves according to the key. FALSE, and no point is read: no curve has points. */
gboolean studio_chart_reading_move (StudioChartReading *reading, TosstChart *chart, guint key);
