/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/base/input-file.h"
#include "core/image/private.h"

#include <cairo.h>
#include <errno.h>
#include <png.h>
#include <setjmp.h>

/* libpng reports errors by longjmp(); all state that must survive it is in this struct, not in local variables. */
typedef struct
{
  FILE *stream;
  png_structp png;
  png_infop info;
  guint8 *pixels; /* one row, or all rows of an interlaced image */
  png_bytep *rows;
  TosstImage *image;
  int divisor, width, height; /* of the file; squares of divisor x divisor become pixels */
  gboolean truncated;
  gboolean no_memory;
  char message[128];
} Codec;

static void G_GNUC_NORETURN
on_error (png_structp png, png_const_charp message)
{
  Codec *codec = png_get_error_ptr (png);

  g_strlcpy (codec->message, message, sizeof codec->message);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png, png_const_charp message)
{
  /* Unknown or damaged ancillary chunks do not affect the pixels. */
}

static void
read_bytes (png_structp png, png_bytep data, size_t size)
{
  Codec *codec = png_get_io_ptr (png);

  errno = 0;
  if (fread (data, 1, size, codec->stream) == size)
    return;
  codec->truncated = feof (codec->stream) != 0;
  png_error (png, codec->truncated ? "the file ends early" : g_strerror (errno));
}

static float
sample_at (const guint8 *row, gsize index, gboolean wide)
{
  return wide ? (float)((const guint16 *)(const void *)row)[index] / 65535.0f : (float)row[index] / 255.0f;
}

/* Adds the share of a row of the file to the means of squares; of 1 x 1 these are its samples. A large file needs no more
 * memory than the reduced image. */
static void
add_row (Codec *codec, const guint8 *row, int y)
{
  TosstImage *image = codec->image;
  gsize samples = png_get_channels (codec->png, codec->info), channels = (gsize)image->channels;
  gsize plane = (gsize)image->width * (gsize)image->height;
  gboolean wide = png_get_bit_depth (codec->png, codec->info) == 16;
  int n = codec->divisor, rows = MIN (n, codec->height - y / n * n);
  float *out = image->data + (gsize)(y / n) * (gsize)image->width;

  for (int x = 0; x < codec->width; out++)
    for (int end = MIN (x + n, codec->width), pixels = rows * (end - x); x < end; x++)
      {
        gsize at = (gsize)x * samples;
        float alpha = samples > channels ? sample_at (row, at + channels, wide) : 1.0f, weight = alpha / (float)pixels;

        if (alpha < 1)
          image->maximum = 0;
        for (gsize c = 0; c < channels; c++)
          out[c * plane] += sample_at (row, at + c, wide) * weight;
      }
}

static void
allocate (Codec *codec, gboolean interlaced)
{
  gsize row_bytes = png_get_rowbytes (codec->png, codec->info);
  gsize height = png_get_image_height (codec->png, codec->info);
  int n = codec->divisor;

  codec->width = (int)png_get_image_width (codec->png, codec->info);
  codec->height = (int)height;
  codec->image = tosst_image_new ((codec->width + n - 1) / n, (codec->height + n - 1) / n,
                                  png_get_channels (codec->png, codec->info) >= 3 ? 3 : 1);
  codec->pixels = g_try_malloc_n (interlaced ? height : 1, row_bytes);
  codec->rows = interlaced ? g_try_new (png_bytep, height) : NULL;
  if (codec->image == NULL || codec->pixels == NULL || (interlaced && codec->rows == NULL))
    {
      codec->no_memory = TRUE;
      png_error (codec->png, "not enough memory");
    }
  codec->image->maximum = n > 1 ? 0 : png_get_bit_depth (codec->png, codec->info) == 16 ? 65535 : 255;
  memset (codec->image->data, 0,
          (gsize)codec->image->width * (gsize)codec->image->height * (gsize)codec->image->channels * sizeof (float));
  for (gsize y = 0; interlaced && y < height; y++)
    codec->rows[y] = codec->pixels + y * row_bytes;
}

static gboolean
decode (Codec *codec, const TosstImageFile *file)
{
  if (setjmp (png_jmpbuf (codec->png)) != 0)
    return FALSE;
  png_set_read_fn (codec->png, codec, read_bytes);
  png_read_info (codec->png, codec->info);
  if ((int)png_get_image_width (codec->png, codec->info) != file->width
      || (int)png_get_image_height (codec->png, codec->info) != file->height)
    png_error (codec->png, "the file changed while it was read");
  gboolean interlaced = png_get_interlace_type (codec->png, codec->info) != PNG_INTERLACE_NONE;

  /* Converts any PNG to grey, grey + alpha, RGB or RGBA of 8 or 16 bits (host order). */
  png_set_expand (codec->png);
  if (png_get_bit_depth (codec->png, codec->info) == 16 && G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (codec->png);
  if (interlaced)
    png_set_interlace_handling (codec->png);
  png_read_update_info (codec->png, codec->info);
  allocate (codec, interlaced);
  if (interlaced)
    png_read_image (codec->png, codec->rows);
  for (int y = 0; y < codec->height; y++)
    {
      if (!interlaced)
        png_read_row (codec->png, codec->pixels, NULL);
      add_row (codec, interlaced ? codec->rows[y] : codec->pixels, y);
    }
  png_read_end (codec->png, NULL);
  return TRUE;
}

TosstImage *
tosst_image_decode_png (const TosstImageFile *file, int divisor, GError **error)
{
  Codec codec = { .stream = tosst_input_stream (file->fd, file->name, error), .divisor = divisor };

  if (codec.stream == NULL)
    return NULL;
  codec.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, &codec, on_error, on_warning);
  codec.info = codec.png != NULL ? png_create_info_struct (codec.png) : NULL;
  codec.no_memory = codec.info == NULL;
  if (codec.no_memory || !decode (&codec, file))
    {
      if (codec.no_memory)
        g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), file->name);
      else
        g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT,
                     codec.truncated ? _ ("%s: truncated PNG: %s") : _ ("%s: damaged PNG: %s"), file->name,
                     codec.message);
      g_clear_pointer (&codec.image, tosst_image_free);
    }
  png_destroy_read_struct (&codec.png, &codec.info, NULL);
  g_free (codec.pixels);
  g_free (codec.rows);
  fclose (codec.stream);
  return codec.image;
}

/* Where a file is written to, and what failed. */
typedef struct
{
  TosstAtomicFile *file;
  GError *error;
} Output;

static cairo_status_t
write_bytes (void *data, const unsigned char *bytes, unsigned int size)
{
  Output *self = data;

  return tosst_atomic_file_write (self->file, bytes, size, &self->error) ? CAIRO_STATUS_SUCCESS
                                                                         : CAIRO_STATUS_WRITE_ERROR;
}

static guint8
quantise (float value)
{
  /* Written so that NaN becomes black. */
  return value > 0.0f ? (guint8)(MIN (value, 1.0f) * 255.0f + 0.5f) : 0;
}

/* Cairo writes a mask as a grey image. */
static cairo_surface_t *
to_surface (const TosstImage *image)
{
  gboolean colour = image->channels == 3;
  gsize plane = (gsize)image->width * (gsize)image->height;
  cairo_surface_t *surface
      = cairo_image_surface_create (colour ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_A8, image->width, image->height);
  guint8 *out = cairo_image_surface_get_data (surface);

  for (int y = 0; out != NULL && y < image->height; y++, out += cairo_image_surface_get_stride (surface))
    for (int x = 0; x < image->width; x++)
      {
        const float *in = image->data + (gsize)y * (gsize)image->width + (gsize)x;

        if (colour)
          ((guint32 *)(void *)out)[x]
              = (guint32)quantise (in[0]) << 16 | (guint32)quantise (in[plane]) << 8 | quantise (in[2 * plane]);
        else
          out[x] = quantise (in[0]);
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

gboolean
tosst_image_write_png (const TosstImage *image, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstAtomicFile) atomic = tosst_atomic_file_open (file, error);
  Output output = { atomic, NULL };

  if (atomic == NULL)
    return FALSE;
  cairo_surface_t *surface = to_surface (image);
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, write_bytes, &output);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return tosst_atomic_file_commit (atomic, error);
  if (output.error != NULL)
    return tosst_pass_error (error, &output.error);
  if (status == CAIRO_STATUS_NO_MEMORY)
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), name);
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s: cannot be written: %s"), name,
                     cairo_status_to_string (status));
}
