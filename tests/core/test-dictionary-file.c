/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/dictionary/file.h"
#include "core/format/npz.h"
#include "python.h"

typedef struct
{
  char *folder;
  GFile *file;
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  g_autofree char *path = NULL;

  place->folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  path = g_build_filename (place->folder, "D.npz", NULL);
  place->file = g_file_new_for_path (path);
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_file_delete (place->file, NULL, NULL);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_object_unref (place->file);
  g_free (place->folder);
}

static TosstDictionary *
sample (int d, int K)
{
  TosstDictionary *dictionary = tosst_dictionary_new (d, K);
  g_autofree double *B = g_new0 (double, K *d *d), *b = g_new0 (double, K *d);

  for (int k = 0; k < K; k++)
    for (int i = 0; i < d; i++)
      {
        b[k * d + i] = sin (k + 3 * i);
        for (int j = 0; j < d; j++)
          B[(k * d + i) * d + j] = cos (k + i + j) + i * j;
      }
  tosst_dictionary_set (dictionary, B, b);
  dictionary->scale = 0.125;
  return dictionary;
}

static void
test_round_trip (Place *place, gconstpointer data)
{
  g_autoptr (TosstDictionary) dictionary = sample (4, 7), again = NULL;
  TosstDictionaryMeta meta = { .recipe = (char *)"[dictionary]\natoms=7\nseed=5\n",
                               .objective = 0.1234567890123,
                               .iterations = 12,
                               .fingerprint = (char *)"0123456789abcdef" };
  TosstDictionaryMeta read;
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_dictionary_save (dictionary, &meta, place->file, &error));
  again = tosst_dictionary_load (place->file, &read, &error);
  g_assert_no_error (error);
  g_assert_cmpint (again->d, ==, 4);
  g_assert_cmpint (again->K, ==, 7);
  g_assert_cmpfloat (again->scale, ==, 0.125);
  for (int i = 0; i < again->D * again->K; i++)
    g_assert_cmpfloat_with_epsilon (again->V[i], dictionary->V[i], 1e-13);
  for (int i = 0; i < again->d * again->K; i++)
    g_assert_cmpfloat (again->b[i], ==, dictionary->b[i]);
  g_assert_cmpstr (read.recipe, ==, meta.recipe);
  g_assert_cmpstr (read.fingerprint, ==, meta.fingerprint);
  g_assert_cmpfloat (read.objective, ==, meta.objective);
  g_assert_cmpint (read.iterations, ==, 12);
  g_assert_nonnull (read.version);
  tosst_dictionary_meta_clear (&read);
}

/* Every shape is read back as written, even if its sides equal those of another. */
static void
test_shapes (Place *place, gconstpointer data)
{
  static const TosstShape shapes[]
      = { { TOSST_SHAPE_WHOLE, 4, 4, 4 },   { TOSST_SHAPE_SYMMETRIC, 4, 4, 4 }, { TOSST_SHAPE_GENERAL, 3, 4, 5 },
          { TOSST_SHAPE_GENERAL, 4, 4, 4 }, { TOSST_SHAPE_GENERAL, 4, 4, 1 },   { TOSST_SHAPE_GENERAL, 1, 1, 2 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new_shape (shapes[i], 3), again = NULL;
      g_autoptr (GError) error = NULL;

      for (int j = 0; j < dictionary->D * dictionary->K; j++)
        dictionary->V[j] = sin (j);
      for (int j = 0; j < dictionary->S * dictionary->K; j++)
        dictionary->b[j] = cos (j);
      g_assert_true (tosst_dictionary_save (dictionary, NULL, place->file, &error));
      again = tosst_dictionary_load (place->file, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (tosst_shape_equal (again->shape, shapes[i]));
      for (int j = 0; j < again->D * again->K; j++)
        g_assert_cmpfloat_with_epsilon (again->V[j], dictionary->V[j], 1e-14);
      for (int j = 0; j < again->S * again->K; j++)
        g_assert_cmpfloat (again->b[j], ==, dictionary->b[j]);
    }
}

/* The output of numpy.savez (B=, b=): no scale, no meta. */
static void
test_plain (Place *place, gconstpointer data)
{
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autoptr (GError) error = NULL;
  TosstDictionaryMeta meta;

  tosst_npz_steal_array (npz, "B", tosst_npy_new (TOSST_NPY_FLOAT32, 3, (gsize[]){ 2, 3, 3 }));
  tosst_npz_steal_array (npz, "b", tosst_npy_new (TOSST_NPY_FLOAT64, 2, (gsize[]){ 2, 3 }));
  g_assert_true (tosst_npz_write (npz, place->file, NULL));
  dictionary = tosst_dictionary_load (place->file, &meta, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (dictionary->scale, ==, 1);
  g_assert_null (meta.recipe);
  g_assert_true (isnan (meta.objective));
}

/* Through numpy and back: only meta.json, a text for numpy, is lost. */
static void
test_numpy (Place *place, gconstpointer data)
{
  g_autoptr (TosstDictionary) dictionary = sample (4, 7), again = NULL;
  TosstDictionaryMeta meta = { .recipe = (char *)"[dictionary]\natoms=7\n", .objective = 1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_dictionary_save (dictionary, &meta, place->file, &error));
  if (!python ("import numpy, sys; D = dict(numpy.load(sys.argv[1])); assert 'meta.json' in D; "
               "numpy.savez(sys.argv[1], names=numpy.array(['a', 'b']), **D)",
               g_file_peek_path (place->file)))
    {
      g_test_skip ("there is no Python with NumPy");
      return;
    }
  again = tosst_dictionary_load (place->file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (again->scale, ==, 0.125);
  g_assert_cmpmem (again->b, sizeof (double) * 28, dictionary->b, sizeof (double) * 28);
}

/* Members of texts are skipped, except for those that must be numbers. */
static void
test_texts_for_numbers (Place *place, gconstpointer data)
{
  static const char *const scripts[]
      = { "numpy.savez(sys.argv[1], B=numpy.zeros((2, 3, 3)), b=numpy.zeros((2, 3)), scale='one')",
          "numpy.savez(sys.argv[1], B=numpy.zeros((2, 3, 3)), b=numpy.array([['a'] * 3] * 2))" };
  static const char *const fragments[] = { "scale that is not one number", "no member b" };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autofree char *script = g_strconcat ("import numpy, sys; ", scripts[i], NULL);
      g_autoptr (GError) error = NULL;

      if (!python (script, g_file_peek_path (place->file)))
        {
          g_test_skip ("there is no Python with NumPy");
          return;
        }
      g_assert_null (tosst_dictionary_load (place->file, NULL, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_assert_nonnull (strstr (error->message, fragments[i]));
    }
}

/* Coding uses one triangle of B: rounding errors of the other are accepted, another matrix is refused. */
static void
test_asymmetric (Place *place, gconstpointer data)
{
  static const double off[] = { 1e-7, 0.5 };

  for (guint i = 0; i < G_N_ELEMENTS (off); i++)
    {
      g_autoptr (TosstNpz) npz = tosst_npz_new ();
      g_autoptr (TosstDictionary) dictionary = NULL;
      g_autoptr (GError) error = NULL;
      TosstNpy *B = tosst_npy_new (TOSST_NPY_FLOAT64, 3, (gsize[]){ 2, 2, 2 });
      const double values[] = { 1, 0.25, 0.25, 1, 1, 0.25, 0.25 + off[i], 1 };

      memcpy (B->data, values, sizeof values);
      tosst_npz_steal_array (npz, "B", B);
      tosst_npz_steal_array (npz, "b", tosst_npy_new (TOSST_NPY_FLOAT64, 2, (gsize[]){ 2, 2 }));
      g_assert_true (tosst_npz_write (npz, place->file, NULL));
      dictionary = tosst_dictionary_load (place->file, NULL, &error);
      if (off[i] < 1e-3)
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_null (dictionary);
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_assert_nonnull (strstr (error->message, "must be symmetric, but number 1 is not"));
    }
}

/* The number in meta.json is the seed, also beyond the range of signed 64 bits. */
static void
test_seed (Place *place, gconstpointer data)
{
  static const char *const seeds[] = { "7", "9223372036854775807", "18446744073709551615" };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      g_autoptr (TosstDictionary) dictionary = sample (2, 2);
      g_autofree char *recipe = g_strdup_printf ("[dictionary]\nseed=%s\n", seeds[i]);
      TosstDictionaryMeta meta = { .recipe = recipe };
      g_autoptr (TosstNpz) npz = NULL;
      g_autofree char *text = NULL;

      g_assert_true (tosst_dictionary_save (dictionary, &meta, place->file, NULL));
      npz = tosst_npz_read (place->file, NULL, NULL);
      text = g_strndup (g_bytes_get_data (tosst_npz_bytes (npz, "meta.json"), NULL),
                        g_bytes_get_size (tosst_npz_bytes (npz, "meta.json")));
      g_assert_nonnull (strstr (strstr (text, "\"seed\" : "), seeds[i]));
    }
}

static void
expect_refused (Place *place, const gsize *B, const gsize *b, double scale, const char *json, const char *fragment)
{
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  g_autoptr (GError) error = NULL;
  TosstNpy *array = tosst_npy_new (TOSST_NPY_FLOAT64, 0, NULL);

  *(double *)array->data = scale;
  tosst_npz_steal_array (npz, "scale", array);
  if (B)
    tosst_npz_steal_array (npz, "B", tosst_npy_new (TOSST_NPY_FLOAT64, 3, B));
  if (b)
    tosst_npz_steal_array (npz, "b", tosst_npy_new (TOSST_NPY_FLOAT64, 2, b));
  if (json)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (json, strlen (json));

      tosst_npz_add_bytes (npz, "meta.json", bytes);
    }
  g_assert_true (tosst_npz_write (npz, place->file, NULL));
  g_assert_null (tosst_dictionary_load (place->file, NULL, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "D.npz"));
  if (!strstr (error->message, fragment))
    g_error ("“%s” does not say “%s”", error->message, fragment);
}

static void
test_refused (Place *place, gconstpointer data)
{
  const gsize good_B[] = { 2, 3, 3 }, good_b[] = { 2, 3 }, oblong[] = { 2, 3, 4 }, none[] = { 0, 3, 3 },
              other[] = { 2, 4 };

  expect_refused (place, NULL, good_b, 1, NULL, "no member B");
  expect_refused (place, good_B, NULL, 1, NULL, "no member b");
  expect_refused (place, oblong, good_b, 1, NULL, "not (K, d, d)");
  expect_refused (place, none, good_b, 1, NULL, "without atoms");
  expect_refused (place, good_B, other, 1, NULL, "do not match");
  expect_refused (place, good_B, good_b, 0, NULL, "not positive");
  expect_refused (place, good_B, good_b, 1e31, NULL, "a scale of 1e+31, which is not between");
  expect_refused (place, good_B, good_b, 1e-31, NULL, "a scale of 1e-31, which is not between");
  expect_refused (place, good_B, good_b, 1, "[1, 2", "JSON");
}

/* Squares of the entries of atoms must not be infinite. */
static void
test_large (Place *place, gconstpointer data)
{
  for (int in_b = 0; in_b < 2; in_b++)
    {
      g_autoptr (TosstDictionary) dictionary = sample (2, 2);
      g_autoptr (TosstDictionary) read = NULL;
      g_autoptr (GError) error = NULL;

      *(in_b ? dictionary->b : dictionary->V) = 1e200;
      g_assert_true (tosst_dictionary_save (dictionary, NULL, place->file, NULL));
      read = tosst_dictionary_load (place->file, NULL, &error);
      g_assert_null (read);
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_assert_nonnull (strstr (error->message, in_b ? "a member b with entries up to 1e+200" : "a member B with"));
    }
}

static void
test_unwritable (Place *place, gconstpointer data)
{
  g_autoptr (TosstDictionary) dictionary = sample (2, 2);
  g_autoptr (GFile) file = g_file_new_for_path ("/nonexistent/folder/D.npz");
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_dictionary_save (dictionary, NULL, file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/dictionary-file/round-trip", Place, NULL, set_up, test_round_trip, tear_down);
  g_test_add ("/dictionary-file/plain", Place, NULL, set_up, test_plain, tear_down);
  g_test_add ("/dictionary-file/shapes", Place, NULL, set_up, test_shapes, tear_down);
  g_test_add ("/dictionary-file/numpy", Place, NULL, set_up, test_numpy, tear_down);
  g_test_add ("/dictionary-file/texts", Place, NULL, set_up, test_texts_for_numbers, tear_down);
  g_test_add ("/dictionary-file/asymmetric", Place, NULL, set_up, test_asymmetric, tear_down);
  g_test_add ("/dictionary-file/seed", Place, NULL, set_up, test_seed, tear_down);
  g_test_add ("/dictionary-file/refused", Place, NULL, set_up, test_refused, tear_down);
  g_test_add ("/dictionary-file/large", Place, NULL, set_up, test_large, tear_down);
  g_test_add ("/dictionary-file/unwritable", Place, NULL, set_up, test_unwritable, tear_down);
  return g_test_run ();
}
