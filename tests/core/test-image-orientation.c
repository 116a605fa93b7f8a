/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The eight orientations of EXIF and TIFF: pixels and probed sizes are those that GdkPixbuf shows of a plain image turned
 * by it.
 */
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <tiffio.h>
#include <utime.h>

#include "core/data/dataset.h"
#include "core/image/probe.h"
#include "image-folder.h"

/* Multiples of four and three: gdk_pixbuf_flip () reads the padding after the last row of others, and reducing divides. */
#define WIDTH 36
#define HEIGHT 24

static GdkPixbuf *
new_picture (void)
{
  GdkPixbuf *picture = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, WIDTH, HEIGHT);
  guint8 *pixels = gdk_pixbuf_get_pixels (picture);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < 3 * WIDTH; x++)
      pixels[y * gdk_pixbuf_get_rowstride (picture) + x] = (guint8)(x * 2 + y * 3 + x % 3 * 20);
  return picture;
}

/* EXIF data: a directory of the width and the orientation, or with 0 of the width twice. */
static GBytes *
new_exif (gboolean little, guint orientation)
{
  static const guint8 big_endian[] = "MM\0*\0\0\0\10\0\2\1\0\0\3\0\0\0\1\0\44\0\0\1\x12\0\3\0\0\0\1\0\0\0\0\0\0\0\0";
  static const guint8 little_endian[] = "II*\0\10\0\0\0\2\0\0\1\3\0\1\0\0\0\44\0\0\0\x12\1\3\0\1\0\0\0\0\0\0\0\0\0\0\0";
  guint8 *data = g_memdup2 (little ? little_endian : big_endian, 38);

  data[little ? 30 : 31] = (guint8)orientation;
  if (orientation == 0)
    data[little ? 22 : 23] = 0;
  return g_bytes_new_take (data, 38);
}

static void
append_big32 (GByteArray *bytes, guint32 value)
{
  value = GUINT32_TO_BE (value);
  g_byte_array_append (bytes, (const guint8 *)&value, 4);
}

static guint32
checksum (const guint8 *data, gsize size)
{
  guint32 sum = G_MAXUINT32;

  for (gsize i = 0; i < size; i++)
    {
      sum ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        sum = (sum & 1) != 0 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
    }
  return ~sum;
}

/* A segment after the first marker of a JPEG, which another segment of this marker precedes; or a chunk after the header
 * of a PNG or before its end; or the last chunk of a WebP. */
static void
write_file (GdkPixbuf *picture, const char *type, gboolean late, GBytes *exif, GFile *file)
{
  gsize size, length = g_bytes_get_size (exif), at;
  const guint8 *data = g_bytes_get_data (exif, NULL);
  g_autofree guint8 *whole = NULL;
  g_autoptr (GByteArray) block = g_byte_array_new (), out = g_byte_array_new ();

  g_assert_true (gdk_pixbuf_save_to_buffer (picture, (char **)&whole, &size, type, NULL, NULL));
  if (g_str_equal (type, "jpeg"))
    {
      guint8 head[] = { 0xFF, 0xE1, 0, 6, 'h', 't', 't', 'p', 0xFF, 0xE1, 0, (guint8)(length + 8) };

      g_byte_array_append (block, head, sizeof head);
      g_byte_array_append (block, (const guint8 *)"Exif\0\0", 6);
      g_byte_array_append (block, data, (guint)length);
      at = 2;
    }
  else if (g_str_equal (type, "png"))
    {
      append_big32 (block, (guint32)length);
      g_byte_array_append (block, (const guint8 *)"eXIf", 4);
      g_byte_array_append (block, data, (guint)length);
      append_big32 (block, checksum (block->data + 4, length + 4));
      at = late ? size - 12 : 33;
    }
  else
    {
      guint8 head[] = { 'E', 'X', 'I', 'F', (guint8)length, 0, 0, 0 };

      g_byte_array_append (block, head, sizeof head);
      g_byte_array_append (block, data, (guint)length);
      at = size;
    }
  g_byte_array_append (out, whole, (guint)at);
  g_byte_array_append (out, block->data, block->len);
  g_byte_array_append (out, whole + at, (guint)(size - at));
  put (file, out->data, out->len);
}

static void
write_tiff (GdkPixbuf *picture, guint16 bits, guint16 orientation, GFile *file)
{
  TIFF *tiff = TIFFOpen (g_file_peek_path (file), "w");
  const guint8 *pixels = gdk_pixbuf_read_pixels (picture);

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_ORIENTATION, orientation);
  for (guint32 y = 0; y < HEIGHT; y++)
    {
      guint16 row[3 * WIDTH];

      for (guint x = 0; x < 3 * WIDTH; x++)
        {
          guint8 value = pixels[y * (guint)gdk_pixbuf_get_rowstride (picture) + x];

          if (bits == 16)
            row[x] = (guint16)(257 * value);
          else
            ((guint8 *)row)[x] = value;
        }
      g_assert_cmpint (TIFFWriteScanline (tiff, row, y, 0), ==, 1);
    }
  TIFFClose (tiff);
}

static void
check (GdkPixbuf *plain, guint orientation, GFile *file)
{
  const char value[] = { (char)('0' + orientation), '\0' };
  g_autoptr (GdkPixbuf) copy = gdk_pixbuf_copy (plain), turned = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, &error), reduced = NULL;
  TosstImageProbe probe;

  g_assert_no_error (error);
  gdk_pixbuf_remove_option (copy, "orientation");
  gdk_pixbuf_set_option (copy, "orientation", value);
  turned = gdk_pixbuf_apply_embedded_orientation (copy);
  g_assert_true (tosst_image_probe (file, &probe, NULL));
  g_assert_cmpint (probe.width, ==, gdk_pixbuf_get_width (turned));
  g_assert_cmpint (probe.height, ==, gdk_pixbuf_get_height (turned));
  g_assert_cmpint (image->width, ==, probe.width);
  g_assert_cmpint (image->height, ==, probe.height);
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++)
        g_assert_cmpfloat (
            image->data[(c * image->height + y) * image->width + x], ==,
            (float)gdk_pixbuf_read_pixels (
                turned)[y * gdk_pixbuf_get_rowstride (turned) + gdk_pixbuf_get_n_channels (turned) * x + c]
                / 255.0f);
  reduced = tosst_image_read_reduced (file, WIDTH / 3, NULL);
  g_assert_cmpint (reduced->width, ==, image->width / 3);
  g_assert_cmpint (reduced->height, ==, image->height / 3);
}

static void
check_exif (const char *type, gboolean late)
{
  g_autoptr (GdkPixbuf) picture = new_picture ();
  g_autoptr (GFile) file = child ("turned");

  for (guint i = 0; i < 18; i++)
    {
      g_autoptr (GBytes) exif = new_exif (i % 2 == 0, i / 2);
      g_autoptr (GdkPixbuf) plain = NULL;

      write_file (picture, type, late, exif, file);
      plain = gdk_pixbuf_new_from_file (g_file_peek_path (file), NULL);
      check (plain, MAX (i / 2, 1), file);
    }
}

static void
test_jpeg (void)
{
  check_exif ("jpeg", FALSE);
}

static void
test_png (void)
{
  check_exif ("png", FALSE);
  check_exif ("png", TRUE);
}

static void
test_webp (void)
{
  g_autoptr (GSList) formats = gdk_pixbuf_get_formats ();
  gboolean found = FALSE;

  for (GSList *format = formats; format != NULL; format = format->next)
    {
      g_autofree char *name = gdk_pixbuf_format_get_name (format->data);

      found = found || (g_str_equal (name, "webp") && gdk_pixbuf_format_is_writable (format->data));
    }
  if (found)
    check_exif ("webp", FALSE);
  else
    g_test_skip ("GdkPixbuf has no loader of WebP here");
}

static void
test_tiff (void)
{
  g_autoptr (GdkPixbuf) picture = new_picture ();
  g_autoptr (GFile) file = child ("turned.tif");

  for (guint i = 1; i <= 8; i++)
    {
      write_tiff (picture, 8, (guint16)i, file);
      check (picture, i, file);
      write_tiff (picture, 16, (guint16)i, file);
      check (picture, i, file);
    }
}

static void
check_ignored (GdkPixbuf *picture, const guint8 *data, gsize size)
{
  g_autoptr (GFile) file = child ("damaged.jpg");
  g_autoptr (GBytes) exif = g_bytes_new (data, size);
  g_autoptr (GdkPixbuf) plain = NULL;

  write_file (picture, "jpeg", FALSE, exif, file);
  plain = gdk_pixbuf_new_from_file (g_file_peek_path (file), NULL);
  check (plain, 1, file);
}

/* Places outside the data, and values that EXIF does not know, turn nothing. */
static void
test_damaged (void)
{
  static const struct
  {
    guint at;
    guint8 value;
  } table[] = { { 0, 'I' }, { 3, 43 }, { 4, 255 }, { 7, 20 }, { 7, 37 },
                { 9, 1 },   { 25, 4 }, { 29, 2 },  { 30, 1 }, { 31, 9 } };
  g_autoptr (GdkPixbuf) picture = new_picture ();
  g_autoptr (GBytes) exif = new_exif (FALSE, 6);
  const guint8 *sound = g_bytes_get_data (exif, NULL);

  for (gsize length = 0; length < 34; length++)
    check_ignored (picture, sound, length);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree guint8 *data = g_memdup2 (sound, 38);

      data[table[i].at] = table[i].value;
      check_ignored (picture, data, 38);
    }
}

/* A run of an earlier version, which had the pixels as stored, is none of this data set; of images without an orientation
 * it is. */
static void
test_fingerprint (void)
{
  static const guint orientations[] = { 0, 1, 3, 6 };
  g_autoptr (GdkPixbuf) picture = new_picture ();
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *root = g_dir_make_tmp ("tosst-turned-XXXXXX", NULL);
  char *fingerprint[4];
  const struct utimbuf then = { 1000000000, 1000000000 };

  tosst_recipe_set (recipe, "dataset.kind", "folders", NULL);
  tosst_recipe_set (recipe, "dataset.path", root, NULL);
  tosst_recipe_set (recipe, "descriptor.patch", "8", NULL);
  for (guint k = 0; k < 4; k++)
    {
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (GBytes) exif = new_exif (FALSE, orientations[k]);

      for (guint i = 0; i < 4; i++)
        {
          g_autofree char *name = g_strdup_printf ("%u/%u.jpg", i / 2, i), *path = g_build_filename (root, name, NULL);
          g_autofree char *parent = g_path_get_dirname (path);
          g_autoptr (GFile) file = g_file_new_for_path (path);

          g_mkdir_with_parents (parent, 0700);
          gdk_pixbuf_get_pixels (picture)[0] = (guchar)(60 * i);
          write_file (picture, "jpeg", FALSE, exif, file);
          g_assert_cmpint (g_utime (path, (struct utimbuf *)&then), ==, 0);
        }
      dataset = tosst_dataset_open (recipe, NULL, NULL);
      g_assert_cmpint (tosst_dataset_image (dataset, 0)->width, ==, orientations[k] < 5 ? WIDTH : HEIGHT);
      fingerprint[k] = g_strdup (dataset->listed);
    }
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u/%u.jpg", i / 2, i), *path = g_build_filename (root, name, NULL);
      g_autofree char *parent = g_path_get_dirname (path);

      g_remove (path);
      g_rmdir (parent);
    }
  g_rmdir (root);
  g_assert_cmpstr (fingerprint[0], ==, fingerprint[1]);
  g_assert_cmpstr (fingerprint[0], !=, fingerprint[2]);
  g_assert_cmpstr (fingerprint[0], !=, fingerprint[3]);
  for (guint k = 0; k < 4; k++)
    g_free (fingerprint[k]);
}

int
main (int argc, char *argv[])
{
  image_folder_init (&argc, &argv);
  g_test_add_func ("/image-orientation/jpeg", test_jpeg);
  g_test_add_func ("/image-orientation/png", test_png);
  g_test_add_func ("/image-orientation/webp", test_webp);
  g_test_add_func ("/image-orientation/tiff", test_tiff);
  g_test_add_func ("/image-orientation/damaged", test_damaged);
  g_test_add_func ("/image-orientation/fingerprint", test_fingerprint);
  return image_folder_run ();
}
