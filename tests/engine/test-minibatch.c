/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from a stream, judged by learning from all tensors at once and by equation (5) over all of them.
 */
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/learn.h"

#define SIDE 6
#define TENSORS 600
#define ATOMS 12
#define BATCH 64

/* A stream over a few tensors, repeated as often as its length asks for; what was asked of it. */
typedef struct
{
  TosstLayout *layout;
  float *tensors; /* TENSORS x m */
  GArray *rows;   /* of gsize, in the order they were asked for */
  gsize longest;  /* rows of one batch at most, in one call */
  gsize bad;      /* row that cannot be read */
} Data;

static TosstStatus
read_rows (size_t first, size_t count, float *out, void *user_data)
{
  Data *data = user_data;
  size_t m = data->layout->m;

  data->longest = MAX (data->longest, count);
  for (size_t row = first; row < first + count; row++)
    {
      if (row == data->bad)
        return TOSST_ERROR_NUMERIC;
      memcpy (out + (row - first) * m, data->tensors + row % TENSORS * m, sizeof *out * m);
      g_array_append_val (data->rows, row);
    }
  return TOSST_OK;
}

static Data
make_data (void)
{
  Data data = { tosst_layout_new (SIDE), NULL, g_array_new (FALSE, FALSE, sizeof (gsize)), 0, G_MAXSIZE };
  gsize m = data.layout->m;
  TosstRandom random;

  data.tensors = g_new0 (float, TENSORS *m);
  tosst_random_init (&random, 7, 0);
  for (int n = 0; n < TENSORS; n++)
    for (int pixel = 0; pixel < 9; pixel++)
      {
        double x[SIDE];
        float *out = data.tensors + n * m;

        for (int i = 0; i < SIDE; i++)
          x[i] = tosst_random_uniform (&random) * (1 + (n + i) % 3);
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              *out++ += (float)(x[i] * x[j] * x[k] / 9);
      }
  return data;
}

static void
free_data (Data *data)
{
  tosst_layout_free (data->layout);
  g_free (data->tensors);
  g_array_unref (data->rows);
}

static TosstStream
stream_of (Data *data)
{
  return (TosstStream){ read_rows, data, TENSORS };
}

static void
default_options (TosstLearnOptions *options, TosstMinibatchOptions *minibatch)
{
  tosst_learn_options_default (options);
  options->atoms = ATOMS;
  options->iterations = 4;
  options->tolerance = 0;
  tosst_minibatch_options_default (minibatch);
  minibatch->batch = BATCH;
}

/* What a learning reported. Given to both callbacks. */
typedef struct
{
  TosstIteration epoch[16];
  int epochs;
  size_t batches;
  size_t cancel_after; /* batches */
  TosstContext *context;
  TosstDictionary *last;
} Course;

static void
keep_epoch (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *user_data)
{
  Course *course = user_data;

  course->epoch[course->epochs++] = *iteration;
}

static void
keep_batch (size_t batches, const TosstDictionary *dictionary, void *user_data)
{
  Course *course = user_data;

  course->batches = batches;
  tosst_dictionary_free (course->last);
  course->last = tosst_dictionary_copy (dictionary);
  if (batches == course->cancel_after)
    tosst_context_cancel (course->context);
}

static TosstDictionary *
learn (TosstContext *context, Data *data, const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch,
       Course *course)
{
  TosstStream stream = stream_of (data);
  TosstLearnRun run = { .batch = keep_batch };
  TosstDictionary *dictionary;

  assert_ok (tosst_learn_minibatch (context, data->layout, &stream, options, minibatch, &run, keep_epoch, course,
                                    &dictionary));
  tosst_dictionary_free (course->last);
  return dictionary;
}

static double
evaluate (TosstContext *context, Data *data, const TosstDictionary *dictionary, const TosstLearnOptions *options,
          const TosstMinibatchOptions *minibatch)
{
  TosstStream stream = stream_of (data);
  TosstIteration result;

  assert_ok (tosst_learn_evaluate (context, data->layout, &stream, dictionary, options, minibatch, NULL, &result));
  g_assert_cmpfloat_with_epsilon (result.objective, result.fit + result.proximity + result.sparsity,
                                  1e-9 * result.objective);
  return result.objective;
}

/* The objective over all tensors from the residuals of each, float64 throughout. */
static double
from_residuals (TosstContext *context, const Data *data, const TosstDictionary *dictionary,
                const TosstLearnOptions *learning)
{
  TosstCodingOptions options;
  g_autoptr (TosstCoder) coder = NULL;
  gsize m = data->layout->m;
  g_autofree double *wide = g_new (double, TENSORS *m), *codes = g_new (double, TENSORS *ATOMS);
  double objective[TENSORS], sum = 0;

  tosst_coding_options_default (&options);
  options.problem.lambda = learning->problem.lambda;
  options.problem.gamma = learning->problem.gamma;
  options.tolerance = 1e-10;
  for (gsize i = 0; i < TENSORS * m; i++)
    wide[i] = data->tensors[i];
  assert_ok (tosst_coder_new (context, dictionary, data->layout, &options, &coder));
  assert_ok (tosst_code_double (context, coder, wide, TENSORS, FALSE, codes, NULL));
  assert_ok (tosst_code_objective (context, coder, wide, TENSORS, codes, objective, NULL));
  for (int n = 0; n < TENSORS; n++)
    sum += objective[n];
  return sum;
}

/* One batch of everything that forgets the one before is what tosst_learn() does. */
static void
test_whole (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;

  default_options (&options, &minibatch);
  minibatch.batch = TENSORS;
  minibatch.forgetting = INFINITY;
  for (options.iterations = 1; options.iterations <= 4; options.iterations++)
    {
      Course course = { 0 };
      TosstDictionary *whole, *online = learn (context, &data, &options, &minibatch, &course);
      double a, b;

      assert_ok (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, NULL, NULL, &whole));
      g_assert_cmpint (course.epochs, ==, options.iterations);
      g_assert_cmpfloat_with_epsilon (whole->scale, online->scale, 1e-12 * whole->scale);
      a = from_residuals (context, &data, whole, &options);
      b = from_residuals (context, &data, online, &options);
      g_assert_cmpfloat_with_epsilon (a, b, 1e-5 * a);
      if (options.iterations == 1)
        for (int i = 0; i < whole->D * ATOMS; i++)
          g_assert_cmpfloat_with_epsilon (whole->V[i], online->V[i], 1e-5);
      /* Evaluation by sums is evaluation by residuals. */
      g_assert_cmpfloat_with_epsilon (evaluate (context, &data, online, &options, &minibatch), b, 1e-5 * b);
      minibatch.batch = BATCH;
      g_assert_cmpfloat_with_epsilon (evaluate (context, &data, online, &options, &minibatch), b, 1e-5 * b);
      minibatch.batch = TENSORS;
      tosst_dictionary_free (whole);
      tosst_dictionary_free (online);
    }
  free_data (&data);
}

/* The first batch of a run meets the first atoms: its objective is theirs, though it is found as a difference of sums.
 */
static void
test_estimates (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  Course course = { 0 };
  TosstDictionary *first, *second;

  default_options (&options, &minibatch);
  options.iterations = 12;
  first = learn (context, &data, &options, &minibatch, &course);
  for (int i = 1; i < 12; i++)
    g_assert_cmpfloat (course.epoch[i].objective, <, course.epoch[i - 1].objective);
  /* Met before they were learned from, tensors cost more than at the end, but no longer much. */
  double objective = from_residuals (context, &data, first, &options);
  g_assert_cmpfloat (course.epoch[11].objective, >, objective * (1 - 1e-3));
  g_assert_cmpfloat (course.epoch[11].objective, <, objective * 1.03);

  /* Learned from everything at once in many iterations it is not much better. */
  options.iterations = 40;
  assert_ok (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, NULL, NULL, &second));
  g_assert_cmpfloat (objective, <, 1.025 * from_residuals (context, &data, second, &options));
  tosst_dictionary_free (first);
  tosst_dictionary_free (second);
  free_data (&data);
}

/* After the pass that measures the scale every epoch asks for each row once, in another order. */
static void
test_order (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  Course course = { 0 };
  const gsize *row;
  gsize same = 0;

  default_options (&options, &minibatch);
  options.iterations = 2;
  tosst_dictionary_free (learn (context, &data, &options, &minibatch, &course));
  row = (const gsize *)(const void *)data.rows->data;
  for (gsize i = 0; i < TENSORS; i++)
    g_assert_cmpuint (row[i], ==, i);
  /* The first batch is read for its atoms, too. */
  gsize start = data.rows->len - 2 * TENSORS;
  g_assert_cmpuint (start - TENSORS, <=, BATCH);
  for (int epoch = 0; epoch < 2; epoch++)
    {
      gboolean seen[TENSORS] = { FALSE };

      for (gsize i = 0; i < TENSORS; i++)
        {
          gsize n = row[start + epoch * TENSORS + i];

          g_assert_false (seen[n]);
          seen[n] = TRUE;
          same += epoch == 1 && n == row[start + i];
        }
    }
  g_assert_cmpuint (same, <, TENSORS / 10);
  free_data (&data);
}

/* A stream without an end in sight: what is held is a batch, however long the stream is. */
static void
test_endless (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  Course course = { .context = context, .cancel_after = 5 };
  TosstStream stream = { read_rows, &data, (gsize)1 << 40 };
  TosstDictionary *initial, *dictionary;

  default_options (&options, &minibatch);
  initial = learn (context, &data, &options, &minibatch, &(Course){ 0 });
  TosstLearnRun run = { .initial = initial, .batch = keep_batch };
  g_array_set_size (data.rows, 0);
  data.longest = 0;
  g_assert_cmpint (tosst_learn_minibatch (context, data.layout, &stream, &options, &minibatch, &run, keep_epoch,
                                          &course, &dictionary),
                   ==, TOSST_CANCELLED);
  g_assert_cmpuint (data.longest, <=, BATCH);
  g_assert_cmpuint (data.rows->len, <=, 5 * BATCH);
  g_assert_cmpuint (g_array_index (data.rows, gsize, 0), >, TENSORS);
  g_assert_cmpint (course.epochs, ==, 0);
  /* The dictionary of the last whole batch is what is left. */
  g_assert_cmpuint (course.batches, ==, 5);
  g_assert_cmpint (memcmp (dictionary->V, course.last->V, sizeof *dictionary->V * dictionary->D * ATOMS), ==, 0);
  tosst_dictionary_free (course.last);
  tosst_dictionary_free (initial);
  tosst_dictionary_free (dictionary);
  free_data (&data);
}

static void
test_repeats (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstDictionary *a, *b, *c;

  default_options (&options, &minibatch);
  a = learn (context, &data, &options, &minibatch, &(Course){ 0 });
  b = learn (context, &data, &options, &minibatch, &(Course){ 0 });
  options.seed = 2;
  c = learn (context, &data, &options, &minibatch, &(Course){ 0 });
  g_assert_cmpint (memcmp (a->V, b->V, sizeof *a->V * a->D * a->K), ==, 0);
  g_assert_cmpint (memcmp (a->b, b->b, sizeof *a->b * a->S * a->K), ==, 0);
  g_assert_cmpint (memcmp (a->V, c->V, sizeof *a->V * a->D * a->K), !=, 0);
  tosst_dictionary_free (a);
  tosst_dictionary_free (b);
  tosst_dictionary_free (c);
  free_data (&data);
}

/* A run that goes on, in the middle of an epoch too, counts on and loses nothing. */
static void
test_goes_on (void)
{
  Data data = make_data ();
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstStream stream = stream_of (&data);

  for (int broken = 0; broken < 2; broken++)
    {
      Course before = { .context = context }, after = { 0 };
      TosstDictionary *first, *second;
      double stopped;

      default_options (&options, &minibatch);
      TosstLearnRun run = { .batch = keep_batch };
      before.cancel_after = broken ? 24 : 0; /* ten batches are an epoch */
      options.iterations = broken ? 6 : 2;
      g_assert_cmpint (tosst_learn_minibatch (context, data.layout, &stream, &options, &minibatch, &run, keep_epoch,
                                              &before, &first),
                       ==, broken ? TOSST_CANCELLED : TOSST_OK);
      tosst_context_reset (context);
      g_assert_cmpint (before.epochs, ==, 2);
      stopped = from_residuals (context, &data, first, &options);
      options.iterations = 6;
      run.initial = first;
      run.done = 2;
      run.batches_done = broken ? before.batches : 0;
      assert_ok (tosst_learn_minibatch (context, data.layout, &stream, &options, &minibatch, &run, keep_epoch, &after,
                                        &second));
      g_assert_cmpint (after.epochs, ==, 4);
      g_assert_cmpint (after.epoch[0].iteration, ==, 3);
      g_assert_cmpuint (after.batches, ==, 60);
      g_assert_cmpfloat (after.epoch[0].objective, <, before.epoch[1].objective);
      g_assert_cmpfloat (from_residuals (context, &data, second, &options), <, stopped);
      tosst_dictionary_free (before.last);
      tosst_dictionary_free (after.last);
      tosst_dictionary_free (first);
      tosst_dictionary_free (second);
    }
  free_data (&data);
}

static void
assert_refused (Data *data, const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch, int done,
                TosstStatus expected, gboolean explained)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstStream stream = stream_of (data);
  TosstDictionary *dictionary;

  g_assert_cmpint (tosst_learn_minibatch (context, data->layout, &stream, options, minibatch,
                                          &(TosstLearnRun){ .done = done }, NULL, NULL, &dictionary),
                   ==, expected);
  g_assert_null (dictionary);
  if (explained)
    g_assert_cmpstr (tosst_context_message (context), !=, "");
}

static void
test_refuses (void)
{
  Data data = make_data ();
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;

  default_options (&options, &minibatch);
  minibatch.batch = (ATOMS - 1) / SIDE;
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_ARGUMENT, TRUE);
  minibatch.batch = BATCH;
  minibatch.forgetting = NAN;
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_ARGUMENT, TRUE);
  minibatch.forgetting = -1;
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_ARGUMENT, TRUE);
  minibatch.forgetting = 1;
  assert_refused (&data, &options, &minibatch, 4, TOSST_ERROR_ARGUMENT, TRUE);
  data.bad = TENSORS - 1;
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_NUMERIC, FALSE);
  data.bad = G_MAXSIZE;
  data.tensors[data.layout->m * (TENSORS - 1)] = NAN;
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_NUMERIC, TRUE);
  memset (data.tensors, 0, sizeof *data.tensors * TENSORS * data.layout->m);
  assert_refused (&data, &options, &minibatch, 0, TOSST_ERROR_NUMERIC, TRUE);
  free_data (&data);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/minibatch/whole", test_whole);
  g_test_add_func ("/minibatch/estimates", test_estimates);
  g_test_add_func ("/minibatch/order", test_order);
  g_test_add_func ("/minibatch/endless", test_endless);
  g_test_add_func ("/minibatch/repeats", test_repeats);
  g_test_add_func ("/minibatch/goes-on", test_goes_on);
  g_test_add_func ("/minibatch/refuses", test_refuses);
  return g_test_run ();
}
