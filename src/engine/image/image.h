/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>

/* An image in [0, 1], float32, planar: channels x height x width, rows top to bottom. channels is 1 (grey) or 3 (R,
 * G, B). 8-bit samples are divided by 255, 16-bit samples by 65535, PNM samples by the maximum given in the file. */
typedef struct
{
  int width, height, channels;
  float *data; /* owned, from malloc */
  /* Maximum level of the file, usually 255 or 65535: values are k / maximum rounded to float32, and the engine uses the
   * exact k / maximum. 0: values are used as they are. */
  int maximum;
} TosstImage;

/* Allocates an image with undefined contents. Returns NULL if out of memory. */
TosstImage *tosst_image_new (int width, int height, int channels);
void tosst_image_free (TosstImage *image);

/* Computes the luminance 0.299 R + 0.587 G + 0.114 B; a copy for a grey image. out: height x width, float64. */
void tosst_image_luminance (const TosstImage *image, double *out);
