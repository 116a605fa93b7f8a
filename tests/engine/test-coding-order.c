/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many warm codes of many atoms, for which H is put in the order of use: the same codes come out.
 */
#include <math.h>
#include <string.h>

#include "coding-problem.h"
#include "engine/coding/coder-private.h"

#define SIDE 7
#define ATOMS 267
#define TENSORS 300

static Problem
make_problem (void)
{
  Problem p = { tosst_layout_new (SIDE), tosst_dictionary_new (SIDE, ATOMS), NULL, NULL };
  gsize m = p.layout->m;
  TosstRandom random;

  tosst_random_init (&random, 3, 4);
  p.tensors = g_new (double, TENSORS *m);
  p.narrow = g_new (float, TENSORS *m);
  for (int i = 0; i < p.dictionary->D * ATOMS; i++)
    p.dictionary->V[i] = tosst_random_normal (&random);
  for (int i = 0; i < SIDE * ATOMS; i++)
    p.dictionary->b[i] = tosst_random_normal (&random);
  for (gsize i = 0; i < TENSORS * m; i++)
    p.tensors[i] = p.narrow[i] = (float)tosst_random_normal (&random);
  return p;
}

static TosstCoder *
make_coder (TosstContext *context, const Problem *p, double lambda, gboolean is_signed)
{
  TosstCodingOptions options
      = { .problem.lambda = lambda, .problem.gamma = 1, .problem.signed_alpha = is_signed, .tolerance = 1e-5 };
  TosstCoder *coder;
  assert_ok (tosst_coder_new (context, p->dictionary, p->layout, &options, &coder));
  return coder;
}

static void
check_warm (gboolean is_signed, int threads)
{
  g_auto (Problem) p = make_problem ();
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  g_autoptr (TosstCoder) before = make_coder (context, &p, 0.5, is_signed),
                         after = make_coder (context, &p, 0.02, is_signed);
  g_autofree float *warm = g_new (float, TENSORS *ATOMS), *again = g_new (float, TENSORS *ATOMS);
  g_autofree double *wide = g_new (double, TENSORS *ATOMS), *cold = g_new (double, TENSORS *ATOMS);
  g_autofree double *reached = g_new (double, TENSORS), *best = g_new (double, TENSORS);
  TosstCodingReport report;

  assert_ok (tosst_code (context, before, p.narrow, TENSORS, false, warm, NULL));
  memcpy (again, warm, sizeof *warm * TENSORS * ATOMS);
  for (int i = 0; i < TENSORS * ATOMS; i++)
    wide[i] = warm[i];
  assert_ok (tosst_code (context, after, p.narrow, TENSORS, true, warm, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, 1e-5);
  assert_ok (tosst_code (context, after, p.narrow, TENSORS, true, again, NULL));
  g_assert_cmpmem (warm, sizeof *warm * TENSORS * ATOMS, again, sizeof *again * TENSORS * ATOMS);
  assert_ok (tosst_code_double (context, after, p.tensors, TENSORS, true, wide, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, 1e-5);
  assert_ok (tosst_code_double (context, after, p.tensors, TENSORS, false, cold, &report));
  g_test_message ("signed %d: %.1f non-zeros", is_signed, report.mean_nonzeros);
  assert_ok (tosst_code_objective (context, after, p.tensors, TENSORS, cold, best, NULL));
  assert_ok (tosst_code_objective (context, after, p.tensors, TENSORS, wide, reached, NULL));
  for (int n = 0; n < TENSORS; n++)
    g_assert_cmpfloat_with_epsilon (reached[n], best[n], 1e-6 * best[n]);
  for (int i = 0; i < TENSORS * ATOMS; i++)
    wide[i] = warm[i];
  assert_ok (tosst_code_objective (context, after, p.tensors, TENSORS, wide, reached, NULL));
  for (int n = 0; n < TENSORS; n++)
    g_assert_cmpfloat_with_epsilon (reached[n], best[n], 1e-5 * best[n]);
}

static void
test_warm (void)
{
  for (int is_signed = 0; is_signed <= 1; is_signed++)
    for (int threads = 1; threads <= 2; threads++)
      check_warm (is_signed, threads);
}

/* Rows that go into the order and back are as they were; the most used atom is the first. */
static void
test_order (void)
{
  static const float codes[] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0 };
  float rows[G_N_ELEMENTS (codes)];
  int order[4];
  double work[4];

  memcpy (rows, codes, sizeof rows);
  g_assert_true (tosst_order_by_use (codes, false, 3, 4, order));
  static const int expected[] = { 1, 3, 0, 2 };
  g_assert_cmpmem (order, sizeof order, expected, sizeof expected);
  tosst_order_rows (rows, false, 3, 4, order, false, work);
  g_assert_cmpfloat (rows[0], ==, 1);
  g_assert_cmpfloat (rows[1], ==, 2);
  tosst_order_rows (rows, false, 3, 4, order, true, work);
  g_assert_cmpmem (rows, sizeof rows, codes, sizeof codes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/coding-order/order", test_order);
  g_test_add_func ("/coding-order/warm", test_warm);
  return g_test_run ();
}
