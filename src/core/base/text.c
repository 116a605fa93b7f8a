/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/text.h"

#include <string.h>

/* Characters that change the direction of the following text, which can disguise a name, are not clean. */
static gboolean
is_clean (gunichar letter)
{
  gboolean turns = letter == 0x061c || letter == 0x200e || letter == 0x200f || (letter >= 0x202a && letter <= 0x202e)
                   || (letter >= 0x2066 && letter <= 0x2069);

  return !turns && (letter >= 0x20 || letter == '\n' || letter == '\t') && (letter < 0x7f || letter >= 0xa0)
         && (letter < 0xfdd0 || letter > 0xfdef) && (letter & 0xfffe) != 0xfffe;
}

char *
tosst_clean_text (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *clean = g_string_new (NULL);

  for (const char *c = valid; *c; c = g_utf8_next_char (c))
    g_string_append_unichar (clean, is_clean (g_utf8_get_char (c)) ? g_utf8_get_char (c) : 0xfffd);
  return g_string_free (clean, FALSE);
}

char *
tosst_clean_line (const char *text)
{
  return g_strdelimit (tosst_clean_text (text), "\r\n\t", ' ');
}

/* Text that a spreadsheet takes for a formula; numbers are none. */
static gboolean
runs (const char *text)
{
  char *end;

  if (*text == '\0' || !strchr ("=+-@", *text))
    return FALSE;
  g_ascii_strtod (text, &end);
  return end == text || *end != '\0';
}

/* What a terminal takes for commands. */
#define CONTROLS                                                                                                       \
  "\001\002\003\004\005\006\007\010\013\014\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037"   \
  "\177"

void
tosst_csv_append_field (GString *csv, const char *text)
{
  /* Readers remove spaces around a field that is not quoted. */
  gboolean spaced = *text == ' ' || g_str_has_suffix (text, " ");
  g_autofree char *clean = NULL, *harmless = NULL;

  if (runs (text))
    text = harmless = g_strconcat ("'", text, NULL);
  if (strpbrk (text, CONTROLS))
    text = clean = tosst_clean_text (text);
  if (!spaced && !strpbrk (text, ",\"\r\n"))
    {
      g_string_append (csv, text);
      return;
    }
  g_string_append_c (csv, '"');
  for (; *text; text++)
    {
      if (*text == '"')
        g_string_append_c (csv, '"');
      g_string_append_c (csv, *text);
    }
  g_string_append_c (csv, '"');
}

void
tosst_csv_next_field (GString *csv, const char *text)
{
  g_string_append_c (csv, ',');
  tosst_csv_append_field (csv, text);
}

void
tosst_csv_next_real (GString *csv, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (csv, ',');
  g_string_append (csv, g_ascii_dtostr (text, sizeof text, value));
}
