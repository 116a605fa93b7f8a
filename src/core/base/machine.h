/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <glib.h>

/* Incremented whenever a change of the program changes results by more than rounding. Part of the hash of a run. */
#define TOSST_NUMERICS 6

/* Model of the processor. New. */
char *tosst_machine_cpu (void);
char *tosst_machine_blas (void); /* kernel of OpenBLAS in use, or name of another library */
char *tosst_machine_boot (void); /* identifier that changes with each boot of the system */

gsize tosst_memory_available (void);  /* bytes available without swapping, limited by the control groups */
gsize tosst_memory_total (void);      /* bytes of the machine, limited by the control groups; the same at any time */
gsize tosst_memory_for_coding (void); /* share of them available to a coder; see tosst_coder_memory() */
/* Fails where a limit on the address space (ulimit -v) leaves less than the libraries for text and pictures need, which end the
 * process without memory. */
gboolean tosst_memory_check_drawing (GError **error);
double tosst_memory_peak_mb (void); /* peak of this process, MiB */
/* The smaller of `available` and what the control groups of a process leave, those that contain its own included: a
 * scheduler limits a job, and not each of its processes. groups: text of /proc/PID/cgroup; root: of their folders.
 * used: without what they have in use; else what they allow at all. */
gsize tosst_memory_of_groups (const char *groups, const char *root, gsize available, gboolean used);

/* Bytes that are free on the disk of a file or folder, or of its nearest parent that exists; 0: unknown. */
guint64 tosst_disk_free (GFile *file);
/* Whether the disk of a folder has room for so many bytes plus a reserve. */
gboolean tosst_disk_has_room (GFile *folder, guint64 bytes);

/* Exits the program after all output is written and closed, without the exit handlers of libraries: where memory or
 * threads are limited, OpenBLAS waits in its handler for threads that it could not start. Builds with sanitizers or
 * coverage exit normally, as they report at exit. */
void tosst_leave (int status) G_GNUC_NORETURN;
