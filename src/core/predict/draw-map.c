/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/predict/draw-map.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

static gboolean
same (const int *cells, int rows, int columns, int i, int j, int di, int dj)
{
  int p = i + di, q = j + dj;

  return p >= 0 && q >= 0 && p < rows && q < columns && cells[p * (gsize)columns + q] == cells[i * (gsize)columns + j];
}

/* Visits all cells connected with `first` once. */
static TosstMapRegion
flood (const int *cells, int rows, int columns, const int *room, gsize first, guint8 *seen, GArray *stack)
{
  static const int near[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
  TosstMapRegion region = { cells[first], 0, 0, 0 };

  g_array_append_val (stack, first);
  seen[first] = 1;
  while (stack->len > 0)
    {
      gsize at = g_array_index (stack, gsize, stack->len - 1);
      int i = (int)(at / columns), j = (int)(at % columns);

      g_array_set_size (stack, stack->len - 1);
      if (room[at] > region.room)
        region = (TosstMapRegion){ region.value, i, j, room[at] };
      for (int k = 0; k < 4; k++)
        {
          gsize next = at + near[k][0] * (gssize)columns + near[k][1];

          if (!same (cells, rows, columns, i, j, near[k][0], near[k][1]) || seen[next])
            continue;
          seen[next] = 1;
          g_array_append_val (stack, next);
        }
    }
  return region;
}

GArray *
tosst_map_regions (const int *cells, int rows, int columns)
{
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (TosstMapRegion));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (gsize));

  /* Chessboard distance of each cell to the nearest cell of another class, in two passes: from the top left and from
   * the bottom right. */
  g_autofree int *room = g_new (int, (gsize)rows *columns);

  for (int pass = 0; pass < 2; pass++)
    for (gsize n = 0; n < (gsize)rows * columns; n++)
      {
        gsize at = pass == 0 ? n : (gsize)rows * columns - 1 - n;
        int i = (int)(at / columns), j = (int)(at % columns), sign = pass == 0 ? -1 : 1;
        const int near[4][2] = { { sign, -1 }, { sign, 0 }, { sign, 1 }, { 0, sign } };
        int least = G_MAXINT - 1;

        for (int k = 0; k < 4; k++)
          least = MIN (least, same (cells, rows, columns, i, j, near[k][0], near[k][1])
                                  ? room[(i + near[k][0]) * (gsize)columns + j + near[k][1]]
                                  : 0);
        room[at] = pass == 0 ? least + 1 : MIN (room[at], least + 1);
      }
  g_autofree guint8 *seen = g_malloc0 ((gsize)rows * columns);

  for (gsize at = 0; at < (gsize)rows * columns; at++)
    if (!seen[at])
      {
        TosstMapRegion region = flood (cells, rows, columns, room, at, seen, stack);

        g_array_append_val (regions, region);
      }
  return regions;
}

static const double LINE = 1.75;             /* of the legend, in font sizes */
static const double SMALL = 0.9;             /* footer */
static const int MAX_PIXELS = 2000;          /* of the longer side of the drawn image */
static const double MAX_WIDE = 22;           /* width of a name in the legend, in font sizes */
static const double SHORT = 420, LONG = 960; /* longer side of the picture */

/* --- colours of classes --- */

typedef struct
{
  guint class_index;
  gsize windows;
} Entry;

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *p = a, *q = b;

  if (p->windows != q->windows)
    return p->windows < q->windows ? 1 : -1;
  return p->class_index < q->class_index ? -1 : 1;
}

/* The classes that occur, by decreasing area; colors: index of a colour for each class. */
static GArray *
list_entries (const TosstClassMap *map, guint *colors)
{
  g_autofree gsize *counts = g_new (gsize, map->classes);
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  tosst_class_map_count (map, counts);
  for (guint c = 0; c < (guint)map->classes; c++)
    {
      Entry entry = { c, counts[c] };

      colors[c] = c;
      if (counts[c] > 0)
        g_array_append_val (entries, entry);
    }
  g_array_sort (entries, compare_entries);
  for (guint i = 0; map->classes > TOSST_MAP_COLORS && i < entries->len; i++)
    colors[g_array_index (entries, Entry, i).class_index] = i;
  return entries;
}

/* --- layout --- */

typedef struct
{
  double x, y, scale; /* of the image: position, and points per pixel */
  double legend_x, name_width, share_width, line;
  guint lines; /* number of legend lines that fit */
} MapLayout;

static char *
share_text (const TosstClassMap *map, gsize windows)
{
  double share = 100.0 * windows / ((double)map->rows * map->columns);

  return share < 0.05 ? g_strdup (_ ("< 0.1 %")) : g_strdup_printf (_ ("%.1f %%"), share);
}

static double
legend_width (TosstText *text, const TosstClassMap *map, const GArray *entries, MapLayout *layout)
{
  layout->name_width = 4 * text->size;
  for (guint i = 0; i < entries->len; i++)
    {
      const char *name = map->class_names[g_array_index (entries, Entry, i).class_index];

      layout->name_width = MAX (layout->name_width, tosst_text_width (text, name, 1));
    }
  layout->name_width = MIN (layout->name_width, MAX_WIDE * text->size);
  layout->share_width = 1.5 * text->size + tosst_text_width (text, "100.0 %", 1);
  layout->line = LINE * text->size;
  return 3.4 * text->size + layout->name_width + layout->share_width;
}

void
tosst_map_drawing_size (const TosstMapDrawing *self, const TosstChartStyle *style, double *width, double *height)
{
  const TosstClassMap *map = self->map;
  g_autofree guint *colors = g_new (guint, map->classes);
  g_autoptr (GArray) entries = list_entries (map, colors);
  double longer = MAX (map->image_width, map->image_height), scale = CLAMP (longer, SHORT, LONG) / longer;
  MapLayout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  *width = scale * map->image_width + legend_width (&text, map, entries, &layout) + 3 * text.size;
  /* A flat image still leaves room for all names, up to a limit. */
  *height = MAX (scale * map->image_height + 2 * text.size, MIN (entries->len, 40) * layout.line) + 2 * text.size;
}

/* --- the picture --- */

static double
grey_at (const TosstImage *image, int x, int y)
{
  gsize at = (gsize)y * image->width + x, plane = (gsize)image->width * image->height;

  if (image->channels == 1)
    return image->data[at];
  return 0.299 * image->data[at] + 0.587 * image->data[plane + at] + 0.114 * image->data[2 * plane + at];
}

/* Premultiplied. */
static guint32
pixel_of (TosstColor color, double alpha)
{
  double all = 255 * alpha;

  return (guint32)lround (all) << 24 | (guint32)lround (all * color.r) << 16 | (guint32)lround (all * color.g) << 8
         | (guint32)lround (all * color.b);
}

/* The image in grey, averaged over factor x factor pixels. */
static cairo_surface_t *
grey_surface (const TosstImage *image, int factor)
{
  int width = (image->width + factor - 1) / factor, height = (image->height + factor - 1) / factor;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (int y = 0; data != NULL && y < height; y++)
    for (int x = 0; x < width; x++)
      {
        int right = MIN ((x + 1) * factor, image->width), bottom = MIN ((y + 1) * factor, image->height);
        double sum = 0, n = (double)(right - x * factor) * (bottom - y * factor);

        for (int v = y * factor; v < bottom; v++)
          for (int u = x * factor; u < right; u++)
            sum += grey_at (image, u, v);
        sum = CLAMP (sum / n, 0, 1);
        ((guint32 *)(void *)(data + (gsize)y * stride))[x] = pixel_of ((TosstColor){ sum, sum, sum }, 1);
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* Index of the window with the centre nearest to a pixel. */
static int
nearest_window (const TosstClassMap *map, double pixel, int windows)
{
  return CLAMP ((int)floor ((pixel - 0.5 * (map->window - map->step)) / map->step), 0, windows - 1);
}

/* Takes the surface, which covers the whole image. */
static void
paint_surface (cairo_t *cr, cairo_surface_t *surface, const MapLayout *layout, int factor, cairo_filter_t filter,
               double opacity)
{
  cairo_save (cr);
  cairo_translate (cr, layout->x, layout->y);
  cairo_scale (cr, layout->scale * factor, layout->scale * factor);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), filter);
  cairo_paint_with_alpha (cr, opacity);
  cairo_restore (cr);
  cairo_surface_destroy (surface);
}

/* The colour of each window, premultiplied. New. */
static guint32 *
color_windows (const TosstMapDrawing *self, const guint *colors)
{
  const TosstClassMap *map = self->map;
  guint32 *pixels = g_new (guint32, (gsize)map->rows * map->columns);

  for (int i = 0; i < map->rows; i++)
    for (int j = 0; j < map->columns; j++)
      pixels[(gsize)i * map->columns + j]
          = pixel_of (tosst_color_map (colors[map->class_index[(gsize)i * map->columns + j]]),
                      self->uncertain ? tosst_class_map_certainty (map, i, j, NULL) : 1);
  return pixels;
}

/* The colours of the windows over the image, one pixel for factor x factor of its pixels. */
static cairo_surface_t *
color_surface (const TosstMapDrawing *self, const guint *colors, int factor)
{
  const TosstClassMap *map = self->map;
  int width = (map->image_width + factor - 1) / factor, height = (map->image_height + factor - 1) / factor;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  g_autofree guint32 *pixels = color_windows (self, colors);

  for (int y = 0; data != NULL && y < height; y++)
    {
      const guint32 *row = pixels + (gsize)nearest_window (map, (y + 0.5) * factor, map->rows) * map->columns;
      guint32 *out = (guint32 *)(void *)(data + (gsize)y * stride);

      for (int x = 0; x < width; x++)
        out[x] = row[nearest_window (map, (x + 0.5) * factor, map->columns)];
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* First pixel of cell `index`, or the end of the image. */
static double
cell_edge (const TosstClassMap *map, int index, int windows, int length)
{
  return index == 0 ? 0 : index == windows ? length : 0.5 * (map->window - map->step) + (double)index * map->step;
}

static void
outline_regions (cairo_t *cr, const TosstChartStyle *style, const TosstClassMap *map, const MapLayout *layout)
{
  cairo_save (cr);
  cairo_translate (cr, layout->x, layout->y);
  for (int i = 0; i < map->rows; i++)
    for (int j = 0; j < map->columns; j++)
      {
        const int *cell = map->class_index + (gsize)i * map->columns + j;
        double left = layout->scale * cell_edge (map, j, map->columns, map->image_width);
        double right = layout->scale * cell_edge (map, j + 1, map->columns, map->image_width);
        double top = layout->scale * cell_edge (map, i, map->rows, map->image_height);
        double bottom = layout->scale * cell_edge (map, i + 1, map->rows, map->image_height);

        if (j + 1 < map->columns && cell[0] != cell[1])
          {
            cairo_move_to (cr, right, top);
            cairo_line_to (cr, right, bottom);
          }
        if (i + 1 < map->rows && cell[0] != cell[map->columns])
          {
            cairo_move_to (cr, left, bottom);
            cairo_line_to (cr, right, bottom);
          }
      }
  cairo_set_source_rgba (cr, 0, 0, 0, 0.75);
  cairo_set_line_width (cr, style->high_contrast ? 2 : 1);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* Number of a class on its colour, centred in a box. */
static void
draw_number (cairo_t *cr, TosstText *text, guint class_index, guint color, double x, double y, double width,
             double height)
{
  TosstColor paper = tosst_color_map (color);
  g_autofree char *label = g_strdup_printf ("%u", class_index + 1);
  double ink = tosst_color_lightness (paper) < 0.62 ? 1 : 0;

  cairo_rectangle (cr, x - 0.5 * width, y - 0.5 * height, width, height);
  tosst_color_set (cr, paper, 1);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.75);
  cairo_set_line_width (cr, 0.75);
  cairo_stroke (cr);
  cairo_set_source_rgb (cr, ink, ink, ink);
  tosst_text_draw (text, cr, label, x, y, 0.5, 0.5, 0, 0, SMALL, TRUE);
}

static void
number_regions (cairo_t *cr, TosstText *text, const TosstClassMap *map, const guint *colors, const MapLayout *layout)
{
  g_autoptr (GArray) regions = tosst_map_regions (map->class_index, map->rows, map->columns);
  double cell = layout->scale * map->step;

  TOSST_FOR_EACH (const TosstMapRegion, region, regions)
    {
      double x = layout->scale * (region->column * (double)map->step + 0.5 * map->window);
      double y = layout->scale * (region->row * (double)map->step + 0.5 * map->window);

      if ((2 * region->room - 1) * cell >= 2.4 * text->size || regions->len == 1)
        draw_number (cr, text, (guint)region->value, colors[region->value], layout->x + x, layout->y + y,
                     2.1 * text->size, 1.35 * text->size);
    }
}

/* --- words --- */

static void
draw_legend (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstClassMap *map, const guint *colors,
             const GArray *entries, const MapLayout *layout)
{
  gboolean all = entries->len <= layout->lines;
  guint shown = all ? entries->len : layout->lines - 1;
  double x = layout->legend_x, name_x = x + 2.9 * text->size;

  for (guint i = 0; i < shown; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      double y = layout->y + (i + 0.5) * layout->line;
      g_autofree char *share = share_text (map, entry->windows);

      draw_number (cr, text, entry->class_index, colors[entry->class_index], x + 1.2 * text->size, y, 2.3 * text->size,
                   1.35 * text->size);
      tosst_color_set (cr, tosst_color_text (style), 1);
      tosst_text_draw (text, cr, map->class_names[entry->class_index], name_x, y, 0, 0.5, 0, layout->name_width, 1,
                       FALSE);
      tosst_color_set (cr, tosst_color_dim (style), 1);
      tosst_text_draw (text, cr, share, name_x + layout->name_width + layout->share_width, y, 1, 0.5, 0, 0, 1, FALSE);
    }
  if (all)
    return;
  g_autofree char *more = g_strdup_printf (_ ("and %u more classes"), entries->len - shown);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (text, cr, more, name_x, layout->y + (shown + 0.5) * layout->line, 0, 0.5, 0, 0, 1, FALSE);
}

static void
lay_out (double width, double height, TosstText *text, const TosstClassMap *map, const GArray *entries,
         MapLayout *layout)
{
  double side = legend_width (text, map, entries, layout), edge = text->size;
  double room_x = MAX (width - side - 3 * edge, 1), room_y = MAX (height - 2 * edge - 2 * text->size, 1);

  layout->scale = MIN (room_x / map->image_width, room_y / map->image_height);
  layout->x = layout->y = edge;
  layout->legend_x = layout->x + layout->scale * map->image_width + 1.5 * edge;
  layout->lines = (guint)MAX (1, (height - 2 * edge) / layout->line);
}

void
tosst_draw_class_map (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                      const TosstMapDrawing *self)
{
  const TosstClassMap *map = self->map;
  g_autofree guint *colors = g_new (guint, map->classes);
  g_autoptr (GArray) entries = list_entries (map, colors);
  int factor = (MAX (map->image_width, map->image_height) + MAX_PIXELS - 1) / MAX_PIXELS;
  MapLayout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (width, height, &text, map, entries, &layout);
  cairo_save (cr);
  cairo_rectangle (cr, layout.x, layout.y, layout.scale * map->image_width, layout.scale * map->image_height);
  cairo_clip (cr);
  paint_surface (cr, grey_surface (self->image, factor), &layout, factor, CAIRO_FILTER_GOOD, 1);
  paint_surface (cr, color_surface (self, colors, factor), &layout, factor, CAIRO_FILTER_NEAREST,
                 CLAMP (self->opacity, 0, 1));
  cairo_restore (cr);
  outline_regions (cr, style, map, &layout);
  number_regions (cr, &text, map, colors, &layout);
  draw_legend (cr, &text, style, map, colors, entries, &layout);

  double y = layout.y + layout.scale * map->image_height + 0.6 * text.size;
  g_autofree char *line = g_strdup_printf (_ ("Shares of %d × %d windows of %d × %d pixels, one every %d"),
                                           map->columns, map->rows, map->window, map->window, map->step);

  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (&text, cr, line, layout.x, y, 0, 0, 0, width - layout.x, SMALL, FALSE);
}

gboolean
tosst_class_map_pick (double width, double height, const TosstChartStyle *style, const TosstMapDrawing *self, double x,
                      double y, int *row, int *column)
{
  const TosstClassMap *map = self->map;
  g_autofree guint *colors = g_new (guint, map->classes);
  g_autoptr (GArray) entries = list_entries (map, colors);
  MapLayout layout;

  g_auto (TosstText) text = tosst_text_new (style);
  lay_out (width, height, &text, map, entries, &layout);
  x = (x - layout.x) / layout.scale;
  y = (y - layout.y) / layout.scale;
  if (!(x >= 0 && x < map->image_width && y >= 0 && y < map->image_height))
    return FALSE;
  *row = nearest_window (map, y, map->rows);
  *column = nearest_window (map, x, map->columns);
  return TRUE;
}

static void
draw (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_class_map (cr, width, height, style, data);
}

gboolean
tosst_class_map_save (const TosstMapDrawing *self, GFile *file, GError **error)
{
  static const TosstChartStyle style = { .font = "Sans", .font_size = 11.0 };
  double width, height;

  tosst_map_drawing_size (self, &style, &width, &height);
  return tosst_draw_save (draw, (gpointer)self, width, height, file, error);
}

static const double MARGINS_LINE = 1.75; /* in font sizes */
static const double NAMES = 0.4;         /* largest share of the width for names */

static int
compare_margins (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *margins = data;
  int p = *(const int *)a, q = *(const int *)b;

  if (margins[p] != margins[q])
    return margins[p] < margins[q] ? 1 : -1;
  return p - q;
}

int *
tosst_margins_order (const double *margins, int classes)
{
  int *order = g_new (int, classes);

  for (int c = 0; c < classes; c++)
    order[c] = c;
  g_qsort_with_data (order, classes, sizeof *order, compare_margins, (gpointer)margins);
  return order;
}

char *
tosst_probability_label (double probability)
{
  double percent = 100 * probability;

  return percent >= 99.5 ? g_strdup (_ ("> 99 %"))
         : percent < 0.5 ? g_strdup (_ ("< 1 %"))
                         : g_strdup_printf (_ ("%.0f %%"), percent);
}

typedef struct
{
  double top, line, left, right, low, high; /* of the bars: positions, and their margins */
  double names, values;                     /* widths */
  int lines;
} Layout;

static char *
format_value (const TosstMarginsDrawing *self, int class_index)
{
  double margin = self->margins[class_index];

  if (self->title != NULL)
    return g_strdup_printf (_ ("%.1f %%"), 100 * margin);
  return self->probabilities ? tosst_probability_label (margin)
                             : g_strdup_printf ("%s%.2f", margin < -0.005 ? "\xe2\x88\x92" : "", fabs (margin));
}

static Layout
place_margins (TosstText *text, double width, double height, const TosstMarginsDrawing *self, const int *order)
{
  Layout layout = { .line = MARGINS_LINE * text->size };

  layout.top = ((self->title != NULL ? 1.6 : 0) + (self->note != NULL ? 1.6 : 0)) * text->size;
  layout.lines = CLAMP ((int)((height - layout.top) / layout.line), 1, self->classes);
  for (int i = 0; i < layout.lines; i++)
    {
      const char *name = self->class_names[order[i]];
      g_autofree char *value = format_value (self, order[i]);

      layout.values
          = MAX (layout.values, i == 0 ? tosst_text_bold_width (text, value, 1) : tosst_text_width (text, value, 1));
      layout.names
          = MAX (layout.names, i == 0 ? tosst_text_bold_width (text, name, 1) : tosst_text_width (text, name, 1));
      layout.low = MIN (layout.low, self->margins[order[i]]);
      layout.high = MAX (layout.high, self->margins[order[i]]);
    }
  layout.names = MIN (ceil (layout.names), NAMES * width);
  layout.left = layout.names + 0.8 * text->size;
  layout.right = MAX (width - layout.values - 0.6 * text->size, layout.left + 1);
  if (self->probabilities)
    layout.high = 1;
  if (layout.high - layout.low < 1e-9)
    layout.high = layout.low + 1;
  return layout;
}

static double
position (const Layout *layout, double margin)
{
  return layout->left + (margin - layout->low) / (layout->high - layout->low) * (layout->right - layout->left);
}

static void
draw_bar (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstMarginsDrawing *self,
          const Layout *layout, int line, int class_index, double width)
{
  double y = layout->top + (line + 0.5) * layout->line, margin = self->margins[class_index];
  gboolean own_color = self->title == NULL && self->classes <= TOSST_MAP_COLORS;
  double zero = position (layout, 0), end = position (layout, margin);
  g_autofree char *value = format_value (self, class_index);

  tosst_color_set (cr, line == 0 ? tosst_color_text (style) : tosst_color_dim (style), 1);
  tosst_text_draw (text, cr, self->class_names[class_index], layout->names, y, 1, 0.5, 0, layout->names, 1, line == 0);
  tosst_text_draw (text, cr, value, width, y, 1, 0.5, 0, 0, 1, line == 0);
  tosst_color_set (cr, own_color ? tosst_color_map ((guint)class_index) : tosst_color_series (style, 0),
                   margin > 0 ? 1 : 0.55);
  cairo_rectangle (cr, MIN (zero, end), y - 0.32 * layout->line, MAX (fabs (end - zero), 1), 0.64 * layout->line);
  cairo_fill_preserve (cr);
  tosst_color_set (cr, tosst_color_dim (style), 0.6); /* dark colours on a dark ground */
  cairo_set_line_width (cr, 0.75);
  cairo_stroke (cr);
}

void
tosst_draw_margins (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                    const TosstMarginsDrawing *self)
{
  g_autofree int *order = tosst_margins_order (self->margins, self->classes);

  g_auto (TosstText) text = tosst_text_new (style);

  Layout layout = place_margins (&text, width, height, self, order);
  double zero = position (&layout, 0);

  tosst_color_set (cr, tosst_color_text (style), 1);
  if (self->title != NULL)
    tosst_text_draw (&text, cr, self->title, 0, 0, 0, 0, 0, width, 1, TRUE);
  if (self->note != NULL)
    tosst_text_draw (&text, cr, self->note, 0, 1.6 * text.size, 0, 0, 0, width, SMALL, FALSE);
  for (int i = 0; i < layout.lines; i++)
    draw_bar (cr, &text, style, self, &layout, i, order[i], width);
  tosst_color_set (cr, tosst_color_dim (style), 1);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, zero, layout.top);
  cairo_line_to (cr, zero, layout.top + layout.lines * layout.line);
  cairo_stroke (cr);
}

int
tosst_margins_pick (double width, double height, const TosstChartStyle *style, const TosstMarginsDrawing *self,
                    double x, double y)
{
  g_autofree int *order = tosst_margins_order (self->margins, self->classes);

  g_auto (TosstText) text = tosst_text_new (style);

  Layout layout = place_margins (&text, width, height, self, order);
  int line = (int)floor ((y - layout.top) / layout.line);

  return x >= 0 && x < width && line >= 0 && line < layout.lines ? order[line] : -1;
}
