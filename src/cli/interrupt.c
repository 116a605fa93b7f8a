/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli/call.h"
#include "core/base/base.h"

#define STATUS 130

/* Time for a cancelled computation to end, and polling interval, ms. */
#define PATIENCE 500
#define TICK 50

static int pipe_ends[2];
static volatile sig_atomic_t signals, told, is_urgent;
/* Set before any signal matters: signals are sent by a launcher, which ends a process that does not obey. */
static volatile sig_atomic_t is_launched;
static GMutex lock;
static TosstContext *watched;
static const char *command;
static gboolean seen, held, is_silent;

/* Only async-signal-safe calls are allowed; the thread below handles the signal. If it hangs, a third signal exits. */
static void
on_signal (int number)
{
  int saved = errno;
  gboolean again = told;

  is_urgent |= number != SIGUSR1;
  /* A closing terminal may send SIGHUP twice; a scheduler and launchers each send the same SIGTERM on. */
  if (again && (number == SIGHUP || number == SIGUSR1 || is_launched))
    return;
  told = 1;
  signals += number != SIGUSR1;
  if (signals > 2)
    _exit (STATUS);
  if (again && signals == 1)
    return; /* the first one to insist after SIGUSR1 */
  if (write (pipe_ends[1], "", 1) < 0)
    _exit (STATUS);
  errno = saved;
}

/* Whether a signal arrives within this time in milliseconds; -1: no limit. */
static gboolean
is_told (int milliseconds)
{
  struct pollfd look = { .fd = pipe_ends[0], .events = POLLIN };
  char byte;

  return poll (&look, 1, milliseconds) > 0 && read (pipe_ends[0], &byte, 1) == 1;
}

/* Returns after a second signal, or after PATIENCE without results being saved. */
static void
wait_for_end (void)
{
  for (int waited = 0; waited < PATIENCE;)
    {
      if (is_told (TICK))
        return;
      g_mutex_lock (&lock);
      waited += held ? 0 : TICK;
      g_mutex_unlock (&lock);
    }
}

static void G_GNUC_NORETURN
leave (int status, const char *why)
{
  tosst_atomic_abandon_all ();
  if (!is_silent || status != STATUS)
    dprintf (STDERR_FILENO, "%stosst: %s: %s\n", isatty (STDERR_FILENO) ? "\r\033[K" : "", command ? command : "tosst",
             why);
  _exit (status);
}

void
cli_interrupt_fail (const char *why)
{
  leave (1, why);
}

static gpointer
wait_for_signal (gpointer data)
{
  while (!is_told (-1))
    ;
  /* Handles the first signal: TRUE if the computation can end by itself. */

  g_mutex_lock (&lock);
  seen = TRUE;
  gboolean may_end = watched || held;
  if (watched)
    tosst_context_cancel (watched);
  g_mutex_unlock (&lock);
  if (may_end)
    wait_for_end ();
  leave (STATUS, _ ("interrupted; run the same command again"));
}

void
cli_interrupt_install (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, hangup;

  /* Exceeding the file size limit (ulimit -f) is a write error, like a full disk. */
  signal (SIGXFSZ, SIG_IGN);
  if (pipe (pipe_ends) != 0)
    return;
  GThread *thread = g_thread_try_new ("interrupt", wait_for_signal, NULL, NULL);
  if (!thread)
    return;
  g_thread_unref (thread);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGUSR1, &action, NULL);
  /* nohup ignores it: the program continues. */
  if (sigaction (SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaction (SIGHUP, &action, NULL);
}

void
cli_interrupt_name (const char *name)
{
  g_mutex_lock (&lock);
  command = name;
  g_mutex_unlock (&lock);
}

void
cli_interrupt_launched (void)
{
  is_launched = 1;
}

void
cli_interrupt_silence (gboolean silent)
{
  is_silent = silent;
}

void
cli_interrupt_watch (TosstContext *context)
{
  g_mutex_lock (&lock);
  watched = context;
  if (seen && context)
    tosst_context_cancel (context);
  g_mutex_unlock (&lock);
}

void
cli_interrupt_hold (gboolean now)
{
  g_mutex_lock (&lock);
  held = now;
  g_mutex_unlock (&lock);
}

gboolean
cli_interrupt_is_urgent (void)
{
  return is_urgent;
}

gboolean
cli_interrupted (void)
{
  g_mutex_lock (&lock);
  gboolean result = seen;
  g_mutex_unlock (&lock);
  return result;
}
