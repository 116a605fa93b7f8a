/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objective against seconds of the exact solver and the paper's two, on the same tensors from the same first
 * dictionary, and how long each takes to what the exact solver reaches.
 */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

#define ATOMS 40
#define TENSORS 500
#define EXACT_ITERATIONS 20
/* A solver is stopped once it has taken so many times as long as all iterations of the exact one. */
#define PATIENCE 150
#define MOST 100000
#define NEAR 1.01 /* how close to the exact solver's objective counts as reached */

static const char *const names[] = { "exact", "pqn", "gradient" };

typedef struct
{
  TosstContext *context;
  GArray *trace; /* TosstIteration */
  double limit;  /* seconds; INFINITY: none */
  double target; /* stop below this objective */
} Course;

static void
follow (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Course *self = data;

  g_array_append_vals (self->trace, iteration, 1);
  if (iteration->seconds > self->limit || iteration->objective <= self->target)
    tosst_context_cancel (self->context);
}

static const TosstIteration *
line (const Course *course, guint i)
{
  return &g_array_index (course->trace, TosstIteration, i);
}

static void
learn (Course *self, const TosstLayout *layout, const float *tensors, const TosstLearnOptions *options,
       const TosstDictionary *initial)
{
  TosstLearnRun run = { .initial = initial };
  TosstDictionary *dictionary;
  TosstStatus status;

  self->trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  status = tosst_learn (self->context, layout, tensors, TENSORS, options, &run, follow, self, &dictionary);
  if (status != TOSST_OK && status != TOSST_CANCELLED)
    g_print ("%s: %s\n", names[options->solver], tosst_context_message (self->context));
  tosst_context_reset (self->context);
  tosst_dictionary_free (dictionary);
}

/* 1, 2, 3, 5, 7, 10, 20, ...: even on a logarithmic axis. */
static gboolean
is_printed (guint iteration)
{
  while (iteration % 10 == 0)
    iteration /= 10;
  return iteration == 1 || iteration == 2 || iteration == 3 || iteration == 5 || iteration == 7;
}

static void
print_course (const char *name, const Course *course)
{
  g_print ("\n%-10s %9s %10s %14s %10s %9s %9s\n", "solver", "iteration", "seconds", "objective", "non-zeros", "unused",
           "KKT");
  for (guint i = 0; i < course->trace->len; i++)
    {
      const TosstIteration *now = line (course, i);
      if (is_printed (now->iteration) || i + 1 == course->trace->len)
        g_print ("%-10s %9d %10.3f %14.6f %10.1f %9d %9.1e\n", name, now->iteration, now->seconds, now->objective,
                 now->mean_nonzeros, now->unused_atoms, now->worst_kkt);
    }
}

/* Seconds until the objective is at most this; infinity where it never is. */
static double
seconds_to (const Course *course, double objective)
{
  for (guint i = 0; i < course->trace->len; i++)
    if (line (course, i)->objective <= objective)
      return line (course, i)->seconds;
  return INFINITY;
}

static void
print_time (double seconds, double exact)
{
  if (isfinite (seconds))
    g_print (" %9.2f s (%6.1f x)", seconds, seconds / exact);
  else
    g_print (" %22s", "not reached");
}

static void
print_ratios (const Course *courses)
{
  static const guint iterations[] = { 1, 2, 5, 10, 20 };

  g_print ("\nTime to within 1 %% of the exact solver's objective after i iterations\n%4s %14s", "i", "objective");
  for (int s = 0; s < 3; s++)
    g_print (" %22s", names[s]);
  g_print ("\n");
  for (gsize i = 0; i < G_N_ELEMENTS (iterations) && iterations[i] <= courses[0].trace->len; i++)
    {
      double target = NEAR * line (&courses[0], iterations[i] - 1)->objective;
      double exact = seconds_to (&courses[0], target);
      g_print ("%4u %14.6f", iterations[i], target);
      for (int s = 0; s < 3; s++)
        print_time (seconds_to (&courses[s], target), exact);
      g_print ("\n");
    }
}

/* What all of them start from: sampled slices, with b as the paper starts it; a step of no length leaves both. */
static TosstDictionary *
first_dictionary (TosstContext *context, const TosstLayout *layout, const float *tensors, TosstLearnOptions options)
{
  TosstDictionary *dictionary;

  options.solver = TOSST_SOLVER_GRADIENT;
  options.iterations = 1;
  options.eta = 1e-12;
  if (tosst_learn (context, layout, tensors, TENSORS, &options, NULL, NULL, NULL, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return dictionary;
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstLayout *layout;
  Course courses[3];

  tosst_feature_options_default (&features);
  features.pivots = 3;
  g_autofree float *tensors = bench_tensors (context, &features, 20, TENSORS, &layout);
  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.tolerance = 0;
  TosstDictionary *initial = first_dictionary (context, layout, tensors, options);
  g_print ("K = %d, lambda = %g, gamma = %g, from one dictionary of sampled slices with uniform b\n", ATOMS,
           options.problem.lambda, options.problem.gamma);
  for (int s = 0; s < 3; s++)
    {
      const Course *exact = &courses[0];
      double exact_seconds = s > 0 ? line (exact, exact->trace->len - 1)->seconds : 0;
      options.solver = s;
      options.iterations = s == 0 ? EXACT_ITERATIONS : MOST;
      courses[s] = (Course){ context, NULL, s > 0 ? PATIENCE * exact_seconds : INFINITY,
                             s > 0 ? NEAR * line (exact, exact->trace->len - 1)->objective : 0 };
      learn (&courses[s], layout, tensors, &options, initial);
      print_course (names[s], &courses[s]);
    }
  print_ratios (courses);
  for (int s = 0; s < 3; s++)
    g_array_unref (courses[s].trace);
  tosst_dictionary_free (initial);
  tosst_layout_free (layout);
  tosst_context_free (context);
  return 0;
}
