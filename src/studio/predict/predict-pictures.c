/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/predict/predict-pictures.h"

#include <glib/gi18n.h>

#include "studio/widgets/format.h"

TosstMapDrawing
studio_map_picture_drawing (const StudioMapPicture *self)
{
  return (TosstMapDrawing){ self->map->map, self->map->image, self->opacity, self->uncertain };
}

static void
draw_map (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  TosstMapDrawing drawing = studio_map_picture_drawing (data);

  tosst_draw_class_map (cr, width, height, style, &drawing);
}

/* "linen 0.42, then corduroy 0.35" */
static char *
label_map (StudioPicturePoint *point, gpointer data)
{
  TosstMapDrawing drawing = studio_map_picture_drawing (data);
  const TosstClassMap *map = drawing.map;
  const float *margins;
  g_autofree char *first = NULL, *next = NULL;
  int row, column, best, second;

  if (!tosst_class_map_pick (point->width, point->height, &point->style, &drawing, point->x, point->y, &row, &column))
    return NULL;
  tosst_class_map_certainty (map, row, column, &second);
  best = map->class_index[(gsize)row * map->columns + column];
  margins = map->margins + ((gsize)row * map->columns + column) * map->classes;
  first = studio_format_decimals (margins[best], 2);
  if (second < 0)
    return g_strdup_printf ("%s %s", map->class_names[best], first);
  next = studio_format_decimals (margins[second], 2);
  /* Translators: classes and their margins at a place of an image: "linen 0.42, then corduroy 0.35" */
  return g_strdup_printf (_ ("%s %s, then %s %s"), map->class_names[best], first, map->class_names[second], next);
}

/* The shares of the classes, the largest first. */
static char *
describe_map (gpointer data)
{
  const TosstClassMap *map = ((StudioMapPicture *)data)->map->map;
  g_autofree gsize *counts = g_new (gsize, map->classes);
  g_autofree double *shares = g_new (double, map->classes);
  g_autofree int *order = NULL;
  GString *text = g_string_new (NULL);

  tosst_class_map_count (map, counts);
  for (int c = 0; c < map->classes; c++)
    shares[c] = 100.0 * counts[c] / ((double)map->rows * map->columns);
  order = tosst_margins_order (shares, map->classes);
  for (int i = 0; i < map->classes && counts[order[i]] > 0; i++)
    {
      g_autofree char *share = studio_format_percent (shares[order[i]], 1);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", map->class_names[order[i]], share);
    }
  return g_string_free (text, FALSE);
}

const StudioPictureFuncs studio_map_picture_funcs = { .draw = draw_map, .label = label_map, .describe = describe_map };

static void
draw_margins (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_margins (cr, width, height, style, &((StudioMarginsPicture *)data)->drawing);
}

static char *
format_value (const TosstMarginsDrawing *drawing, int class_index)
{
  double value = drawing->margins[class_index];

  return drawing->probabilities ? tosst_probability_label (value) : studio_format_decimals (value, 2);
}

static char *
label_margins (StudioPicturePoint *point, gpointer data)
{
  const TosstMarginsDrawing *drawing = &((StudioMarginsPicture *)data)->drawing;
  int c = tosst_margins_pick (point->width, point->height, &point->style, drawing, point->x, point->y);
  g_autofree char *margin = c >= 0 ? format_value (drawing, c) : NULL;

  return c >= 0 ? g_strdup_printf ("%s %s", drawing->class_names[c], margin) : NULL;
}

static char *
describe_margins (gpointer data)
{
  const TosstMarginsDrawing *drawing = &((StudioMarginsPicture *)data)->drawing;
  g_autofree int *order = tosst_margins_order (drawing->margins, drawing->classes);
  GString *text = g_string_new (NULL);

  for (int i = 0; i < drawing->classes; i++)
    {
      g_autofree char *margin = format_value (drawing, order[i]);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", drawing->class_names[order[i]], margin);
    }
  return g_string_free (text, FALSE);
}

const StudioPictureFuncs studio_margins_picture_funcs
    = { .draw = draw_margins, .label = label_margins, .describe = describe_margins };

StudioMapPicture *
studio_map_picture_copy (const StudioMapPicture *self)
{
  StudioMapPicture *copy = g_memdup2 (self, sizeof *self);

  studio_predict_map_ref (copy->map);
  return copy;
}

void
studio_map_picture_free (gpointer data)
{
  StudioMapPicture *self = data;

  studio_predict_map_unref (self->map);
  g_free (self);
}

gboolean
studio_map_picture_write (gpointer data, GFile *file, GError **error)
{
  TosstMapDrawing drawing = studio_map_picture_drawing (data);

  return tosst_class_map_save (&drawing, file, error);
}
