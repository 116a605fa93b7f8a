/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/computing.h"
#include "studio/tasks/worker.h"

#define THREADS 4
#define NOTIFICATIONS 5000

typedef struct
{
  StudioNotifier *notifier;
  int calls;
  gint put, taken; /* put: atomic */
  gboolean again;  /* queue another one from the callback */
} Fixture;

static void
on_notify (gpointer data)
{
  Fixture *self = data;

  self->calls++;
  self->taken = g_atomic_int_get (&self->put);
  if (self->again)
    studio_notifier_queue (self->notifier, 0);
  self->again = FALSE;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->notifier = studio_notifier_new (on_notify, self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  studio_notifier_disconnect (self->notifier);
  studio_notifier_unref (self->notifier);
}

static void
settle (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
test_coalesces (Fixture *self, gconstpointer data)
{
  for (int i = 0; i < 10; i++)
    studio_notifier_queue (self->notifier, 0);
  g_assert_cmpint (self->calls, ==, 0);
  settle ();
  g_assert_cmpint (self->calls, ==, 1);
}

static void
test_queues_again (Fixture *self, gconstpointer data)
{
  for (int i = 1; i <= 3; i++)
    {
      studio_notifier_queue (self->notifier, 0);
      settle ();
      g_assert_cmpint (self->calls, ==, i);
    }
  self->again = TRUE;
  studio_notifier_queue (self->notifier, 0);
  settle ();
  g_assert_cmpint (self->calls, ==, 5);
}

static void
test_waits (Fixture *self, gconstpointer data)
{
  gint64 start = g_get_monotonic_time ();

  studio_notifier_queue (self->notifier, 20);
  studio_notifier_queue (self->notifier, 0); /* merged with the first */
  while (self->calls == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 19000); /* the main loop counts in milliseconds */
  settle ();
  g_assert_cmpint (self->calls, ==, 1);
}

static void
test_disconnect (Fixture *self, gconstpointer data)
{
  studio_notifier_queue (self->notifier, 0);
  studio_notifier_disconnect (self->notifier);
  settle ();
  studio_notifier_queue (self->notifier, 0);
  settle ();
  g_assert_cmpint (self->calls, ==, 0);
}

/* A notification is pending when the owner drops its reference. */
static void
test_let_go (void)
{
  Fixture self = { 0 };

  set_up (&self, NULL);
  studio_notifier_queue (self.notifier, 5);
  tear_down (&self, NULL);
  g_usleep (10000);
  settle ();
  g_assert_cmpint (self.calls, ==, 0);
}

static gpointer
put_and_queue (gpointer data)
{
  Fixture *self = data;

  for (int i = 0; i < NOTIFICATIONS; i++)
    {
      g_atomic_int_inc (&self->put);
      studio_notifier_queue (self->notifier, 0);
    }
  return NULL;
}

/* In any interleaving the last stored item is taken. */
static void
test_threads (Fixture *self, gconstpointer data)
{
  GThread *threads[THREADS];

  for (int i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("queue", put_and_queue, self);
  while (self->taken < THREADS * NOTIFICATIONS)
    g_main_context_iteration (NULL, TRUE);
  for (int i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  settle ();
  g_assert_cmpint (self->taken, ==, THREADS * NOTIFICATIONS);
  g_assert_cmpint (self->calls, <=, THREADS * NOTIFICATIONS);
}

/* Requests made before the worker computes apply, and requests made afterwards are harmless. */
static void
test_computing (void)
{
  StudioComputing computing;

  studio_computing_init (&computing);
  g_assert_false (tosst_context_is_cancelled (studio_computing_begin (&computing, 1)));
  studio_computing_pause (&computing, TRUE);
  studio_computing_pause (&computing, FALSE);
  studio_computing_end (&computing);
  studio_computing_pause (&computing, TRUE);
  studio_computing_cancel (&computing);
  g_assert_true (tosst_context_is_cancelled (studio_computing_begin (&computing, 1)));
  studio_computing_end (&computing);
  studio_computing_clear (&computing);
}

static void
count (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  g_usleep (1000);
  ++*(int *)question;
}

static void
do_nothing (gpointer data)
{
}

/* All requests made at once are answered, also those pending when the worker is freed. */
static void
test_queued (void)
{
  static const StudioWork work
      = { .work = G_CALLBACK (count), .free_question = do_nothing, .free_answer = do_nothing, .queued = TRUE };
  StudioWorker *worker = studio_worker_new (&work, do_nothing, NULL);
  int answered = 0;

  for (int i = 0; i < 20; i++)
    studio_worker_ask (worker, &answered);
  studio_worker_free (worker);
  g_assert_cmpint (answered, ==, 20);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/notifier/coalesces", Fixture, NULL, set_up, test_coalesces, tear_down);
  g_test_add ("/notifier/queues-again", Fixture, NULL, set_up, test_queues_again, tear_down);
  g_test_add ("/notifier/waits", Fixture, NULL, set_up, test_waits, tear_down);
  g_test_add ("/notifier/disconnect", Fixture, NULL, set_up, test_disconnect, tear_down);
  g_test_add_func ("/notifier/let-go", test_let_go);
  g_test_add ("/notifier/threads", Fixture, NULL, set_up, test_threads, tear_down);
  g_test_add_func ("/computing", test_computing);
  g_test_add_func ("/worker/queued", test_queued);
  return g_test_run ();
}
