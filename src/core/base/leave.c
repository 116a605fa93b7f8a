/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/leave.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void
tosst_leave (int status)
{
  fflush (stdout);
  fflush (stderr);
#if LEAVES_AT_ONCE
  _exit (status);
#else
  exit (status);
#endif
}
