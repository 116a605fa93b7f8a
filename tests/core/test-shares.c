/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bars of shares: as long as the shares, in every size, with their names and percentages in words.
 */
#include <math.h>
#include <string.h>

#include "core/plot/chart-private.h"
#include "core/plot/shares.h"

static const TosstChartStyle plain = { .font = "Sans", .font_size = 11.0 };

/* Pixels of the colour of the bars. */
static guint
painted (const TosstShares *shares, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (surface);
  TosstColor color = tosst_color_series (&plain, 0);
  const int wanted[3] = { (int)lround (255 * color.b), (int)lround (255 * color.g), (int)lround (255 * color.r) };
  guint n = 0;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  tosst_draw_shares (cr, width, height, &plain, shares);
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

static TosstShares *
shares_of (double first, double second)
{
  TosstShares *shares
      = tosst_shares_new ("Share of the Variance", "a note that is much longer than the picture is wide, "
                                                   "and therefore is cut");

  tosst_shares_add (shares, "λ", first);
  tosst_shares_add (shares, "λ × K", second);
  return shares;
}

static void
test_lengths (void)
{
  static const int sizes[][2] = { { 900, 560 }, { 400, 300 }, { 260, 120 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (TosstShares) half = shares_of (0.5, 0), whole = shares_of (1, 0), none = shares_of (0, 0),
                              too_large = shares_of (7, -1);
      double all = painted (whole, sizes[i][0], sizes[i][1]);

      g_assert_cmpfloat (all, >, 0);
      g_assert_cmpfloat_with_epsilon (painted (half, sizes[i][0], sizes[i][1]) / all, 0.5, 0.05);
      g_assert_cmpuint (painted (none, sizes[i][0], sizes[i][1]), ==, 0);
      g_assert_cmpfloat (painted (too_large, sizes[i][0], sizes[i][1]), ==, all); /* within its place */
    }
}

static void
test_words (void)
{
  g_autoptr (TosstShares) shares = shares_of (0.625, 0.25), empty = tosst_shares_new ("Nothing", NULL);
  g_autofree char *text = tosst_shares_describe (shares), *nothing = tosst_shares_describe (empty);

  g_assert_cmpstr (text, ==, "Share of the Variance: λ 62.5 %; λ × K 25.0 %");
  g_assert_cmpstr (nothing, ==, "Nothing");
  g_assert_cmpuint (painted (empty, 300, 200), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shares/lengths", test_lengths);
  g_test_add_func ("/shares/words", test_words);
  return g_test_run ();
}
