/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/describe.h"

#include <stdint.h>
#include <stdlib.h>

TosstImage *
tosst_image_new (int width, int height, int channels)
{
  size_t pixels = (size_t)width * (size_t)height;
  if (width < 1 || height < 1 || (channels != 1 && channels != 3)
      || pixels > SIZE_MAX / sizeof (float) / (size_t)channels)
    return NULL;
  TosstImage *image = malloc (sizeof *image);
  float *data = malloc (pixels * (size_t)channels * sizeof (float));
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
