/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Local features against reference answers computed in float64 elsewhere, and their properties. The references lie outside
 * the sources: without them their tests are skipped.
 */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/format/npz.h"
#include "core/local/image-tensors.h"
#include "shared-path.h"
#include "tosst/classify.h"
#include "tosst/context.h"
#include "tosst/local.h"
#include "tosst/tensor.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLayout, tosst_layout_free)

static TosstNpz *
open_oracle (const char *name)
{
  g_autofree char *relative = g_build_filename ("oracles", "voc", name, NULL), *path = shared_path (relative);
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  TosstNpz *npz = tosst_npz_read (file, NULL, &error);
  g_assert_no_error (error);
  return npz;
}

static const TosstNpy *
array (TosstNpz *npz, const char *format, const char *name)
{
  g_autofree char *member = g_strdup_printf (format, name);
  const TosstNpy *found = tosst_npz_array (npz, member);

  if (found == NULL)
    g_error ("the oracle has no %s", member);
  return found;
}

static double
number (const TosstNpy *npy, gsize i)
{
  return npy->type == TOSST_NPY_FLOAT32 ? ((const float *)npy->data)[i] : ((const double *)npy->data)[i];
}

static float *
floats (const TosstNpy *npy)
{
  float *copy = g_new (float, npy->count);

  for (gsize i = 0; i < npy->count; i++)
    copy[i] = (float)number (npy, i);
  return copy;
}

static const char *const images[] = { "colour", "flat", "tiny" };

static void
check_sift (TosstNpz *npz, const char *name)
{
  const TosstNpy *grey = array (npz, "%s_grey", name), *expected = array (npz, "%s_desc", name);
  const TosstNpy *xy = array (npz, "%s_xy", name), *mass = array (npz, "%s_mass", name);
  const TosstNpy *scale = array (npz, "%s_scale", name);
  int height = (int)grey->shape[0], width = (int)grey->shape[1];
  g_autofree float *plane = floats (grey);
  TosstSiftOptions options;
  double worst = 0, worst_mass = 0;

  tosst_sift_options_default (&options);
  gsize n = tosst_sift_count (&options, width, height);
  g_assert_cmpuint (n, ==, expected->shape[0]);
  g_autofree float *ours = g_new (float, n *TOSST_SIFT_LENGTH), *our_mass = g_new (float, n);
  g_autofree double *our_xy = g_new (double, 2 * n);
  g_autofree int *our_scale = g_new (int, n);
  g_assert_cmpint (tosst_sift (&options, plane, width, height, ours, our_xy, our_mass, our_scale), ==, TOSST_OK);
  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpfloat (our_xy[2 * i], ==, number (xy, 2 * i));
      g_assert_cmpfloat (our_xy[2 * i + 1], ==, number (xy, 2 * i + 1));
      g_assert_cmpint (our_scale[i], ==, (int)number (scale, i));
      worst_mass = fmax (worst_mass, fabs (our_mass[i] - number (mass, i)));
      for (gsize j = 0; number (mass, i) >= 1e-4 && j < TOSST_SIFT_LENGTH; j++)
        worst = fmax (worst, fabs (ours[i * TOSST_SIFT_LENGTH + j] - number (expected, i * TOSST_SIFT_LENGTH + j)));
    }
  g_test_message ("%s: %zu descriptors, largest difference %.2g, of the mass %.2g", name, n, worst, worst_mass);
  g_assert_cmpfloat (worst, <=, 2e-5);
  g_assert_cmpfloat (worst_mass, <=, 1e-6);
}

static void
test_sift_oracle (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("sift.npz");

  for (gsize i = 0; npz && i < G_N_ELEMENTS (images); i++)
    check_sift (npz, images[i]);
}

/* Adds the given descriptors of mass >= 1e-4. */
static TosstStatus
add_described (TosstNpz *npz, const char *name, TosstScatter *scatter)
{
  const TosstNpy *mass = array (npz, "%s_mass", name);
  g_autofree float *x = floats (array (npz, "%s_desc", name));
  gsize kept = 0;

  for (gsize i = 0; i < mass->count; i++)
    if (number (mass, i) >= 1e-4)
      memmove (x + kept++ * TOSST_SIFT_LENGTH, x + i * TOSST_SIFT_LENGTH, TOSST_SIFT_LENGTH * sizeof *x);
  return tosst_scatter_add (scatter, x, kept);
}

/* || U U' - V V' ||_F of the first q columns. */
static double
subspace_distance (const TosstPca *a, const TosstNpy *b, int q)
{
  double sum = 0;

  for (int i = 0; i < a->D; i++)
    for (int j = 0; j < a->D; j++)
      {
        double difference = 0;
        for (int k = 0; k < q; k++)
          difference += a->basis[i * a->q + k] * a->basis[j * a->q + k]
                        - number (b, (gsize)(i * 90 + k)) * number (b, (gsize)(j * 90 + k));
        sum += difference * difference;
      }
  return sqrt (sum);
}

static void
test_pca_oracle (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("pca.npz"), sift = npz ? open_oracle ("sift.npz") : NULL;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstPca) pca = NULL;
  TosstScatter scatter;

  if (sift == NULL)
    return;
  const TosstNpy *values = array (npz, "%s", "values"), *mean = array (npz, "%s", "mean"),
                 *basis = array (npz, "%s", "basis90");
  g_assert_true (tosst_scatter_init (&scatter, 128));
  g_assert_cmpint (add_described (sift, "colour", &scatter), ==, TOSST_OK);
  g_assert_cmpint (add_described (sift, "flat", &scatter), ==, TOSST_OK);
  g_assert_cmpfloat (scatter.n, ==, number (array (npz, "%s", "n"), 0));
  g_assert_cmpint (tosst_pca_compute (context, &scatter, 90, TRUE, FALSE, &pca), ==, TOSST_OK);
  tosst_scatter_clear (&scatter);
  for (gsize i = 0; i < 128; i++)
    {
      g_assert_cmpfloat (fabs (pca->values[i] - number (values, i)), <=, 1e-9);
      g_assert_cmpfloat (fabs (pca->mean[i] - number (mean, i)), <=, 1e-8);
    }
  /* The given descriptors are rounded to float32, the covariance thus differs by some 1e-11. */
  for (int q = 1; q < 90; q++)
    {
      double gap = number (values, (gsize)q - 1) - number (values, (gsize)q);
      if (gap > 1e-6)
        g_assert_cmpfloat (subspace_distance (pca, basis, q), <=, fmax (1e-6, 1e-11 / gap));
    }
  for (gsize i = 0; i < 8; i++) /* the sign rule, for components that are well separated */
    g_assert_cmpfloat (fabs (pca->basis[i] - number (basis, i)), <=, 1e-4);

  const TosstNpy *tiny = array (sift, "%s", "tiny_desc"), *projected = array (npz, "%s", "projected_tiny90");
  g_autofree float *x = floats (tiny), *v = g_new (float, tiny->shape[0] * 90);
  g_autofree double *xy = g_new0 (double, 2 * tiny->shape[0]);
  TosstLocalEncoding encoding = { .D = 128, .q = 90, .mean = mean->data, .basis = basis->data, .order = 3 };
  double worst = 0;
  g_assert_cmpint (tosst_local_vectors (&encoding, x, xy, tiny->shape[0], v), ==, TOSST_OK);
  for (gsize i = 0; i < projected->count; i++)
    worst = fmax (worst, fabs (v[i] - number (projected, i)));
  g_test_message ("projection: largest difference %.2g", worst);
  g_assert_cmpfloat (worst, <=, 2e-6);
}

static void
test_spatial_oracle (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("spm.npz");

  if (npz == NULL)
    return;
  const TosstNpy *x = array (npz, "%s", "x"), *y = array (npz, "%s", "y"), *codes = array (npz, "%s", "codes");
  double width = number (array (npz, "%s", "width"), 0), height = number (array (npz, "%s", "height"), 0);
  for (gsize i = 0; i < x->count; i++)
    {
      float code[TOSST_SPATIAL_LENGTH];
      tosst_spatial_code ((number (x, i) + 0.5) / width, (number (y, i) + 0.5) / height, 1, code);
      for (gsize j = 0; j < TOSST_SPATIAL_LENGTH; j++)
        g_assert_cmpfloat (code[j], ==, number (codes, TOSST_SPATIAL_LENGTH * i + j));
    }
}

static void
compare_packed (const char *what, const TosstNpy *expected, const TosstNpy *selected, const float *ours,
                double tolerance)
{
  double worst = 0;

  for (gsize i = 0; i < expected->count; i++)
    worst = fmax (worst, fabs (ours[selected ? (gsize)number (selected, i) : i] - number (expected, i)));
  g_test_message ("%s: largest difference %.2g of %.2g", what, worst, tolerance);
  g_assert_cmpfloat (worst, <=, tolerance);
}

static void
check_probes (const char *what, const TosstNpy *probes, const float *ours, gsize m, double scale)
{
  for (gsize r = 0; r < probes->count; r++)
    {
      double sum = 0;
      for (gsize t = 0; t < m; t++)
        sum += ours[t] * cos (((double)r + 1) * (0.7 + 0.001 * (double)r) * ((double)t + 1));
      g_test_message ("%s: probe %zu differs by %.2g", what, r, fabs (sum - number (probes, r)));
      g_assert_cmpfloat (fabs (sum - number (probes, r)), <=, scale);
    }
}

static void
check_epn (TosstNpz *npz, const char *tag, const char *suffix, double gamma_eigen, double gamma_coefficient,
           const TosstLayout *layout, const float *raw, const TosstNpy *selected)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autofree char *name = g_strdup_printf ("%s_%s", tag, suffix), *largest = g_strconcat (name, "_max", NULL);
  g_autofree char *rounding = g_strconcat (name, "_rounding", NULL),
                  *frobenius = g_strconcat (name, "_frobenius", NULL);
  g_autofree char *probes = g_strconcat (name, "_probes", NULL);
  g_autofree float *ours = g_memdup2 (raw, layout->m * sizeof *raw);
  double top = number (array (npz, "%s", largest), 0),
         limit = (100 * number (array (npz, "%s", rounding), 0) + 5e-5) * top;

  g_assert_cmpint (tosst_whiten (context, layout, ours, 1, gamma_eigen, gamma_coefficient), ==, TOSST_OK);
  compare_packed (name, array (npz, "%s", name), selected, ours, limit);
  if (selected)
    check_probes (name, array (npz, "%s", probes), ours, layout->m, limit * sqrt ((double)layout->m));
  double norm = tosst_tensor_normalise (layout, ours), expected = number (array (npz, "%s", frobenius), 0);
  g_assert_cmpfloat (fabs (norm - expected), <=, 1e-4 * expected);
}

static void
check_tensor (TosstNpz *npz, const char *tag, int d)
{
  const TosstNpy *vectors = array (npz, "%s_V", tag);
  g_autofree char *raw_name = g_strconcat (tag, "_raw", NULL), *max_name = g_strconcat (tag, "_raw_max", NULL);
  g_autofree char *selected_name = g_strconcat (tag, "_sel", NULL);
  const TosstNpy *selected = tosst_npz_array (npz, selected_name);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *v = floats (vectors), *tensor = g_new (float, layout->m);
  gsize n = vectors->shape[0];
  g_autofree double *xy = g_new0 (double, 2 * n);
  TosstLocalEncoding encoding = { .D = d, .q = d, .order = 3 };
  double largest = number (array (npz, "%s", max_name), 0);

  g_assert_cmpint (tosst_local_tensor (&encoding, v, xy, n, NULL, tensor, NULL), ==, TOSST_OK);
  compare_packed (raw_name, array (npz, "%s", raw_name), selected, tensor, 2e-6 * largest);
  check_epn (npz, tag, "epn05", 0.5, 1, layout, tensor, selected);
  check_epn (npz, tag, "epn03", 0.3, 1, layout, tensor, selected);
  check_epn (npz, tag, "epn05c07", 0.5, 0.7, layout, tensor, selected);
}

static void
test_tensor_oracle (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("tensor.npz");

  if (npz != NULL)
    {
      check_tensor (npz, "d20", 20);
      check_tensor (npz, "d101", 101);
    }
}

/* From the image to the tensor: 9 components with the given mean and basis, spatial weight 1. */
static void
check_chain (TosstNpz *chain, TosstNpz *sift, TosstNpz *pca, const char *name)
{
  const TosstNpy *grey = array (sift, "%s_grey", name), *kept = array (chain, "%s_kept", name);
  const TosstNpy *raw = array (chain, "%s_raw", name), *epn = array (chain, "%s_epn05", name);
  const TosstNpy *mean = array (pca, "%s", "mean"), *basis = array (pca, "%s", "basis90");
  int height = (int)grey->shape[0], width = (int)grey->shape[1];
  g_autofree float *plane = floats (grey), *tensor = NULL;
  g_autofree double *columns = g_new (double, 128 * 9);
  g_autoptr (TosstLayout) layout = tosst_layout_new (20);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  double largest = 0, largest_epn = 0;
  TosstSiftOptions options;
  gsize count = 0;

  tosst_sift_options_default (&options);
  gsize n = tosst_sift_count (&options, width, height);
  g_autofree float *x = g_new (float, n *TOSST_SIFT_LENGTH), *mass = g_new (float, n);
  g_autofree double *xy = g_new (double, 2 * n);
  g_assert_cmpint (tosst_sift (&options, plane, width, height, x, xy, mass, NULL), ==, TOSST_OK);
  for (gsize i = 0; i < n; i++)
    if (mass[i] >= 1e-4f)
      {
        if (count < i)
          memcpy (x + count * TOSST_SIFT_LENGTH, x + i * TOSST_SIFT_LENGTH, TOSST_SIFT_LENGTH * sizeof *x);
        xy[2 * count] = (xy[2 * i] + 0.5) / width;
        xy[2 * count + 1] = (xy[2 * i + 1] + 0.5) / height;
        count++;
      }
  g_assert_cmpuint (count, ==, (gsize)number (kept, 0));
  for (gsize i = 0; i < 128; i++)
    for (gsize j = 0; j < 9; j++)
      columns[9 * i + j] = number (basis, 90 * i + j);
  TosstLocalEncoding encoding = { .D = 128, .q = 9, .mean = mean->data, .basis = columns, .weight = 1, .order = 3 };
  tensor = g_new (float, layout->m);
  g_assert_cmpint (tosst_local_tensor (&encoding, x, xy, count, NULL, tensor, NULL), ==, TOSST_OK);
  for (gsize i = 0; i < raw->count; i++)
    {
      largest = fmax (largest, fabs (number (raw, i)));
      largest_epn = fmax (largest_epn, fabs (number (epn, i)));
    }
  compare_packed (name, raw, NULL, tensor, 1e-5 * largest);
  g_assert_cmpint (tosst_whiten (context, layout, tensor, 1, 0.5, 1), ==, TOSST_OK);
  compare_packed (name, epn, NULL, tensor, 1e-3 * largest_epn);
}

static void
test_chain_oracle (void)
{
  g_autoptr (TosstNpz) chain = open_oracle ("chain.npz"), sift = chain ? open_oracle ("sift.npz") : NULL;
  g_autoptr (TosstNpz) pca = sift ? open_oracle ("pca.npz") : NULL;

  for (gsize i = 0; pca && i < G_N_ELEMENTS (images); i++)
    check_chain (chain, sift, pca, images[i]);
}

static TosstFeatures *
read_oracle_image (guint image, gpointer data, GError **error)
{
  g_autofree char *relative = g_strdup_printf ("oracles/voc/%s.png", images[image]), *path = shared_path (relative);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return tosst_local_features_of_file (data, file, "", error);
}

/* The same from PNG files as a run and a prediction do it: tensors have the norm 1, before whitening and after it. */
static void
check_described (TosstRecipe *recipe, const TosstPca *pca, TosstNpz *chain, const char *answer, double tolerance)
{
  const TosstLocalPart parts[] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };
  g_autoptr (TosstLayout) layout = tosst_layout_new (20);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree float *tensors = g_new (float, 3 * layout->m);
  g_autoptr (GError) error = NULL;

  tosst_local_describe (recipe, pca, context, parts, 3, read_oracle_image, recipe, tensors, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    {
      g_autofree float *expected = floats (array (chain, answer, images[i]));
      double largest = 0, worst = 0;

      tosst_tensor_normalise (layout, expected);
      for (gsize j = 0; j < layout->m; j++)
        {
          largest = fmax (largest, fabs (expected[j]));
          worst = fmax (worst, fabs (expected[j] - tensors[i * layout->m + j]));
        }
      g_test_message ("%s: largest difference %.2g of %.2g", images[i], worst, largest);
      g_assert_cmpfloat (worst, <=, tolerance * largest);
    }
}

static void
test_described_oracle (void)
{
  static const char *const settings[][2] = { { "descriptor.kind", "sift" },
                                             { "descriptor.pca", "9" },
                                             { "descriptor.spatial-weight", "1" },
                                             { "descriptor.gamma-eigen", "1" } };
  g_autoptr (TosstNpz) chain = open_oracle ("chain.npz"), oracle = chain ? open_oracle ("pca.npz") : NULL;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstPca) pca = tosst_pca_new (128, 9);

  if (!oracle)
    return;
  const TosstNpy *mean = array (oracle, "%s", "mean"), *basis = array (oracle, "%s", "basis90");
  for (gsize i = 0; i < 128; i++)
    for (gsize j = 0; j < 9; j++)
      {
        pca->mean[i] = number (mean, i);
        pca->basis[9 * i + j] = number (basis, 90 * i + j);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_assert_true (tosst_recipe_set (recipe, settings[i][0], settings[i][1], NULL));
  check_described (recipe, pca, chain, "%s_raw", 1e-5);
  g_assert_true (tosst_recipe_set (recipe, "descriptor.gamma-eigen", "0.5", NULL));
  check_described (recipe, pca, chain, "%s_epn05", 1e-3);
}

static double
score_of (JsonNode *node)
{
  const char *text = json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;

  return text ? (text[0] == '-' ? -INFINITY : INFINITY) : json_node_get_double (node);
}

static void
check_average (JsonObject *object, const char *member, double ours)
{
  JsonNode *node = json_object_get_member (object, member);

  if (JSON_NODE_HOLDS_NULL (node))
    g_assert_true (isnan (ours));
  else
    g_assert_cmpfloat (fabs (json_node_get_double (node) - ours), <=, 1e-12);
}

static void
test_average_precision_oracle (void)
{
  g_autofree char *path = shared_path ("oracles/voc/ap.json");
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return;
  g_assert_true (json_parser_load_from_file (parser, path, &error));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *object = json_array_get_object_element (cases, i);
      JsonArray *scores = json_object_get_array_member (object, "scores");
      JsonArray *labels = json_object_get_array_member (object, "labels");
      guint n = json_array_get_length (scores);
      g_autofree double *score = g_new (double, n + 1);
      g_autofree int *label = g_new (int, n + 1);
      TosstAveragePrecision result;

      g_test_message ("%s", json_object_get_string_member (object, "name"));
      for (guint s = 0; s < n; s++)
        {
          score[s] = score_of (json_array_get_element (scores, s));
          label[s] = (int)json_array_get_int_element (labels, s);
        }
      g_assert_cmpint (tosst_average_precision (score, label, n, &result, NULL), ==, TOSST_OK);
      check_average (object, "ap11", result.ap11);
      check_average (object, "ap_area", result.area);
      check_average (object, "ap", result.mean);
    }
}

/* The objective of w (p + 1) with the samples in float64. */
static double
objective_of (const double *w, const TosstNpy *x, const TosstNpy *labels, gsize class, double c)
{
  gsize n = x->shape[0], p = x->shape[1];
  double value = 0;

  for (gsize j = 0; j <= p; j++)
    value += 0.5 * w[j] * w[j];
  for (gsize i = 0; i < n; i++)
    {
      double t = number (labels, class * n + i), margin = w[p];
      for (gsize j = 0; j < p; j++)
        margin += w[j] * number (x, i * p + j);
      value += t == 0 ? 0 : c * pow (fmax (0, 1 - t * margin), 2);
    }
  return value;
}

/* Problems of a class leave samples of target 0 out. */
static void
test_svm_oracle (void)
{
  g_autoptr (TosstNpz) npz = open_oracle ("svm.npz");
  g_autoptr (TosstContext) context = tosst_context_new (2);

  if (npz == NULL)
    return;
  const TosstNpy *x = array (npz, "%s", "X"), *labels = array (npz, "%s", "labels"), *test = array (npz, "%s", "Xtest");
  g_autofree float *rows = floats (x), *test_rows = floats (test);
  gsize n = x->shape[0], p = x->shape[1], classes = labels->shape[0];
  g_autofree signed char *targets = g_new (signed char, labels->count);

  for (gsize i = 0; i < labels->count; i++)
    targets[i] = (signed char)number (labels, i);
  for (int c = 1; c <= 100; c *= 100)
    {
      g_autofree char *tag = g_strdup_printf ("C%d", c);
      const TosstNpy *w = array (npz, "w_%s", tag), *objective = array (npz, "objective_%s", tag);
      const TosstNpy *margins = array (npz, "margins_%s", tag);
      g_autofree double *margin = g_new (double, test->shape[0] * classes);
      TosstSvmOptions options;
      TosstSvm *svm = NULL;

      tosst_svm_options_default (&options);
      options.c = c;
      options.tolerance = 1e-9;
      g_assert_cmpint (
          tosst_svm_train_targets (context, rows, n, (int)p, targets, (int)classes, &options, NULL, NULL, &svm), ==,
          TOSST_OK);
      for (gsize k = 0; k < classes; k++)
        {
          double value = objective_of (svm->w + k * (p + 1), x, labels, k, c);
          g_assert_cmpfloat (fabs (value - number (objective, k)), <=, 1e-8 * number (objective, k));
        }
      for (gsize i = 0; i < w->count; i++)
        g_assert_cmpfloat (fabs (svm->w[i] - number (w, i)), <=, 1e-5);
      tosst_svm_margins (svm, test_rows, test->shape[0], margin);
      g_assert_cmpuint (margins->shape[0], ==, test->shape[0]);
      for (gsize i = 0; i < margins->count; i++)
        g_assert_cmpfloat (fabs (margin[i] - number (margins, i)), <=, 1e-5);
      tosst_svm_free (svm);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/local/sift/oracle", test_sift_oracle);
  g_test_add_func ("/local/pca/oracle", test_pca_oracle);
  g_test_add_func ("/local/spatial/oracle", test_spatial_oracle);
  g_test_add_func ("/local/tensor/oracle", test_tensor_oracle);
  g_test_add_func ("/local/chain/oracle", test_chain_oracle);
  g_test_add_func ("/local/chain/described", test_described_oracle);
  g_test_add_func ("/local/average-precision/oracle", test_average_precision_oracle);
  g_test_add_func ("/local/svm/oracle", test_svm_oracle);
  return g_test_run ();
}
