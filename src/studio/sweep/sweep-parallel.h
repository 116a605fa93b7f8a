/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/plot/draw-parallel.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/drawing.h"

/* New string for the bubble. */
typedef char *(*StudioSweepLabelFunc) (guint line, gpointer data);

/* Shows a TosstParallel: dragging along an axis brushes it, a click on the axis takes the brush away, Escape all of
 * them; dragging the name of an axis moves it, a double click on it turns it upside down, as the context menu does; hover
 * shows a line's values. Signals: "brushed"; "picked" (guint line) on a click. */
#define STUDIO_TYPE_SWEEP_PARALLEL (studio_sweep_parallel_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepParallel, studio_sweep_parallel, STUDIO, SWEEP_PARALLEL, GtkWidget)

/* Other files only read the members. */
struct _StudioSweepParallel
{
  GtkWidget parent_instance;
  TosstParallel *parallel;
  /* With many lines an older picture until a thread has drawn them: the size is that of the newest request. */
  StudioPicture picture;
  gboolean stale;
  StudioWorker *worker; /* NULL: there were never so many lines */

  StudioSweepLabelFunc label_func;
  gpointer label_data;

  StudioPointer pointer;
  gboolean brushing;
  int moving;      /* axis whose name is dragged; -1: none */
  guint menu_axis; /* to which the context menu applies */
  guint brush_axis;
  double brush_from;
  guint describe_source;
};

/* Takes parallel; brushes of axes of the same name stay. NULL: nothing. */
void studio_sweep_parallel_take (StudioSweepParallel *self, TosstParallel *parallel);
void studio_sweep_parallel_choose (StudioSweepParallel *self, int line); /* -1: none */
void studio_sweep_parallel_set_label_func (StudioSweepParallel *self, StudioSweepLabelFunc func, gpointer data);
