/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Measures the responsiveness of the main loop, for tests and diagnosis. With TOSST_STUDIO_MEASURE=FILE in the
 * environment, FILE is written at exit as JSON: longest_work_ms (longest computation of the main thread without a
 * break), longest_work_at_ms (after the first frame), longest_frame_ms (longest computation of a frame), peak_memory_mb,
 * first_frame_at_ms (on the monotonic clock, which other processes share), stop_acknowledged_ms, stop_effective_ms
 * (null without a stop). Without the variable all functions here have no effect. Main thread only. */
void studio_measure_begin (void);                       /* as early as possible in main() */
void studio_measure_window (GtkWidget *window);         /* work counts from this window's first frame */
void studio_measure_stop_requested (GtkWidget *window); /* acknowledged with the next painted frame */
void studio_measure_stop_effective (void);
void studio_measure_window_closed (void); /* the last window: ends the measurement */
void studio_measure_end (void);

/* From now on the program aborts when a widget is finalised on another thread. Call before the first window. */
void studio_measure_widgets (void);
gboolean studio_measure_is_on (void);
