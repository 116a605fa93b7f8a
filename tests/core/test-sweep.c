/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doing the runs of a sweep: each once, whatever interrupts it and however many go on at a time, and with the numbers
 * of a run that is done alone.
 */
#include <math.h>
#include <string.h>

#include "../small-images.h"
#include "core/sweep/sweep.h"
#include "execute-recorded.h"
#include "store-place.h"

#define BASE                                                                                                           \
  "[dataset]\n" SMALL_DATASET "path=%s\n[descriptor]\n" SMALL_DESCRIPTOR                                               \
  "[dictionary]\nsample=100\niterations=4\ntolerance=0\n[sweep]\n%s"

static char *images; /* folder */

static TosstSweepPlan *
plan (const char *lines)
{
  g_autofree char *text = g_strdup_printf (BASE, images, lines);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (text, "s", &error);
  TosstSweepPlan *plan = sweep ? tosst_sweep_plan_new (sweep, &error) : NULL;

  g_assert_no_error (error);
  return plan;
}

typedef struct
{
  guint begun, ended, told; /* runs, and calls */
  double fraction;
  int cancel_after; /* runs; -1: never */
  TosstContext *context;
} Watch;

static void
on_run (guint run, const TosstSweepOutcome *outcome, gpointer data)
{
  Watch *watch = data;

  watch->told++;
  watch->begun += outcome->state == TOSST_RUN_RUNNING;
  watch->ended += !outcome->earlier && (outcome->state == TOSST_RUN_DONE || outcome->state == TOSST_RUN_FAILED);
  if (outcome->state == TOSST_RUN_DONE && !outcome->earlier && watch->cancel_after-- == 0)
    tosst_context_cancel (watch->context);
}

static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Watch *watch = data;

  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  watch->fraction = fraction;
}

static TosstSweepResult *
execute_with (Place *place, const TosstSweepPlan *runs, TosstSweepOptions options, int cancel_after, Watch *watch,
              GError **error)
{
  g_autofree Watch *own = g_new0 (Watch, 1);
  Watch *seen = watch ? watch : own;
  const TosstSweepObserver observer = { .run = on_run, .progress = on_progress, .data = seen };
  TosstContext *context = tosst_context_new (2);
  TosstSweepResult *result = NULL;

  *seen = (Watch){ .context = context, .cancel_after = cancel_after };
  options.workspace = place->file;
  tosst_sweep_execute (runs, &options, context, &observer, &result, error);
  tosst_context_free (context);
  return result;
}

static TosstSweepResult *
execute (Place *place, const TosstSweepPlan *runs, int jobs)
{
  g_autoptr (GError) error = NULL;
  TosstSweepResult *result = execute_with (place, runs, (TosstSweepOptions){ .jobs = jobs }, -1, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* The results of a run, to the last bit. */
static void
assert_same_run (TosstStore *a, gint64 x, TosstStore *b, gint64 y)
{
  static const char *const series[] = { "objective", "fit", "proximity", "sparsity", "mean_nonzeros", "worst_kkt" };
  g_autoptr (GArray) one = tosst_store_splits (a, x, 3, NULL), two = tosst_store_splits (b, y, 3, NULL);

  g_assert_cmpuint (one->len, ==, 2);
  g_assert_cmpuint (two->len, ==, 2);
  for (guint s = 0; s < one->len; s++)
    {
      const TosstSplitResult *p = &g_array_index (one, TosstSplitResult, s),
                             *q = &g_array_index (two, TosstSplitResult, s);

      g_assert_cmpfloat (p->accuracy, ==, q->accuracy);
      g_assert_cmpmem (&p->objective, 8, &q->objective, 8);
      g_assert_cmpmem (&p->mean_nonzeros, 8, &q->mean_nonzeros, 8);
      g_assert_cmpmem (&p->worst_kkt, 8, &q->worst_kkt, 8);
      g_assert_cmpfloat (p->c, ==, q->c);
      g_assert_cmpmem (p->confusion, 9 * sizeof (int), q->confusion, 9 * sizeof (int));
      for (gsize i = 0; i < G_N_ELEMENTS (series); i++)
        {
          gsize n, m;
          g_autofree double *u = tosst_store_series (a, x, (int)s, series[i], &n, NULL);
          g_autofree double *v = tosst_store_series (b, y, (int)s, series[i], &m, NULL);

          g_assert_cmpmem (u, n * sizeof (double), v, m * sizeof (double));
        }
    }
}

static void
assert_same (Place *a, const TosstSweepResult *x, Place *b, const TosstSweepResult *y)
{
  g_autoptr (TosstStore) one = open_store (a, TOSST_STORE_READ), two = open_store (b, TOSST_STORE_READ);

  g_assert_cmpuint (x->runs, ==, y->runs);
  for (guint i = 0; i < x->runs; i++)
    {
      g_assert_cmpint (x->outcome[i].state, ==, TOSST_RUN_DONE);
      g_assert_cmpint (y->outcome[i].state, ==, TOSST_RUN_DONE);
      assert_same_run (one, x->outcome[i].id, two, y->outcome[i].id);
    }
}

/* Recipes that differ in parameters without influence are one run: of one sweep, of several, and where an earlier version
 * has given it another hash. */
static void
test_without_influence (Place *place, gconstpointer data)
{
  static const char *const idle[] = { "dictionary.eta=0.3;0.5", "dictionary.rank=4;5", "coding.gaussians=3;7",
                                      "pooling.parameter=2;3", "descriptor.sigma-opponent=1;2" };
  gint64 run = 0;
  Place other;

  for (gsize i = 0; i < G_N_ELEMENTS (idle); i++)
    {
      g_autoptr (TosstSweepPlan) runs = plan (idle[i]);
      g_autoptr (TosstSweepResult) result = NULL;

      g_assert_cmpuint (runs->runs->len, ==, 1);
      result = execute (place, runs, 1);
      g_assert_cmpint (result->outcome[0].state, ==, TOSST_RUN_DONE);
      g_assert_cmpint (result->outcome[0].earlier, ==, i > 0);
      g_assert_cmpint (result->outcome[0].id, ==, i > 0 ? run : result->outcome[0].id);
      run = result->outcome[0].id;
    }
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM runs"), ==, 1);
  run_sql (place, "UPDATE runs SET hash = '0123456789abcdef0123456789abcdef'");
  set_up (&other, NULL);
  g_assert_true (g_file_copy (place->file, other.file, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  g_autoptr (TosstSweepPlan) again = plan (idle[0]);
  g_autoptr (TosstSweepResult) found = execute (&other, again, 1);
  g_assert_true (found->outcome[0].earlier);
  tear_down (&other, NULL);
}

#define GRID "dictionary.atoms=8;20\ncoding.lambda=;0.01\npooling.power=0.4;1\n"

/* With any number of jobs. */
static void
test_jobs (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan (GRID);
  g_autoptr (TosstSweepResult) one = execute (place, runs, 1), two = NULL;
  Place other;

  set_up (&other, NULL);
  two = execute (&other, runs, 2);
  g_assert_cmpuint (one->count[TOSST_RUN_DONE], ==, 8);
  assert_same (place, one, &other, two);
  tear_down (&other, NULL);
}

/* A run done separately and recorded. */
static gint64
do_alone (Place *place, const TosstSweepRun *run)
{
  g_autoptr (TosstStore) store = NULL;
  gint64 id;

  tosst_run_result_free (execute_recorded (place->file, run->recipe, run->dataset, &store, &id));
  return id;
}

/* Sharing common results of runs changes no bit of any. data: lines of a sweep. */
static void
test_alone (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan (data);
  g_autoptr (TosstSweepResult) shared = execute (place, runs, 2);
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_READ);
  Place other;

  set_up (&other, NULL);
  for (guint i = 0; i < runs->runs->len; i++)
    {
      gint64 alone = do_alone (&other, tosst_sweep_plan_run (runs, i));
      g_autoptr (TosstStore) second = open_store (&other, TOSST_STORE_READ);

      assert_same_run (store, shared->outcome[i].id, second, alone);
    }
  tear_down (&other, NULL);
}

/* Finished runs are not repeated. */
static void
test_done (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8;20\n"), more = plan ("dictionary.atoms=8;12;20\n");
  gint64 alone = do_alone (place, tosst_sweep_plan_run (runs, 1));
  g_autoptr (TosstSweepResult) first = NULL, again = NULL, third = NULL;
  Watch watch;

  first = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, -1, &watch, NULL);
  g_assert_cmpuint (watch.begun, ==, 1);
  g_assert_cmpint (first->outcome[1].id, ==, alone);
  g_assert_true (first->outcome[1].earlier);
  again = execute_with (place, runs, (TosstSweepOptions){ .jobs = 2 }, -1, &watch, NULL);
  g_assert_cmpuint (watch.begun, ==, 0);
  g_assert_cmpint (again->sweep, ==, first->sweep);
  g_assert_cmpuint (again->count[TOSST_RUN_DONE], ==, 2);
  third = execute_with (place, more, (TosstSweepOptions){ .jobs = 2 }, -1, &watch, NULL);
  g_assert_cmpuint (watch.begun, ==, 1);
  g_assert_cmpint (third->sweep, !=, first->sweep);
  g_assert_cmpint (third->outcome[0].id, ==, first->outcome[0].id);

  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_READ);
  g_autofree char *filter = g_strdup_printf ("sweep=%d", (int)third->sweep);
  g_autoptr (GPtrArray) listed = list_runs (store, NULL, filter), sweeps = tosst_store_sweeps (store, NULL);
  g_assert_cmpuint (listed->len, ==, 3);
  g_assert_cmpuint (sweeps->len, ==, 2);
  g_assert_cmpuint (((TosstStoreSweep *)g_ptr_array_index (sweeps, 1))->count[TOSST_RUN_DONE], ==, 3);
}

/* A failed run does not stop the others and is repeated on request. An excess of atoms over slices is detected when
 * the run starts. */
static void
test_failing (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("descriptor.step=40\ndictionary.sample=5000\ndictionary.atoms=8;4000;12\n");
  g_autoptr (TosstSweepResult) first = NULL, again = NULL, retried = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch;

  first = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, -1, &watch, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (watch.begun, ==, 3);
  g_assert_cmpint (first->outcome[1].state, ==, TOSST_RUN_FAILED);
  g_assert_nonnull (strstr (first->outcome[1].reason, "more than the"));
  g_assert_cmpint (first->outcome[2].state, ==, TOSST_RUN_DONE);
  again = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, -1, &watch, &error);
  g_assert_cmpuint (watch.begun, ==, 0);
  retried = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1, .retry_failed = TRUE }, -1, &watch, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (watch.begun, ==, 1);
  g_assert_cmpint (retried->outcome[1].id, ==, first->outcome[1].id);
}

/* Recorded without being started. */
static void
test_inapplicable (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8;2000\n");
  g_autoptr (TosstSweepResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch;

  result = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1, .retry_failed = TRUE }, -1, &watch, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (watch.begun, ==, 1);
  g_assert_cmpint (result->outcome[1].state, ==, TOSST_RUN_FAILED);
  g_assert_nonnull (strstr (result->outcome[1].reason, "dictionary.sample is 100"));
}

static void
test_cancelled (Place *place, gconstpointer data)
{
  int jobs = GPOINTER_TO_INT (data);
  g_autoptr (TosstSweepPlan) runs = plan (GRID);
  g_autoptr (TosstSweepResult) stopped = NULL, resumed = NULL, whole = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch;
  Place other;

  stopped = execute_with (place, runs, (TosstSweepOptions){ .jobs = jobs }, 1, &watch, &error);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_assert_cmpuint (stopped->count[TOSST_RUN_DONE], <, 8);
  g_assert_cmpuint (stopped->count[TOSST_RUN_DONE], >=, 2);
  g_assert_cmpuint (stopped->count[TOSST_RUN_RUNNING], ==, 0);
  resumed = execute (place, runs, jobs);
  set_up (&other, NULL);
  whole = execute (&other, runs, 1);
  assert_same (place, resumed, &other, whole);
  tear_down (&other, NULL);
}

/* Inspecting a store gives the outcome reported at the end of the sweep; it creates no store. */
static void
test_look (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8;2000;12;20\n");
  g_autoptr (TosstSweepResult) before = NULL, stopped = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_sweep_read_status (runs, place->file, NULL, &before, &error));
  g_assert_false (g_file_query_exists (place->file, NULL));
  g_assert_cmpuint (before->sweep, ==, 0);
  g_assert_cmpuint (before->count[TOSST_RUN_QUEUED], ==, 3);
  g_assert_cmpuint (before->count[TOSST_RUN_FAILED], ==, 1);
  g_assert_true (isnan (before->outcome[0].accuracy) && isnan (before->outcome[0].objective));
  stopped = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, 0, NULL, NULL);
  g_assert_true (tosst_sweep_read_status (runs, place->file, NULL, &after, &error));
  g_assert_no_error (error);
  g_assert_cmpint (after->sweep, ==, stopped->sweep);
  for (guint i = 0; i < after->runs; i++)
    {
      const TosstSweepOutcome *a = &after->outcome[i], *b = &stopped->outcome[i];

      g_assert_cmpint (a->id, ==, b->id);
      g_assert_cmpint (a->state, ==, b->state);
      g_assert_cmpstr (a->reason, ==, b->reason);
      g_assert_cmpmem (&a->accuracy, sizeof (double), &b->accuracy, sizeof (double));
      g_assert_cmpmem (&a->objective, sizeof (double), &b->objective, sizeof (double));
      g_assert_cmpmem (&a->residual, sizeof (double), &b->residual, sizeof (double));
      g_assert_true (a->residual > 0 || a->state != TOSST_RUN_DONE);
      /* A stopped run may have an objective, of a finished split. */
      g_assert_true (isfinite (a->objective) || a->state != TOSST_RUN_DONE);
      g_assert_cmpint (a->earlier, ==, a->state == TOSST_RUN_DONE);
    }
}

static TosstSweepEstimate
estimate (Place *place, const TosstSweepPlan *runs, int jobs, gboolean retry)
{
  const TosstSweepOptions options = { .workspace = place->file, .jobs = jobs, .retry_failed = retry };
  TosstContext *context = tosst_context_new (2);
  g_autoptr (GError) error = NULL;
  TosstSweepEstimate estimate;

  g_assert_true (tosst_sweep_estimate (runs, &options, context, &estimate, &error));
  g_assert_no_error (error);
  tosst_context_free (context);
  return estimate;
}

/* Also where earlier runs predict the time, so that nothing is measured. */
static void
expect_cancelled (Place *place, const TosstSweepPlan *runs)
{
  const TosstSweepOptions options = { .workspace = place->file, .jobs = 1 };
  TosstContext *context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  TosstSweepEstimate estimate;

  tosst_context_cancel (context);
  g_assert_false (tosst_sweep_estimate (runs, &options, context, &estimate, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  tosst_context_free (context);
}

/* The state reported before the runs is that of the store; only running creates a store. */
static void
test_estimate (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8;20;2000\nclassifier.c=1;10\n");
  g_autoptr (TosstSweepPlan) more = plan ("dictionary.atoms=8;20\nclassifier.c=1;10;100\n");
  g_autoptr (TosstSweepPlan) smaller = plan ("descriptor.kind=linear\ndictionary.atoms=8\n");
  TosstSweepEstimate before = estimate (place, runs, 4, FALSE), after;
  g_autoptr (TosstSweepResult) result = NULL;

  g_assert_false (g_file_query_exists (place->file, NULL));
  g_assert_cmpuint (before.runs, ==, 6);
  g_assert_cmpuint (before.problems, ==, 2);
  g_assert_cmpuint (before.done, ==, 0);
  g_assert_cmpuint (before.groups, ==, 2);
  g_assert_cmpint (before.jobs, ==, 2);
  g_assert_true (before.measured);
  g_assert_cmpfloat (before.seconds, >, 0);
  g_assert_cmpfloat (before.seconds, <, 1000);
  g_assert_cmpuint (before.bytes, >, 1000000);
  /* Tensors and checkpoints. */
  g_assert_cmpuint (before.disk, >, 20000);
  g_assert_cmpuint (before.disk, <, before.bytes);
  g_assert_cmpuint (before.free_disk, >, 0);
  result = execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, -1, NULL, NULL);
  after = estimate (place, runs, 4, TRUE);
  g_assert_cmpuint (after.done, ==, 4);
  g_assert_cmpfloat (after.seconds, ==, 0);
  /* The first run shared no results and used as many threads: its time predicts that of the others. */
  after = estimate (place, more, 1, FALSE);
  g_assert_cmpuint (after.done, ==, 4);
  g_assert_false (after.measured);
  g_assert_cmpfloat (after.seconds, >, 0);
  expect_cancelled (place, more);
  /* It predicts nothing for much smaller tensors. */
  after = estimate (place, smaller, 1, FALSE);
  g_assert_true (after.measured);
}

/* Reading a store of another program's making may take long. */
static void
test_read_cancelled (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8;20\n");
  g_autoptr (TosstSweepResult) result = NULL;
  g_autoptr (GError) error = NULL;
  TosstContext *context = tosst_context_new (1);
  TosstStore *store = open_store (place, TOSST_STORE_WRITE);

  g_assert_cmpint (tosst_store_add_sweep (store, NULL, runs->text, &error), ==, 1);
  tosst_store_free (store);
  fill_slow_sweep (place, 1);
  tosst_context_cancel (context);
  g_assert_false (tosst_sweep_read_status (runs, place->file, context, &result, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_assert_null (result);
  tosst_context_free (context);
}

static void
test_refused (Place *place, gconstpointer data)
{
  g_autoptr (TosstSweepPlan) runs = plan ("dictionary.atoms=8\n");
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (place->path, "no database at all, really", -1, NULL));
  g_assert_null (execute_with (place, runs, (TosstSweepOptions){ .jobs = 1 }, -1, NULL, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "is not a store of runs"));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  images = folder;
  write_small_images (folder);
  ADD_TEST ("without-influence", NULL, test_without_influence);
  ADD_TEST ("sweep/jobs", NULL, test_jobs);
  ADD_TEST ("sweep/alone/pooling", "dictionary.atoms=8;20\npooling.power=0.4;1\npooling.kind=average;max\n",
            test_alone);
  ADD_TEST ("sweep/alone/coding", "dictionary.atoms=12\ncoding.lambda=;0.01;0.1\nclassifier.c=1;100\n", test_alone);
  ADD_TEST ("sweep/alone/source", "dictionary.atoms=12\ndictionary.source=learned;random\nclassifier.c=1;100\n",
            test_alone);
  ADD_TEST ("sweep/alone/scheme",
            "descriptor.kind=linear\ndictionary.atoms=12\ndictionary.scheme=psd;full\nclassifier.c=1;100\n",
            test_alone);
  ADD_TEST ("sweep/alone/raw", "dictionary.atoms=12\ncoding.method=raw;sparse\nclassifier.c=1;100\n", test_alone);
  ADD_TEST ("sweep/alone/batches", "dictionary.atoms=12\ndictionary.minibatch=40\nclassifier.c=1;100\n", test_alone);
  ADD_TEST ("sweep/alone/splits", "dictionary.atoms=12\ndataset.seed=1;2\nclassifier.c=1;100\n", test_alone);
  ADD_TEST ("sweep/done", NULL, test_done);
  ADD_TEST ("sweep/failing", NULL, test_failing);
  ADD_TEST ("sweep/inapplicable", NULL, test_inapplicable);
  ADD_TEST ("sweep/cancelled/1", GINT_TO_POINTER (1), test_cancelled);
  ADD_TEST ("sweep/cancelled/2", GINT_TO_POINTER (2), test_cancelled);
  ADD_TEST ("sweep/look", NULL, test_look);
  ADD_TEST ("sweep/estimate", NULL, test_estimate);
  ADD_TEST ("sweep/read-cancelled", NULL, test_read_cancelled);
  ADD_TEST ("sweep/refused", NULL, test_refused);
  status = g_test_run ();
  remove_small_images (folder);
  return status;
}
