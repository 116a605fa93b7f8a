/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/image/raw.h"

#include <string.h>

static guint32
little32 (const guint8 *p)
{
  return p[0] | (guint32)p[1] << 8 | (guint32)p[2] << 16 | (guint32)p[3] << 24;
}

/* Rows of whole 32-bit words after the offset that the header gives. */
static guint64
bmp_bytes (const guint8 *head, gsize n, int width, int height)
{
  guint64 offset, bits;

  if (n < 38)
    return 38;
  offset = little32 (head + 10);
  if (little32 (head + 14) < 40) /* the old header of 12 bytes */
    bits = head[24] | (guint64)head[25] << 8;
  else
    bits = head[28] | (guint64)head[29] << 8;
  /* Run lengths (1, 2): only then must the header tell the length of the data. */
  if (little32 (head + 14) >= 40 && (little32 (head + 30) == 1 || little32 (head + 30) == 2))
    return offset + little32 (head + 34);
  return offset + ((guint64)width * bits + 31) / 32 * 4 * (guint64)height;
}

/* Past white space and comments, then past one number, which is returned; *at becomes n where the header is cut. */
static guint
pnm_number (const guint8 *head, gsize n, gsize *at)
{
  guint value = 0;

  while (*at < n && (g_ascii_isspace (head[*at]) || head[*at] == '#'))
    if (head[*at] != '#')
      (*at)++;
    else
      while (*at < n && head[*at] != '\n')
        (*at)++;
  for (; *at < n && g_ascii_isdigit (head[*at]); (*at)++)
    value = MIN (value, 100000) * 10 + (guint)(head[*at] - '0');
  return value;
}

/* P1 to P3 are text: a digit for each bit, a digit and a space for each other sample. P4 to P6 are bytes. */
static guint64
pnm_bytes (const guint8 *head, gsize n, int width, int height)
{
  guint kind = (guint)(head[1] - '0'), highest = 1;
  guint64 samples = (guint64)width * (guint64)height * (kind % 3 == 0 ? 3 : 1);
  gsize at = 2;

  pnm_number (head, n, &at);
  pnm_number (head, n, &at);
  if (kind % 3 != 1)
    highest = pnm_number (head, n, &at);
  if (at >= n)
    return n < 1024 ? (guint64)n + 1 : 0;
  if (kind == 1)
    return at + samples;
  if (kind < 4)
    return at + 2 * samples;
  if (kind == 4)
    return at + 1 + ((guint64)width + 7) / 8 * (guint64)height;
  return at + 1 + samples * (highest > 255 ? 2 : 1);
}

guint64
tosst_image_raw_bytes (const guint8 *head, gsize n, int width, int height, const char **format)
{
  *format = "";
  if (n < 3)
    return 0;
  if (memcmp (head, "BM", 2) == 0)
    {
      *format = "BMP";
      return bmp_bytes (head, n, width, height);
    }
  if (head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && (g_ascii_isspace (head[2]) || head[2] == '#'))
    {
      *format = "PNM";
      return pnm_bytes (head, n, width, height);
    }
  return 0;
}
