/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/json-text.h"

#include <math.h>
#include <string.h>

/* Returns the end of the string whose opening quote is at text; NULL if it is not terminated. */
static const char *
end_of_string (const char *text, const char *end)
{
  for (const char *c = text + 1; c < end && *c != '\0'; c++)
    {
      if (*c == '"')
        return c;
      if (*c == '\\')
        c++;
    }
  return NULL;
}

/* JSON-GLib also reads comments and single-quoted strings, in which brackets do not count. Invalid JSON outside of
 * strings is rejected, so that both parsers see the same brackets. */
static gboolean
is_shallow (const char *text, gsize size)
{
  const char *end = text + size;
  int depth = 0;

  for (const char *c = text; c < end; c++)
    switch (*c)
      {
      case '"':
        c = end_of_string (c, end);
        if (!c)
          return FALSE;
        break;
      case '[':
      case '{':
        if (++depth > TOSST_JSON_MOST_NESTED)
          return FALSE;
        break;
      case ']':
      case '}':
        if (--depth < 0)
          return FALSE;
        break;
      default:
        if (!g_ascii_isalnum (*c) && !(*c && strchr (" \t\r\n,:+-.", *c)))
          return FALSE;
      }
  return TRUE;
}

JsonNode *
tosst_json_read (const char *text, gsize size)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (size > TOSST_JSON_MAX_BYTES || !is_shallow (text, size)
      || !json_parser_load_from_data (parser, text, (gssize)size, NULL))
    return NULL;
  return json_parser_steal_root (parser);
}

/* JSON-GLib appends ".0" to numbers without a decimal point, including those with an exponent: 1e-10.0, which is
 * invalid JSON. */
char *
tosst_json_write (JsonNode *root, gboolean pretty)
{
  char *text = json_to_string (root, pretty), *to = text;
  const char *end = text + strlen (text);
  gboolean exponent = FALSE;

  for (const char *c = text; c < end; c++)
    {
      const char *last = *c == '"' ? end_of_string (c, end) : c;

      if (exponent && *c == '.')
        {
          c++;
          continue;
        }
      exponent = (*c == 'e' && c > text && g_ascii_isdigit (c[-1]))
                 || (exponent && (g_ascii_isdigit (*c) || *c == '-' || *c == '+'));
      last = last ? last : end - 1;
      memmove (to, c, (gsize)(last - c) + 1);
      to += last - c + 1;
      c = last;
    }
  *to = '\0';
  return text;
}

static JsonNode *
number_or_null (double value)
{
  JsonNode *node = json_node_new (isfinite (value) ? JSON_NODE_VALUE : JSON_NODE_NULL);

  if (isfinite (value))
    json_node_set_double (node, value);
  return node;
}

void
tosst_json_set_number (JsonObject *object, const char *name, double value)
{
  json_object_set_member (object, name, number_or_null (value));
}

void
tosst_json_add_number (JsonArray *array, double value)
{
  json_array_add_element (array, number_or_null (value));
}
