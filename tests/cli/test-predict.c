/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Predictions of all kinds of models on new images, maps, and leave-one-out over folders of materials. */

#include "harness.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "core/data/textures.h"
#include "core/format/npy.h"
#include "core/image/probe.h"

#define QUICK                                                                                                          \
  "--threads 2 --set descriptor.kind=linear --set descriptor.step=16 --set dictionary.atoms=10 "                       \
  "--set dictionary.iterations=3 --set dictionary.sample=400 --set dataset.splits=1 "

static void
write_tile (Shell *shell, const char *name, const char *texture, guint variant)
{
  g_autoptr (GFile) file = shell_file (shell, name);
  guint i = 0;

  while (strcmp (tosst_textures_name (i), texture) != 0)
    i++;
  g_autoptr (TosstImage) image = tosst_textures_render (i, variant, TRUE);
  g_assert_true (tosst_image_write_png (image, file, NULL));
}

/* classes folders, 0 to count - 1 in each. */
static void
write_classes (Shell *shell, const char *folder, const char *const *classes, guint count)
{
  for (; *classes; classes++)
    {
      g_autofree char *path = g_build_filename (shell->folder, folder, *classes, NULL);

      g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
      for (guint i = 0; i < count; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%s/%02u.png", folder, *classes, i + 1);

          write_tile (shell, name, *classes, i);
        }
    }
}

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static const char *const three[] = { "bricks", "gingham", "wood", NULL };

/* Any model predicts new images from a single file. */
static void
test_kinds (Shell *shell, gconstpointer data)
{
  static const char *const kinds[] = {
    "",
    "--set dictionary.scheme=low-rank --set dictionary.rank=2",
    "--set dictionary.scheme=free",
    "--set dictionary.scheme=full",
    "--set dictionary.source=random --set pooling.kind=maxexp",
    "--set descriptor.kind=rbf --set descriptor.pivots=2 --set coding.nonnegative-beta=true",
    "--set descriptor.kind=covariance --set pooling.kind=exapro",
    "--set descriptor.kind=autocorrelation --set pooling.kind=at-n",
    "--set coding.method=raw",
    "--set descriptor.kind=covariance --set coding.method=raw --set pooling.kind=gamma",
    "--set descriptor.kind=covariance --set coding.method=log-euclidean --set pooling.kind=max",
  };

  write_classes (shell, "set", three, 6);
  write_classes (shell, "new", three, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *line = g_strconcat ("classify --set dataset.kind=folders --set dataset.path=set --model M.npz "
                                           "--set dataset.train-per-class=4 " QUICK,
                                           kinds[i], NULL);

      shell_expect_done (shell, line);
      shell_expect_done (shell, "predict -m M.npz new --margins");
      g_assert_cmpuint (count_lines (shell->output), ==, 4);
      g_assert_true (g_str_has_prefix (shell->output, "image\tclass\tmargin\tbricks\tgingham\twood\n"));
      shell_expect_done (shell, "predict -m M.npz new/wood/01.png --map-npy map.npy --window 64");
      g_assert_true (g_str_has_prefix (shell->output, "new/wood/01.png: "));
    }
}

static void
train_three (Shell *shell)
{
  write_classes (shell, "set", three, 8);
  shell_expect_done (
      shell,
      "classify --set dataset.kind=folders --set dataset.path=set --model M.npz --set "
      "dataset.block=64 --set dataset.block-step=32 --set descriptor.patch=16 --set dataset.train-per-class=6 --set "
      "descriptor.kind=covariance --set coding.method=log-euclidean --set descriptor.step=8 "
      "--set dataset.splits=1");
}

/* Unreadable files are reported and the others are classified; folders are searched. */
static void
test_batch (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) result = NULL;
  g_autoptr (GBytes) whole = NULL;
  g_autofree char *empty = shell_path (shell, "empty");
  JsonArray *predictions;

  train_three (shell);
  whole = shell_read (shell, "set/bricks/01.png");
  shell_write (shell, "set/gingham/broken.png", g_bytes_get_data (whole, NULL), 400);
  g_assert_cmpint (g_mkdir (empty, 0777), ==, 0);

  /* A single failure is the message of the command. */
  shell_expect_failure (shell, "predict -m M.npz set", 1, "broken.png");
  g_assert_cmpuint (count_lines (shell->output), ==, 24);
  g_assert_nonnull (strstr (shell->output, "set/wood/08.png\twood\t"));

  /* Several failures are one line each, and their number. */
  g_assert_cmpint (shell_tosst (shell, "predict -m M.npz set empty missing.png set/wood/01.png --json"), ==, 1);
  g_assert_cmpuint (count_lines (shell->errors), ==, 4);
  g_assert_nonnull (strstr (shell->errors, "empty: no image in this folder"));
  g_assert_nonnull (strstr (shell->errors, "missing.png"));
  g_assert_nonnull (strstr (shell->errors, "inputs not classified: 3; images classified: 25"));
  result = shell_said (shell);
  predictions = json_object_get_array_member (result, "predictions");
  g_assert_cmpuint (json_array_get_length (predictions), ==, 25);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (result, "failed")), ==, 3);
  for (guint i = 0; i < 25; i++)
    {
      JsonObject *one = json_array_get_object_element (predictions, i);
      JsonObject *margins = json_object_get_object_member (one, "margins");
      double margin = json_object_get_double_member (one, "margin");

      g_assert_cmpuint (json_object_get_size (margins), ==, 3);
      for (const char *const *name = three; *name; name++)
        g_assert_cmpfloat (json_object_get_double_member (margins, *name), <=, margin);
    }
  shell_expect_failure (shell, "predict -m M.npz empty", 1, "no image in this folder");
  shell_expect_failure (shell, "predict -m M.npz", 2, "needs IMAGE");
}

/* The array and the picture of two textures side by side agree and are correct. */
static void
test_map (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstImage) mosaic = tosst_image_new (256, 128, 1), picture = NULL;
  g_autoptr (GFile) file = shell_file (shell, "mosaic.png"), array = shell_file (shell, "map.npy"),
                    drawn = shell_file (shell, "map.png");
  g_autoptr (TosstNpy) map = NULL;
  g_autoptr (JsonObject) result = NULL;
  guint inside = 0, right = 0;

  train_three (shell);
  for (int side = 0; side < 2; side++)
    {
      g_autoptr (GFile) tile = shell_file (shell, side == 0 ? "set/wood/08.png" : "set/bricks/08.png");
      g_autoptr (TosstImage) half = tosst_image_read_for (tile, 0, 0, NULL);

      for (int y = 0; y < 128; y++)
        memcpy (mosaic->data + y * 256 + side * 128, half->data + y * 128, 128 * sizeof (float));
    }
  mosaic->maximum = 255;
  g_assert_true (tosst_image_write_png (mosaic, file, NULL));
  shell_expect_done (shell, "predict -m M.npz mosaic.png --map map.png --map-npy map.npy --json");
  result = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (result, "map"), "window"), ==, 64);
  map = tosst_npy_read (array, NULL);
  g_assert_nonnull (map);
  g_assert_cmpint (map->ndim, ==, 3);
  g_assert_cmpuint (map->shape[0], ==, 9);
  g_assert_cmpuint (map->shape[1], ==, 25);
  g_assert_cmpuint (map->shape[2], ==, 4);
  for (gsize i = 0; i < 9 * 25; i++)
    {
      const float *row = (const float *)map->data + 4 * i;
      int x = (int)(i % 25) * 8, best = 0;

      for (int c = 1; c < 3; c++)
        best = row[1 + c] > row[1 + best] ? c : best;
      g_assert_cmpfloat (row[0], ==, best);
      if (x + 64 <= 128 || x >= 128)
        {
          inside++;
          right += best == (x < 128 ? 2 : 0);
        }
    }
  g_assert_cmpuint (inside, ==, 9 * 18);
  g_assert_cmpuint (100 * right, >, 95 * inside);
  picture = tosst_image_read_for (drawn, 0, 0, NULL);
  g_assert_cmpint (picture->channels, ==, 3);

  shell_expect_done (shell, "predict -m M.npz mosaic.png --map map.svg --window 48 --map-step 16 --opacity 1");
  g_assert_nonnull (strstr (shell->output, "mosaic.png: 14 × 6 windows of 48 × 48 pixels\n"));
  shell_expect_done (shell, "predict -m M.npz mosaic.png --map map.svg --window 48 --map-step 16 --fade");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --fade", 2, "--fade needs --map");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map map.gif", 2, "must end in .svg, .pdf or .png");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map no/map.png", 1, "no");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --map-step 12", 1, "not a multiple");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --window 129", 1, "larger than the image");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --window 15", 1, "smaller than a patch");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --window x", 2, "--window must be");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --map-step 0", 2, "--map-step must be");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --map m.png --opacity 2", 2, "--opacity must be");
  shell_expect_failure (shell, "predict -m M.npz mosaic.png --window 64", 2, "--window needs --map");
  shell_expect_failure (shell, "predict -m M.npz set --map m.png", 2, "need one image, not 24");
  g_assert_false (shell_exists (shell, "m.png"));
}

/* A large image needs only the memory of its rows, and can be interrupted. */
static void
test_interrupt (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstImage) large = tosst_image_new (1600, 1600, 1);
  g_autoptr (GFile) file = shell_file (shell, "large.png");
  g_autoptr (GError) error = NULL;
  g_autofree char *model = shell_path (shell, "M.npz"), *image = shell_path (shell, "large.png"),
                  *map = shell_path (shell, "map.png"), *errors = NULL;
  const char *const argv[] = { TOSST_PROGRAM, "predict", "-m", model, image, "--map", map, "--window", "200", NULL };

  write_classes (shell, "set", three, 5);
  shell_expect_done (
      shell, "classify --set dataset.kind=folders --set dataset.path=set --model M.npz --set "
             "dataset.train-per-class=4 --set descriptor.step=2 --set descriptor.patch=40 --set dataset.block=40 --set "
             "descriptor.kind=linear --set coding.method=raw --set dataset.splits=1 --set dataset.block-step=40");
  for (int i = 0; i < 1600 * 1600; i++)
    large->data[i] = (float)(i * 2654435761u >> 24) / 255;
  large->maximum = 255;
  g_assert_true (tosst_image_write_png (large, file, NULL));
  g_autoptr (GSubprocess) process
      = g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error);
  g_assert_no_error (error);
  shell_wait_for_handler (process, SIGINT);
  g_usleep (500000);
  g_subprocess_send_signal (process, SIGINT);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &errors, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_assert_nonnull (strstr (errors, "interrupted"));
  g_assert_false (shell_exists (shell, "map.png"));
}

/* A folder in the layout of UIUC materials: one folder per class, twelve images each, of different sizes. Twelve
 * splits. */
static void
test_leave_one_out (Shell *shell, gconstpointer data)
{
  static const char *const materials[] = { "bricks", "corduroy", "gingham", "honeycomb", "ripples", "wood", NULL };
  static const char *const roads[]
      = { "--set descriptor.kind=covariance --set coding.method=log-euclidean",
          "--set descriptor.pivots=3 --set dictionary.atoms=40 --set dictionary.iterations=4 "
          "--set dictionary.sample=1500" };

  write_classes (shell, "materials", materials, 12);
  shell_write (shell, "materials/readme.txt", "about\n", 6);
  for (gsize i = 0; i < G_N_ELEMENTS (roads); i++)
    {
      g_autofree char *line
          = g_strconcat ("classify --threads 2 --set dataset.kind=folders --set dataset.path=materials "
                         "--set dataset.protocol=leave-one-out --set descriptor.step=16 "
                         "--report r.json --confusion c.csv --model M.npz ",
                         roads[i], NULL);
      g_autoptr (JsonObject) report = NULL;

      shell_expect_done (shell, line);
      g_assert_nonnull (strstr (shell->output, "materials: 6 classes, 72 images, 72 samples\n"));
      g_assert_nonnull (strstr (shell->output, "over 12 splits"));
      report = shell_read_json (shell, "r.json");
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "accuracy")), ==, 12);
      g_test_message ("accuracy %.2f", json_object_get_double_member (report, "accuracy_mean"));
      g_assert_cmpfloat (json_object_get_double_member (report, "accuracy_mean"), >, 85); /* chance is 17 */
      shell_expect_done (shell, "predict -m M.npz materials --quiet");
    }
  shell_expect_failure (
      shell,
      "classify --set dataset.kind=folders --set dataset.path=materials --set "
      "dataset.protocol=leave-one-out --set dataset.exclude=bricks,corduroy,gingham,honeycomb,ripples",
      1, "only one class");
}

#define TEST(name, func) g_test_add (name, Shell, NULL, shell_set_up, func, shell_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST ("/predict/kinds", test_kinds);
  TEST ("/predict/batch", test_batch);
  TEST ("/predict/map", test_map);
  TEST ("/predict/interrupt", test_interrupt);
  TEST ("/predict/leave-one-out", test_leave_one_out);
  return g_test_run ();
}
