/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best and the worst images of each class: those ranked first, negatives ranked first and positives ranked last.
 */
#include "config.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n.h>
#include <math.h>

#include "core/data/dataset.h"
#include "core/plot/chart-private.h"
#include "core/report/private.h"
#include "core/run/scores.h"

#define EACH 4         /* images of a group */
#define MAX_CLASSES 20 /* with images */
#define SIDE 64        /* at least so many pixels of the longer side are read */
#define GAP 6
#define LINE 16 /* height of a line of text */

typedef enum
{
  RANKED_FIRST,
  NEGATIVES,
  POSITIVES,
  N_GROUPS
} Group;

typedef struct
{
  cairo_surface_t *picture; /* NULL: the file could not be read */
  gsize rank;               /* from 1 */
  gboolean positive;
} Shot;

/* What is drawn of a class. */
typedef struct
{
  char *name;
  guint n[N_GROUPS];
  Shot shot[N_GROUPS][EACH];
} Strip;

static void
strip_free (gpointer data)
{
  Strip *self = data;

  for (int group = 0; group < N_GROUPS; group++)
    for (guint i = 0; i < self->n[group]; i++)
      g_clear_pointer (&self->shot[group][i].picture, cairo_surface_destroy);
  g_free (self->name);
  g_free (self);
}

static const char *
group_title (Group group)
{
  switch (group)
    {
    case RANKED_FIRST:
      return _ ("Ranked first");
    case NEGATIVES:
      return _ ("Negatives ranked first");
    case POSITIVES:
    case N_GROUPS:
    default:
      return _ ("Positives ranked last");
    }
}

/* --- reading --- */

static guint8
level (const TosstImage *image, int channel, gsize at)
{
  gsize plane = (gsize)image->width * (gsize)image->height;
  float value = image->data[(image->channels == 3 ? (gsize)channel : 0) * plane + at];

  return (guint8)lrintf (255 * CLAMP (value, 0, 1));
}

/* Documents take the JPEG form, which has a fifth of the bytes; without it they take the pixels. */
static void
attach_jpeg (cairo_surface_t *surface, GdkPixbuf *pixels)
{
  char *buffer;
  gsize size;

  if (gdk_pixbuf_save_to_buffer (pixels, &buffer, &size, "jpeg", NULL, "quality", "85", NULL)
      && cairo_surface_set_mime_data (surface, CAIRO_MIME_TYPE_JPEG, (guchar *)buffer, size, g_free, buffer)
             != CAIRO_STATUS_SUCCESS)
    g_free (buffer);
}

static cairo_surface_t *
picture_of (const TosstImage *image)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, image->width, image->height);
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, image->width, image->height);
  guint8 *data = cairo_image_surface_get_data (surface);

  if (data == NULL || pixels == NULL)
    return surface;
  for (int y = 0; y < image->height; y++)
    {
      guint32 *row = (guint32 *)(gpointer)(data + (gsize)y * (gsize)cairo_image_surface_get_stride (surface));
      guint8 *rgb = gdk_pixbuf_get_pixels (pixels) + (gsize)y * (gsize)gdk_pixbuf_get_rowstride (pixels);

      for (int x = 0; x < image->width; x++, rgb += 3)
        {
          for (int c = 0; c < 3; c++)
            rgb[c] = level (image, c, (gsize)y * (gsize)image->width + (gsize)x);
          row[x] = (guint32)rgb[0] << 16 | (guint32)rgb[1] << 8 | rgb[2];
        }
    }
  cairo_surface_mark_dirty (surface);
  attach_jpeg (surface, pixels);
  return surface;
}

static cairo_surface_t *
read_picture (TosstDataset *dataset, guint sample)
{
  guint image = (guint)tosst_dataset_sample (dataset, sample)->image;
  g_autoptr (TosstImage) read = tosst_dataset_read_reduced (dataset, image, SIDE, NULL);

  return read != NULL ? picture_of (read) : NULL;
}

static void
add_shot (Strip *self, Group group, TosstDataset *dataset, guint sample, gsize rank, gboolean positive)
{
  self->shot[group][self->n[group]++] = (Shot){ read_picture (dataset, sample), rank + 1, positive };
}

/* NULL if the class has no positives. */
static Strip *
strip_new (const TosstScores *scores, TosstDataset *dataset, int class_index, const char *name)
{
  g_autofree TosstRecallPoint *ranked = g_new (TosstRecallPoint, scores->samples + 1);
  const int *label = scores->label + (gsize)class_index * scores->samples;
  TosstAveragePrecision result;
  Strip *self;

  if (!tosst_scores_average_precision (scores, class_index, &result, ranked, NULL) || result.positives == 0)
    return NULL;
  gsize n = result.positives + result.negatives;
  self = g_new0 (Strip, 1);
  self->name = g_strdup (name);
  for (gsize r = 0; r < n; r++)
    {
      gsize test = ranked[r].sample, last = ranked[n - 1 - r].sample;

      if (r < EACH)
        add_shot (self, RANKED_FIRST, dataset, scores->sample[test], r, label[test] > 0);
      if (label[test] < 0 && self->n[NEGATIVES] < EACH)
        add_shot (self, NEGATIVES, dataset, scores->sample[test], r, FALSE);
      if (label[last] > 0 && self->n[POSITIVES] < EACH)
        add_shot (self, POSITIVES, dataset, scores->sample[last], n - 1 - r, TRUE);
    }
  return self;
}

/* The data set of the run, if it is where it was and as it was. */
static TosstDataset *
open_dataset (const TosstReportRun *run)
{
  g_autoptr (TosstDataset) dataset = run->recipe != NULL ? tosst_dataset_open (run->recipe, NULL, NULL) : NULL;

  if (dataset == NULL || !g_str_equal (tosst_dataset_fingerprint (dataset), tosst_report_run_text (run, "data")))
    return NULL;
  return g_steal_pointer (&dataset);
}

static gboolean
has_samples (TosstDataset *dataset, const TosstScores *scores)
{
  return scores->samples > 0 && scores->sample[scores->samples - 1] < tosst_dataset_samples (dataset);
}

/* --- drawing --- */

/* In a square at (x, y): the picture, framed by its label, above its rank. */
static void
draw_shot (cairo_t *cr, const TosstChartStyle *style, TosstText *text, const Shot *shot, double x, double y,
           double side)
{
  g_autofree char *rank = g_strdup_printf (shot->positive ? "%zu +" : "%zu −", shot->rank);
  double width = side, height = side;

  if (shot->picture != NULL)
    {
      int w = cairo_image_surface_get_width (shot->picture), h = cairo_image_surface_get_height (shot->picture);
      double scale = side / MAX (w, h);

      width = w * scale;
      height = h * scale;
      cairo_save (cr);
      cairo_translate (cr, x + 0.5 * (side - width), y + side - height);
      cairo_scale (cr, scale, scale);
      cairo_set_source_surface (cr, shot->picture, 0, 0);
      cairo_paint (cr);
      cairo_restore (cr);
    }
  tosst_color_set (cr, tosst_color_series (style, shot->positive ? 0 : 1), 1.0);
  cairo_set_line_width (cr, 2);
  cairo_rectangle (cr, x + 0.5 * (side - width), y + side - height, width, height);
  cairo_stroke (cr);
  tosst_text_draw (text, cr, rank, x + 0.5 * side, y + side + 2, 0.5, 0.0, 0, side, 0.8, FALSE);
}

static void
draw_strip (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Strip *self = data;
  double group_width = (width + GAP) / N_GROUPS, side = (group_width - 2 * GAP) / EACH - GAP;
  g_auto (TosstText) text = { 0 };

  tosst_text_init (&text, style);
  tosst_color_set (cr, tosst_color_text (style), 1.0);
  tosst_text_draw (&text, cr, self->name, 0, 0, 0.0, 0.0, 0, width, 1.0, TRUE);
  for (int group = 0; group < N_GROUPS; group++)
    {
      double x = group * group_width + 1;

      tosst_color_set (cr, tosst_color_dim (style), 1.0);
      tosst_text_draw (&text, cr, group_title (group), x, LINE, 0.0, 0.0, 0, group_width - GAP, 0.9, FALSE);
      for (guint i = 0; i < self->n[group]; i++)
        draw_shot (cr, style, &text, &self->shot[group][i], x + i * (side + GAP), 2 * LINE, side);
    }
}

static void
add_strip (TosstDocument *document, Strip *strip)
{
  g_autofree char *description = g_strdup_printf (
      _ ("Images of class %s: those ranked first, negatives ranked first, and positives ranked last"), strip->name);

  tosst_document_add_figure (document, draw_strip, strip, strip_free, TOSST_REPORT_WIDTH,
                             3 * LINE + (double)TOSST_REPORT_WIDTH / (N_GROUPS * EACH), FALSE, description);
}

void
tosst_report_add_ranked (TosstDocument *document, const TosstReportRun *run)
{
  const TosstScores *first = g_ptr_array_index (run->scores, 0);
  g_autoptr (TosstDataset) dataset = open_dataset (run);
  int shown = 0;

  if (dataset == NULL || !has_samples (dataset, first))
    return;
  tosst_document_add_heading (document, 3, _ ("The best and the worst images"));
  tosst_document_add_remark (document, _ ("Test images by rank: + shows the class, − does not."));
  for (int i = 0; i < first->classes && shown < MAX_CLASSES; i++)
    {
      Strip *strip = strip_new (first, dataset, i, run->class_names[i]);

      if (strip == NULL)
        continue;
      add_strip (document, strip);
      shown++;
    }
}
