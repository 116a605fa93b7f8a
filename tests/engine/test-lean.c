/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning that does not store Y and most K x K matrices, against learning that does.
 */
#include <math.h>
#include <string.h>

#include "learned.h"
#include "objects.h"
#include "third-powers.h"
#include "tosst/learn.h"

#define ITERATIONS 6

/* Atoms for both forms of the reduction, few and more than a slice has numbers. */
static const struct
{
  int n, K;
} sizes[] = { { 60, 9 }, { 300, 150 }, { 40, 170 } };

static const struct
{
  TosstScheme scheme;
  double gamma, lambda;
  bool is_signed;
} variants[] = {
  { TOSST_SCHEME_PSD, 1, 1e-3, false },        { TOSST_SCHEME_PSD, INFINITY, 1e-3, false },
  { TOSST_SCHEME_FREE, 0.1, 1e-2, true },      { TOSST_SCHEME_LOW_RANK, 10, 1e-3, false },
  { TOSST_SCHEME_FREE, INFINITY, 0.05, true }, { TOSST_SCHEME_PSD, 1, 0, false },
};

typedef struct
{
  TosstLayout *layout;
  float *tensors;
  int n;
  TosstLearnOptions options;
} Case;

static Case
new_case (gsize size, gsize variant)
{
  Case self = { .layout = tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, THIRD_POWERS_SIDE)),
                .n = sizes[size].n };

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
  self.options.most_sums = 1;
  return self;
}

static void
free_case (Case *self)
{
  tosst_layout_free (self->layout);
  g_free (self->tensors);
}

static TosstDictionary *
learn (const Case *self, const TosstLearnRun *run, int threads, Course *course)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstDictionary *dictionary;

  if (tosst_learn (context, self->layout, self->tensors, self->n, &self->options, run, keep_course, course, &dictionary)
      != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return dictionary;
}

/* The first iteration, up to the replacement of unused atoms, differs by rounding only. */
static void
test_same (gconstpointer data)
{
  gsize number = GPOINTER_TO_SIZE (data);
  Case self = new_case (number / G_N_ELEMENTS (variants), number % G_N_ELEMENTS (variants));
  Course lean = { .n = 0 }, stored = { .n = 0 }, threads = { .n = 0 };
  g_autoptr (TosstDictionary) one = learn (&self, NULL, 1, &lean), two = learn (&self, NULL, 2, &threads);

  self.options.most_sums = SIZE_MAX;
  tosst_dictionary_free (learn (&self, NULL, 1, &stored));
  g_assert_cmpint (lean.n, ==, ITERATIONS);
  assert_same_atoms (one, two);
  for (int i = 0; i < lean.n; i++)
    {
      const TosstIteration *now = &lean.trace[i];
      g_test_message ("%.9g, stored %.9g, KKT %g", now->objective, stored.trace[i].objective, now->worst_kkt);
      g_assert_cmpfloat (now->worst_kkt, <=, 1e-5);
      g_assert_cmpfloat_with_epsilon (now->objective, now->fit + now->proximity + now->sparsity, 1e-9 * now->objective);
      if (i > 0)
        g_assert_cmpfloat (now->objective, <=, lean.trace[i - 1].objective * (1 + 1e-7));
      assert_constraints (lean.dictionary[i], &self.options);
    }
  g_assert_cmpfloat_with_epsilon (lean.trace[0].objective, stored.trace[0].objective, 1e-5 * stored.trace[0].objective);
  g_assert_cmpfloat_with_epsilon (lean.trace[0].mean_nonzeros, stored.trace[0].mean_nonzeros,
                                  1e-3 * stored.trace[0].mean_nonzeros);
  g_assert_cmpfloat (lean.trace[lean.n - 1].objective, <=, 1.2 * stored.trace[lean.n - 1].objective);
  free_course (&lean);
  free_course (&stored);
  free_course (&threads);
  free_case (&self);
}

typedef struct
{
  TosstLearnState state;
  TosstDictionary *dictionary;
  float *codes;
  gsize numbers;
} Rest;

static void
keep_rest (const TosstLearnState *state, void *data)
{
  Rest *rest = data;

  if (state->done != 2)
    return;
  rest->state = *state;
  rest->state.dictionary = rest->dictionary = tosst_dictionary_copy (state->dictionary);
  rest->state.codes = rest->codes = g_memdup2 (state->codes, sizeof *state->codes * rest->numbers);
}

/* Resumed after two iterations: the same bits. */
static void
test_resume (gconstpointer data)
{
  Case self = new_case (GPOINTER_TO_SIZE (data), 0);
  Course whole = { .n = 0 }, after = { .n = 0 };
  Rest rest = { .numbers = (gsize)self.n * self.options.atoms };

  TosstLearnRun keeping = { .state = keep_rest, .state_data = &rest }, resumed = { .resume = &rest.state };
  g_autoptr (TosstDictionary) expected = learn (&self, &keeping, 2, &whole);
  g_autoptr (TosstDictionary) found = learn (&self, &resumed, 1, &after);
  assert_same_atoms (expected, found);
  for (int i = 0; i < after.n; i++)
    g_assert_cmpfloat (after.trace[i].objective, ==, whole.trace[i + 2].objective);
  tosst_dictionary_free (rest.dictionary);
  g_free (rest.codes);
  free_course (&whole);
  free_course (&after);
  free_case (&self);
}

/* What is stated for the largest problem of the documentation. */
static void
test_memory (void)
{
  g_autoptr (TosstLayout) layout = tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 101));
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = 25000;
  g_test_message ("%.1f and %.1f GB", 1e-9 * tosst_learn_memory (layout, 5011, &options, 0, 2),
                  1e-9 * tosst_learn_memory (layout, 30066, &options, 0, 2));
  g_assert_cmpuint (tosst_learn_memory (layout, 5011, &options, 0, 2), <, 18000000000);
  g_assert_cmpuint (tosst_learn_memory (layout, 30066, &options, 0, 2), <, 20000000000);
  options.most_sums = SIZE_MAX;
  g_assert_cmpuint (tosst_learn_memory (layout, 5011, &options, 0, 2), >, 50000000000);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *name = g_strdup_printf ("/lean/same/%zu", i);
      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_same);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *name = g_strdup_printf ("/lean/resume/%zu", i);
      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_resume);
    }
  g_test_add_func ("/lean/memory", test_memory);
  return g_test_run ();
}
