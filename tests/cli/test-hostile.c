/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands on hostile input: one sentence, the right status, no leftover files. */

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "core/format/npy.h"
#include "core/image/probe.h"
#include "harness.h"

#define SMALL                                                                                                          \
  "--threads 2 --set descriptor.kind=linear --set dictionary.atoms=6 --set dictionary.iterations=3 "                   \
  "--set descriptor.patch=16 --set descriptor.step=16 "
#define FOLDERS "classify --set dataset.kind=folders --set dataset.train-per-class=2 --set dataset.splits=2 " SMALL

static void
write_image (Shell *shell, const char *name, int side, guint seed)
{
  g_autoptr (TosstImage) image = tosst_image_new (side, side, 1);
  g_autoptr (GFile) file = shell_file (shell, name);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (int i = 0; i < side * side; i++)
    image->data[i] = (float)g_rand_double (random);
  g_assert_true (tosst_image_write_png (image, file, NULL));
}

static void
make_folder (Shell *shell, const char *name)
{
  g_autofree char *path = shell_path (shell, name);

  g_assert_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
}

static void
write_set (Shell *shell)
{
  make_folder (shell, "set/a");
  make_folder (shell, "set/b");
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *a = g_strdup_printf ("set/a/%u.png", i), *b = g_strdup_printf ("set/b/%u.png", i);

      write_image (shell, a, 64, i);
      write_image (shell, b, 64, 10 + i);
    }
}

static void
put_chunk (GByteArray *png, const char *type, const guint8 *data, guint32 size)
{
  guint32 big = GUINT32_TO_BE (size), sum = GUINT32_TO_BE (crc32 (crc32 (0, (const guint8 *)type, 4), data, size));

  g_byte_array_append (png, (const guint8 *)&big, 4);
  g_byte_array_append (png, (const guint8 *)type, 4);
  g_byte_array_append (png, data, size);
  g_byte_array_append (png, (const guint8 *)&sum, 4);
}

/* The beginning of a PNG of so many pixels a side. */
static void
write_huge (Shell *shell, const char *name, guint side)
{
  g_autoptr (GByteArray) png = g_byte_array_new ();
  guint32 header[2] = { GUINT32_TO_BE (side), GUINT32_TO_BE (side) };
  guint8 ihdr[13] = { [8] = 8 };

  memcpy (ihdr, header, 8);
  g_byte_array_append (png, (const guint8 *)"\211PNG\r\n\032\n", 8);
  put_chunk (png, "IHDR", ihdr, 13);
  put_chunk (png, "IDAT", ihdr, 8);
  put_chunk (png, "IEND", ihdr, 0);
  shell_write (shell, name, png->data, png->len);
}

/* Only the expected files exist: no temporary file, no partial output. */
static void
expect_clean (Shell *shell)
{
  g_autoptr (GDir) dir = g_dir_open (shell->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    if (name[0] == '.' || g_str_has_prefix (name, "new"))
      g_error ("%s was left behind", name);
}

static void
cut_file (Shell *shell, const char *from, const char *to, gsize length)
{
  g_autoptr (GBytes) bytes = shell_read (shell, from);

  g_assert_cmpuint (length, <, g_bytes_get_size (bytes));
  shell_write (shell, to, g_bytes_get_data (bytes, NULL), length);
}

static const guint8 tiny_gif[] = { 'G', 'I',  'F', '8', '9', 'a', 1, 0, 1, 0, 0x80, 0, 0, 0,    0, 0, 255, 255,
                                   255, 0x2c, 0,   0,   0,   0,   1, 0, 1, 0, 0,    2, 2, 0x44, 1, 0, 0x3b };

/* Truncated at any place, not an image, too small: an error of describe and predict for a single file, skipped among
 * others. */
static void
test_images (Shell *shell, gconstpointer data)
{
  g_autoptr (GBytes) whole = NULL;
  gsize length;

  write_set (shell);
  shell_expect_done (shell, FOLDERS "--set dataset.path=set --model M.npz -q");
  whole = shell_read (shell, "set/a/0.png");
  length = g_bytes_get_size (whole);
  const gsize cuts[] = { 0, 3, 8, 33, length / 2, length - 10, length - 1 };
  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      cut_file (shell, "set/a/0.png", "set/a/cut.png", cuts[i]);
      shell_expect_failure (shell, "describe set/a/cut.png -o new.npy " SMALL, 1, "cut.png");
      shell_expect_failure (shell, "predict -m M.npz set/a/cut.png", 1, "cut.png");
      shell_expect_done (shell, FOLDERS "--set dataset.path=set");
      g_assert_nonnull (strstr (shell->output, "1 file was skipped; a/cut.png: "));
    }
  for (gsize cut = 3; cut < sizeof tiny_gif; cut += 5)
    {
      shell_write (shell, "cut.gif", tiny_gif, cut);
      shell_expect_failure (shell, "describe cut.gif -o new.npy " SMALL, 1, "cut.gif");
      shell_expect_failure (shell, "predict -m M.npz cut.gif", 1, "cut.gif");
    }
  shell_write (shell, "set/a/cut.png", "only text\n", 10);
  shell_expect_failure (shell, "describe set/a/cut.png -o new.npy " SMALL, 1, "is a text file");
  shell_expect_done (shell, FOLDERS "--set dataset.path=set");
  g_assert_nonnull (strstr (shell->output, "1 file was skipped; a/cut.png: is a text file"));
  write_image (shell, "set/a/cut.png", 8, 1);
  shell_expect_failure (shell, "describe set/a/cut.png -o new.npy " SMALL, 1, "too small for a patch of 16");
  shell_expect_failure (shell, "predict -m M.npz set/a/0.png set/a/cut.png", 1, "smaller than a patch of 16");
  shell_expect_done (shell, FOLDERS "--set dataset.path=set");
  g_assert_nonnull (strstr (shell->output, "smaller than a patch of 16"));
  shell_expect_failure (shell, "describe set -o new.npy", 1, "set/a/cut.png is 8 ");
  expect_clean (shell);
}

/* 900,000 pixels a side, more than any machine has memory for: the required memory is reported and not allocated. */
static void
test_huge_image (Shell *shell, gconstpointer data)
{
  struct rusage usage;

  write_set (shell);
  write_huge (shell, "set/a/huge.png", 900000);
  shell_expect_failure (shell, "describe set/a/huge.png -o new.npy", 1, "need 3.2");
  shell_expect_failure (shell, "describe set/a/huge.png -o new.npy --at 5,5", 1, "need 3.2");
  shell_expect_done (shell, FOLDERS "--set dataset.path=set --model M.npz");
  g_assert_nonnull (strstr (shell->output, "900000 × 900000 pixels need 3.2"));
  shell_expect_failure (shell, "predict -m M.npz set/a/huge.png", 1, "need 3.2");
  getrusage (RUSAGE_CHILDREN, &usage);
  g_assert_cmpint (usage.ru_maxrss, <, 800 * 1024);
  expect_clean (shell);
}

static void
test_data_sets (Shell *shell, gconstpointer data)
{
  write_set (shell);
  make_folder (shell, "empty");
  make_folder (shell, "set/c");
  write_image (shell, "set/c/0.png", 8, 1);
  shell_expect_failure (shell, FOLDERS "--set dataset.path=empty --report new.json", 1, "no image found");
  shell_expect_failure (shell, FOLDERS "--set dataset.path=set/a --report new.json", 1, "lie in the folder itself");
  shell_expect_failure (shell, FOLDERS "--set dataset.path=set --report new.json", 1,
                        "class “c” needs at least two usable images");
  shell_expect_failure (shell, FOLDERS "--set dataset.path=set --set dataset.exclude=b,c --report new.json", 1,
                        "only one class");
  shell_expect_failure (shell,
                        FOLDERS "--set dataset.path=set --set dataset.exclude=c --set dataset.train-per-class=4 "
                                "--report new.json",
                        1, "lower it to 3 or less");
  shell_expect_failure (
      shell, FOLDERS "--set dataset.path=set --set dataset.exclude=c --set dictionary.atoms=449 --report new.json -q",
      1, "more than the slices of all training patches, 448");
  expect_clean (shell);
}

typedef struct
{
  const char *setting, *fragment;
  int status; /* 2: invalid arguments; 1: invalid with the rest of the recipe or the data */
} Wrong;

static void
test_values (Shell *shell, gconstpointer data)
{
  static const Wrong table[] = {
    { "dictionary.lambda=-1", "dictionary.lambda must be between", 2 },
    { "dictionary.lambda=nan", "dictionary.lambda", 2 },
    { "dictionary.gamma=0", "dictionary.gamma must be between", 2 },
    { "dictionary.atoms=1e9", "dictionary.atoms must be a whole number", 2 },
    { "dictionary.atoms=1000000000", "dictionary.atoms must be between", 2 },
    { "dictionary.sample=1000000000000", "dictionary.sample must be between", 2 },
    { "dictionary.sample=1 --set dictionary.atoms=8", "dictionary.sample is 1, too few tensors", 1 },
    { "dictionary.seed=junk", "dictionary.seed must be a whole number", 2 },
    { "dataset.splits=0", "dataset.splits must be between", 2 },
    { "descriptor.step=0", "descriptor.step must be between", 2 },
    { "dataset.block=8", "too small for a patch of 16", 1 },
    { "dataset.block-step=0", "dataset.block-step must be between", 2 },
    { "dictionary.atoms=100000 --set dictionary.sample=100000", "of memory", 1 },
    { "dictionary.scheme=low-rank --set dictionary.rank=8", "dictionary.rank is 8, more than the side", 1 },
  };
  static const char recipe[] = "[dictionary]\natoms=6\n\n[descriptor]\nstepp=3\n";

  write_set (shell);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *line
          = g_strdup_printf (FOLDERS "--set dataset.path=set --quiet --report new.json --set %s", table[i].setting);

      shell_expect_failure (shell, line, table[i].status, table[i].fragment);
    }
  shell_write (shell, "r.ini", recipe, strlen (recipe));
  shell_expect_failure (shell, "classify r.ini --report new.json", 1, "line 5: unknown key descriptor.stepp");
  expect_clean (shell);
}

static void
test_outputs (Shell *shell, gconstpointer data)
{
  static const char *const bad[] = { "missing/new", "folder", "/dev/full", "old/new" };

  write_set (shell);
  make_folder (shell, "folder");
  shell_write (shell, "old", "old", 3);
  shell_expect_done (shell, "describe set/a/0.png set/a/1.png -o T.npy -q " SMALL);
  shell_expect_done (shell, "learn T.npy -o D.npz -q " SMALL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      static const char *const lines[] = {
        "describe set/a/0.png -o %s " SMALL,
        "learn T.npy -o %s " SMALL,
        "learn T.npy -o new.npz --trace %s " SMALL,
        "code T.npy -d D.npz -o %s",
        "code T.npy -d D.npz -o new.npy --report %s",
        FOLDERS "--set dataset.path=set --report %s",
        FOLDERS "--set dataset.path=set --confusion %s",
        FOLDERS "--set dataset.path=set --model %s",
      };

      for (guint j = 0; j < G_N_ELEMENTS (lines); j++)
        {
          g_auto (GStrv) parts = g_strsplit (lines[j], "%s", 2);
          g_autofree char *line = g_strjoinv (bad[i], parts);

          shell_expect_failure (shell, line, 1, bad[i]);
        }
    }
  /* On a full disk the old file is kept. ulimit counts blocks of 512 bytes; the signal is ignored. */
  g_assert_cmpint (shell_script (shell, "trap '' XFSZ; ulimit -f 1; $T describe set/a/*.png -o old " SMALL), ==, 1);
  g_assert_nonnull (strstr (shell->errors, "old: cannot be written"));
  g_assert_cmpint (shell_script (shell, "test \"$(cat old)\" = old"), ==, 0);
  g_assert_cmpint (shell_script (shell, "$T recipe --defaults >/dev/full"), ==, 1);
  g_assert_nonnull (strstr (shell->errors, "standard output could not be written"));
  g_assert_cmpint (shell_script (shell, "$T help >/dev/full"), ==, 1);
  /* Six files: standard streams, the folder and few images. */
  g_assert_cmpint (shell_script (shell, "ulimit -n 6; $T " FOLDERS "--set dataset.path=set -q"), ==, 1);
  g_assert_nonnull (strstr (shell->errors, "Too many open files"));
  g_assert_cmpint (shell_script (shell, "$T recipe --defaults | head -1"), ==, 0);
  g_assert_cmpstr (shell->errors, ==, "");
  /* Closed streams must not become the next file that is opened. */
  shell_script (shell, "$T describe set/a/0.png set/a/1.png -o T2.npy " SMALL " <&- >&- 2>&-");
  g_assert_cmpint (shell_script (shell, "cmp T.npy T2.npy"), ==, 0);
  expect_clean (shell);
}

static void
test_read_only_folder (Shell *shell, gconstpointer data)
{
  if (geteuid () == 0
      && shell_script (shell, "setpriv --reuid=65534 --regid=65534 --clear-groups \"$T\" --version") != 0)
    {
      g_test_skip ("the superuser may write anywhere, and setpriv is not there");
      return;
    }
  make_folder (shell, "folder");
  write_image (shell, "folder/a.png", 32, 1);
  g_assert_cmpint (shell_script (shell,
                                 "chmod 755 . && chmod 555 folder && cd folder && "
                                 "$(test $(id -u) = 0 && echo setpriv --reuid=65534 --regid=65534 --clear-groups) "
                                 "\"$T\" describe a.png -o b.npy --set descriptor.kind=linear"),
                   ==, 1);
  g_assert_nonnull (strstr (shell->errors, "b.npy: cannot be written: Permission denied"));
  g_assert_cmpint (shell_script (shell, "chmod 755 folder; test $(ls -A folder) = a.png"), ==, 0);
}

static void
test_models (Shell *shell, gconstpointer data)
{
  write_set (shell);
  shell_expect_done (shell, FOLDERS "--set dataset.path=set --model M.npz --dictionary D.npz -q");
  shell_expect_done (shell, "describe set/a/0.png -o T.npy -q " SMALL);
  shell_expect_failure (shell, "predict -m D.npz set/a/0.png", 1, "D.npz is a dictionary, not a model");
  shell_expect_failure (shell, "predict -m T.npy set/a/0.png", 1, "T.npy");
  cut_file (shell, "M.npz", "cut.npz", 1000);
  shell_expect_failure (shell, "predict -m cut.npz set/a/0.png", 1, "cut.npz");
  /* A model contains the dictionary and may be used as one. */
  shell_expect_done (shell, "code T.npy -d M.npz -o A.npy -q");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy -q");
  g_assert_cmpint (shell_script (shell, "cmp A.npy B.npy"), ==, 0);
}

static void
expect_same_member (JsonObject *a, JsonObject *b, const char *name)
{
  if (!json_node_equal (json_object_get_member (a, name), json_object_get_member (b, name)))
    g_error ("%s differs", name);
}

/* The same seed gives the same output, on one thread or two, from --set or from a file. */
static void
test_repeatable (Shell *shell, gconstpointer data)
{
  static const char *const same[] = { "accuracy", "accuracy_mean", "accuracy_std", "per_class", "splits", "recipe" };
  static const char *const reports[] = { "2.json", "3.json", "4.json" };
  g_autoptr (JsonObject) first = NULL;

  write_set (shell);
  shell_expect_done (shell, FOLDERS "--set dataset.path=set -q --report 1.json");
  shell_expect_done (shell, FOLDERS "--set dataset.path=set -q --report 2.json");
  shell_expect_done (shell, FOLDERS "--set dataset.path=set -q --report 3.json --threads 1");
  shell_expect_done (shell, "recipe --set dataset.kind=folders --set dataset.train-per-class=2 "
                            "--set dataset.splits=2 --set dataset.path=set " SMALL);
  shell_write (shell, "r.ini", shell->output, strlen (shell->output));
  shell_expect_done (shell, "classify r.ini -q --report 4.json --threads 2");
  first = shell_read_json (shell, "1.json");
  for (guint i = 0; i < G_N_ELEMENTS (reports); i++)
    {
      g_autoptr (JsonObject) other = shell_read_json (shell, reports[i]);

      for (guint j = 0; j < G_N_ELEMENTS (same); j++)
        if (i != 1 || j != 4) /* certificates may differ in the last digit between numbers of threads */
          expect_same_member (first, other, same[j]);
    }
}

static void
test_protocols (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) one = NULL, fixed = NULL;

  write_set (shell);
  shell_expect_done (shell, FOLDERS "--set dataset.path=set --set dataset.protocol=leave-one-out -q --report 1.json");
  one = shell_read_json (shell, "1.json");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (one, "accuracy")), ==, 4);
  make_folder (shell, "sides");
  g_assert_cmpint (shell_script (shell, "cp -r set sides/train && cp -r set sides/test && "
                                        "rm sides/train/*/[01].png sides/test/*/[23].png"),
                   ==, 0);
  shell_expect_done (shell, FOLDERS "--set dataset.path=sides --set dataset.protocol=fixed -q --report 2.json");
  fixed = shell_read_json (shell, "2.json");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (fixed, "accuracy")), ==, 1);
  g_assert_cmpint (shell_script (shell, "rm sides/test/b/*.png"), ==, 0);
  shell_expect_failure (shell, FOLDERS "--set dataset.path=sides --set dataset.protocol=fixed", 1,
                        "class “b” has no usable image in the folder test");
}

/* A run of many splits, stopped in each of its stages. */
static void
test_interrupts (Shell *shell, gconstpointer data)
{
  for (guint time = 150; time < 1500; time += 223)
    shell_interrupt (shell,
                     "classify --threads 2 --set descriptor.kind=linear --set descriptor.step=20 --set "
                     "dictionary.atoms=30 --set dictionary.iterations=20 --set dataset.splits=1000 --report r.json",
                     time / 1e3);
  expect_clean (shell);
}

/* The file once, and the system's reason. */
static void
test_missing (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell, "learn none.npy -o D.npz", 1, "/none.npy could not be read: No such file or directory");
  shell_expect_failure (shell, "code none.npy -d none.npz -o A.npy", 1,
                        ".npz could not be read: No such file or directory");
  shell_expect_failure (shell, "recipe none.recipe", 1, "/none.recipe could not be read: No such file or directory");
  shell_expect_failure (shell, "recipe .", 1, "no image found");
}

/* Names with line ends, tabs and control sequences: one line per image, and the terminal receives no control
 * characters. */
static void
test_names (Shell *shell, gconstpointer data)
{
  guint lines = 0;

  write_set (shell);
  make_folder (shell, "set/c\nd\te");
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *c = g_strdup_printf ("set/c\nd\te/%u\033[2J.png", i);

      write_image (shell, c, 64, 20 + i);
    }
  shell_expect_done (shell, FOLDERS "--set dataset.path=set --model m.npz --workspace w.sqlite");
  shell_expect_done (shell, "predict --model m.npz --margins set");
  for (const char *c = shell->output; *c; c++)
    lines += *c == '\n';
  g_assert_cmpuint (lines, ==, 13);
  g_assert_null (strchr (shell->output, '\033'));
  shell_expect_done (shell, "runs w.sqlite --show 1 --title 'a\nb\033[2J' --note 'c\nd'");
  shell_expect_done (shell, "runs w.sqlite");
  g_assert_nonnull (strstr (shell->output, "a b"));
  g_assert_null (strchr (shell->output, '\033'));
  shell_expect_failure (shell, "describe 'none\033[2J.png' -o t.npy", 1, "none\357\277\275[2J.png: cannot be read");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add ("/hostile/" path, Shell, NULL, shell_set_up, function, shell_tear_down)
  ADD ("images", test_images);
  ADD ("huge-image", test_huge_image);
  ADD ("data-sets", test_data_sets);
  ADD ("missing", test_missing);
  ADD ("names", test_names);
  ADD ("values", test_values);
  ADD ("outputs", test_outputs);
  ADD ("read-only-folder", test_read_only_folder);
  ADD ("models", test_models);
  ADD ("repeatable", test_repeatable);
  ADD ("protocols", test_protocols);
  ADD ("interrupts", test_interrupts);
#undef ADD
  return g_test_run ();
}
