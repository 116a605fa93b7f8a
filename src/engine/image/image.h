/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>

/* An image in [0, 1], float32, planar: channels x height x width, rows top to bottom. channels is 1 (grey) or
 * 3 (R, G, B). 8-bit samples are divided by 255, 16-bit ones by 65535, those of PNM by the largest that the file allows. */
typedef struct
{
  int width, height, channels;
  float *data; /* owned, from malloc */
  int maximum; /* the largest level of the file, 255 or 65535 in most: values are k / maximum rounded to float32, and the
                  engine works with the exact k / maximum; 0: values are what they are */
} TosstImage;

/* NULL if out of memory. Contents are undefined. */
TosstImage *tosst_image_new (int width, int height, int channels);
void tosst_image_free (TosstImage *image);

/* Luminance 0.299 R + 0.587 G + 0.114 B; a copy if the image is grey already. out: height x width, float64. */
void tosst_image_luminance (const TosstImage *image, double *out);
