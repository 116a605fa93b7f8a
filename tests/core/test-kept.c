/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is described of an image is kept by its content: a later run describes what is new, and has the bits of one that
 * describes everything. Images whose content is not needed again are spoiled, so that a run that decodes one of them
 * fails.
 */
#include <signal.h>
#include <sys/resource.h>

#include "../small-images.h"
#include "core/run/run.h"
#include "own-cache.h"
#include "run-same.h"
#include "small-run.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

#define OLD 1000000000

typedef struct
{
  char *folder;
  TosstRecipe *recipe;
  TosstContext *context;
} Fixture;

/* Path of an image. New. */
static char *
image_path (const char *folder, guint c, int i)
{
  g_autofree char *name = g_strdup_printf ("%d.png", i);

  return g_build_filename (folder, small_classes[c], name, NULL);
}

/* All images but one of class 0 (-1: all). */
static void
for_images (const Fixture *self, int but, void (*function) (const char *path))
{
  for (guint c = 0; c < G_N_ELEMENTS (small_classes); c++)
    for (int i = 0; i < SMALL_IMAGES; i++)
      {
        g_autofree char *path = image_path (self->folder, c, i);

        if (c > 0 || i != but)
          function (path);
      }
}

static void
make_old (const char *path)
{
  set_age (path, OLD);
}

/* data: values of the recipe. */
static void
set_up (Fixture *self, gconstpointer data)
{
  tosst_disk_cache_clear ();
  self->folder = g_dir_make_tmp ("tosst kept XXXXXX", NULL);
  write_small_images (self->folder);
  for_images (self, -1, make_old);
  self->recipe = small_recipe (self->folder);
  set_text (self->recipe, "descriptor.most=40");
  set_text (self->recipe, data);
  self->context = tosst_context_new (2);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autofree char *added = image_path (self->folder, 0, SMALL_IMAGES);

  g_unlink (added);
  remove_small_images (self->folder);
  tosst_recipe_free (self->recipe);
  tosst_context_free (self->context);
  g_free (self->folder);
}

/* Opens the data set and runs the recipe with other values. New. */
static TosstRunResult *
run_with (Fixture *self, const char *folder, const char *values)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (self->recipe);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GError) error = NULL;
  TosstRunResult *result;

  g_assert_true (tosst_recipe_set (recipe, "dataset.path", folder, NULL));
  if (values != NULL)
    set_text (recipe, values);
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (recipe, dataset, self->context, NULL, NULL, &error);
  g_assert_no_error (error);
  return result;
}

/* The same without a cache. */
static TosstRunResult *
run_cold (Fixture *self, const char *folder, const char *values)
{
  TosstRunResult *result;

  g_setenv ("TOSST_CACHE_MB", "0", TRUE);
  result = run_with (self, folder, values);
  g_setenv ("TOSST_CACHE_MB", "1000", TRUE);
  return result;
}

/* Another λ, K, seed, classifier or kernel describes nothing, and gives the bits of a run that describes everything. */
static void
test_other_values (Fixture *self, gconstpointer data)
{
  /* The last one draws other copies. */
  static const char *const others[] = { NULL,
                                        "coding.lambda=0.03",
                                        "dictionary.atoms=9",
                                        "dictionary.seed=5",
                                        "classifier.c=3",
                                        "pooling.power=0.5",
                                        "dataset.seed=4" };
  gsize n = G_N_ELEMENTS (others) - (strstr (data, "copies") != NULL);
  TosstRunResult *cold[G_N_ELEMENTS (others)];
  g_autoptr (TosstRunResult) first = NULL;

  for (gsize i = 0; i < n; i++)
    cold[i] = run_cold (self, self->folder, others[i]);
  first = run_with (self, self->folder, NULL);
  assert_same (cold[0], first);
  for_images (self, -1, spoil);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (TosstRunResult) again = run_with (self, self->folder, others[i]);

      assert_same (cold[i], again);
      tosst_run_result_free (cold[i]);
    }
}

/* Tensors that are not in memory come to the same. */
static void
test_not_resident (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) cold = run_cold (self, self->folder, NULL), first = NULL, second = NULL;

  g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
  first = run_with (self, self->folder, NULL);
  for_images (self, -1, spoil);
  second = run_with (self, self->folder, NULL);
  assert_same (cold, first);
  assert_same (cold, second);
  /* A single split describes on demand. */
  g_autoptr (TosstRunResult) single = run_with (self, self->folder, "dataset.splits=1");
  g_assert_cmpmem (&single->split[0].objective, 8, &cold->split[0].objective, 8);
  g_unsetenv ("TOSST_RESIDENT_MB");
}

/* Other tensors of the same frames need their patches alone, wherever the tensors are. */
static void
test_other_tensors (Fixture *self, gconstpointer data)
{
  static const char *const others[]
      = { "descriptor.pivots=3", "descriptor.gamma-eigen=0.5", "descriptor.kind=covariance" };
  static const char *const resident[] = { "1000", "0" };
  TosstRunResult *cold[G_N_ELEMENTS (others)];
  g_autoptr (TosstRunResult) first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    cold[i] = run_cold (self, self->folder, others[i]);
  first = run_with (self, self->folder, NULL);
  for_images (self, -1, spoil);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *single = g_strconcat (others[i], " dataset.splits=1", NULL);

      g_setenv ("TOSST_RESIDENT_MB", resident[i % 2], TRUE);
      g_autoptr (TosstRunResult) one = run_with (self, self->folder, single);
      g_autoptr (TosstRunResult) again = run_with (self, self->folder, others[i]);
      g_unsetenv ("TOSST_RESIDENT_MB");
      g_assert_cmpmem (&one->split[0].objective, 8, &cold[i]->split[0].objective, 8);
      assert_same (cold[i], again);
      tosst_run_result_free (cold[i]);
    }
}

/* That nothing was found in an image is known from its kept patch, too. */
static void
test_flat (Fixture *self, gconstpointer data)
{
  g_autofree char *path = image_path (self->folder, 0, 2);
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 64, 64);
  g_autoptr (TosstRunResult) cold = NULL, first = NULL, second = NULL;

  gdk_pixbuf_fill (pixels, 0x80808000);
  g_assert_true (gdk_pixbuf_save (pixels, path, "png", NULL, NULL));
  make_old (path);
  cold = run_cold (self, self->folder, NULL);
  first = run_with (self, self->folder, NULL);
  for_images (self, -1, spoil);
  second = run_with (self, self->folder, NULL);
  assert_same (cold, first);
  assert_same (cold, second);
  g_assert_cmpuint (cold->unfound, ==, 1);
  g_assert_cmpuint (first->unfound, ==, 1);
  g_assert_cmpuint (second->unfound, ==, 1);
}

/* Turns a picture by a quarter, or copies it with FALSE. */
static void
write_picture (const char *from, const char *to, gboolean turned)
{
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new_from_file (from, NULL);
  g_autoptr (GdkPixbuf) other = gdk_pixbuf_rotate_simple (pixels, turned ? 90 : 0);

  g_assert_true (gdk_pixbuf_save (other, to, "png", NULL, NULL));
}

/* A run after one more picture describes that one. */
static void
test_one_more (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) cold = NULL, first = run_with (self, self->folder, NULL), second = NULL;
  g_autofree char *from = image_path (self->folder, 0, 3), *to = image_path (self->folder, 0, SMALL_IMAGES);

  write_picture (from, to, TRUE);
  cold = run_cold (self, self->folder, NULL);
  for_images (self, -1, spoil);
  second = run_with (self, self->folder, NULL);
  assert_same (cold, second);
  /* Without that picture, and without two: nothing. */
  g_unlink (to);
  g_autoptr (TosstRunResult) third = run_with (self, self->folder, NULL);
  assert_same (first, third);
}

/* A run after a picture was edited describes that one. */
static void
test_edited (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) cold = NULL, first = run_with (self, self->folder, NULL), second = NULL;
  g_autofree char *edited = image_path (self->folder, 0, 3);

  g_assert_nonnull (first);
  write_picture (edited, edited, TRUE);
  cold = run_cold (self, self->folder, NULL);
  for_images (self, 3, spoil);
  second = run_with (self, self->folder, NULL);
  assert_same (cold, second);
}

static void
age_values (void)
{
  g_autoptr (GPtrArray) values = list_cache ();

  for (guint i = 0; i < values->len; i++)
    set_age (values->pdata[i], OLD);
}

/* Values that were read or written since age_values(). */
static guint
count_used (guint *all)
{
  g_autoptr (GPtrArray) values = list_cache ();
  guint used = 0;

  for (guint i = 0; i < values->len; i++)
    used += get_age (values->pdata[i]) > OLD;
  *all = values->len;
  return used;
}

/* A folder that was copied or renamed has the same values. */
static void
test_copied (Fixture *self, gconstpointer data)
{
  g_autofree char *other = g_strconcat (self->folder, " copied", NULL);
  g_autoptr (TosstRunResult) first = run_with (self, self->folder, NULL), copied = NULL, renamed = NULL;
  guint before, after;

  age_values ();
  count_used (&before);
  for (guint c = 0; c < G_N_ELEMENTS (small_classes); c++)
    {
      g_autofree char *folder = g_build_filename (other, small_classes[c], NULL);

      g_mkdir_with_parents (folder, 0700);
      for (int i = 0; i < SMALL_IMAGES; i++)
        {
          g_autofree char *from = image_path (self->folder, c, i), *to = image_path (other, c, i);
          g_autoptr (GFile) source = g_file_new_for_path (from), target = g_file_new_for_path (to);

          g_assert_true (g_file_copy (source, target, 0, NULL, NULL, NULL, NULL));
          set_age (to, OLD + 7);
        }
    }
  copied = run_with (self, other, NULL);
  g_assert_cmpuint (count_used (&after), >=, G_N_ELEMENTS (small_classes) * SMALL_IMAGES);
  g_assert_cmpuint (after, ==, before);
  assert_same (first, copied);
  remove_small_images (other);
  g_assert_cmpint (g_rename (self->folder, other), ==, 0);
  renamed = run_with (self, other, NULL);
  count_used (&after);
  g_assert_cmpuint (after, ==, before);
  assert_same (first, renamed);
  g_assert_cmpint (g_rename (other, self->folder), ==, 0);
}

/* A damaged value is described anew, and no other. */
static void
test_damaged (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) first = run_with (self, self->folder, NULL), second = NULL, third = NULL;
  g_autoptr (GPtrArray) values = list_cache ();
  guint all;

  for (guint i = 0; i < values->len; i += 5)
    {
      g_autofree char *bytes = NULL, *again = NULL;
      gsize size, now, at;

      g_assert_true (g_file_get_contents (values->pdata[i], &bytes, &size, NULL));
      at = size > 80 ? 80 : 10; /* in the first part, which is always read, or in the key */
      bytes[at] ^= 1;
      g_assert_true (g_file_set_contents (values->pdata[i], bytes, (gssize)size, NULL));
      bytes[at] ^= 1;
      age_values ();
      second = run_with (self, self->folder, NULL);
      assert_same (first, second);
      g_clear_pointer (&second, tosst_run_result_free);
      third = run_with (self, self->folder, NULL);
      assert_same (first, third);
      g_clear_pointer (&third, tosst_run_result_free);
      g_assert_true (g_file_get_contents (values->pdata[i], &again, &now, NULL));
      g_assert_cmpmem (bytes, size, again, now);
      count_used (&all);
      g_assert_cmpuint (all, ==, values->len);
    }
}

/* Without room on the disk, or a folder, a run goes on. */
static void
test_nowhere (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) cold = run_cold (self, self->folder, NULL), full = NULL, without = NULL;
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  struct rlimit limit, old;
  guint all;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = 10;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  full = run_with (self, self->folder, NULL);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  assert_same (cold, full);
  count_used (&all);
  g_assert_cmpuint (all, ==, 0);
  tosst_disk_cache_clear ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_true (g_file_set_contents (folder, "", 0, NULL));
  without = run_with (self, self->folder, NULL);
  assert_same (cold, without);
  g_unlink (folder);
}

#define ADD(name, function, values) g_test_add ("/kept/" name, Fixture, values, set_up, function, tear_down)
#define ADD_ALL(name, values)                                                                                          \
  ADD (name "/other-values", test_other_values, values);                                                               \
  ADD (name "/one-more", test_one_more, values);                                                                       \
  ADD (name "/edited", test_edited, values);                                                                           \
  ADD (name "/copied", test_copied, values);                                                                           \
  ADD (name "/damaged", test_damaged, values);                                                                         \
  ADD (name "/nowhere", test_nowhere, values)

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = make_cache ();
  ADD_ALL ("grid", "descriptor.gamma-eigen=0.5");
  ADD_ALL ("frames", "descriptor.frames=keypoints descriptor.photometric=true");
  ADD_ALL ("fisher", "descriptor.kind=sift descriptor.frames=keypoints coding.method=fisher coding.gaussians=2 "
                     "descriptor.pca=4");
  ADD_ALL ("image-covariance", "descriptor.kind=image-covariance");
  ADD ("tensor/other-values", test_other_values,
       "descriptor.kind=sift descriptor.frames=keypoints coding.method=raw descriptor.pca=4");
  ADD ("blocks/other-values", test_other_values, "descriptor.kind=lbp dataset.block=32");
  ADD ("copies/other-values", test_other_values, "dataset.copies=1 descriptor.frames=dense-scales");
  ADD ("combined/other-values", test_other_values, "descriptor.kind=combined descriptor.parts=fisher;image-covariance");
  ADD ("grid/not-resident", test_not_resident, "descriptor.gamma-eigen=0.5");
  ADD ("frames/flat", test_flat, "descriptor.frames=keypoints");
  ADD ("frames/other-tensors", test_other_tensors, "descriptor.frames=keypoints");
  ADD ("frames/not-resident", test_not_resident, "descriptor.frames=keypoints");
  status = g_test_run ();
  remove_cache (folder);
  return status;
}
