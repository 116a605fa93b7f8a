/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/image-marks.h"

#define LEAST 1.5 /* radius that is still visible, in pixels of the screen */

StudioImageMarks *
studio_image_marks_new (gsize n)
{
  StudioImageMarks *self = g_atomic_rc_box_alloc0 (sizeof *self + n * sizeof self->mark[0]);

  self->n = n;
  return self;
}

void
studio_image_marks_unref (StudioImageMarks *self)
{
  g_atomic_rc_box_release (self);
}

void
studio_image_marks_draw (const StudioImageMarks *self, cairo_t *cr, int w, int h, double zoom)
{
  for (gsize i = 0; self != NULL && i < self->n; i++)
    {
      const StudioImageMark *mark = &self->mark[i];

      cairo_new_sub_path (cr);
      cairo_arc (cr, mark->x * w * zoom, mark->y * h * zoom, MAX (mark->radius * zoom, LEAST), 0, 2 * G_PI);
      cairo_set_source_rgb (cr, mark->rgb[0], mark->rgb[1], mark->rgb[2]);
      cairo_fill_preserve (cr);
      cairo_set_source_rgba (cr, 0, 0, 0, 0.5);
      cairo_set_line_width (cr, 0.75);
      cairo_stroke (cr);
    }
}
