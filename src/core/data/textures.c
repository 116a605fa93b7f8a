/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/textures.h"

#include "core/base/base.h"
#include "core/image/probe.h"
#include "tosst/context.h"

#define SIZE TOSST_TEXTURE_SIZE
#define IMAGES TOSST_TEXTURE_IMAGES
#define HARDEST 0.42 /* share of the other pattern */

/* Pairs of classes of similar patterns, by index: each is the twin of the other. */
static const guint8 twins[] = { 5, 11, 14, 6, 12, 0, 3, 9, 15, 7, 13, 1, 4, 10, 2, 8 };

G_STATIC_ASSERT (G_N_ELEMENTS (twins) == TOSST_TEXTURES);

/* Variation of an image within its class. */
typedef struct
{
  guint32 seed;
  double xx, xy, x0, y0;   /* rotation, scale and shift of the pattern */
  double light_x, light_y; /* illumination gradient, per pixel */
  double mean, contrast;   /* of the luminance */
  double noise, blur;      /* of the camera: amplitude, and weight of the neighbours */
  double tint[3];
  double share; /* of the pattern of the twin */
} Variation;

const char *
tosst_textures_name (guint texture)
{
  return tosst_texture_table[texture].name;
}

const char *
tosst_textures_label (const char *name)
{
  static const char *const labels[] = {
    NC_ ("texture", "bricks"), NC_ ("texture", "corduroy"),  NC_ ("texture", "denim"),   NC_ ("texture", "gingham"),
    NC_ ("texture", "grass"),  NC_ ("texture", "honeycomb"), NC_ ("texture", "knit"),    NC_ ("texture", "leopard"),
    NC_ ("texture", "marble"), NC_ ("texture", "mud"),       NC_ ("texture", "pebbles"), NC_ ("texture", "ripples"),
    NC_ ("texture", "sand"),   NC_ ("texture", "scales"),    NC_ ("texture", "weave"),   NC_ ("texture", "wood")
  };

  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (strcmp (labels[i], name) == 0)
      return g_dpgettext2 (NULL, "texture", name);
  return name;
}

guint
tosst_textures_twin (guint texture)
{
  return twins[texture];
}

static double
between (TosstRandom *random, double low, double high)
{
  return low + (high - low) * tosst_random_uniform (random);
}

static Variation
draw_variation (TosstRandom *random, double contrast)
{
  Variation v = { 0 };
  double angle = between (random, -0.26, 0.26), scale = between (random, 0.8, 1.25);
  /* Up to 15 degrees two terms of the series are exact to 1e-5, without libm. */
  double cosine = 1.0 - angle * angle / 2.0 * (1.0 - angle * angle / 12.0), sine = angle * (1.0 - angle * angle / 6.0);

  v.seed = (guint32)tosst_random_next (random);
  v.xx = cosine / scale;
  v.xy = sine / scale;
  v.x0 = between (random, 0.0, 2000.0);
  v.y0 = between (random, 0.0, 2000.0);
  v.light_x = between (random, -0.28, 0.28) / SIZE;
  v.light_y = between (random, -0.28, 0.28) / SIZE;
  v.mean = between (random, 0.40, 0.56);
  v.contrast = contrast * between (random, 0.11, 0.20);
  v.noise = between (random, 0.01, 0.07);
  v.blur = between (random, 0.0, 0.8);
  for (int c = 0; c < 3; c++)
    v.tint[c] = between (random, 0.96, 1.04);
  return v;
}

static Variation
draw_hard_variation (TosstRandom *random, double contrast)
{
  Variation v = draw_variation (random, contrast);
  /* Up to 23 degrees the series are exact to 1e-4, which scales the pattern by as little. */
  double angle = between (random, -0.4, 0.4), scale = between (random, 0.7, 1.4);

  v.xx = (1.0 - angle * angle / 2.0 * (1.0 - angle * angle / 12.0)) / scale;
  v.xy = angle * (1.0 - angle * angle / 6.0) / scale;
  v.light_x *= 2.0;
  v.light_y *= 2.0;
  v.contrast *= between (random, 0.7, 1.0);
  v.noise += between (random, 0.02, 0.08);
  v.share = between (random, 0.1, HARDEST);
  return v;
}

static void
paint (TosstImage *image, TosstPattern pattern, TosstPattern twin, const Variation *v)
{
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      {
        double px = v->x0 + v->xx * x - v->xy * y, py = v->y0 + v->xy * x + v->xx * y;
        double light = 1.0 + v->light_x * (x - SIZE / 2) + v->light_y * (y - SIZE / 2);
        TosstColour colour = pattern (px, py, v->seed);
        float *out = image->data + y * SIZE + x;

        if (v->share > 0)
          colour = tosst_colour_mix (colour, twin (px, py, v->seed), v->share);

        out[0] = (float)(colour.r * v->tint[0] * light);
        out[SIZE * SIZE] = (float)(colour.g * v->tint[1] * light);
        out[2 * SIZE * SIZE] = (float)(colour.b * v->tint[2] * light);
      }
}

/* One pass along rows (step 1) or columns (step SIZE): weight 1 gives the kernel (1, 2, 1) / 4. */
static void
blur_lines (float *plane, int step, double weight)
{
  for (int line = 0; line < SIZE; line++)
    {
      float *first = plane + (gsize)line * (step == 1 ? SIZE : 1);
      float before = first[0];

      for (int i = 0; i < SIZE; i++)
        {
          float here = first[i * step], after = first[MIN (i + 1, SIZE - 1) * step];

          first[i * step]
              = (float)((1.0 - 0.5 * weight) * (double)here + 0.25 * weight * ((double)before + (double)after));
          before = here;
        }
    }
}

/* Variable focus: together with noise it prevents classification by sharpness alone. */
static void
blur (TosstImage *image, double weight)
{
  for (int c = 0; c < 3; c++)
    {
      blur_lines (image->data + c * SIZE * SIZE, 1, weight);
      blur_lines (image->data + c * SIZE * SIZE, SIZE, weight);
    }
}

static double
luminance (const TosstImage *image, int i)
{
  return 0.299 * (double)image->data[i] + 0.587 * (double)image->data[SIZE * SIZE + i]
         + 0.114 * (double)image->data[2 * SIZE * SIZE + i];
}

/* Brightness and contrast vary by image and not by class, so that the mean grey does not identify the class.
 * Saturation decreases with the contrast but does not increase, which would look garish. */
static void
develop (TosstImage *image, const Variation *v, TosstRandom *random)
{
  double sum = 0.0, squares = 0.0, mean, gain;

  for (int i = 0; i < SIZE * SIZE; i++)
    {
      double grey = luminance (image, i);

      sum += grey;
      squares += grey * grey;
    }
  mean = sum / (SIZE * SIZE);
  gain = v->contrast / sqrt (MAX (squares / (SIZE * SIZE) - mean * mean, 1e-6));
  for (int i = 0; i < SIZE * SIZE; i++)
    {
      guint64 bits = tosst_random_next (random);
      /* Sum of two bytes: a triangular distribution. */
      double noise = ((double)(bits & 255) + (double)(bits >> 8 & 255) - 255.0) / 255.0 * v->noise;

      for (int c = 0; c < 3; c++)
        {
          float *sample = &image->data[c * SIZE * SIZE + i];
          double value = ((double)*sample - mean) * gain + v->mean + noise;

          *sample = (float)tosst_floor (CLAMP (value, 0.0, 1.0) * 255.0 + 0.5) / 255.0f;
        }
    }
}

static TosstImage *
to_grey (const TosstImage *colour)
{
  TosstImage *grey = tosst_image_new (SIZE, SIZE, 1);

  if (grey == NULL)
    return NULL;
  grey->maximum = 255;
  for (int i = 0; i < SIZE * SIZE; i++)
    grey->data[i] = (float)tosst_floor (luminance (colour, i) * 255.0 + 0.5) / 255.0f;
  return grey;
}

static TosstImage *
render (guint texture, guint variant, gboolean hard)
{
  TosstImage *image = tosst_image_new (SIZE, SIZE, 3);
  TosstRandom random;

  if (image == NULL)
    return NULL;
  image->maximum = 255;
  tosst_random_init (&random, hard ? 0x68617264 : 0x746f737374, (guint64)texture << 32 | variant);
  Variation variation = (hard ? draw_hard_variation : draw_variation) (&random, tosst_texture_table[texture].contrast);
  paint (image, tosst_texture_table[texture].pattern, tosst_texture_table[twins[texture]].pattern, &variation);
  blur (image, variation.blur);
  develop (image, &variation, &random);
  return image;
}

TosstImage *
tosst_textures_render_hard (guint texture, guint variant)
{
  return render (texture, variant, TRUE);
}

TosstImage *
tosst_textures_render (guint texture, guint variant, gboolean grey)
{
  TosstImage *image = render (texture, variant, FALSE);
  if (image == NULL || !grey)
    return image;
  TosstImage *single = to_grey (image);
  tosst_image_free (image);
  return single;
}

static gboolean
write_class (guint texture, GFile *folder, gboolean grey, GError **error)
{
  g_autoptr (GFile) directory = g_file_get_child (folder, tosst_texture_table[texture].name);

  if (!tosst_make_folder (directory, NULL, error))
    return FALSE;
  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s-%02u.png", tosst_texture_table[texture].name, i);
      g_autoptr (GFile) file = g_file_get_child (directory, name);
      g_autoptr (TosstImage) image = tosst_textures_render (texture, i, grey);

      if (image == NULL)
        return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, name, error);
      if (!tosst_image_write_png (image, file, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tosst_textures_write (GFile *folder, gboolean grey, GError **error)
{
  if (!tosst_make_folder (folder, NULL, error))
    return FALSE;
  for (guint texture = 0; texture < TOSST_TEXTURES; texture++)
    if (!write_class (texture, folder, grey, error))
      return FALSE;
  return TRUE;
}
