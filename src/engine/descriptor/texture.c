/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/describe.h"

#include <stdlib.h>
#include <string.h>

#include "engine/descriptor/private.h"
#include "engine/descriptor/texture-private.h"

int
tosst_texture_length (TosstTexture kind)
{
  int size = kind == TOSST_TEXTURE_INVARIANT ? TOSST_INVARIANT_SIZE : TOSST_CHANNELS;

  return kind == TOSST_TEXTURE_LBP ? TOSST_LBP_LENGTH : size * (size + 1) / 2;
}

int
tosst_texture_side (TosstTexture kind)
{
  return kind == TOSST_TEXTURE_LBP ? TOSST_LBP_SIDE : TOSST_CHANNELS_SIDE;
}

/* Luminance of a part of the image; NULL if out of memory. */
static double *
cut_grey (const TosstImage *image, TosstPoint at, size_t width, size_t height)
{
  double *grey = malloc (width * height * sizeof *grey), *row = malloc (((size_t)image->width + 2) * sizeof *row);

  for (size_t y = 0; grey && row && y < height; y++)
    {
      tosst_luminance_row (image, at.y + (int)y, row);
      memcpy (grey + y * width, row + 1 + at.x, width * sizeof *grey);
    }
  if (!row)
    {
      free (grey);
      return NULL;
    }
  free (row);
  return grey;
}

TosstStatus
tosst_texture (TosstTexture kind, const TosstImage *image, TosstPoint at, int width, int height, float *out)
{
  int side = tosst_texture_side (kind);
  double *grey;
  TosstStatus status;

  if (width < side || height < side || at.x < 0 || at.y < 0 || width > image->width - at.x
      || height > image->height - at.y)
    return TOSST_ERROR_ARGUMENT;
  grey = cut_grey (image, at, (size_t)width, (size_t)height);
  if (!grey)
    return TOSST_ERROR_MEMORY;
  status = kind == TOSST_TEXTURE_LBP         ? tosst_lbp (grey, width, height, out)
           : kind == TOSST_TEXTURE_INVARIANT ? tosst_invariant_covariance (grey, width, height, out)
                                             : tosst_image_covariance (grey, width, height, out);
  free (grey);
  return status;
}
