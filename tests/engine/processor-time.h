/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <time.h>

/* Seconds of processor time of all threads: what a machine with other work does not lengthen. */
static inline double
processor_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
