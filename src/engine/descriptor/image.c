/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/describe.h"

#include <stdint.h>

#include "engine/base/base.h"

TosstImage *
tosst_image_new (int width, int height, int channels)
{
  size_t pixels = (size_t)width * (size_t)height;
  if (width < 1 || height < 1 || (channels != 1 && channels != 3)
      || pixels > SIZE_MAX / sizeof (float) / (size_t)channels)
    return NULL;
  TosstImage *image = malloc (sizeof *image);
  float *data = tosst_alloc_aligned (pixels * (size_t)channels, sizeof (float));
  if (image && data)
    {
      *image = (TosstImage){ .width = width, .height = height, .channels = channels, .data = data };
      return image;
    }
  free (image);
  free (data);
  return NULL;
}

void
tosst_image_free (TosstImage *image)
{
  if (image == NULL)
    return;
  free (image->data);
  free (image);
}

/* Part of pixel x that lies in [start, end). */
static double
overlap (int x, double start, double end)
{
  /* fmin() and fmax() are calls of the C library, several for each pixel of a photograph. */
  double from = start > x ? start : x, to = end < x + 1 ? end : x + 1;

  return to > from ? to - from : 0;
}

void
tosst_image_reduce (const double *from, int width, int height, float *to, int columns, int rows)
{
  double across = (double)width / columns, down = (double)height / rows;

  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++)
      {
        double top = y * down, left = x * across, sum = 0, area = 0;
        for (int v = (int)top; v < height && v < top + down; v++)
          for (int u = (int)left; u < width && u < left + across; u++)
            {
              double part = overlap (v, top, top + down) * overlap (u, left, left + across);
              sum += part * from[(size_t)v * (size_t)width + (size_t)u];
              area += part;
            }
        to[(size_t)y * (size_t)columns + (size_t)x] = (float)(sum / area);
      }
}
