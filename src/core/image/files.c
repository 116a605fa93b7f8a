/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/image/files.h"

#include "core/base/base.h"

int
tosst_image_files_compare (const char *a, const char *b)
{
  const char *p = a, *q = b;

  while (*p != '\0' && *q != '\0')
    {
      if (g_ascii_isdigit (*p) && g_ascii_isdigit (*q))
        {
          while (*p == '0')
            p++;
          while (*q == '0')
            q++;
          gsize m = strspn (p, "0123456789");
          gsize n = strspn (q, "0123456789");
          if (m != n)
            return m < n ? -1 : 1;
          if (m > 0 && memcmp (p, q, m) != 0)
            return memcmp (p, q, m);
          p += m;
          q += n;
        }
      else
        {
          int difference = (guchar)g_ascii_tolower (*p) - (guchar)g_ascii_tolower (*q);

          if (difference != 0)
            return difference;
          p++;
          q++;
        }
    }
  if (*p != *q)
    return *p == '\0' ? -1 : 1;
  return strcmp (a, b);
}

const char *const tosst_image_files_suffixes[]
    = { ".jpg", ".jpeg", ".png", ".gif", ".tif", ".tiff", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".webp", NULL };

gboolean
tosst_image_files_has_suffix (const char *name)
{
  const char *const *suffixes = tosst_image_files_suffixes;
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; suffixes[i] != NULL; i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  return FALSE;
}

/* Formats that are not read. magic: bytes at a place of the file; the first row that fits counts. */
static const struct
{
  gboolean image; /* of one image */
  const char *suffixes, *advice;
  struct
  {
    gsize at;
    const char *bytes;
  } magic[6];
} foreign[] = {
  { TRUE,
    ".heic .heif .hif ",
    N_ ("is a photograph in HEIF: convert it to JPEG, for example by heif-convert of the package libheif-examples"),
    { { 4, "ftypheic" }, { 4, "ftypheix" }, { 4, "ftypheim" }, { 4, "ftypmif1" }, { 4, "ftypmsf1" } } },
  { TRUE,
    ".avif ",
    N_ ("is an image in AVIF: convert it to PNG, for example by avifdec of the package libavif-bin"),
    { { 4, "ftypavif" }, { 4, "ftypavis" } } },
  { TRUE,
    ".jxl ",
    N_ ("is an image in JPEG XL: convert it to PNG, for example by djxl of the package libjxl-tools"),
    { { 0, "\xff\n" }, { 4, "JXL " } } },
  { TRUE,
    ".jp2 .j2k .jpf .jpx ",
    N_ ("is an image in JPEG 2000: convert it to PNG, for example by opj_decompress of the package libopenjp2-tools"),
    { { 0, "\xffO\xffQ" }, { 4, "jP  " } } },
  { TRUE,
    ".dng .cr2 .cr3 .crw .nef .nrw .arw .srf .sr2 .orf .rw2 .raf .pef .srw .x3f .3fr .iiq .erf ",
    N_ ("is the raw data of a camera: develop it as TIFF or JPEG, for example by darktable-cli of the package "
        "darktable"),
    { { 4, "ftypcrx" }, { 0, "FUJIFILMCCD-RAW" }, { 0, "IIRO" }, { 0, "IIU" }, { 0, "FOVb" }, { 6, "HEAPCCDR" } } },
  { TRUE,
    ".svg .svgz ",
    N_ ("is a drawing of lines and areas: save it as PNG, for example by rsvg-convert of the package librsvg2-bin"),
    { { 0, "<svg" } } },
  { TRUE,
    ".psd .psb .xcf .kra .ora ",
    N_ ("is a file of an image editor: export it as PNG, for example by GIMP"),
    { { 0, "8BPS" }, { 0, "gimp xcf" } } },
  { TRUE,
    ".exr .hdr .pfm .fits ",
    N_ ("has floating-point samples: export it as PNG or TIFF with 16 bits, for example by GIMP"),
    { { 0, "\x76/1\1" }, { 0, "#?RADIANCE" }, { 0, "PF\n" }, { 0, "Pf\n" }, { 0, "SIMPLE  =" } } },
  { TRUE,
    ".dcm ",
    N_ ("is a medical image in DICOM: convert it to PNG, for example by dcmj2pnm of the package dcmtk"),
    { { 128, "DICM" } } },
  { TRUE,
    ".czi .lif .nd2 .oib .vsi ",
    N_ ("is a file of a microscope: export its images as TIFF, for example by Fiji"),
    { { 0, "ZISRAWFILE" } } },
  { FALSE,
    ".pdf .ps .eps .djvu ",
    N_ ("is a document: save its pages as PNG, for example by pdftoppm -png of the package poppler-utils"),
    { { 0, "%PDF" }, { 0, "%!PS" }, { 0, "AT&TFORM" } } },
  { FALSE,
    ".mp4 .m4v .mov .avi .mkv .webm .mpg .mpeg .wmv .mts .3gp ",
    N_ ("is a video: save frames of it as PNG, for example by ffmpeg"),
    { { 4, "ftyp" }, { 8, "AVI LIST" }, { 0, "\x1a\x45\xdf\xa3" } } },
  /* Read where GdkPixbuf has a loader of it. */
  { TRUE,
    "",
    N_ ("is an image in WebP: install the package webp-pixbuf-loader, or convert it to PNG by dwebp of the package "
        "webp"),
    { { 8, "WEBPVP8" } } },
};

/* Row of the format that a name has by its suffix; -1: none. */
static int
foreign_suffix (const char *name)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *word = dot != NULL ? g_strconcat (dot, " ", NULL) : NULL,
                  *lower = dot != NULL ? g_ascii_strdown (word, -1) : NULL;

  for (guint i = 0; dot != NULL && i < G_N_ELEMENTS (foreign); i++)
    if (strstr (foreign[i].suffixes, lower) != NULL)
      return (int)i;
  return -1;
}

const char *
tosst_image_files_advice (const char *name)
{
  int row = foreign_suffix (name);

  return row >= 0 ? _ (foreign[row].advice) : NULL;
}

const char *
tosst_image_files_advice_of_bytes (const guint8 *bytes, gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    for (guint k = 0; k < G_N_ELEMENTS (foreign[i].magic) && foreign[i].magic[k].bytes != NULL; k++)
      {
        gsize at = foreign[i].magic[k].at, length = strlen (foreign[i].magic[k].bytes);

        if (at + length <= n && memcmp (bytes + at, foreign[i].magic[k].bytes, length) == 0)
          return _ (foreign[i].advice);
      }
  return NULL;
}

gboolean
tosst_image_files_is_any (const char *name)
{
  int row = foreign_suffix (name);

  return tosst_image_files_has_suffix (name) || (row >= 0 && foreign[row].image);
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  g_autofree char *p = g_file_get_basename (*(GFile *const *)a), *q = g_file_get_basename (*(GFile *const *)b);

  return tosst_image_files_compare (p, q);
}

gboolean
tosst_folder_trail_enter (TosstFolderTrail *self, const TosstFolderTrail *above, GFile *folder)
{
  g_autoptr (GFileInfo) info = g_file_query_info (folder, G_FILE_ATTRIBUTE_ID_FILE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  self->above = above;
  self->depth = above != NULL ? above->depth + 1 : 0;
  self->id = info != NULL ? g_strdup (g_file_info_get_attribute_string (info, G_FILE_ATTRIBUTE_ID_FILE)) : NULL;
  for (const TosstFolderTrail *t = above; t != NULL && self->id != NULL; t = t->above)
    if (g_strcmp0 (t->id, self->id) == 0)
      return FALSE;
  return self->depth <= TOSST_IMAGE_FILES_DEPTH;
}

void
tosst_folder_trail_clear (TosstFolderTrail *self)
{
  g_clear_pointer (&self->id, g_free);
}

static gboolean
collect (GFile *folder, const TosstFolderTrail *above, gboolean (*selects) (const char *name), GPtrArray *found,
         GError **error)
{
  g_auto (TosstFolderTrail) here = { 0 };
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_object_unref);

  if (!tosst_folder_trail_enter (&here, above, folder))
    return TRUE;
  /* Lists images and subfolders of a folder, each in natural order. */
  g_autoptr (GError) reason = NULL;
  g_autoptr (GFileEnumerator) enumerator = g_file_enumerate_children (
      folder, G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE, NULL, &reason);
  GFileInfo *info = NULL;

  while (enumerator != NULL && g_file_enumerator_iterate (enumerator, &info, NULL, NULL, &reason) && info != NULL)
    {
      const char *name = g_file_info_get_name (info);
      GPtrArray *list = g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY ? folders
                        : selects (name)                                          ? images
                                                                                  : NULL;

      if (list != NULL && name[0] != '.')
        g_ptr_array_add (list, g_file_get_child (folder, name));
    }
  if (reason != NULL)
    {
      g_autofree char *name = g_file_get_parse_name (folder);

      return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, reason->message);
    }
  g_ptr_array_sort (images, compare_files);
  g_ptr_array_sort (folders, compare_files);
  g_ptr_array_extend_and_steal (found, g_steal_pointer (&images));
  for (guint i = 0; i < folders->len; i++)
    if (!collect (g_ptr_array_index (folders, i), &here, selects, found, error))
      return FALSE;
  return TRUE;
}

GPtrArray *
tosst_image_files_list (GFile *folder, gboolean (*selects) (const char *name), GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_object_unref);

  return collect (folder, NULL, selects, found, error) ? g_steal_pointer (&found) : NULL;
}
