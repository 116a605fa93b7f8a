/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/format/npy.h"
#include "core/format/tensor-array.h"
#include "tosst/tensor.h"

/* A .npy of version 1.0 with this header text and these numbers. */
static GBytes *
make (const char *header, gconstpointer data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 start[10] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0 };

  start[8] = strlen (header) & 255;
  start[9] = strlen (header) >> 8;
  g_byte_array_append (bytes, start, 10);
  g_byte_array_append (bytes, (const guint8 *)header, strlen (header));
  if (size)
    g_byte_array_append (bytes, data, size);
  return g_byte_array_free_to_bytes (bytes);
}

static TosstNpy *
parse (GBytes *bytes, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  return tosst_npy_parse (data, size, "x.npy", error);
}

static void
expect_refused (const char *header, gconstpointer data, gsize size, const char *fragment)
{
  g_autoptr (GBytes) bytes = make (header, data, size);
  g_autoptr (GError) error = NULL;

  g_assert_null (parse (bytes, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_true (g_str_has_prefix (error->message, "x.npy "));
  if (!strstr (error->message, fragment))
    g_error ("“%s” does not say “%s”", error->message, fragment);
}

static void
test_round_trip (void)
{
  for (int ndim = 0; ndim <= 4; ndim++)
    for (int type = 0; type < 2; type++)
      {
        gsize shape[4] = { 2, 3, 4, 5 };
        g_autoptr (TosstNpy) array = tosst_npy_new (type, ndim, shape);
        g_autoptr (TosstNpy) again = NULL;
        g_autoptr (GBytes) bytes = NULL;
        g_autoptr (GError) error = NULL;
        gsize size = array->count * (type ? 8 : 4);

        for (gsize i = 0; i < array->count; i++)
          if (type)
            ((double *)array->data)[i] = 1 / (i + 3.0);
          else
            ((float *)array->data)[i] = 1 / (i + 3.0f);
        bytes = tosst_npy_serialise (array);
        g_assert_cmpuint ((g_bytes_get_size (bytes) - size) % 64, ==, 0);
        again = parse (bytes, &error);
        g_assert_no_error (error);
        g_assert_cmpint (again->ndim, ==, ndim);
        g_assert_cmpint (again->type, ==, type);
        g_assert_cmpmem (again->shape, ndim * sizeof (gsize), shape, ndim * sizeof (gsize));
        g_assert_cmpmem (again->data, size, array->data, size);
        /* Every shorter file is refused. */
        for (gsize cut = 0; cut < g_bytes_get_size (bytes); cut += 1 + cut / 7)
          {
            g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 0, cut);

            g_assert_null (parse (part, NULL));
          }
      }
}

static void
test_types (void)
{
  const guint8 big[] = { 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0 };
  const gint16 shorts[] = { -3, 300 };
  const guint16 halves[] = { 0x3c00, 0xc100 };
  const float fortran[] = { 1, 4, 2, 5, 3, 6 };
  static const struct
  {
    const char *header;
    double first, second;
  } cases[] = {
    { "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", 1, -2.5 },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n", -3, 300 },
    { "{\"shape\": (2L,), 'descr': '<f2', 'fortran_order': False}", 1, -2.5 },
  };
  const void *data[] = { big, shorts, halves };
  const gsize sizes[] = { sizeof big, sizeof shorts, sizeof halves };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = make (cases[i].header, data[i], sizes[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstNpy) array = parse (bytes, &error);

      g_assert_no_error (error);
      for (int k = 0; k < 2; k++)
        g_assert_cmpfloat (array->type == TOSST_NPY_FLOAT32 ? ((float *)array->data)[k] : ((double *)array->data)[k],
                           ==, k ? cases[i].second : cases[i].first);
    }
  {
    g_autoptr (GBytes) bytes
        = make ("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", fortran, sizeof fortran);
    g_autoptr (TosstNpy) array = parse (bytes, NULL);

    for (int i = 0; i < 6; i++)
      g_assert_cmpfloat (((float *)array->data)[i], ==, i + 1);
  }
}

static void
test_refused (void)
{
  const float bad[] = { 1, 2, 3, NAN, 5, 6 }, endless[] = { INFINITY };
  const guint8 wrong[] = "PK\3\4 this is no array";

  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", bad, sizeof bad, "NaN in row 1");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", endless, 4, "infinity");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }", bad, sizeof bad, "truncated");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", bad, sizeof bad, "more than");
  expect_refused ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", bad, 8, "unknown type");
  expect_refused ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", bad, 8, "real numbers");
  expect_refused ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", bad, 4, "records");
  expect_refused ("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", bad, 8,
                  "exceeds any memory");
  expect_refused ("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,), }", bad, 8,
                  "too large");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1), }", bad, 4, "4 dimensions");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", bad, 4, "invalid or too large shape");
  expect_refused ("{'descr': '<f4', 'shape': (1,), }", bad, 4, "damaged");
  expect_refused ("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", bad, 4, "damaged");
  expect_refused ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", bad, 4, "damaged");
  g_assert_null (tosst_npy_parse (wrong, sizeof wrong, "x", NULL));
}

static void
test_tensors (void)
{
  g_autoptr (TosstNpy) good = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[]){ 2, 4960 });
  g_autoptr (TosstNpy) wrong = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[]){ 2, 4961 });
  g_autoptr (TosstNpy) none = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[]){ 0, 4960 });
  g_autoptr (TosstNpy) flat = tosst_npy_new (TOSST_NPY_FLOAT32, 1, (gsize[]){ 4960 });
  g_autoptr (TosstNpy) general = tosst_npy_new (TOSST_NPY_FLOAT64, 4, (gsize[]){ 2, 3, 4, 5 });
  TosstShape shape;

  g_assert_true (tosst_tensor_array_prepare (good, "x", &shape, NULL));
  g_assert_true (tosst_shape_equal (shape, tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 30)));
  g_assert_false (tosst_tensor_array_prepare (wrong, "x", &shape, NULL));
  g_assert_false (tosst_tensor_array_prepare (none, "x", &shape, NULL));
  g_assert_false (tosst_tensor_array_prepare (flat, "x", &shape, NULL));
  g_assert_true (tosst_tensor_array_prepare (general, "x", &shape, NULL));
  g_assert_true (tosst_shape_equal (shape, (TosstShape){ TOSST_SHAPE_GENERAL, 3, 4, 5 }));
  g_assert_cmpuint (general->shape[1], ==, 60);
}

/* Symmetric matrices become their upper triangles, row by row; others are refused with their number. */
static void
test_matrices (void)
{
  static const float upper[] = { 1, 2, 3, 4, 5, 6 };
  static const int entry[] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
  g_autoptr (TosstNpy) array = tosst_npy_new (TOSST_NPY_FLOAT32, 3, (gsize[]){ 2, 3, 3 });
  g_autoptr (TosstNpy) torn = tosst_npy_new (TOSST_NPY_FLOAT32, 3, (gsize[]){ 2, 3, 3 });
  g_autoptr (TosstNpy) oblong = tosst_npy_new (TOSST_NPY_FLOAT32, 3, (gsize[]){ 2, 3, 4 });
  g_autoptr (GError) error = NULL;
  TosstShape shape;

  for (int i = 0; i < 18; i++)
    ((float *)array->data)[i] = ((float *)torn->data)[i] = (i < 9 ? 1 : 10) * upper[entry[i % 9]];
  ((float *)torn->data)[12] += 0.01F;
  g_assert_true (tosst_tensor_array_prepare (array, "x", &shape, NULL));
  g_assert_true (tosst_shape_equal (shape, tosst_shape (TOSST_SHAPE_SYMMETRIC, 3)));
  g_assert_cmpuint (array->count, ==, 12);
  for (int i = 0; i < 12; i++)
    g_assert_cmpfloat (((float *)array->data)[i], ==, (i < 6 ? 1 : 10) * upper[i % 6]);
  g_assert_false (tosst_tensor_array_prepare (torn, "x", &shape, &error));
  g_assert_nonnull (strstr (error->message, "number 1 is not"));
  g_assert_false (tosst_tensor_array_prepare (oblong, "x", &shape, NULL));
}

/* Rows written one by one equal the array written at once; an unfinished file never appears. */
static void
test_writer (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "t.npy", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  const float rows[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (TosstNpy) array = NULL;
  g_autoptr (GError) error = NULL;
  TosstNpyWriter *writer;

  writer = tosst_npy_writer_new (file, TOSST_NPY_FLOAT32, 2, (gsize[]){ 3, 2 }, &error);
  g_assert_true (tosst_npy_writer_rows (writer, rows, 1, &error));
  g_assert_false (tosst_npy_writer_finish (writer, NULL));
  tosst_npy_writer_free (writer);
  g_assert_false (g_file_query_exists (file, NULL));
  writer = tosst_npy_writer_new (file, TOSST_NPY_FLOAT32, 2, (gsize[]){ 3, 2 }, &error);
  g_assert_true (tosst_npy_writer_rows (writer, rows, 1, &error));
  g_assert_true (tosst_npy_writer_rows (writer, rows + 2, 2, &error));
  g_assert_true (tosst_npy_writer_finish (writer, &error));
  tosst_npy_writer_free (writer);
  array = tosst_npy_read (file, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (array->data, sizeof rows, rows, sizeof rows);
  g_assert_cmpuint (array->shape[0], ==, 3);
  g_file_delete (file, NULL, NULL);
  g_assert_null (tosst_npy_read (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* no temporary file remains */
}

typedef struct
{
  char *path;
  gsize size;
  gint stop;
} Cutter;

static gpointer
cut (gpointer data)
{
  Cutter *self = data;

  while (!g_atomic_int_get (&self->stop))
    if (truncate (self->path, 4096) != 0 || truncate (self->path, (off_t)self->size) != 0)
      g_error ("%s cannot be cut", self->path);
  return NULL;
}

/* A file truncated while it is read gives an array or an error. */
static void
test_cut (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-npy-XXXXXX", NULL), *path = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstNpy) array = tosst_npy_new (TOSST_NPY_FLOAT32, 2, (gsize[]){ 4000, 220 });
  Cutter cutter = { .path = path };
  GStatBuf info;
  GThread *thread;

  g_assert_true (tosst_npy_write (array, file, NULL));
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  cutter.size = (gsize)info.st_size;
  thread = g_thread_new ("cut", cut, &cutter);
  for (int i = 0; i < 300; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstNpy) read = tosst_npy_read (file, &error);

      g_assert_true (read || g_error_matches (error, TOSST_ERROR, TOSST_FAILED_INPUT));
    }
  g_atomic_int_set (&cutter.stop, TRUE);
  g_thread_join (thread);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A large file, mostly a hole, is not copied, and changes of the array stay in memory. */
static void
test_mapped (void)
{
  static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 67108864), }   \n";
  g_autofree char *folder = g_dir_make_tmp ("tosst-npy-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.npy", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GBytes) head = make (text, NULL, 0);
  g_autoptr (TosstNpy) array = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  gconstpointer bytes = g_bytes_get_data (head, &size);

  g_assert_cmpuint (size % 4, ==, 0);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
  g_assert_cmpint (truncate (path, (off_t)(size + TOSST_NPY_MAPPED)), ==, 0);
  array = tosst_npy_read (file, &error);
  g_assert_no_error (error);
  g_assert_nonnull (array->mapping);
  g_assert_cmpuint (array->shape[1], ==, 67108864);
  g_assert_cmpint (array->type, ==, TOSST_NPY_FLOAT32);
  ((float *)array->data)[array->count - 1] = NAN;
  again = tosst_npy_read (file, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (((float *)again->data)[again->count - 1], ==, 0);
  g_assert_cmpint (truncate (path, (off_t)(size + TOSST_NPY_MAPPED - 4)), ==, 0);
  g_assert_null (tosst_npy_read (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npy/round-trip", test_round_trip);
  g_test_add_func ("/npy/types", test_types);
  g_test_add_func ("/npy/refused", test_refused);
  g_test_add_func ("/npy/tensors", test_tensors);
  g_test_add_func ("/npy/matrices", test_matrices);
  g_test_add_func ("/npy/writer", test_writer);
  g_test_add_func ("/npy/cut", test_cut);
  g_test_add_func ("/npy/mapped", test_mapped);
  return g_test_run ();
}
