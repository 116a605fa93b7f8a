/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images are known by their content: wherever they lie, and on one side of a split.
 */
#include <fcntl.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/data/lists.h"
#include "core/data/textures.h"
#include "dataset-folder.h"

static char *
path_of (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

static void
copy_image (Fixture *fixture, const char *from, const char *to)
{
  g_autofree char *source = path_of (fixture, from), *target = path_of (fixture, to),
                  *parent = g_path_get_dirname (target), *content = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (source, &content, &length, NULL));
  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_assert_true (g_file_set_contents (target, content, (gssize)length, NULL));
}

/* Two classes of n different images. */
static void
put_classes (Fixture *fixture, guint n)
{
  for (guint i = 0; i < 2 * n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%u.png", i % 2 == 0 ? "brick" : "cloth", i / 2);

      put_image (fixture, name, 40, 40);
    }
}

/* A copy with other times in a folder of another name is the same data, and an image that is added from elsewhere, too. */
static void
test_moved (Fixture *fixture, gconstpointer data)
{
  g_autofree char *moved = path_of (fixture, "moved"), *old = path_of (fixture, "old"),
                  *list = path_of (fixture, "a.txt"), *again = path_of (fixture, "b.txt"), *first = NULL;
  g_autoptr (TosstDataset) here = NULL, there = NULL, changed = NULL;

  for (guint i = 0; i < 8; i++)
    {
      g_autofree char *name = g_strdup_printf ("old/%s/%u.png", i % 2 == 0 ? "brick" : "cloth", i),
                      *copy = g_strdup_printf ("moved/%s/%u.png", i % 2 == 0 ? "brick" : "cloth", i),
                      *path = path_of (fixture, copy);

      put_image (fixture, name, 40, 40);
      copy_image (fixture, name, copy);
      g_assert_cmpint (utimensat (AT_FDCWD, path, (struct timespec[2]){ { 1000000, 0 }, { 1000000, 0 } }, 0), ==, 0);
    }
  put_image (fixture, "new/x.png", 50, 40);
  copy_image (fixture, "new/x.png", "other/y.png");
  put_text (fixture, "a.txt", "brick\tnew/x.png\n");
  put_text (fixture, "b.txt", "brick\tother/y.png\n");
  set (fixture->recipe, "dataset.path", old);
  set (fixture->recipe, "dataset.additions", list);
  here = open_well (fixture->recipe);
  set (fixture->recipe, "dataset.path", moved);
  set (fixture->recipe, "dataset.additions", again);
  there = open_well (fixture->recipe);
  g_assert_cmpuint (there->entries->len, ==, 9);
  g_assert_cmpstr (there->fingerprint, ==, here->fingerprint);
  g_assert_cmpstr (there->listed, !=, here->listed);

  /* Other bytes of the same length and time are other data. */
  first = path_of (fixture, "moved/brick/0.png");
  put_image (fixture, "moved/brick/other.png", 40, 40);
  g_autofree char *other = path_of (fixture, "moved/brick/other.png");
  g_assert_cmpint (g_rename (other, first), ==, 0);
  g_assert_cmpint (utimensat (AT_FDCWD, first, (struct timespec[2]){ { 1000000, 0 }, { 1000000, 0 } }, 0), ==, 0);
  changed = open_well (fixture->recipe);
  g_assert_cmpstr (changed->fingerprint, !=, here->fingerprint);
}

/* One image in two classes, as a copy or through a link, is an error that names both. */
static void
test_two_classes (Fixture *fixture, gconstpointer link)
{
  g_autofree char *from = path_of (fixture, "brick"), *to = path_of (fixture, "wall");

  put_classes (fixture, 4);
  if (link != NULL)
    {
      g_assert_cmpint (symlink (from, to), ==, 0);
      assert_refused (fixture->recipe, "brick/0.png", "wall/0.png");
      return;
    }
  copy_image (fixture, "brick/2.png", "cloth/again.png");
  assert_refused (fixture->recipe, "brick/2.png", "cloth/again.png");
  set (fixture->recipe, "dataset.exclude", "again.png");
  g_autoptr (TosstDataset) dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->entries->len, ==, 8);
}

static void
assert_one_side (TosstDataset *dataset, const GArray *train, const GArray *test)
{
  for (guint i = 0; i < train->len; i++)
    for (guint j = 0; j < test->len; j++)
      {
        const TosstDatasetImage *a
            = tosst_dataset_image (dataset, (guint)tosst_dataset_sample (dataset, at ((GArray *)train, i))->image);
        const TosstDatasetImage *b
            = tosst_dataset_image (dataset, (guint)tosst_dataset_sample (dataset, at ((GArray *)test, j))->image);

        /* Copies are called after what they are copies of: 3.png, 3-1.png. */
        if (a->class_index == b->class_index)
          g_assert_cmpint (strchr (a->name, '/')[1], !=, strchr (b->name, '/')[1]);
      }
}

/* Six images of a class, three of which have copies, by every protocol and nested. */
static void
test_sides (Fixture *fixture, gconstpointer data)
{
  static const char *const protocols[] = { "random", "leave-one-out", "fixed" };
  static const char *const classes[] = { "brick", "cloth" };

  put_classes (fixture, 6);
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *from = g_strdup_printf ("%s/%u.png", classes[i % 2], i / 4),
                      *to = g_strdup_printf ("%s/%u-%u.png", classes[i % 2], i / 4, i % 4);

      copy_image (fixture, from, to);
    }
  set (fixture->recipe, "dataset.splits", "20");
  for (guint within = 0; within < 2; within++)
    for (guint p = 0; p < G_N_ELEMENTS (protocols); p++)
      for (guint share = 2; share < 10; share++)
        {
          g_autofree char *wanted = g_strdup_printf ("%u", share);
          g_autoptr (TosstDataset) whole = NULL, used = NULL;

          set (fixture->recipe, "dataset.protocol", protocols[p]);
          set (fixture->recipe, "dataset.train-per-class", wanted);
          set (fixture->recipe, "dataset.within", within > 0 ? "1" : "0");
          set (fixture->recipe, "dataset.validate", "1");
          if (within > 0 && share < 7)
            continue; /* the outer split may train with one content */
          whole = open_well (fixture->recipe);
          g_assert_cmpuint (whole->entries->len, ==, 24);
          used = tosst_dataset_of_run (whole, fixture->recipe, NULL);
          if (p == 1 && within == 0)
            g_assert_cmpuint (tosst_dataset_splits (used, fixture->recipe), ==, 6);
          for (guint k = 0; k < tosst_dataset_splits (used, fixture->recipe); k++)
            {
              g_autoptr (GArray) train = NULL, test = NULL;

              split (used, fixture->recipe, k, &train, &test);
              g_assert_cmpuint (train->len, >, 0);
              g_assert_cmpuint (test->len, >, 0);
              g_assert_cmpuint (train->len + test->len, ==, used->samples->len);
              if (p == 0 && within == 0) /* copies are three at most */
                g_assert_cmpuint (train->len, <=, 2 * MAX (share, 3));
              assert_one_side (used, train, test);
            }
        }
}

/* Folders and lists that have an image on both sides are refused, and classes of one content. */
static void
test_refused (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *train = g_strdup_printf ("train/%s/%u.png", i % 2 == 0 ? "brick" : "cloth", i),
                      *test = g_strdup_printf ("test/%s/%u.png", i % 2 == 0 ? "brick" : "cloth", i);

      put_image (fixture, train, 40, 40);
      put_image (fixture, test, 40, 40);
    }
  set (fixture->recipe, "dataset.protocol", "fixed");
  tosst_dataset_unref (open_well (fixture->recipe));
  copy_image (fixture, "train/cloth/1.png", "test/cloth/again.png");
  assert_refused (fixture->recipe, "train/cloth/1.png", "test/cloth/again.png");

  g_autofree char *extra = path_of (fixture, "test/cloth/again.png"), *images = path_of (fixture, "images");
  g_assert_cmpint (g_unlink (extra), ==, 0);
  copy_image (fixture, "train/brick/0.png", "images/a.png");
  copy_image (fixture, "train/cloth/1.png", "images/b.png");
  copy_image (fixture, "test/brick/0.png", "images/c.png");
  copy_image (fixture, "train/cloth/1.png", "images/d.png");
  put_text (fixture, "images/labels.csv",
            "image,list,brick,cloth\na.png,train,1,-1\nb.png,train,-1,1\nc.png,test,1,-1\nd.png,test,-1,1\n");
  set (fixture->recipe, "dataset.kind", "labels");
  set (fixture->recipe, "dataset.path", images);
  assert_refused (fixture->recipe, "b", "d");
  put_text (fixture, "images/labels.csv",
            "image,list,brick,cloth\na.png,train,1,-1\nb.png,train,-1,1\nc.png,test,1,-1\nd.png,train,1,1\n");
  assert_refused (fixture->recipe, "b", "labels");

  g_autofree char *same = path_of (fixture, "same");
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("same/brick/%u.png", i),
                      *other = g_strdup_printf ("same/cloth/%u.png", i);

      copy_image (fixture, "images/a.png", name);
      put_image (fixture, other, 40, 40);
    }
  set (fixture->recipe, "dataset.kind", "folders");
  set (fixture->recipe, "dataset.protocol", "random");
  set (fixture->recipe, "dataset.path", same);
  assert_refused (fixture->recipe, "brick", "same");
}

static void
save_as (Fixture *fixture, GdkPixbuf *pixbuf, double scale, const char *type, const char *name)
{
  g_autofree char *path = path_of (fixture, name), *parent = g_path_get_dirname (path);
  g_autoptr (GdkPixbuf) scaled
      = gdk_pixbuf_scale_simple (pixbuf, (int)(scale * gdk_pixbuf_get_width (pixbuf)),
                                 (int)(scale * gdk_pixbuf_get_height (pixbuf)), GDK_INTERP_BILINEAR);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_assert_true (gdk_pixbuf_save (scaled, path, type, NULL, NULL));
}

/* All sample textures, as files, encoded again or of another size, are near their own originals and no other. */
static void
test_near (Fixture *fixture, gconstpointer data)
{
  TosstContext *context = tosst_context_new (2);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GArray) pairs = NULL;
  guint n = TOSST_TEXTURES;

  for (guint i = 0; i < n; i++)
    for (guint v = 0; v < 4; v++)
      {
        TosstImage *image = tosst_textures_render (i, v, FALSE);
        g_autofree char *name = g_strdup_printf ("%02u/%u.png", i, v), *path = path_of (fixture, name),
                        *parent = g_path_get_dirname (path), *copy = g_strdup_printf ("%02u/%u-copy.jpg", i, v);
        g_autoptr (GFile) file = g_file_new_for_path (path);
        g_autoptr (GdkPixbuf) pixbuf = NULL;

        g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
        g_assert_true (tosst_image_write_png (image, file, NULL));
        tosst_image_free (image);
        pixbuf = gdk_pixbuf_new_from_file (path, NULL);
        save_as (fixture, pixbuf, (double[]){ 1, 0.75, 1.5, 0.6 }[v], "jpeg", copy);
      }
  set (fixture->recipe, "dataset.train-per-class", "6");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->entries->len, ==, 8 * n);
  pairs = tosst_dataset_find_near (dataset, context);
  for (guint i = 0; i < pairs->len; i++)
    {
      TosstNearPair pair = g_array_index (pairs, TosstNearPair, i);

      g_test_message ("%s %s", tosst_dataset_image (dataset, pair.a)->name,
                      tosst_dataset_image (dataset, pair.b)->name);
      g_assert_cmpint (
          strncmp (tosst_dataset_image (dataset, pair.a)->name, tosst_dataset_image (dataset, pair.b)->name, 4), ==, 0);
    }
  g_assert_cmpuint (pairs->len, ==, 4 * n);

  /* Half of the splits' pairs lie on both sides, more or less; each test image is named once. */
  g_auto (GStrv) names = tosst_dataset_find_duplicates (dataset, fixture->recipe, 1, context);
  guint found = g_strv_length (names) / 2;

  g_assert_cmpuint (found, >, 0);
  g_assert_cmpuint (found, <=, 2 * n);
  for (guint i = 0; i < found; i++)
    g_assert_cmpint (strncmp (names[2 * i], names[2 * i + 1], 4), ==, 0);
  tosst_context_free (context);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test, data) g_test_add ("/content/" name, Fixture, data, set_up, test, tear_down)
  ADD ("moved", test_moved, NULL);
  ADD ("two-classes", test_two_classes, NULL);
  ADD ("two-classes-by-link", test_two_classes, (gpointer)1);
  ADD ("sides", test_sides, NULL);
  ADD ("refused", test_refused, NULL);
  ADD ("near", test_near, NULL);
  return g_test_run ();
}
