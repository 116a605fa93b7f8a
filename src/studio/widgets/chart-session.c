/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/chart-session.h"

#include <math.h>

#include "studio/widgets/build.h"

struct _StudioChartSession
{
  GObject parent_instance;
  double low, high, pointer;
};

G_DEFINE_FINAL_TYPE (StudioChartSession, studio_chart_session, G_TYPE_OBJECT)

static void
studio_chart_session_class_init (StudioChartSessionClass *klass)
{
  studio_add_signal (klass, "range", 0);
  studio_add_signal (klass, "pointer", 0);
}

static void
studio_chart_session_init (StudioChartSession *self)
{
  self->low = self->high = self->pointer = NAN;
}

StudioChartSession *
studio_chart_session_new (void)
{
  return g_object_new (STUDIO_TYPE_CHART_SESSION, NULL);
}

static gboolean
same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

void
studio_chart_session_set_range (StudioChartSession *self, double low, double high)
{
  if (same (low, self->low) && same (high, self->high))
    return;
  self->low = low;
  self->high = high;
  g_signal_emit_by_name (self, "range");
}

void
studio_chart_session_get_range (StudioChartSession *self, double *low, double *high)
{
  *low = self->low;
  *high = self->high;
}

void
studio_chart_session_set_pointer (StudioChartSession *self, double x)
{
  if (same (x, self->pointer))
    return;
  self->pointer = x;
  g_signal_emit_by_name (self, "pointer");
}

double
studio_chart_session_get_pointer (StudioChartSession *self)
{
  return self->pointer;
}
