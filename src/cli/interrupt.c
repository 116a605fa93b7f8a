/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "atomic-file.h"
#include "interrupt.h"

static int pipe_ends[2];
static volatile sig_atomic_t signals;
static GMutex lock;
static TosstContext *watched;
static gboolean seen;

/* Only a write is allowed here; the thread below does the rest. Should that hang, a third one ends the program. */
static void
on_signal (int number)
{
  int saved = errno;

  /* A terminal that closes may tell it twice. */
  if (number == SIGHUP && signals > 0)
    return;
  if (signals++ > 1)
    _exit (130);
  if (write (pipe_ends[1], "", 1) < 0)
    _exit (130);
  errno = saved;
}

static void
wait_for_byte (void)
{
  char byte;

  while (read (pipe_ends[0], &byte, 1) != 1)
    ;
}

static gpointer
wait_for_signal (gpointer data)
{
  wait_for_byte ();
  g_mutex_lock (&lock);
  seen = TRUE;
  if (watched)
    tosst_context_cancel (watched);
  g_mutex_unlock (&lock);
  wait_for_byte ();
  tosst_atomic_abandon_all ();
  _exit (130);
}

void
cli_interrupt_install (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, hangup;

  if (pipe (pipe_ends) != 0)
    return;
  g_thread_unref (g_thread_new ("interrupt", wait_for_signal, NULL));
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  /* Whoever ignores it has started nohup and wants the program to go on. */
  if (sigaction (SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaction (SIGHUP, &action, NULL);
  /* A file that grows beyond what the shell allows (ulimit -f) is an error of writing, as on a full disk. */
  signal (SIGXFSZ, SIG_IGN);
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

gboolean
cli_interrupted (void)
{
  gboolean result;

  g_mutex_lock (&lock);
  result = seen;
  g_mutex_unlock (&lock);
  return result;
}
