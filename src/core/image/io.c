/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PBM, PGM and PPM, kinds P1 to P3 (text) and P4 to P6 (binary). GdkPixbuf reads 8 of up to 16 bits per sample, and
 * loses the last sample of a text that ends without a line end.
 */
#include <errno.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/base/input-file.h"
#include "core/image/files.h"
#include "core/image/private.h"

typedef struct
{
  FILE *stream;
  const char *name;
  int kind; /* 1 to 6, as in P5 */
  int width, height, channels;
  int highest; /* maximum sample */
  int bits;    /* P4: unread bits of the current byte */
  int byte;
} Pnm;

enum
{
  ENDS = -1,  /* end of file */
  WRONG = -2, /* not a number */
  MAX_VALUE = 1000000000,
};

/* Skips white space and comments; returns the next byte. */
static int
next_byte (FILE *stream)
{
  int c = getc_unlocked (stream);

  while (c == '#' || g_ascii_isspace (c))
    if (c != '#')
      c = getc_unlocked (stream);
    else
      while (c != '\n' && c != EOF)
        c = getc_unlocked (stream);
  return c;
}

/* Reads a decimal number and the byte after it. */
static int
read_number (FILE *stream)
{
  int c = next_byte (stream), value = 0;

  if (c == EOF)
    return ENDS;
  if (!g_ascii_isdigit (c))
    return WRONG;
  for (; g_ascii_isdigit (c); c = getc_unlocked (stream))
    value = MIN (value, MAX_VALUE / 10 - 1) * 10 + c - '0';
  if (c == '#')
    ungetc (c, stream);
  return c == EOF || c == '#' || g_ascii_isspace (c) ? value : WRONG;
}

static gboolean
read_header (Pnm *self)
{
  int p = getc_unlocked (self->stream), kind = getc_unlocked (self->stream), after = getc_unlocked (self->stream);

  if (p != 'P' || kind < '1' || kind > '6' || !(after == '#' || g_ascii_isspace (after)))
    return FALSE;
  ungetc (after, self->stream);
  self->kind = kind - '0';
  self->channels = self->kind % 3 == 0 ? 3 : 1;
  self->width = read_number (self->stream);
  self->height = read_number (self->stream);
  self->highest = self->kind % 3 == 1 ? 1 : read_number (self->stream);
  return self->width > 0 && self->height > 0 && self->highest > 0 && self->highest <= G_MAXUINT16;
}

/* PBM, PGM or PPM, text or binary. *bytes: minimum length of the file. Text has a digit per bit, a space and a digit per
 * other sample. */
static gboolean
tosst_image_pnm_size (const TosstImageFile *file, guint32 *width, guint32 *height, guint64 *bytes)
{
  Pnm self = { .stream = tosst_input_stream (file->fd, file->name, NULL) };
  gboolean fine = self.stream != NULL && read_header (&self);

  *width = (guint32)self.width;
  *height = (guint32)self.height;
  if (fine)
    {
      guint64 row = (guint64)self.width * (guint64)self.channels;

      row = self.kind == 4 ? (row + 7) / 8 : self.kind == 1 ? row : row * (self.kind < 4 || self.highest > 255 ? 2 : 1);
      *bytes = (guint64)ftello (self.stream) + row * (guint64)self.height - (self.kind < 4);
    }
  if (self.stream != NULL)
    fclose (self.stream);
  return fine;
}

/* One bit of P1, whose digits need no space between them, or of P4, whose rows start at a byte; 1 is black. */
static int
read_bit (Pnm *self)
{
  int c;

  if (self->kind == 1)
    {
      c = next_byte (self->stream);
      return c == EOF ? ENDS : c == '0' || c == '1' ? '1' - c : WRONG;
    }
  if (self->bits == 0)
    {
      c = getc_unlocked (self->stream);
      if (c == EOF)
        return ENDS;
      self->byte = c;
      self->bits = 8;
    }
  return ~(self->byte >> --self->bits) & 1;
}

static int
read_sample (Pnm *self)
{
  if (self->kind % 3 == 1)
    return read_bit (self);
  if (self->kind < 4)
    return read_number (self->stream);
  int high = self->highest > 255 ? getc_unlocked (self->stream) : 0;
  int low = getc_unlocked (self->stream);
  return high == EOF || low == EOF ? ENDS : high << 8 | low;
}

static gboolean
fail_sample (const Pnm *self, int sample, GError **error)
{
  if (ferror (self->stream))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: cannot be read: %s"), self->name, g_strerror (errno));
  if (sample == ENDS)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: truncated PNM: samples are missing"), self->name);
  if (sample == WRONG)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: damaged PNM: a sample is not a number"), self->name);
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: damaged PNM: a sample of %d, more than %d"), self->name, sample,
                     self->highest);
}

static gboolean
read_pixels (Pnm *self, TosstImage *image, int n, GError **error)
{
  gsize plane = (gsize)image->width * (gsize)image->height;

  for (int y = 0; y < self->height; y++)
    {
      float *row = image->data + (gsize)(y / n) * (gsize)image->width;
      int rows = MIN (n, self->height - y / n * n);

      self->bits = 0;
      for (int x = 0; x < self->width; x++)
        for (int c = 0; c < self->channels; c++)
          {
            int sample = read_sample (self);
            float value = (float)sample / (float)self->highest;

            if (sample < 0 || sample > self->highest)
              return fail_sample (self, sample, error);
            if (n == 1)
              row[(gsize)c * plane + (gsize)x] = value;
            else
              row[(gsize)c * plane + (gsize)(x / n)] += value / (float)(rows * MIN (n, self->width - x / n * n));
          }
    }
  return TRUE;
}

static TosstImage *
decode_pnm (Pnm *self, const TosstImageFile *file, int n, GError **error)
{
  if (!read_header (self) || self->width != file->width || self->height != file->height)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: the file changed while it was read"), self->name), NULL;
  TosstImage *image = tosst_image_new ((self->width + n - 1) / n, (self->height + n - 1) / n, self->channels);
  if (image == NULL)
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), self->name), NULL;
  memset (image->data, 0, sizeof (float) * (gsize)image->width * (gsize)image->height * (gsize)image->channels);
  image->maximum = n > 1 ? 0 : self->highest;
  if (!read_pixels (self, image, n, error))
    g_clear_pointer (&image, tosst_image_free);
  return image;
}

/* The first image of a PBM, PGM or PPM file; samples are divided by the maximum value in the header (1 to 65535). */
static TosstImage *
tosst_image_decode_pnm (const TosstImageFile *file, int divisor, GError **error)
{
  Pnm self = { .stream = tosst_input_stream (file->fd, file->name, error), .name = file->name };

  if (self.stream == NULL)
    return NULL;
  TosstImage *image = decode_pnm (&self, file, divisor, error);
  fclose (self.stream);
  return image;
}

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

static gboolean
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

static TosstImage *
tosst_image_decode_pixbuf (const TosstImageFile *file, int divisor, GError **error)
{
  int width = (file->width + divisor - 1) / divisor, height = (file->height + divisor - 1) / divisor;
  const char *name = file->name;
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr (GError) reason = NULL;

  if (divisor > 1)
    g_signal_connect (loader, "size-prepared", G_CALLBACK (reduce), GINT_TO_POINTER (divisor));
  if (!feed_loader (loader, file, &reason))
    {
      g_autofree char *text = g_strdup_printf (_ ("cannot be decoded: %s"), reason->message);

      return fail (name, TOSST_FAILED_INPUT, text, error);
    }
  GdkPixbuf *pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL)
    return fail (name, TOSST_FAILED_INPUT, _ ("cannot be decoded: it holds no image"), error);
  if (gdk_pixbuf_get_width (pixbuf) != width || gdk_pixbuf_get_height (pixbuf) != height)
    return fail (name, TOSST_FAILED_INPUT, _ ("its image is not of the size in its header"), error);
  TosstImage *image = image_from_pixbuf (pixbuf);
  return image != NULL ? image : fail (name, TOSST_FAILED_MEMORY, _ ("not enough memory"), error);
}

/* A window over the file: the functions below skip from block to block and read a few bytes of each. */
typedef struct
{
  TosstImageFile *file;
  guint64 start; /* of the window */
  gsize length;  /* bytes in the window */
  guint8 window[16384];
} Reader;

char *
tosst_image_display_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return base != NULL ? g_filename_display_name (base) : g_file_get_parse_name (file);
}

#define fail(reader, error, ...) tosst_fail_about (error, TOSST_FAILED_INPUT, (reader)->file->name, ": ", __VA_ARGS__)

/* Returns the n bytes at offset, n <= 1024; NULL beyond the end of the file. */
static const guint8 *
bytes_at (Reader *reader, guint64 offset, gsize n)
{
  if (offset > reader->file->size || reader->file->size - offset < n)
    return NULL;
  if (offset < reader->start || offset + n > reader->start + reader->length)
    {
      reader->start = offset;
      reader->length = 0;
      while (reader->length < sizeof reader->window)
        {
          ssize_t got = pread (reader->file->fd, reader->window + reader->length,
                               sizeof reader->window - reader->length, (off_t)(offset + reader->length));

          if (got < 0 && errno == EINTR)
            continue;
          if (got <= 0)
            break;
          reader->length += (gsize)got;
        }
      if (reader->length < n)
        return NULL;
    }
  return reader->window + (offset - reader->start);
}

static guint32
big32 (const guint8 *p)
{
  return (guint32)p[0] << 24 | (guint32)p[1] << 16 | (guint32)p[2] << 8 | p[3];
}

static guint32
little32 (const guint8 *p)
{
  return p[0] | (guint32)p[1] << 8 | (guint32)p[2] << 16 | (guint32)p[3] << 24;
}

/* The orientation in EXIF data: a directory of TIFF, whose offsets count from its first byte. In some files "Exif\0\0"
 * is before it. 1 if there is none. */
static int
exif_orientation (Reader *reader, guint64 at, guint64 size)
{
  const guint8 *head = bytes_at (reader, at, 6);
  guint64 skipped = head != NULL && memcmp (head, "Exif\0\0", 6) == 0 ? 6 : 0;

  at += skipped;
  if (size < skipped + 8 || (head = bytes_at (reader, at, 8)) == NULL)
    return 1;
  gboolean little = memcmp (head, "II*\0", 4) == 0;
  if (!little && memcmp (head, "MM\0*", 4) != 0)
    return 1;
  size -= skipped;
  guint64 entry = little ? little32 (head + 4) : big32 (head + 4);
  head = entry + 2 <= size ? bytes_at (reader, at + entry, 2) : NULL;
  guint64 entries = head == NULL ? 0 : little ? head[0] | (guint)head[1] << 8 : (guint)head[0] << 8 | head[1];
  for (entry += 2; entries > 0 && entry + 12 <= size; entry += 12, entries--)
    {
      const guint8 *bytes = bytes_at (reader, at + entry, 12);

      if (bytes == NULL)
        return 1;
      /* Tag 0x112, one number of 16 bits. */
      if (memcmp (bytes, little ? "\x12\1\3\0\1\0\0\0" : "\1\x12\0\3\0\0\0\1", 8) != 0)
        continue;
      int value = little ? bytes[8] | bytes[9] << 8 : bytes[8] << 8 | bytes[9];
      return value >= 1 && value <= 8 ? value : 1;
    }
  return 1;
}

/* Memory for each pixel of the file, of pixels of the image and of the decoder. */
static gboolean
set_size (const Reader *reader, guint32 width, guint32 height, guint64 bytes_per_pixel, guint64 fixed_per_pixel,
          GError **error)
{
  TosstImageProbe *probe = &reader->file->probe;

  if (width < 1 || height < 1 || width > G_MAXINT || height > G_MAXINT)
    return fail (reader, error, _ ("damaged header: %u × %u pixels"), width, height);
  reader->file->width = (int)width;
  reader->file->height = (int)height;
  /* Sides are below 2^31 and pixels take at most 64 bytes; saturates where the product would overflow. */
  if ((guint64)width * height > G_MAXUINT64 / bytes_per_pixel)
    probe->bytes = probe->fixed = G_MAXUINT64;
  else
    {
      probe->bytes = (guint64)width * height * bytes_per_pixel;
      probe->fixed = (guint64)width * height * fixed_per_pixel;
    }
  return TRUE;
}

static gboolean
fail_truncated (const Reader *reader, const char *format, GError **error)
{
  return fail (reader, error, _ ("truncated %s: the file ends early, after %" PRIu64 " bytes"), format,
               reader->file->size);
}

/* Chunks of length, type, data and checksum; IHDR first, IEND last. */
static gboolean
probe_png (Reader *reader, GError **error)
{
  int *orientation = &reader->file->probe.orientation;
  const guint8 *chunk = bytes_at (reader, 8, 25);
  guint64 offset = 8, channels, depth, rows;
  guint32 width, height, length;

  if (chunk == NULL)
    return fail_truncated (reader, "PNG", error);
  if (memcmp (chunk + 4, "IHDR", 4) != 0)
    return fail (reader, error, _ ("damaged PNG: it does not begin with its header"));
  width = big32 (chunk + 8);
  height = big32 (chunk + 12);
  /* Colour type: bit 1 colour (or palette), bit 2 alpha, which a tRNS chunk may also add. */
  channels = (chunk[17] & 2) != 0 ? 3 : 1;
  depth = chunk[16] == 16 ? 2 : 1;
  rows = chunk[20] != 0 ? (channels + 1) * depth : 0; /* interlaced */
  do
    {
      chunk = bytes_at (reader, offset, 8);
      if (chunk == NULL)
        return fail_truncated (reader, "PNG", error);
      length = big32 (chunk);
      if (length > G_MAXINT32)
        return fail (reader, error, _ ("damaged PNG: a chunk of impossible length"));
      if (reader->file->size - offset < 12 + (guint64)length)
        return fail_truncated (reader, "PNG", error);
      if (memcmp (chunk + 4, "eXIf", 4) == 0)
        *orientation = exif_orientation (reader, offset + 8, length);
      offset += 12 + (guint64)length;
    }
  while (memcmp (chunk + 4, "IEND", 4) != 0);
  /* A plane of it is copied when the image is turned. */
  return set_size (reader, width, height, 4 * channels + MAX (rows, *orientation != 1 ? 4 : 0), rows, error);
}

/* Skips a chain of sub-blocks (a length byte, that many bytes, until a length of 0); returns 0 for a truncated file. */
static guint64
skip_sub_blocks (Reader *reader, guint64 offset)
{
  for (;;)
    {
      const guint8 *length = bytes_at (reader, offset, 1);

      if (length == NULL)
        return 0;
      offset += 1 + (guint64)*length;
      if (*length == 0)
        return offset;
    }
}

static guint64
colour_table_bytes (guint8 flags)
{
  return (flags & 0x80) != 0 ? G_GUINT64_CONSTANT (3) << ((flags & 7) + 1) : 0;
}

/* Images (0x2C) and extensions (0x21) up to the trailer (0x3B). GdkPixbuf returns a truncated GIF without an error. */
static gboolean
walk_gif (Reader *reader, guint64 offset, GError **error)
{
  guint images = 0;

  for (;;)
    {
      const guint8 *block = bytes_at (reader, offset, 1);

      if (block == NULL)
        return fail_truncated (reader, "GIF", error);
      if (*block == 0x3B)
        return images > 0 || fail (reader, error, _ ("damaged GIF: it has no image"));
      if (*block == 0x2C)
        {
          block = bytes_at (reader, offset, 10);
          if (block == NULL)
            return fail_truncated (reader, "GIF", error);
          images++;
          offset = skip_sub_blocks (reader, offset + 11 + colour_table_bytes (block[9]));
        }
      else if (*block == 0x21)
        offset = skip_sub_blocks (reader, offset + 2);
      else
        return fail (reader, error, _ ("damaged GIF: an unknown block at byte %" PRIu64), offset);
      if (offset == 0)
        return fail_truncated (reader, "GIF", error);
    }
}

static gboolean
probe_gif (Reader *reader, GError **error)
{
  const guint8 *screen = bytes_at (reader, 0, 13);

  if (screen == NULL)
    return fail_truncated (reader, "GIF", error);
  if (!set_size (reader, screen[6] | (guint32)screen[7] << 8, screen[8] | (guint32)screen[9] << 8, 20, 8, error))
    return FALSE;
  return walk_gif (reader, 13 + colour_table_bytes (screen[10]), error);
}

/* The end mark FF D9 cannot occur inside coded data and is therefore searched from the end. */
static gboolean
has_jpeg_end (Reader *reader, guint64 first)
{
  guint64 end = reader->file->size;

  while (end > first + 1)
    {
      guint64 start = end - first > 1024 ? end - 1024 : first;
      const guint8 *bytes = bytes_at (reader, start, (gsize)(end - start));

      if (bytes == NULL)
        return FALSE;
      for (gsize i = (gsize)(end - start) - 1; i > 0; i--)
        if (bytes[i - 1] == 0xFF && bytes[i] == 0xD9)
          return TRUE;
      if (start == first)
        break;
      end = start + 1;
    }
  return FALSE;
}

/* Segments of a marker and a length; the frame header (SOF) contains the size; the scan (SOS) follows. */
static gboolean
probe_jpeg (Reader *reader, GError **error)
{
  int *orientation = &reader->file->probe.orientation;
  guint64 offset = 2;
  gboolean sized = FALSE;

  for (;;)
    {
      const guint8 *segment = bytes_at (reader, offset, 4);

      if (segment == NULL)
        return fail_truncated (reader, "JPEG", error);
      if (segment[0] != 0xFF)
        return fail (reader, error, _ ("damaged JPEG: no segment at byte %" PRIu64), offset);
      guint8 marker = segment[1];
      guint length = (guint)segment[2] << 8 | segment[3];
      if (marker == 0xFF)
        {
          offset++;
          continue;
        }
      if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
        {
          segment = bytes_at (reader, offset, 9);
          if (segment == NULL)
            return fail_truncated (reader, "JPEG", error);
          /* The coefficients of all scans of a progressive file are kept. */
          if (!set_size (reader, (guint)segment[7] << 8 | segment[8], (guint)segment[5] << 8 | segment[6], 20,
                         marker > 0xC1 ? 6 : 0, error))
            return FALSE;
          sized = TRUE;
        }
      /* Segments of this marker hold other data, too. */
      if (marker == 0xE1 && *orientation == 1 && length >= 2)
        *orientation = exif_orientation (reader, offset + 4, length - 2);
      offset += 2 + (guint64)length;
      if (sized && marker == 0xDA)
        return has_jpeg_end (reader, offset) || fail_truncated (reader, "JPEG", error);
      if (marker == 0xDA || marker == 0xD9 || length < 2)
        return fail (reader, error, _ ("damaged JPEG: it has no frame header"));
    }
}

static gboolean
looks_like_text (Reader *reader)
{
  gsize n = (gsize)MIN (reader->file->size, 512);
  const guint8 *bytes = bytes_at (reader, 0, n);
  const char *end;

  if (bytes == NULL || memchr (bytes, 0, n) != NULL)
    return FALSE;
  /* The last character may be cut at the end of the examined bytes. */
  return g_utf8_validate ((const char *)bytes, (gssize)n, &end) || end >= (const char *)bytes + n - 3;
}

/* Rows of whole 32-bit words after the offset in the header. */
static guint64
bmp_bytes (const guint8 *head, gsize n, int width, int height)
{
  guint64 offset, bits;

  if (n < 38)
    return 38;
  offset = MAX (little32 (head + 10), 14 + (guint64)little32 (head + 14));
  if (little32 (head + 14) < 40) /* the old header of 12 bytes */
    bits = head[24] | (guint64)head[25] << 8;
  else
    bits = head[28] | (guint64)head[29] << 8;
  /* Run-length coding (1, 2): only then must the header contain the length of the data. */
  if (little32 (head + 14) >= 40 && (little32 (head + 30) == 1 || little32 (head + 30) == 2))
    return offset + little32 (head + 34);
  return offset + ((guint64)width * bits + 31) / 32 * 4 * (guint64)height;
}

/* Whether a BMP has the length that its header requires: the decoder fills missing rows with
 * black. */
static gboolean
is_whole (Reader *reader, GError **error)
{
  gsize n = (gsize)MIN (reader->file->size, 1024);
  const guint8 *head = bytes_at (reader, 0, n);

  return head == NULL || n < 3 || memcmp (head, "BM", 2) != 0
         || bmp_bytes (head, n, reader->file->width, reader->file->height) <= reader->file->size
         || fail_truncated (reader, "BMP", error);
}

static gboolean
fail_unknown (Reader *reader, GError **error)
{
  gsize n = (gsize)MIN (reader->file->size, 512);
  const guint8 *head = bytes_at (reader, 0, n);
  const char *advice = head != NULL ? tosst_image_files_advice_of_bytes (head, n) : NULL;

  if (advice == NULL)
    advice = tosst_image_files_advice (reader->file->name);
  if (advice == NULL)
    advice
        = looks_like_text (reader) ? _ ("is a text file, not an image") : _ ("is not an image of a supported format");
  return fail (reader, error, "%s", advice);
}

/* Chunks of type, length and data, padded to an even length. */
static int
webp_orientation (Reader *reader)
{
  guint64 offset = 12;
  const guint8 *chunk;

  while ((chunk = bytes_at (reader, offset, 8)) != NULL && memcmp (chunk, "EXIF", 4) != 0)
    offset += 8 + ((guint64)little32 (chunk + 4) + 1) / 2 * 2;
  return chunk != NULL ? exif_orientation (reader, offset + 8, little32 (chunk + 4)) : 1;
}

static gboolean
probe_other (Reader *reader, GError **error)
{
  const guint8 *magic = bytes_at (reader, 0, 12);
  int width = 0, height = 0;

  if (magic != NULL && memcmp (magic, "RIFF", 4) == 0 && memcmp (magic + 8, "WEBP", 4) == 0)
    reader->file->probe.orientation = webp_orientation (reader);
  /* The decoder of BMP allocates as many bytes as the file says its header has. */
  if (!is_whole (reader, NULL))
    return looks_like_text (reader) ? fail_unknown (reader, error) : fail_truncated (reader, "BMP", error);
  if (!tosst_image_pixbuf_size (reader->file, &width, &height))
    return fail_unknown (reader, error);
  return set_size (reader, (guint32)MAX (width, 0), (guint32)MAX (height, 0), 20, 8, error) && is_whole (reader, error);
}

static gboolean
open_file (TosstImageFile *self, GFile *file, const Reader *reader, GError **error)
{
  struct stat info;

  if (g_file_peek_path (file) == NULL)
    return fail (reader, error, _ ("is not a local file"));
  self->fd = tosst_input_open_path (g_file_peek_path (file), &info);
  if (self->fd < 0 && errno == EISDIR)
    return fail (reader, error, _ ("is a folder, not an image"));
  if (self->fd < 0 && errno == 0)
    return fail (reader, error, _ ("is not a regular file"));
  if (self->fd < 0)
    return fail (reader, error, _ ("cannot be read: %s"), g_strerror (errno));
  self->size = (guint64)info.st_size;
  return self->size > 0 || fail (reader, error, _ ("is empty"));
}

/* Either byte order, classic and BigTIFF. */
static gboolean
is_tiff (const guint8 *magic)
{
  return memcmp (magic, "II*\0", 4) == 0 || memcmp (magic, "MM\0*", 4) == 0 || memcmp (magic, "II+\0", 4) == 0
         || memcmp (magic, "MM\0+", 4) == 0;
}

/* GdkPixbuf and the decoder of TIFF mirror an image as its orientation says, but do not transpose it. */
static gboolean
probe_tiff (Reader *reader, guint32 width, guint32 height, gboolean wide, guint16 orientation, GError **error)
{
  reader->file->probe.format = wide ? TOSST_IMAGE_FORMAT_WIDE_TIFF : TOSST_IMAGE_FORMAT_OTHER;
  reader->file->probe.orientation = orientation < 5 || orientation > 8 ? 1 : orientation % 2 == 1 ? 5 : 7;
  return set_size (reader, width, height, 20, 8, error);
}

static gboolean
probe_reader (Reader *reader, GError **error)
{
  TosstImageFormat *format = &reader->file->probe.format;
  const guint8 *magic;
  guint32 width, height;
  guint64 bytes;
  gboolean wide;
  guint16 orientation;

  if ((magic = bytes_at (reader, 0, 8)) != NULL && memcmp (magic, "\211PNG\r\n\032\n", 8) == 0)
    {
      *format = TOSST_IMAGE_FORMAT_PNG;
      return probe_png (reader, error);
    }
  if ((magic = bytes_at (reader, 0, 6)) != NULL
      && (memcmp (magic, "GIF87a", 6) == 0 || memcmp (magic, "GIF89a", 6) == 0))
    {
      *format = TOSST_IMAGE_FORMAT_GIF;
      return probe_gif (reader, error);
    }
  if ((magic = bytes_at (reader, 0, 3)) != NULL && memcmp (magic, "\xff\xd8\xff", 3) == 0)
    {
      *format = TOSST_IMAGE_FORMAT_JPEG;
      return probe_jpeg (reader, error);
    }
  if ((magic = bytes_at (reader, 0, 4)) != NULL && is_tiff (magic)
      && tosst_image_tiff_header (reader->file, &width, &height, &wide, &orientation))
    return tosst_image_files_advice (reader->file->name) == NULL
               ? probe_tiff (reader, width, height, wide, orientation, error)
               : fail_unknown (reader, error); /* a raw file has a small TIFF for display */
  if ((magic = bytes_at (reader, 0, 3)) != NULL && magic[0] == 'P'
      && tosst_image_pnm_size (reader->file, &width, &height, &bytes))
    {
      *format = TOSST_IMAGE_FORMAT_PNM;
      return set_size (reader, width, height, 20, 0, error)
             && (bytes <= reader->file->size || fail_truncated (reader, "PNM", error));
    }
  *format = TOSST_IMAGE_FORMAT_OTHER;
  return probe_other (reader, error);
}

/* Opens a file and reads its header, and follows its blocks to the end; self is cleared in any case. */
static void
tosst_image_file_clear (TosstImageFile *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  g_clear_pointer (&self->name, g_free);
}

static gboolean
tosst_image_file_open (TosstImageFile *self, GFile *file, GError **error)
{
  Reader reader = { .file = self };

  *self = (TosstImageFile){ .fd = -1, .name = tosst_image_display_name (file), .probe.orientation = 1 };
  if (!open_file (self, file, &reader, error) || !probe_reader (&reader, error))
    {
      tosst_image_file_clear (self);
      return FALSE;
    }
  self->probe.width = self->probe.orientation < 5 ? self->width : self->height;
  self->probe.height = self->probe.orientation < 5 ? self->height : self->width;
  return TRUE;
}

gboolean
tosst_image_probe (GFile *file, TosstImageProbe *probe, GError **error)
{
  TosstImageFile self;

  if (!tosst_image_file_open (&self, file, error))
    return FALSE;
  *probe = self.probe;
  tosst_image_file_clear (&self);
  return TRUE;
}

static gsize
most_bytes (gsize max_bytes)
{
  return max_bytes > 0 ? max_bytes : tosst_memory_total () / 2;
}

int
tosst_image_probe_divisor (const TosstImageProbe *probe, int side, gsize max_bytes)
{
  int longest = MAX (probe->width, probe->height), n = 1;

  if (probe->bytes > MIN (TOSST_IMAGE_WHOLE, most_bytes (max_bytes)))
    while (side > 0 && longest / (2 * n) >= 2 * side)
      n *= 2;
  return n;
}

guint64
tosst_image_probe_bytes (const TosstImageProbe *probe, int divisor)
{
  return divisor == 1 ? probe->bytes
                      : probe->fixed + (probe->bytes - probe->fixed) / (guint64)divisor / (guint64)divisor;
}

gboolean
tosst_image_probe_fits (const TosstImageProbe *probe, const char *name, int divisor, gsize max_bytes, GError **error)
{
  guint64 bytes = tosst_image_probe_bytes (probe, divisor);

  max_bytes = most_bytes (max_bytes);
  if (bytes <= max_bytes)
    return TRUE;
  g_autofree char *needed = g_format_size (bytes);
  g_autofree char *allowed = g_format_size (max_bytes);
  return tosst_fail (
      error, TOSST_FAILED_MEMORY,
      _ ("%s: %d × %d pixels need %s of memory, more than the %s allowed: scale the image down or crop it"), name,
      probe->width, probe->height, needed, allowed);
}

/* Many grey images are stored in colour (mainly palettes); one plane is sufficient. */
static void
drop_equal_channels (TosstImage *image)
{
  gsize pixels = (gsize)image->width * (gsize)image->height;

  if (image->channels != 3 || memcmp (image->data, image->data + pixels, pixels * sizeof (float)) != 0
      || memcmp (image->data, image->data + 2 * pixels, pixels * sizeof (float)) != 0)
    return;
  image->channels = 1;
  float *smaller = realloc (image->data, pixels * sizeof (float));
  if (smaller != NULL)
    image->data = smaller;
}

/* Moves each pixel to where it is seen. Stored images of orientation 2, 3, 7 and 8 begin at the right, those of 3, 4, 6 and
 * 7 at the bottom, and 5 to 8 have columns for rows. */
static gboolean
turn (TosstImage *image, int orientation)
{
  gsize width = (gsize)image->width, height = (gsize)image->height, plane = width * height;
  gboolean right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  gboolean bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  g_autofree float *copy = orientation != 1 ? g_try_new (float, plane) : NULL;

  if (orientation == 1 || copy == NULL)
    return orientation == 1;
  for (int c = 0; c < image->channels; c++)
    {
      float *out = image->data + (gsize)c * plane;

      memcpy (copy, out, plane * sizeof *out);
      for (gsize y = 0; y < height; y++)
        for (gsize x = 0; x < width; x++)
          {
            gsize across = right ? width - 1 - x : x, down = bottom ? height - 1 - y : y;

            out[orientation < 5 ? down * width + across : across * height + down] = copy[y * width + x];
          }
    }
  if (orientation >= 5)
    {
      image->width = (int)height;
      image->height = (int)width;
    }
  return TRUE;
}

static TosstImage *
decode (const TosstImageFile *file, int divisor, GError **error)
{
  TosstImage *image;

  switch (file->probe.format)
    {
    case TOSST_IMAGE_FORMAT_PNG:
      image = tosst_image_decode_png (file, divisor, error);
      break;
    case TOSST_IMAGE_FORMAT_WIDE_TIFF:
      image = tosst_image_decode_tiff (file, divisor, error);
      break;
    case TOSST_IMAGE_FORMAT_PNM:
      image = tosst_image_decode_pnm (file, divisor, error);
      break;
    default:
      image = tosst_image_decode_pixbuf (file, divisor, error);
    }
  if (image == NULL)
    return NULL;
  drop_equal_channels (image);
  if (turn (image, file->probe.orientation))
    return image;
  tosst_image_free (image);
  return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), file->name), NULL;
}

/* reduced: to about that side; else for a use that reduces the image to it, 0: none. */
static TosstImage *
read_image (GFile *file, gsize max_bytes, int side, gboolean reduced, GError **error)
{
  TosstImage *image = NULL;
  TosstImageFile self;

  if (!tosst_image_file_open (&self, file, error))
    return NULL;
  int divisor = reduced ? MAX (1, MAX (self.width, self.height) / side)
                        : tosst_image_probe_divisor (&self.probe, side, max_bytes);
  if (tosst_image_probe_fits (&self.probe, self.name, divisor, max_bytes, error))
    image = decode (&self, divisor, error);
  tosst_image_file_clear (&self);
  return image;
}

TosstImage *
tosst_image_read_for (GFile *file, int side, gsize max_bytes, GError **error)
{
  return read_image (file, max_bytes, side, FALSE, error);
}

TosstImage *
tosst_image_read_reduced (GFile *file, int side, GError **error)
{
  return read_image (file, 0, side, TRUE, error);
}
