/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preloaded: a disk that takes seconds to write. Others wait for the process that saves.
 */
#include <unistd.h>

int
fsync (int fd)
{
  (void)fd;
  sleep (3);
  return 0;
}
