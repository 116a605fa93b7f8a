/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heat maps of tensors with feature names on their axes, and film strips of slices. Colours are diverging even without
 * negative values: a tensor, its residual and its slices share the same scale.
 */
#include "core/plot/draw-slices.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

/* --- names --- */

GArray *
tosst_feature_groups (const TosstFeatureOptions *options)
{
  GArray *groups = g_array_new (FALSE, TRUE, sizeof (TosstFeatureGroup));
  int d = tosst_feature_dimension (options);

  for (int i = 0; i < d; i++)
    {
      TosstFeatureGroup group = { "", i, 1 }, *last;
      char label[32];

      tosst_feature_label (options, i, label, sizeof label);
      label[strcspn (label, " ")] = 0; /* without the pivot's number */
      g_strlcpy (group.name, label, sizeof group.name);
      last = groups->len > 0 ? &g_array_index (groups, TosstFeatureGroup, groups->len - 1) : NULL;
      if (last != NULL && strcmp (last->name, group.name) == 0)
        last->count++;
      else
        g_array_append_val (groups, group);
    }
  return groups;
}

char *
tosst_feature_group_label (const GArray *groups, int i)
{
  for (guint g = 0; groups != NULL && g < groups->len; g++)
    {
      const TosstFeatureGroup *group = &g_array_index (groups, TosstFeatureGroup, g);

      if (i >= group->first && i < group->first + group->count)
        return group->count > 1 ? g_strdup_printf ("%s %d", group->name, i - group->first + 1) : g_strdup (group->name);
    }
  return g_strdup_printf ("%d", i + 1);
}

const char *
tosst_slice_map_label (int map)
{
  static const char *const labels[] = { N_ ("Tensor"), N_ ("Reconstruction"), N_ ("Residual") };

  return labels[map];
}

/* --- cells --- */

void
tosst_draw_cells (cairo_t *cr, const TosstChartStyle *style, const double *matrix, int rows, int columns, double limit,
                  double x, double y, double cell)
{
  cairo_surface_type_t type = cairo_surface_get_type (cairo_get_target (cr));
  gboolean vector = type == CAIRO_SURFACE_TYPE_SVG || type == CAIRO_SURFACE_TYPE_PDF;
  int zoom = vector ? MAX (1, (int)ceil (cell)) : 1;
  /* An image of rows x columns entries, each `zoom` pixels wide and high. */
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, columns * zoom, rows * zoom);
  gpointer pixels = cairo_image_surface_get_data (surface);

  if (pixels != NULL)
    tosst_heat_pixels (matrix, rows, columns, zoom, limit, tosst_has_dark_cells (style), pixels);
  cairo_surface_mark_dirty (surface);

  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, cell / zoom, cell / zoom);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (cr, 0, 0, columns * zoom, rows * zoom);
  cairo_fill (cr);
  cairo_restore (cr);
  cairo_surface_destroy (surface);
}

/* --- names on axes --- */

static void
draw_name (cairo_t *cr, TosstText *text, const char *name, double x, double y, gboolean below)
{
  if (below)
    tosst_text_draw (text, cr, name, x, y + 0.25 * text->size, 0.5, 0, 0, 0, SMALL, FALSE);
  else
    tosst_text_draw (text, cr, name, x - 0.4 * text->size, y, 1, 0.5, 0, 0, SMALL, FALSE);
}

static void
draw_numbers (cairo_t *cr, TosstText *text, double x, double y, double cell, int n, gboolean below)
{
  static const int steps[] = { 1, 5, 10, 20, 50, 100, 200, 500 };
  guint step = 0;

  while (step + 1 < G_N_ELEMENTS (steps) && steps[step] * cell < 2.2 * text->size)
    step++;
  for (int i = 1; i <= n; i++)
    if (i == 1 || i % steps[step] == 0)
      {
        g_autofree char *label = g_strdup_printf ("%d", i);
        double at = (i - 0.5) * cell;

        draw_name (cr, text, label, below ? x + at : x, below ? y : y + at, below);
      }
}

/* Names of n rows to the left of x, or of n columns below y. */
static void
draw_names (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const GArray *groups, double x, double y,
            double cell, int n, gboolean below)
{
  double widest = 0;

  tosst_color_set (cr, tosst_color_dim (style), 1);
  if (groups == NULL)
    {
      draw_numbers (cr, text, x, y, cell, n, below);
      return;
    }
  text->symbols = TRUE;
  for (guint g = 0; g < groups->len; g++)
    widest = MAX (widest, tosst_text_width (text, g_array_index (groups, TosstFeatureGroup, g).name, SMALL));
  /* Step between names that keeps them apart. */
  int every = MAX (1, (int)ceil ((below ? widest + 0.3 * text->size : 1.05 * text->size)
                                 / MAX ((n * cell) / MAX ((int)groups->len, 1), 0.01)));
  for (guint g = 0; g < groups->len; g += (guint)every)
    {
      const TosstFeatureGroup *group = &g_array_index (groups, TosstFeatureGroup, g);
      double at = (group->first + 0.5 * group->count) * cell;

      draw_name (cr, text, group->name, below ? x + at : x, below ? y : y + at, below);
    }
  text->symbols = FALSE;
}

/* Separators between features. */
static void
draw_borders (cairo_t *cr, const TosstChartStyle *style, const GArray *groups, double x, double y, double cell,
              int rows, int columns)
{
  if (groups == NULL || groups->len < 2 || g_array_index (groups, TosstFeatureGroup, 0).count < 2)
    return;
  for (guint g = 1; g < groups->len; g++)
    {
      double at = round (g_array_index (groups, TosstFeatureGroup, g).first * cell) + 0.5;

      cairo_move_to (cr, x + at, y);
      cairo_rel_line_to (cr, 0, rows * cell);
      cairo_move_to (cr, x, y + at);
      cairo_rel_line_to (cr, columns * cell, 0);
    }
  tosst_color_set (cr, tosst_color_dim (style), style->high_contrast ? 0.7 : 0.28);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static double
names_width (TosstText *text, const GArray *groups)
{
  double widest = groups == NULL ? tosst_text_width (text, "00", SMALL) : 0;

  text->symbols = TRUE;
  for (guint g = 0; groups != NULL && g < groups->len; g++)
    widest = MAX (widest, tosst_text_width (text, g_array_index (groups, TosstFeatureGroup, g).name, SMALL));
  text->symbols = FALSE;
  return widest + 0.7 * text->size;
}

/* --- several maps in a row --- */

typedef struct
{
  double x, y, cell, gap, bar_x; /* of the first map */
  double width, height;          /* of a map */
} Layout;

/* For titles and names of columns, in text sizes. */
#define MARGIN_ABOVE 1.9
#define MARGIN_BELOW 1.7

static void
lay_out (TosstText *text, double width, double height, int maps, int rows, int columns, const GArray *groups,
         gboolean titled, Layout *out)
{
  double left = names_width (text, groups), top = titled ? MARGIN_ABOVE * text->size : 0.4 * text->size;
  double bar = 6.2 * text->size, below = MARGIN_BELOW * text->size, cell;

  out->gap = 1.2 * text->size;
  cell = MIN ((width - left - bar - (maps - 1) * out->gap) / (maps * columns), (height - top - below) / rows);
  /* Whole pixels make cells equal, if they are large enough. */
  out->cell = cell >= 3 ? floor (cell) : MAX (cell, 0.5);
  out->width = out->cell * columns;
  out->height = out->cell * rows;
  /* Maps and colour bar are centred together. */
  out->x = round (left + MAX (0, width - left - bar - maps * out->width - (maps - 1) * out->gap) / 2);
  out->y = round (top + MAX (0, height - top - below - out->height) / 2);
  out->bar_x = out->x + maps * out->width + (maps - 1) * out->gap + 0.9 * text->size;
}

static gboolean
pick (const Layout *layout, int maps, int rows, int columns, double px, double py, int *map, int *row, int *column)
{
  for (int i = 0; i < maps; i++)
    {
      double x = px - layout->x - i * (layout->width + layout->gap), y = py - layout->y;

      if (x < 0 || y < 0 || x >= layout->width || y >= layout->height)
        continue;
      *map = i;
      *row = MIN ((int)(y / layout->cell), rows - 1);
      *column = MIN ((int)(x / layout->cell), columns - 1);
      return TRUE;
    }
  return FALSE;
}

static void
draw_maps (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Layout *layout, const double *const *maps,
           int n, int rows, int columns, const GArray *groups, double limit)
{
  gboolean negative;

  for (int i = 0; i < n; i++)
    limit = MAX (limit, tosst_matrix_limit (maps[i], (gsize)rows * columns, &negative));

  for (int i = 0; i < n; i++)
    {
      double x = layout->x + i * (layout->width + layout->gap);

      tosst_draw_cells (cr, style, maps[i], rows, columns, limit, x, layout->y, layout->cell);
      draw_borders (cr, style, groups, x, layout->y, layout->cell, rows, columns);

      tosst_color_set (cr, tosst_color_dim (style), style->high_contrast ? 1 : 0.6);
      cairo_set_line_width (cr, style->high_contrast ? 1.5 : 1);
      cairo_rectangle (cr, x - 0.5, layout->y - 0.5, layout->width + 1, layout->height + 1);
      cairo_stroke (cr);
      draw_names (cr, text, style, groups, x, layout->y + layout->height, layout->cell, columns, TRUE);
    }
  draw_names (cr, text, style, groups, layout->x, layout->y, layout->cell, rows, FALSE);
  tosst_draw_heat_bar (cr, text, style, limit, layout->bar_x, layout->y, 0.9 * text->size, layout->height);
}

void
tosst_draw_slices (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                   const TosstSlicesDrawing *self)
{
  gsize square = (gsize)self->rows * self->columns;
  const double *maps[TOSST_N_SLICE_MAPS];
  double scale = 1;
  Layout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (&text, width, height, TOSST_N_SLICE_MAPS, self->rows, self->columns, self->groups, TRUE, &layout);
  for (int i = 0; i < TOSST_N_SLICE_MAPS; i++) /* small maps have smaller titles, not shorter ones */
    scale = MIN (scale, (layout.width + 0.6 * layout.gap) / tosst_text_width (&text, _ (tosst_slice_map_label (i)), 1));
  scale = MAX (scale, 0.75);
  for (int i = 0; i < TOSST_N_SLICE_MAPS; i++)
    {
      maps[i] = self->map[i] + self->chosen * square;
      tosst_color_set (cr, tosst_color_text (style), 1);
      tosst_text_draw (&text, cr, _ (tosst_slice_map_label (i)),
                       layout.x + i * (layout.width + layout.gap) + 0.5 * layout.width, layout.y - 0.5 * text.size, 0.5,
                       1, 0, layout.width + 0.6 * layout.gap, scale, FALSE);
    }
  draw_maps (cr, &text, style, &layout, maps, TOSST_N_SLICE_MAPS, self->rows, self->columns, self->groups, 0);
}

double
tosst_slices_height (double width, const TosstChartStyle *style, const TosstSlicesDrawing *self)
{
  Layout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (&text, width, G_MAXINT, TOSST_N_SLICE_MAPS, self->rows, self->columns, self->groups, TRUE, &layout);
  return ceil (MARGIN_ABOVE * text.size + layout.height + MARGIN_BELOW * text.size);
}

gboolean
tosst_slices_pick (double width, double height, const TosstChartStyle *style, const TosstSlicesDrawing *self,
                   double pointer_x, double pointer_y, int *map, int *row, int *column)
{
  Layout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (&text, width, height, TOSST_N_SLICE_MAPS, self->rows, self->columns, self->groups, TRUE, &layout);
  return pick (&layout, TOSST_N_SLICE_MAPS, self->rows, self->columns, pointer_x, pointer_y, map, row, column);
}

void
tosst_draw_named_matrix (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                         const TosstMatrixDrawing *self)
{
  Layout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (&text, width, height, 1, self->rows, self->columns, self->groups, FALSE, &layout);
  draw_maps (cr, &text, style, &layout, &self->matrix, 1, self->rows, self->columns, self->groups, self->limit);
}

gboolean
tosst_named_matrix_pick (double width, double height, const TosstChartStyle *style, const TosstMatrixDrawing *self,
                         double pointer_x, double pointer_y, int *row, int *column)
{
  Layout layout;
  int map;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (&text, width, height, 1, self->rows, self->columns, self->groups, FALSE, &layout);
  return pick (&layout, 1, self->rows, self->columns, pointer_x, pointer_y, &map, row, column);
}

/* --- film strips --- */

#define STRIP_GAP 4.0
#define STRIP_SHARE 0.28 /* wanted height, of the width */

/* Number of columns that gives the largest thumbnails. */
static double
strip_cell (double width, double height, const TosstStripDrawing *self, int *columns)
{
  double best = 0;

  *columns = 1;
  for (int n = 1; n <= self->planes; n++)
    {
      int lines = (self->planes + n - 1) / n;
      double cell = MIN ((width - (n + 1) * STRIP_GAP) / (n * self->columns),
                         (height - (lines + 1) * STRIP_GAP) / (lines * self->rows));

      if (cell > best)
        {
          best = cell;
          *columns = n;
        }
    }
  return MAX (best, 0.1);
}

/* From the upper left corner, with the same gap between columns as between lines. */
static void
strip_position (const TosstStripDrawing *self, double cell, int columns, int plane, double *x, double *y)
{
  *x = round (0.5 * STRIP_GAP + plane % columns * (cell * self->columns + STRIP_GAP));
  *y = round (0.5 * STRIP_GAP + (double)(plane / columns) * (cell * self->rows + STRIP_GAP));
}

void
tosst_draw_strip (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstStripDrawing *self)
{
  gsize square = (gsize)self->rows * self->columns;
  gboolean negative;
  double limit = tosst_matrix_limit (self->values, square * self->planes, &negative), cell;
  int columns;

  cell = strip_cell (width, height, self, &columns);

  for (int s = 0; s < self->planes; s++)
    {
      double x, y;

      strip_position (self, cell, columns, s, &x, &y);
      tosst_draw_cells (cr, style, self->values + s * square, self->rows, self->columns, limit, x, y, cell);
      tosst_color_set (cr, tosst_color_grid (style), 1);
      cairo_set_line_width (cr, 1);
      cairo_rectangle (cr, x - 0.5, y - 0.5, ceil (cell * self->columns) + 1, ceil (cell * self->rows) + 1);
      cairo_stroke (cr);
      if (s != self->chosen)
        continue;
      tosst_color_set (cr, tosst_color_series (style, 0), 1);
      cairo_set_line_width (cr, 2);
      cairo_rectangle (cr, x - 1.5, y - 1.5, cell * self->columns + 3, cell * self->rows + 3);
      cairo_stroke (cr);
    }
}

int
tosst_strip_pick (double width, double height, const TosstStripDrawing *self, double pointer_x, double pointer_y)
{
  int columns;
  double cell = strip_cell (width, height, self, &columns);

  for (int s = 0; s < self->planes; s++)
    {
      double x, y;

      strip_position (self, cell, columns, s, &x, &y);
      if (pointer_x >= x - 2 && pointer_x < x + cell * self->columns + 2 && pointer_y >= y - 2
          && pointer_y < y + cell * self->rows + 2)
        return s;
    }
  return -1;
}

/* The number of lines follows from the number of thumbnails alone: GTK takes it that a height between two equal ones is
 * the same, so that it must not fall where lines become fewer. */
double
tosst_strip_height (double width, const TosstStripDrawing *self)
{
  int columns, lines;

  strip_cell (1000, 1000 * STRIP_SHARE, self, &columns);
  lines = (self->planes + columns - 1) / columns;
  double cell = MAX ((width - (columns + 1) * STRIP_GAP) / (columns * self->columns), 0.1);
  return lines * (cell * self->rows + STRIP_GAP) + STRIP_GAP;
}

int
tosst_strip_columns (double width, double height, const TosstStripDrawing *self)
{
  int columns;

  strip_cell (width, height, self, &columns);
  return columns;
}
