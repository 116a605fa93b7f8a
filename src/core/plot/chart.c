/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data of a chart: series of points and their extents. */
#include "core/base/base.h"
#include "core/plot/chart-private.h"

TOSST_DEFINE_FREE (TosstSeries, series_free, (name, g_free), (points, g_array_unref))

TosstChart *
tosst_chart_new (const char *title, const char *x_label, const char *y_label)
{
  TosstChart *self = g_new0 (TosstChart, 1);

  self->title = g_strdup (title ? title : "");
  self->x_label = g_strdup (x_label ? x_label : "");
  self->y_label = g_strdup (y_label ? y_label : "");
  self->series = g_ptr_array_new_with_free_func (series_free);
  self->x_low = self->x_high = self->y_low = self->y_high = NAN;
  self->y_least = -INFINITY;
  self->y_most = INFINITY;
  return self;
}

TosstChart *
tosst_chart_copy (TosstChart *self)
{
  TosstChart *copy = g_memdup2 (self, sizeof *self);

  copy->best_label = g_strdup (self->best_label);
  copy->title = g_strdup (self->title);
  copy->x_label = g_strdup (self->x_label);
  copy->y_label = g_strdup (self->y_label);
  copy->categories = g_strdupv (self->categories);
  copy->series = g_ptr_array_new_with_free_func (series_free);
  for (guint i = 0; i < self->series->len; i++)
    {
      TosstSeries *series = g_memdup2 (self->series->pdata[i], sizeof *series);

      series->name = g_strdup (series->name);
      series->points = g_array_copy (series->points);
      g_ptr_array_add (copy->series, series);
    }
  return copy;
}

TOSST_DEFINE_PUBLIC_FREE (TosstChart, tosst_chart_free, TosstChart *, (best_label, g_free), (title, g_free),
                          (x_label, g_free), (y_label, g_free), (categories, g_strfreev), (series, g_ptr_array_unref))

static TosstSeries *
series_at (TosstChart *self, guint series)
{
  return g_ptr_array_index (self->series, series);
}

guint
tosst_chart_add_series (TosstChart *self, const char *name)
{
  TosstSeries *series = g_new0 (TosstSeries, 1);

  series->name = g_strdup (name ? name : "");
  series->color = self->series->len;
  series->visible = TRUE;
  series->sorted = TRUE;
  series->points = g_array_new (FALSE, FALSE, sizeof (TosstChartPoint));
  g_ptr_array_add (self->series, series);
  return self->series->len - 1;
}

void
tosst_chart_set_series_color (TosstChart *self, guint series, guint color)
{
  series_at (self, series)->color = color;
}

guint
tosst_chart_series_color (TosstChart *self, guint series)
{
  return series_at (self, series)->color;
}

const char *
tosst_chart_series_name (TosstChart *self, guint series)
{
  return series_at (self, series)->name;
}

guint
tosst_chart_twins (TosstChart *self, guint series)
{
  guint twins = 0;

  for (guint i = 0; i < series; i++)
    twins += series_at (self, i)->visible
             && series_at (self, i)->color % TOSST_CHART_COLORS == series_at (self, series)->color % TOSST_CHART_COLORS;
  return twins;
}

void
tosst_chart_set_series_visible (TosstChart *self, guint series, gboolean visible)
{
  series_at (self, series)->visible = visible;
}

void
tosst_chart_append (TosstChart *self, guint series, double x, double y)
{
  tosst_chart_append_error (self, series, x, y, NAN);
}

void
tosst_chart_append_error (TosstChart *self, guint series, double x, double y, double deviation)
{
  TosstChartPoint point = { x, y, deviation };

  TosstSeries *to = series_at (self, series);
  if (to->points->len > 0)
    to->sorted = to->sorted && x >= g_array_index (to->points, TosstChartPoint, to->points->len - 1).x;
  else
    to->sorted = !isnan (x);
  to->has_errors = to->has_errors || isfinite (deviation);
  g_array_append_val (to->points, point);
}

void
tosst_chart_clear (TosstChart *self)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      TosstSeries *series = series_at (self, i);
      g_array_set_size (series->points, 0);
      series->sorted = TRUE;
      series->has_errors = FALSE;
    }
  self->drawn = FALSE;
}

gsize
tosst_chart_points (TosstChart *self, guint series)
{
  return series_at (self, series)->points->len;
}

void
tosst_chart_set_logarithmic (TosstChart *self, gboolean x, gboolean y)
{
  self->log_x = x;
  self->log_y = y;
  self->drawn = FALSE;
}

void
tosst_chart_get_logarithmic (TosstChart *self, gboolean *x, gboolean *y)
{
  *x = self->log_x;
  *y = self->log_y;
}

guint
tosst_chart_series (TosstChart *self)
{
  return self->series->len;
}

gboolean
tosst_chart_series_visible (TosstChart *self, guint series)
{
  return ((TosstSeries *)g_ptr_array_index (self->series, series))->visible;
}

void
tosst_chart_set_y_bounds (TosstChart *self, double low, double high)
{
  self->y_least = isnan (low) ? -INFINITY : low;
  self->y_most = isnan (high) ? INFINITY : high;
  self->drawn = FALSE;
}

void
tosst_chart_set_integer_x (TosstChart *self, gboolean integer)
{
  self->integer_x = integer;
  self->drawn = FALSE;
}

void
tosst_chart_set_categories (TosstChart *self, const char *const *names, guint n)
{
  g_clear_pointer (&self->categories, g_strfreev);
  self->categories = n > 0 ? g_new0 (char *, n + 1) : NULL;
  for (guint i = 0; i < n; i++)
    self->categories[i] = g_strdup (names[i]);
  self->n_categories = n;
  self->drawn = FALSE;
}

gboolean
tosst_chart_has_categories (TosstChart *self)
{
  return self->categories != NULL;
}

void
tosst_chart_set_best (TosstChart *self, int series, TosstChartBest best)
{
  self->best_of = series;
  self->best = best;
}

void
tosst_chart_set_best_label (TosstChart *self, const char *label)
{
  g_free (self->best_label);
  self->best_label = g_strdup (label);
}

gboolean
tosst_chart_get_best (TosstChart *self, guint *series, double *x, double *y)
{
  gboolean found = FALSE;

  for (guint i = 0; self->best != TOSST_CHART_BEST_NONE && i < self->series->len; i++)
    {
      TosstSeries *s = series_at (self, i);

      for (guint k = 0; s->visible && (self->best_of < 0 || (guint)self->best_of == i) && k < s->points->len; k++)
        {
          const TosstChartPoint *point = &g_array_index (s->points, TosstChartPoint, k);

          if (!isfinite (point->x) || !isfinite (point->y)
              || (found && !(self->best == TOSST_CHART_BEST_LOWEST ? point->y < *y : point->y > *y)))
            continue;
          found = TRUE;
          *series = i;
          *x = point->x;
          *y = point->y;
        }
    }
  return found;
}

/* Number of drawn series before this one. */
static guint
visible_before (TosstChart *self, guint series)
{
  guint visible = 0;

  for (guint i = 0; i < series; i++)
    visible += series_at (self, i)->visible && series_at (self, i)->points->len > 0;
  return visible;
}

guint
tosst_chart_visible (TosstChart *self)
{
  return visible_before (self, self->series->len);
}

double
tosst_chart_shift (TosstChart *self, guint series)
{
  return (visible_before (self, series) - 0.5 * (tosst_chart_visible (self) - 1.0)) * self->step;
}

void
tosst_chart_set_title (TosstChart *self, const char *title)
{
  g_free (self->title);
  self->title = g_strdup (title ? title : "");
}

void
tosst_chart_set_x_label (TosstChart *self, const char *label)
{
  g_free (self->x_label);
  self->x_label = g_strdup (label ? label : "");
}

static void
set_range (double *low_at, double *high_at, double low, double high)
{
  gboolean usable = isfinite (low) && isfinite (high) && low < high;

  *low_at = usable ? low : NAN;
  *high_at = usable ? high : NAN;
}

void
tosst_chart_set_x_range (TosstChart *self, double low, double high)
{
  set_range (&self->x_low, &self->x_high, low, high);
}

void
tosst_chart_set_y_range (TosstChart *self, double low, double high)
{
  set_range (&self->y_low, &self->y_high, low, high);
}

void
tosst_chart_get_y_range (TosstChart *self, double *low, double *high)
{
  *low = self->y_low;
  *high = self->y_high;
}

void
tosst_chart_get_x_range (TosstChart *self, double *low, double *high)
{
  *low = self->x_low;
  *high = self->x_high;
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  double x = ((const TosstChartPoint *)a)->x, y = ((const TosstChartPoint *)b)->x;

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x < y ? -1 : x > y;
}

void
tosst_chart_sort (TosstChart *self)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      TosstSeries *series = series_at (self, i);
      if (series->sorted)
        continue;
      g_array_sort (series->points, compare_points);
      /* After a NaN at the end the next append requires sorting. */
      series->sorted = !isnan (g_array_index (series->points, TosstChartPoint, series->points->len - 1).x);
    }
}

void
tosst_chart_x_extent (TosstChart *self, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  if (self->n_categories > 0)
    {
      *low = -0.5;
      *high = self->n_categories - 0.5;
      return;
    }
  for (guint i = 0; i < self->series->len; i++)
    {
      TosstSeries *series = series_at (self, i);
      const TosstChartPoint *points = (const TosstChartPoint *)series->points->data;
      guint n = series->visible ? series->points->len : 0, first = 0, last;

      while (first < n && !(isfinite (points[first].x) && (!self->log_x || points[first].x > 0.0)))
        first++;
      for (last = n; last > first && !isfinite (points[last - 1].x);)
        last--;
      if (first < last)
        {
          *low = MIN (*low, points[first].x);
          *high = MAX (*high, points[last - 1].x);
        }
    }
}

static gboolean
can_show (double value, gboolean logarithmic)
{
  return isfinite (value) && (!logarithmic || value > 0.0);
}

void
tosst_chart_bar (const TosstChart *self, const TosstChartPoint *point, double *low, double *high)
{
  double deviation = isfinite (point->deviation) ? point->deviation : 0.0;

  *low = MAX (point->y - deviation, MIN (self->y_least, point->y));
  *high = MIN (point->y + deviation, MAX (self->y_most, point->y));
}

void
tosst_chart_y_extent (TosstChart *self, double x_low, double x_high, double *low, double *high)
{
  double smallest = INFINITY, largest = -INFINITY;

  for (guint i = 0; i < self->series->len; i++)
    {
      TosstSeries *series = series_at (self, i);
      const TosstChartPoint *points = (const TosstChartPoint *)series->points->data;

      if (!series->visible)
        continue;
      for (guint k = tosst_series_find (series, x_low); k < series->points->len && points[k].x <= x_high; k++)
        {
          double y = points[k].y, bottom, top;
          if (!can_show (y, self->log_y))
            continue;
          tosst_chart_bar (self, points + k, &bottom, &top);
          smallest = MIN (smallest, can_show (bottom, self->log_y) ? bottom : y);
          largest = MAX (largest, top);
        }
    }
  *low = smallest;
  *high = largest;
}

guint
tosst_series_find (const TosstSeries *series, double value)
{
  guint low = 0, high = series->points->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (g_array_index (series->points, TosstChartPoint, middle).x < value)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}
