/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The commands on the sample textures and on invalid input. */

#include <math.h>
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "../opens.h"
#include "../small-images.h"
#include "core/data/frames.h"
#include "core/data/patches.h"
#include "core/data/textures.h"
#include "core/dictionary/file.h"
#include "core/dictionary/patch-coder.h"
#include "core/format/npy.h"
#include "core/image/probe.h"
#include "harness.h"
#include "tosst/code.h"

#define SMALL "--threads 2 --set descriptor.kind=linear --set dictionary.atoms=12 --set dictionary.iterations=6 "

/* The objective of the trace must fall, and add up. */
static void
check_trace (Shell *shell, const char *name)
{
  g_autoptr (GBytes) bytes = shell_read (shell, name);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  double last = INFINITY;

  g_assert_cmpstr (lines[0], ==,
                   "iteration,seconds,objective,fit,proximity,sparsity,mean_nonzeros,unused_atoms,worst_kkt");
  g_assert_cmpuint (g_strv_length (lines), >=, 3);
  for (int i = 1; lines[i]; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);
      double objective = g_ascii_strtod (cells[2], NULL), sum = 0;

      g_assert_cmpuint (g_strv_length (cells), ==, 9);
      g_assert_cmpint (atoi (cells[0]), ==, i);
      for (int part = 3; part <= 5; part++)
        sum += g_ascii_strtod (cells[part], NULL);
      g_assert_cmpfloat (fabs (sum - objective), <, 1e-9 * objective);
      g_assert_cmpfloat (objective, <=, last * (1 + 1e-9));
      last = objective;
    }
}

static void
check_report (Shell *shell, gsize tensors, gsize atoms)
{
  g_autoptr (JsonObject) report = shell_read_json (shell, "report.json");
  JsonArray *objective = json_object_get_array_member (report, "objective");

  g_assert_cmpuint (json_array_get_length (objective), ==, tensors);
  for (gsize i = 0; i < tensors; i++)
    g_assert_cmpfloat (json_array_get_double_element (objective, i), >=, 0);
  g_assert_cmpfloat (json_object_get_double_member (report, "worst_kkt"), <, 1e-4);
  g_assert_cmpfloat (json_object_get_double_member (report, "mean_nonzeros"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (report, "mean_nonzeros"), <=, atoms);
  g_assert_cmpfloat (json_object_get_double_member (report, "ms_per_tensor"), >, 0);
  g_assert_true (json_object_has_member (report, "setup_ms"));
  g_assert_cmpint (json_object_get_int_member (report, "threads"), ==, 2);
}

/* describe, learn and code give outputs of the right shape, and the same bytes when repeated. */
static void
test_road (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) said = NULL;
  g_autoptr (TosstNpy) tensors = NULL, codes = NULL;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_write_texture (shell, "b.png", 1, 0);
  shell_expect_done (shell, "describe a.png b.png -o T.npy --json " SMALL);
  said = shell_said (shell);
  tensors = shell_read_array (shell, "T.npy");
  g_assert_cmpuint (tensors->shape[1], ==, 84);
  g_assert_cmpint (json_object_get_int_member (said, "d"), ==, 7);
  g_assert_cmpint (json_object_get_int_member (said, "m"), ==, 84);
  g_assert_cmpint (json_object_get_int_member (said, "N"), ==, tensors->shape[0]);
  shell_expect_done (shell, "learn T.npy -o D.npz --trace trace.csv " SMALL);
  check_trace (shell, "trace.csv");
  shell_expect_done (shell, "code --quiet --dictionary D.npz T.npy -o A.npy --report report.json " SMALL);
  g_assert_cmpstr (shell->output, ==, "");
  check_report (shell, tensors->shape[0], 12);
  codes = shell_read_array (shell, "A.npy");
  g_assert_cmpint (codes->type, ==, TOSST_NPY_FLOAT32);
  g_assert_cmpuint (codes->shape[0], ==, tensors->shape[0]);
  g_assert_cmpuint (codes->shape[1], ==, 12);
  for (gsize i = 0; i < codes->count; i++)
    g_assert_cmpfloat (((float *)codes->data)[i], >=, 0);
  shell_expect_done (shell, "describe a.png b.png -o T2.npy " SMALL);
  shell_expect_done (shell, "learn T.npy -o D2.npz " SMALL);
  shell_expect_done (shell, "code T.npy -d D2.npz -o A2.npy " SMALL);
  shell_expect_same_files (shell, "T.npy", "T2.npy");
  shell_expect_same_files (shell, "D.npz", "D2.npz");
  shell_expect_same_files (shell, "A.npy", "A2.npy");
}

/* From images the dictionary has the bytes of describe and learn, from all tensors and from some of them. */
static void
test_learn_images (Shell *shell, gconstpointer data)
{
  static const char *const settings[] = { "", "--set dictionary.sample=50", "--set descriptor.kind=covariance" };

  shell_write_texture (shell, "a.png", 0, 0);
  shell_write_texture (shell, "b.png", 1, 0);
  g_assert_cmpint (shell_script (shell, "mkdir both && cp a.png b.png both"), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *describe = g_strdup_printf ("describe a.png b.png -o T.npy " SMALL "%s", settings[i]),
                      *rows = g_strdup_printf ("learn T.npy -o rows.npz " SMALL "%s", settings[i]),
                      *images = g_strdup_printf ("learn a.png b.png -o images.npz " SMALL "%s", settings[i]),
                      *folder = g_strdup_printf ("learn both -o folder.npz " SMALL "%s", settings[i]);

      shell_expect_done (shell, describe);
      shell_expect_done (shell, rows);
      shell_expect_done (shell, images);
      shell_expect_done (shell, folder);
      shell_expect_same_files (shell, "rows.npz", "images.npz");
      shell_expect_same_files (shell, "rows.npz", "folder.npz");
    }
  /* Resumed from either, for the tensors are the same; not from other images. */
  shell_expect_done (shell, "learn T.npy -o rows.npz --resume images.npz --set dictionary.iterations=40");
  shell_expect_done (shell, "learn a.png b.png -o images.npz --resume images.npz --set dictionary.iterations=40");
  shell_expect_same_files (shell, "rows.npz", "images.npz");
  shell_expect_failure (shell, "learn b.png a.png -o no.npz --resume images.npz --set dictionary.iterations=50", 1,
                        "b.png a.png");
  shell_expect_failure (shell, "learn a.png -o no.npz --set dictionary.minibatch=64", 1, "dictionary.minibatch");
  shell_expect_failure (shell, "learn a.png -o no.npz --set descriptor.kind=lbp", 1, "descriptor.kind");
  shell_expect_failure (shell, "learn a.png none.png -o no.npz", 1, "none.png");
  shell_expect_failure (shell, "learn a.png b.png -o no.npz --set descriptor.patch=4000", 1, "a.png");
  g_assert_false (shell_exists (shell, "no.npz"));
}

/* The row of --at is the row of the grid at the same place; rows are ordered by image. */
static void
test_at (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstNpy) all = NULL, one = NULL, root = NULL;
  int columns = (TOSST_TEXTURE_SIZE - 20) / 10 + 1;
  gsize row = (gsize)columns * columns + 2 * columns + 3;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_write_texture (shell, "b.png", 1, 0);
  shell_expect_done (shell, "describe a.png b.png -o T.npy " SMALL);
  shell_expect_done (shell, "describe b.png --at 30,20 -o one.npy " SMALL);
  all = shell_read_array (shell, "T.npy");
  one = shell_read_array (shell, "one.npy");
  g_assert_cmpuint (all->shape[0], ==, 2 * columns * columns);
  g_assert_cmpuint (one->shape[0], ==, 1);
  for (int i = 0; i < 84; i++)
    g_assert_cmpfloat_with_epsilon (((float *)all->data)[row * 84 + i], ((float *)one->data)[i], 1e-6);
  shell_expect_done (shell, "describe b.png --at 30,20 -o root.npy --set descriptor.gamma-coefficient=0.5 " SMALL);
  root = shell_read_array (shell, "root.npy");
  for (int i = 0; i < 84; i++)
    {
      double entry = ((float *)one->data)[i];
      g_assert_cmpfloat_with_epsilon (((float *)root->data)[i], copysign (sqrt (fabs (entry)), entry), 1e-5);
    }
  shell_expect_failure (shell, "describe b.png --at 99999,0 -o no.npy " SMALL, 1, "b.png");
  shell_expect_failure (shell, "describe b.png --at 3 -o no.npy " SMALL, 2, "--at");
  shell_expect_failure (shell, "describe b.png -o no.npy --set descriptor.patch=4000", 1, "b.png");
  g_assert_false (shell_exists (shell, "no.npy"));
}

#define FRAMES "--set descriptor.frames=keypoints --set descriptor.most=80 --set descriptor.longest-side=100 "

static void
set_values (TosstRecipe *recipe, const char *const (*values)[2], gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_assert_true (tosst_recipe_set (recipe, values[i][0], values[i][1], NULL));
}

/* Tensors of patches at frames are those that a run of the same folder learns from, and --at is the one with the nearest
 * centre. */
static void
test_frames (Shell *shell, gconstpointer data)
{
  static const char *const values[][2] = { { "dataset.kind", "folders" },
                                           { "descriptor.kind", "linear" },
                                           { "descriptor.frames", "keypoints" },
                                           { "descriptor.most", "80" },
                                           { "descriptor.longest-side", "100" } };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *folder = shell_path (shell, "set");
  g_autoptr (TosstNpy) all = NULL, one = NULL;
  TosstContext *context = tosst_context_new (1);

  g_assert_cmpint (shell_script (shell, "mkdir -p set/a set/b"), ==, 0);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("set/%c/%u.png", "ab"[i / 2], i % 2);

      shell_write_texture (shell, name, i / 2, i % 2);
    }
  shell_expect_done (shell, "describe set -o T.npy " SMALL FRAMES);
  all = shell_read_array (shell, "T.npy");
  g_assert_true (tosst_recipe_set (recipe, "dataset.path", folder, NULL));
  set_values (recipe, values, G_N_ELEMENTS (values));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (TosstPatches) patches = tosst_patches_find (recipe, context, NULL, dataset, NULL, NULL);
  g_autofree float *tensors = g_new (float, patches->count * 84);
  g_assert_cmpuint (patches->images, ==, 4);
  g_assert_cmpuint (all->shape[0], ==, patches->count);
  for (guint i = 0; i < 4; i++)
    {
      gsize first = patches->first[i], n = patches->first[i + 1] - first;
      g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, i, 0, NULL);

      g_assert_cmpuint (n, >, 20);
      g_assert_cmpint (
          tosst_describe_places (recipe, context, image, NULL, patches->frames + first, n, tensors + first * 84), ==,
          TOSST_OK);
    }
  for (gsize i = 0; i < patches->count * 84; i++)
    g_assert_cmpfloat_with_epsilon (tensors[i], ((float *)all->data)[i], 1e-6);
  const TosstFrame *last = &patches->frames[patches->count - 1];
  g_autofree char *at
      = g_strdup_printf ("describe set/b/1.png -o one.npy --at %.0f,%.0f " SMALL FRAMES, last->x, last->y);
  shell_expect_done (shell, at);
  one = shell_read_array (shell, "one.npy");
  g_assert_cmpuint (one->shape[0], ==, 1);
  gsize row = patches->first[3]
              + tosst_frames_nearest (patches->frames + patches->first[3], patches->count - patches->first[3],
                                      round (last->x), round (last->y));
  for (int i = 0; i < 84; i++)
    g_assert_cmpfloat_with_epsilon (tensors[row * 84 + i], ((float *)one->data)[i], 1e-6);
  shell_expect_done (shell, "learn set -o images.npz " SMALL FRAMES);
  shell_expect_done (shell, "learn T.npy -o rows.npz " SMALL FRAMES);
  shell_expect_same_files (shell, "rows.npz", "images.npz");
  shell_expect_done (
      shell, "sparsify set/a/0.png --at 50,60 --separate --atoms 20 --set descriptor.absolute=true " SMALL FRAMES);
  shell_expect_failure (shell, "describe set/a/0.png -o no.npy --at 50,999 " SMALL FRAMES, 1, "50,999 is outside");
  tosst_context_free (context);
}

/* An image without a keypoint has one patch, and is counted. */
static void
test_no_frames (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) said = NULL;
  g_autoptr (TosstNpy) tensors = NULL;

  shell_write_texture (shell, "a.png", 0, 0);
  g_assert_cmpint (shell_script (shell, "{ echo P5 40 30 255; head -c 1200 /dev/zero; } > flat.pgm"
                                        " && { echo P5 3 2 255; echo abcde; } > tiny.pgm"),
                   ==, 0);
  shell_expect_done (shell, "describe flat.pgm tiny.pgm -o T.npy " SMALL FRAMES);
  g_assert_nonnull (strstr (shell->output, "no frame was found in 2 images"));
  tensors = shell_read_array (shell, "T.npy");
  g_assert_cmpuint (tensors->shape[0], ==, 2);
  shell_expect_done (shell, "describe a.png flat.pgm -o T.npy --json " SMALL FRAMES);
  said = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (said, "images_without_frames"), ==, 1);
  shell_expect_done (shell, "learn a.png flat.pgm -o D.npz " SMALL FRAMES);
  g_assert_nonnull (strstr (shell->output, "no frame was found in 1 image:"));
  shell_expect_done (shell, "describe a.png flat.pgm -o T.npy --quiet " SMALL FRAMES);
  g_assert_cmpstr (shell->output, ==, "");
  g_assert_cmpint (shell_script (shell, "mkdir -p set/a set/b"), ==, 0);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("set/%c/%u.png", "ab"[i / 2], i % 2);

      shell_write_texture (shell, name, i / 2, i % 2);
    }
  shell_expect_done (shell, "classify set --quiet --model M.npz --set dataset.train-per-class=1 " SMALL FRAMES);
  shell_expect_done (shell, "predict --model M.npz a.png flat.pgm --json");
  g_autoptr (JsonObject) predicted = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (predicted, "images_without_frames"), ==, 1);
}

/* One image is read in one open, each of several in two: first for its size. */
static void
test_describe_opens (Shell *shell, gconstpointer data)
{
  g_autofree char *path = g_build_filename (shell->folder, "a.png", NULL);
  int watch;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_write_texture (shell, "b.png", 1, 0);
  watch = opens_watch (path);
  shell_expect_done (shell, "describe a.png -o T.npy " SMALL);
  g_assert_cmpuint (opens_count (watch), ==, 1);
  shell_expect_done (shell, "describe b.png a.png -o T.npy " SMALL);
  g_assert_cmpuint (opens_count (watch), ==, 2);
  shell_expect_done (shell, "describe a.png -o T.npy " SMALL FRAMES);
  g_assert_cmpuint (opens_count (watch), ==, 1);
  close (watch);
}

/* Each invalid input is reported by its sentence, and an existing output file is kept. */
static void
test_bad_input (Shell *shell, gconstpointer data)
{
  static const char *const outputs[] = { "D.npz", "A.npy", "T.npy" };
  g_autoptr (GBytes) whole = NULL;

  shell_write_tensors (shell, "good.npy", TOSST_NPY_FLOAT32, 30, 84, 0.5);
  shell_write_tensors (shell, "nan.npy", TOSST_NPY_FLOAT32, 30, 84, NAN);
  shell_write_tensors (shell, "odd.npy", TOSST_NPY_FLOAT32, 30, 85, 0.5);
  shell_write_tensors (shell, "side6.npy", TOSST_NPY_FLOAT32, 30, 56, 0.5);
  shell_expect_done (shell, "learn good.npy -o good.npz " SMALL);
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    shell_write (shell, outputs[i], "old", 3);
  whole = shell_read (shell, "good.npy");
  shell_write (shell, "cut.npy", g_bytes_get_data (whole, NULL), 1000);
  g_clear_pointer (&whole, g_bytes_unref);
  whole = shell_read (shell, "good.npz");
  shell_write (shell, "cut.npz", g_bytes_get_data (whole, NULL), g_bytes_get_size (whole) / 2);
  shell_write (shell, "text.png", "no image", 8);

  shell_expect_failure (shell, "learn missing.npy -o D.npz", 1, "missing.npy");
  shell_expect_failure (shell, "learn cut.npy -o D.npz", 1, "truncated");
  shell_expect_failure (shell, "learn nan.npy -o D.npz", 1, "NaN in row 29");
  shell_expect_failure (shell, "learn odd.npy -o D.npz", 1, "85 numbers");
  shell_expect_failure (shell, "learn good.npz -o D.npz", 1, "is not a .npy file");
  shell_expect_failure (shell, "learn good.npy -o D.npz --set dictionary.atoms=211", 1, "211");
  shell_expect_failure (shell, "learn good.npy -o D.npz --set dictionary.atoms=61 --set dictionary.sample=2", 1,
                        "more than the slices of the tensors to learn from, 14");
  shell_expect_failure (shell, "learn good.npy -o D.npz --set dictionary.atomz=3", 2, "did you mean atoms?");
  shell_expect_failure (shell, "learn good.npy -o D.npz --set dictionary.lambda=-1", 2, "dictionary.lambda");
  shell_expect_failure (shell, "learn good.npy -o /nonexistent/D.npz", 1, "/nonexistent");
  shell_expect_failure (shell, "learn good.npy -o D.npz --trace /nonexistent/t.csv", 1, "/nonexistent");
  shell_expect_failure (shell, "code good.npy -d missing.npz -o A.npy", 1, "missing.npz");
  shell_expect_failure (shell, "code good.npy -d cut.npz -o A.npy", 1, "cut.npz");
  shell_expect_failure (shell, "code good.npy -d good.npy -o A.npy", 1, "good.npy");
  shell_expect_failure (shell, "code nan.npy -d good.npz -o A.npy", 1, "NaN");
  shell_expect_failure (shell, "code side6.npy -d good.npz -o A.npy", 1, "side 6");
  shell_expect_failure (shell, "code good.npy -d good.npz -o A.npy --report /nonexistent/r.json", 1, "/nonexistent");
  shell_expect_failure (shell, "describe missing.png -o T.npy", 1, "missing.png");
  shell_expect_failure (shell, "describe text.png -o T.npy", 1, "text.png");
  shell_expect_failure (shell, "predict --model good.npz text.png", 1, "not a model");
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      g_autoptr (GBytes) bytes = shell_read (shell, outputs[i]);

      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "old", 3);
    }
}

static void
test_bad_data_sets (Shell *shell, gconstpointer data)
{
  g_autofree char *empty = shell_path (shell, "empty"), *one = shell_path (shell, "one"), *only = NULL;

  g_mkdir (empty, 0755);
  g_mkdir (one, 0755);
  only = g_build_filename (one, "only", NULL);
  g_mkdir (only, 0755);
  shell_write_texture (shell, "one/only/a.png", 0, 0);
  shell_write_texture (shell, "one/only/b.png", 0, 1);
  shell_expect_failure (shell, "classify --set dataset.kind=folders --set dataset.path=missing", 1, "missing");
  shell_expect_failure (shell, "classify --set dataset.kind=folders --set dataset.path=empty", 1, "empty");
  shell_expect_failure (shell,
                        "classify --set dataset.kind=folders --set dataset.path=one --set dataset.train-per-class=1 "
                        "--report r.json",
                        1, "one");
  g_assert_false (shell_exists (shell, "r.json"));
}

/* A folder is an argument like a recipe: the preset is that of --preset, --set changes it, and standard error names
 * what was chosen, and time, memory and disk. */
static void
test_folder (Shell *shell, gconstpointer data)
{
  g_autofree char *folder = shell_path (shell, "photographs");
  g_autoptr (JsonObject) report = NULL;

  write_small_images (folder);
  g_assert_cmpint (
      shell_tosst (
          shell,
          "classify photographs --preset quick --set descriptor.upright=true --set dataset.splits=2 --report r.json"),
      ==, 0);
  g_assert_nonnull (strstr (shell->errors, "preset quick"));
  g_assert_nonnull (
      strstr (shell->errors, "24 images of about 64 × 64 pixels: 50 % of the images of each class train"));
  g_assert_nonnull (strstr (shell->errors, "takes about"));
  g_assert_nonnull (strstr (shell->errors, "on the disk"));
  report = shell_read_json (shell, "r.json");
  g_assert_cmpfloat (json_object_get_double_member (report, "accuracy_mean"), >=, 60);
  /* The same recipe, printed and run. */
  g_assert_cmpint (
      shell_script (
          shell, "$T recipe photographs --preset quick --set descriptor.upright=true --set dataset.splits=2 > p.tosst"),
      ==, 0);
  shell_expect_done (shell, "classify p.tosst --report again.json");
  g_assert_cmpint (
      shell_script (shell,
                    "for f in r again; do tr -d ' \n' < $f.json | sed 's/.*\"accuracy\":\\(\\[[^]]*\\]\\).*/\\1/' "
                    "> $f.txt; done; cmp r.txt again.txt"),
      ==, 0);
  shell_expect_failure (shell, "classify photographs --preset slow", 2, "quick, balanced, best or tensors");
  g_assert_cmpint (shell_tosst (shell, "classify --set dataset.path=photographs --set dataset.splits=1 "
                                       "--set descriptor.kind=linear --set coding.method=raw"),
                   ==, 0);
  g_assert_cmpstr (shell->errors, ==, "tosst: dataset.kind is not given: photographs is read as folders\n");
  remove_small_images (folder);
}

/* An image in two formats is named before the run, once, and in the report. */
static void
test_near (Shell *shell, gconstpointer data)
{
  g_autofree char *folder = shell_path (shell, "photographs");
  g_autoptr (JsonObject) report = NULL;
  const char *said;

  write_small_images (folder);
  for (int i = 0; i < SMALL_IMAGES; i++)
    {
      g_autofree char *from = g_strdup_printf ("%s/wide/%d.png", folder, i),
                      *to = g_strdup_printf ("%s/wide/b%d.bmp", folder, i);
      g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file (from, NULL);

      g_assert_true (gdk_pixbuf_save (picture, to, "bmp", NULL, NULL));
    }
  shell_expect_done (shell,
                     "classify --set dataset.path=photographs --set dataset.kind=folders --set dataset.splits=3 --set "
                     "dataset.train-per-class=4 --set descriptor.kind=lbp --set coding.method=raw --report r.json");
  said = strstr (shell->output, "nearly");
  g_assert_nonnull (said);
  g_assert_null (strstr (said + 1, "nearly"));
  g_assert_true (said < strstr (shell->output, "accuracy"));
  report = shell_read_json (shell, "r.json");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "duplicates")), >, 0);
}

/* Trials are lines of a table, runs of the store, and part of the report; the best one is tested in one split. */
static void
test_tune (Shell *shell, gconstpointer data)
{
  g_autofree char *folder = shell_path (shell, "photographs");
  g_autoptr (JsonObject) report = NULL;

  write_small_images (folder);
  g_assert_cmpint (shell_tosst (shell, "classify photographs --tune 0.1 --set descriptor.kind=covariance --set "
                                       "coding.method=log-euclidean --set descriptor.pivots=2 --set descriptor.step=24 "
                                       "-w W.sqlite --report r.json"),
                   ==, 0);
  g_assert_nonnull (strstr (shell->output, "log-covariance  (best so far)"));
  g_assert_nonnull (strstr (shell->output, " % of one split\n"));
  report = shell_read_json (shell, "r.json");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "trials")), >=, 1);
  g_assert_true (json_object_get_null_member (report, "accuracy_std")); /* of one split */
  g_assert_cmpfloat (json_object_get_double_member (report, "chance"), >, 0);
  g_assert_true (json_object_has_member (report, "duplicates"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "accuracy")), ==, 1);
  g_assert_cmpint (shell_tosst (shell, "runs W.sqlite"), ==, 0);
  g_assert_nonnull (strstr (shell->output, "trial 1: log-covariance"));
  shell_expect_failure (shell, "classify photographs --tune never", 2, "a number of minutes");
  shell_expect_failure (shell, "classify photographs --tune 1 --preset best", 2, "--preset");
  remove_small_images (folder);
}

/* Tensors that do not fit onto the disk are refused before anything is computed. */
static void
test_disk (Shell *shell, gconstpointer data)
{
  shell_expect_failure (shell,
                        "classify --set descriptor.pivots=20 --set descriptor.patch=6 --set descriptor.step=1 --set "
                        "dictionary.atoms=1 --set dictionary.sample=35 --set dataset.splits=2",
                        1, "raise descriptor.step, or set dataset.splits to 1");
}

#define FEW                                                                                                            \
  SMALL "--set dataset.splits=2 --set dataset.train-per-class=2 --set descriptor.patch=24 --set descriptor.step=24 "

/* From textures on disk to a report, a confusion matrix that counts all tests, and a model that classifies its training
 * images correctly. */
static void
test_classify (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL, chosen = NULL;
  JsonObject *split;
  g_autoptr (GFile) file = shell_file (shell, "D.npz");
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autofree char *image = NULL, *line = NULL;

  shell_expect_done (shell, "textures textures --grey -q");
  shell_expect_done (shell, "classify --set dataset.kind=folders --set dataset.path=textures --report r.json "
                            "--confusion c.csv --model M.npz --dictionary D.npz --plots plots " FEW);
  g_assert_nonnull (strstr (shell->output, "accuracy "));
  report = shell_read_json (shell, "r.json");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "accuracy")), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (report, "accuracy_mean"), >, 30); /* chance is below 10 */
  g_assert_true (json_object_has_member (report, "accuracy_std"));
  g_assert_true (json_object_has_member (report, "per_class"));
  g_assert_true (json_object_has_member (report, "seconds"));
  g_assert_cmpfloat (json_object_get_double_member (report, "peak_memory_mb"), >, 0);
  g_assert_true (shell_exists (shell, "c.csv"));
  g_assert_true (shell_exists (shell, "plots/objective.png"));
  g_assert_true (shell_exists (shell, "plots/accuracy.png"));
  dictionary = tosst_dictionary_load (file, NULL, NULL);
  g_assert_cmpint (dictionary->K, ==, 12);
  shell_expect_done (shell, "classify --set dataset.kind=folders --set dataset.path=textures --report chosen.json "
                            "--set classifier.choose-c=true --set pooling.kind=maxexp " FEW);
  g_assert_nonnull (strstr (shell->output, "C chosen in each split: "));
  chosen = shell_read_json (shell, "chosen.json");
  split = json_array_get_object_element (json_object_get_array_member (chosen, "splits"), 1);
  g_assert_cmpfloat (fabs (remainder (log10 (json_object_get_double_member (split, "c")), 1)), <, 1e-9);
  image = g_strdup_printf ("textures/%s/%s-00.png", tosst_textures_name (0), tosst_textures_name (0));
  line = g_strdup_printf ("predict --model M.npz %s --json", image);
  shell_expect_done (shell, line);
  g_assert_nonnull (strstr (shell->output, "\"margin\""));
}

/* Matrices are processed like tensors, as (N, d, d): NumPy's covariance of a patch, symmetric to the bit. */
static void
test_second_order (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstNpy) C = NULL, one = NULL, codes = NULL;
  const float *entry;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_expect_done (shell, "describe a.png -o C.npy " SMALL "--set descriptor.kind=covariance");
  shell_expect_done (shell, "describe a.png --at 30,20 -o one.npy " SMALL "--set descriptor.kind=covariance");
  C = shell_read_array (shell, "C.npy");
  one = shell_read_array (shell, "one.npy");
  g_assert_cmpint (C->ndim, ==, 3);
  g_assert_cmpuint (C->shape[1], ==, 7);
  g_assert_cmpuint (C->shape[2], ==, 7);
  g_assert_cmpuint (one->shape[0], ==, 1);
  entry = one->data;
  /* The variance of 0/19 ... 19/19, each 20 times. */
  g_assert_cmpfloat_with_epsilon (entry[0], 399.0 / 12 / 19 / 19 * 400 / 399, 1e-7);
  g_assert_cmpfloat_with_epsilon (entry[1], 0, 1e-9);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++)
      g_assert_cmpfloat (entry[i * 7 + j], ==, entry[j * 7 + i]);
  shell_expect_done (shell, "learn C.npy -o D.npz --trace trace.csv " SMALL);
  check_trace (shell, "trace.csv");
  shell_expect_done (shell, "code C.npy -d D.npz -o A.npy --report report.json --threads 2");
  check_report (shell, C->shape[0], 12);
  codes = shell_read_array (shell, "A.npy");
  g_assert_cmpuint (codes->shape[0], ==, C->shape[0]);
  g_assert_cmpuint (codes->shape[1], ==, 12);
  shell_expect_failure (shell, "code C.npy -d D.npz -o A.npy --set coding.method=raw", 1, "sparse");
}

/* Without a dictionary: no stage of learning, no section of it in the report, and a model that predicts. */
static void
test_plain (Shell *shell, gconstpointer data)
{
  static const char *const recipes[]
      = { "--set coding.method=raw", "--set descriptor.kind=covariance --set coding.method=log-euclidean" };

  shell_expect_done (shell, "textures textures --grey -q");
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autoptr (JsonObject) report = NULL;
      g_autofree char *line
          = g_strconcat ("classify --set dataset.kind=folders --set dataset.path=textures --report r.json "
                         "--model M.npz --plots plots " FEW,
                         recipes[i], NULL);
      g_autofree char *image = g_strdup_printf ("predict --model M.npz textures/%s/%s-00.png", tosst_textures_name (0),
                                                tosst_textures_name (0));
      JsonObject *split;

      shell_expect_done (shell, line);
      g_assert_null (strstr (shell->output, "Learning"));
      report = shell_read_json (shell, "r.json");
      g_assert_cmpfloat (json_object_get_double_member (report, "accuracy_mean"), >, 30); /* chance is below 10 */
      split = json_array_get_object_element (json_object_get_array_member (report, "splits"), 0);
      g_assert_true (json_object_get_null_member (split, "objective"));
      g_assert_true (json_object_get_null_member (split, "worst_kkt"));
      g_assert_true (shell_exists (shell, "plots/accuracy.png"));
      g_assert_false (shell_exists (shell, "plots/objective.png"));
      shell_expect_done (shell, image);
    }
  shell_expect_failure (shell,
                        "classify --set dataset.kind=folders --set dataset.path=textures --dictionary D.npz --set "
                        "coding.method=raw",
                        1, "--dictionary needs coding.method sparse");
  shell_expect_failure (shell, "classify --set coding.method=log-euclidean", 1, "log-euclidean needs matrices");
}

/* The paper's solvers are set in the recipe and write a trace with the same columns. */
static void
test_solvers (Shell *shell, gconstpointer data)
{
  shell_write_texture (shell, "a.png", 0, 0);
  shell_write_texture (shell, "b.png", 1, 0);
  shell_expect_done (shell, "describe a.png b.png -o T.npy " SMALL);
  shell_expect_done (shell, "learn T.npy -o P.npz --trace pqn.csv --set dictionary.solver=pqn " SMALL);
  check_trace (shell, "pqn.csv");
  shell_expect_done (shell, "learn T.npy -o G.npz --trace gradient.csv --set dictionary.solver=gradient " SMALL);
  check_trace (shell, "gradient.csv");
  shell_expect_failure (
      shell, "learn T.npy -o X.npz --set dictionary.solver=gradient --set dictionary.gamma=inf " SMALL, 1, "gamma");
  shell_expect_failure (shell,
                        "learn T.npy -o X.npz --set dictionary.solver=gradient --set dictionary.eta=1e6 "
                        "--set dictionary.iterations=1000 --set dictionary.tolerance=0 " SMALL,
                        1, "eta = 1e+06");
  g_assert_false (shell_exists (shell, "X.npz"));
}

/* Interrupted learning leaves a complete dictionary. */
static void
end_learning (Shell *shell, void (*end) (Shell *shell, const char *line, double seconds))
{
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 3000, 84, 0.5);
  end (shell,
       "learn T.npy -o D.npz --set dictionary.atoms=300 --set dictionary.iterations=100000 --set "
       "dictionary.tolerance=0",
       1.5);
  if (shell_exists (shell, "D.npz"))
    shell_expect_done (shell, "code T.npy -d D.npz -o A.npy");
}

/* The report has what --json prints. */
static void
test_learn_report (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = NULL, said = NULL;

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 60, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.atoms=5 --set dictionary.iterations=3 "
                            "--report r.json --json");
  said = shell_said (shell);
  report = shell_read_json (shell, "r.json");
  g_assert_cmpfloat (json_object_get_double_member (report, "objective"), ==,
                     json_object_get_double_member (said, "objective"));
  g_assert_cmpint (json_object_get_int_member (report, "K"), ==, 5);
  shell_expect_failure (shell, "learn T.npy -o D.npz --report D.npz", 2, "same file");
}

static void
test_interrupt_learn (Shell *shell, gconstpointer data)
{
  end_learning (shell, shell_interrupt);
}

/* A terminal that closes. */
static void
test_hang_up (Shell *shell, gconstpointer data)
{
  struct sigaction action;

  if (sigaction (SIGHUP, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
    {
      g_test_skip ("started under nohup");
      return;
    }
  end_learning (shell, shell_hang_up);
}

/* Finished splits of an interrupted run are reported as such. */
static void
test_interrupt_classify (Shell *shell, gconstpointer data)
{
  shell_interrupt (shell,
                   "classify --set descriptor.kind=linear --set descriptor.patch=32 --set descriptor.step=32 --set "
                   "dictionary.atoms=4 --set dictionary.iterations=2 --set dataset.splits=1000 --report r.json",
                   5);
  if (shell_exists (shell, "r.json"))
    {
      g_autoptr (JsonObject) report = shell_read_json (shell, "r.json");
      guint splits = json_array_get_length (json_object_get_array_member (report, "accuracy"));

      g_assert_cmpuint (splits, >=, 1);
      g_assert_cmpuint (splits, <, 1000);
    }
}

static guint
splits_of_report (Shell *shell)
{
  g_autoptr (JsonObject) report = shell_exists (shell, "r.json") ? shell_read_json (shell, "r.json") : NULL;

  return report ? json_array_get_length (json_object_get_array_member (report, "accuracy")) : 0;
}

/* With a store the same command goes on where it was interrupted, in the same run. */
static void
test_resume_classify (Shell *shell, gconstpointer data)
{
  static const char line[] = "classify --set descriptor.kind=linear --set descriptor.patch=32 --set descriptor.step=32 "
                             "--set dictionary.atoms=4 --set dictionary.iterations=2 --set dataset.splits=1000 "
                             "--report r.json -w W.sqlite";
  guint first, second;

  shell_interrupt (shell, line, 4);
  first = splits_of_report (shell);
  shell_interrupt (shell, line, 2);
  second = splits_of_report (shell);
  g_assert_cmpuint (second, >=, first);
  g_assert_cmpint (shell_tosst (shell, "runs W.sqlite"), ==, 0);
  g_assert_nonnull (strstr (shell->output, "stopped"));
  g_assert_cmpint (shell_tosst (shell, "runs W.sqlite --show 2"), !=, 0);
}

/* The random dictionary differs from the learned one, satisfies the same constraints, and classifies. */
static void
test_random_dictionary (Shell *shell, gconstpointer data)
{
  g_autoptr (GFile) learned_file = shell_file (shell, "L.npz"), random_file = shell_file (shell, "R.npz");
  g_autoptr (TosstDictionary) learned = NULL, random = NULL;
  g_autoptr (JsonObject) report = NULL;
  TosstDictionaryMeta meta = { 0 };

  shell_write_texture (shell, "a.png", 0, 0);
  shell_expect_done (shell, "describe a.png -o T.npy " SMALL);
  shell_expect_done (shell, "learn T.npy -o L.npz --set dictionary.init=random " SMALL);
  shell_expect_done (shell, "learn T.npy -o R.npz --set dictionary.init=random --set dictionary.source=random " SMALL);
  shell_expect_done (shell, "learn T.npy -o R2.npz --set dictionary.init=random --set dictionary.source=random " SMALL);
  shell_expect_same_files (shell, "R.npz", "R2.npz");
  learned = tosst_dictionary_load (learned_file, NULL, NULL);
  random = tosst_dictionary_load (random_file, &meta, NULL);
  g_assert_true (isnan (meta.objective));
  g_assert_nonnull (strstr (meta.recipe, "source=random"));
  tosst_dictionary_meta_clear (&meta);
  g_assert_cmpint (random->K, ==, learned->K);
  g_assert_cmpfloat (random->scale, ==, learned->scale);
  for (int k = 0; k < random->K; k++)
    {
      double trace = 0, sum = 0, distance = 0;
      for (int i = 0, p = 0; i < random->d; p += random->d - i++)
        trace += random->V[k * random->D + p];
      for (int s = 0; s < random->S; s++)
        {
          g_assert_cmpfloat (random->b[k * random->S + s], >=, 0);
          sum += random->b[k * random->S + s];
        }
      for (int p = 0; p < random->D; p++)
        distance = fmax (distance, fabs (random->V[k * random->D + p] - learned->V[k * learned->D + p]));
      g_assert_cmpfloat (trace, <=, 1 + 1e-9);
      g_assert_cmpfloat (sum, <=, 1 + 1e-9);
      g_assert_cmpfloat (distance, >, 1e-3);
    }
  shell_expect_done (shell, "code T.npy -d R.npz -o A.npy " SMALL);
  shell_expect_done (shell, "textures textures --grey -q");
  shell_expect_done (shell,
                     "classify --set dataset.kind=folders --set dataset.path=textures --set dictionary.source=random "
                     "--report r.json " FEW);
  report = shell_read_json (shell, "r.json");
  g_assert_cmpfloat (json_object_get_double_member (report, "accuracy_mean"), >, 15); /* chance is below 10 */
  shell_expect_failure (shell, "learn T.npy -o L.npz --set dictionary.source=both", 2, "dictionary.source");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/commands/near", Shell, NULL, shell_set_up, test_near, shell_tear_down);
  g_test_add ("/commands/road", Shell, NULL, shell_set_up, test_road, shell_tear_down);
  g_test_add ("/commands/learn-images", Shell, NULL, shell_set_up, test_learn_images, shell_tear_down);
  g_test_add ("/commands/at", Shell, NULL, shell_set_up, test_at, shell_tear_down);
  g_test_add ("/commands/frames", Shell, NULL, shell_set_up, test_frames, shell_tear_down);
  g_test_add ("/commands/no-frames", Shell, NULL, shell_set_up, test_no_frames, shell_tear_down);

  g_test_add ("/commands/describe-opens", Shell, NULL, shell_set_up, test_describe_opens, shell_tear_down);
  g_test_add ("/commands/bad-input", Shell, NULL, shell_set_up, test_bad_input, shell_tear_down);
  g_test_add ("/commands/bad-data-sets", Shell, NULL, shell_set_up, test_bad_data_sets, shell_tear_down);
  g_test_add ("/commands/second-order", Shell, NULL, shell_set_up, test_second_order, shell_tear_down);
  g_test_add ("/commands/plain", Shell, NULL, shell_set_up, test_plain, shell_tear_down);
  g_test_add ("/commands/classify", Shell, NULL, shell_set_up, test_classify, shell_tear_down);
  g_test_add ("/commands/random-dictionary", Shell, NULL, shell_set_up, test_random_dictionary, shell_tear_down);
  g_test_add ("/commands/solvers", Shell, NULL, shell_set_up, test_solvers, shell_tear_down);
  g_test_add ("/commands/interrupt-learn", Shell, NULL, shell_set_up, test_interrupt_learn, shell_tear_down);
  g_test_add ("/commands/hang-up", Shell, NULL, shell_set_up, test_hang_up, shell_tear_down);
  g_test_add ("/commands/folder", Shell, NULL, shell_set_up, test_folder, shell_tear_down);
  g_test_add ("/commands/tune", Shell, NULL, shell_set_up, test_tune, shell_tear_down);
  g_test_add ("/commands/learn-report", Shell, NULL, shell_set_up, test_learn_report, shell_tear_down);
  g_test_add ("/commands/disk", Shell, NULL, shell_set_up, test_disk, shell_tear_down);
  g_test_add ("/commands/interrupt-classify", Shell, NULL, shell_set_up, test_interrupt_classify, shell_tear_down);
  g_test_add ("/commands/resume-classify", Shell, NULL, shell_set_up, test_resume_classify, shell_tear_down);
  return g_test_run ();
}
