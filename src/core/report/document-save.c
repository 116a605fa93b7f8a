/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/report/document.h"

#include <glib/gi18n.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"

typedef enum
{
  FORMAT_UNKNOWN,
  FORMAT_HTML,
  FORMAT_PDF,
} Format;

static Format
format_of (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  if (g_str_has_suffix (lower, ".html") || g_str_has_suffix (lower, ".htm"))
    return FORMAT_HTML;
  return g_str_has_suffix (lower, ".pdf") ? FORMAT_PDF : FORMAT_UNKNOWN;
}

gboolean
tosst_document_check (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file);

  if (format_of (name) == FORMAT_UNKNOWN)
    return tosst_fail (error, TOSST_FAILED_NAME, _ ("“%s” cannot be saved: its name must end in .html or .pdf"), name);
  return tosst_atomic_check (file, error);
}

gboolean
tosst_document_save (TosstDocument *self, double created, GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (GBytes) bytes = NULL;

  if (!tosst_document_check (file, error))
    return FALSE;
  bytes = format_of (name) == FORMAT_HTML ? tosst_document_to_html (self, error)
                                          : tosst_document_to_pdf (self, created, error);
  return bytes && tosst_atomic_write (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}
