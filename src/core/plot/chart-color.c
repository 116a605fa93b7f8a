/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Series colours follow Okabe and Ito, darkened on light and lightened on dark backgrounds where text would have too
 * little contrast. Colour maps are interpolated in Oklab between anchors with evenly spaced lightness: equal steps
 * of the value look equally large, and the order is preserved for colour-blind readers and in grey prints. */

#include "core/plot/chart-private.h"

#include <math.h>

#define RGB(hex)                                                                                                       \
  {                                                                                                                    \
    ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0                                       \
  }

static const TosstColor series_light[TOSST_CHART_COLORS] = {
  RGB (0x0072b2), RGB (0xd55e00), RGB (0x008a65), RGB (0xb3578d),
  RGB (0xb87b00), RGB (0x2f92cc), RGB (0x4a4a4a), RGB (0x8c7a00),
};
static const TosstColor series_dark[TOSST_CHART_COLORS] = {
  RGB (0x56b4e9), RGB (0xf28542), RGB (0x2fc79a), RGB (0xe094c3),
  RGB (0xf0b232), RGB (0x8ab8ff), RGB (0xd0d0d0), RGB (0xeee25a),
};

/* The seven colours of Okabe and Ito and thirteen more. The smallest distance of any two of the twenty in Oklab
 * equals that of the seven, for normal vision and for the three kinds of colour blindness. */
static const TosstColor map_colors[] = {
  RGB (0x0072b2), RGB (0xe69f00), RGB (0x009e73), RGB (0xd55e00), RGB (0xf0e442), RGB (0x56b4e9), RGB (0xcc79a7),
  RGB (0x661100), RGB (0x88ffff), RGB (0x332277), RGB (0x884444), RGB (0x2200dd), RGB (0xaaccaa), RGB (0xaa66ff),
  RGB (0x554477), RGB (0xbbeeaa), RGB (0x66ddee), RGB (0x7700aa), RGB (0x553344), RGB (0x995577),
};
G_STATIC_ASSERT (G_N_ELEMENTS (map_colors) == TOSST_MAP_COLORS);

/* Oklab: L, a, b. */
typedef struct
{
  double l, a, b;
} Lab;

static double
to_linear (double c)
{
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
from_linear (double c)
{
  c = c <= 0.0031308 ? 12.92 * c : 1.055 * pow (c, 1.0 / 2.4) - 0.055;
  return CLAMP (c, 0.0, 1.0);
}

static Lab
to_lab (TosstColor color)
{
  double r = to_linear (color.r), g = to_linear (color.g), b = to_linear (color.b);
  double l = cbrt (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  double m = cbrt (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  double s = cbrt (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

  return (Lab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

static TosstColor
from_lab (Lab lab)
{
  double l = lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b;
  double m = lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b;
  double s = lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b;

  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  return (TosstColor){ from_linear (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                       from_linear (-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                       from_linear (-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) };
}

/* Anchor of a colour map: lightness, chroma, hue in degrees. */
typedef struct
{
  double l, c, h;
} Anchor;

static const Anchor sequential_light[] = {
  { 0.975, 0.015, 100 }, { 0.80, 0.085, 165 }, { 0.62, 0.095, 215 }, { 0.44, 0.105, 255 }, { 0.26, 0.100, 285 },
};
static const Anchor sequential_dark[] = {
  { 0.25, 0.060, 290 }, { 0.42, 0.105, 265 }, { 0.59, 0.105, 220 }, { 0.76, 0.110, 165 }, { 0.93, 0.120, 105 },
};
/* Equal lightness at equal t: one scale for confusions and for correct decisions. */
static const Anchor error_light[]
    = { { 0.88, 0.070, 72 }, { 0.73, 0.120, 57 }, { 0.58, 0.145, 44 }, { 0.43, 0.130, 33 } };
static const Anchor error_dark[]
    = { { 0.42, 0.085, 40 }, { 0.57, 0.125, 46 }, { 0.72, 0.135, 58 }, { 0.87, 0.115, 80 } };
static const Anchor correct_light[]
    = { { 0.88, 0.035, 240 }, { 0.73, 0.070, 245 }, { 0.58, 0.095, 250 }, { 0.43, 0.100, 256 } };
static const Anchor correct_dark[]
    = { { 0.42, 0.055, 252 }, { 0.57, 0.075, 247 }, { 0.72, 0.075, 242 }, { 0.87, 0.050, 237 } };
static const Anchor cold_light[]
    = { { 0.975, 0.000, 250 }, { 0.73, 0.095, 245 }, { 0.485, 0.135, 255 }, { 0.28, 0.100, 265 } };
static const Anchor warm_light[]
    = { { 0.975, 0.000, 55 }, { 0.73, 0.125, 55 }, { 0.485, 0.130, 45 }, { 0.28, 0.085, 35 } };
static const Anchor cold_dark[]
    = { { 0.24, 0.000, 250 }, { 0.46, 0.110, 255 }, { 0.68, 0.120, 245 }, { 0.90, 0.060, 230 } };
static const Anchor warm_dark[]
    = { { 0.24, 0.000, 50 }, { 0.46, 0.105, 45 }, { 0.68, 0.135, 55 }, { 0.90, 0.085, 80 } };

static TosstColor
interpolate (const Anchor *anchors, guint n, double t)
{
  double at = CLAMP (t, 0.0, 1.0) * (n - 1);
  guint i = MIN ((guint)at, n - 2);
  double f = at - i;
  const Anchor *p = &anchors[i], *q = &anchors[i + 1];
  double hp = p->h * G_PI / 180, hq = q->h * G_PI / 180;

  return from_lab ((Lab){ (1 - f) * p->l + f * q->l, (1 - f) * p->c * cos (hp) + f * q->c * cos (hq),
                          (1 - f) * p->c * sin (hp) + f * q->c * sin (hq) });
}

#define MAP(anchors, t) interpolate (anchors, G_N_ELEMENTS (anchors), t)

TosstColor
tosst_color_sequential (gboolean dark, double t)
{
  return dark ? MAP (sequential_dark, t) : MAP (sequential_light, t);
}

TosstColor
tosst_color_error (gboolean dark, double t)
{
  return dark ? MAP (error_dark, t) : MAP (error_light, t);
}

TosstColor
tosst_color_correct (gboolean dark, double t)
{
  return dark ? MAP (correct_dark, t) : MAP (correct_light, t);
}

TosstColor
tosst_color_diverging (gboolean dark, double t)
{
  if (t < 0.0)
    return dark ? MAP (cold_dark, -t) : MAP (cold_light, -t);
  return dark ? MAP (warm_dark, t) : MAP (warm_light, t);
}

double
tosst_color_lightness (TosstColor color)
{
  return to_lab (color).l;
}

static TosstColor
grey (double level)
{
  return (TosstColor){ level, level, level };
}

TosstColor
tosst_color_text (const TosstChartStyle *style)
{
  if (style->high_contrast)
    return grey (style->dark ? 1.0 : 0.0);
  return grey (style->dark ? 0.92 : 0.16);
}

TosstColor
tosst_color_dim (const TosstChartStyle *style)
{
  if (style->high_contrast)
    return tosst_color_text (style);
  return grey (style->dark ? 0.70 : 0.36);
}

TosstColor
tosst_color_grid (const TosstChartStyle *style)
{
  if (style->high_contrast)
    return grey (style->dark ? 0.45 : 0.65);
  return grey (style->dark ? 0.205 : 0.915);
}

TosstColor
tosst_color_paper (const TosstChartStyle *style)
{
  if (style->dark)
    return grey (style->high_contrast ? 0.0 : 0.118);
  return grey (1.0);
}

TosstColor
tosst_color_series (const TosstChartStyle *style, guint series)
{
  guint i = series % TOSST_CHART_COLORS;
  TosstColor color = style->dark ? series_dark[i] : series_light[i];

  if (style->high_contrast)
    {
      Lab lab = to_lab (color);
      lab.l = style->dark ? MAX (lab.l, 0.82) : MIN (lab.l, 0.47);
      color = from_lab (lab);
    }
  return color;
}

void
tosst_chart_color (const TosstChartStyle *style, guint color, double rgb[3])
{
  TosstColor c = tosst_color_series (style, color);

  rgb[0] = c.r;
  rgb[1] = c.g;
  rgb[2] = c.b;
}

TosstColor
tosst_color_map (guint index)
{
  return map_colors[index % TOSST_MAP_COLORS];
}

void
tosst_color_set (cairo_t *cr, TosstColor color, double alpha)
{
  cairo_set_source_rgba (cr, color.r, color.g, color.b, alpha);
}
