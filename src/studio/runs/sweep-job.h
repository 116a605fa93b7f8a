/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/sweep-planner.h"

G_BEGIN_DECLS

/* The part of a sweep under way that lives on both threads, the counterpart of run-job.h: plain data behind a lock.
 *
 *   main thread                          worker
 *   start(): thread begins      ----->   tosst_sweep_execute(), observer writes the newest state under the lock
 *   wake() a few times a second <-----   requests a wake-up unless one is pending
 *   take(): moves the state out
 *   release(): cancels, joins   ----->   ends
 */
typedef struct StudioSweepJob StudioSweepJob;

typedef struct
{
  guint run;
  TosstSweepOutcome outcome; /* reason: owned by the array */
} StudioSweepNews;

/* Changes since the last take(). Owned by the caller of take(), which clears it. */
typedef struct
{
  GArray *news; /* StudioSweepNews, oldest first, or NULL */
  int run;      /* run of the latest news; -1: none yet */
  TosstStage stage;
  int split;
  double fraction, seconds_left; /* of the sweep; seconds_left < 0: unknown */
  char *notice;                  /* or NULL */
  gboolean finished;
  GError *error; /* with finished */
} StudioSweepUpdate;

void studio_sweep_update_clear (StudioSweepUpdate *update);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StudioSweepUpdate, studio_sweep_update_clear)

/* Main thread. options are copied. wake is called there with data until studio_sweep_job_release(). */
StudioSweepJob *studio_sweep_job_start (StudioSweepPlan *plan, const TosstSweepOptions *options, int threads,
                                        StudioWakeFunc wake, gpointer data);
void studio_sweep_job_take (StudioSweepJob *self, StudioSweepUpdate *update);
void studio_sweep_job_pause (StudioSweepJob *self, gboolean pause);
void studio_sweep_job_cancel (StudioSweepJob *self);
void studio_sweep_job_release (StudioSweepJob *self); /* cancels, and waits until the thread has ended */

G_END_DECLS
