/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the sets of atoms, judged by what makes a point the nearest one of a convex set: it lies in the set,
 * and <x - Px, z - Px> <= 0 for every other z of the set. For whole tensors also by an independent slow method, and by
 * cases worked by hand.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "objects.h"

#define MOST 220 /* numbers of an atom, d = 10 */

static TosstAtomSet
make_set (TosstShapeKind kind, TosstScheme scheme, int d)
{
  return (TosstAtomSet){ tosst_shape (kind, d), scheme, 2 };
}

static void
project (const TosstAtomSet *set, const double *from, double *to)
{
  g_autofree double *work = g_new (double, tosst_atom_set_work (set));

  memcpy (to, from, sizeof *to * tosst_shape_slice_length (set->shape));
  assert_ok (tosst_atom_set_project (set, to, work));
}

/* Smallest eigenvalue and trace of a symmetric matrix, which is lost. */
static double
smallest (double *matrix, int d, double *trace)
{
  double mu[10];

  *trace = 0;
  for (int i = 0; i < d; i++)
    *trace += matrix[i * d + i];
  g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, 'N', 'U', d, matrix, d, mu), ==, 0);
  return mu[0];
}

/* Every slice PSD with trace at most 1, in any direction, which all permutations being equal implies. */
static void
assert_inside (const TosstAtomSet *set, const double *v)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  g_autofree double *B = g_new (double, tosst_shape_atom_numbers (set->shape));
  double slice[100], trace;

  if (set->scheme == TOSST_SCHEME_FREE)
    {
      g_assert_cmpfloat (cblas_dnrm2 (D, v, 1), <=, 1 + 1e-12);
      return;
    }
  tosst_atom_to_array (set->shape, v, B);
  for (int s = 0; s < (set->scheme == TOSST_SCHEME_FULL ? d : 1); s++)
    {
      for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
          slice[i * d + j] = set->scheme == TOSST_SCHEME_FULL ? B[(i * d + j) * d + s] : B[i * d + j];
      g_assert_cmpfloat (smallest (slice, d, &trace), >=, -1e-12);
      g_assert_cmpfloat (trace, <=, 1 + 1e-12);
    }
}

/* v += factor u (x) u (x) u in the coordinates of whole atoms. */
static void
add_power (int d, double factor, const double *u, double *v)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        *v++ += factor * u[i] * u[j] * u[k] * sqrt (i == j && j == k ? 1 : i == j || j == k ? 3 : 6);
}

static void
draw (TosstRandom *random, int n, double size, double *v)
{
  for (int i = 0; i < n; i++)
    v[i] = size * tosst_random_normal (random);
}

/* What atoms are made of: means of signed third powers, whose slices are not PSD, and noise. */
static void
draw_point (TosstRandom *random, const TosstAtomSet *set, double size, double *v)
{
  int d = set->shape.d1;

  draw (random, tosst_shape_slice_length (set->shape), 0.3 * size, v);
  for (int t = 0; t < 3 && set->scheme == TOSST_SCHEME_FULL; t++)
    {
      double u[10];
      draw (random, d, 1, u);
      add_power (d, size / d, u, v);
    }
}

/* A point of the set: for whole atoms a random mean of third powers of vectors >= 0, not one that the projection made.
 */
static void
draw_inside (TosstRandom *random, const TosstAtomSet *set, double *v)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  double other[MOST], size;

  if (set->scheme == TOSST_SCHEME_FULL)
    {
      memset (v, 0, sizeof *v * D);
      for (int t = 0; t < 1 + (int)tosst_random_below (random, 3); t++)
        {
          double u[10];
          for (int i = 0; i < d; i++)
            u[i] = fmax (tosst_random_normal (random), 0);
          add_power (d, 1, u, v);
        }
    }
  else
    {
      draw (random, D, 1, other);
      project (set, other, v);
    }
  size = tosst_atom_set_size (set, v);
  if (size > 0)
    cblas_dscal (D, tosst_random_uniform (random) / size, v, 1);
}

static void
check_point (TosstRandom *random, const TosstAtomSet *set, double size)
{
  int D = tosst_shape_slice_length (set->shape);
  double x[MOST], p[MOST], again[MOST], z[MOST], distance;

  g_test_message ("scheme %d, d = %d, size %g", set->scheme, set->shape.d1, size);
  draw_point (random, set, size, x);
  project (set, x, p);
  assert_inside (set, p);
  cblas_daxpy (D, -1, p, 1, x, 1);
  distance = cblas_dnrm2 (D, x, 1);
  memset (z, 0, sizeof z);
  for (int i = 0; i < 200; i++)
    {
      /* x - Px is orthogonal to Px, or a trace or norm is at its bound; so 0 and multiples of Px are asked too. */
      if (i > 0)
        draw_inside (random, set, z);
      g_assert_cmpfloat (cblas_ddot (D, x, 1, z, 1) - cblas_ddot (D, x, 1, p, 1), <=, 2e-9 * (1 + distance * distance));
    }
  project (set, p, again);
  cblas_daxpy (D, -1, p, 1, again, 1);
  g_assert_cmpfloat (cblas_dnrm2 (D, again, 1), <=, 1e-13);
}

static void
test_nearest (void)
{
  static const double sizes[] = { 0.05, 1, 30 };
  TosstRandom random;

  tosst_random_init (&random, 3, 0);
  for (int d = 1; d <= 10; d++)
    for (int i = 0; i < 3; i++)
      for (int repeat = 0; repeat < 5; repeat++)
        {
          TosstAtomSet whole = make_set (TOSST_SHAPE_WHOLE, TOSST_SCHEME_FULL, d);
          TosstAtomSet psd = make_set (TOSST_SHAPE_SUPER_SYMMETRIC, TOSST_SCHEME_PSD, d);
          TosstAtomSet free = make_set (TOSST_SHAPE_SYMMETRIC, TOSST_SCHEME_FREE, d);

          check_point (&random, &whole, sizes[i]);
          check_point (&random, &psd, sizes[i]);
          check_point (&random, &free, sizes[i]);
        }
}

/* Numbers at the threshold to rounding, which belong on either side of it: a point of the simplex, moved by as much in
 * all coordinates, comes back. */
static void
test_ties (void)
{
  TosstRandom random;
  double x[64], b[64], work[64];

  tosst_random_init (&random, 5, 0);
  for (int repeat = 0; repeat < 2000; repeat++)
    {
      int n = 1 + tosst_random_below (&random, 64), some = 1 + tosst_random_below (&random, n);
      double sum = 0, shift = tosst_random_uniform (&random);
      for (int i = 0; i < n; i++)
        sum += x[i] = i < some ? tosst_random_uniform (&random) : 0;
      for (int i = 0; i < n; i++)
        b[i] = (x[i] /= sum) + shift;
      tosst_project_l1 (b, n, repeat % 2, work);
      for (int i = 0; i < n; i++)
        g_assert_cmpfloat (fabs (b[i] - x[i]), <=, 1e-13);
    }
}

/* Dykstra's algorithm between arrays with PSD slices of trace at most 1 and super-symmetric ones, to the end. */
static void
alternate (int d, double *v)
{
  TosstShape shape = tosst_shape (TOSST_SHAPE_WHOLE, d), matrix = tosst_shape (TOSST_SHAPE_SYMMETRIC, d);
  int n = d * d * d;
  g_autofree double *x = g_new (double, n), *y = g_new (double, n), *correction = g_new0 (double, n);
  g_autofree double *work = g_new (double, tosst_project_atom_work (d));
  double gap = 1, slice[55];

  for (int round = 0; round < 1000000 && gap > 1e-24; round++)
    {
      gap = 0;
      tosst_atom_to_array (shape, v, x);
      for (int i = 0; i < n; i++)
        y[i] = x[i] + correction[i];
      for (int s = 0; s < d; s++)
        {
          tosst_atom_from_array (matrix, y + s * d * d, slice);
          assert_ok (tosst_project_atom (TOSST_SCHEME_PSD, 0, d, slice, work));
          tosst_atom_to_array (matrix, slice, y + s * d * d);
        }
      for (int i = 0; i < n; i++)
        {
          correction[i] += x[i] - y[i];
          gap += (x[i] - y[i]) * (x[i] - y[i]);
        }
      tosst_atom_from_array (shape, y, v);
    }
  g_assert_cmpfloat (gap, <=, 1e-24);
}

static void
test_alternating (void)
{
  TosstRandom random;

  tosst_random_init (&random, 4, 0);
  for (int d = 1; d <= 5; d++)
    for (int repeat = 0; repeat < 2; repeat++)
      {
        TosstAtomSet set = make_set (TOSST_SHAPE_WHOLE, TOSST_SCHEME_FULL, d);
        int m = tosst_shape_slice_length (set.shape);
        double x[MOST], p[MOST], slow[MOST];

        draw_point (&random, &set, d < 4 ? 1 : 0.3, x);
        project (&set, x, p);
        memcpy (slow, x, sizeof slow);
        alternate (d, slow);
        cblas_daxpy (m, -1, p, 1, slow, 1);
        g_test_message ("d = %d: %g apart", d, cblas_dnrm2 (m, slow, 1));
        g_assert_cmpfloat (cblas_dnrm2 (m, slow, 1), <=, 2e-6);
      }
}

/* The projection of factor u (x) u (x) u, which must be expected times the same. */
static void
assert_multiple (int d, const double *u, double factor, double expected)
{
  TosstAtomSet set = make_set (TOSST_SHAPE_WHOLE, TOSST_SCHEME_FULL, d);
  int m = tosst_shape_slice_length (set.shape);
  double x[MOST] = { 0 }, p[MOST];

  add_power (d, factor, u, x);
  project (&set, x, p);
  add_power (d, -expected, u, p);
  g_assert_cmpfloat (cblas_dnrm2 (m, p, 1), <=, 2e-6);
}

/* A number is clamped to [0, 1]. The third power of u >= 0 has slices u_s u u': PSD, with traces u_s ||u||^2. Its
 * negative has slices whose products with those of any tensor of the set are <= 0: the nearest tensor is zero. A power
 * of the first unit vector is cut where its one trace is 1. */
static void
test_by_hand (void)
{
  static const double one[] = { 1 }, corner[] = { 1, 0, 0, 0 }, ray[] = { 0.1, 0.3, 0, 0.5, 0.2 };

  assert_multiple (1, one, 0.25, 0.25);
  assert_multiple (1, one, 7, 1);
  assert_multiple (1, one, -3, 0);
  assert_multiple (4, corner, 0.5, 0.5);
  assert_multiple (4, corner, 12, 1);
  assert_multiple (4, corner, -2, 0);
  assert_multiple (5, ray, 5, 5); /* the largest trace is 5 * 0.5 * 0.39 */
  assert_multiple (5, ray, -2, 0);
}

/* Numbers that are not finite are an error, not an endless loop. */
static void
test_not_finite (void)
{
  TosstAtomSet set = make_set (TOSST_SHAPE_WHOLE, TOSST_SCHEME_FULL, 3);
  g_autofree double *work = g_new (double, tosst_atom_set_work (&set));
  double v[10] = { 1, NAN, 2 }, large[10] = { INFINITY };

  g_assert_cmpint (tosst_atom_set_project (&set, v, work), !=, TOSST_OK);
  g_assert_cmpint (tosst_atom_set_project (&set, large, work), !=, TOSST_OK);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* BLAS on one thread, as in the program. */
  tosst_context_free (tosst_context_new (1));
  g_test_add_func ("/project/nearest", test_nearest);
  g_test_add_func ("/project/ties", test_ties);
  g_test_add_func ("/project/alternating", test_alternating);
  g_test_add_func ("/project/by-hand", test_by_hand);
  g_test_add_func ("/project/not-finite", test_not_finite);
  return g_test_run ();
}
