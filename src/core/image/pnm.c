/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PBM, PGM and PPM, kinds P1 to P3 (text) and P4 to P6 (binary). GdkPixbuf reads 8 of up to 16 bits per sample, and
 * loses the last sample of a text that ends without a line end.
 */
#include "config.h"

#include "core/image/private.h"

#include "core/base/error.h"
#include "core/base/input-file.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>

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

gboolean
tosst_image_pnm_size (const TosstImageFile *file, guint32 *width, guint32 *height)
{
  Pnm self = { .stream = tosst_input_stream (file->fd, file->name, NULL) };
  gboolean fine = self.stream != NULL && read_header (&self);

  *width = (guint32)self.width;
  *height = (guint32)self.height;
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
  int high, low;

  if (self->kind % 3 == 1)
    return read_bit (self);
  if (self->kind < 4)
    return read_number (self->stream);
  high = self->highest > 255 ? getc_unlocked (self->stream) : 0;
  low = getc_unlocked (self->stream);
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
decode (Pnm *self, const TosstImageFile *file, int n, GError **error)
{
  TosstImage *image;

  if (!read_header (self) || self->width != file->width || self->height != file->height)
    {
      tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: the file changed while it was read"), self->name);
      return NULL;
    }
  image = tosst_image_new ((self->width + n - 1) / n, (self->height + n - 1) / n, self->channels);
  if (image == NULL)
    {
      tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: not enough memory"), self->name);
      return NULL;
    }
  memset (image->data, 0, sizeof (float) * (gsize)image->width * (gsize)image->height * (gsize)image->channels);
  image->maximum = n > 1 ? 0 : self->highest;
  if (!read_pixels (self, image, n, error))
    g_clear_pointer (&image, tosst_image_free);
  return image;
}

TosstImage *
tosst_image_decode_pnm (const TosstImageFile *file, int divisor, GError **error)
{
  Pnm self = { .stream = tosst_input_stream (file->fd, file->name, error), .name = file->name };
  TosstImage *image;

  if (self.stream == NULL)
    return NULL;
  image = decode (&self, file, divisor, error);
  fclose (self.stream);
  return image;
}
