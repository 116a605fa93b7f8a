/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding within a bound on memory: atoms that are made where they are needed give the codes of those that are kept, and
 * what is taken is what was said.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sanitized.h"
#include "coding-problem.h"

/* More atoms than one product takes, more tensors than are gathered under the least bound. */
#define ATOMS 1100
#define TENSORS 600

/* Atoms of which each is a positive rank-one matrix; tensors with a few atoms in each, and something else. */
static Problem
make_problem (TosstShape shape, int K, gsize n)
{
  Problem p = { tosst_layout_new_shape (shape), tosst_dictionary_new_shape (shape, K), .context = tosst_context_new (2),
                .n = n };
  gsize m = p.layout->m, D = p.layout->D, S = p.layout->S, numbers = tosst_shape_atom_numbers (shape);
  g_autofree double *B = g_new (double, numbers);
  TosstRandom random;

  tosst_random_init (&random, 5, (guint64)K);
  for (gsize k = 0; k < (gsize)K; k++)
    {
      double x[3][64], sum = 0;
      for (int i = 0; i < 3 * 64; i++)
        x[i / 64][i % 64] = tosst_random_uniform (&random);
      gboolean is_square = shape.kind != TOSST_SHAPE_GENERAL, is_cube = shape.kind == TOSST_SHAPE_WHOLE;
      for (gsize t = 0, d1 = shape.d1, d2 = shape.d2; t < numbers; t++)
        sum += B[t] = is_cube ? x[0][t / d1 / d1] * x[0][t / d1 % d1] * x[0][t % d1]
                              : x[0][t / d2] * x[is_square ? 0 : 1][t % d2];
      for (gsize t = 0; t < numbers; t++)
        B[t] /= sum;
      tosst_atom_from_array (shape, B, p.dictionary->V + k * D);
      for (gsize s = 0; s < S; s++)
        p.dictionary->b[k * S + s] = S == 1 ? 1 : x[2][s] / S;
    }
  p.dictionary->scale = 0.7;
  p.tensors = g_new (double, n *m);
  p.narrow = g_new (float, n *m);
  for (gsize i = 0; i < n * m; i++)
    p.narrow[i] = (float)(p.tensors[i] = pow (tosst_random_uniform (&random), 4));
  return p;
}

static TosstCoder *
make_coder (const Problem *p, const TosstCodingOptions *options)
{
  TosstCoder *coder = NULL;

  if (tosst_coder_new (p->context, p->dictionary, p->layout, options, &coder) != TOSST_OK)
    g_error ("%s", tosst_context_message (p->context));
  return coder;
}

/* Codes in either precision, cold and then from there with another start. */
static void
code_both (const Problem *p, const TosstCodingOptions *options, float *narrow, double *wide)
{
  g_autoptr (TosstCoder) coder = make_coder (p, options);
  TosstCodingReport report;

  for (int warm = 0; warm <= 1; warm++)
    {
      assert_ok (tosst_code (p->context, coder, p->narrow, p->n, warm, narrow, &report));
      g_assert_cmpfloat (report.worst_kkt, <=, 1e-5);
      assert_ok (tosst_code_double (p->context, coder, p->tensors, p->n, warm, wide, &report));
      g_assert_cmpfloat (report.worst_kkt, <=, 1e-8);
      g_assert_cmpfloat (report.mean_nonzeros, >, 0.5);
    }
}

/* The least bound that is enough. */
static gsize
least_memory (const Problem *p, TosstCodingOptions options)
{
  options.memory = 1;
  return tosst_coder_memory (p->layout, p->dictionary->K, &options, 2);
}

static void
check_same (TosstShape shape, const TosstCodingOptions *mode)
{
  g_auto (Problem) p = make_problem (shape, ATOMS, TENSORS);
  TosstCodingOptions options = *mode;
  gsize size = (gsize)TENSORS * ATOMS;
  g_autofree float *kept = g_new (float, size), *made = g_new (float, size);
  g_autofree double *kept_wide = g_new (double, size), *made_wide = g_new (double, size);

  options.tolerance = 1e-9;
  code_both (&p, &options, kept, kept_wide);
  for (int wide = 0; wide <= 1; wide++)
    {
      options.wide = wide;
      options.memory = least_memory (&p, options);
      code_both (&p, &options, made, made_wide);
      g_assert_cmpint (memcmp (kept, made, size * sizeof *kept), ==, 0);
      g_assert_cmpint (memcmp (kept_wide, made_wide, size * sizeof *kept_wide), ==, 0);
    }
}

static void
test_same (void)
{
  static const TosstShape shapes[] = { { TOSST_SHAPE_SUPER_SYMMETRIC, 5, 5, 5 },
                                       { TOSST_SHAPE_WHOLE, 5, 5, 5 },
                                       { TOSST_SHAPE_SYMMETRIC, 8, 8, 8 },
                                       { TOSST_SHAPE_GENERAL, 3, 4, 3 } };
  TosstCodingOptions options;

  tosst_coding_options_default (&options);
  options.problem.lambda = 0.02;
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i += SANITIZED ? 3 : 1)
    check_same (shapes[i], &options);
  options.problem.signed_alpha = TRUE;
  check_same (shapes[0], &options);
  options.problem.gamma = INFINITY;
  options.problem.nonnegative_beta = TRUE;
  check_same (shapes[0], &options);
}

/* The road is the dearest that the bound allows, and none beyond it. */
static void
test_plan (void)
{
  g_autoptr (TosstLayout) layout = tosst_layout_new (20);
  TosstCodingOptions options;

  for (int wide = 0; wide <= 1; wide++)
    for (int K = 50; K < 30000; K *= 3)
      {
        tosst_coding_options_default (&options);
        options.wide = wide;
        gsize kept = tosst_coder_memory (layout, K, &options, 2), before = 0;
        options.memory = kept;
        g_assert_cmpuint (tosst_coder_memory (layout, K, &options, 2), ==, kept);
        options.memory = 1;
        gsize least = tosst_coder_memory (layout, K, &options, 2);
        for (options.memory = least; options.memory < 2 * kept; options.memory += kept / 20)
          {
            gsize bytes = tosst_coder_memory (layout, K, &options, 2);
            g_assert_cmpuint (bytes, <=, options.memory);
            g_assert_cmpuint (bytes, >=, before);
            before = bytes;
          }
        g_assert_cmpuint (before, ==, kept);
      }
}

static void
test_refuses (void)
{
  g_auto (Problem) p = make_problem (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 5), 40, 1);
  TosstCodingOptions options;
  TosstCoder *coder;

  tosst_coding_options_default (&options);
  options.memory = least_memory (&p, options) - 1;
  g_assert_cmpint (tosst_coder_new (p.context, p.dictionary, p.layout, &options, &coder), ==, TOSST_ERROR_MEMORY);
  g_assert_nonnull (strstr (tosst_context_message (p.context), "at least"));
  options.memory++;
  tosst_coder_free (make_coder (&p, &options));
  /* With beta >= 0, too. */
  options.problem.nonnegative_beta = true;
  options.memory = least_memory (&p, options) - 1;
  g_assert_cmpint (tosst_coder_new (p.context, p.dictionary, p.layout, &options, &coder), ==, TOSST_ERROR_MEMORY);
  g_assert_nonnull (strstr (tosst_context_message (p.context), "beta >= 0 needs"));
  g_assert_nonnull (strstr (tosst_context_message (p.context), "lower the number of atoms"));
  options.memory++;
  tosst_coder_free (make_coder (&p, &options));
}

/* The most memory of this process since the last call, in bytes; 0 where the system does not tell. */
static gsize
peak_since_last (void)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    line = strstr (text, "VmHWM:");
  if (line == NULL || !g_file_test ("/proc/self/clear_refs", G_FILE_TEST_EXISTS))
    return 0;
  FILE *reset = fopen ("/proc/self/clear_refs", "w");
  gboolean works = reset != NULL && fputs ("5", reset) >= 0 && fclose (reset) == 0;
  return works ? 1024 * g_ascii_strtoull (line + strlen ("VmHWM:"), NULL, 10) : 0;
}

static gsize
measure_coding (const Problem *p, const TosstCodingOptions *options)
{
  g_autofree float *narrow = g_new0 (float, p->n * p->dictionary->K);
  g_autofree double *wide = g_new0 (double, p->n * p->dictionary->K);

  /* What was freed before must not hide what is taken. */
  malloc_trim (0);
  peak_since_last ();
  gsize before = peak_since_last ();
  g_autoptr (TosstCoder) coder = make_coder (p, options);
  TosstStatus status = options->wide ? tosst_code_double (p->context, coder, p->tensors, p->n, false, wide, NULL)
                                     : tosst_code (p->context, coder, p->narrow, p->n, false, narrow, NULL);
  assert_ok (status);
  return peak_since_last () - before;
}

static void
test_honest (void)
{
  if (SANITIZED || peak_since_last () == 0)
    {
      g_test_skip ("memory in use cannot be measured here");
      return;
    }
  g_auto (Problem) p = make_problem (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 50), 2100, 64);
  /* Where malloc() fills what it gives it touches what it leaves out before a block that begins with a large page, too. */
  gsize atoms = 2100 * p.layout->m * sizeof (float), slack = (g_getenv ("MALLOC_PERTURB_") != NULL ? 24 : 8) << 20;
  TosstCodingOptions options;

  tosst_coding_options_default (&options);
  options.problem.lambda = 0.1;
  for (int wide = 0; wide <= 1; wide++)
    {
      options.wide = wide;
      options.memory = 0;
      gsize kept = measure_coding (&p, &options);
      g_test_message ("kept: %zu MB of %zu", kept >> 20, tosst_coder_memory (p.layout, 2100, &options, 2) >> 20);
      g_assert_cmpuint (kept, <=, tosst_coder_memory (p.layout, 2100, &options, 2) + slack);
      g_assert_cmpuint (kept, >, atoms * (1 + wide));
      options.memory = least_memory (&p, options);
      gsize made = measure_coding (&p, &options);
      g_test_message ("made: %zu MB of %zu", made >> 20, options.memory >> 20);
      g_assert_cmpuint (made, <=, options.memory + slack);
      g_assert_cmpuint (made, <, kept - atoms * (1 + wide) / 3);
    }
}

/* What beta >= 0 takes is what it says. */
static void
test_honest_nonnegative (void)
{
  if (SANITIZED || peak_since_last () == 0)
    {
      g_test_skip ("memory in use cannot be measured here");
      return;
    }
  g_auto (Problem) p = make_problem (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 30), 900, 8);
  TosstCodingOptions options;

  tosst_coding_options_default (&options);
  options.problem.nonnegative_beta = true;
  options.problem.lambda = 0.1;
  options.tolerance = 1e-2;
  gsize used = measure_coding (&p, &options), said = tosst_coder_memory (p.layout, 900, &options, 2);
  g_test_message ("%zu MB of %zu", used >> 20, said >> 20);
  g_assert_cmpuint (used, <=, said + (8 << 20));
  g_assert_cmpuint (used, >, said / 10);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/coding-memory/honest", test_honest);
  g_test_add_func ("/coding-memory/same", test_same);
  g_test_add_func ("/coding-memory/plan", test_plan);
  g_test_add_func ("/coding-memory/refuses", test_refuses);
  g_test_add_func ("/coding-memory/honest-nonnegative", test_honest_nonnegative);
  return g_test_run ();
}
