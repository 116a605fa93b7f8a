/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole commands on dictionaries and models made to do harm.
 */
#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>
#include <zip.h>

#include "harness.h"

#define SMALL                                                                                                          \
  "--threads 2 --set descriptor.kind=linear --set dictionary.atoms=6 --set dictionary.iterations=3 "                   \
  "--set descriptor.patch=16 --set descriptor.step=16 "

/* A dictionary D.npz of the tensors T.npy, and a model M.npz. */
static void
make_files (Shell *shell)
{
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz -q " SMALL);
  for (guint c = 0; c < 2; c++)
    {
      g_autofree char *folder = g_strdup_printf ("set/%u", c), *path = shell_path (shell, folder);

      g_assert_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
      for (guint i = 0; i < 3; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%u.png", folder, i);

          shell_write_texture (shell, name, c, i);
        }
    }
  shell_expect_done (shell,
                     "classify --set dataset.kind=folders --set dataset.path=set --set dataset.train-per-class=2 "
                     "--set dataset.splits=1 --model M.npz -q " SMALL);
}

/* Writes a copy of the file from with other bytes as this member to the file to. */
static void
put_member (Shell *shell, const char *from, const char *to, const char *member, gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = shell_read (shell, from);
  g_autofree char *path = shell_path (shell, to);
  zip_source_t *source;
  zip_t *zip;

  shell_write (shell, to, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  zip = zip_open (path, 0, NULL);
  g_assert_nonnull (zip);
  source = zip_source_buffer (zip, data, size, 0);
  g_assert_cmpint (zip_file_add (zip, member, source, ZIP_FL_OVERWRITE), >=, 0);
  g_assert_cmpint (zip_close (zip), ==, 0);
}

static void
put_meta (Shell *shell, const char *from, const char *to, const char *text)
{
  put_member (shell, from, to, "meta.json", text, strlen (text));
}

static const char *const dictionary_commands[]
    = { "export X.npz -o X.mat", "code T.npy -d X.npz -o A.npy", "learn T.npy -o E.npz --resume X.npz " SMALL };

static void
test_meta (Shell *shell, gconstpointer data)
{
  static const struct
  {
    const char *text, *fragment;
  } of_dictionaries[] = {
    { "[]", "meta.json that is not a JSON object" },       { "null", "meta.json that is not a JSON object" },
    { "", "meta.json that is not a JSON object" },         { "{\"recipe\": [1]}", "“recipe” has an invalid type" },
    { "{\"recipe\": 3}", "“recipe” has an invalid type" }, { "{\"version\": {}}", "“version” has an invalid type" },
    { "{\"objective\": \"x\"}", "“objective” has an" },    { "{\"iterations\": [[]]}", "“iterations” has an" },
    { "{\"batches\": true}", "“batches” has an" },         { "{\"fingerprint\": false}", "“fingerprint” has an" },
  };
  static const struct
  {
    const char *text, *fragment;
  } of_models[] = {
    { "{\"classes\": \"x\", \"recipe\": \"\"}", "lists no classes" },
    { "{\"classes\": null, \"recipe\": \"\"}", "lists no classes" },
    { "{\"classes\": [1, 2], \"recipe\": \"\"}", "a class in meta.json has no name" },
    { "{\"classes\": [[], {}], \"recipe\": \"\"}", "a class in meta.json has no name" },
    { "{\"classes\": [\"a\", \"b\"]}", "meta.json has no recipe" },
    { "{\"classes\": [\"a\", \"b\"], \"recipe\": []}", "“recipe” has an invalid type" },
    { "[]", "meta.json that is not a JSON object" },
  };
  g_autoptr (GString) deep = g_string_new ("{\"classes\": ");

  for (int i = 0; i < 200000; i++)
    g_string_append_c (deep, '[');
  make_files (shell);
  for (guint j = 0; j < G_N_ELEMENTS (dictionary_commands); j++)
    {
      put_meta (shell, "D.npz", "X.npz", deep->str);
      shell_expect_failure (shell, dictionary_commands[j], 1, "meta.json that is not a JSON object");
    }
  for (guint i = 0; i < G_N_ELEMENTS (of_dictionaries); i++)
    {
      put_meta (shell, "D.npz", "X.npz", of_dictionaries[i].text);
      shell_expect_failure (shell, "export X.npz -o X.mat", 1, of_dictionaries[i].fragment);
    }
  put_meta (shell, "M.npz", "X.npz", deep->str);
  shell_expect_failure (shell, "predict -m X.npz set/0/0.png", 1, "meta.json that is not a JSON object");
  for (guint i = 0; i < G_N_ELEMENTS (of_models); i++)
    {
      put_meta (shell, "M.npz", "X.npz", of_models[i].text);
      shell_expect_failure (shell, "predict -m X.npz set/0/0.png", 1, of_models[i].fragment);
    }
  put_meta (shell, "D.npz", "X.npz", "{\"recipe\": null, \"iterations\": 1e300, \"batches\": -3}");
  shell_expect_done (shell, "export X.npz -o X.mat");
}

/* A .npy of zeros of this shape, and this many bytes more; new. */
static GBytes *
zeros (const char *shape, gsize bytes)
{
  g_autofree char *text = g_strdup_printf ("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape);
  g_autofree char *padded = g_strdup_printf ("%-117s\n", text);
  guint8 *data = g_malloc0 (128 + bytes);

  g_assert_cmpuint (strlen (padded), ==, 118);
  memcpy (data, "\x93NUMPY\1\0\x76\0", 10);
  memcpy (data + 10, padded, 118);
  return g_bytes_new_take (data, 128 + bytes);
}

static void
put_zeros (Shell *shell, const char *member, const char *shape, gsize bytes)
{
  g_autoptr (GBytes) array = zeros (shape, bytes);

  put_member (shell, "D.npz", "X.npz", member, g_bytes_get_data (array, NULL), g_bytes_get_size (array));
}

/* Sets the unpacked size in both headers of the member. */
static void
claim_size (Shell *shell, const char *member, guint32 size)
{
  g_autoptr (GBytes) bytes = shell_read (shell, "X.npz");
  gsize length, n = strlen (member), found = 0;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *copy = g_memdup2 (data, length);

  size = GUINT32_TO_LE (size);
  for (gsize i = 30; i + n <= length; i++)
    {
      gboolean local = memcmp (data + i - 30, "PK\3\4", 4) == 0,
               central = i >= 46 && memcmp (data + i - 46, "PK\1\2", 4) == 0;

      if (memcmp (data + i, member, n) != 0 || !(local || central))
        continue;
      memcpy (copy + i - (central ? 46 - 24 : 30 - 22), &size, 4);
      found++;
    }
  g_assert_cmpuint (found, ==, 2);
  shell_write (shell, "X.npz", copy, length);
}

/* Small files with a large unpacked size. */
static void
test_bombs (Shell *shell, gconstpointer data)
{
  const gsize much = 100 * 1024 * 1024;
  g_autofree char *blanks = g_strnfill (5 * 1024 * 1024, ' ');
  struct rusage usage;

  make_files (shell);
  for (guint j = 0; j < G_N_ELEMENTS (dictionary_commands); j++)
    {
      put_zeros (shell, "B.npy", "16, 905, 905", 16 * 905 * 905 * 8);
      shell_expect_failure (shell, dictionary_commands[j], 1,
                            "member B.npy unpacks to more bytes than a file of this size can contain");
      put_zeros (shell, "B.npy", "6, 7, 7", much);
      shell_expect_failure (shell, dictionary_commands[j], 1, "more than its shape needs");
      claim_size (shell, "B.npy", 128 + 6 * 7 * 7 * 8);
      shell_expect_failure (shell, dictionary_commands[j], 1, "member B.npy cannot be unpacked");
      claim_size (shell, "B.npy", 0xfffffff0);
      shell_expect_failure (shell, dictionary_commands[j], 1, "B.npy");
    }
  put_zeros (shell, "B.npy", "9000000000, 1000000000, 7", 0);
  shell_expect_failure (shell, "export X.npz -o X.mat", 1, "has a shape that exceeds any memory");
  put_meta (shell, "D.npz", "X.npz", blanks);
  shell_expect_failure (shell, "export X.npz -o X.mat", 1, "member meta.json unpacks to more bytes");
  put_meta (shell, "M.npz", "X.npz", blanks);
  shell_expect_failure (shell, "predict -m X.npz set/0/0.png", 1, "member meta.json unpacks to more bytes");
  /* Members that a dictionary does not need are ignored. */
  put_zeros (shell, "other.npy", "1", much);
  shell_expect_done (shell, "export X.npz -o X.mat");
  getrusage (RUSAGE_CHILDREN, &usage);
  g_assert_cmpint (usage.ru_maxrss, <, 600 * 1024);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add ("/hostile-files/" path, Shell, NULL, shell_set_up, function, shell_tear_down)
  ADD ("meta", test_meta);
  ADD ("bombs", test_bombs);
#undef ADD
  return g_test_run ();
}
