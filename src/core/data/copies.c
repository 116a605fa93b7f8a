/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dataset.copies: rotated and rescaled copies of training samples, as images of their own that follow those of the data
 * set. A copy is the largest upright rectangle within the turned sample, so that it has pixels of its sample alone. Its
 * angle and scale depend on the seed of the splits and the number of the sample in the whole data set only: a nested
 * split has the copies of its outer split.
 */
#include "core/base/base.h"
#include "core/data/private.h"
#include "tosst/context.h"
#include "tosst/local.h"

/* Random streams of the samples; those of nested splits are below. */
#define COPY_STREAMS (UINT64_C (2) << 32)

/* Angles of successive copies are this share of a turn apart, which divides the circle evenly for any number of them. */
#define GOLDEN 0.61803398874989485

/* Scales are drawn between this and TOSST_COPIES_LARGEST, evenly by their logarithm. */
#define SMALLEST 0.6

/* A copy has as many pixels on its shorter side, or as its sample: descriptors of the sample can describe it, and keypoints
 * are found in it. */
#define LEAST 40

gboolean
tosst_dataset_wants_copies (const TosstDataset *self, const TosstRecipe *recipe)
{
  return tosst_recipe_has_copies (recipe) && self->copied == NULL;
}

/* Sides of the largest upright rectangle within one of w x h that is turned. */
static void
inscribe (double w, double h, double angle, double *width, double *height)
{
  double c = fabs (cos (angle)), s = fabs (sin (angle)), longer = MAX (w, h), shorter = MIN (w, h);

  if (shorter <= 2 * s * c * longer || fabs (s - c) < 1e-9)
    {
      /* Two corners are on the longer sides. */
      double a = 0.5 * shorter / s, b = 0.5 * shorter / c;

      *width = w >= h ? a : b;
      *height = w >= h ? b : a;
      return;
    }
  *width = (w * c - h * s) / (c * c - s * s);
  *height = (h * c - w * s) / (c * c - s * s);
}

static void
add_copy (TosstDataset *self, guint index, double angle, double scale, int number, int least)
{
  const TosstSample *sample = &g_array_index (self->samples, TosstSample, index);
  const TosstDatasetEntry *original = tosst_dataset_entry (self, (guint)sample->image);
  TosstDatasetEntry *entry = tosst_dataset_entry_copy (original);
  TosstSample copy = { (int)self->entries->len, sample->class_index, 0, 0, 0, 0 };
  double width, height;

  inscribe (sample->width, sample->height, angle, &width, &height);
  scale = MAX (scale, MIN (least, MIN (sample->width, sample->height)) / MIN (width, height));
  copy.width = (int)(width * scale + 1e-6);
  copy.height = (int)(height * scale + 1e-6);
  g_free (entry->public.name);
  entry->public.name = g_strdup_printf (_ ("%s (copy %d)"), original->public.name, number);
  entry->public.width = copy.width;
  entry->public.height = copy.height;
  entry->header.bytes += (guint64)(copy.width + copy.height) * (guint64)(copy.width + copy.height) * 3 * sizeof (float);
  entry->header.width = entry->header.height = 0; /* its image is decoded as it is */
  entry->copy = g_new (TosstDatasetCopy, 1);
  *entry->copy = (TosstDatasetCopy){ *sample, angle, scale };
  g_ptr_array_add (self->entries, entry);
  g_array_append_val (self->samples, copy);
  g_array_append_val (self->copied, index);
}

void
tosst_dataset_add_copies (TosstDataset *self, const TosstRecipe *recipe)
{
  guint own = self->samples->len;
  g_autofree gboolean *trains = tosst_dataset_may_train (self, recipe);
  int least = MAX (LEAST, recipe->descriptor.patch);

  self->copied = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < own; i++)
    {
      TosstRandom random;

      tosst_random_init (&random, recipe->dataset.seed,
                         COPY_STREAMS + (self->origin != NULL ? g_array_index (self->origin, guint, i) : i));
      double turn = tosst_random_uniform (&random);
      for (int k = 0; trains[i] && k < recipe->dataset.copies; k++, turn += GOLDEN)
        add_copy (self, i, 2 * G_PI * (turn - floor (turn)),
                  SMALLEST * pow (TOSST_COPIES_LARGEST / SMALLEST, tosst_random_uniform (&random)), k + 1, least);
    }
}

TosstImage *
tosst_dataset_cut_out (const TosstImage *image, const TosstSample *part)
{
  TosstImage *cut = tosst_image_new (part->width, part->height, image->channels);

  if (cut != NULL)
    cut->maximum = image->maximum;
  for (int row = 0; cut != NULL && row < part->height * image->channels; row++)
    {
      int channel = row / part->height, y = row % part->height;

      memcpy (cut->data + (gsize)row * (gsize)part->width,
              image->data + ((gsize)channel * (gsize)image->height + (gsize)(part->y + y)) * (gsize)image->width
                  + (gsize)part->x,
              (gsize)part->width * sizeof (float));
    }
  return cut;
}

/* The middle of each plane of side x side. */
static void
trim (const float *square, gsize side, TosstImage *image)
{
  gsize width = (gsize)image->width, height = (gsize)image->height;
  gsize left = (side - width) / 2, top = (side - height) / 2;

  for (gsize channel = 0; channel < (gsize)image->channels; channel++)
    for (gsize y = 0; y < height; y++)
      memcpy (image->data + (channel * height + y) * width, square + (channel * side + top + y) * side + left,
              width * sizeof (float));
}

TosstImage *
tosst_dataset_make_copy (const TosstDatasetEntry *entry, const TosstImage *whole, GError **error)
{
  const TosstDatasetCopy *copy = entry->copy;
  g_autoptr (TosstImage) sample = tosst_dataset_cut_out (whole, &copy->of);
  int side = MAX (entry->public.width, entry->public.height);
  TosstFramePatch patch = { side, 0, 0.5 * side, FALSE };
  double c = cos (copy->angle) / copy->scale, s = sin (copy->angle) / copy->scale;
  /* Pixel (u, v) of the square is that many places from its middle. A side that is trimmed by an odd number has its
   * middle half a pixel further. */
  double right = 0.5 * ((side - entry->public.width) % 2), down = 0.5 * ((side - entry->public.height) % 2);
  TosstFrame frame = { .x = (float)(0.5 * (copy->of.width - 1) + c * right - s * down),
                       .y = (float)(0.5 * (copy->of.height - 1) + s * right + c * down),
                       .a = { (float)c, (float)-s, (float)s, (float)c } };
  TosstImage *image = NULL;
  g_autofree float *square = NULL;
  TosstStatus status = TOSST_ERROR_MEMORY;

  if (sample != NULL)
    {
      image = tosst_image_new (entry->public.width, entry->public.height, sample->channels);
      square = g_try_malloc_n ((gsize)side * (gsize)side, (gsize)sample->channels * sizeof (float));
    }
  if (image != NULL && square != NULL)
    status = tosst_frames_patches (&patch, sample, &frame, 1, square);
  if (!tosst_error_from_status (status, NULL, entry->public.name, error))
    {
      tosst_image_free (image);
      return NULL;
    }
  trim (square, (gsize)side, image);
  image->maximum = 0;
  return image;
}
