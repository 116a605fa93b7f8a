/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops on several threads: every item once, whatever the threads were doing when the loop began, and all of what tasks
 * wrote is there when it ends.
 */
#include <gio/gio.h>

#include "objects.h"
#include "processor-time.h"

#define ITEMS 64

typedef struct
{
  TosstContext *context;
  int threads;
  gint64 busy;       /* microseconds that an item takes */
  int times[ITEMS];  /* each written by whoever has the item, without any lock */
  int inside[ITEMS]; /* by worker: tasks at a time */
  int fails_at, cancels_at;
} Loop;

static void
be_busy (gint64 microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;

  while (microseconds > 0 && g_get_monotonic_time () < end)
    continue;
}

static TosstStatus
count_task (size_t item, int worker, void *data)
{
  Loop *self = data;

  g_assert_cmpint (worker, >=, 0);
  g_assert_cmpint (worker, <, self->threads);
  g_assert_cmpint (self->inside[worker]++, ==, 0);
  self->times[item]++;
  be_busy (self->busy);
  if ((int)item == self->cancels_at)
    tosst_context_cancel (self->context);
  self->inside[worker]--;
  return (int)item == self->fails_at ? TOSST_ERROR_NUMERIC : TOSST_OK;
}

/* Loops right after each other, after pauses in which workers fall asleep, and with work that none is woken for. */
static void
test_each_once (gconstpointer data)
{
  int threads = GPOINTER_TO_INT (data), expected[ITEMS] = { 0 };
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  Loop loop = { context, threads, .fails_at = -1, .cancels_at = -1 };

  for (int i = 0; i < 6000; i++)
    {
      int items = i % 7 == 0 ? 0 : i * 31 % ITEMS + 1;
      loop.busy = i % 50 == 0 ? 20 : 0;
      if (i % 100 < 3)
        g_usleep (i % 100 * 100);
      assert_ok (i % 3 == 0 ? tosst_parallel_work (context, items, i % 2 * 1e9, count_task, &loop)
                            : tosst_parallel (context, items, count_task, &loop, 0, 0));
      for (int k = 0; k < items; k++)
        expected[k]++;
      for (int k = 0; k < ITEMS; k++)
        g_assert_cmpint (loop.times[k], ==, expected[k]);
    }
}

/* On one thread nothing begins after the end; on several the next loop is whole again. */
static void
test_ends_early (gconstpointer data)
{
  int threads = GPOINTER_TO_INT (data);
  g_autoptr (TosstContext) context = tosst_context_new (threads);

  for (int i = 0; i < 200; i++)
    {
      Loop fails = { context, threads, .busy = 3, .fails_at = i % 5, .cancels_at = -1 };
      Loop ends = { context, threads, .busy = 3, .fails_at = -1, .cancels_at = i % 5 };
      Loop whole = { context, threads, .fails_at = -1, .cancels_at = -1 };

      g_assert_cmpint (tosst_parallel (context, ITEMS, count_task, &fails, 0, 0), ==, TOSST_ERROR_NUMERIC);
      g_assert_cmpint (tosst_parallel (context, ITEMS, count_task, &ends, 0, 0), ==, TOSST_CANCELLED);
      tosst_context_reset (context);
      assert_ok (tosst_parallel (context, ITEMS, count_task, &whole, 0, 0));
      for (int k = 0; k < ITEMS; k++)
        {
          g_assert_cmpint (fails.times[k], <=, threads == 1 && k > i % 5 ? 0 : 1);
          g_assert_cmpint (ends.times[k], <=, threads == 1 && k > i % 5 ? 0 : 1);
          g_assert_cmpint (whole.times[k], ==, 1);
        }
    }
}

/* Long tasks run at the same time: if nobody came, the first would wait for ever. */
static TosstStatus
meet_task (size_t item, int worker, void *data)
{
  int *arrived = data;

  g_atomic_int_inc (arrived);
  while (g_atomic_int_get (arrived) < 3)
    g_thread_yield ();
  return TOSST_OK;
}

static void
test_meets (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (3);

  for (int i = 0; i < 300; i++)
    {
      int arrived = 0;

      if (i % 4 == 0)
        g_usleep (200);
      assert_ok (tosst_parallel (context, 3, meet_task, &arrived, 0, 0));
      g_assert_cmpint (arrived, ==, 3);
    }
}

/* A context that has nothing to do soon takes no processor time, even after loops that made its workers patient. */
static void
test_idles (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  Loop loop = { context, 2, .fails_at = -1, .cancels_at = -1 };

  g_usleep (300000); /* OpenBLAS begins with threads that look for work */
  for (int i = 0; i < 1000; i++)
    tosst_parallel (context, 4, count_task, &loop, 0, 0);
  /* Where other work takes the processors, workers find out later that nothing comes. */
  double spent = 1;
  for (int i = 0; i < 50 && spent >= 0.01; i++)
    {
      double before = processor_seconds ();
      g_usleep (200000);
      spent = processor_seconds () - before;
    }
  g_assert_cmpfloat (spent, <, 0.01);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/parallel/each-once/1", GINT_TO_POINTER (1), test_each_once);
  g_test_add_data_func ("/parallel/each-once/2", GINT_TO_POINTER (2), test_each_once);
  g_test_add_data_func ("/parallel/each-once/9", GINT_TO_POINTER (9), test_each_once);
  g_test_add_data_func ("/parallel/ends-early/1", GINT_TO_POINTER (1), test_ends_early);
  g_test_add_data_func ("/parallel/ends-early/3", GINT_TO_POINTER (3), test_ends_early);
  g_test_add_func ("/parallel/meets", test_meets);
  g_test_add_func ("/parallel/idles", test_idles);
  return g_test_run ();
}
