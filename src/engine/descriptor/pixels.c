/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (8) for whole rows of an image, in loops that compilers vectorise over pixels.
 */
#include "engine/descriptor/private.h"

#include <math.h>

/* 1.5 * 2^52: adding and subtracting it rounds a value below 2^51 to the nearest integer, as rint() does, on every
 * instruction set. */
#define ROUNDING 6755399441055744.0

/* Exact level k / maximum, of which float32 stores a rounded value. */
static inline double
level (float value, double maximum)
{
  return maximum > 0 ? (value * maximum + ROUNDING - ROUNDING) / maximum : (double)value;
}

void
tosst_luminance_row (const TosstImage *image, int y, double *out)
{
  int width = image->width, row = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
  size_t plane = (size_t)width * image->height;
  const float *from = image->data + (size_t)row * width;
  double maximum = image->maximum;

  if (image->channels == 1)
    for (int x = 0; x < width; x++)
      out[x + 1] = level (from[x], maximum);
  else
    for (int x = 0; x < width; x++)
      out[x + 1] = 0.299 * level (from[x], maximum) + 0.587 * level (from[plane + x], maximum)
                   + 0.114 * level (from[2 * plane + x], maximum);
  out[0] = out[1];
  out[width + 1] = out[width];
}

/* Opponent colour; zero for grey images. */
static void
opponent_row (const TosstImage *image, int y, double *out)
{
  int width = image->width;
  size_t plane = (size_t)width * image->height;
  const float *from = image->data + (size_t)y * width;
  double maximum = image->maximum, sixth = sqrt (6);

  for (int x = 0; x < width; x++)
    if (image->channels == 1)
      out[x] = out[width + x] = 0;
    else
      {
        double r = level (from[x], maximum), g = level (from[plane + x], maximum),
               b = level (from[2 * plane + x], maximum);
        out[x] = (r - g) * M_SQRT1_2;
        out[width + x] = (r + g - 2 * b) / sixth;
      }
}

void
tosst_feature_row (const TosstImage *image, const TosstFeatureOptions *options, int y, const double *light, double *out)
{
  int width = image->width;
  const double *above = light + 1, *here = above + width + 2, *below = here + width + 2;
  double *first = out + (options->luminance ? width : 0);

  for (int x = 0; x < width && options->luminance; x++)
    out[x] = here[x];
  for (int x = 0; x < width; x++)
    {
      first[x] = (here[x + 1] - here[x - 1]) / 2;
      first[width + x] = (below[x] - above[x]) / 2;
      first[2 * width + x] = here[x - 1] - 2 * here[x] + here[x + 1];
      first[3 * width + x] = above[x] - 2 * here[x] + below[x];
    }
  for (int i = 0; i < 4 * width && options->absolute; i++)
    first[i] = fabs (first[i]);
  if (options->opponent)
    opponent_row (image, y, first + 4 * width);
}
