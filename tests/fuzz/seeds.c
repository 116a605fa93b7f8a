/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * seeds FOLDER: small sound files for each target, in a folder of its name, from which fuzzing begins.
 */
#include <math.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <tiffio.h>

#include "core/dictionary/model.h"
#include "core/format/npz.h"
#include "core/image/probe.h"
#include "core/local/features.h"
#include "core/recipe/recipe.h"
#include "core/run/checkpoint.h"
#include "core/run/scores.h"
#include "stores.h"
#include "targets.h"

static const char *out;

/* Where a seed is to be written; new. */
static char *
seed_path (const char *target, const char *name)
{
  g_autofree char *folder = g_build_filename (out, target, NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  return g_build_filename (folder, name, NULL);
}

static void
seed (const char *target, const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = seed_path (target, name);

  g_assert_true (g_file_set_contents (path, data, (gssize)size, NULL));
}

static void
seed_bytes (const char *target, const char *name, GBytes *bytes)
{
  seed (target, name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
seed_texts (const char *target, const char *const *texts)
{
  for (guint i = 0; texts[i]; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      seed (target, name, texts[i], strlen (texts[i]));
    }
}

static TosstNpy *
make_array (TosstNpyType type, gsize rows, gsize columns)
{
  const gsize shape[] = { rows, columns };
  TosstNpy *array = tosst_npy_new (type, 2, shape);

  for (gsize i = 0; i < array->count; i++)
    if (type == TOSST_NPY_FLOAT32)
      ((float *)array->data)[i] = (float)i;
    else
      ((double *)array->data)[i] = (double)i / 3;
  return array;
}

/* The header that Python writes, version 1. */
static void
seed_npy (const char *name, const char *header, const char *data, gsize size)
{
  g_autoptr (GString) npy = g_string_new ("\x93NUMPY\x01");

  g_string_append_len (npy, "\0", 1);
  g_string_append_c (npy, (char)(strlen (header) + 1));
  g_string_append_len (npy, "\0", 1);
  g_string_append_printf (npy, "%s\n", header);
  g_string_append_len (npy, data, (gssize)size);
  seed ("npy", name, npy->str, npy->len);
}

static void
seed_arrays (void)
{
  g_autoptr (TosstNpy) single = make_array (TOSST_NPY_FLOAT32, 2, 3), exact = make_array (TOSST_NPY_FLOAT64, 3, 2);
  g_autoptr (GBytes) a = tosst_npy_serialise (single), b = tosst_npy_serialise (exact), zip = NULL;
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  g_autoptr (GBytes) json = g_bytes_new_static ("{\"a\": 1}", 8);

  seed_bytes ("npy", "float32", a);
  seed_bytes ("npy", "float64", b);
  seed_npy ("fortran", "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 2), }", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            16);
  seed_npy ("bytes", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 3), }", "abcdef", 6);
  seed_npy ("half", "{'descr': '<f2', 'fortran_order': False, 'shape': (), }", "\0\0", 2);
  seed_npy ("whole", "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", "\1\0\0\0\0\0\0\0", 8);
  tosst_npz_steal_array (npz, "B", g_steal_pointer (&single));
  tosst_npz_add_bytes (npz, "meta.json", json);
  zip = tosst_npz_to_bytes (npz, "seed", NULL);
  seed_bytes ("npz", "two", zip);
}

static void
seed_features (void)
{
  float x[6] = { 1, 2, 3, 4, 5, 6 };
  double xy[4] = { 0, 0.25, 1, 0.5 };
  int scale[2] = { 0, 3 };
  TosstFeatures features = { 2, 3, x, xy, scale };
  g_autoptr (GBytes) bytes = tosst_features_to_bytes (&features, "seed", NULL);

  seed_bytes ("features", "two", bytes);
}

static TosstDictionary *
make_dictionary (int d, int atoms)
{
  TosstDictionary *dictionary = tosst_dictionary_new (d, atoms);
  g_autofree double *B = g_new0 (double, atoms *d *d), *b = g_new0 (double, atoms *d);

  for (int k = 0; k < atoms; k++)
    {
      b[k * d + k % d] = 1;
      B[(k * d + k % d) * d + k % d] = 1;
    }
  tosst_dictionary_set (dictionary, B, b);
  return dictionary;
}

static void
seed_dictionary (void)
{
  g_autoptr (TosstDictionary) dictionary = make_dictionary (3, 4);
  TosstDictionaryMeta meta = { .recipe = (char *)"[dictionary]\natoms=4\n",
                               .objective = 1,
                               .iterations = 3,
                               .fingerprint = (char *)"0123",
                               .version = (char *)"0.1.0" };
  g_autofree char *path = seed_path ("dictionary", "learned");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  TosstModel model
      = { .recipe = tosst_recipe_new (), .dictionary = make_dictionary (7, 4), .svm = tosst_svm_new (4, 2) };
  g_autoptr (GBytes) bytes = NULL;

  g_assert_true (tosst_dictionary_save (dictionary, &meta, file, NULL));
  g_assert_true (tosst_recipe_set (model.recipe, "descriptor.kind", "linear", NULL));
  g_assert_true (tosst_recipe_set (model.recipe, "dictionary.atoms", "4", NULL));
  model.class_names = g_strsplit ("one;two", ";", -1);
  bytes = tosst_model_to_bytes (&model, "seed", NULL);
  seed_bytes ("model", "linear", bytes);
  seed_bytes ("dictionary", "model", bytes);
  seed_bytes ("npz", "model", bytes);
  tosst_recipe_free (model.recipe);
  tosst_dictionary_free (model.dictionary);
  tosst_svm_free (model.svm);
  g_strfreev (model.class_names);
}

/* A model of local features, without a dictionary. */
static void
seed_local_model (void)
{
  static const char *const settings[][2]
      = { { "descriptor.kind", "features" }, { "descriptor.pca", "2" },    { "descriptor.spatial", "none" },
          { "descriptor.length", "3" },      { "dataset.kind", "labels" }, { "coding.method", "raw" } };
  TosstModel model = { .recipe = tosst_recipe_new (), .pca = tosst_pca_new (3, 2), .svm = tosst_svm_new (4, 2) };
  g_autoptr (GBytes) bytes = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_assert_true (tosst_recipe_set (model.recipe, settings[i][0], settings[i][1], NULL));
  model.class_names = g_strsplit ("one;two", ";", -1);
  bytes = tosst_model_to_bytes (&model, "seed", NULL);
  g_assert_nonnull (bytes);
  seed_bytes ("model", "local", bytes);
  tosst_recipe_free (model.recipe);
  tosst_pca_free (model.pca);
  tosst_svm_free (model.svm);
  g_strfreev (model.class_names);
}

static void
seed_checkpoints (void)
{
  static const TosstIteration iteration = { .iteration = 1, .objective = 2 };
  const float row[] = { 0, 1, 0, 2 };
  TosstCheckpoint self = { .dictionary = make_dictionary (3, 4), .done = 1, .objective = 2 };
  g_autoptr (GBytes) codes = NULL, parts = NULL, learned = NULL, part = g_bytes_new_static ("part", 4);
  g_autofree char *path = seed_path ("checkpoint", "file");
  g_autoptr (GFile) file = g_file_new_for_path (path);

  self.trace = g_array_new (FALSE, FALSE, sizeof iteration);
  g_array_append_val (self.trace, iteration);
  self.codes = tosst_codes_new (4);
  tosst_codes_append (self.codes, row, 1);
  codes = tosst_checkpoint_to_bytes (&self);
  g_clear_pointer (&self.codes, tosst_codes_free);
  self.parts = g_ptr_array_new ();
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    g_ptr_array_add (self.parts, part);
  parts = tosst_checkpoint_to_bytes (&self);
  g_assert_true (tosst_checkpoint_write (&self, file, NULL));
  g_clear_pointer (&self.parts, g_ptr_array_unref);
  self.learned = TRUE;
  self.images = 1;
  self.signatures = g_new0 (float, 8);
  self.numbers = 8;
  learned = tosst_checkpoint_to_bytes (&self);
  seed_bytes ("checkpoint", "codes", codes);
  seed_bytes ("checkpoint", "parts", parts);
  seed_bytes ("checkpoint", "learned", learned);
  tosst_dictionary_free (self.dictionary);
  g_array_unref (self.trace);
  g_free (self.signatures);
}

static void
seed_all_texts (void)
{
  static const char *const predictions[]
      = { "sample,true,predicted\n0,0,0\n1,0,0\n2,0,1\n3,1,1\n4,1,1\n5,1,1\n", NULL };
  static const char *const scores[]
      = { "sample,margin,margin,label,label\n0,0.25,-1e-300,1,-1\n3,inf,2,-1,0\n7,-1,2,1,1\n", NULL };
  static const char *const sweeps[]
      = { "[dictionary]\nlambda=0.1\n\n[sweep]\ndictionary.atoms=10;20\ncoding.lambda=log:0.01:1:3\nmethod=grid\n",
          "[sweep]\ndataset.path=a\\;b;c\ndictionary.lambda=lin:0:1\nmethod=random\nruns=5\nseed=7\n", NULL };
  static const char *const formulas[]
      = { "\\frac{1}{2}\\sum_{k=1}^{K} \xce\xb1_k^n x' \\le \\sqrt{\\bar{a}}", "\\{[a, b]\\} \\\\ c",
          "\\norm{x}_2 + \\abs{y} \\{a\\} \\\\ \\text{where} \\tr \\, \\quad",
          "\\inline{\\min_{a} \\cal{X}} (a) [b] \\hat{a} \\prod \xce\xb1", NULL };
  static const char *const filters[] = { "\ndictionary.atoms >= 1, title ~ a",
                                         "-accuracy\nstate = done, accuracy > 80",
                                         "seconds.learn\ntag = star",
                                         "accuracy.best\nsweep = 1, objective.last < 1e300",
                                         "-dictionary.lambda\nnote ~ %_, id != 2, splits <= 2",
                                         NULL };
  static const char *const labels[]
      = { "image,split,cat,dog\na.png,train,1,-1\nb,trainval,-1,1\nsub/e,val,1,1\nd,test,1,0\nc,test,-1,1\n",
          "\xEF\xBB\xBFImage,Split,\" a \"\"b\"\"\",\"c,d\"\r\n\"a\",train, 1 "
          ",-1\r\n\r\nb,train,-1,1\r\nc,val,0,1\r\nd,,1,1\r\n",
          NULL };
  static const char *const lists[] = {
    "=train.txt\na\n=val.txt\nb\n=test.txt\nc\nd\nsub/e\n=cat_train.txt\na 1\n=cat_val.txt\nb -1\n"
    "=cat_test.txt\nc  1\nd  0\nsub/e -1\n=train_trainval.txt\na -1\nb  1\n=train_test.txt\nc -1\nd 1\nsub/e 0\n",
    "=trainval.txt\r\na\r\n./b\r\n=test.txt\nc.png\nd\n=dog_trainval.txt\na\t1\n./b -1\n=dog_test.txt\nc.png 1\nd 1\n",
    NULL
  };
  static const char *const additions[] = { "brick\t/new/a.png\ncloth, fine\tb c.png\r\n\n", NULL };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *all = tosst_recipe_to_text (recipe, FALSE);
  const char *recipes[] = { all, "# a\n[dataset]\nkind=folders\npath=/a b\n[descriptor]\nkind=rbf\n", NULL };
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  seed_texts ("predictions", predictions);
  seed_texts ("labels", labels);
  seed_texts ("lists", lists);
  seed_texts ("additions", additions);
  seed_texts ("scores", scores);
  seed_texts ("sweep", sweeps);
  seed_texts ("formula", formulas);
  seed_texts ("filter", filters);
  seed_texts ("recipe", recipes);
  for (guint i = 0; i < n; i++)
    if (parameters[i].formula)
      seed ("formula", parameters[i].key, parameters[i].formula, strlen (parameters[i].formula));
}

static GdkPixbuf *
make_pixels (gboolean alpha)
{
  GdkPixbuf *pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, alpha, 8, 9, 5);
  guint stride = (guint)gdk_pixbuf_get_rowstride (pixels), width = alpha ? 36 : 27;

  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < width; x++)
      gdk_pixbuf_get_pixels (pixels)[y * stride + x] = (guchar)(x * 7 + y * 31);
  return pixels;
}

static void
seed_pixels (const char *target, const char *format, gboolean alpha)
{
  g_autoptr (GdkPixbuf) pixels = make_pixels (alpha);
  g_autofree char *name = g_strdup_printf ("%s%s", format, alpha ? "-alpha" : ""), *path = seed_path (target, name);

  g_assert_true (gdk_pixbuf_save (pixels, path, format, NULL, NULL));
}

static void
seed_tiff (const char *name, guint16 compression, guint16 channels, guint16 format, guint16 bits)
{
  g_autofree char *path = seed_path ("tiff", name);
  TIFF *tiff = TIFFOpen (path, "w");
  guint8 row[9 * 3 * 8];

  g_assert_nonnull (tiff);
  for (gsize i = 0; i < sizeof row; i++)
    row[i] = (guint8)(format == SAMPLEFORMAT_IEEEFP ? 0 : i * 5);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, 9);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, 5);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, format);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, compression);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  for (guint y = 0; y < 5; y++)
    g_assert_cmpint (TIFFWriteScanline (tiff, row, y, 0), >=, 0);
  TIFFClose (tiff);
}

static void
seed_images (void)
{
  static const char *const pnm[] = { "P1\n3 2\n1 0 1\n0 1 0\n",
                                     "P2 # grey\n3 2 15\n1 2 3 4 5 6\n",
                                     "P3 1 2 255 1 2 3 4 5 6\n",
                                     "P4 9 2\nabcd",
                                     "P5 3 2 255\nabcdef",
                                     "P6 1 2 65535\nabcdefghijkl",
                                     NULL };
  static const char gif[]
      = "GIF89a\x02\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\0\0,\0\0\0\0\2\0\1\0\0\2\2D\n\0;";
  static const char big[] = "MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0";
  static const char little[] = "Exif\0\0II*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0";

  seed ("exif", "big", big, sizeof big);
  seed ("exif", "little", little, sizeof little);
  seed_pixels ("png", "png", FALSE);
  seed_pixels ("png", "png", TRUE);
  seed_pixels ("pixbuf", "jpeg", FALSE);
  seed_pixels ("pixbuf", "bmp", FALSE);
  seed_pixels ("pixbuf", "tiff", FALSE);
  seed_pixels ("pixbuf", "ico", FALSE);
  seed ("pixbuf", "gif", gif, sizeof gif - 1);
  seed_texts ("pnm", pnm);
  seed_tiff ("grey16", COMPRESSION_NONE, 1, SAMPLEFORMAT_UINT, 16);
  seed_tiff ("colour16", COMPRESSION_LZW, 3, SAMPLEFORMAT_UINT, 16);
  seed_tiff ("packed16", COMPRESSION_PACKBITS, 1, SAMPLEFORMAT_UINT, 16);
  seed_tiff ("deflated32", COMPRESSION_ADOBE_DEFLATE, 1, SAMPLEFORMAT_UINT, 32);
  seed_tiff ("float32", COMPRESSION_NONE, 1, SAMPLEFORMAT_IEEEFP, 32);
}

static void
seed_stores (void)
{
  g_autofree char *path = seed_path ("store_bytes", "runs");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  static const guint8 cells[][10]
      = { { 9, 0, 4, 4, 'd', 'o', 'n', 'e' }, { 30, 1, 0, 2, 255, 127 }, { 50, 0, 3, 0, 20, 0, 2, 2, 1, 2 } };

  g_unlink (path);
  fuzz_make_store (file);
  seed ("store_cells", "text", cells[0], 8);
  seed ("store_cells", "number", cells[1], 6);
  seed ("store_cells", "two", cells[2], 10);
}

int
main (int argc, char **argv)
{
  g_assert_cmpint (argc, ==, 2);
  out = argv[1];
  seed_arrays ();
  seed_dictionary ();
  seed_local_model ();
  seed_features ();
  seed_checkpoints ();
  seed_all_texts ();
  seed_images ();
  seed_stores ();
  return 0;
}
