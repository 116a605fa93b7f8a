/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/image/private.h"

#include "core/base/error.h"

#include <errno.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n.h>
#include <unistd.h>

static TosstImage *
image_from_pixbuf (GdkPixbuf *pixbuf)
{
  int width = gdk_pixbuf_get_width (pixbuf), height = gdk_pixbuf_get_height (pixbuf);
  int samples = gdk_pixbuf_get_n_channels (pixbuf), stride = gdk_pixbuf_get_rowstride (pixbuf);
  const guint8 *pixels = gdk_pixbuf_read_pixels (pixbuf);
  TosstImage *image = tosst_image_new (width, height, 3);
  gsize plane = (gsize)width * (gsize)height;
  float level[256];

  if (image == NULL)
    return NULL;
  image->maximum = 255;
  for (int i = 0; i < 256; i++)
    level[i] = (float)i / 255.0f;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const guint8 *in = pixels + (gsize)y * (gsize)stride + (gsize)x * (gsize)samples;
        float *out = image->data + (gsize)y * (gsize)width + (gsize)x;
        float alpha = samples == 4 ? level[in[3]] : 1.0f;

        if (alpha < 1)
          image->maximum = 0;
        for (gsize c = 0; c < 3; c++)
          out[c * plane] = level[in[c]] * alpha;
      }
  return image;
}

/* Feeds the file, or as much of it as gives its size. */
static gboolean
feed (GdkPixbufLoader *loader, const TosstImageFile *file, const int *width, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (65536);
  gssize got = 1;

  for (off_t at = 0; got > 0 && (width == NULL || *width == 0); at += got)
    {
      do
        got = pread (file->fd, buffer, 65536, at);
      while (got < 0 && errno == EINTR);
      if (got < 0)
        return tosst_fail (error, TOSST_FAILED_INPUT, "%s", g_strerror (errno));
      if (got > 0 && !gdk_pixbuf_loader_write (loader, buffer, (gsize)got, error))
        return FALSE;
    }
  return TRUE;
}

/* Only a successful close of the loader guarantees a complete image. */
static gboolean
feed_loader (GdkPixbufLoader *loader, const TosstImageFile *file, GError **error)
{
  if (feed (loader, file, NULL, error))
    return gdk_pixbuf_loader_close (loader, error);
  gdk_pixbuf_loader_close (loader, NULL);
  return FALSE;
}

/* A size of 0 ends decoding. */
static void
note_size (GdkPixbufLoader *loader, int width, int height, gpointer size)
{
  ((int *)size)[0] = width;
  ((int *)size)[1] = height;
  gdk_pixbuf_loader_set_size (loader, 0, 0);
}

gboolean
tosst_image_pixbuf_size (const TosstImageFile *file, int *width, int *height)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  int size[2] = { 0, 0 };

  g_signal_connect (loader, "size-prepared", G_CALLBACK (note_size), size);
  feed (loader, file, size, NULL);
  gdk_pixbuf_loader_close (loader, NULL);
  *width = size[0];
  *height = size[1];
  return size[0] > 0;
}

static TosstImage *
fail (const char *name, TosstFailure failure, const char *text, GError **error)
{
  g_autofree char *line = g_strdup (text);

  return tosst_fail (error, failure, "%s: %s", name, g_strdelimit (line, "\n", ' ')), NULL;
}

/* With a smaller size set, the JPEG loader decodes at reduced resolution. */
static void
reduce (GdkPixbufLoader *loader, int width, int height, gpointer divisor)
{
  int n = GPOINTER_TO_INT (divisor);

  gdk_pixbuf_loader_set_size (loader, (width + n - 1) / n, (height + n - 1) / n);
}

TosstImage *
tosst_image_decode_pixbuf (const TosstImageFile *file, int divisor, GError **error)
{
  int width = (file->width + divisor - 1) / divisor, height = (file->height + divisor - 1) / divisor;
  const char *name = file->name;
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr (GError) reason = NULL;
  GdkPixbuf *pixbuf;
  TosstImage *image;

  if (divisor > 1)
    g_signal_connect (loader, "size-prepared", G_CALLBACK (reduce), GINT_TO_POINTER (divisor));
  if (!feed_loader (loader, file, &reason))
    {
      g_autofree char *text = g_strdup_printf (_ ("cannot be decoded: %s"), reason->message);

      return fail (name, TOSST_FAILED_INPUT, text, error);
    }
  pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL)
    return fail (name, TOSST_FAILED_INPUT, _ ("cannot be decoded: it holds no image"), error);
  if (gdk_pixbuf_get_width (pixbuf) != width || gdk_pixbuf_get_height (pixbuf) != height)
    return fail (name, TOSST_FAILED_INPUT, _ ("its image is not of the size in its header"), error);
  image = image_from_pixbuf (pixbuf);
  return image != NULL ? image : fail (name, TOSST_FAILED_MEMORY, _ ("not enough memory"), error);
}
