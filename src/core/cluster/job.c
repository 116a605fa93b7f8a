/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cluster/job.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"

/* Memory beyond the estimate: a share, and what MPI and libraries take in each process. */
#define MEMORY_RESERVE 1.1
#define PROCESS_BYTES ((double)(256 << 20))

/* Time to save before the end: a share of the time limit, but not more than this many seconds. */
#define WARNING_SHARE 10
#define WARNING_MOST ((guint64)300)
#define WARNING_LEAST ((guint64)10)

/* Reads the next whole number of a time; FALSE: there is none. */
static gboolean
read_number (const char **text, guint64 *number)
{
  char *end;

  if (!g_ascii_isdigit (**text))
    return FALSE;
  *number = g_ascii_strtoull (*text, &end, 10);
  *text = end;
  return *number <= TOSST_JOB_MAX_SECONDS;
}

gboolean
tosst_job_parse_time (const char *text, guint64 *seconds, GError **error)
{
  const char *at = text;
  guint64 days = 0, part[3] = { 0 };
  gboolean has_days = strchr (text, '-') != NULL, is_valid = TRUE;
  int n = 0;

  if (has_days)
    {
      is_valid = read_number (&at, &days) && *at == '-';
      at += is_valid;
    }
  while (is_valid && n < 3)
    {
      is_valid = read_number (&at, &part[n++]);
      if (*at != ':')
        break;
      at++;
      is_valid = is_valid && n < 3;
    }
  /* One or two numbers are minutes and seconds; after days, hours and minutes. */
  if (!has_days && n < 3)
    *seconds = part[0] * 60 + part[1];
  else
    *seconds = days * 24 * 3600 + part[0] * 3600 + part[1] * 60 + part[2];
  if (is_valid && *at == '\0' && *seconds > 0 && *seconds <= TOSST_JOB_MAX_SECONDS)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("“%s” is no time limit: give minutes, hours:minutes:seconds or days-hours, as 90, 12:00:00 or "
                        "2-0"),
                     text);
}

guint64
tosst_job_warning (guint64 seconds)
{
  return CLAMP (seconds / WARNING_SHARE, MIN (WARNING_LEAST, seconds / 2), WARNING_MOST);
}

static gboolean
check_number (const char *what, int number, int least, int most, GError **error)
{
  return (number >= least && number <= most)
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s must be from %d to %d, not %d"), what, least, most, number);
}

/* Names of partitions and accounts stand in the script without quotes. */
static gboolean
check_word (const char *what, const char *word, GError **error)
{
  static const char allowed[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.,:/@+-";

  if (word == NULL || (*word != '\0' && *word != '-' && strspn (word, allowed) == strlen (word)))
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("“%s” is no name of %s"), word, what);
}

gboolean
tosst_job_check (const TosstJob *job, GError **error)
{
  return check_number (_ ("the number of nodes"), job->nodes, 1, TOSST_JOB_MAX_NODES, error)
         && check_number (_ ("the number of ranks a node"), job->ranks, 1, TOSST_JOB_MAX_RANKS, error)
         && check_number (_ ("the number of threads"), job->threads, 0, TOSST_JOB_MAX_THREADS, error)
         && check_word (_ ("a partition"), job->partition, error) && check_word (_ ("an account"), job->account, error);
}

guint64
tosst_job_node_memory (const TosstJob *job)
{
  if (job->memory == 0)
    return 0;
  return (guint64)(job->ranks * (MEMORY_RESERVE * (double)job->memory + PROCESS_BYTES));
}
