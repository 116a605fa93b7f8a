/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>

#include "../few-textures.h"
#include "../small-images.h"
#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/common-atoms.h"
#include "core/dictionary/model.h"
#include "core/dictionary/patch-coder.h"
#include "core/run/run.h"
#include "small-run.h"

static char *folder; /* of images */

static void
test_sums (void)
{
  static const TosstPoint points[] = { { 0, 0 }, { 8, 0 }, { 16, 0 } };
  static const float first[] = { 1, 0, 2, 0, 0, -3, 1, 0, 0 }, second[] = { 0, 0, 4, 0, 0, 4, 0, 0, 0 };
  g_autoptr (TosstAtomUsage) usage = tosst_atom_usage_new (3, 2);
  const TosstAtomPatch *list;
  double share;

  tosst_atom_usage_add (usage, first, 3, points, 5, 0);
  tosst_atom_usage_add (usage, second, 3, points, 6, 1);
  g_assert_cmpuint (usage->tensors, ==, 6);
  g_assert_cmpfloat (usage->use[0], ==, 2);
  g_assert_cmpfloat (usage->use[1], ==, 0);
  g_assert_cmpfloat (usage->use[2], ==, 13);
  g_assert_cmpuint (usage->count[2], ==, 4);
  g_assert_cmpint (tosst_atom_usage_class (usage, 0, &share), ==, 0);
  g_assert_cmpfloat (share, ==, 1);
  g_assert_cmpint (tosst_atom_usage_class (usage, 1, &share), ==, -1);
  g_assert_cmpint (tosst_atom_usage_class (usage, 2, &share), ==, 1);
  g_assert_cmpfloat_with_epsilon (share, 8.0 / 13, 1e-15);

  /* Largest first, the earlier of equal ones before the later. */
  list = usage->patches + 2 * TOSST_ATOM_PATCHES;
  g_assert_cmpint (usage->n_patches[2], ==, 4);
  g_assert_cmpfloat (list[0].code, ==, 4);
  g_assert_cmpuint (list[0].image, ==, 6);
  g_assert_cmpint (list[0].point.x, ==, 0);
  g_assert_cmpint (list[1].point.x, ==, 8);
  g_assert_cmpfloat (list[2].code, ==, -3);
  g_assert_cmpuint (list[3].image, ==, 5);
}

/* The kept ones are the largest, up to the capacity. */
static void
test_room (void)
{
  g_autoptr (TosstAtomUsage) usage = tosst_atom_usage_new (1, 1);

  for (int i = 0; i < 200; i++)
    {
      float code = (float)((i * 73 + 1) % 200); /* each of 0 .. 199 once */

      tosst_atom_usage_add (usage, &code, 1, &(TosstPoint){ i, 0 }, 0, 0);
    }
  g_assert_cmpint (usage->n_patches[0], ==, TOSST_ATOM_PATCHES);
  for (int i = 0; i < TOSST_ATOM_PATCHES; i++)
    g_assert_cmpfloat (usage->patches[i].code, ==, 199 - i);
  g_assert_cmpuint (usage->count[0], ==, 199); /* one was zero */
}

/* By four images of two classes of the samples: the images and classes of the whole data set. */
static void
test_subset (void)
{
  static const TosstPoint point = { 0, 0 };
  static const float code[] = { 1, 2 };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (TosstDataset) whole = tosst_dataset_open (recipe, NULL, NULL);
  g_autoptr (GArray) images = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (TosstAtomUsage) part = tosst_atom_usage_new (2, 2), usage = NULL;
  guint classes = whole->classes->len;

  for (guint i = 0; i < whole->entries->len && images->len < 4; i++)
    {
      int c = tosst_dataset_image (whole, i)->class_index;

      if ((c == 3 && images->len < 2) || (c == 7 && images->len >= 2))
        g_array_append_val (images, i);
    }
  for (guint i = 0; i < 4; i++)
    tosst_atom_usage_add (part, code, 1, &point, i, i / 2);
  usage = tosst_atom_usage_of_subset (part, whole, images);
  g_assert_cmpint (usage->classes, ==, classes);
  g_assert_cmpuint (usage->tensors, ==, 4);
  g_assert_cmpint (usage->n_patches[1], ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (usage->patches[TOSST_ATOM_PATCHES + i].image, ==, g_array_index (images, guint, i));
  for (guint c = 0; c < classes; c++)
    g_assert_cmpfloat (usage->by_class[classes + c], ==, c == 3 || c == 7 ? 4 : 0);
}

/* Mean |alpha_k| over the patches of a sample, one patch after the other. */
static void
use_of_sample (const TosstRecipe *recipe, TosstContext *context, const TosstPatchCoder *coder, int K,
               TosstDataset *dataset, guint number, double *use)
{
  const TosstSample *sample = tosst_dataset_sample (dataset, number);
  int patch = recipe->descriptor.patch, step = recipe->descriptor.step, n = 0;
  TosstImage *image = tosst_dataset_read_for (dataset, (guint)sample->image, 0, NULL);
  g_autofree float *tensor = g_new (float, tosst_shape_numbers (tosst_recipe_shape (recipe)));
  g_autofree float *code = g_new (float, K);
  gsize framed = 0, across = (gsize)((sample->width - patch) / step + 1),
        down = (gsize)((sample->height - patch) / step + 1);
  g_autofree TosstFrame *frames
      = tosst_recipe_has_frames (recipe) ? tosst_frames_of_image (recipe, image, &framed, NULL, "image", NULL) : NULL;

  for (int k = 0; k < K; k++)
    use[k] = 0;
  for (gsize i = 0; i < (frames != NULL ? framed : across * down); i++, n++)
    {
      TosstPoint point = { sample->x + (int)(i % across) * step, sample->y + (int)(i / across) * step };

      g_assert_cmpint (
          tosst_describe_places (recipe, context, image, &point, frames != NULL ? frames + i : NULL, 1, tensor), ==,
          TOSST_OK);
      g_assert_cmpint (tosst_patch_coder_code (coder, context, tensor, 1, code, NULL), ==, TOSST_OK);
      for (int k = 0; k < K; k++)
        use[k] += fabsf (code[k]);
    }
  for (int k = 0; k < K; k++)
    use[k] /= n;
  tosst_image_free (image);
}

/* Least, mean and share equal those of codes computed one by one, and no omitted patch precedes a kept one. */
static void
check_common (const TosstRecipe *recipe, TosstContext *context, const TosstPatchCoder *coder, int K,
              TosstDataset *dataset, const GArray *samples)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) all = tosst_common_atoms (recipe, context, coder, K, dataset, samples, (guint)K, &error);
  g_autoptr (GArray) some = tosst_common_atoms (recipe, context, coder, K, dataset, samples, 2, &error);
  g_autofree double *use = g_new (double, (gsize)K * samples->len);
  double total = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (some->len, ==, 2);
  g_assert_cmpmem (some->data, 2 * sizeof (TosstCommonAtom), all->data, 2 * sizeof (TosstCommonAtom));
  for (guint i = 0; i < samples->len; i++)
    use_of_sample (recipe, context, coder, K, dataset, g_array_index (samples, guint, i), use + (gsize)i * K);
  for (guint i = 0; i < all->len; i++)
    {
      const TosstCommonAtom *atom = &g_array_index (all, TosstCommonAtom, i);
      double least = INFINITY, mean = 0;

      for (guint j = 0; j < samples->len; j++)
        {
          least = MIN (least, use[(gsize)j * K + atom->atom]);
          mean += use[(gsize)j * K + atom->atom] / samples->len;
        }
      g_assert_cmpfloat_with_epsilon (atom->least, least, 1e-4);
      g_assert_cmpfloat_with_epsilon (atom->mean, mean, 1e-4);
      g_assert_cmpfloat (atom->mean, >, 0);
      if (i > 0)
        g_assert_true (atom[-1].least > atom->least || (atom[-1].least == atom->least && atom[-1].mean >= atom->mean));
      total += atom->share;
    }
  g_assert_cmpfloat_with_epsilon (total, 1, 1e-9);
}

/* A run of a second: on blocks of sample textures, or (framed) at keypoints of whole images. */
typedef struct
{
  TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstContext *context;
  TosstRunResult *result;
} Run;

static Run
run (int splits, gconstpointer framed)
{
  Run self = { framed ? small_recipe (folder) : tosst_recipe_new_samples (), .context = tosst_context_new (2) };
  g_autoptr (GError) error = NULL;

  set_text (self.recipe, "dictionary.atoms=10 dictionary.iterations=3 dictionary.sample=100");
  set_text (self.recipe, framed ? "descriptor.frames=keypoints descriptor.most=12 descriptor.photometric=true"
                                : "dataset.exclude=" ALL_BUT_FIVE_TEXTURES
                                  " dataset.train-per-class=4 descriptor.pivots=3 "
                                  "descriptor.patch=32 descriptor.step=32");
  self.recipe->dataset.splits = splits;
  self.dataset = tosst_dataset_open (self.recipe, NULL, &error);
  g_assert_no_error (error);
  self.result = tosst_run_execute (self.recipe, self.dataset, self.context, NULL, NULL, &error);
  g_assert_no_error (error);
  return self;
}

static void
run_clear (Run *self)
{
  tosst_recipe_free (self->recipe);
  tosst_dataset_unref (self->dataset);
  tosst_context_free (self->context);
  tosst_run_result_free (self->result);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* Samples of three classes: of several images, with several patches. */
static void
test_common (gconstpointer framed)
{
  g_auto (Run) made = run (1, framed);
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPatchCoder) coder = NULL;
  const TosstRecipe *recipe = made.recipe;
  TosstDataset *dataset = made.dataset;
  TosstContext *context = made.context;

  g_assert_cmpint (tosst_patch_coder_new (recipe, context, made.result->dictionary, &coder), ==, TOSST_OK);
  for (guint i = 0; i < 3; i++)
    {
      guint sample = i * (framed ? 10 : 41);

      g_array_append_val (samples, sample);
      check_common (recipe, context, coder, 10, dataset, samples);
    }
  tosst_context_cancel (context);
  g_assert_null (tosst_common_atoms (recipe, context, coder, 10, dataset, samples, 2, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
}

/* The usage of the first split of a run equals that of coding the patches again. */
static void
test_run (gconstpointer framed)
{
  g_auto (Run) made = run (2, framed);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPatchCoder) coder = NULL;
  const TosstRunResult *result = made.result;
  const TosstAtomUsage *usage = result->usage;
  double total = 0, classes = 0;

  g_assert_nonnull (usage);
  g_assert_true (result->split[0].usage == usage);
  g_assert_null (result->split[1].usage);
  g_assert_cmpuint (usage->tensors, ==, result->tensors);
  for (int k = 0; k < usage->K; k++)
    {
      total += usage->use[k];
      for (int c = 0; c < usage->classes; c++)
        classes += usage->by_class[k * usage->classes + c];
    }
  g_assert_cmpfloat_with_epsilon (total, classes, 1e-9 * total);

  g_assert_cmpint (tosst_patch_coder_new (made.recipe, made.context, result->dictionary, &coder), ==, TOSST_OK);
  for (int k = 0; k < usage->K; k++)
    if (usage->n_patches[k] > 0)
      {
        const TosstAtomPatch *patch = usage->patches + (gsize)k * TOSST_ATOM_PATCHES;
        TosstImage *image = tosst_dataset_read_for (made.dataset, patch->image, 0, &error);
        g_autofree float *tensor = g_new (float, tosst_shape_numbers (tosst_recipe_shape (made.recipe)));
        float code[10];

        g_assert_cmpint (tosst_describe_places (made.recipe, made.context, image, &patch->point,
                                                framed ? &patch->frame : NULL, 1, tensor),
                         ==, TOSST_OK);
        g_assert_cmpint (tosst_patch_coder_code (coder, made.context, tensor, 1, code, NULL), ==, TOSST_OK);
        g_assert_cmpfloat_with_epsilon (code[k], patch->code, 1e-4);
        tosst_image_free (image);
      }
}

static void
keep_last (double fraction, void *last)
{
  g_assert_cmpfloat (fraction, >=, *(double *)last);
  *(double *)last = fraction;
}

/* Coding again with a dictionary gives the usage of its run. */
static void
test_found (gconstpointer framed)
{
  g_auto (Run) made = run (1, framed);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstAtomUsage) found = NULL;
  const TosstRunResult *result = made.result;
  double last = 0;

  tosst_context_set_progress (made.context, keep_last, &last);
  found = tosst_find_usage (made.recipe, made.context, result->dictionary, made.dataset, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (last, ==, 1);
  g_assert_cmpint (found->K, ==, result->usage->K);
  g_assert_cmpint (found->classes, ==, result->usage->classes);
  g_assert_cmpuint (found->tensors, ==, result->usage->tensors);
  for (int k = 0; k < found->K; k++)
    {
      g_assert_cmpfloat_with_epsilon (found->use[k], result->usage->use[k], 1e-4 * result->usage->use[k]);
      g_assert_cmpint (found->n_patches[k], ==, result->usage->n_patches[k]);
      for (int i = 0; i < found->n_patches[k]; i++)
        {
          const TosstAtomPatch *a = &found->patches[k * TOSST_ATOM_PATCHES + i],
                               *b = &result->usage->patches[k * TOSST_ATOM_PATCHES + i];

          g_assert_cmpfloat_with_epsilon (a->code, b->code, 1e-4);
          if (a->image == b->image && a->point.x == b->point.x)
            g_assert_cmpmem (&a->frame, sizeof a->frame, &b->frame, sizeof b->frame);
        }
    }
  tosst_context_cancel (made.context);
  g_assert_null (tosst_find_usage (made.recipe, made.context, result->dictionary, made.dataset, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("tosst images XXXXXX", NULL);
  write_small_images (folder);
  g_test_add_func ("/core/atom-usage/sums", test_sums);
  g_test_add_func ("/core/atom-usage/room", test_room);
  g_test_add_func ("/core/atom-usage/subset", test_subset);
  g_test_add_data_func ("/core/atom-usage/common", NULL, test_common);
  g_test_add_data_func ("/core/atom-usage/frames/common", "", test_common);
  g_test_add_data_func ("/core/atom-usage/run", NULL, test_run);
  g_test_add_data_func ("/core/atom-usage/frames/run", "", test_run);
  g_test_add_data_func ("/core/atom-usage/found", NULL, test_found);
  g_test_add_data_func ("/core/atom-usage/frames/found", "", test_found);
  status = g_test_run ();
  remove_small_images (folder);
  g_free (folder);
  return status;
}
