/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>
#include <glib.h>

/* Coloured dots over an image: reference-counted (g_atomic_rc_box_acquire()), constant once filled, any thread. */
typedef struct
{
  float x, y;   /* position in [0, 1] */
  float radius; /* pixels of the image */
  float rgb[3];
} StudioImageMark;

typedef struct
{
  gsize n;
  StudioImageMark mark[];
} StudioImageMarks;

StudioImageMarks *studio_image_marks_new (gsize n);
void studio_image_marks_unref (StudioImageMarks *self);
/* Over an image of w x h pixels; self may be NULL. */
void studio_image_marks_draw (const StudioImageMarks *self, cairo_t *cr, int w, int h, double zoom);
