/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TIFF with 16 bits a sample: every way to lay it out comes to the same numbers, and what cannot be read is refused
 * with a sentence.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <tiffio.h>

#include "core/base/error.h"
#include "core/image/probe.h"

#define WIDTH 70
#define HEIGHT 50

static char *folder;

static GFile *
child (const char *name)
{
  return g_file_new_build_filename (folder, name, NULL);
}

/* The layout of an image; 0: the default of libtiff. */
typedef struct
{
  const char *name, *mode;
  guint16 samples, photometric, extra, planar, compression, predictor, orientation, format;
  guint32 tile, strip;
} Layout;

/* The stored samples of a stored pixel. Alpha is never less than premultiplied colours. */
static guint16
stored (const Layout *layout, guint32 x, guint32 y, guint16 sample)
{
  guint16 colours = layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;

  if (sample >= colours)
    return (guint16)(40000 + 300 * x + y);
  return (guint16)((x * 541 + y * 83 + sample * 9001) % 40000);
}

/* The displayed colour of a stored pixel. */
static float
seen (const Layout *layout, guint32 x, guint32 y, guint16 sample)
{
  guint16 colours = layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  float value = (float)stored (layout, x, y, sample) / 65535.0f;

  if (layout->photometric == PHOTOMETRIC_MINISWHITE)
    value = (float)(65535 - stored (layout, x, y, sample)) / 65535.0f;
  return layout->extra == EXTRASAMPLE_UNASSALPHA ? value * (float)stored (layout, x, y, colours) / 65535.0f : value;
}

static void
set_fields (TIFF *tiff, const Layout *layout)
{
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, layout->samples);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, layout->photometric);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, layout->planar ? layout->planar : PLANARCONFIG_CONTIG);
  if (layout->extra)
    TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 1, &layout->extra);
  if (layout->compression)
    TIFFSetField (tiff, TIFFTAG_COMPRESSION, layout->compression);
  if (layout->predictor)
    TIFFSetField (tiff, TIFFTAG_PREDICTOR, layout->predictor);
  if (layout->orientation)
    TIFFSetField (tiff, TIFFTAG_ORIENTATION, layout->orientation);
  if (layout->format)
    TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, layout->format);
  if (layout->tile)
    {
      TIFFSetField (tiff, TIFFTAG_TILEWIDTH, layout->tile);
      TIFFSetField (tiff, TIFFTAG_TILELENGTH, layout->tile);
    }
  else
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, layout->strip ? layout->strip : HEIGHT);
}

/* Rows of all samples, or of one plane. */
static void
write_rows (TIFF *tiff, const Layout *layout)
{
  gboolean separate = layout->planar == PLANARCONFIG_SEPARATE;
  guint16 planes = separate ? layout->samples : 1, each = separate ? 1 : layout->samples;
  guint16 row[WIDTH * 5];

  for (guint16 plane = 0; plane < planes; plane++)
    for (guint32 y = 0; y < HEIGHT; y++)
      {
        for (guint32 x = 0; x < WIDTH; x++)
          for (guint16 s = 0; s < each; s++)
            row[x * each + s] = stored (layout, x, y, separate ? plane : s);
        g_assert_cmpint (TIFFWriteScanline (tiff, row, y, plane), ==, 1);
      }
}

static void
write_tiles (TIFF *tiff, const Layout *layout)
{
  gboolean separate = layout->planar == PLANARCONFIG_SEPARATE;
  guint16 planes = separate ? layout->samples : 1, each = separate ? 1 : layout->samples;
  guint32 side = layout->tile;
  g_autofree guint16 *tile = g_new0 (guint16, side * side * each);

  for (guint16 plane = 0; plane < planes; plane++)
    for (guint32 y0 = 0; y0 < HEIGHT; y0 += side)
      for (guint32 x0 = 0; x0 < WIDTH; x0 += side)
        {
          for (guint32 y = 0; y < side; y++)
            for (guint32 x = 0; x < side; x++)
              for (guint16 s = 0; s < each; s++)
                tile[(y * side + x) * each + s] = stored (layout, x0 + x, y0 + y, separate ? plane : s);
          g_assert_cmpint (TIFFWriteTile (tiff, tile, x0, y0, 0, plane), >, 0);
        }
}

static void
write_tiff (const Layout *layout, GFile *file, int pages)
{
  TIFF *tiff = TIFFOpen (g_file_peek_path (file), layout->mode ? layout->mode : "w");

  g_assert_nonnull (tiff);
  for (int page = 0; page < pages; page++)
    {
      set_fields (tiff, layout);
      (layout->tile ? write_tiles : write_rows) (tiff, layout);
      g_assert_cmpint (TIFFWriteDirectory (tiff), ==, 1);
    }
  TIFFClose (tiff);
}

static const Layout layouts[] = {
  { .name = "grey", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK },
  { .name = "big-endian", .mode = "wb", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .strip = 7 },
  { .name = "big-tiff", .mode = "w8", .samples = 3, .photometric = PHOTOMETRIC_RGB, .strip = 1 },
  { .name = "inverted", .samples = 1, .photometric = PHOTOMETRIC_MINISWHITE, .strip = 16 },
  { .name = "rgb", .samples = 3, .photometric = PHOTOMETRIC_RGB, .strip = 16, .compression = COMPRESSION_LZW },
  { .name = "predicted",
    .samples = 3,
    .photometric = PHOTOMETRIC_RGB,
    .strip = 9,
    .compression = COMPRESSION_LZW,
    .predictor = 2 },
  { .name = "planes", .samples = 3, .photometric = PHOTOMETRIC_RGB, .planar = PLANARCONFIG_SEPARATE, .strip = 13 },
  { .name = "alpha", .samples = 4, .photometric = PHOTOMETRIC_RGB, .extra = EXTRASAMPLE_UNASSALPHA },
  { .name = "grey-alpha", .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_UNASSALPHA },
  { .name = "multiplied", .samples = 4, .photometric = PHOTOMETRIC_RGB, .extra = EXTRASAMPLE_ASSOCALPHA },
  { .name = "unspecified", .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_UNSPECIFIED },
  { .name = "tiles", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .tile = 32 },
  { .name = "one-tile", .samples = 3, .photometric = PHOTOMETRIC_RGB, .tile = 128 },
  { .name = "tiled-planes",
    .samples = 4,
    .photometric = PHOTOMETRIC_RGB,
    .extra = EXTRASAMPLE_UNASSALPHA,
    .planar = PLANARCONFIG_SEPARATE,
    .tile = 16,
    .compression = COMPRESSION_LZW },
  { .name = "mirrored", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .orientation = ORIENTATION_TOPRIGHT },
  { .name = "turned", .samples = 3, .photometric = PHOTOMETRIC_RGB, .orientation = ORIENTATION_BOTRIGHT },
  { .name = "upside-down", .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .orientation = ORIENTATION_BOTLEFT },
};

static float
value_at (const TosstImage *image, guint32 x, guint32 y, guint32 c)
{
  return image->data[((gsize)c * (gsize)image->height + y) * (gsize)image->width + x];
}

/* The displayed position of a stored pixel. */
static void
orient (const Layout *layout, guint32 *x, guint32 *y)
{
  if (layout->orientation == ORIENTATION_TOPRIGHT || layout->orientation == ORIENTATION_BOTRIGHT)
    *x = WIDTH - 1 - *x;
  if (layout->orientation == ORIENTATION_BOTRIGHT || layout->orientation == ORIENTATION_BOTLEFT)
    *y = HEIGHT - 1 - *y;
}

static void
check_whole (const Layout *layout, const TosstImage *image)
{
  gboolean alpha = layout->extra == EXTRASAMPLE_UNASSALPHA || layout->extra == EXTRASAMPLE_ASSOCALPHA;

  g_assert_cmpint (image->width, ==, WIDTH);
  g_assert_cmpint (image->height, ==, HEIGHT);
  g_assert_cmpint (image->channels, ==, layout->photometric == PHOTOMETRIC_RGB ? 3 : 1);
  g_assert_cmpfloat (image->maximum, ==, alpha ? 0 : 65535);
  for (guint32 y = 0; y < HEIGHT; y++)
    for (guint32 x = 0; x < WIDTH; x++)
      for (guint32 c = 0; c < (guint32)image->channels; c++)
        {
          guint32 to_x = x, to_y = y;

          orient (layout, &to_x, &to_y);
          g_assert_cmpfloat_with_epsilon (value_at (image, to_x, to_y, c), seen (layout, x, y, (guint16)c),
                                          alpha ? 1e-7 : 1e-30);
        }
}

/* A pixel of the small image is the mean of its pixels in the whole one. */
static void
check_reduced (const TosstImage *whole, const TosstImage *small, int n)
{
  g_assert_cmpint (small->width, ==, (WIDTH + n - 1) / n);
  g_assert_cmpint (small->height, ==, (HEIGHT + n - 1) / n);
  for (int y = 0; y < small->height; y++)
    for (int x = 0; x < small->width; x++)
      {
        double sum = 0;
        int count = 0;

        for (int j = y * n; j < MIN (HEIGHT, (y + 1) * n); j++)
          for (int i = x * n; i < MIN (WIDTH, (x + 1) * n); i++, count++)
            sum += value_at (whole, (guint32)i, (guint32)j, 0);
        g_assert_cmpfloat_with_epsilon (value_at (small, (guint32)x, (guint32)y, 0), sum / count, 1e-6);
      }
}

static void
test_layout (gconstpointer data)
{
  const Layout *layout = data;
  g_autoptr (GFile) file = child ("a.tif");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = NULL, small = NULL;
  TosstImageProbe probe;

  write_tiff (layout, file, 1);
  g_assert_true (tosst_image_probe (file, &probe, &error));
  g_assert_cmpint (probe.width, ==, WIDTH);
  g_assert_cmpint (probe.height, ==, HEIGHT);
  image = tosst_image_read_for (file, 0, 0, &error);
  g_assert_no_error (error);
  check_whole (layout, image);
  small = tosst_image_read_reduced (file, 20, &error);
  g_assert_no_error (error);
  check_reduced (image, small, 3);
}

static void
test_pages (void)
{
  g_autoptr (GFile) file = child ("pages.tif");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = NULL;

  write_tiff (&layouts[0], file, 3);
  image = tosst_image_read_for (file, 0, 0, &error);
  g_assert_no_error (error);
  check_whole (&layouts[0], image);
}

static void
assert_refused (GFile *file, gsize most, TosstFailure failure, const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_file_get_basename (file);
  TosstImage *image = tosst_image_read_for (file, 0, most, &error);

  g_assert_null (image);
  g_assert_error (error, TOSST_ERROR, (int)failure);
  g_assert_true (g_str_has_prefix (error->message, name));
  g_assert_nonnull (strstr (error->message, fragment));
  g_assert_null (strchr (error->message, '\n'));
  g_assert_false (g_str_has_suffix (error->message, "."));
}

static void
test_refused (void)
{
  static const struct
  {
    Layout layout;
    const char *fragment;
  } table[] = {
    { { .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .format = SAMPLEFORMAT_INT }, "sample format 2" },
    { { .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .format = SAMPLEFORMAT_IEEEFP }, "sample format 3" },
    { { .samples = 4, .photometric = PHOTOMETRIC_SEPARATED }, "photometric interpretation 5" },
    { { .samples = 3, .photometric = PHOTOMETRIC_CIELAB }, "photometric interpretation 8" },
    { { .samples = 5, .photometric = PHOTOMETRIC_RGB }, "5 samples" },
    { { .samples = 2, .photometric = PHOTOMETRIC_RGB }, "2 samples" },
  };
  g_autoptr (GFile) file = child ("odd.tif");

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      write_tiff (&table[i].layout, file, 1);
      assert_refused (file, 0, TOSST_FAILED_INPUT, table[i].fragment);
    }
  write_tiff (&layouts[0], file, 1);
  assert_refused (file, 1000, TOSST_FAILED_MEMORY, "70 × 50");
}

/* Floats and integers of 32 bits have no largest level to divide by, and are refused. */
static void
test_bits (void)
{
  static const guint16 bits[] = { 12, 24, 32, 64 };
  static const char row[4 * 8];
  g_autoptr (GFile) file = child ("bits.tif");

  for (gsize i = 0; i < G_N_ELEMENTS (bits); i++)
    {
      g_autofree char *message = g_strdup_printf ("has samples of %d bits", bits[i]);
      TIFF *tiff = TIFFOpen (g_file_peek_path (file), "w");

      TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, 4);
      TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, 1);
      TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, bits[i]);
      TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, bits[i] == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
      g_assert_cmpint (TIFFWriteEncodedStrip (tiff, 0, (void *)row, 4 * bits[i] / 8), ==, 4 * bits[i] / 8);
      TIFFClose (tiff);
      assert_refused (file, 0, TOSST_FAILED_INPUT, message);
    }
}

/* The number of a tag in the first directory of a little-endian file. */
static void
set_tag (char *bytes, gsize size, guint16 tag, guint32 value)
{
  guint32 at;
  guint16 n;

  memcpy (&at, bytes + 4, 4);
  memcpy (&n, bytes + at, 2);
  for (guint16 i = 0; i < n; i++)
    {
      char *entry = bytes + at + 2 + 12 * i;
      guint16 found, type = TIFF_LONG;

      memcpy (&found, entry, 2);
      if (found != tag)
        continue;
      memcpy (entry + 2, &type, 2);
      memcpy (entry + 8, &value, 4);
      return;
    }
  g_assert_not_reached ();
}

/* Sizes that exceed any memory, strips longer than the file, tiles of gigabytes. */
static void
test_lies (void)
{
  static const struct
  {
    int layout;
    guint16 tag;
    guint32 value;
  } lies[] = { { 0, TIFFTAG_IMAGEWIDTH, 2000000000 },
               { 0, TIFFTAG_IMAGELENGTH, 4000000000u },
               { 0, TIFFTAG_IMAGEWIDTH, 0 },
               { 0, TIFFTAG_IMAGELENGTH, 0 },
               { 0, TIFFTAG_IMAGELENGTH, 5000 },
               { 0, TIFFTAG_IMAGEWIDTH, 20000 },
               { 0, TIFFTAG_STRIPOFFSETS, 3000000000u },
               { 11, TIFFTAG_TILEWIDTH, 1u << 30 },
               { 11, TIFFTAG_TILELENGTH, 1u << 30 },
               { 11, TIFFTAG_TILEWIDTH, 0 },
               { 11, TIFFTAG_TILEWIDTH, 1u << 20 } };
  g_autoptr (GFile) file = child ("lies.tif");

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      g_autofree char *bytes = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) image = NULL;
      gsize size;

      write_tiff (&layouts[lies[i].layout], file, 1);
      g_assert_true (g_file_get_contents (g_file_peek_path (file), &bytes, &size, NULL));
      set_tag (bytes, size, lies[i].tag, lies[i].value);
      g_assert_true (g_file_set_contents (g_file_peek_path (file), bytes, (gssize)size, NULL));
      image = tosst_image_read_for (file, 0, 0, &error);
      g_test_message ("tag %d as %u: %s", lies[i].tag, lies[i].value, error != NULL ? error->message : "read");
      g_assert_null (image);
      g_assert_nonnull (error);
      g_assert_null (strchr (error->message, '\n'));
    }
}

/* A file truncated anywhere, or with any byte changed, is refused or read without a crash. */
static void
test_damaged (gconstpointer data)
{
  const Layout *layout = data;
  g_autoptr (GFile) file = child ("damaged.tif");
  const char *path = g_file_peek_path (file);
  g_autofree char *bytes = NULL;
  guint refused = 0, cuts = 0;
  gsize size;

  write_tiff (layout, file, 1);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (gsize cut = 1; cut < size; cut += 1 + size / 60, cuts++)
    {
      g_autoptr (TosstImage) image = NULL;

      g_assert_true (g_file_set_contents (path, bytes, (gssize)cut, NULL));
      image = tosst_image_read_for (file, 0, 0, NULL);
      refused += image == NULL;
    }
  g_assert_cmpuint (refused, ==, cuts);
  for (gsize at = 0; at < size; at += 1 + (at > 16 && at + 400 < size) * size / 60)
    {
      g_autoptr (TosstImage) image = NULL;
      g_autoptr (GError) error = NULL;

      bytes[at] ^= 0x55;
      g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
      image = tosst_image_read_for (file, 0, 0, &error);
      g_assert_true ((image == NULL) == (error != NULL));
      bytes[at] ^= 0x55;
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *own = g_dir_make_tmp ("tosst tiff XXXXXX", NULL);
  static const char *const names[] = { "a.tif", "pages.tif", "odd.tif", "lies.tif", "damaged.tif" };
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = own;
  TIFFSetWarningHandler (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autofree char *name = g_strconcat ("/image-tiff/layout/", layouts[i].name, NULL);

      g_test_add_data_func (name, &layouts[i], test_layout);
    }
  g_test_add_func ("/image-tiff/pages", test_pages);
  g_test_add_func ("/image-tiff/refused", test_refused);
  g_test_add_func ("/image-tiff/bits", test_bits);
  g_test_add_func ("/image-tiff/lies", test_lies);
  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i += 4)
    {
      g_autofree char *name = g_strconcat ("/image-tiff/damaged/", layouts[i].name, NULL);

      g_test_add_data_func (name, &layouts[i], test_damaged);
    }
  status = g_test_run ();
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  return status;
}
