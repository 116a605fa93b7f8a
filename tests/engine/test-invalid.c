/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program may get wrong: shapes that do not exist or do not match, numbers out of range, data that are not finite. Each is
 * refused with one sentence.
 */
#include <math.h>

#include "objects.h"
#include "tosst/tosst.h"

enum
{
  SIDE = 4,
  N = 12,
  ATOMS = 3
};

typedef struct
{
  TosstContext *context;
  TosstLayout *layout, *other; /* of another side */
  float *tensors;
  TosstDictionary *dictionary;
  TosstLearnOptions learning;
  TosstCodingOptions coding;
} Data;

static void
set_up (Data *self, gconstpointer unused)
{
  self->context = tosst_context_new (1);
  self->layout = tosst_layout_new (SIDE);
  self->other = tosst_layout_new (SIDE + 1);
  self->tensors = g_new (float, N * self->other->m);
  for (gsize i = 0; i < N * self->other->m; i++)
    self->tensors[i] = (float)(1 + sin (i));
  tosst_learn_options_default (&self->learning);
  self->learning.atoms = ATOMS;
  self->learning.iterations = 1;
  tosst_learn_coding_options (&self->learning, &self->coding);
  assert_ok (tosst_learn (self->context, self->layout, self->tensors, N, &self->learning, NULL, NULL, NULL,
                          &self->dictionary));
}

static void
tear_down (Data *self, gconstpointer unused)
{
  tosst_dictionary_free (self->dictionary);
  g_free (self->tensors);
  tosst_layout_free (self->other);
  tosst_layout_free (self->layout);
  tosst_context_free (self->context);
}

static void
assert_refused (const Data *self, TosstStatus status, TosstStatus expected, const char *part)
{
  g_assert_cmpint (status, ==, expected);
  g_assert_nonnull (strstr (tosst_context_message (self->context), part));
}

static void
test_shapes (void)
{
  static const TosstShape wrong[] = {
    { TOSST_SHAPE_SUPER_SYMMETRIC, 5, 4, 3 },
    { TOSST_SHAPE_SUPER_SYMMETRIC, 5, 5, 50 },
    { TOSST_SHAPE_SUPER_SYMMETRIC, 0, 0, 0 },
    { TOSST_SHAPE_SUPER_SYMMETRIC, -1, -1, -1 },
    { TOSST_SHAPE_SUPER_SYMMETRIC, 2344, 2344, 2344 },
    { TOSST_SHAPE_SUPER_SYMMETRIC, G_MAXINT, G_MAXINT, G_MAXINT },
    { TOSST_SHAPE_WHOLE, 5, 4, 3 },
    { TOSST_SHAPE_WHOLE, 3000, 3000, 3000 },
    { TOSST_SHAPE_SYMMETRIC, 5, 0, 0 },
    { TOSST_SHAPE_SYMMETRIC, 70000, 70000, 70000 },
    { TOSST_SHAPE_GENERAL, 0, 5, 5 },
    { TOSST_SHAPE_GENERAL, 5, -5, -5 },
    { TOSST_SHAPE_GENERAL, 46341, 46341, 1 },
    { TOSST_SHAPE_GENERAL, 1 << 22, 1 << 21, 1 << 21 }, /* 2^64 numbers */
    { (TosstShapeKind)9, 5, 5, 5 },
    { (TosstShapeKind)-1, 5, 5, 5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_nonnull (tosst_shape_check (wrong[i]));
      g_assert_null (tosst_layout_new_shape (wrong[i]));
      g_assert_null (tosst_dictionary_new_shape (wrong[i], 1));
    }
  for (int kind = TOSST_SHAPE_SUPER_SYMMETRIC; kind <= TOSST_SHAPE_GENERAL; kind++)
    g_assert_null (tosst_shape_check (tosst_shape ((TosstShapeKind)kind, 1)));
  g_assert_null (tosst_shape_check (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 2343)));
  g_assert_null (tosst_dictionary_new (SIDE, 0));
  g_assert_null (tosst_dictionary_new (SIDE, -1));
}

/* Sizes of no side, beyond all sides. */
static void
test_packed_side (void)
{
  g_assert_cmpint (tosst_packed_side (tosst_packed_size (2642244)), ==, 2642244);
  g_assert_cmpint (tosst_packed_side (SIZE_MAX), ==, 0);
  g_assert_cmpint (tosst_packed_side (SIZE_MAX / 6 + 1), ==, 0);
}

static void
test_learning (Data *self, gconstpointer unused)
{
  static const struct
  {
    int atoms, rank;
    TosstScheme scheme;
    TosstSolver solver;
    TosstInit init;
    const char *part;
  } cases[] = {
    { 0, 0, TOSST_SCHEME_PSD, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "number of atoms" },
    { -1, 0, TOSST_SCHEME_PSD, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "number of atoms" },
    { G_MAXINT, 0, TOSST_SCHEME_PSD, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "fewer slices" },
    { ATOMS, 0, (TosstScheme)9, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "scheme" },
    { ATOMS, 0, (TosstScheme)-1, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "scheme" },
    { ATOMS, 0, TOSST_SCHEME_PSD, (TosstSolver)9, TOSST_INIT_SLICES, "solver" },
    { ATOMS, 0, TOSST_SCHEME_PSD, TOSST_SOLVER_EXACT, (TosstInit)9, "initial atoms" },
    { ATOMS, SIDE + 1, TOSST_SCHEME_LOW_RANK, TOSST_SOLVER_EXACT, TOSST_INIT_SLICES, "rank" },
  };
  TosstLearnRun run = { .initial = self->dictionary };
  TosstDictionary *found = NULL;
  TosstStepper *stepper = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TosstLearnOptions options = self->learning;

      options.atoms = cases[i].atoms;
      options.rank = cases[i].rank;
      options.scheme = cases[i].scheme;
      options.solver = cases[i].solver;
      options.init = cases[i].init;
      assert_refused (self,
                      tosst_learn (self->context, self->layout, self->tensors, N, &options, NULL, NULL, NULL, &found),
                      TOSST_ERROR_ARGUMENT, cases[i].part);
      g_assert_null (found);
    }
  assert_refused (self,
                  tosst_learn (self->context, self->other, self->tensors, N, &self->learning, &run, NULL, NULL, &found),
                  TOSST_ERROR_ARGUMENT, "another shape");
  assert_refused (self,
                  tosst_stepper_new (self->context, self->other, self->tensors, N, &self->learning, &run, 0, &stepper),
                  TOSST_ERROR_ARGUMENT, "another shape");
  self->tensors[5] = NAN;
  assert_refused (
      self, tosst_learn (self->context, self->layout, self->tensors, N, &self->learning, NULL, NULL, NULL, &found),
      TOSST_ERROR_NUMERIC, "NaN");
}

/* Both ways to code refuse the same dictionary. */
static void
assert_not_coded (const Data *self, const TosstLayout *layout, TosstStatus expected, const char *part)
{
  TosstCoder *coder = (TosstCoder *)self;
  TosstRecoding *recoding = (TosstRecoding *)self;

  assert_refused (self, tosst_coder_new (self->context, self->dictionary, layout, &self->coding, &coder), expected,
                  part);
  assert_refused (
      self, tosst_recoding_new (self->context, self->dictionary, layout, &self->coding, self->tensors, N, &recoding),
      expected, part);
  g_assert_null (coder);
  g_assert_null (recoding);
}

static void
test_coding (Data *self, gconstpointer unused)
{
  static const double wrong[] = { 0, -1, NAN, INFINITY, 1e31 };
  TosstDictionary *dictionary = self->dictionary;
  double scale = dictionary->scale, v = dictionary->V[1];

  assert_not_coded (self, self->other, TOSST_ERROR_ARGUMENT, "the tensors have d = 5");
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      dictionary->scale = wrong[i];
      assert_not_coded (self, self->layout, TOSST_ERROR_ARGUMENT, "scale");
    }
  dictionary->scale = scale;
  dictionary->V[1] = NAN;
  assert_not_coded (self, self->layout, TOSST_ERROR_NUMERIC, "dictionary holds NaN");
  dictionary->V[1] = v;
  dictionary->b[1] = INFINITY;
  assert_not_coded (self, self->layout, TOSST_ERROR_NUMERIC, "dictionary holds NaN");
  dictionary->K = 0;
  assert_not_coded (self, self->layout, TOSST_ERROR_ARGUMENT, "no atoms");
}

static void
test_others (Data *self, gconstpointer unused)
{
  float values[4 * 4 * 3] = { 0 }, out[1000];
  TosstImage image = { .width = 4, .height = 4, .channels = 2, .data = values };
  TosstFeatureOptions features;
  TosstPoint corner = { 0, 0 }, outside = { 3, 0 };
  TosstLinear *linear = NULL;

  tosst_feature_options_default (&features);
  features.kind = TOSST_FEATURES_LINEAR;
  assert_refused (self, tosst_describe (self->context, &image, &features, 2, &corner, 1, out), TOSST_ERROR_ARGUMENT,
                  "channels");
  image.channels = 3;
  assert_refused (self, tosst_describe (self->context, &image, &features, 2, &outside, 1, out), TOSST_ERROR_ARGUMENT,
                  "does not fit");
  assert_ok (tosst_describe (self->context, &image, &features, 2, &corner, 1, out));
  assert_refused (self, tosst_linear_random (self->context, 5, 0, 1, 1000, &linear), TOSST_ERROR_ARGUMENT, "to 0");
  assert_refused (self, tosst_linear_random (self->context, 0, 5, 1, 1000, &linear), TOSST_ERROR_ARGUMENT, "of 0");
  g_assert_null (linear);
  assert_refused (self, tosst_whiten (self->context, self->layout, self->tensors, N, NAN, 1), TOSST_ERROR_ARGUMENT,
                  "exponents");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/invalid/shapes", test_shapes);
  g_test_add_func ("/invalid/packed-side", test_packed_side);
  g_test_add ("/invalid/learning", Data, NULL, set_up, test_learning, tear_down);
  g_test_add ("/invalid/coding", Data, NULL, set_up, test_coding, tear_down);
  g_test_add ("/invalid/others", Data, NULL, set_up, test_others, tear_down);
  return g_test_run ();
}
