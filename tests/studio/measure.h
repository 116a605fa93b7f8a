/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Measures the responsiveness of the main loop. Written as JSON: longest_work_ms (longest computation of the main thread
 * without a break), longest_work_at_ms (after the first frame), longest_frame_ms (longest computation of a frame),
 * peak_memory_mb, first_frame_at_ms (on the monotonic clock, which other processes share), stop_acknowledged_ms,
 * stop_effective_ms (null without a stop). Main thread only. */
/* From now on the program aborts when a widget is finalised on another thread. Before the first window. */
void measure_widgets (void);
/* The same, and measures from the first frame of the first window on. */
void measure_begin (GApplication *application);
void measure_end (const char *file);

/* As g_application_run(), of which it takes the place in the program tosst-studio-measured: with TOSST_STUDIO_MEASURE=FILE
 * in the environment, FILE is written at its end. */
int measured_run (GApplication *application, int argc, char *argv[]);
#ifdef TOSST_MEASURED
#define g_application_run measured_run
#endif
