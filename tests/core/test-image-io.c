/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../opens.h"
#include "core/base/error.h"
#include "core/image/probe.h"
#include "image-folder.h"
#include "shared-path.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <math.h>
#include <png.h>
#include <string.h>

/* A PNG of raw samples (big-endian where 16 bit, packed where fewer than 8). */
typedef struct
{
  int colour, depth;
  int interlace;
  gboolean transparent; /* adds tRNS */
} Kind;

static png_color palette[16];
static png_byte palette_alpha[16];

static void
write_png (GFile *file, const Kind *kind, guint width, guint height, guint8 *rows, gsize row_bytes)
{
  FILE *stream = g_fopen (g_file_peek_path (file), "wb");
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  png_bytep pointer[64];
  png_color_16 key = { .gray = 1, .red = 1, .green = 2, .blue = 3 };

  png_init_io (png, stream);
  png_set_IHDR (png, info, width, height, kind->depth, kind->colour, kind->interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                PNG_FILTER_TYPE_DEFAULT);
  if (kind->colour == PNG_COLOR_TYPE_PALETTE)
    png_set_PLTE (png, info, palette, 1 << MIN (kind->depth, 4));
  if (kind->transparent)
    png_set_tRNS (png, info, palette_alpha, kind->colour == PNG_COLOR_TYPE_PALETTE ? 2 : 0, &key);
  png_write_info (png, info);
  for (guint y = 0; y < height; y++)
    pointer[y] = rows + y * row_bytes;
  png_write_image (png, pointer);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  fclose (stream);
}

static guint
raw_sample (const guint8 *row, guint index, int depth)
{
  if (depth == 16)
    return (guint)row[2 * index] << 8 | row[2 * index + 1];
  if (depth == 8)
    return row[index];
  return row[index * (guint)depth / 8] >> (8 - depth - (int)(index * (guint)depth % 8)) & ((1 << depth) - 1);
}

/* The meaning of the file by the PNG standard, without libpng's transformations. */
static void
expected_pixel (const Kind *kind, const guint8 *row, guint x, float out[3])
{
  float top = (float)((1 << kind->depth) - 1);
  guint samples = kind->colour == PNG_COLOR_TYPE_RGB          ? 3
                  : kind->colour == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
                  : kind->colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                              : 1;
  guint v[4] = { 0 };
  float alpha = 1.0f;

  for (guint c = 0; c < samples; c++)
    v[c] = raw_sample (row, x * samples + c, kind->depth);
  if (kind->colour == PNG_COLOR_TYPE_PALETTE)
    {
      if (kind->transparent && v[0] < 2)
        alpha = (float)palette_alpha[v[0]] / 255.0f;
      out[0] = (float)palette[v[0]].red / 255.0f * alpha;
      out[1] = (float)palette[v[0]].green / 255.0f * alpha;
      out[2] = (float)palette[v[0]].blue / 255.0f * alpha;
      return;
    }
  if (samples == 2 || samples == 4)
    alpha = (float)v[samples - 1] / top;
  if (kind->transparent && (samples == 1 ? v[0] == 1 : (v[0] == 1 && v[1] == 2 && v[2] == 3)))
    alpha = 0.0f;
  for (guint c = 0; c < 3; c++)
    out[c] = (float)v[samples >= 3 ? c : 0] / top * alpha;
}

static void
check_kind (const Kind *kind)
{
  enum
  {
    WIDTH = 23,
    HEIGHT = 17
  };
  guint samples = kind->colour == PNG_COLOR_TYPE_RGB          ? 3
                  : kind->colour == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
                  : kind->colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                              : 1;
  gsize row_bytes = (WIDTH * samples * (guint)kind->depth + 7) / 8;
  g_autofree guint8 *rows = g_malloc (row_bytes * HEIGHT);
  g_autoptr (GFile) file = child ("kind.png");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = NULL;

  for (gsize i = 0; i < row_bytes * HEIGHT; i++)
    rows[i] = kind->colour == PNG_COLOR_TYPE_PALETTE && kind->depth == 8 ? (guint8)g_test_rand_int_range (0, 16)
                                                                         : (guint8)g_test_rand_int_range (0, 256);
  if (kind->transparent && kind->colour == PNG_COLOR_TYPE_RGB)
    {
      guint8 narrow[] = { 1, 2, 3 }, wide[] = { 0, 1, 0, 2, 0, 3 };

      memcpy (rows, kind->depth == 16 ? wide : narrow, kind->depth == 16 ? 6 : 3);
    }
  write_png (file, kind, WIDTH, HEIGHT, rows, row_bytes);
  image = tosst_image_read_for (file, 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (image->width, ==, WIDTH);
  g_assert_cmpint (image->height, ==, HEIGHT);
  g_assert_cmpint (image->channels, ==, (kind->colour & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      {
        float expected[3];

        expected_pixel (kind, rows + y * row_bytes, x, expected);
        for (int c = 0; c < image->channels; c++)
          g_assert_cmpfloat_with_epsilon (image->data[((gsize)c * HEIGHT + y) * WIDTH + x], expected[c], 1e-7f);
      }
}

static void
test_png_kinds (void)
{
  static const struct
  {
    int colour;
    int depths[6];
  } table[] = {
    { PNG_COLOR_TYPE_GRAY, { 1, 2, 4, 8, 16 } }, { PNG_COLOR_TYPE_PALETTE, { 1, 2, 4, 8 } },
    { PNG_COLOR_TYPE_RGB, { 8, 16 } },           { PNG_COLOR_TYPE_GRAY_ALPHA, { 8, 16 } },
    { PNG_COLOR_TYPE_RGB_ALPHA, { 8, 16 } },
  };

  for (guint i = 0; i < 16; i++)
    {
      palette[i] = (png_color){ (png_byte)(i * 17), (png_byte)(255 - i * 9), (png_byte)(i * 5 + 3) };
      palette_alpha[i] = (png_byte)(i * 100 + 60);
    }
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (guint j = 0; table[i].depths[j] != 0; j++)
      for (int interlace = 0; interlace < 2; interlace++)
        for (int transparent = 0; transparent < ((table[i].colour & PNG_COLOR_MASK_ALPHA) != 0 ? 1 : 2); transparent++)
          check_kind (&(Kind){ table[i].colour, table[i].depths[j], interlace, transparent });
}

/* 8-bit levels must be exactly level / 255, and survive being written and read. */
static void
test_round_trip (void)
{
  for (int channels = 1; channels <= 3; channels += 2)
    {
      g_autoptr (TosstImage) image = tosst_image_new (16, 16, channels);
      g_autoptr (TosstImage) back = NULL;
      g_autoptr (GFile) file = child ("levels.png");
      g_autoptr (GError) error = NULL;

      for (int c = 0; c < channels; c++)
        for (int i = 0; i < 256; i++)
          image->data[c * 256 + i] = (float)((i * (2 * c + 1)) & 255) / 255.0f;
      g_assert_true (tosst_image_write_png (image, file, &error));
      g_assert_no_error (error);
      back = tosst_image_read_for (file, 0, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (back->channels, ==, channels);
      g_assert_cmpmem (back->data, 256 * (gsize)channels * 4, image->data, 256 * (gsize)channels * 4);
    }
}

/* Each pixel of a reduced image is the mean of its square; squares at the right and the bottom may be clipped. */
static void
test_reduced (void)
{
  enum
  {
    WIDTH = 103,
    HEIGHT = 61,
    SIDE = 25,
    N = 4,
    W = (WIDTH + N - 1) / N,
    H = (HEIGHT + N - 1) / N
  };

  for (int channels = 1; channels <= 3; channels += 2)
    {
      g_autoptr (TosstImage) image = tosst_image_new (WIDTH, HEIGHT, channels), reduced = NULL, whole = NULL;
      g_autoptr (GFile) file = child ("reduced.png");
      g_autoptr (GError) error = NULL;

      for (int i = 0; i < channels * WIDTH * HEIGHT; i++)
        image->data[i] = (float)(i * 37 % 256) / 255.0f;
      g_assert_true (tosst_image_write_png (image, file, &error));
      reduced = tosst_image_read_reduced (file, SIDE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (reduced->width, ==, W);
      g_assert_cmpint (reduced->height, ==, H);
      g_assert_cmpint (reduced->channels, ==, channels);
      for (int i = 0; i < channels * W * H; i++)
        {
          int c = i / (W * H), x0 = i % W * N, y0 = i / W % H * N, n = 0;
          double sum = 0;

          for (int y = y0; y < MIN (y0 + N, HEIGHT); y++)
            for (int x = x0; x < MIN (x0 + N, WIDTH); x++, n++)
              sum += image->data[(c * HEIGHT + y) * WIDTH + x];
          g_assert_cmpfloat_with_epsilon (reduced->data[i], sum / n, 1e-6);
        }
      /* An image that is small enough is unchanged. */
      whole = tosst_image_read_reduced (file, WIDTH, &error);
      g_assert_cmpmem (whole->data, sizeof (float) * (gsize)(channels * WIDTH * HEIGHT), image->data,
                       sizeof (float) * (gsize)(channels * WIDTH * HEIGHT));
    }
}

static void
test_write_odd_values (void)
{
  g_autoptr (TosstImage) image = tosst_image_new (4, 1, 1);
  g_autoptr (TosstImage) back = NULL;
  g_autoptr (GFile) file = child ("odd.png");
  const float expected[] = { 0.0f, 0.0f, 1.0f, 1.0f };

  image->data[0] = NAN;
  image->data[1] = -3.0f;
  image->data[2] = 7.0f;
  image->data[3] = INFINITY;
  g_assert_true (tosst_image_write_png (image, file, NULL));
  back = tosst_image_read_for (file, 0, 0, NULL);
  g_assert_cmpmem (back->data, sizeof expected, expected, sizeof expected);
}

static void
test_write_refused (void)
{
  g_autoptr (TosstImage) image = tosst_image_new (4, 1, 1);
  g_autoptr (GFile) file = child ("missing/out.png");
  g_autoptr (GError) error = NULL;

  memset (image->data, 0, 16);
  g_assert_false (tosst_image_write_png (image, file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
}

static void
test_equal_channels_are_grey (void)
{
  g_autoptr (TosstImage) image = tosst_image_new (8, 8, 3);
  g_autoptr (TosstImage) back = NULL;
  g_autoptr (GFile) file = child ("grey.png");

  for (int i = 0; i < 64; i++)
    image->data[i] = image->data[64 + i] = image->data[128 + i] = (float)(i * 4) / 255.0f;
  g_assert_true (tosst_image_write_png (image, file, NULL));
  back = tosst_image_read_for (file, 0, 0, NULL);
  g_assert_cmpint (back->channels, ==, 1);
  g_assert_cmpmem (back->data, 256, image->data, 256);
}

static GdkPixbuf *
sample_pixbuf (void)
{
  GdkPixbuf *pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 70, 50);
  guint8 *pixels = gdk_pixbuf_get_pixels (pixbuf);
  gsize stride = (gsize)gdk_pixbuf_get_rowstride (pixbuf);

  for (gsize y = 0; y < 50; y++)
    for (gsize x = 0; x < 70; x++)
      for (gsize c = 0; c < 3; c++)
        pixels[y * stride + 3 * x + c] = (guint8)(x + y * (c + 1));
  return pixbuf;
}

static void
assert_truncations_refused (GFile *whole, const char *name, gsize margin, const char *word)
{
  g_autofree char *data = NULL;
  g_autoptr (GFile) file = child (name);
  gsize size;

  g_assert_true (g_file_get_contents (g_file_peek_path (whole), &data, &size, NULL));
  for (gsize i = 1; i <= 12; i++)
    {
      TosstImageProbe probe;
      gsize length = i == 12 ? size - margin : MAX (size * i / 12, 40);

      put (file, data, length);
      assert_refused (file, 0, TOSST_FAILED_INPUT, word);
      g_assert_false (tosst_image_probe (file, &probe, NULL));
    }
}

static void
test_other_formats (void)
{
  static const struct
  {
    const char *type, *name;
    float tolerance;
    gboolean truncation;
  } table[] = { { "bmp", "a.bmp", 0, TRUE },
                { "tiff", "a.tiff", 0, FALSE },
                { "jpeg", "a.jpg", 0.2f, TRUE },
                { "jpeg", "jpeg-named.png", 0.2f, TRUE } };
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();
  const guint8 *pixels = gdk_pixbuf_read_pixels (pixbuf);
  gsize stride = (gsize)gdk_pixbuf_get_rowstride (pixbuf);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GFile) file = child (table[i].name);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) image = NULL;
      TosstImageProbe probe;

      g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (file), table[i].type, &error, NULL));
      g_assert_true (tosst_image_probe (file, &probe, &error));
      g_assert_cmpint (probe.width, ==, 70);
      g_assert_cmpint (probe.height, ==, 50);
      image = tosst_image_read_for (file, 0, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (image->channels, ==, 3);
      for (gsize y = 0; y < 50; y++)
        for (gsize x = 0; x < 70; x++)
          for (gsize c = 0; c < 3; c++)
            g_assert_cmpfloat_with_epsilon (image->data[(c * 50 + y) * 70 + x],
                                            (float)pixels[y * stride + 3 * x + c] / 255.0f, table[i].tolerance + 1e-9f);
      if (table[i].truncation)
        assert_truncations_refused (file, "cut.jpg", 2, i == 0 ? "truncated BMP" : "truncated JPEG");
    }
}

/* A file is opened once to be probed and decoded. */
static void
test_opens (void)
{
  static const char *const types[] = { "png", "jpeg", "tiff", "bmp" };
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();
  int watch = opens_watch (folder);

  for (guint i = 0; i < G_N_ELEMENTS (types) + 1; i++)
    {
      g_autoptr (GFile) file = child ("opened");
      g_autoptr (TosstImage) image = NULL, reduced = NULL;
      TosstImageProbe probe;

      if (i == G_N_ELEMENTS (types))
        put (file, "P5 2 2 255 abcd", 15);
      else
        g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (file), types[i], NULL, NULL));
      opens_count (watch);
      g_assert_true (tosst_image_probe (file, &probe, NULL));
      g_assert_cmpuint (opens_count (watch), ==, 1);
      image = tosst_image_read_for (file, 0, 0, NULL);
      g_assert_nonnull (image);
      g_assert_cmpuint (opens_count (watch), ==, 1);
      reduced = tosst_image_read_reduced (file, 10, NULL);
      g_assert_nonnull (reduced);
      g_assert_cmpuint (opens_count (watch), ==, 1);
    }
  close (watch);
}

static void
test_truncated_png (void)
{
  g_autoptr (GFile) whole = child ("whole.png");
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();

  g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (whole), "png", NULL, NULL));
  assert_truncations_refused (whole, "cut.png", 1, "truncated PNG");
}

static void
test_damaged_png (void)
{
  g_autoptr (GFile) whole = child ("whole.png");
  g_autoptr (GFile) file = child ("damaged.png");
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (whole), "png", NULL, NULL));
  g_assert_true (g_file_get_contents (g_file_peek_path (whole), &data, &size, NULL));
  data[size / 2] ^= 0x55;
  put (file, data, size);
  assert_refused (file, 0, TOSST_FAILED_INPUT, "damaged PNG");
}

static void
test_not_images (void)
{
  static const struct
  {
    const char *name, *text, *word;
    gssize size;
  } table[] = {
    { "notes.png", "These are notes, not a picture.\n", "text file", -1 },
    { "utf8.png", "Br\303\274cke\n", "text file", -1 },
    { "bytes.png", "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17", "not an image", 16 },
    { "short.png", "\211PNG", "not an image", 4 },
    { "magic.png", "\211PNG\r\n\032\n", "truncated PNG", 8 },
    { "magic.gif", "GIF89a", "truncated GIF", 6 },
    { "nothing.gif", "GIF89a\4\0\4\0\0\0\0;", "no image", 14 },
    { "zero.gif", "GIF89a\0\0\4\0\0\0\0;", "0 × 4", 14 },
    { "magic.jpg", "\377\330\377\340", "truncated JPEG", 4 },
    { "empty.png", "", "empty", 0 },
    { "telephone.heic", "\0\0\0\30ftypheic\0\0\0\0", "heif-convert", 16 },
    { "renamed.jpg", "\0\0\0\30ftypmif1\0\0\0\0", "heif-convert", 16 },
    { "small.jpg", "\0\0\0\30ftypavif\0\0\0\0", "avifdec", 16 },
    { "new.jpg", "\0\0\0\14JXL \r\n\207\n", "djxl", 12 },
    { "canon.jpg", "\0\0\0\30ftypcrx \0\0\0\1", "darktable-cli", 16 },
    { "nikon.NEF", "MM\0*\0\0\0\10\0\2\1\0\0\3\0\0\0\1\0\41\0\0\1\1\0\3\0\0\0\1\0\41\0\0\0\0\0\0", "darktable-cli",
      38 },
    { "paper.png", "%PDF-1.7\n", "pdftoppm", -1 },
    { "film.jpg", "\0\0\0\30ftypisom\0\0\0\0", "ffmpeg", 16 },
    { "layers.png", "8BPS\0\1\0\0", "GIMP", 8 },
    { "drawing.xcf", "\1\2\3\4\5\6\7\10", "GIMP", 8 },
  };
  g_autoptr (GFile) missing = child ("missing.png");
  g_autoptr (GFile) directory = child ("directory.png");

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GFile) file = child (table[i].name);

      put (file, table[i].text, table[i].size < 0 ? strlen (table[i].text) : (gsize)table[i].size);
      assert_refused (file, 0, TOSST_FAILED_INPUT, table[i].word);
    }
  assert_refused (missing, 0, TOSST_FAILED_INPUT, "No such file");
  g_assert_cmpint (g_mkdir (g_file_peek_path (directory), 0755), ==, 0);
  assert_refused (directory, 0, TOSST_FAILED_INPUT, "is a folder");
}

/* The decoder would allocate the two gigabytes that the file says its header has, and refuse them for another reason. */
static void
test_bmp_header (void)
{
  static const guint8 bytes[57]
      = { 'B', 'M', 57, [10] = 54, [17] = 0x7F, [18] = 1, [22] = 1, [26] = 1, [28] = 24, [34] = 3 };
  g_autoptr (GFile) file = child ("header.bmp");

  put (file, bytes, sizeof bytes);
  assert_refused (file, 0, TOSST_FAILED_INPUT, "truncated BMP");
}

/* The size is known, and refused, before a single pixel is decoded. */
static void
test_too_large (void)
{
  g_autoptr (GFile) png = child ("huge.png");
  g_autoptr (GFile) gif = child ("huge.gif");
  guint8 header[45] = "\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\116\040\0\0\116\040\10\2\0\0\0\0\0\0\0\0\0\0\0IEND";
  const char screen[] = "GIF89a\377\377\377\377\0\0\0,\0\0\0\0\377\377\377\377\0\10\0;";
  TosstImageProbe probe;

  put (png, header, sizeof header);
  assert_refused (png, G_GUINT64_CONSTANT (4000000000), TOSST_FAILED_MEMORY, "20000 × 20000 pixels need 4.8");
  g_assert_true (tosst_image_probe (png, &probe, NULL));
  g_assert_cmpint (probe.width, ==, 20000);
  g_assert_cmpint (probe.height, ==, 20000);
  put (gif, screen, sizeof screen - 1);
  assert_refused (gif, 1 << 30, TOSST_FAILED_MEMORY, "65535 × 65535");
}

/* Where memory is short, an image that is reduced anyway is decoded at a half or less of its resolution, and keeps twice the
 * side that is asked for; with memory for all pixels it has all of them. */
static void
test_short_of_memory (void)
{
  static const char *const types[] = { "png", "jpeg", "bmp" };
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_autoptr (GFile) file = child (types[t]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) whole = NULL, same = NULL, small = NULL;
      TosstImageProbe probe;

      g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (file), types[t], NULL, NULL));
      g_assert_true (tosst_image_probe (file, &probe, NULL));
      whole = tosst_image_read_for (file, 0, probe.bytes, NULL);
      same = tosst_image_read_for (file, 8, probe.bytes, NULL);
      g_assert_cmpmem (whole->data, 70 * 50 * 3 * 4, same->data, 70 * 50 * 3 * 4);
      small = tosst_image_read_for (file, 8, probe.bytes - 1, &error);
      g_assert_no_error (error);
      g_assert_cmpint (small->width, ==, 18);
      g_assert_cmpint (small->height, ==, 13);
      for (int y = 0; y < 12; y++)
        for (int x = 0; x < 17; x++)
          {
            double sum = 0;

            for (int i = 0; i < 16; i++)
              sum += whole->data[(4 * y + i / 4) * 70 + 4 * x + i % 4] / 16;
            g_assert_cmpfloat_with_epsilon (small->data[y * 18 + x], sum, 0.03);
          }
      g_assert_null (tosst_image_read_for (file, 8, tosst_image_probe_bytes (&probe, 4) - 1, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY);
      g_clear_error (&error);
      g_assert_null (tosst_image_read_for (file, 0, probe.bytes - 1, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY);
      g_clear_error (&error);
      g_assert_null (tosst_image_read_for (file, 18, probe.bytes - 1, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY);
    }
}

static gpointer
read_many (gpointer data)
{
  GFile *file = data;
  double sum = 0.0;

  for (int i = 0; i < 20; i++)
    {
      g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, NULL);

      for (int j = 0; j < image->width * image->height * image->channels; j++)
        sum += (double)image->data[j];
    }
  return g_memdup2 (&sum, sizeof sum);
}

static void
test_threads (void)
{
  static const char *const types[] = { "png", "jpeg", "tiff" };
  g_autoptr (GdkPixbuf) pixbuf = sample_pixbuf ();

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_autoptr (GFile) file = child (types[t]);
      g_autofree double *expected = NULL;
      GThread *thread[4];

      g_assert_true (gdk_pixbuf_save (pixbuf, g_file_peek_path (file), types[t], NULL, NULL));
      expected = read_many (file);
      for (int i = 0; i < 4; i++)
        thread[i] = g_thread_new ("reader", read_many, file);
      for (int i = 0; i < 4; i++)
        {
          g_autofree double *sum = g_thread_join (thread[i]);

          g_assert_cmpfloat (*sum, ==, *expected);
        }
    }
}

static void
test_brodatz (void)
{
  static const char *const names[] = { "D1.gif", "D14.gif", "D55.gif", "D112.gif" };
  g_autofree char *path = shared_path ("datasets/brodatz");

  if (path == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *whole_path = g_build_filename (path, names[i], NULL);
      g_autoptr (GFile) whole = g_file_new_for_path (whole_path);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) image = NULL;

      image = tosst_image_read_for (whole, 0, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (image->channels, ==, 1);
      g_assert_cmpint (image->width, ==, 640);
      g_assert_cmpint (image->height, ==, 640);
      for (int j = 0; j < 640 * 640; j++)
        g_assert_cmpfloat (roundf (image->data[j] * 255.0f) / 255.0f, ==, image->data[j]);
      assert_truncations_refused (whole, "cut.gif", 1, "truncated GIF");
    }
}

int
main (int argc, char *argv[])
{
  image_folder_init (&argc, &argv);
  g_test_add_func ("/image-io/png-kinds", test_png_kinds);
  g_test_add_func ("/image-io/round-trip", test_round_trip);
  g_test_add_func ("/image-io/reduced", test_reduced);
  g_test_add_func ("/image-io/write-odd-values", test_write_odd_values);
  g_test_add_func ("/image-io/write-refused", test_write_refused);
  g_test_add_func ("/image-io/equal-channels-are-grey", test_equal_channels_are_grey);
  g_test_add_func ("/image-io/other-formats", test_other_formats);
  g_test_add_func ("/image-io/opens", test_opens);
  g_test_add_func ("/image-io/truncated-png", test_truncated_png);
  g_test_add_func ("/image-io/damaged-png", test_damaged_png);
  g_test_add_func ("/image-io/not-images", test_not_images);
  g_test_add_func ("/image-io/bmp-header", test_bmp_header);
  g_test_add_func ("/image-io/too-large", test_too_large);
  g_test_add_func ("/image-io/short-of-memory", test_short_of_memory);
  g_test_add_func ("/image-io/threads", test_threads);
  g_test_add_func ("/image-io/brodatz", test_brodatz);
  return image_folder_run ();
}
