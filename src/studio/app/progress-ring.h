/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* A ring that fills clockwise. */
#define STUDIO_TYPE_PROGRESS_RING (studio_progress_ring_get_type ())
G_DECLARE_FINAL_TYPE (StudioProgressRing, studio_progress_ring, STUDIO, PROGRESS_RING, GtkWidget)

void studio_progress_ring_set_fraction (StudioProgressRing *self, double fraction); /* 0..1 */
