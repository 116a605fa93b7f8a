/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exported dictionaries, read by others: MATLAB files by MAT File I/O entry by entry and by SciPy, tables as text,
 * pictures by their pixels.
 */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <cairo.h>
#include <glib/gstdio.h>
#include <matio.h>

#include "core/base/error.h"
#include "core/report/dictionary-export.h"
#include "python.h"

typedef struct
{
  char *folder, *path;
  GFile *file;
} Place;

static const TosstShape shapes[] = {
  { TOSST_SHAPE_SUPER_SYMMETRIC, 4, 4, 4 }, { TOSST_SHAPE_WHOLE, 3, 3, 3 },   { TOSST_SHAPE_SYMMETRIC, 5, 5, 5 },
  { TOSST_SHAPE_GENERAL, 3, 4, 5 },         { TOSST_SHAPE_GENERAL, 1, 6, 2 }, { TOSST_SHAPE_GENERAL, 4, 4, 1 },
};
#define K 3

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "D.out", NULL);
  place->file = g_file_new_for_path (place->path);
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *child = g_build_filename (place->folder, name, NULL);
      g_unlink (child);
    }
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_object_unref (place->file);
  g_free (place->path);
  g_free (place->folder);
}

static TosstDictionary *
make (TosstShape shape)
{
  TosstDictionary *dictionary = tosst_dictionary_new_shape (shape, K);

  for (int i = 0; i < dictionary->D * K; i++)
    dictionary->V[i] = sin (i + 1);
  for (int i = 0; i < dictionary->S * K; i++)
    dictionary->b[i] = cos (i);
  dictionary->scale = 0.1;
  return dictionary;
}

/* Entry (i, j, l) of B_k, l for whole atoms only, from the array that dictionary files hold. */
static double
entry (const TosstDictionary *dictionary, int k, int i, int j, int l)
{
  TosstShape shape = dictionary->shape;
  gsize numbers = tosst_shape_atom_numbers (shape), third = shape.kind == TOSST_SHAPE_WHOLE ? shape.d3 : 1;
  g_autofree double *B = g_new (double, numbers *K), *b = g_new (double, dictionary->S *K);

  tosst_dictionary_get (dictionary, B, b);
  return B[k * numbers + ((gsize)i * shape.d2 + j) * third + l];
}

static matvar_t *
read_variable (const char *path, const char *name)
{
  mat_t *mat = Mat_Open (path, MAT_ACC_RDONLY);
  matvar_t *variable = Mat_VarRead (mat, name);

  g_assert_nonnull (variable);
  Mat_Close (mat);
  return variable;
}

static void
check_mat (const TosstDictionary *dictionary, const char *path)
{
  TosstShape shape = dictionary->shape;
  gboolean whole = shape.kind == TOSST_SHAPE_WHOLE;
  int third = whole ? shape.d3 : 1;
  matvar_t *B = read_variable (path, "B"), *b = read_variable (path, "b"), *scale = read_variable (path, "scale"),
           *meta = read_variable (path, "meta");
  const double *numbers = B->data;

  g_assert_cmpint (B->rank, ==, whole ? 4 : 3);
  g_assert_cmpuint (B->dims[0], ==, shape.d1);
  g_assert_cmpuint (B->dims[1], ==, shape.d2);
  g_assert_cmpuint (B->dims[B->rank - 1], ==, K);
  for (int k = 0; k < K; k++)
    for (int l = 0; l < third; l++)
      for (int j = 0; j < shape.d2; j++)
        for (int i = 0; i < shape.d1; i++)
          g_assert_cmpfloat (*numbers++, ==, entry (dictionary, k, i, j, l));
  g_assert_cmpuint (b->dims[0], ==, dictionary->S);
  g_assert_cmpuint (b->dims[1], ==, K);
  g_assert_cmpmem (b->data, b->nbytes, dictionary->b, sizeof (double) * dictionary->S * K);
  g_assert_cmpfloat (*(double *)scale->data, ==, 0.1);
  g_assert_cmpint (meta->class_type, ==, MAT_C_STRUCT);
  Mat_VarFree (B);
  Mat_VarFree (b);
  Mat_VarFree (scale);
  Mat_VarFree (meta);
}

static void
test_mat (Place *place, gconstpointer data)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (TosstDictionary) dictionary = make (shapes[s]);
      g_autoptr (GError) error = NULL;

      g_assert_true (tosst_dictionary_export_mat (dictionary, NULL, place->file, &error));
      g_assert_no_error (error);
      check_mat (dictionary, place->path);
    }
}

/* The arrays read by SciPy, including the texts of meta; letters without a portable form in level 5 are replaced. */
static void
test_scipy (Place *place, gconstpointer data)
{
  static const char script[]
      = "import numpy as np, scipy.io, sys; m = scipy.io.loadmat(sys.argv[1]); meta = m['meta'][0, 0]\n"
        "v = np.sin(np.arange(36) + 1).reshape(3, 3, 4)\n"
        "assert m['B'].shape == (3, 4, 3) and np.allclose(np.moveaxis(m['B'], -1, 0), v, atol=1e-15)\n"
        "assert np.allclose(m['b'], np.cos(np.arange(15)).reshape(3, 5).T, atol=1e-15) and m['scale'] == 0.1\n"
        "assert meta['recipe'][0] == '[dataset]\\npath=Stoff\\n' and meta['shape'][0] == 'general'\n"
        "assert meta['objective'][0, 0] == 2.5 and meta['iterations'][0, 0] == 7\n";
  TosstDictionaryMeta meta = { .recipe = (char *)"[dataset]\npath=St\303\266ff\n", .objective = 2.5, .iterations = 7 };
  g_autoptr (TosstDictionary) dictionary = make (shapes[3]);

  if (!python ("import scipy.io", "-"))
    {
      g_test_skip ("SciPy is not installed");
      return;
    }
  g_assert_true (tosst_dictionary_export_mat (dictionary, &meta, place->file, NULL));
  g_assert_true (python (script, place->path));
}

static void
test_csv (Place *place, gconstpointer data)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (TosstDictionary) dictionary = make (shapes[s]);
      TosstShape shape = shapes[s];
      gboolean whole = shape.kind == TOSST_SHAPE_WHOLE;
      g_autofree char *text = NULL;
      g_auto (GStrv) lines = NULL, names = NULL;

      g_assert_true (tosst_dictionary_export_csv (dictionary, place->file, NULL));
      g_assert_true (g_file_get_contents (place->path, &text, NULL, NULL));
      lines = g_strsplit (text, "\n", -1);
      names = g_strsplit (lines[0], ",", -1);
      g_assert_cmpuint (g_strv_length (lines), ==, K + 2); /* the last one is empty */
      g_assert_cmpuint (g_strv_length (names), ==, 2 + dictionary->S + tosst_shape_atom_numbers (shape));
      for (int k = 0; k < K; k++)
        {
          g_auto (GStrv) cells = g_strsplit (lines[k + 1], ",", -1);

          g_assert_cmpuint (g_strv_length (cells), ==, g_strv_length (names));
          g_assert_cmpint (atoi (cells[0]), ==, k + 1);
          for (guint c = 1; cells[c]; c++)
            {
              int i = 0, j = 0, l = 1;
              double value = g_ascii_strtod (cells[c], NULL);

              if (strcmp (names[c], "scale") == 0)
                g_assert_cmpfloat (value, ==, 0.1);
              else if (sscanf (names[c], "b_%d", &i) == 1)
                g_assert_cmpfloat (value, ==, dictionary->b[k * dictionary->S + i - 1]);
              else
                {
                  g_assert_cmpint (sscanf (names[c], "B_%d_%d_%d", &i, &j, &l), ==, whole ? 3 : 2);
                  g_assert_cmpfloat (value, ==, entry (dictionary, k, i - 1, j - 1, l - 1));
                }
            }
        }
    }
}

/* The middle of a cell of the largest |entry| is far darker than the background, that of zero is not. */
static double
darkness (cairo_surface_t *surface, double x, double y)
{
  const guint8 *pixel
      = cairo_image_surface_get_data (surface) + (int)y * cairo_image_surface_get_stride (surface) + 4 * (int)x;

  return 3 * 255 - pixel[0] - pixel[1] - pixel[2];
}

static void
test_pictures (Place *place, gconstpointer data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (place->folder);
  g_autofree char *last = g_build_filename (place->folder, "atom-0003.png", NULL);

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new_shape (shapes[s], K);
      TosstShape shape = shapes[s];
      int columns = shape.kind == TOSST_SHAPE_WHOLE ? shape.d1 * shape.d1 : shape.d2;
      double dark = 0, light = 0;
      cairo_surface_t *surface;

      dictionary->V[(gsize)dictionary->D * K - 1] = 1; /* the last entry of the last atom */
      for (int k = 0; k < K; k++)
        g_assert_true (tosst_dictionary_export_picture (dictionary, k, folder, NULL));
      surface = cairo_image_surface_create_from_png (last);
      g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
      g_assert_cmpint (cairo_image_surface_get_width (surface), >=, 2 * 16 * columns);
      /* The lower right corner of the drawing; the colour bar is further right. */
      for (int x = 0; x < cairo_image_surface_get_width (surface) * 2 / 5; x++)
        for (int y = 0; y < cairo_image_surface_get_height (surface) * 2 / 5; y++)
          light = MAX (light, darkness (surface, x, y));
      for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
        for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
          dark = MAX (dark, darkness (surface, x, y));
      g_assert_cmpfloat (dark, >, 400);
      g_assert_cmpfloat (light, <, dark);
      cairo_surface_destroy (surface);
    }
}

/* A full disk, simulated by a limit on the size of files, and a missing folder: one sentence, and the old file is
 * kept. */
static void
test_unwritable (Place *place, gconstpointer data)
{
  g_autoptr (TosstDictionary) dictionary = make (shapes[2]);
  g_autoptr (GFile) nowhere = g_file_new_for_path ("/nonexistent/D.mat");
  g_autofree char *kept = NULL;
  struct rlimit before, limit;
  void (*handler) (int);

  for (int form = 0; form < 2; form++)
    {
      g_autoptr (GError) error = NULL, missing = NULL;
      gboolean done;
      gsize files = 0;
      g_autoptr (GDir) dir = NULL;

      g_assert_true (g_file_set_contents (place->path, "old", -1, NULL));
      g_assert_false (form ? tosst_dictionary_export_csv (dictionary, nowhere, &missing)
                           : tosst_dictionary_export_mat (dictionary, NULL, nowhere, &missing));
      g_assert_error (missing, TOSST_ERROR, TOSST_FAILED_OUTPUT);
      handler = signal (SIGXFSZ, SIG_IGN);
      g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
      limit = before;
      limit.rlim_cur = 700;
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
      done = form ? tosst_dictionary_export_csv (dictionary, place->file, &error)
                  : tosst_dictionary_export_mat (dictionary, NULL, place->file, &error);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
      signal (SIGXFSZ, handler);
      g_assert_false (done);
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
      g_clear_pointer (&kept, g_free);
      g_assert_true (g_file_get_contents (place->path, &kept, NULL, NULL));
      g_assert_cmpstr (kept, ==, "old");
      dir = g_dir_open (place->folder, 0, NULL);
      while (g_dir_read_name (dir))
        files++;
      g_assert_cmpuint (files, ==, 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/dictionary-export/mat", Place, NULL, set_up, test_mat, tear_down);
  g_test_add ("/dictionary-export/scipy", Place, NULL, set_up, test_scipy, tear_down);
  g_test_add ("/dictionary-export/csv", Place, NULL, set_up, test_csv, tear_down);
  g_test_add ("/dictionary-export/pictures", Place, NULL, set_up, test_pictures, tear_down);
  g_test_add ("/dictionary-export/unwritable", Place, NULL, set_up, test_unwritable, tear_down);
  return g_test_run ();
}
