/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/chart.h"

G_BEGIN_DECLS

/* Which point of a chart somebody reads by keys. All zero: none. */
typedef struct
{
  gboolean active;
  guint series;
  gsize point;
} StudioChartReading;

/* Left, right, home and end go along a curve, up and down to another. */
gboolean studio_chart_reading_is_key (guint key);
/* Begins where nothing is read, or its curve is hidden or empty by now, with the first point of the first curve that
 * has any; else goes where the key says. FALSE, and nothing is read: no curve has points. */
gboolean studio_chart_reading_move (StudioChartReading *reading, TosstChart *chart, guint key);

G_END_DECLS
