/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A data set that is described in no time: three classes of eight small images, stripes whose direction and width are
 * the class's, in noise.
 */
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <math.h>

#define SMALL_IMAGES 8 /* of a class */

/* What a recipe says of them, but for the folder. */
#define SMALL_DATASET "kind=folders\ntrain-per-class=4\nsplits=2\n"
#define SMALL_DESCRIPTOR "patch=16\nstep=12\npivots=2\n"

static const char *const small_classes[] = { "down", "across", "wide" };

static inline void
write_small_images (const char *folder)
{
  static const double waves[][2] = { { 0.9, 0 }, { 0, 0.9 }, { 0.2, 0.3 } };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (gsize c = 0; c < G_N_ELEMENTS (small_classes); c++)
    {
      g_autofree char *path = g_build_filename (folder, small_classes[c], NULL);

      g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
      for (int i = 0; i < SMALL_IMAGES; i++)
        {
          g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 64, 64);
          g_autofree char *name = g_strdup_printf ("%s/%d.png", path, i);
          guchar *data = gdk_pixbuf_get_pixels (pixels);
          int stride = gdk_pixbuf_get_rowstride (pixels);

          for (int y = 0; y < 64; y++)
            for (int x = 0; x < 64; x++)
              for (int k = 0; k < 3; k++)
                data[y * stride + 3 * x + k] = (guchar)(120 + 60 * sin (waves[c][0] * x + waves[c][1] * y + i)
                                                        + g_rand_int_range (random, 0, 50));
          g_assert_true (gdk_pixbuf_save (pixels, name, "png", NULL, NULL));
        }
    }
}

/* With the folder. */
static inline void
remove_small_images (const char *folder)
{
  for (gsize c = 0; c < G_N_ELEMENTS (small_classes); c++)
    {
      g_autofree char *path = g_build_filename (folder, small_classes[c], NULL);

      for (int i = 0; i < SMALL_IMAGES; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%d.png", path, i);

          g_unlink (name);
        }
      g_rmdir (path);
    }
  g_rmdir (folder);
}
