/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Preloaded library: deletes the folder LOST_FOLDER with its contents after the first output was written to the disk
 * and before its rename. */

#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fsync (int fd);

static int
take_away (const char *path, const struct stat *info, int kind, struct FTW *walk)
{
  return remove (path);
}

int
fsync (int fd)
{
  const char *folder = getenv ("LOST_FOLDER");
  int result = (int)syscall (SYS_fsync, fd);

  if (folder && access (folder, F_OK) == 0)
    nftw (folder, take_away, 8, FTW_DEPTH | FTW_PHYS);
  return result;
}
