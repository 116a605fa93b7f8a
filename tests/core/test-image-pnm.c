/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PBM, PGM and PPM, of text and of bytes.
 */
#include "image-folder.h"

/* Every kind of PNM, complete and one byte short. */
static void
test_whole (void)
{
  static const struct
  {
    const char *header;
    gsize bytes;
    char fill;
  } table[] = { { "P4\n# a comment\n9 5\n", 10, '\x55' },
                { "P5 9 5 255\n", 45, '\x55' },
                { "P6\n9 5\n# 1 2\n255\n", 135, '\x55' } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GFile) file = child ("a.pnm");
      g_autoptr (GString) text = g_string_new (table[i].header);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) image = NULL;

      for (gsize j = 0; j < table[i].bytes; j++)
        g_string_append_c (text, table[i].fill);
      put (file, text->str, text->len);
      image = tosst_image_read_for (file, 0, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (image->width, ==, 9);
      g_assert_cmpint (image->height, ==, 5);
      g_assert_cmpint (image->channels, ==, 1);
      put (file, text->str, text->len - 1);
      assert_refused (file, 0, TOSST_FAILED_INPUT, "truncated PNM");
    }
}

/* Samples equal the text or the bytes at all depths, with and without a line end after the last one. */
static void
test_samples (void)
{
#define BYTES(text) text, sizeof (text) - 1
  static const struct
  {
    const char *bytes;
    gsize size;
    int width, height, channels, highest, samples[6]; /* plane after plane */
  } table[] = { { BYTES ("P2 2 2 255 0 9\n77 255"), 2, 2, 1, 255, { 0, 9, 77, 255 } },
                { BYTES ("P2\n2 2\n# of bits\n1000\n1 999 500 1000\n"), 2, 2, 1, 1000, { 1, 999, 500, 1000 } },
                { BYTES ("P3 1 2 7 0 1 2 3 4 7"), 1, 2, 3, 7, { 0, 3, 1, 4, 2, 7 } },
                { BYTES ("P1 3 2 101\n#\n0 1 1"), 3, 2, 1, 1, { 0, 1, 0, 1, 0, 0 } },
                { BYTES ("P4 3 2\n\xa0\x60"), 3, 2, 1, 1, { 0, 1, 0, 1, 0, 0 } },
                { BYTES ("P5 2 1 65535\n\x12\x34\xff\xff"), 2, 1, 1, 65535, { 0x1234, 65535 } },
                { BYTES ("P5 2 1 4095\n\x01\x02\x0f\xff"), 2, 1, 1, 4095, { 258, 4095 } },
                { BYTES ("P6 1 1 100\n\x00\x32\x64"), 1, 1, 3, 100, { 0, 50, 100 } } };
#undef BYTES

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GFile) file = child ("b.pnm");
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstImage) image = NULL;

      put (file, table[i].bytes, table[i].size);
      image = tosst_image_read_for (file, 0, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (image->width, ==, table[i].width);
      g_assert_cmpint (image->height, ==, table[i].height);
      g_assert_cmpint (image->channels, ==, table[i].channels);
      g_assert_cmpint (image->maximum, ==, table[i].highest);
      for (int s = 0; s < image->width * image->height * image->channels; s++)
        g_assert_cmpfloat (image->data[s], ==, (float)table[i].samples[s] / (float)table[i].highest);
    }
}

static void
test_damaged (void)
{
  static const struct
  {
    const char *text, *message;
  } table[] = { { "P2 2 2 255 1 2 3   ", ": truncated PNM" },
                { "P2 2 2 9 1 2 3 10", ": damaged PNM: a sample of 10, more than 9" },
                { "P2 2 2 255 1 2 x3 4", "a sample is not a number" },
                { "P2 2 2 255 1 -2 3 4", "a sample is not a number" },
                { "P1 2 2 0 1 2 0", "a sample is not a number" },
                { "P5 2 2 7\n\1\2\3\10", "a sample of 8, more than 7" } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GFile) file = child ("c.pnm");

      put (file, table[i].text, strlen (table[i].text));
      assert_refused (file, 0, TOSST_FAILED_INPUT, table[i].message);
    }
}

int
main (int argc, char *argv[])
{
  image_folder_init (&argc, &argv);
  g_test_add_func ("/image-pnm/whole", test_whole);
  g_test_add_func ("/image-pnm/samples", test_samples);
  g_test_add_func ("/image-pnm/damaged", test_damaged);
  return image_folder_run ();
}
