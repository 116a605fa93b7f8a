/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* How responsive the main loop is, for tests and curious people. With TOSST_STUDIO_MEASURE=FILE in the environment,
 * FILE is written at exit as JSON: longest_gap_ms, longest_gap_at_ms (after the first frame), longest_work_ms
 * (the most that the main thread computed without a break), longest_work_at_ms, longest_held_ms (the longest gap less the
 * time in which the thread waited for a processor: work, and waiting for files, locks and the display), longest_frame_ms
 * (the most that a frame took to compute), frames, peak_memory_mb, first_frame_ms (since main() began), first_frame_at_ms (on the
 * monotonic clock, which other processes share), stop_acknowledged_ms, stop_effective_ms (null where it did not happen).
 * Without the variable everything here does nothing. Main thread only. */
void studio_measure_begin (void);                       /* as early as possible in main() */
void studio_measure_window (GtkWidget *window);         /* gaps count from this window's first frame */
void studio_measure_stop_requested (GtkWidget *window); /* acknowledged with the next painted frame */
void studio_measure_stop_effective (void);
void studio_measure_window_closed (void); /* the last one: gaps count no longer */
void studio_measure_end (void);

/* From now on a widget that is finalised on another thread than this one ends the program. Before the first window. */
void studio_measure_widgets (void);
gboolean studio_measure_is_on (void);

G_END_DECLS
