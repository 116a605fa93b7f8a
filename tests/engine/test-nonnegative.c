/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes with beta >= 0, judged by equation (5) written out in alpha and beta with slices: its optimality conditions at
 * the code, and the value that projected gradient steps reach when run to the end.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "coding-problem.h"
#include "engine/coding/nonnegative.h"

#define SIDE 5
#define MOST_ATOMS 40
#define TENSORS 12

/* A point (alpha, beta) of one tensor. */
typedef struct
{
  double alpha[MOST_ATOMS];
  double beta[SIDE][MOST_ATOMS];
} Point;

typedef struct
{
  int K;
  double lambda, gamma;
  gboolean is_signed;
  double G[MOST_ATOMS * MOST_ATOMS];
  double b[MOST_ATOMS][SIDE];
  double c[SIDE][MOST_ATOMS]; /* <B_k, X^s> */
  double square;              /* ||X||^2 */
} WrittenOut;

static Problem
make_problem (int K, gboolean signed_b, gboolean signed_tensors)
{
  Problem p = { tosst_layout_new (SIDE), tosst_dictionary_new (SIDE, K), NULL };
  TosstRandom random;
  gsize m = p.layout->m;
  g_autofree double *work = g_new (double, tosst_project_atom_work (SIDE));

  tosst_random_init (&random, 5, (guint64)K);
  p.tensors = g_new0 (double, TENSORS *m);
  for (int n = 0; n < TENSORS; n++)
    for (int pixel = 0; pixel < 5; pixel++)
      {
        double x[SIDE], *out = p.tensors + n * m;
        for (int i = 0; i < SIDE; i++)
          x[i] = signed_tensors ? tosst_random_normal (&random) : tosst_random_uniform (&random);
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              *out++ += x[i] * x[j] * x[k] / 5;
      }
  for (int k = 0; k < K; k++)
    {
      double *v = p.dictionary->V + k * p.dictionary->D, *b = p.dictionary->b + k * SIDE;
      for (int i = 0; i < p.dictionary->D; i++)
        v[i] = tosst_random_uniform (&random) - 0.2;
      /* Signed: a third of the atoms of either kind, and mixed ones. */
      for (int i = 0; i < SIDE; i++)
        b[i] = tosst_random_uniform (&random) - (signed_b ? k % 3 * 0.5 : 0.3);
      assert_ok (tosst_project_atom (TOSST_SCHEME_PSD, 0, SIDE, v, work));
      tosst_project_l1 (b, SIDE, !signed_b, work);
    }
  p.dictionary->scale = 1.3;
  return p;
}

static void
write_out (const Problem *p, int n, const TosstCodingOptions *options, WrittenOut *w)
{
  int K = p->dictionary->K;
  g_autofree double *B = g_new (double, K *SIDE *SIDE);
  double X[SIDE * SIDE];

  *w = (WrittenOut){ .K = K,
                     .lambda = options->problem.lambda,
                     .gamma = options->problem.gamma,
                     .is_signed = options->problem.signed_alpha };
  tosst_dictionary_get (p->dictionary, B, w->b[0]);
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++)
      w->G[i * K + j] = cblas_ddot (SIDE * SIDE, B + i * SIDE * SIDE, 1, B + j * SIDE * SIDE, 1);
  for (int s = 0; s < SIDE; s++)
    {
      for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
          X[i * SIDE + j] = p->tensors[n * p->layout->m + tosst_packed_index (SIDE, i, j, s)] / p->dictionary->scale;
      w->square += cblas_ddot (SIDE * SIDE, X, 1, X, 1);
      for (int k = 0; k < K; k++)
        w->c[s][k] = cblas_ddot (SIDE * SIDE, B + k * SIDE * SIDE, 1, X, 1);
    }
}

/* Half of the gradient; returns the objective. */
static double
differentiate (const WrittenOut *w, const Point *at, Point *gradient)
{
  double value = w->square;

  memset (gradient, 0, sizeof *gradient);
  for (int k = 0; k < w->K; k++)
    {
      gradient->alpha[k] = at->alpha[k] != 0 ? copysign (w->lambda / 2, at->alpha[k]) : 0;
      value += w->lambda * fabs (at->alpha[k]);
    }
  for (int s = 0; s < SIDE; s++)
    for (int k = 0; k < w->K; k++)
      {
        double product = cblas_ddot (w->K, w->G + k * w->K, 1, at->beta[s], 1);
        double apart = at->beta[s][k] - w->b[k][s] * at->alpha[k];
        gradient->beta[s][k] = product - w->c[s][k] + w->gamma * apart;
        gradient->alpha[k] -= w->gamma * w->b[k][s] * apart;
        value += at->beta[s][k] * (product - 2 * w->c[s][k]) + w->gamma * apart * apart;
      }
  return value;
}

/* The largest violation of optimality / max |<B_k, X^s>|. */
static double
violation (const WrittenOut *w, const Point *at)
{
  Point gradient;
  double worst = 0, scale = 0, t = w->lambda / 2;

  differentiate (w, at, &gradient);
  for (int k = 0; k < w->K; k++)
    {
      double a = at->alpha[k], slope = gradient.alpha[k];
      if (!w->is_signed)
        g_assert_cmpfloat (a, >=, 0);
      if (a != 0)
        worst = fmax (worst, fabs (slope));
      else
        worst = fmax (worst, (w->is_signed ? fabs (slope) : -slope) - t);
      for (int s = 0; s < SIDE; s++)
        {
          g_assert_cmpfloat (at->beta[s][k], >=, 0);
          worst = fmax (worst, at->beta[s][k] > 0 ? fabs (gradient.beta[s][k]) : -gradient.beta[s][k]);
          scale = fmax (scale, fabs (w->c[s][k]));
        }
    }
  return worst / scale;
}

/* The best beta >= 0 for the alpha of a point, one entry after another. */
static void
find_beta (const WrittenOut *w, Point *at)
{
  double change = 1;

  memset (at->beta, 0, sizeof at->beta);
  for (int pass = 0; pass < 100000 && change > 1e-15; pass++)
    {
      change = 0;
      for (int s = 0; s < SIDE; s++)
        for (int k = 0; k < w->K; k++)
          {
            double old = at->beta[s][k], curvature = w->G[k * w->K + k] + w->gamma;
            double slope = w->c[s][k] - cblas_ddot (w->K, w->G + k * w->K, 1, at->beta[s], 1)
                           - w->gamma * (old - w->b[k][s] * at->alpha[k]);
            at->beta[s][k] = fmax (0, old + slope / curvature);
            change = fmax (change, fabs (at->beta[s][k] - old));
          }
    }
}

/* One projected gradient step from a point; alpha's penalty by its threshold. */
static void
step_from (const WrittenOut *w, const Point *from, double length, Point *to)
{
  Point gradient;
  double t = length * w->lambda / 2;

  differentiate (w, from, &gradient);
  for (int k = 0; k < w->K; k++)
    {
      double a = from->alpha[k];
      double slope = gradient.alpha[k] - (a != 0 ? copysign (w->lambda / 2, a) : 0), z = a - length * slope;
      to->alpha[k] = z > t ? z - t : w->is_signed && z < -t ? z + t : 0;
      for (int s = 0; s < SIDE; s++)
        to->beta[s][k] = fmax (0, from->beta[s][k] - length * gradient.beta[s][k]);
    }
}

/* Projected gradient with Nesterov's momentum, restarted where the objective rises, until a step changes nothing. */
static double
brute_force (const WrittenOut *w, Point *x)
{
  Point before = { 0 }, ahead, scrap;
  double L = 2 * w->gamma, trace = 0, value = INFINITY;
  int still = 0;

  for (int k = 0; k < w->K; k++)
    trace += w->G[k * w->K + k];
  L += trace;
  memset (x, 0, sizeof *x);
  for (int i = 1, since = 1; i < 400000 && still < 200; i++, since++)
    {
      double momentum = (since - 1.0) / (since + 2.0), *p = (double *)x, *q = (double *)&before, *r = (double *)&ahead;
      for (gsize j = 0; j < sizeof *x / sizeof (double); j++)
        r[j] = p[j] + momentum * (p[j] - q[j]);
      before = *x;
      step_from (w, &ahead, 1 / L, x);
      double now = differentiate (w, x, &scrap);
      if (now > value)
        since = 0;
      still = fabs (now - value) <= 1e-15 * w->square ? still + 1 : 0;
      value = now;
    }
  return value;
}

static void
check (TosstContext *context, const Problem *p, const TosstCodingOptions *options)
{
  int K = p->dictionary->K;
  g_autoptr (TosstCoder) coder = NULL;
  TosstCodingReport report;
  g_autofree double *codes = g_new (double, TENSORS *K), *objective = g_new (double, TENSORS);
  g_autofree double *parts = g_new (double, TENSORS * 3);
  g_autofree float *narrow = g_new (float, TENSORS * p->layout->m), *narrow_codes = g_new (float, TENSORS *K);

  g_test_message ("K %d, lambda %g, gamma %g, signed %d", K, options->problem.lambda, options->problem.gamma,
                  options->problem.signed_alpha);
  assert_ok (tosst_coder_new (context, p->dictionary, p->layout, options, &coder));
  assert_ok (tosst_code_double (context, coder, p->tensors, TENSORS, false, codes, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, options->tolerance);
  assert_ok (tosst_code_objective (context, coder, p->tensors, TENSORS, codes, objective, parts));
  for (gsize i = 0; i < TENSORS * p->layout->m; i++)
    narrow[i] = (float)p->tensors[i];
  assert_ok (tosst_code (context, coder, narrow, TENSORS, false, narrow_codes, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, options->tolerance);
  for (int n = 0; n < TENSORS; n++)
    {
      WrittenOut w;
      Point own, reference, scrap;
      write_out (p, n, options, &w);
      memcpy (own.alpha, codes + n * K, sizeof *codes * K);
      find_beta (&w, &own);
      g_assert_cmpfloat (violation (&w, &own), <=, 1e-9);
      double value = differentiate (&w, &own, &scrap);
      /* The conditions above are enough, for the problem is convex; steps that know nothing of them say so for some. */
      if (n % 6 == 0)
        {
          double least = brute_force (&w, &reference);
          g_assert_cmpfloat (value, <=, least + 1e-9 * w.square);
          g_assert_cmpfloat (value, >=, least - 1e-7 * w.square);
        }
      g_assert_cmpfloat_with_epsilon (objective[n], value, 1e-11 * w.square);
      g_assert_cmpfloat_with_epsilon (objective[n], parts[3 * n] + parts[3 * n + 1] + parts[3 * n + 2],
                                      1e-12 * w.square);
      for (int k = 0; k < K; k++)
        own.alpha[k] = narrow_codes[n * K + k];
      find_beta (&w, &own);
      g_assert_cmpfloat (violation (&w, &own), <=, 2e-6);
    }
}

static void
test_optimal (void)
{
  static const int atoms[] = { 1, 6, 20 };
  static const double lambdas[] = { 1e-3, 0.05, 100 }, gammas[] = { 0.1, 1, 20 };
  g_autoptr (TosstContext) context = tosst_context_new (2);

  for (gsize a = 0; a < G_N_ELEMENTS (atoms); a++)
    for (int kind = 0; kind < 4; kind++)
      {
        g_auto (Problem) p = make_problem (atoms[a], kind & 1, kind & 2);
        for (int i = 0; i < 18; i++)
          {
            TosstCodingOptions options = { .problem.lambda = lambdas[i % 3],
                                           .problem.gamma = gammas[i / 3 % 3],
                                           .problem.signed_alpha = i / 9,
                                           .problem.nonnegative_beta = true,
                                           .tolerance = 1e-10 };
            check (context, &p, &options);
          }
      }
}

/* More atoms than a slice has numbers, no penalty, and gammas that tie hardly or nearly wholly: many minimisers or hard
 * ones; all must be certified. */
static void
test_extremes (void)
{
  static const double gammas[] = { 1e-6, 1e-3, 1e6 };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_auto (Problem) p = make_problem (MOST_ATOMS, FALSE, FALSE);

  for (int i = 0; i < 6; i++)
    {
      TosstCodingOptions options = { .problem.lambda = i % 2 * 1e-3,
                                     .problem.gamma = gammas[i / 2],
                                     .problem.nonnegative_beta = true,
                                     .tolerance = 1e-8 };
      TosstCodingReport report;
      g_autoptr (TosstCoder) coder = NULL;
      double codes[TENSORS * MOST_ATOMS];
      assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
      assert_ok (tosst_code_double (context, coder, p.tensors, TENSORS, false, codes, &report));
      g_test_message ("gamma %g, lambda %g: %g", options.problem.gamma, options.problem.lambda, report.worst_kkt);
      g_assert_cmpfloat (report.worst_kkt, <=, 1e-8);
      for (int n = 0; n < TENSORS; n++)
        {
          WrittenOut w;
          Point own;
          write_out (&p, n, &options, &w);
          memcpy (own.alpha, codes + n * MOST_ATOMS, sizeof own.alpha);
          if (options.problem.gamma > 1e5)
            continue; /* entry by entry beta would take for ever */
          find_beta (&w, &own);
          g_assert_cmpfloat (violation (&w, &own), <=, 1e-6);
        }
    }
}

/* A warm start, also one that is far away or of the wrong sign, ends at the same minimum. */
static void
test_warm (void)
{
  g_auto (Problem) p = make_problem (20, TRUE, FALSE);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstCodingOptions options = { .problem.lambda = 1e-3,
                                 .problem.gamma = 1,
                                 .problem.signed_alpha = false,
                                 .problem.nonnegative_beta = true,
                                 .tolerance = 1e-12 };
  TosstCoder *coder;
  double cold[TENSORS * 20], warm[TENSORS * 20];

  for (int tied = 0; tied < 2; tied++)
    {
      options.problem.gamma = tied ? INFINITY : 1;
      assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
      assert_ok (tosst_code_double (context, coder, p.tensors, TENSORS, false, cold, NULL));
      for (int i = 0; i < TENSORS * 20; i++)
        warm[i] = i % 3 - 1;
      assert_ok (tosst_code_double (context, coder, p.tensors, TENSORS, true, warm, NULL));
      for (int i = 0; i < TENSORS * 20; i++)
        g_assert_cmpfloat_with_epsilon (cold[i], warm[i], 1e-7);
      tosst_coder_free (coder);
    }
}

static int
sign_of (const double *b)
{
  int positive = 0, negative = 0;

  for (int s = 0; s < SIDE; s++)
    {
      positive += b[s] > 0;
      negative += b[s] < 0;
    }
  return positive && negative ? 0 : positive ? 1 : -1;
}

/* gamma = infinity: alpha_k has the sign of b_k or is zero, and among those codes it is optimal for
 * sum_s ||x^s - V (b^s . alpha)||^2 + lambda ||alpha||_1. */
static void
check_tied (TosstContext *context, const Problem *p, double lambda, gboolean is_signed)
{
  int K = p->dictionary->K, kinds[3] = { 0 };
  TosstCodingOptions options = { .problem.lambda = lambda,
                                 .problem.gamma = INFINITY,
                                 .problem.signed_alpha = is_signed,
                                 .problem.nonnegative_beta = true,
                                 .tolerance = 1e-12 };
  g_autoptr (TosstCoder) coder = NULL;
  g_autofree double *codes = g_new (double, TENSORS *K), *objective = g_new (double, TENSORS);

  assert_ok (tosst_coder_new (context, p->dictionary, p->layout, &options, &coder));
  assert_ok (tosst_code_double (context, coder, p->tensors, TENSORS, false, codes, NULL));
  assert_ok (tosst_code_objective (context, coder, p->tensors, TENSORS, codes, objective, NULL));
  for (int n = 0; n < TENSORS; n++)
    {
      WrittenOut w;
      double value;
      write_out (p, n, &options, &w);
      value = w.square + lambda * cblas_dasum (K, codes + n * K, 1);
      for (int k = 0; k < K; k++)
        {
          double a = codes[n * K + k], slope = 0;
          int sign = sign_of (w.b[k]);
          kinds[sign + 1]++;
          for (int s = 0; s < SIDE; s++)
            {
              double product = 0;
              for (int j = 0; j < K; j++)
                product += w.G[k * K + j] * w.b[j][s] * codes[n * K + j];
              slope += w.b[k][s] * (product - w.c[s][k]);
              value += a * w.b[k][s] * (product - 2 * w.c[s][k]);
            }
          if (sign == 0 || (sign < 0 && !is_signed))
            g_assert_cmpfloat (a, ==, 0);
          else if (a != 0)
            {
              g_assert_cmpfloat (a * sign, >, 0);
              g_assert_cmpfloat_with_epsilon (slope * sign, -lambda / 2, 1e-9);
            }
          else
            g_assert_cmpfloat (-slope * sign, <=, lambda / 2 + 1e-9);
        }
      g_assert_cmpfloat_with_epsilon (objective[n], value, 1e-11 * w.square);
    }
  for (int i = 0; i < 3; i++)
    g_assert_cmpint (kinds[i], >, 0);
  /* A code that leaves no beta >= 0 costs infinitely much. */
  for (int k = 0; k < K; k++)
    codes[k] = sign_of (p->dictionary->b + k * SIDE) == 0;
  assert_ok (tosst_code_objective (context, coder, p->tensors, 1, codes, objective, NULL));
  g_assert_true (isinf (objective[0]));
}

static void
test_tied (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_auto (Problem) p = make_problem (30, TRUE, FALSE);

  for (int i = 0; i < 4; i++)
    check_tied (context, &p, i % 2 ? 1e-3 : 0.05, i / 2);
}

/* The sums that learning reads, against beta written out; any number of threads gives the same bits. */
static void
test_sums (void)
{
  enum
  {
    K = 9
  };
  g_auto (Problem) p = make_problem (K, FALSE, FALSE);
  TosstCodingOptions options
      = { .problem.lambda = 1e-3, .problem.gamma = 1, .problem.nonnegative_beta = true, .tolerance = 1e-12 };
  gsize D = p.layout->D;
  g_autofree double *A = g_new0 (double, 2 * K * K), *C = g_new0 (double, 2 * D * K);
  double N[2][K * SIDE] = { 0 }, mean[2][K * SIDE] = { 0 }, power[2][K] = { 0 }, codes[TENSORS * K], fit = 0, trace = 0;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (1 + 2 * i);
      TosstNonnegativeSums sums = { A + i * K * K, C + i * D * K, N[i], mean[i], power[i], 0 };
      g_autoptr (TosstCoder) coder = NULL;
      double objective[TENSORS], parts[TENSORS * 3];
      assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
      assert_ok (tosst_code_nonnegative (context, coder, true, p.tensors, TENSORS, false, codes, &sums, NULL));
      g_assert_cmpfloat_with_epsilon (sums.l1, cblas_dasum (TENSORS * K, codes, 1), 1e-12);
      assert_ok (tosst_code_objective (context, coder, p.tensors, TENSORS, codes, objective, parts));
      for (int n = 0; i == 0 && n < TENSORS; n++)
        fit += parts[3 * n];
    }
  g_assert_cmpint (memcmp (A, A + K * K, sizeof *A * K * K), ==, 0);
  g_assert_cmpint (memcmp (C, C + D * K, sizeof *C * D * K), ==, 0);
  g_assert_cmpint (memcmp (N[0], N[1], sizeof N[0]), ==, 0);

  double wanted_A[K * K] = { 0 }, from_sums = 0;
  for (int n = 0; n < TENSORS; n++)
    {
      WrittenOut w;
      Point at;
      write_out (&p, n, &options, &w);
      memcpy (at.alpha, codes + n * K, sizeof *codes * K);
      find_beta (&w, &at);
      trace += w.square;
      for (int s = 0; s < SIDE; s++)
        for (int k = 0; k < K; k++)
          {
            for (int j = 0; j < K; j++)
              wanted_A[k * K + j] += at.beta[s][k] * at.beta[s][j];
            N[1][k * SIDE + s] -= at.alpha[k] * at.beta[s][k];
            mean[1][k * SIDE + s] -= at.beta[s][k];
          }
    }
  for (int i = 0; i < K * K; i++)
    g_assert_cmpfloat_with_epsilon (A[i], wanted_A[i], 1e-9);
  for (int i = 0; i < K * SIDE; i++)
    {
      g_assert_cmpfloat_with_epsilon (N[1][i], 0, 1e-9);
      g_assert_cmpfloat_with_epsilon (mean[1][i], 0, 1e-9);
    }
  for (int k = 0; k < K; k++)
    {
      g_assert_cmpfloat_with_epsilon (power[0][k], cblas_ddot (TENSORS, codes + k, K, codes + k, K), 1e-12);
      from_sums -= 2 * cblas_ddot (D, C + k * D, 1, p.dictionary->V + k * D, 1);
      for (int j = 0; j < K; j++)
        from_sums += A[k * K + j] * cblas_ddot (D, p.dictionary->V + k * D, 1, p.dictionary->V + j * D, 1);
    }
  g_assert_cmpfloat_with_epsilon (trace + from_sums, fit, 1e-9 * trace);
}

static void
test_refuses (void)
{
  g_auto (Problem) p = make_problem (4, FALSE, FALSE);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstCodingOptions options
      = { .problem.lambda = 1e-3, .problem.gamma = 1, .problem.nonnegative_beta = true, .tolerance = 1e-6 };
  g_autoptr (TosstCoder) coder = NULL;
  double codes[TENSORS * 4];

  assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
  p.tensors[2 * p.layout->m + 1] = INFINITY;
  g_assert_cmpint (tosst_code_double (context, coder, p.tensors, TENSORS, false, codes, NULL), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "tensor 2"));
  /* A tensor of zeros has a code of zeros. */
  memset (p.tensors, 0, sizeof *p.tensors * p.layout->m);
  assert_ok (tosst_code_double (context, coder, p.tensors, 1, false, codes, NULL));
  for (int k = 0; k < 4; k++)
    g_assert_cmpfloat (codes[k], ==, 0);
  tosst_context_cancel (context);
  g_assert_cmpint (tosst_code_double (context, coder, p.tensors, 1, false, codes, NULL), ==, TOSST_CANCELLED);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nonnegative/optimal", test_optimal);
  g_test_add_func ("/nonnegative/extremes", test_extremes);
  g_test_add_func ("/nonnegative/warm", test_warm);
  g_test_add_func ("/nonnegative/tied", test_tied);
  g_test_add_func ("/nonnegative/sums", test_sums);
  g_test_add_func ("/nonnegative/refuses", test_refuses);
  return g_test_run ();
}
