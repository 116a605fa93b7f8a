/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Detects whether the process that executes a run still exists. A process is identified by its id and, because ids are
 * reused, its start time, within a boot and a process namespace. For a process in another namespace only its last
 * activity in the store is known; a process of another boot has ended, as a store is used on one machine at a time.
 */
#include <signal.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/store/private.h"

/* Seconds of inactivity after which a process that cannot be inspected counts as ended. */
#define SILENCE 3600

double
tosst_store_now (void)
{
  return 1e-6 * (double)g_get_real_time ();
}

/* Start time of a process in ticks since boot; 0 if it does not exist. */
static guint64
start_time (gint64 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/stat", pid), *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  /* The second field is a name in parentheses that may contain any character; the 22nd is the start time. */
  const char *end = strrchr (text, ')');
  g_auto (GStrv) fields = end ? g_strsplit (end + 1, " ", -1) : NULL;
  /* A zombie process has ended. */
  if (!fields || g_strv_length (fields) < 21 || fields[1][0] == 'Z' || fields[1][0] == 'X')
    return 0;
  return g_ascii_strtoull (fields[20], NULL, 10);
}

/* Scope of process ids: "boot/namespace". */
static char *
place (void)
{
  g_autofree char *boot = tosst_machine_boot (), *namespace = g_file_read_link ("/proc/self/ns/pid", NULL);

  return g_strdup_printf ("%s/%s", boot, namespace ? namespace : "");
}

char *
tosst_store_owner (void)
{
  g_autofree char *here = place ();

  return g_strdup_printf ("%s %ld %" G_GUINT64_FORMAT, here, (long)getpid (), start_time (getpid ()));
}

gboolean
tosst_store_owner_is_gone (const char *owner, double heartbeat)
{
  g_autofree char *here = place ();
  g_auto (GStrv) words = g_strsplit (owner, " ", -1);

  if (g_strv_length (words) == 3 && strcmp (words[0], here) == 0)
    return start_time (g_ascii_strtoll (words[1], NULL, 10)) != g_ascii_strtoull (words[2], NULL, 10);
  if (strncmp (owner, here, strcspn (here, "/") + 1) != 0)
    return TRUE;
  return !(tosst_store_now () - heartbeat < SILENCE);
}
