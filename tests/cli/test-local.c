/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Local features through the commands: dense SIFT, features in files, with and without images, models and tensors. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/data/textures.h"
#include "core/format/npz.h"
#include "core/image/probe.h"
#include "harness.h"

#define SIFT " --set descriptor.kind=sift --set descriptor.strides=16;16;20;20 --set descriptor.longest-side=100 "
#define FILES " --set descriptor.kind=features "
#define PLAIN " --threads 2 --set coding.method=raw --set dataset.splits=2 --set dataset.train-per-class=4 "
#define FOLDERS " --set dataset.kind=folders "

static void
make_folder (Shell *shell, const char *name)
{
  g_autofree char *path = shell_path (shell, name);

  g_assert_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
}

/* Two classes of eight textures. */
static void
write_classes (Shell *shell, const char *folder)
{
  static const char *const classes[] = { "one", "two" };

  for (guint c = 0; c < 2; c++)
    {
      g_autofree char *below = g_strdup_printf ("%s/%s", folder, classes[c]);

      make_folder (shell, below);
      for (guint i = 0; i < 8; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%u.png", below, i);

          shell_write_texture (shell, name, 3 * c, i);
        }
    }
}

/* Vectors (n, D) at their positions, as an archive. */
static void
write_features (Shell *shell, const char *name, gsize n, gsize D, double x, double xy)
{
  gsize shape[2] = { n, D }, places[2] = { n, 2 };
  TosstNpy *values = tosst_npy_new (TOSST_NPY_FLOAT64, 2, shape), *where = tosst_npy_new (TOSST_NPY_FLOAT64, 2, places);
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  g_autoptr (GFile) file = shell_file (shell, name);

  for (gsize i = 0; i < values->count; i++)
    ((double *)values->data)[i] = i == 0 ? x : 1.0 / (double)(i + 1);
  for (gsize i = 0; i < where->count; i++)
    ((double *)where->data)[i] = i == 0 ? xy : 0.5;
  tosst_npz_steal_array (npz, "x", values);
  tosst_npz_steal_array (npz, "xy", where);
  g_assert_true (tosst_npz_write (npz, file, NULL));
}

static double
accuracy (Shell *shell, const char *report)
{
  g_autoptr (JsonObject) object = shell_read_json (shell, report);

  return json_object_get_double_member (object, "accuracy_mean");
}

/* Written features give the accuracy of dense SIFT, with and without their images. */
static void
test_written (Shell *shell, gconstpointer data)
{
  write_classes (shell, "in");
  shell_expect_done (shell,
                     "features in -o files -q --set descriptor.strides=16;16;20;20 --set descriptor.longest-side=100");
  shell_expect_done (shell,
                     "classify -q --set dataset.path=in --report sift.json --set descriptor.pca=6" FOLDERS SIFT PLAIN);
  shell_expect_done (shell, "classify -q --set dataset.path=in --set descriptor.folder=files --report files.json "
                            "--set descriptor.pca=6" FOLDERS FILES PLAIN);
  shell_expect_done (shell, "classify -q --set dataset.path=files --report only.json --model M.npz "
                            "--set descriptor.pca=6" FOLDERS FILES PLAIN);
  g_assert_cmpfloat_with_epsilon (accuracy (shell, "sift.json"), accuracy (shell, "files.json"), 1e-6);
  g_assert_cmpfloat_with_epsilon (accuracy (shell, "sift.json"), accuracy (shell, "only.json"), 1e-6);
  g_assert_cmpfloat (accuracy (shell, "only.json"), >, 70);

  /* Predictions from files, a folder of them, and images whose files have their names. */
  shell_expect_done (shell, "predict files -m M.npz --json");
  g_autoptr (JsonObject) said = shell_said (shell);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (said, "predictions")), ==, 16);
  shell_expect_done (shell, "predict files/one/0.npz -m M.npz");
  g_autofree char *from_file = g_strdup (strchr (shell->output, '\t'));
  shell_expect_done (shell, "predict in/one/0.png -m M.npz --features files/one");
  g_assert_cmpstr (strchr (shell->output, '\t'), ==, from_file);
  shell_expect_done (shell, "predict in/one -m M.npz --features files/one -q");
  shell_expect_failure (shell, "predict in/one/0.png -m M.npz", 1, "in/one/0.png has no features");
  shell_expect_failure (shell, "predict files/one/0.npz -m M.npz --map map.png", 1, "needs features from files");
}

/* The recipe's keys apply to tosst features. */
static void
test_keys (Shell *shell, gconstpointer data)
{
  static const char text[] = "[descriptor]\nkind=sift\nradii=12;16\nstrides=20;20\nroot=true\n";
  g_autoptr (GFile) file = shell_file (shell, "out/g.npz");

  shell_write_texture (shell, "g.png", 0, 0);
  shell_write (shell, "r.recipe", text, strlen (text));
  shell_expect_done (shell, "features g.png -o out -q --recipe r.recipe");
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, NULL, NULL);
  const TosstNpy *scale = tosst_npz_array (npz, "scale"), *x = tosst_npz_array (npz, "x");
  double squares = 0, sum = 0;

  g_assert_cmpfloat (((const float *)scale->data)[scale->count - 1], ==, 1);
  for (guint i = 0; i < 128; i++)
    {
      double value = ((const float *)x->data)[i];

      squares += value * value;
      sum += value;
    }
  g_assert_cmpfloat_with_epsilon (squares, 1, 1e-5);
  g_assert_cmpfloat (sum, >, 1);
  shell_expect_failure (shell, "features g.png -o out --set descriptor.radii=13 --set descriptor.strides=4", 1, "even");
  shell_expect_failure (shell, "features g.png -o out --set descriptor.radii=12", 1, "each scale needs both");
}

/* Images of a list are named by their ids, as descriptor.folder looks for them. */
static void
test_ids (Shell *shell, gconstpointer data)
{
  static const char csv[] = "image,split,a,b\n1.png,train,1,-1\n2.png,train,-1,1\n3.png,test,1,-1\n4.png,test,-1,1\n";

  make_folder (shell, "set/JPEGImages");
  for (guint i = 1; i <= 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("set/JPEGImages/%u.png", i);

      shell_write_texture (shell, name, i % 2, i);
    }
  shell_write (shell, "set/labels.csv", csv, strlen (csv));
  shell_expect_done (shell, "features set -o files -q --set descriptor.strides=16;16;20;20");
  g_assert_true (shell_exists (shell, "files/1.npz"));
  shell_expect_done (shell, "features set/labels.csv -o again -q --set descriptor.strides=16;16;20;20");
  shell_expect_same_files (shell, "files/4.npz", "again/4.npz");
  shell_expect_done (shell,
                     "classify -q --set dataset.kind=labels --set dataset.path=set --set descriptor.folder=files "
                     "--set descriptor.pca=3 --set coding.method=raw --model M.npz" FILES);
  shell_expect_done (shell, "predict set -m M.npz --features files");
  g_assert_true (g_str_has_prefix (shell->output, "image\tclasses\ta\tb\nset/JPEGImages/1.png\t"));
  shell_expect_done (shell, "predict files/1.npz -m M.npz --json");
  g_autoptr (JsonObject) said = shell_said (shell);
  JsonObject *entry = json_array_get_object_element (json_object_get_array_member (said, "predictions"), 0),
             *margins = json_object_get_object_member (entry, "margins");
  JsonArray *classes = json_object_get_array_member (entry, "classes");
  guint positive = 0;

  g_assert_false (json_object_has_member (entry, "class"));
  g_assert_false (json_object_has_member (entry, "margin"));
  positive += json_object_get_double_member (margins, "a") > 0;
  positive += json_object_get_double_member (margins, "b") > 0;
  g_assert_cmpuint (json_array_get_length (classes), ==, positive);
}

/* Faults of files are found before a run, or name their file. */
static void
test_faults (Shell *shell, gconstpointer data)
{
#define RUN "classify -q --set dataset.path=files " FOLDERS FILES PLAIN
#define WITH "--set descriptor.pca=2"
  static const char *const classes[] = { "one", "two" };

  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *folder = g_strdup_printf ("files/%s", classes[i % 2]),
                      *name = g_strdup_printf ("%s/%u.npz", folder, i);

      make_folder (shell, folder);
      write_features (shell, name, 6, 4, i % 2 + 0.01 * i, 0);
    }
  shell_expect_done (shell, RUN WITH);
  shell_expect_done (shell, RUN "--set descriptor.pca=0"); /* its length is read from the first file */
  shell_expect_failure (shell, RUN "--set descriptor.pca=5", 1, "descriptor.pca");

  write_features (shell, "files/one/2.npz", 6, 3, 1, 0);
  shell_expect_failure (shell, RUN WITH, 1, "files/one/2.npz has features of 3 numbers instead of 4");
  write_features (shell, "files/one/2.npz", 6, 4, NAN, 0);
  shell_expect_failure (shell, RUN WITH, 1, "2.npz");
  write_features (shell, "files/one/2.npz", 6, 4, 1, 1.5);
  shell_expect_failure (shell, RUN WITH, 1, "2.npz has the position 1.5");
  write_features (shell, "files/one/2.npz", 0, 4, 1, 0);
  shell_expect_failure (shell, RUN WITH, 1, "2.npz");

  write_classes (shell, "in");
  shell_expect_failure (shell, "classify -q --set dataset.path=in" FOLDERS FILES PLAIN WITH, 1,
                        "in has no features of 16 images; those of the first would be in one/0.npz or one/0.npy: set "
                        "descriptor.folder");
  shell_expect_failure (shell,
                        "classify -q --set dataset.path=in --set descriptor.folder=files" FOLDERS FILES PLAIN WITH, 1,
                        "files has no features of 8 images; those of the first would be in one/1.npz");
}

/* Tensors of whole images; what they are not for. */
static void
test_describe (Shell *shell, gconstpointer data)
{
  write_classes (shell, "in");
  shell_expect_done (shell,
                     "classify -q --set dataset.path=in --model M.npz --set descriptor.pca=6" FOLDERS SIFT PLAIN);
  shell_expect_done (shell, "describe in -o own.npy -q --set descriptor.pca=6" SIFT);
  shell_expect_done (shell, "describe in -o model.npy -q --model M.npz --threads 1");
  shell_expect_done (shell, "describe in/one/0.png -o first.npy -q --model M.npz");
  g_autoptr (TosstNpy) all = shell_read_array (shell, "model.npy"), first = shell_read_array (shell, "first.npy");
  g_assert_cmpuint (all->shape[0], ==, 16);
  g_assert_cmpuint (all->shape[1], ==, 17 * 18 * 19 / 6);
  g_assert_cmpmem (all->data, first->count * 4, first->data, first->count * 4);
  shell_expect_done (shell, "learn own.npy -o D.npz -q --set dictionary.atoms=4 --set dictionary.iterations=2");
  shell_expect_done (shell, "code own.npy --dictionary D.npz -o codes.npy -q");

  /* Without components there is nothing to learn from other images: files give the tensors of dense SIFT. */
  shell_expect_done (shell,
                     "features in -o files -q --set descriptor.strides=16;16;20;20 --set descriptor.longest-side=100");
  shell_expect_done (shell, "describe files -o files.npy -q --set descriptor.pca=6" FILES);
  shell_expect_same_files (shell, "own.npy", "files.npy");
  shell_expect_done (shell, "describe files -o two.npy -q --set descriptor.pca=6 --set descriptor.order=2" FILES);
  g_autoptr (TosstNpy) two = shell_read_array (shell, "two.npy");
  g_assert_cmpint (two->ndim, ==, 3);

  shell_expect_failure (shell, "describe in -o x.npy --model M.npz --set descriptor.pca=3", 2, "leave out --recipe");
  shell_expect_failure (shell, "describe in -o x.npy --at 3,3" SIFT, 2, "whole images");
  shell_expect_failure (shell, "sparsify in/one/0.png" SIFT, 2, "features of the pixels");
  shell_expect_failure (shell, "predict in/one/0.png -m M.npz --features in", 2, "--features needs a model");
  shell_write (shell, "tiny.pgm", "P5\n3 3\n255\n123456789", 20);
  shell_expect_failure (shell, "predict tiny.pgm -m M.npz", 1, "tiny.pgm has 3 × 3 pixels, too few");
}

/* Fisher vectors: a run, its report and export, predictions, and what needs a dictionary. */
static void
test_fisher (Shell *shell, gconstpointer data)
{
#define FISHER "--set coding.method=fisher --set coding.gaussians=5 --set descriptor.pca=6 --set dataset.path=in "
  write_classes (shell, "in");
  shell_expect_done (shell, "classify --model M.npz --report r.json -w W.sqlite " FISHER FOLDERS SIFT
                            "--threads 2 --set dataset.splits=2 --set dataset.train-per-class=4");
  g_assert_nonnull (strstr (shell->output, "16 images described by local features"));
  g_assert_nonnull (strstr (shell->output, "Learning the mixture"));
  g_assert_null (strstr (shell->output, "tensors"));
  g_assert_cmpfloat (accuracy (shell, "r.json"), >, 70);
  shell_expect_done (shell, "predict in -m M.npz --json");
  g_autoptr (JsonObject) said = shell_said (shell);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (said, "predictions")), ==, 16);
  shell_expect_done (shell, "report 1 -w W.sqlite -o report.html");
  shell_expect_done (shell, "runs W.sqlite --json");
  shell_expect_done (shell, "predict in/one/0.png -m M.npz --map map.png");
  g_assert_nonnull (strstr (shell->output, " windows of "));
  shell_expect_failure (shell, "code x.npy --dictionary M.npz -o codes.npy", 1, "M.npz");
  shell_expect_failure (shell, "classify -q --set coding.method=fisher", 1, "needs local features");
}

/* A sweep over recipes that take the length of features from the files. */
static void
test_sweep (Shell *shell, gconstpointer data)
{
  static const char text[] = "[dataset]\nkind=folders\npath=in\nsplits=1\ntrain-per-class=4\n"
                             "[descriptor]\nkind=features\nfolder=files\n[coding]\nmethod=raw\n"
                             "[sweep]\ndescriptor.pca=0;2\n";
  static const char *const classes[] = { "one", "two" };

  write_classes (shell, "in");
  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *folder = g_strdup_printf ("files/%s", classes[i % 2]),
                      *name = g_strdup_printf ("%s/%u.npz", folder, i / 2);

      make_folder (shell, folder);
      write_features (shell, name, 6, 4, i % 2 + 0.01 * i, 0);
    }
  shell_write (shell, "s.sweep", text, strlen (text));
  shell_expect_done (shell, "sweep s.sweep -w W.sqlite --plan --json");
  g_autoptr (JsonObject) plan = shell_said (shell);
  g_assert_cmpint (json_object_get_int_member (plan, "to_do"), ==, 2);
  shell_expect_done (shell, "sweep s.sweep -w W.sqlite -q");
  shell_expect_done (shell, "runs W.sqlite --json");
}

/* The script of the documentation writes files that classify. */
static void
test_example (Shell *shell, gconstpointer data)
{
  const char *argv[] = { "/usr/bin/python3", EXAMPLE, "in", "maps", NULL },
             *check[] = { argv[0], "-c", "import numpy", NULL };
  g_autofree char *errors = NULL;
  int status = -1;

  if (!g_spawn_sync (NULL, (char **)check, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, NULL)
      || status)
    {
      g_test_skip ("NumPy is not installed");
      return;
    }
  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *name = g_strdup_printf ("in/%s/%u.p%cm", i % 2 ? "one" : "two", i, i < 8 ? 'g' : 'p');
      g_autoptr (TosstImage) image = tosst_textures_render (3 * (i % 2), i / 2, i < 8);
      g_autofree char *head = g_strdup_printf ("P%d\n%d %d\n255\n", i < 8 ? 5 : 6, image->width, image->height);
      gsize pixels = (gsize)image->width * (gsize)image->height;
      g_autoptr (GByteArray) bytes = g_byte_array_new ();

      make_folder (shell, i % 2 ? "in/one" : "in/two");
      g_byte_array_append (bytes, (const guint8 *)head, (guint)strlen (head));
      for (gsize p = 0; p < pixels; p++)
        for (int c = 0; c < image->channels; c++)
          {
            guint8 value = (guint8)(255 * image->data[(gsize)c * pixels + p] + 0.5F);
            g_byte_array_append (bytes, &value, 1);
          }
      shell_write (shell, name, bytes->data, bytes->len);
    }
  g_assert_true (g_spawn_sync (shell->folder, (char **)argv, NULL, 0, NULL, NULL, NULL, &errors, &status, NULL));
  g_assert_cmpstr (errors, ==, "");
  g_assert_cmpint (status, ==, 0);
  shell_expect_done (shell, "classify -q --set dataset.path=in --set descriptor.folder=maps --set descriptor.pca=0 "
                            "--set descriptor.spatial=none --report r.json" FOLDERS FILES PLAIN);
  g_assert_cmpfloat (accuracy (shell, "r.json"), >, 80);
  shell_expect_done (shell, "classify -q --set dataset.path=maps --set descriptor.pca=5" FOLDERS FILES PLAIN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Shell, NULL, shell_set_up, function, shell_tear_down)
  ADD ("/local/written", test_written);
  ADD ("/local/keys", test_keys);
  ADD ("/local/ids", test_ids);
  ADD ("/local/faults", test_faults);
  ADD ("/local/describe", test_describe);
  ADD ("/local/fisher", test_fisher);
  ADD ("/local/sweep", test_sweep);
  ADD ("/local/example", test_example);
  return g_test_run ();
}
