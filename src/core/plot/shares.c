/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bars of shares, such as those of the variance of a result that parameters explain.
 */
#include "core/plot/shares.h"

#include "core/base/base.h"
#include "core/plot/chart-private.h"

static const double SMALL = 0.9;

#define NAMES 0.45 /* of the width, at most */
#define ROW 2.0    /* lines of text */

typedef struct
{
  char *name;
  double share;
} Share;

static void
clear_share (gpointer share)
{
  g_free (((Share *)share)->name);
}

TosstShares *
tosst_shares_new (const char *title, const char *note)
{
  TosstShares *self = g_new0 (TosstShares, 1);

  self->title = g_strdup (title);
  self->note = g_strdup (note);
  self->shares = g_array_new (FALSE, FALSE, sizeof (Share));
  g_array_set_clear_func (self->shares, clear_share);
  return self;
}

void
tosst_shares_add (TosstShares *self, const char *name, double share)
{
  Share one = { g_strdup (name), CLAMP (share, 0, 1) };

  g_array_append_val (self->shares, one);
}

TOSST_DEFINE_PUBLIC_FREE (TosstShares, tosst_shares_free, TosstShares *, (title, g_free), (note, g_free),
                          (shares, g_array_unref))

/* "12.5 %" in the user's locale. */
static char *
percent (double share)
{
  return g_strdup_printf (_ ("%.1f %%"), 100 * share);
}

static double
draw_heading (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const TosstShares *self, double width)
{
  double em = text->size, y = 0.6 * em;

  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (text, cr, self->title, 0.6 * em, y, 0, 0, 0, 0, 1, TRUE);
  y += 1.6 * em;
  if (self->note == NULL)
    return y;
  tosst_color_set (cr, tosst_color_dim (style), 1);
  tosst_text_draw (text, cr, self->note, 0.6 * em, y, 0, 0, 0, width - 1.2 * em, SMALL, FALSE);
  return y + 1.6 * em;
}

static void
draw_share (cairo_t *cr, TosstText *text, const TosstChartStyle *style, const Share *share, double names, double right,
            double y)
{
  double em = text->size, left = names + 1.4 * em, room = MAX (right - left, 1);
  g_autofree char *number = percent (share->share);

  tosst_color_set (cr, tosst_color_text (style), 1);
  tosst_text_draw (text, cr, share->name, 0.6 * em, y, 0, 0.5, 0, names, SMALL, FALSE);
  tosst_text_draw (text, cr, number, right + 4.4 * em, y, 1, 0.5, 0, 0, SMALL, FALSE);
  tosst_color_set (cr, tosst_color_grid (style), 1);
  cairo_rectangle (cr, left, y - 0.45 * em, room, 0.9 * em);
  cairo_fill (cr);
  tosst_color_set (cr, tosst_color_series (style, 0), 1);
  cairo_rectangle (cr, left, y - 0.45 * em, room * share->share, 0.9 * em);
  cairo_fill (cr);
}

void
tosst_draw_shares (cairo_t *cr, double width, double height, const TosstChartStyle *style, const TosstShares *self)
{
  double y, em, names = 0, row;

  g_auto (TosstText) text = tosst_text_new (style);
  em = text.size;
  y = draw_heading (cr, &text, style, self, width);
  if (self->shares->len == 0)
    {
      tosst_color_set (cr, tosst_color_dim (style), 1);
      tosst_text_draw (&text, cr, _ ("No data"), 0.5 * width, 0.5 * height, 0.5, 0.5, 0, 0, 1, FALSE);
      return;
    }
  for (guint i = 0; i < self->shares->len; i++)
    names = MAX (names, tosst_text_width (&text, g_array_index (self->shares, Share, i).name, SMALL));
  names = MIN (names, NAMES * width);
  row = MIN (ROW * em, (height - y - 0.6 * em) / self->shares->len);
  for (guint i = 0; i < self->shares->len; i++)
    draw_share (cr, &text, style, &g_array_index (self->shares, Share, i), names, width - 5 * em, y + (i + 0.5) * row);
}

char *
tosst_shares_describe (const TosstShares *self)
{
  GString *text = g_string_new (self->title);

  for (guint i = 0; i < self->shares->len; i++)
    {
      const Share *share = &g_array_index (self->shares, Share, i);
      g_autofree char *number = percent (share->share);

      g_string_append_printf (text, "%s%s %s", i > 0 ? "; " : ": ", share->name, number);
    }
  return g_string_free (text, FALSE);
}
