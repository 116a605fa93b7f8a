/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the process that runs a run is still there. A process is its number, and because numbers come again also the
 * time when it started, in the boot and the process namespace where both count. Of one elsewhere only the signs of
 * life in the store tell; of another boot none is left, as a store is used on one machine at a time.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/base/machine.h"
#include "core/store/private.h"

/* Silence after which a process that cannot be looked at counts as gone, s. */
#define SILENCE 3600

double
tosst_store_now (void)
{
  return 1e-6 * (double)g_get_real_time ();
}

/* Of a process, in ticks since boot; 0 if it is not there. */
static guint64
start_time (gint64 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/stat", pid), *text = NULL;
  g_auto (GStrv) fields = NULL;
  const char *end;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  /* The second field is a name in parentheses and may hold anything; the 22nd is the start. */
  end = strrchr (text, ')');
  fields = end ? g_strsplit (end + 1, " ", -1) : NULL;
  /* A zombie has ended. */
  if (!fields || g_strv_length (fields) < 21 || fields[1][0] == 'Z' || fields[1][0] == 'X')
    return 0;
  return g_ascii_strtoull (fields[20], NULL, 10);
}

/* Where process numbers count: "boot/namespace". */
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
tosst_store_owner_is_gone (const char *owner, double heard)
{
  g_autofree char *here = place ();
  g_auto (GStrv) words = g_strsplit (owner, " ", -1);

  if (g_strv_length (words) == 3 && strcmp (words[0], here) == 0)
    return start_time (g_ascii_strtoll (words[1], NULL, 10)) != g_ascii_strtoull (words[2], NULL, 10);
  if (strncmp (owner, here, strcspn (here, "/") + 1) != 0)
    return TRUE;
  return !(tosst_store_now () - heard < SILENCE);
}
