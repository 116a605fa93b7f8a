/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/draw-parallel.h"

/* Shows a TosstParallel: dragging along an axis brushes it, a click on the axis takes the brush away, Escape all of
 * them; dragging the name of an axis moves it, a double click on it turns it upside down, as the context menu does; hover
 * shows a line's values. Signals: "brushed"; "picked" (guint line) on a click. */
#define STUDIO_TYPE_SWEEP_PARALLEL (studio_sweep_parallel_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepParallel, studio_sweep_parallel, STUDIO, SWEEP_PARALLEL, GtkWidget)

/* Takes parallel; brushes of axes of the same name stay. NULL: nothing. */
void studio_sweep_parallel_take (StudioSweepParallel *self, TosstParallel *parallel);
TosstParallel *studio_sweep_parallel_get (StudioSweepParallel *self); /* borrowed; NULL */
/* As shown: of many lines an older one until a thread has drawn them. Borrowed; NULL. */
GdkTexture *studio_sweep_parallel_get_picture (StudioSweepParallel *self);
void studio_sweep_parallel_choose (StudioSweepParallel *self, int line); /* -1: none */
/* New string for the bubble. */
typedef char *(*StudioSweepLabelFunc) (guint line, gpointer data);
void studio_sweep_parallel_set_label_func (StudioSweepParallel *self, StudioSweepLabelFunc func, gpointer data);
