/* SPDX-License-Identifier: GPL-3.0-or-later */

/* tosst classify of images with several labels: lists of VOC and a table, patches, SIFT and files of features. */

#include <string.h>

#include "../small-images.h"
#include "harness.h"

/* Labels of a class for the three kinds of images: down, across, wide. */
static const struct
{
  const char *name;
  int label[3];
} classes[] = { { "narrow", { 1, 1, -1 } }, { "slanted", { -1, -1, 1 } }, { "upright", { 1, -1, 0 } } };

#define LISTED 3

static const char *
list_of (int image)
{
  return image < 2 ? "train" : image < 4 ? "val" : "test";
}

static void
put (Shell *shell, const char *name, const GString *text)
{
  shell_write (shell, name, text->str, text->len);
}

/* Two images of each kind train, two validate and four test. */
static void
put_lists (Shell *shell, const char *list)
{
  GString *text[LISTED + 1];
  g_autofree char *name = g_strdup_printf ("VOC2007/ImageSets/Main/%s.txt", list);

  for (int k = 0; k <= LISTED; k++)
    text[k] = g_string_new (NULL);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < SMALL_IMAGES; i++)
      if (strcmp (list_of (i), list) == 0)
        {
          g_string_append_printf (text[LISTED], "%s/%d\n", small_classes[c], i);
          for (int k = 0; k < LISTED; k++)
            g_string_append_printf (text[k], "%s/%d %2d\n", small_classes[c], i, classes[k].label[c]);
        }
  put (shell, name, text[LISTED]);
  for (int k = 0; k < LISTED; k++)
    {
      g_autofree char *file = g_strdup_printf ("VOC2007/ImageSets/Main/%s_%s.txt", classes[k].name, list);

      put (shell, file, text[k]);
    }
  for (int k = 0; k <= LISTED; k++)
    g_string_free (text[k], TRUE);
}

static void
put_table (Shell *shell)
{
  g_autoptr (GString) text = g_string_new ("image,split,narrow,slanted,upright\n");

  for (int c = 0; c < 3; c++)
    for (int i = 0; i < SMALL_IMAGES; i++)
      g_string_append_printf (text, "%s/%d.png,%s,%d,%d,%d\n", small_classes[c], i, list_of (i), classes[0].label[c],
                              classes[1].label[c], classes[2].label[c]);
  put (shell, "VOC2007/labels.csv", text);
}

static void
set_up (Shell *shell, gconstpointer data)
{
  g_autofree char *main = NULL, *images = NULL;

  shell_set_up (shell, data);
  main = shell_path (shell, "VOC2007/ImageSets/Main");
  images = shell_path (shell, "VOC2007/JPEGImages");
  g_assert_cmpint (g_mkdir_with_parents (main, 0755), ==, 0);
  write_small_images (images);
  put_lists (shell, "train");
  put_lists (shell, "val");
  put_lists (shell, "test");
  put_table (shell);
}

#define PATCHES "--set descriptor.patch=16 --set descriptor.step=12 --set descriptor.pivots=2 --set coding.method=raw "
#define LOCAL "--set descriptor.pca=6 --set coding.method=raw "
#define VOC "classify --threads 1 --set dataset.kind=voc2007 --set dataset.path=. "

/* Both layouts of the same labels, and both lists for tests. */
static void
test_layouts (Shell *shell, gconstpointer data)
{
  shell_expect_done (shell, VOC PATCHES "--scores voc.csv");
  g_assert_nonnull (strstr (shell->output, "VOC2007: 3 classes, 24 images, 24 samples"));
  g_assert_nonnull (strstr (shell->output, "lists: 6 train, 6 val, 12 test"));
  shell_expect_done (shell,
                     "classify -q --threads 1 --set dataset.kind=labels --set dataset.path=VOC2007/labels.csv " PATCHES
                     "--scores table.csv");
  shell_expect_same_files (shell, "voc.csv", "table.csv");
  shell_expect_done (shell, VOC PATCHES "-q --set dataset.within=1 --scores val.csv");
  g_autoptr (GBytes) tests = shell_read (shell, "voc.csv"), val = shell_read (shell, "val.csv");
  g_assert_cmpuint (g_bytes_get_size (val), <, g_bytes_get_size (tests));
  shell_expect_failure (shell, VOC PATCHES "--set dataset.within=2", 1, "dataset.within is 2");
}

#define WITHOUT_WIDE "--set dataset.exclude=slanted,wide/0,wide/1,wide/2,wide/3"

/* A class that every training image shows is named. */
static void
test_warning (Shell *shell, gconstpointer data)
{
  shell_expect_done (shell, VOC PATCHES WITHOUT_WIDE);
  g_assert_nonnull (strstr (shell->output, "\nleft out, as every image of the list trainval shows them: narrow\n"));
}

/* Files of SIFT, named by the ids of the lists, give the scores of SIFT. */
static void
test_features (Shell *shell, gconstpointer data)
{
  shell_expect_done (shell, "features -q VOC2007/JPEGImages -o files");
  shell_expect_done (shell, VOC LOCAL "-q --set descriptor.kind=sift --scores sift.csv");
  shell_expect_done (shell, VOC LOCAL "-q --set descriptor.kind=features --set descriptor.folder=files --scores "
                                      "features.csv");
  shell_expect_same_files (shell, "sift.csv", "features.csv");

  /* Without a folder of their own they are beside the images. */
  shell_expect_done (shell, "features -q VOC2007/JPEGImages -o VOC2007/JPEGImages");
  shell_expect_done (shell, VOC LOCAL "-q --set descriptor.kind=features --scores beside.csv");
  shell_expect_same_files (shell, "sift.csv", "beside.csv");
}

/* The time of patches, of local features and of one descriptor of an image is estimated before they are computed. */
static void
test_estimate (Shell *shell, gconstpointer data)
{
  static const char *const kinds[] = { PATCHES, LOCAL "--set descriptor.kind=sift", "--set descriptor.kind=lbp" };

  shell_write (shell, "empty.recipe", "", 0);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *line = g_strconcat ("sweep empty.recipe --plan --json --threads 1 --set dataset.kind=voc2007 "
                                           "--set dataset.path=. ",
                                           kinds[i], NULL);

      shell_expect_done (shell, line);
      JsonObject *plan = shell_said (shell);
      g_assert_false (json_object_get_null_member (plan, "seconds"));
      g_assert_cmpfloat (json_object_get_double_member (plan, "seconds"), >, 0);
      json_object_unref (plan);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/labels/layouts", Shell, NULL, set_up, test_layouts, shell_tear_down);
  g_test_add ("/labels/warning", Shell, NULL, set_up, test_warning, shell_tear_down);
  g_test_add ("/labels/features", Shell, NULL, set_up, test_features, shell_tear_down);
  g_test_add ("/labels/estimate", Shell, NULL, set_up, test_estimate, shell_tear_down);
  return g_test_run ();
}
