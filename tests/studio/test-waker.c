/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/tasks/computing.h"
#include "studio/tasks/waker.h"

#define THREADS 4
#define RINGS 5000

typedef struct
{
  StudioWaker *waker;
  int heard;
  gint put, taken; /* put: atomic */
  gboolean again;  /* notify again from wake */
} Fixture;

static void
on_wake (gpointer data)
{
  Fixture *self = data;

  self->heard++;
  self->taken = g_atomic_int_get (&self->put);
  if (self->again)
    studio_waker_ring (self->waker, 0);
  self->again = FALSE;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->waker = studio_waker_new (on_wake, self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  studio_waker_silence (self->waker);
  studio_waker_unref (self->waker);
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
    studio_waker_ring (self->waker, 0);
  g_assert_cmpint (self->heard, ==, 0);
  settle ();
  g_assert_cmpint (self->heard, ==, 1);
}

static void
test_rings_again (Fixture *self, gconstpointer data)
{
  for (int i = 1; i <= 3; i++)
    {
      studio_waker_ring (self->waker, 0);
      settle ();
      g_assert_cmpint (self->heard, ==, i);
    }
  self->again = TRUE;
  studio_waker_ring (self->waker, 0);
  settle ();
  g_assert_cmpint (self->heard, ==, 5);
}

static void
test_waits (Fixture *self, gconstpointer data)
{
  gint64 start = g_get_monotonic_time ();

  studio_waker_ring (self->waker, 20);
  studio_waker_ring (self->waker, 0); /* merged with the first */
  while (self->heard == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 19000); /* the main loop counts in milliseconds */
  settle ();
  g_assert_cmpint (self->heard, ==, 1);
}

static void
test_silence (Fixture *self, gconstpointer data)
{
  studio_waker_ring (self->waker, 0);
  studio_waker_silence (self->waker);
  settle ();
  studio_waker_ring (self->waker, 0);
  settle ();
  g_assert_cmpint (self->heard, ==, 0);
}

/* A notification is pending when the owner drops its reference. */
static void
test_let_go (void)
{
  Fixture self = { 0 };

  set_up (&self, NULL);
  studio_waker_ring (self.waker, 5);
  tear_down (&self, NULL);
  g_usleep (10000);
  settle ();
  g_assert_cmpint (self.heard, ==, 0);
}

static gpointer
put_and_ring (gpointer data)
{
  Fixture *self = data;

  for (int i = 0; i < RINGS; i++)
    {
      g_atomic_int_inc (&self->put);
      studio_waker_ring (self->waker, 0);
    }
  return NULL;
}

/* In any interleaving the last stored item is taken. */
static void
test_threads (Fixture *self, gconstpointer data)
{
  GThread *threads[THREADS];

  for (int i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("ring", put_and_ring, self);
  while (self->taken < THREADS * RINGS)
    g_main_context_iteration (NULL, TRUE);
  for (int i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  settle ();
  g_assert_cmpint (self->taken, ==, THREADS * RINGS);
  g_assert_cmpint (self->heard, <=, THREADS * RINGS);
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

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/waker/coalesces", Fixture, NULL, set_up, test_coalesces, tear_down);
  g_test_add ("/waker/rings-again", Fixture, NULL, set_up, test_rings_again, tear_down);
  g_test_add ("/waker/waits", Fixture, NULL, set_up, test_waits, tear_down);
  g_test_add ("/waker/silence", Fixture, NULL, set_up, test_silence, tear_down);
  g_test_add_func ("/waker/let-go", test_let_go);
  g_test_add ("/waker/threads", Fixture, NULL, set_up, test_threads, tear_down);
  g_test_add_func ("/computing", test_computing);
  return g_test_run ();
}
