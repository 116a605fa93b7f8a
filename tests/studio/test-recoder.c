/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "core/dictionary/patch-coder.h"
#include "studio/inspect/code-session.h"
#include "studio/widgets/image-loader.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

/* Recoding without a window: no display is needed here. */

typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset;
  StudioAtomSet *atoms;
} Fixture;

/* Atoms B_k = x x' of pseudo-random vectors with a few entries, of trace 1. */
static TosstDictionary *
dictionary_new (int d, int K)
{
  TosstDictionary *dictionary = tosst_dictionary_new (d, K);
  g_autofree double *B = g_new0 (double, (gsize)K *d *d), *b = g_new0 (double, (gsize)K *d);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (int k = 0; k < K; k++)
    {
      g_autofree double *x = g_new0 (double, d);
      double norm = 0, sum = 0;

      for (int i = 0; i < d; i++)
        {
          x[i] = pow (g_rand_double (random), 3);
          norm += x[i] * x[i];
          b[(gsize)k * d + i] = g_rand_double (random);
          sum += b[(gsize)k * d + i];
        }
      for (int i = 0; i < d; i++)
        {
          b[(gsize)k * d + i] /= sum;
          for (int j = 0; j < d; j++)
            B[((gsize)k * d + i) * d + j] = x[i] * x[j] / norm;
        }
    }
  dictionary->scale = 0.2;
  tosst_dictionary_set (dictionary, B, b);
  return dictionary;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  int K = data != NULL ? GPOINTER_TO_INT (data) : 40;
  g_autoptr (GError) error = NULL;

  self->recipe = tosst_recipe_new_samples ();
  self->recipe->descriptor.pivots = K > 1000 ? 5 : 2;
  self->dataset = tosst_dataset_open (self->recipe, NULL, &error);
  g_assert_no_error (error);
  self->atoms = studio_atom_set_new (dictionary_new (tosst_recipe_dimension (self->recipe), K), self->recipe, NULL,
                                     NULL, 2, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  studio_atom_set_unref (self->atoms);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
}

static StudioCodeQuestion
question_of (Fixture *self)
{
  return (StudioCodeQuestion){ .atoms = self->atoms,
                               .recipe = self->recipe,
                               .dataset = self->dataset,
                               .point = { 8, 16 },
                               .lambda = 1e-3,
                               .gamma = 1,
                               .n_atoms = self->atoms->dictionary->K,
                               .tied = TRUE };
}

static void
assert_fine (const StudioCode *code)
{
  g_assert_nonnull (code);
  g_assert_cmpstr (code->problem, ==, NULL);
  g_assert_cmpfloat (code->state.kkt, <, 1e-4);
}

static double
norm_of (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i] * values[i];
  return sqrt (sum);
}

/* A part of an image equals the whole to the bit, also at its borders. */
static void
test_cut (void)
{
  static const int maxima[] = { 255, 65535, 0 };
  static const TosstPoint points[] = { { 0, 0 }, { 81, 53 }, { 40, 17 }, { 1, 52 } };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  TosstContext *context = tosst_context_new (1);

  recipe->descriptor.patch = 16;
  recipe->descriptor.opponent = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (maxima); i++)
    {
      gsize m = tosst_shape_numbers (tosst_recipe_shape (recipe));
      g_autofree float *whole = g_new (float, m), *part = g_new (float, m);
      TosstImage *image = tosst_image_new (97, 69, 3);

      image->maximum = maxima[i];
      for (gsize j = 0; j < 97 * 69 * 3; j++)
        image->data[j]
            = maxima[i] > 0 ? (float)(j * 7919 % (maxima[i] + 1)) / (float)maxima[i] : (float)(j * 7919 % 1009) / 1009;
      for (gsize j = 0; j < G_N_ELEMENTS (points); j++)
        {
          TosstPoint place = points[j];
          TosstImage *cut = studio_image_cut (image, 16, &place);

          g_assert_cmpint (cut->width * cut->height, <=, 20 * 20);
          g_assert_cmpint (tosst_describe_patches (recipe, context, image, &points[j], 1, whole), ==, TOSST_OK);
          g_assert_cmpint (tosst_describe_patches (recipe, context, cut, &place, 1, part), ==, TOSST_OK);
          g_assert_cmpmem (whole, m * sizeof *whole, part, m * sizeof *part);
          tosst_image_free (cut);
        }
      tosst_image_free (image);
    }
  tosst_context_free (context);
}

static void
on_texture (StudioImageItem *item, GParamSpec *pspec, gpointer loop)
{
  g_main_loop_quit (loop);
}

/* The pixels of an image are decoded once for all that hold them, and for its texture. */
static void
test_pixels (Fixture *self, gconstpointer data)
{
  g_autoptr (StudioImageLoader) loader = studio_image_loader_new ();
  g_autoptr (StudioImageItem) item = studio_image_item_new (self->dataset, 0);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  StudioPixels *first, *second, *other;

  g_signal_connect (item, "notify", G_CALLBACK (on_texture), loop);
  studio_image_loader_request (loader, item, STUDIO_IMAGE_SIDE);
  g_main_loop_run (loop);
  first = studio_pixels_get (self->dataset, 0, NULL);
  g_assert_cmpuint (first->references, ==, 2); /* this one and the texture's */
  second = studio_pixels_get (self->dataset, 0, NULL);
  other = studio_pixels_get (self->dataset, 1, NULL);
  g_assert_true (first == second);
  g_assert_true (other != first);
  g_clear_object (&item);
  studio_pixels_unref (second);
  g_assert_cmpuint (first->references, ==, 1);
  studio_pixels_unref (first);
  studio_pixels_unref (other);
}

/* Tensor, reconstruction and residual are consistent, and Theorem 2 holds. */
static void
test_answer (Fixture *self, gconstpointer data)
{
  TosstContext *context = tosst_context_new (1);
  StudioCodeSession *session = studio_code_session_new (context);
  StudioCodeQuestion q = question_of (self);
  g_autoptr (StudioCode) code = studio_code_session_answer (session, &q);
  gsize count, support = 0;

  assert_fine (code);
  g_assert_cmpint (code->rows, ==, tosst_recipe_dimension (self->recipe));
  g_assert_cmpint (code->planes, ==, code->rows);
  count = (gsize)code->planes * code->rows * code->columns;
  for (gsize i = 0; i < count; i++)
    g_assert_cmpfloat_with_epsilon (code->tensor[i], code->reconstruction[i] + code->residual[i], 1e-12);
  g_assert_cmpfloat_with_epsilon (code->error, norm_of (code->residual, count) / norm_of (code->tensor, count), 1e-12);
  g_assert_cmpfloat (code->error, <, 1);
  for (int k = 0; k < self->atoms->dictionary->K; k++)
    support += code->code[k] != 0;
  g_assert_cmpuint (support, ==, code->state.nonzeros);
  g_assert_cmpuint (support, >, 0);
  g_assert_cmpint (code->rank_reconstructed, <=, code->bound);
  g_assert_cmpint (code->bound, <=, code->rank_limit);
  g_assert_cmpint (code->rank_sum, >=, code->bound);
  studio_code_session_free (session);
  tosst_context_free (context);
}

/* The answer to a request does not depend on earlier ones: the problems are convex. */
static void
test_warm_is_cold (Fixture *self, gconstpointer data)
{
  static const struct
  {
    double lambda, gamma;
    int n_atoms, x;
  } steps[] = { { 1e-3, 1, 40, 8 }, { 1e-2, 1, 40, 8 },  { 1e-2, 10, 40, 8 },       { 1e-2, 10, 20, 8 },
                { 1e-3, 2, 30, 8 }, { 1e-3, 2, 30, 24 }, { 1e-3, INFINITY, 40, 24 } };
  TosstContext *context = tosst_context_new (1);
  StudioCodeSession *session = studio_code_session_new (context);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      StudioCodeSession *fresh = studio_code_session_new (context);
      StudioCodeQuestion q = question_of (self);
      g_autoptr (StudioCode) warm = NULL, cold = NULL;

      q.lambda = steps[i].lambda;
      q.gamma = steps[i].gamma;
      q.n_atoms = steps[i].n_atoms;
      q.point.x = steps[i].x;
      q.tied = i % 2 == 0;
      warm = studio_code_session_answer (session, &q);
      cold = studio_code_session_answer (fresh, &q);
      assert_fine (warm);
      assert_fine (cold);
      g_assert_cmpfloat_with_epsilon (warm->state.objective, cold->state.objective, 1e-6 * cold->state.objective);
      for (int k = q.n_atoms; k < self->atoms->dictionary->K; k++)
        g_assert_cmpfloat (warm->code[self->atoms->order[k]], ==, 0); /* left out */
      studio_code_session_free (fresh);
    }
  studio_code_session_free (session);
  tosst_context_free (context);
}

/* Matrices have one slice, whole atoms one per row; in all of them the parts are consistent. */
static void
test_shapes (Fixture *self, gconstpointer data)
{
  static const TosstShapeKind kinds[] = { TOSST_SHAPE_SYMMETRIC, TOSST_SHAPE_WHOLE };
  TosstContext *context = tosst_context_new (1);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      StudioCodeSession *session = studio_code_session_new (context);
      g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (self->recipe);
      g_autoptr (StudioAtomSet) atoms = NULL;
      g_autoptr (StudioCode) code = NULL;
      StudioCodeQuestion q = question_of (self);
      TosstDictionary *dictionary;
      gsize count;
      int d;

      recipe->descriptor.kind = i == 0 ? TOSST_DESCRIPTOR_AUTOCORRELATION : TOSST_DESCRIPTOR_LINEAR;
      recipe->descriptor.features = TOSST_FEATURES_LINEAR;
      d = tosst_recipe_dimension (recipe);
      dictionary = tosst_dictionary_new_shape (tosst_shape (kinds[i], d), 5);
      for (int k = 0; k < 5 * dictionary->D; k++)
        dictionary->V[k] = k * 37 % 11 / 50.0;
      for (int k = 0; k < 5 * dictionary->S; k++)
        dictionary->b[k] = 1;
      atoms = studio_atom_set_new (dictionary, recipe, NULL, NULL, 1, NULL);
      g_assert_nonnull (atoms);
      q.atoms = atoms;
      q.recipe = recipe;
      q.n_atoms = 5;
      code = studio_code_session_answer (session, &q);
      assert_fine (code);
      g_assert_cmpint (code->planes, ==, i == 0 ? 1 : d);
      count = (gsize)code->planes * d * d;
      for (gsize j = 0; j < count; j++)
        g_assert_cmpfloat_with_epsilon (code->tensor[j], code->reconstruction[j] + code->residual[j], 1e-12);
      g_assert_cmpfloat (code->error, <=, 1 + 1e-9);
      studio_code_session_free (session);
    }
  tosst_context_free (context);
}

static void
on_wake (gpointer data)
{
  ++*(int *)data;
}

static StudioCode *
wait_for (StudioWorker *recoder)
{
  gint64 deadline = g_get_monotonic_time () + 300 * G_USEC_PER_SEC;
  StudioCode *code;

  while ((code = studio_code_worker_take (recoder)) == NULL)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (500);
    }
  return code;
}

/* The last of many requests is answered, and not all of the others. */
static void
test_latest_wins (Fixture *self, gconstpointer data)
{
  int wakes = 0;
  StudioWorker *recoder = studio_code_worker_new (on_wake, &wakes);
  StudioCodeQuestion q = question_of (self);
  gboolean last = FALSE;
  double before = -1;

  for (int i = 0; i < 500; i++)
    {
      q.lambda = 1e-4 * (i + 1);
      studio_code_worker_ask (recoder, &q);
    }
  while (!last)
    {
      g_autoptr (StudioCode) code = wait_for (recoder);

      assert_fine (code);
      g_assert_cmpfloat (code->lambda, >, before); /* in the order of the requests */
      before = code->lambda;
      last = code->lambda == q.lambda;
    }
  /* An answer may be taken before its notification arrives. */
  for (gint64 deadline = g_get_monotonic_time () + 300 * G_USEC_PER_SEC;
       wakes == 0 && g_get_monotonic_time () < deadline;)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (500);
  g_assert_cmpint (wakes, >=, 1);
  g_assert_cmpint (wakes, <, 500);
  studio_worker_free (recoder);
}

/* Fewer and sparser: more lambda never gives a smaller error, nor do fewer atoms. */
static void
test_directions (Fixture *self, gconstpointer data)
{
  StudioWorker *recoder = studio_code_worker_new (NULL, NULL);
  StudioCodeQuestion q = question_of (self);
  g_autoptr (StudioCode) low = NULL, high = NULL, few = NULL;

  q.gamma = INFINITY;
  studio_code_worker_ask (recoder, &q);
  low = wait_for (recoder);
  q.lambda = 0.1;
  studio_code_worker_ask (recoder, &q);
  high = wait_for (recoder);
  q.lambda = 1e-3;
  q.n_atoms = 3;
  studio_code_worker_ask (recoder, &q);
  few = wait_for (recoder);
  g_assert_cmpfloat (high->error, >, low->error);
  g_assert_cmpfloat (few->error, >, low->error);
  g_assert_cmpuint (few->state.nonzeros, <=, 3);
  studio_worker_free (recoder);
}

/* A release during or before the work is not followed by a notification. */
static void
test_drop (Fixture *self, gconstpointer data)
{
  int wakes = 0;

  for (int i = 0; i < 50; i++)
    {
      StudioWorker *recoder = studio_code_worker_new (on_wake, &wakes);
      StudioCodeQuestion q = question_of (self);

      if (i % 3 > 0)
        studio_code_worker_ask (recoder, &q);
      if (i % 3 > 1)
        g_usleep (300 * (i % 7));
      studio_worker_free (recoder);
    }
  g_usleep (100 * 1000);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (wakes, ==, 0);
}

/* A missing image is reported by a sentence, and the next request is answered. */
static void
test_problem (Fixture *self, gconstpointer data)
{
  StudioWorker *recoder = studio_code_worker_new (NULL, NULL);
  StudioCodeQuestion q = question_of (self);
  g_autoptr (StudioCode) bad = NULL, good = NULL;

  q.point.x = 100000; /* leaves the image */
  studio_code_worker_ask (recoder, &q);
  bad = wait_for (recoder);
  g_assert_nonnull (bad->problem);
  q.point.x = 0;
  studio_code_worker_ask (recoder, &q);
  good = wait_for (recoder);
  assert_fine (good);
  studio_worker_free (recoder);
}

/* Milliseconds of an answer for K = 2000, d = 30: with TOSST_BENCH set, to the dictionary file for the measurement, or
 * to any other text for synthetic atoms. */
static void
test_speed (Fixture *self, gconstpointer data)
{
  TosstContext *context;
  StudioCodeSession *session;
  StudioCodeQuestion q = question_of (self);
  static const char *const names[] = { "lambda", "gamma", "atoms", "patch" };
  g_autoptr (StudioAtomSet) loaded = NULL;

  if (g_getenv ("TOSST_BENCH") == NULL)
    {
      g_test_skip ("TOSST_BENCH is not set");
      return;
    }
  if (g_str_has_suffix (g_getenv ("TOSST_BENCH"), ".npz"))
    {
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_getenv ("TOSST_BENCH"));

      loaded = studio_atom_set_load (file, 2, NULL);
      g_assert_nonnull (loaded);
      q.atoms = loaded;
      q.recipe = loaded->recipe;
    }
  context = tosst_context_new (g_get_num_processors ());
  session = studio_code_session_new (context);
  for (int kind = 0; kind < 4; kind++)
    for (int i = 0; i < 12; i++)
      {
        g_autoptr (StudioCode) code = NULL;
        clock_t start = clock ();

        q.lambda = kind == 0 ? 1e-4 * pow (1.4, i) : 3e-4;
        q.gamma = kind == 1 ? pow (1.2, i) : 1;
        q.n_atoms = kind == 2 ? 2000 - 20 * i : 2000;
        q.point.x = kind == 3 ? 8 * i : 8;
        code = studio_code_session_answer (session, &q);
        assert_fine (code);
        g_test_message ("%s: %.1f ms, %.1f ms of processor, %zu non-zeros", names[kind], 1000 * code->seconds,
                        1000.0 * (clock () - start) / CLOCKS_PER_SEC, code->state.nonzeros);
      }
  studio_code_session_free (session);
  tosst_context_free (context);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/studio/recoder/cut", test_cut);
  g_test_add ("/studio/recoder/pixels", Fixture, NULL, set_up, test_pixels, tear_down);
  g_test_add ("/studio/recoder/answer", Fixture, NULL, set_up, test_answer, tear_down);
  g_test_add ("/studio/recoder/warm-is-cold", Fixture, NULL, set_up, test_warm_is_cold, tear_down);
  g_test_add ("/studio/recoder/shapes", Fixture, NULL, set_up, test_shapes, tear_down);
  g_test_add ("/studio/recoder/latest-wins", Fixture, NULL, set_up, test_latest_wins, tear_down);
  g_test_add ("/studio/recoder/directions", Fixture, NULL, set_up, test_directions, tear_down);
  g_test_add ("/studio/recoder/drop", Fixture, NULL, set_up, test_drop, tear_down);
  g_test_add ("/studio/recoder/problem", Fixture, NULL, set_up, test_problem, tear_down);
  g_test_add ("/studio/recoder/speed", Fixture, GINT_TO_POINTER (2000), set_up, test_speed, tear_down);
  return g_test_run ();
}
