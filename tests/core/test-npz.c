/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/format/npz.h"
#include "python.h"

/* A separate folder for each test, removed at its end; this fails if files remain in it. */
typedef struct
{
  char *folder, *path;
  GFile *file;
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "x.npz", NULL);
  place->file = g_file_new_for_path (place->path);
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_file_delete (place->file, NULL, NULL);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_object_unref (place->file);
  g_free (place->path);
  g_free (place->folder);
}

static TosstNpz *
sample (void)
{
  TosstNpz *npz = tosst_npz_new ();
  TosstNpy *a = tosst_npy_new (TOSST_NPY_FLOAT64, 2, (gsize[]){ 30, 40 });
  TosstNpy *b = tosst_npy_new (TOSST_NPY_FLOAT32, 0, NULL);
  g_autoptr (GBytes) text = g_bytes_new_static ("{\"k\" : 1}", 9);

  for (gsize i = 0; i < a->count; i++)
    ((double *)a->data)[i] = 1.0 / (i + 1);
  *(float *)b->data = 2.5f;
  tosst_npz_steal_array (npz, "a", a);
  tosst_npz_steal_array (npz, "b", b);
  tosst_npz_add_bytes (npz, "meta.json", text);
  return npz;
}

static void
check_sample (TosstNpz *npz)
{
  const TosstNpy *a = tosst_npz_array (npz, "a"), *b = tosst_npz_array (npz, "b");

  g_assert_cmpuint (a->shape[0], ==, 30);
  g_assert_cmpuint (a->shape[1], ==, 40);
  for (gsize i = 0; i < a->count; i++)
    g_assert_cmpfloat (((double *)a->data)[i], ==, 1.0 / (i + 1));
  g_assert_cmpint (b->ndim, ==, 0);
  g_assert_cmpfloat (*(float *)b->data, ==, 2.5f);
  g_assert_null (tosst_npz_array (npz, "c"));
  g_assert_null (tosst_npz_array (npz, "meta.json"));
  g_assert_cmpuint (g_bytes_get_size (tosst_npz_bytes (npz, "meta.json")), ==, 9);
}

static void
test_round_trip (Place *place, gconstpointer data)
{
  g_autoptr (TosstNpz) npz = sample (), again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *first = NULL, *second = NULL;
  gsize n1, n2;

  g_assert_true (tosst_npz_write (npz, place->file, &error));
  again = tosst_npz_read (place->file, NULL, &error);
  g_assert_no_error (error);
  check_sample (again);
  /* Equal contents give equal files. */
  g_assert_true (g_file_get_contents (place->path, &first, &n1, NULL));
  g_assert_true (tosst_npz_write (again, place->file, &error));
  g_assert_true (g_file_get_contents (place->path, &second, &n2, NULL));
  g_assert_cmpmem (first, n1, second, n2);
}

/* The bytes put into a store equal those of a file. */
static void
test_bytes (Place *place, gconstpointer data)
{
  g_autoptr (TosstNpz) npz = sample (), again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_npz_to_bytes (npz, "s.npz", &error), file = NULL, none = g_bytes_new (NULL, 0);

  g_assert_no_error (error);
  g_assert_true (tosst_npz_write (npz, place->file, &error));
  file = g_file_load_bytes (place->file, NULL, NULL, &error);
  g_assert_true (g_bytes_equal (bytes, file));
  again = tosst_npz_from_bytes (bytes, NULL, "s.npz", &error);
  g_assert_no_error (error);
  check_sample (again);
  g_assert_null (tosst_npz_from_bytes (none, NULL, "s.npz", &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "s.npz"));
}

/* Every truncation and every flipped bit of the data is detected. */
static void
test_damage (Place *place, gconstpointer data)
{
  g_autoptr (TosstNpz) npz = sample ();
  g_autofree char *whole = NULL;
  gsize size;

  g_assert_true (tosst_npz_write (npz, place->file, NULL));
  g_assert_true (g_file_get_contents (place->path, &whole, &size, NULL));
  for (gsize cut = 0; cut < size; cut += 1 + size / 50)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (place->path, whole, cut, NULL));
      g_assert_null (tosst_npz_read (place->file, NULL, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_assert_nonnull (strstr (error->message, "x.npz"));
    }
  whole[1000] ^= 4; /* within the numbers of a */
  g_assert_true (g_file_set_contents (place->path, whole, size, NULL));
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (tosst_npz_read (place->file, NULL, &error));
    g_assert_nonnull (strstr (error->message, "member a.npy"));
  }
}

/* numpy reads the written values, and its files are read, deflated or not. */
static void
test_numpy (Place *place, gconstpointer data)
{
  static const char check[]
      = "import numpy as np, sys; z = np.load(sys.argv[1])\n"
        "assert z['a'].dtype == np.float64 and z['b'].dtype == np.float32 and z['b'].shape == ()\n"
        "assert (z['a'] == 1 / (np.arange(1200).reshape(30, 40) + 1.0)).all() and z['b'] == 2.5\n";
  static const char *const writers[] = { "savez", "savez_compressed" };
  g_autoptr (TosstNpz) npz = sample ();

  if (!python ("import numpy", "-"))
    {
      g_test_skip ("numpy is not installed");
      return;
    }
  g_assert_true (tosst_npz_write (npz, place->file, NULL));
  g_assert_true (python (check, place->path));
  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    {
      g_autofree char *script = g_strdup_printf ("import numpy as np, sys\n"
                                                 "np.%s(sys.argv[1], a=np.asfortranarray(1 / (np.arange(1200)."
                                                 "reshape(30, 40) + 1.0)), b=np.float32(2.5))\n",
                                                 writers[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstNpz) read = NULL;

      g_assert_true (python (script, place->path));
      read = tosst_npz_read (place->file, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (((double *)tosst_npz_array (read, "a")->data)[47], ==, 1 / 48.0);
      g_assert_cmpfloat (*(float *)tosst_npz_array (read, "b")->data, ==, 2.5);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/npz/round-trip", Place, NULL, set_up, test_round_trip, tear_down);
  g_test_add ("/npz/bytes", Place, NULL, set_up, test_bytes, tear_down);
  g_test_add ("/npz/damage", Place, NULL, set_up, test_damage, tear_down);
  g_test_add ("/npz/numpy", Place, NULL, set_up, test_numpy, tear_down);
  return g_test_run ();
}
