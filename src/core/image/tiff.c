/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TIFF with 16 bits per sample, the format of microscopes and scanners: grey or RGB, with or without alpha, in strips
 * or tiles, samples interleaved or in planes. The first page is decoded as a whole, then converted to planes of
 * floats.
 */
#include "core/base/base.h"
#include "core/image/private.h"

#include <tiffio.h>
#include <unistd.h>

/* A strip or tile that exceeds both this and the image is an error in the file. */
#define MAX_BLOCK ((guint64)64 << 20)

/* Samples per pixel: colours and alpha. */
#define MAX_SAMPLES 4

typedef struct
{
  TIFF *tiff;
  const char *name;
  char message[200]; /* first message of libtiff */
  guint32 width, height;
  guint16 samples, extra, photometric, planar, format, orientation;
  gboolean premultiplied;
  guint16 *pixels; /* height x width x samples */
} Codec;

#define fail(codec, failure, error, ...) tosst_fail_about (error, failure, (codec)->name, ": ", __VA_ARGS__)

static gboolean
fail_damaged (const Codec *self, GError **error)
{
  /* Row numbers in messages of libtiff are not meaningful to the user. */
  if (g_str_has_prefix (self->message, "Read error"))
    return fail (self, TOSST_FAILED_INPUT, error, _ ("truncated TIFF: strips or tiles of its image are missing"));
  return fail (self, TOSST_FAILED_INPUT, error, _ ("damaged TIFF: %s"),
               *self->message != '\0' ? self->message : _ ("it cannot be decoded"));
}

/* libtiff prints warnings by default. */
static int
on_error (TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  Codec *self = data;

  if (*self->message != '\0')
    return 1;
  g_vsnprintf (self->message, sizeof self->message, format, arguments);
  g_strdelimit (self->message, "\n", ' ');
  while (g_str_has_suffix (self->message, "."))
    self->message[strlen (self->message) - 1] = '\0';
  return 1;
}

static int
on_warning (TIFF *tiff, void *data, const char *module, const char *format, va_list arguments)
{
  /* Unknown tags do not affect the pixels. */
  return 1;
}

/* Not mapped: another process may truncate the file while it is read. */
static TIFF *
open_tiff (const TosstImageFile *file, Codec *self)
{
  TIFFOpenOptions *options = lseek (file->fd, 0, SEEK_SET) == 0 ? TIFFOpenOptionsAlloc () : NULL;

  if (options == NULL)
    return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR (options, on_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR (options, on_warning, self);
  TIFF *tiff = TIFFFdOpenExt (file->fd, file->name, "rm", options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

/* GdkPixbuf reads 8 bits, or fewer. */
static guint16
bits_of_samples (TIFF *tiff)
{
  guint16 bits = 0;

  return TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &bits) == 1 ? bits : 0;
}

gboolean
tosst_image_tiff_header (const TosstImageFile *file, guint32 *width, guint32 *height, gboolean *wide,
                         guint16 *orientation)
{
  Codec self = { .name = "" };
  TIFF *tiff = open_tiff (file, &self);
  gboolean sized = tiff != NULL && TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, width) == 1
                   && TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, height) == 1;

  *wide = sized && bits_of_samples (tiff) > 8;
  if (sized)
    TIFFGetFieldDefaulted (tiff, TIFFTAG_ORIENTATION, orientation);
  if (tiff != NULL)
    TIFFCleanup (tiff);
  return sized;
}

static gboolean
read_header (Codec *self, const TosstImageFile *file, GError **error)
{
  guint16 *kinds = NULL;
  TIFF *tiff = self->tiff;
  guint16 colours, bits = bits_of_samples (tiff);

  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &self->width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &self->height);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_PLANARCONFIG, &self->planar);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &self->format);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_ORIENTATION, &self->orientation);
  if (TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &self->photometric) != 1)
    self->photometric = self->samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
  if ((int)self->width != file->width || (int)self->height != file->height || bits <= 8)
    return fail (self, TOSST_FAILED_INPUT, error, _ ("the file changed while it was read"));
  if (bits != 16)
    return fail (self, TOSST_FAILED_INPUT, error, _ ("has samples of %d bits; save it with 8 or 16"), bits);
  if (self->format != SAMPLEFORMAT_UINT && self->format != SAMPLEFORMAT_VOID)
    return fail (self, TOSST_FAILED_INPUT, error,
                 _ ("has 16-bit samples that are not unsigned integers (sample format %d); save it with unsigned ones"),
                 self->format);
  if (self->photometric != PHOTOMETRIC_MINISBLACK && self->photometric != PHOTOMETRIC_MINISWHITE
      && self->photometric != PHOTOMETRIC_RGB)
    return fail (
        self, TOSST_FAILED_INPUT, error,
        _ ("has 16-bit samples that are neither grey nor RGB (photometric interpretation %d); save it as grey or RGB"),
        self->photometric);
  colours = self->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  if (TIFFGetFieldDefaulted (self->tiff, TIFFTAG_EXTRASAMPLES, &self->extra, &kinds) != 1 || kinds == NULL)
    self->extra = 0;
  self->premultiplied = self->extra > 0 && kinds[0] == EXTRASAMPLE_ASSOCALPHA;
  /* Extra samples of other kinds are ignored. */
  if (self->extra > 0 && kinds[0] != EXTRASAMPLE_ASSOCALPHA && kinds[0] != EXTRASAMPLE_UNASSALPHA)
    self->extra = 0;
  if (self->samples < colours || self->samples > MAX_SAMPLES)
    return fail (self, TOSST_FAILED_INPUT, error, _ ("has %d samples per pixel; %d to %d are supported"), self->samples,
                 colours, MAX_SAMPLES);
  self->extra = MIN (self->extra, self->samples - colours);
  return TRUE;
}

/* Samples per pixel of a block. */
static gsize
samples_of_block (const Codec *self)
{
  return self->planar == PLANARCONFIG_SEPARATE ? 1 : self->samples;
}

/* Copies a block of columns x rows samples to (x, y) of the image, of one plane or of all. */
static void
place_block (Codec *self, const guint16 *block, guint32 x, guint32 y, guint32 columns, guint32 rows, guint16 plane)
{
  gboolean separate = self->planar == PLANARCONFIG_SEPARATE;
  gsize samples = self->samples, stride = columns * samples_of_block (self);

  columns = MIN (columns, self->width - x);
  rows = MIN (rows, self->height - y);
  for (guint32 j = 0; j < rows; j++)
    {
      guint16 *out = self->pixels + ((gsize)(y + j) * self->width + x) * samples;
      const guint16 *in = block + j * stride;

      if (!separate)
        memcpy (out, in, columns * samples * sizeof *in);
      for (guint32 i = 0; separate && i < columns; i++)
        out[i * samples + plane] = in[i];
    }
}

/* For entries missing in the directory libtiff would read data from the beginning of the file. */
static gboolean
has_blocks (const Codec *self, guint64 blocks, guint32 listed, GError **error)
{
  gboolean all = blocks <= listed;

  for (guint32 i = 0; all && i < (guint32)blocks; i++)
    all = TIFFGetStrileOffset (self->tiff, i) > 0 && TIFFGetStrileByteCount (self->tiff, i) > 0;
  return all || fail (self, TOSST_FAILED_INPUT, error, _ ("truncated TIFF: strips or tiles of its image are missing"));
}

static guint16 *
new_block (const Codec *self, guint64 bytes, GError **error)
{
  guint64 picture = (guint64)self->width * self->height * self->samples * sizeof (guint16);

  if (bytes == 0 || bytes > MAX (MAX_BLOCK, picture))
    {
      g_autofree char *size = g_format_size (bytes);
      fail (self, TOSST_FAILED_INPUT, error, _ ("damaged TIFF: a strip or tile of %s"), size);
      return NULL;
    }
  guint16 *block = g_try_malloc0 (bytes);
  if (block == NULL)
    fail (self, TOSST_FAILED_MEMORY, error, _ ("not enough memory"));
  return block;
}

/* Reads tiles, or strips: these are as wide as the image, and the last one may be lower. */
static gboolean
read_blocks (Codec *self, GError **error)
{
  gboolean tiled = TIFFIsTiled (self->tiff);
  guint32 width = tiled ? 0 : self->width, height = 0;
  tmsize_t bytes = tiled ? TIFFTileSize (self->tiff) : TIFFStripSize (self->tiff);

  if (tiled)
    TIFFGetField (self->tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetFieldDefaulted (self->tiff, tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &height);
  height = tiled ? height : MIN (height, self->height);
  if (width == 0 || height == 0 || bytes <= 0)
    return fail_damaged (self, error);
  guint64 line = tiled ? (guint64)bytes / height : TIFFScanlineSize64 (self->tiff);
  if (line / sizeof (guint16) / samples_of_block (self) < width)
    return fail_damaged (self, error);
  g_autofree guint16 *block = new_block (self, MAX ((guint64)bytes, height * line), error);
  if (block == NULL)
    return FALSE;
  guint32 across = (self->width - 1) / width + 1, down = (self->height - 1) / height + 1;
  guint64 blocks = (guint64)across * down * (self->planar == PLANARCONFIG_SEPARATE ? self->samples : 1);
  if (!has_blocks (self, blocks, tiled ? TIFFNumberOfTiles (self->tiff) : TIFFNumberOfStrips (self->tiff), error))
    return FALSE;
  for (guint32 i = 0; i < blocks; i++)
    {
      guint32 y = i / across % down * height;
      tmsize_t wanted = tiled ? bytes : (tmsize_t)(MIN (height, self->height - y) * line);

      if ((tiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip) (self->tiff, i, block, wanted) < wanted)
        return fail_damaged (self, error);
      place_block (self, block, i % across * width, y, width, height, (guint16)(i / across / down));
    }
  return TRUE;
}

/* Stores a pixel, or its share of the mean of a square of n x n. */
static void
add_pixel (const Codec *self, TosstImage *image, guint32 column, guint32 row, int n)
{
  const guint16 *in = self->pixels + ((gsize)row * self->width + column) * self->samples;
  gsize channels = (gsize)image->channels, plane = (gsize)image->width * (gsize)image->height;
  float alpha = self->extra > 0 ? (float)in[channels] / 65535.0f : 1.0f;
  guint32 x = column, y = row;

  /* Mirrored position of the pixel stored at (x, y). Images are not transposed, as by GdkPixbuf. */
  int kind = (self->orientation - 1) % 4; /* 0: unchanged, 1: right to left, 2: both, 3: bottom to top */

  if (kind == 1 || kind == 2)
    x = self->width - 1 - x;
  if (kind == 2 || kind == 3)
    y = self->height - 1 - y;

  int columns = MIN (n, (int)self->width - (int)x / n * n), rows = MIN (n, (int)self->height - (int)y / n * n);
  float weight = (self->premultiplied ? 1.0f : alpha) / (float)(columns * rows);
  gsize to = (gsize)((int)y / n) * (gsize)image->width + (gsize)((int)x / n);

  if (alpha < 1)
    image->maximum = 0;
  for (gsize c = 0; c < channels; c++)
    {
      float value = (float)in[c] / 65535.0f;

      if (self->photometric == PHOTOMETRIC_MINISWHITE)
        value = (float)(65535 - in[c]) / 65535.0f;
      image->data[c * plane + to] += value * weight;
    }
}

static TosstImage *
to_image (const Codec *self, int n)
{
  TosstImage *image = tosst_image_new (((int)self->width + n - 1) / n, ((int)self->height + n - 1) / n,
                                       self->photometric == PHOTOMETRIC_RGB ? 3 : 1);

  if (image == NULL)
    return NULL;
  memset (image->data, 0, (gsize)image->width * (gsize)image->height * (gsize)image->channels * sizeof (float));
  image->maximum = n > 1 ? 0 : 65535;
  for (guint32 y = 0; y < self->height; y++)
    for (guint32 x = 0; x < self->width; x++)
      add_pixel (self, image, x, y, n);
  return image;
}

static TosstImage *
decode (Codec *self, const TosstImageFile *file, int divisor, GError **error)
{
  if (!read_header (self, file, error))
    return NULL;
  self->pixels = g_try_new0 (guint16, (gsize)self->width * self->height * self->samples);
  if (self->pixels == NULL)
    return fail (self, TOSST_FAILED_MEMORY, error, _ ("not enough memory")), NULL;
  if (!read_blocks (self, error))
    return NULL;
  TosstImage *image = to_image (self, divisor);
  if (image == NULL)
    fail (self, TOSST_FAILED_MEMORY, error, _ ("not enough memory"));
  return image;
}

TosstImage *
tosst_image_decode_tiff (const TosstImageFile *file, int divisor, GError **error)
{
  Codec self = { .name = file->name };
  TosstImage *image = NULL;

  self.tiff = open_tiff (file, &self);
  if (self.tiff == NULL)
    fail_damaged (&self, error);
  else
    {
      image = decode (&self, file, divisor, error);
      TIFFCleanup (self.tiff);
    }
  g_free (self.pixels);
  return image;
}
