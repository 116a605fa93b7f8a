/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine against reference answers computed in float64 elsewhere. They lie outside the sources: without them these
 * tests are skipped.
 */
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "core/format/npz.h"
#include "core/image/probe.h"
#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/dictionary.h"
#include "tosst/pool.h"
#include "tosst/tensor.h"

#include <zip.h>

static const char *
shared (void)
{
  const char *named = g_getenv ("TOSST_SHARED");

  return named != NULL ? named : TOSST_SHARED_DEFAULT;
}

/* NULL, and the test skipped, if the file is missing. */
static GFile *
shared_file (const char *name)
{
  g_autofree char *path = g_build_filename (shared (), name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *message = g_strdup_printf ("%s is not there", name);
      g_test_skip (message);
      return NULL;
    }
  return g_file_new_for_path (path);
}

static TosstNpz *
open_oracle (const char *name)
{
  g_autofree char *relative = g_build_filename ("oracles", name, NULL);
  g_autoptr (GFile) file = shared_file (relative);
  g_autoptr (GError) error = NULL;

  if (file == NULL)
    return NULL;
  TosstNpz *npz = tosst_npz_read (file, NULL, &error);
  g_assert_no_error (error);
  return npz;
}

static const double *
numbers (TosstNpz *npz, const char *name)
{
  const TosstNpy *array = tosst_npz_array (npz, name);

  if (array == NULL)
    g_error ("the oracle has no %s", name);
  g_assert_cmpint (array->type, ==, TOSST_NPY_FLOAT64);
  return array->data;
}

/* Largest difference, relative to the largest reference entry. */
static double
difference (const double *reference, const double *ours, gsize n)
{
  double worst = 0, size = 0;

  for (gsize i = 0; i < n; i++)
    {
      worst = fmax (worst, fabs (reference[i] - ours[i]));
      size = fmax (size, fabs (reference[i]));
    }
  return worst / size;
}

/* One array of a file; its other members contain NaN and are refused by the reader of the program. */
static TosstNpy *
read_member (GFile *file, const char *name)
{
  g_autofree char *member = g_strconcat (name, ".npy", NULL);
  g_autoptr (GError) error = NULL;
  zip_stat_t stat;
  zip_t *zip = zip_open (g_file_peek_path (file), ZIP_RDONLY, NULL);

  g_assert_nonnull (zip);
  g_assert_cmpint (zip_stat (zip, member, 0, &stat), ==, 0);
  g_autofree guint8 *data = g_malloc (stat.size);
  zip_file_t *opened = zip_fopen (zip, member, 0);
  g_assert_cmpint (zip_fread (opened, data, stat.size), ==, (zip_int64_t)stat.size);
  zip_fclose (opened);
  zip_discard (zip);
  TosstNpy *array = tosst_npy_parse (data, stat.size, name, &error);
  g_assert_no_error (error);
  return array;
}

static void
test_rbf_maps (void)
{
  /* Entries of the last map are NaN or infinite in a plain evaluation where all pivots underflow; it is covered by the
   * unit test of the map. */
  static const struct
  {
    const char *name;
    double low, high, sigma;
    int pivots;
  } maps[] = { { "map_0_1_5_0.25", 0, 1, 0.25, 5 },
               { "map_-0.25_0.25_5_0.1", -0.25, 0.25, 0.1, 5 },
               { "map_-0.5_0.5_7_0.15", -0.5, 0.5, 0.15, 7 } };
  g_autoptr (GFile) file = shared_file ("oracles/rbf_maps.npz");

  if (file == NULL)
    return;
  g_autoptr (TosstNpy) u = read_member (file, "u");
  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      g_autoptr (TosstNpy) map = read_member (file, maps[i].name);
      const double *reference = map->data;
      for (gsize j = 0; j < u->count; j++)
        {
          double ours[8];
          tosst_rbf_map (((double *)u->data)[j], maps[i].low, maps[i].high, maps[i].pivots, maps[i].sigma, ours);
          for (int z = 0; z < maps[i].pivots; z++, reference++)
            g_assert_cmpfloat_with_epsilon (ours[z], *reference, 1e-12 * *reference + 1e-18);
        }
    }
}

static void
check_projection (TosstNpz *npz, int which, int d, int rank)
{
  g_autofree char *source = g_strdup_printf ("s%d", which);
  g_autofree char *target = g_strdup_printf ("s%d_rank%d", which, rank);
  g_autofree double *v = g_new (double, d *(d + 1) / 2);
  g_autofree double *matrix = g_new (double, d *d);
  g_autofree double *work = g_new (double, tosst_project_atom_work (d));

  tosst_matrix_to_vec (d, numbers (npz, source), v);
  g_assert_cmpint (tosst_project_atom (TOSST_SCHEME_LOW_RANK, rank, d, v, work), ==, TOSST_OK);
  tosst_vec_to_matrix (d, v, matrix);
  g_assert_cmpfloat (difference (numbers (npz, target), matrix, d * d), <, 1e-12);
}

static void
test_projections (void)
{
  static const struct
  {
    int d;
    int ranks[4];
  } cases[] = { { 2, { 2, 1 } }, { 5, { 5, 1, 2 } }, { 12, { 12, 1, 6 } }, { 30, { 30, 1, 15 } } };
  g_autoptr (TosstNpz) npz = open_oracle ("projections.npz");

  if (npz == NULL)
    return;
  for (int i = 0; i < (int)G_N_ELEMENTS (cases); i++)
    {
      int d = cases[i].d;
      for (int r = 0; cases[i].ranks[r] > 0; r++)
        check_projection (npz, i, d, cases[i].ranks[r]);
      for (int nonnegative = 0; nonnegative <= 1; nonnegative++)
        {
          g_autofree char *source = g_strdup_printf ("v%d", i);
          g_autofree char *target = g_strdup_printf ("v%d_l1%s", i, nonnegative ? "pos" : "");
          g_autofree double *work = g_new (double, d);
          g_autofree double *b = g_memdup2 (numbers (npz, source), sizeof (double) * d);
          tosst_project_l1 (b, d, nonnegative, work);
          g_assert_cmpfloat (difference (numbers (npz, target), b, d), <, 1e-12);
        }
    }
}

static TosstFeatureOptions
variant (TosstFeatureKind kind, gboolean luminance, gboolean opponent)
{
  TosstFeatureOptions options;

  tosst_feature_options_default (&options);
  options.kind = kind;
  options.luminance = luminance;
  options.opponent = opponent;
  return options;
}

static void
check_descriptor (TosstNpz *npz, const char *name, GFile *file, TosstFeatureOptions options, TosstPoint point, int size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, &error);
  TosstContext *context = tosst_context_new (2);
  const TosstNpy *reference = tosst_npz_array (npz, name);
  g_autofree float *tensor = g_new (float, reference->count);

  g_assert_no_error (error);
  g_assert_cmpuint (reference->count, ==, tosst_packed_size (tosst_feature_dimension (&options)));
  g_assert_cmpint (tosst_describe (context, image, &options, size, &point, 1, tensor), ==, TOSST_OK);
  double worst = 0;
  const double *entries = reference->data;
  for (gsize i = 0; i < reference->count; i++)
    worst = fmax (worst, fabs (tensor[i] - entries[i]) / fabs (entries[i]));
  g_test_message ("%s: largest difference of an entry, relative to that entry: %.2g", name, worst);
  /* float32 storage rounds by 6e-8; linear features are summed in float64, rbf ones, which cannot cancel, in
   * float32. */
  g_assert_cmpfloat (worst, <, options.kind == TOSST_FEATURES_LINEAR ? 2e-7 : 5e-6);
  tosst_context_free (context);
}

static void
test_descriptors_grey (void)
{
  static const struct
  {
    const char *name;
    TosstFeatureKind kind;
    gboolean luminance;
  } variants[] = { { "linear-nolum", TOSST_FEATURES_LINEAR, FALSE },
                   { "linear-lum", TOSST_FEATURES_LINEAR, TRUE },
                   { "rbf-nolum", TOSST_FEATURES_RBF, FALSE },
                   { "rbf-lum", TOSST_FEATURES_RBF, TRUE } };
  g_autoptr (TosstNpz) npz = open_oracle ("descriptors_grey.npz");

  if (npz == NULL)
    return;
  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
    for (int i = 0; i < 3; i++)
      {
        g_autofree char *name = g_strdup_printf ("%s_%d", variants[v].name, i);
        g_autofree char *where_name = g_strdup_printf ("%s_where", name);
        const gint64 *where = NULL;
        const TosstNpy *stored = tosst_npz_array (npz, where_name);
        gint64 converted[4];
        if (stored->type == TOSST_NPY_FLOAT64)
          for (int k = 0; k < 4; k++)
            converted[k] = (gint64)((double *)stored->data)[k];
        where = converted;
        g_autofree char *image = g_strdup_printf ("datasets/brodatz/D%d.gif", (int)where[0]);
        g_autoptr (GFile) file = shared_file (image);
        if (file == NULL)
          return;
        check_descriptor (npz, name, file, variant (variants[v].kind, variants[v].luminance, FALSE),
                          (TosstPoint){ (int)where[1], (int)where[2] }, (int)where[3]);
      }
}

static void
check_whitening (TosstNpz *npz, int which, const char *eigen, const char *coefficient)
{
  g_autofree char *plain_name = g_strdup_printf ("rbf-nolum_%d", which);
  g_autofree char *name = g_strdup_printf ("%s_epn_%s_%s", plain_name, eigen, coefficient);
  const double *plain = numbers (npz, plain_name), *reference = numbers (npz, name);
  TosstContext *context = tosst_context_new (1);
  TosstLayout *layout = tosst_layout_new (30);
  g_autofree float *tensor = g_new (float, layout->m);
  g_autofree double *ours = g_new (double, layout->m);

  for (gsize i = 0; i < layout->m; i++)
    tensor[i] = (float)plain[i];
  g_assert_cmpint (
      tosst_whiten (context, layout, tensor, 1, g_ascii_strtod (eigen, NULL), g_ascii_strtod (coefficient, NULL)), ==,
      TOSST_OK);
  for (gsize i = 0; i < layout->m; i++)
    ours[i] = tensor[i];
  g_test_message ("%s: off by %.2g of the largest entry", name, difference (reference, ours, layout->m));
  g_assert_cmpfloat (difference (reference, ours, layout->m), <, 1e-3);
  tosst_layout_free (layout);
  tosst_context_free (context);
}

static void
test_whitening (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("descriptors_grey.npz");

  for (int i = 0; npz != NULL && i < 3; i++)
    {
      check_whitening (npz, i, "0.5", "1.0");
      check_whitening (npz, i, "0.7", "0.8");
    }
}

static void
test_descriptors_colour (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("descriptors_colour.npz");

  for (int i = 0; npz != NULL && i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("rbf-lum-opponent_%d", i);
      g_autofree char *where_name = g_strdup_printf ("%s_where", name);
      g_autofree char *image = g_strdup_printf ("oracles/colour_%d.png", i);
      g_autoptr (GFile) file = shared_file (image);
      const double *where = tosst_npz_array (npz, where_name)->data;
      check_descriptor (npz, name, file, variant (TOSST_FEATURES_RBF, TRUE, TRUE),
                        (TosstPoint){ (int)where[0], (int)where[1] }, (int)where[2]);
    }
}

/* Codes the tensors of one problem in float64 or float32 arithmetic and compares equation (5) with the reference. */
static void
check_coding (TosstNpz *npz, int problem, double lambda, double gamma, const char *kind, gboolean wide)
{
  g_autofree char *prefix = g_strdup_printf ("p%d", problem);
  g_autofree char *tensors_name = g_strconcat (prefix, "_tensors", NULL), *B_name = g_strconcat (prefix, "_B", NULL);
  g_autofree char *b_name = g_strconcat (prefix, "_b", NULL), *gamma_name = g_strdup_printf ("%g", gamma);
  g_autofree char *name = g_strdup_printf ("p%d_lam%g_gam%s_%s_objective", problem, lambda, gamma_name, kind);
  const TosstNpy *tensors = tosst_npz_array (npz, tensors_name), *B = tosst_npz_array (npz, B_name);
  gsize n = tensors->shape[0], m = tensors->shape[1], K = B->shape[0], d = B->shape[1];
  const double *X = tensors->data, *reference = numbers (npz, name);

  TosstContext *context = tosst_context_new (1);
  TosstLayout *layout = tosst_layout_new (d);
  TosstDictionary *dictionary = tosst_dictionary_new (d, K);
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder;
  tosst_dictionary_set (dictionary, B->data, numbers (npz, b_name));
  tosst_coding_options_default (&options);
  options.problem.lambda = lambda;
  options.problem.gamma = gamma;
  options.problem.signed_alpha = g_str_equal (kind, "free");
  options.problem.nonnegative_beta = g_str_equal (kind, "posbeta");
  options.tolerance = 1e-7;
  g_assert_cmpint (tosst_coder_new (context, dictionary, layout, &options, &coder), ==, TOSST_OK);

  g_autofree double *codes = g_new (double, n *K);
  g_autofree double *objective = g_new (double, n);
  if (wide)
    g_assert_cmpint (tosst_code_double (context, coder, X, n, FALSE, codes, &report), ==, TOSST_OK);
  else
    {
      g_autofree float *narrow = g_new (float, n *m), *narrow_codes = g_new (float, n *K);
      for (gsize i = 0; i < n * m; i++)
        narrow[i] = (float)X[i];
      g_assert_cmpint (tosst_code (context, coder, narrow, n, FALSE, narrow_codes, &report), ==, TOSST_OK);
      for (gsize i = 0; i < n * K; i++)
        codes[i] = narrow_codes[i];
    }
  g_assert_cmpint (tosst_code_objective (context, coder, X, n, codes, objective, NULL), ==, TOSST_OK);
  for (gsize i = 0; i < n; i++)
    if (!(fabs (objective[i] - reference[i]) <= 1e-5 * reference[i]))
      g_error ("%s, tensor %d, %s: %.12g, reference %.12g, KKT %.2g", name, (int)i, wide ? "float64" : "float32",
               objective[i], reference[i], report.worst_kkt);
  if (wide)
    {
      g_assert_cmpfloat (report.worst_kkt, <=, 1e-7);
      for (gsize i = 0; i < n; i++)
        {
          g_assert_cmpfloat (objective[i], >=, reference[i] * (1 - 1e-12));
          g_assert_cmpfloat (objective[i], <=, reference[i] * (1 + 1e-9));
        }
    }
  tosst_coder_free (coder);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  tosst_context_free (context);
}

static void
test_coding (gconstpointer wide)
{
  static const double lambdas[] = { 1e-3, 0.1 }, gammas[] = { 0.1, 10, INFINITY };
  g_autoptr (TosstNpz) npz = open_oracle ("coding.npz");

  for (int problem = 0; npz != NULL && problem < 4; problem++)
    for (int l = 0; l < 2; l++)
      for (int g = 0; g < 3; g++)
        {
          check_coding (npz, problem, lambdas[l], gammas[g], "pos", GPOINTER_TO_INT (wide));
          check_coding (npz, problem, lambdas[l], gammas[g], "free", GPOINTER_TO_INT (wide));
          if (isfinite (gammas[g]))
            check_coding (npz, problem, lambdas[l], gammas[g], "posbeta", GPOINTER_TO_INT (wide));
        }
}

/* Second-order pooling: few and many codes, one, signed ones, zeros. */
static void
test_pooling (void)
{
  static const char *const cases[] = { "many", "few", "one", "signed", "zero", "dense", "large" };
  static const double powers[] = { 0.3, 0.5, 1 };
  g_autoptr (TosstNpz) codes = open_oracle ("pooling/codes.npz"),
                       signatures = codes != NULL ? open_oracle ("pooling/signatures.npz") : NULL;

  for (gsize i = 0; signatures != NULL && i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (powers) * 2; i++)
    {
      const TosstNpy *array = tosst_npz_array (codes, cases[i / 6]);
      double power = powers[i / 2 % 3], error = 0, norm = 0;
      g_autofree char *name = g_strdup_printf ("%s-%.1f-%d", cases[i / 6], power, (int)(i % 2));
      const double *reference = numbers (signatures, name);
      gsize length = tosst_pool_pairs ((int)array->shape[1]);
      g_autofree float *out = g_new (float, length);

      g_assert_cmpint (
          tosst_pool_second_order (array->data, (int)array->shape[1], NULL, array->shape[0], 1, power, i % 2 == 1, out),
          ==, TOSST_OK);
      for (gsize k = 0; k < length; k++)
        {
          error += pow (out[k] - reference[k], 2);
          norm += pow (reference[k], 2);
        }
      if (!(error <= pow (2e-7, 2) * norm))
        g_error ("%s: difference %.2g of the norm", name, sqrt (error / norm));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/oracles/rbf-maps", test_rbf_maps);
  g_test_add_func ("/oracles/projections", test_projections);
  g_test_add_func ("/oracles/descriptors-grey", test_descriptors_grey);
  g_test_add_func ("/oracles/whitening", test_whitening);
  g_test_add_func ("/oracles/descriptors-colour", test_descriptors_colour);
  g_test_add_data_func ("/oracles/coding-float64", GINT_TO_POINTER (TRUE), test_coding);
  g_test_add_data_func ("/oracles/coding-float32", GINT_TO_POINTER (FALSE), test_coding);
  g_test_add_func ("/oracles/pooling", test_pooling);
  return g_test_run ();
}
