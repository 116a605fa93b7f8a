/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning on several ranks, which are threads here, against learning in one process.
 */
#include <math.h>
#include <string.h>

#include "learned.h"
#include "objects.h"
#include "third-powers.h"
#include "threads-as-ranks.h"
#include "tosst/learn.h"

#define ITERATIONS 5

/* Atoms for both forms of the reduction; more atoms than a rank has next to each other, and more than tensors. */
static const struct
{
  int n, K;
} sizes[] = { { 60, 9 }, { 300, 170 }, { 700, 150 }, { 150, 400 } };

static const struct
{
  TosstScheme scheme;
  double gamma, lambda;
  bool is_signed, is_lean;
  /* After the first iteration: larger where rounding grows from one to the next. Codes are accurate to 1e-5, and another
   * compiler or processor rounds otherwise: at most 5e-7 and 1.8e-3 were seen with GCC, 1.2e-6 with clang. */
  double tolerance;
} variants[] = {
  { TOSST_SCHEME_PSD, 1, 1e-3, false, false, 5e-6 },       { TOSST_SCHEME_PSD, INFINITY, 1e-3, false, false, 5e-3 },
  { TOSST_SCHEME_LOW_RANK, 10, 1e-3, false, false, 5e-3 }, { TOSST_SCHEME_FREE, 0.1, 1e-2, true, false, 5e-6 },
  { TOSST_SCHEME_PSD, 1, 1e-3, false, true, 5e-6 },
};

typedef struct
{
  TosstLayout *layout;
  float *tensors;
  size_t n, batch;
  TosstLearnOptions options;
  Course course[MOST_RANKS];
  TosstStatus status[MOST_RANKS];
  TosstDictionary *found[MOST_RANKS];
  uint64_t bytes[MOST_RANKS];
  int cancels, threads; /* cancels: the rank that is cancelled after two iterations; -1: none */
} Case;

static Case
new_case (size_t size, size_t variant)
{
  Case self = { .layout = tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, THIRD_POWERS_SIDE)),
                .n = sizes[size].n,
                .cancels = -1,
                .threads = 1 };

  self.tensors = third_powers (self.layout, self.n);
  tosst_learn_options_default (&self.options);
  self.options.atoms = sizes[size].K;
  self.options.rank = 2;
  self.options.iterations = ITERATIONS;
  self.options.tolerance = 0;
  self.options.scheme = variants[variant].scheme;
  self.options.problem.gamma = variants[variant].gamma;
  self.options.problem.lambda = variants[variant].lambda;
  self.options.problem.signed_alpha = self.options.signed_b = variants[variant].is_signed;
  self.options.most_sums = variants[variant].is_lean ? 1 : 0;
  return self;
}

static void
clear_results (Case *self)
{
  for (int r = 0; r < MOST_RANKS; r++)
    {
      free_course (&self->course[r]);
      g_clear_pointer (&self->found[r], tosst_dictionary_free);
      self->course[r].n = 0;
    }
}

static void
free_case (Case *self)
{
  clear_results (self);
  tosst_layout_free (self->layout);
  g_free (self->tensors);
}

typedef struct
{
  Case *self;
  TosstContext *context;
  int rank;
} Place;

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Place *place = data;

  keep_course (iteration, dictionary, usage, &place->self->course[place->rank]);
  if (place->self->cancels == place->rank && iteration->iteration == 2)
    tosst_context_cancel (place->context);
}

static TosstStatus
read_rows (size_t first, size_t count, float *out, void *data)
{
  const Case *self = data;

  memcpy (out, self->tensors + first * self->layout->m, sizeof *out * count * self->layout->m);
  return TOSST_OK;
}

static void
learn (TosstRanks *ranks, void *data)
{
  Case *self = data;
  TosstLearnOptions options = self->options;
  size_t r = ranks ? ranks->rank : 0, size = ranks ? ranks->size : 1, first = self->n * r / size,
         n = self->n * (r + 1) / size - first;
  Place place = { self, tosst_context_new (self->threads), r };
  TosstStream stream = { read_rows, self, self->n };
  TosstMinibatchOptions batches;
  TosstLearnRun run = { .ranks = ranks };

  tosst_minibatch_options_default (&batches);
  batches.batch = self->batch;
  self->status[r] = self->batch > 0 ? tosst_learn_minibatch (place.context, self->layout, &stream, &options, &batches,
                                                             &run, on_iteration, &place, &self->found[r])
                                    : tosst_learn (place.context, self->layout, self->tensors + first * self->layout->m,
                                                   n, &options, &run, on_iteration, &place, &self->found[r]);
  if (self->status[r] > TOSST_CANCELLED)
    g_test_message ("rank %zu: %s", r, tosst_context_message (place.context));
  self->bytes[r] = ranks ? ranks->bytes : 0;
  tosst_context_free (place.context);
}

static void
assert_close (const double *a, const double *b, size_t n, double tolerance)
{
  double distance = 0, norm = 0;

  for (size_t i = 0; i < n; i++)
    {
      distance += (a[i] - b[i]) * (a[i] - b[i]);
      norm += a[i] * a[i];
    }
  g_assert_cmpfloat (sqrt (distance), <=, tolerance * sqrt (norm));
}

/* All ranks have the same bits; with the expected result they agree up to rounding: codes are accurate to 1e-5, so that
 * single iterations differ more than the last one. */
static void
check_ranks (Case *self, int size, const Course *expected, double tolerance)
{
  const Course *first = &self->course[0];

  for (int r = 0; r < size; r++)
    {
      assert_ok (self->status[r]);
      g_assert_cmpint (self->course[r].n, ==, expected->n);
      assert_same_atoms (self->found[0], self->found[r]);
      for (int i = 0; i < first->n; i++)
        g_assert_cmpfloat (self->course[r].trace[i].objective, ==, first->trace[i].objective);
    }
  for (int i = 0; i < first->n; i++)
    {
      const TosstIteration *a = &expected->trace[i], *b = &first->trace[i];

      g_test_message ("%d ranks: %d %.10g, alone %.10g (%.1e)", size, i + 1, b->objective, a->objective,
                      b->objective / a->objective - 1);
      g_assert_cmpfloat_with_epsilon (a->objective, b->objective,
                                      (i == 0             ? 1e-5
                                       : i + 1 < first->n ? fmax (tolerance, 1e-5)
                                                          : tolerance)
                                          * a->objective);
      g_assert_cmpfloat (b->worst_kkt, <=, 1e-5);
    }
  assert_constraints (self->found[0], &self->options);
}

static void
test_same (gconstpointer data)
{
  size_t number = GPOINTER_TO_SIZE (data);
  Case alone = new_case (number / G_N_ELEMENTS (variants), number % G_N_ELEMENTS (variants)),
       self = new_case (number / G_N_ELEMENTS (variants), number % G_N_ELEMENTS (variants));
  const TosstDictionary *one;
  double tolerance = variants[number % G_N_ELEMENTS (variants)].tolerance * (self.options.atoms > (int)self.n ? 10 : 1);

  learn (NULL, &alone);
  one = alone.found[0];
  for (int size = 1; size <= 3; size++)
    {
      run_ranks (size, learn, &self);
      check_ranks (&self, size, &alone.course[0], tolerance);
      if (tolerance <= 5e-6 && self.options.atoms < (int)self.n)
        assert_close (one->V, self.found[0]->V, (size_t)one->D * one->K, 1e-3);
      clear_results (&self);
    }
  free_case (&alone);
  free_case (&self);
}

/* The same bits from the same number of ranks, on any number of threads. */
static void
test_repeated (void)
{
  Case a = new_case (1, 0), b = new_case (1, 0);

  b.threads = 2;
  run_ranks (3, learn, &a);
  run_ranks (3, learn, &b);
  assert_same_atoms (a.found[0], b.found[0]);
  free_case (&a);
  free_case (&b);
}

static void
test_batches (void)
{
  Case alone = new_case (2, 0), self = new_case (2, 0);

  alone.options.iterations = self.options.iterations = 4;
  for (int whole = 0; whole < 2; whole++)
    {
      alone.batch = self.batch = whole ? 1000 : 200;
      learn (NULL, &alone);
      for (int size = 2; size <= 3; size++)
        {
          run_ranks (size, learn, &self);
          check_ranks (&self, size, &alone.course[0], 5e-6);
          clear_results (&self);
        }
      clear_results (&alone);
    }
  free_case (&alone);
  free_case (&self);
}

/* Cancelling one rank ends all, after the same iteration. */
static void
test_cancelled (void)
{
  Case self = new_case (1, 0);

  for (self.cancels = 0; self.cancels < 3; self.cancels++)
    {
      run_ranks (3, learn, &self);
      for (int r = 0; r < 3; r++)
        {
          g_assert_cmpint (self.status[r], ==, TOSST_CANCELLED);
          g_assert_cmpint (self.course[r].n, ==, 2);
          assert_same_atoms (self.found[0], self.found[r]);
        }
      clear_results (&self);
    }
  free_case (&self);
}

/* NaN in the tensors of one rank is an error of all. */
static void
test_failed (void)
{
  Case self = new_case (1, 0);

  self.tensors[self.n * self.layout->m - 1] = NAN;
  run_ranks (3, learn, &self);
  for (int r = 0; r < 3; r++)
    {
      g_assert_cmpint (self.status[r], ==, TOSST_ERROR_NUMERIC);
      g_assert_null (self.found[r]);
    }
  free_case (&self);
}

static void
test_options (void)
{
  TosstRanks ranks = { 0, 2 };
  TosstLearnRun run = { .ranks = &ranks };
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 6);
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  g_assert_null (tosst_learn_run_check (&run, &options, 1000, shape));
  g_assert_nonnull (tosst_learn_run_check (&run, &options, 1, shape));
  options.solver = TOSST_SOLVER_PQN;
  g_assert_nonnull (tosst_learn_run_check (&run, &options, 1000, shape));
  g_assert_null (tosst_learn_run_check (NULL, &options, 1000, shape));
}

/* Sums in the order of ranks, for sizes that do not divide. */
static void
check_sums (TosstRanks *ranks, void *data)
{
  double values[7], rows[10][3];
  int part[MOST_RANKS];

  for (int i = 0; i < 7; i++)
    values[i] = (i + 1) * (ranks->rank + 1);
  assert_ok (tosst_ranks_sum (ranks, TOSST_OK, values, 7));
  for (int i = 0; i < 7; i++)
    g_assert_cmpfloat (values[i], ==, (i + 1) * ranks->size * (ranks->size + 1) / 2);
  for (int i = 0; i < 30; i++)
    rows[i / 3][i % 3] = i + ranks->rank;
  assert_ok (tosst_ranks_reduce (ranks, TOSST_OK, rows[0], 3, 4, 10));
  for (int i = 0; i < 30; i++)
    if (i / 12 % ranks->size == ranks->rank)
      g_assert_cmpfloat (rows[i / 3][i % 3], ==, i * ranks->size + ranks->size * (ranks->size - 1) / 2);
  part[ranks->rank] = 100 + ranks->rank;
  assert_ok (tosst_ranks_gather (ranks, TOSST_OK, part, sizeof *part, 1, ranks->size));
  for (int r = 0; r < ranks->size; r++)
    g_assert_cmpint (part[r], ==, 100 + r);
  for (int root = 0; root < ranks->size; root++)
    {
      int word = ranks->rank == root ? 7 + root : 0;

      assert_ok (tosst_ranks_broadcast (ranks, TOSST_OK, root, &word, sizeof word));
      g_assert_cmpint (word, ==, 7 + root);
    }
  TosstStatus own = ranks->rank == ranks->size - 1 ? TOSST_ERROR_MEMORY : TOSST_OK;
  g_assert_cmpint (tosst_ranks_agree (ranks, own), ==, TOSST_ERROR_MEMORY);
  g_assert_true (ranks->stopped);
  g_assert_cmpint (ranks->elsewhere, ==, own == TOSST_OK);
  g_assert_cmpint (tosst_ranks_agree (ranks, TOSST_OK), ==, TOSST_CANCELLED);
}

static void
test_sums (void)
{
  for (int size = 1; size <= MOST_RANKS; size++)
    run_ranks (size, check_sums, NULL);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ranks/sums", test_sums);
  for (size_t i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *name = g_strdup_printf ("/ranks/same/%zu", i);
      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_same);
    }
  g_test_add_func ("/ranks/repeated", test_repeated);
  g_test_add_func ("/ranks/batches", test_batches);
  g_test_add_func ("/ranks/cancelled", test_cancelled);
  g_test_add_func ("/ranks/failed", test_failed);
  g_test_add_func ("/ranks/options", test_options);
  return g_test_run ();
}
