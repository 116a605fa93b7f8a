/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generic optimisers, on problems whose minimum is known or whose optimality can be checked: every convex problem
 * here is judged by its own KKT conditions.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "engine/learning/pqn.h"
#include "objects.h"
#include "tosst/tensor.h"

#define SIDE 5
#define VEC (SIDE * (SIDE + 1) / 2)
#define LONGEST 64

/* f = x'Q x / 2 - c'x over the set of a scheme, the simplex cap or the l1 ball. */
typedef struct
{
  int n;
  double *Q, *c;
  gboolean atom; /* else a vector b */
  TosstScheme scheme;
  int rank;
  gboolean nonnegative;
  int evaluations;
  gboolean outside; /* an evaluated point was not in the set */
  int fail_at;      /* evaluation that reports an error, or 0 */
} Quadratic;

static Quadratic
quadratic_new (int n, double condition, guint64 seed)
{
  Quadratic self = { .n = n, .Q = g_new0 (double, n *n), .c = g_new (double, n) };
  TosstRandom random;
  g_autofree double *U = g_new (double, n *n), *tau = g_new (double, n), *scaled = g_new (double, n *n);

  tosst_random_init (&random, seed, 0);
  for (int i = 0; i < n * n; i++)
    U[i] = tosst_random_normal (&random);
  g_assert_cmpint (LAPACKE_dgeqrf (LAPACK_COL_MAJOR, n, n, U, n, tau), ==, 0);
  g_assert_cmpint (LAPACKE_dorgqr (LAPACK_COL_MAJOR, n, n, n, U, n, tau), ==, 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      scaled[j * n + i] = U[j * n + i] * pow (condition, -(double)j / (n - 1));
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, scaled, n, U, n, 0, self.Q, n);
  for (int i = 0; i < n; i++)
    self.c[i] = tosst_random_normal (&random);
  return self;
}

static void
quadratic_clear (Quadratic *self)
{
  g_free (self->Q);
  g_free (self->c);
}

static TosstStatus
project (double *x, void *data)
{
  const Quadratic *self = data;
  double work[512];

  g_assert_cmpuint (tosst_project_atom_work (SIDE), <=, G_N_ELEMENTS (work));
  if (self->atom)
    return tosst_project_atom (self->scheme, self->rank, SIDE, x, work);
  tosst_project_l1 (x, self->n, self->nonnegative, work);
  return TOSST_OK;
}

static void
gradient_at (const Quadratic *self, const double *x, double *gradient)
{
  memcpy (gradient, self->c, sizeof *gradient * self->n);
  cblas_dsymv (CblasColMajor, CblasLower, self->n, 1, self->Q, self->n, x, 1, -1, gradient, 1);
}

static TosstStatus
evaluate (const double *x, double *f, double *gradient, void *data)
{
  Quadratic *self = data;
  double nearest[LONGEST];

  gradient_at (self, x, gradient);
  *f = (cblas_ddot (self->n, x, 1, gradient, 1) - cblas_ddot (self->n, x, 1, self->c, 1)) / 2;
  memcpy (nearest, x, sizeof *x * self->n);
  project (nearest, self);
  cblas_daxpy (self->n, -1, x, 1, nearest, 1);
  self->outside |= cblas_dnrm2 (self->n, nearest, 1) > 1e-9;
  return ++self->evaluations == self->fail_at ? TOSST_ERROR_NUMERIC : TOSST_OK;
}

/* A point of a convex set is the minimum exactly when it is its own projected gradient step, of any length. */
static double
distance_to_step (const Quadratic *self, const double *x)
{
  double step[LONGEST];

  gradient_at (self, x, step);
  for (int i = 0; i < self->n; i++)
    step[i] = x[i] - step[i];
  assert_ok (project (step, (void *)self));
  cblas_daxpy (self->n, -1, x, 1, step, 1);
  return cblas_dnrm2 (self->n, step, 1);
}

typedef TosstStatus (*Method) (TosstContext *context, const TosstProjected *problem, double *x, double *f);

static TosstStatus
run_pqn (TosstContext *context, const TosstProjected *problem, double *x, double *f)
{
  return tosst_pqn (context, problem, 400, 200, 0, x, f);
}

static TosstStatus
run_spg (TosstContext *context, const TosstProjected *problem, double *x, double *f)
{
  return tosst_spg (context, problem, 20000, 0, x, f);
}

static const Method methods[] = { run_pqn, run_spg };

static TosstProjected
problem_of (Quadratic *quadratic)
{
  return (TosstProjected){ quadratic->n, !quadratic->atom || quadratic->scheme != TOSST_SCHEME_LOW_RANK, evaluate,
                           project, quadratic };
}

static void
fill (double *x, int n, double value)
{
  for (int i = 0; i < n; i++)
    x[i] = value;
}

/* With Q = I the minimum is the projection of c: onto atoms of rank <= R too, though that set is not convex. */
static void
test_projections (void)
{
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_FREE, TOSST_SCHEME_LOW_RANK };
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (guint64 seed = 0; seed < 5; seed++)
    for (int s = 0; s < 3; s++)
      for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
        {
          Quadratic quadratic = quadratic_new (VEC, 1, seed);
          double x[VEC], expected[VEC], f;
          quadratic.atom = TRUE;
          quadratic.scheme = schemes[s];
          quadratic.rank = 2;
          memcpy (expected, quadratic.c, sizeof expected);
          project (expected, &quadratic);
          fill (x, VEC, 0.1);
          TosstProjected problem = problem_of (&quadratic);
          assert_ok (methods[m](context, &problem, x, &f));
          for (int i = 0; i < VEC; i++)
            g_assert_cmpfloat_with_epsilon (x[i], expected[i], 1e-7);
          g_assert_false (quadratic.outside);
          quadratic_clear (&quadratic);
        }
}

/* Lets the minimum without constraints be at a random point of this size. */
static void
aim_at (Quadratic *self, double size)
{
  double x[LONGEST];

  memcpy (x, self->c, sizeof *x * self->n);
  cblas_dsymv (CblasColMajor, CblasLower, self->n, size, self->Q, self->n, x, 1, 0, self->c, 1);
}

static void
test_quadratics (void)
{
  static const double conditions[] = { 10, 1e4 };
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (int kind = 0; kind < 4; kind++)
    for (int c = 0; c < 2; c++)
      for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
        {
          Quadratic quadratic = quadratic_new (kind < 2 ? VEC : 40, conditions[c], 3 + kind);
          double x[LONGEST], f, at_start, gradient[LONGEST];
          quadratic.atom = kind < 2;
          quadratic.scheme = kind == 0 ? TOSST_SCHEME_PSD : TOSST_SCHEME_FREE;
          quadratic.nonnegative = kind == 2;
          aim_at (&quadratic, c == 0 ? 0.02 : 0.1);
          fill (x, quadratic.n, 0.01);
          project (x, &quadratic);
          evaluate (x, &at_start, gradient, &quadratic);
          quadratic.evaluations = 0;
          TosstProjected problem = problem_of (&quadratic);
          assert_ok (methods[m](context, &problem, x, &f));
          g_test_message ("kind %d, condition %g, method %d: %d evaluations, off by %g", kind, conditions[c], (int)m,
                          quadratic.evaluations, distance_to_step (&quadratic, x));
          g_assert_cmpfloat (distance_to_step (&quadratic, x), <=, 2e-7);
          g_assert_cmpfloat (f, <, at_start);
          g_assert_false (quadratic.outside);
          quadratic_clear (&quadratic);
        }
}

/* What makes PQN worth its name: it needs far fewer values of f where the problem is badly conditioned. */
static void
test_pqn_saves_evaluations (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  int evaluations[2];

  for (int m = 0; m < 2; m++)
    {
      Quadratic quadratic = quadratic_new (40, 1e4, 11);
      double x[LONGEST], f;
      aim_at (&quadratic, 0.05);
      fill (x, quadratic.n, 0.01);
      TosstProjected problem = problem_of (&quadratic);
      assert_ok (methods[m](context, &problem, x, &f));
      evaluations[m] = quadratic.evaluations;
      quadratic_clear (&quadratic);
    }
  g_test_message ("%d evaluations of PQN, %d of SPG", evaluations[0], evaluations[1]);
  g_assert_cmpint (2 * evaluations[0], <, evaluations[1]);
}

/* From one iteration to the next f never rises, in a set that is not convex as well. */
static void
test_never_rises (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (guint64 seed = 0; seed < 10; seed++)
    for (int m = 0; m < 2; m++)
      {
        Quadratic quadratic = quadratic_new (VEC, 100, seed);
        double x[VEC], f, before = INFINITY;
        quadratic.atom = TRUE;
        quadratic.scheme = TOSST_SCHEME_LOW_RANK;
        quadratic.rank = 1 + seed % 2;
        fill (x, VEC, 0.1);
        TosstProjected problem = problem_of (&quadratic);
        for (int i = 0; i < 20; i++)
          {
            assert_ok (m == 0 ? tosst_pqn (context, &problem, 1, 5, 0, x, &f)
                              : tosst_spg (context, &problem, 1, 0, x, &f));
            g_assert_cmpfloat (f, <=, before + 1e-14);
            before = f;
          }
        g_assert_false (quadratic.outside);
        quadratic_clear (&quadratic);
      }
}

static void
test_failures (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (int m = 0; m < 2; m++)
    for (int at = 1; at < 6; at++)
      {
        Quadratic quadratic = quadratic_new (20, 100, 1);
        double x[LONGEST], f;
        quadratic.fail_at = at;
        aim_at (&quadratic, 0.05);
        fill (x, quadratic.n, 0.01);
        TosstProjected problem = problem_of (&quadratic);
        g_assert_cmpint (methods[m](context, &problem, x, &f), ==, TOSST_ERROR_NUMERIC);
        g_assert_cmpint (quadratic.evaluations, ==, at);
        quadratic_clear (&quadratic);
      }
  tosst_context_cancel (context);
  for (int m = 0; m < 2; m++)
    {
      Quadratic quadratic = quadratic_new (20, 100, 1);
      double x[LONGEST], f;
      fill (x, quadratic.n, 0.01);
      TosstProjected problem = problem_of (&quadratic);
      g_assert_cmpint (methods[m](context, &problem, x, &f), ==, TOSST_CANCELLED);
      quadratic_clear (&quadratic);
    }
}

/* The first entries are free, the others >= 0. */
static TosstStatus
evaluate_bounded (const double *x, double *f, double *gradient, void *data)
{
  Quadratic *self = data;

  gradient_at (self, x, gradient);
  *f = (cblas_ddot (self->n, x, 1, gradient, 1) - cblas_ddot (self->n, x, 1, self->c, 1)) / 2;
  return ++self->evaluations == self->fail_at ? TOSST_CANCELLED : TOSST_OK;
}

static void
test_bounded (void)
{
  static const int firsts[] = { 0, 13, 40 };

  for (guint64 seed = 0; seed < 4; seed++)
    for (int k = 0; k < 3; k++)
      {
        Quadratic quadratic = quadratic_new (40, 1e3, seed);
        int n = quadratic.n, first = firsts[k], at_bound = 0;
        TosstBounded *work = tosst_bounded_new (n);
        double x[LONGEST], g[LONGEST], violation;
        aim_at (&quadratic, 1);
        fill (x, n, seed % 2 ? -1 : 1);
        assert_ok (tosst_bounded_minimise (work, evaluate_bounded, &quadratic, first, 2000, 1e-9, x, &violation));
        g_test_message ("first %d: %d evaluations, violation %g", first, quadratic.evaluations, violation);
        g_assert_cmpfloat (violation, <=, 1e-7);
        gradient_at (&quadratic, x, g);
        for (int i = 0; i < n; i++)
          if (i >= first && x[i] == 0)
            {
              g_assert_cmpfloat (g[i], >=, -1e-7);
              at_bound++;
            }
          else
            {
              g_assert_true (i < first || x[i] > 0);
              g_assert_cmpfloat (fabs (g[i]), <=, 1e-7);
            }
        g_assert_true (first == n || at_bound > 0);
        tosst_bounded_free (work);
        quadratic_clear (&quadratic);
      }
}

/* Rosenbrock's valley, whose minimum is (1, 1), shifted so that with a bound it lies at y = 0. */
static TosstStatus
evaluate_valley (const double *x, double *f, double *gradient, void *data)
{
  double shift = *(double *)data, y = x[1] + shift, across = y - x[0] * x[0], along = 1 - x[0];

  *f = 100 * across * across + along * along;
  gradient[0] = -400 * x[0] * across - 2 * along;
  gradient[1] = 200 * across;
  return TOSST_OK;
}

static void
test_valley (void)
{
  TosstBounded *work = tosst_bounded_new (2);
  double free_one[2] = { -1.2, 1 }, bounded[2] = { -1.2, 1 }, none = 0, shift = 1.5, violation;

  assert_ok (tosst_bounded_minimise (work, evaluate_valley, &none, 2, 500, 1e-10, free_one, &violation));
  g_assert_cmpfloat_with_epsilon (free_one[0], 1, 1e-7);
  g_assert_cmpfloat_with_epsilon (free_one[1], 1, 1e-7);
  /* y >= 0 with y + 1.5 in the place of y: on the bound 400 x (1.5 - x^2) + 2 (1 - x) = 0. */
  assert_ok (tosst_bounded_minimise (work, evaluate_valley, &shift, 1, 500, 1e-10, bounded, &violation));
  g_assert_cmpfloat (bounded[1], ==, 0);
  g_assert_cmpfloat (fabs (400 * bounded[0] * (1.5 - bounded[0] * bounded[0]) + 2 * (1 - bounded[0])), <=, 1e-6);
  tosst_bounded_free (work);
}

static void
test_bounded_stops (void)
{
  for (int at = 1; at < 5; at++)
    {
      Quadratic quadratic = quadratic_new (20, 100, 1);
      TosstBounded *work = tosst_bounded_new (20);
      double x[LONGEST], violation;
      quadratic.fail_at = at;
      fill (x, 20, 1);
      g_assert_cmpint (tosst_bounded_minimise (work, evaluate_bounded, &quadratic, 0, 100, 0, x, &violation), ==,
                       TOSST_CANCELLED);
      tosst_bounded_free (work);
      quadratic_clear (&quadratic);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/optimise/projections", test_projections);
  g_test_add_func ("/optimise/quadratics", test_quadratics);
  g_test_add_func ("/optimise/pqn-saves-evaluations", test_pqn_saves_evaluations);
  g_test_add_func ("/optimise/never-rises", test_never_rises);
  g_test_add_func ("/optimise/failures", test_failures);
  g_test_add_func ("/optimise/bounded", test_bounded);
  g_test_add_func ("/optimise/valley", test_valley);
  g_test_add_func ("/optimise/bounded-stops", test_bounded_stops);
  return g_test_run ();
}
