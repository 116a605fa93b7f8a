/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The picture of a map: colours that differ for all kinds of colour vision, each at its position, and labels where they
 * fit. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/image/probe.h"
#include "core/plot/chart-private.h"
#include "core/predict/draw-map.h"

/* --- colours --- */

static double
to_linear (double c)
{
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static void
multiply (const double M[3][3], const double *in, double *out)
{
  for (int i = 0; i < 3; i++)
    out[i] = M[i][0] * in[0] + M[i][1] * in[1] + M[i][2] * in[2];
}

/* Oklab of a colour as seen with one kind of cone missing (Machado, Oliveira & Fernandes 2009, full severity).
 * */
static void
see (TosstColor color, const double eye[3][3], double *lab)
{
  static const double to_lms[3][3] = { { 0.4122214708, 0.5363325363, 0.0514459929 },
                                       { 0.2119034982, 0.6806995451, 0.1073969566 },
                                       { 0.0883024619, 0.2817188376, 0.6299787005 } };
  static const double to_oklab[3][3] = { { 0.2104542553, 0.7936177850, -0.0040720468 },
                                         { 1.9779984951, -2.4285922050, 0.4505937099 },
                                         { 0.0259040371, 0.7827717662, -0.8086757660 } };
  const double rgb[3] = { to_linear (color.r), to_linear (color.g), to_linear (color.b) };
  double seen[3], lms[3];

  multiply (eye, rgb, seen);
  for (int i = 0; i < 3; i++)
    seen[i] = CLAMP (seen[i], 0, 1);
  multiply (to_lms, seen, lms);
  for (int i = 0; i < 3; i++)
    lms[i] = cbrt (lms[i]);
  multiply (to_oklab, lms, lab);
}

static void
test_colors (void)
{
  static const double eyes[4][3][3]
      = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
          { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
          { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
          { { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.303900 } } };

  for (int eye = 0; eye < 4; eye++)
    for (guint a = 0; a < TOSST_MAP_COLORS; a++)
      for (guint b = 0; b < a; b++)
        {
          double p[3], q[3], distance = 0;

          see (tosst_color_map (a), eyes[eye], p);
          see (tosst_color_map (b), eyes[eye], q);
          for (int i = 0; i < 3; i++)
            distance += (p[i] - q[i]) * (p[i] - q[i]);
          /* The just noticeable difference is 0.02. */
          if (sqrt (distance) < 0.065)
            g_error ("colours %u and %u are %.3f apart to eye %d", a, b, sqrt (distance), eye);
        }
}

/* --- regions --- */

static void
test_regions (void)
{
  static const int cells[] = {
    1, 1, 1, 1, 1, 1, 1, /**/
    1, 1, 1, 1, 1, 2, 1, /**/
    1, 1, 1, 1, 1, 2, 2, /**/
    1, 1, 1, 1, 1, 3, 2, /**/
    1, 1, 1, 1, 1, 1, 3, /**/
  };
  static const TosstMapRegion expected[] = { { 1, 2, 2, 3 }, { 2, 1, 5, 1 }, { 3, 3, 5, 1 }, { 3, 4, 6, 1 } };
  g_autoptr (GArray) regions = tosst_map_regions (cells, 5, 7);

  g_assert_cmpuint (regions->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < regions->len; i++)
    {
      const TosstMapRegion *region = &g_array_index (regions, TosstMapRegion, i);

      g_assert_cmpint (region->value, ==, expected[i].value);
      g_assert_cmpint (region->room, ==, expected[i].room);
      g_assert_cmpint (cells[region->row * 7 + region->column], ==, region->value);
      if (i == 0)
        g_assert_true (region->row == 2 && region->column == 2);
    }
}

/* --- the picture --- */

/* 4 x 4 windows of 40 pixels, every 20, of an image of 100 x 100; the left half is class `left`, the right one the
 * last. */
static TosstClassMap *
make_map (int classes, int left)
{
  TosstClassMap *map = g_new0 (TosstClassMap, 1);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  *map = (TosstClassMap){ 100, 100, 40, 20, 4, 4, 9, classes };
  map->class_index = g_new (int, 16);
  map->margins = g_new0 (float, 16 * classes);
  for (int c = 0; c < classes; c++)
    {
      g_autofree char *name = g_strdup_printf ("class %d", c);
      g_strv_builder_add (names, name);
    }
  map->class_names = g_strv_builder_end (names);
  for (int i = 0; i < 16; i++)
    map->class_index[i] = i % 4 < 2 ? left : classes - 1;
  return map;
}

/* The colour of a pixel of the image in the written picture: file pixels are two a point, the margin is a font size. */
static TosstColor
pixel_at (const TosstImage *picture, double x, double y)
{
  gsize plane = (gsize)picture->width * picture->height;
  gsize at = (gsize)lround (2 * (11 + 4.2 * y)) * picture->width + (gsize)lround (2 * (11 + 4.2 * x));

  return (TosstColor){ picture->data[at], picture->data[plane + at], picture->data[2 * plane + at] };
}

static void
expect_blend (TosstColor seen, TosstColor color, double grey, double opacity)
{
  g_assert_cmpfloat_with_epsilon (seen.r, opacity * color.r + (1 - opacity) * grey, 0.01);
  g_assert_cmpfloat_with_epsilon (seen.g, opacity * color.g + (1 - opacity) * grey, 0.01);
  g_assert_cmpfloat_with_epsilon (seen.b, opacity * color.b + (1 - opacity) * grey, 0.01);
}

static void
test_picture (void)
{
  static const struct
  {
    int classes, left;
    guint left_color, right_color;
  } cases[] = { { 2, 0, 0, 1 }, { 20, 7, 7, 19 }, { 60, 7, 0, 1 }, { 60, 27, 0, 1 } };
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "map.png", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_new (100, 100, 1);

  for (int i = 0; i < 100 * 100; i++)
    image->data[i] = i < 5000 ? 0.2f : 0.8f;
  image->maximum = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (double opacity = 0; opacity <= 1; opacity += 0.5)
      {
        g_autoptr (TosstClassMap) map = make_map (cases[i].classes, cases[i].left);
        g_autoptr (GError) error = NULL;
        g_autoptr (TosstImage) picture = NULL;

        g_assert_true (tosst_class_map_save (&(TosstMapDrawing){ map, image, opacity }, file, &error));
        picture = tosst_image_read_for (file, 0, 0, &error);
        g_assert_no_error (error);
        g_assert_cmpint (picture->channels, ==, 3);
        /* The middle of window 1 is at 40 pixels, that of window 2 at 60: colours change at 50. */
        expect_blend (pixel_at (picture, 1, 3), tosst_color_map (cases[i].left_color), 0.2, opacity);
        expect_blend (pixel_at (picture, 48, 3), tosst_color_map (cases[i].left_color), 0.2, opacity);
        expect_blend (pixel_at (picture, 52, 97), tosst_color_map (cases[i].right_color), 0.8, opacity);
        expect_blend (pixel_at (picture, 98, 97), tosst_color_map (cases[i].right_color), 0.8, opacity);
      }
  g_unlink (path);
  g_rmdir (folder);
}

/* Where two classes are about equal the colour fades, and points lead back to windows. */
static void
test_uncertain (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "map.png", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_new (100, 100, 1), picture = NULL;
  g_autoptr (TosstClassMap) map = make_map (3, 0);
  g_autoptr (GError) error = NULL;
  TosstMapDrawing drawing = { map, image, 1, TRUE };
  const TosstChartStyle style = { .font = "Sans", .font_size = 11.0 };
  double width, height;
  int row, column, second;

  for (int i = 0; i < 100 * 100; i++)
    image->data[i] = 0.5f;
  for (int i = 0; i < 16; i++) /* the last class is next on the left, the first on the right */
    {
      map->margins[3 * i + (i % 4 < 2 ? 0 : 2)] = 0.4f;
      map->margins[3 * i + (i % 4 < 2 ? 2 : 0)] = i < 8 ? -2.f : 0.15f;
      map->margins[3 * i + 1] = -3.f;
    }
  g_assert_cmpfloat (tosst_class_map_certainty (map, 0, 0, &second), ==, 1);
  g_assert_cmpint (second, ==, 2);
  g_assert_cmpfloat_with_epsilon (tosst_class_map_certainty (map, 3, 3, &second), 0.25, 1e-6);
  g_assert_cmpint (second, ==, 0);
  g_assert_true (tosst_class_map_save (&drawing, file, &error));
  g_assert_no_error (error);
  picture = tosst_image_read_for (file, 0, 0, &error);
  expect_blend (pixel_at (picture, 2, 3), tosst_color_map (0), 0.5, 1);
  expect_blend (pixel_at (picture, 98, 97), tosst_color_map (2), 0.5, 0.25);
  tosst_map_drawing_size (&drawing, &style, &width, &height);
  g_assert_true (tosst_class_map_pick (width, height, &style, &drawing, 11 + 4.2 * 98, 11 + 4.2 * 45, &row, &column));
  g_assert_cmpint (row, ==, 1);
  g_assert_cmpint (column, ==, 3);
  g_assert_false (tosst_class_map_pick (width, height, &style, &drawing, 5, 20, &row, &column));
  g_assert_false (tosst_class_map_pick (width, height, &style, &drawing, width - 5, 20, &row, &column));
  g_unlink (path);
  g_rmdir (folder);
}

/* Bars by decreasing margin, as many as fit. */
/* Nothing is certain. */
static void
test_probability_label (void)
{
  static const struct
  {
    double p;
    const char *text;
  } cases[]
      = { { 1, "> 99 %" }, { 0.996, "> 99 %" }, { 0.994, "99 %" }, { 0.5, "50 %" }, { 0.006, "1 %" }, { 0, "< 1 %" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *label = tosst_probability_label (cases[i].p);

      g_assert_cmpstr (label, ==, cases[i].text);
    }
}

static void
test_margins (void)
{
  const double margins[] = { -0.5, 0.75, -2, 0.75 };
  char *names[] = { (char *)"a", (char *)"b", (char *)"c", (char *)"d", NULL };
  const TosstChartStyle style = { .font = "Sans", .font_size = 10.0 };
  const TosstMarginsDrawing drawing = { margins, FALSE, names, 4 };
  g_autofree int *order = tosst_margins_order (margins, 4);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 200, 60);
  cairo_t *cr = cairo_create (surface);

  g_assert_true (order[0] == 1 && order[1] == 3 && order[2] == 0 && order[3] == 2);
  tosst_draw_margins (cr, 200, 60, &style, &drawing);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  for (int line = 0; line < 3; line++)
    g_assert_cmpint (tosst_margins_pick (200, 60, &style, &drawing, 100, 17.5 * line + 8), ==, order[line]);
  g_assert_cmpint (tosst_margins_pick (200, 60, &style, &drawing, 100, 58), ==, -1); /* the fourth does not fit */
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* Shares have a title and a note, and bars in one colour that are as long as the shares, in every size. */
/* Pixels of the colour of the bars. */
static guint
painted (const TosstMarginsDrawing *shares, int width, int height)
{
  const TosstChartStyle style = { .font = "Sans", .font_size = 11.0 };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (surface);
  TosstColor color = tosst_color_series (&style, 0);
  const int wanted[3] = { (int)lround (255 * color.b), (int)lround (255 * color.g), (int)lround (255 * color.r) };
  guint n = 0;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_draw_margins (cr, width, height, &style, shares);
  cairo_surface_flush (surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const guint8 *pixel
            = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface) + 4 * x;
        gboolean same = TRUE;

        for (int c = 0; c < 3; c++)
          same = same && abs (pixel[c] - wanted[c]) <= 1;
        n += same;
      }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return n;
}

static void
test_shares (void)
{
  static const int sizes[][2] = { { 900, 560 }, { 400, 300 }, { 260, 120 } };
  char *names[] = { (char *)"λ", (char *)"λ × K", NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint n[3];

      for (int k = 0; k < 3; k++)
        n[k] = painted (&(TosstMarginsDrawing){ (double[]){ 0.5 * k, 0 }, TRUE, names, 2, "Share of the Variance",
                                                "a note that is much longer than the picture is wide, and is cut" },
                        sizes[i][0], sizes[i][1]);
      g_assert_cmpuint (n[2], >, 0);
      g_assert_cmpfloat_with_epsilon (n[1] / (double)n[2], 0.5, 0.05);
      g_assert_cmpuint (n[0], <, n[2] / 20);
    }
}

/* Also vector files, long names, more classes than fit, and a single window. */
static void
test_shapes (void)
{
  static const char *const suffixes[] = { "svg", "pdf", "png" };
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autoptr (TosstImage) image = tosst_image_new (1000, 60, 3);

  for (int i = 0; i < 3 * 60000; i++)
    image->data[i] = (float)(i % 256) / 255;
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      TosstClassMap map = { 1000, 60, 60, 10, 1, 95, 9, 95 };
      g_autofree char *path = g_strdup_printf ("%s/map.%s", folder, suffixes[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GError) error = NULL;
      int cells[95];
      char *names[96] = { NULL };

      for (int c = 0; c < 95; c++)
        {
          cells[c] = c;
          names[c] = c % 2 ? "a name that goes on for longer than any legend can be wide, I am afraid" : "ż";
        }
      map.class_index = cells;
      map.class_names = names;
      g_assert_true (tosst_class_map_save (&(TosstMapDrawing){ &map, image, 0.5 }, file, &error));
      map.columns = 1;
      map.image_width = 60;
      image->width = 60;
      g_assert_true (tosst_class_map_save (&(TosstMapDrawing){ &map, image, 0.5 }, file, &error));
      image->width = 1000;
      g_assert_no_error (error);
      g_unlink (path);
    }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/draw-map/shares", test_shares);
  g_test_add_func ("/draw-map/colors", test_colors);
  g_test_add_func ("/draw-map/regions", test_regions);
  g_test_add_func ("/draw-map/picture", test_picture);
  g_test_add_func ("/draw-map/uncertain", test_uncertain);
  g_test_add_func ("/draw-map/margins", test_margins);
  g_test_add_func ("/draw-map/shapes", test_shapes);
  g_test_add_func ("/draw-map/probability-label", test_probability_label);
  return g_test_run ();
}
