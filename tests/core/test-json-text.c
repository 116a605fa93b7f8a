/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is taken for JSON and what is not, before JSON-GLib sees it.
 */
#include <string.h>

#include "core/base/json-text.h"

/* n times begin, then middle, then n times end; new. */
static char *
nested (const char *begin, const char *middle, const char *end, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, begin);
  g_string_append (text, middle);
  for (guint i = 0; i < n; i++)
    g_string_append (text, end);
  return g_string_free (text, FALSE);
}

static gboolean
is_read (const char *text)
{
  g_autoptr (JsonNode) node = tosst_json_read (text, strlen (text));

  return node != NULL;
}

static void
test_nested (void)
{
  static const char *const kinds[][3] = { { "[", "1", "]" }, { "{\"a\":", "null", "}" }, { "[", "", "]" } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *most = nested (kinds[i][0], kinds[i][1], kinds[i][2], TOSST_JSON_MOST_NESTED);
      g_autofree char *more = nested (kinds[i][0], kinds[i][1], kinds[i][2], TOSST_JSON_MOST_NESTED + 1);
      g_autofree char *many = nested (kinds[i][0], kinds[i][1], kinds[i][2], 200000);
      g_autofree char *open = nested (kinds[i][0], "", "", 200000);

      g_assert_true (is_read (most));
      g_assert_false (is_read (more));
      g_assert_false (is_read (many));
      g_assert_false (is_read (open));
    }
}

/* No text hides brackets from the counter. */
static void
test_hidden (void)
{
  static const char *const hiding[]
      = { "/* \" */%s", "// \"\n%s", "# \"\n%s", "['\"',%s]", "[\"\\\\\",%s]", "var x = \"\"\n%s", "[\"a\",%s]" };
  g_autofree char *many = nested ("[", "", "]", 200000);

  for (guint i = 0; i < G_N_ELEMENTS (hiding); i++)
    {
      g_auto (GStrv) parts = g_strsplit (hiding[i], "%s", 2);
      g_autofree char *text = g_strjoinv (many, parts);

      g_assert_false (is_read (text));
    }
}

static void
test_read (void)
{
  static const char text[] = "{\"k\": [1, -2.5e+3, true, \"]]]\\\"[[[{\", null]}\n";
  g_autofree char *brackets = nested ("[", "", "", 1000), *quoted = g_strdup_printf ("[\"%s\"]", brackets);
  g_autoptr (JsonNode) node = tosst_json_read (text, strlen (text));
  JsonArray *array;

  g_assert_nonnull (node);
  array = json_object_get_array_member (json_node_get_object (node), "k");
  g_assert_cmpuint (json_array_get_length (array), ==, 5);
  g_assert_cmpfloat (json_array_get_double_element (array, 1), ==, -2500);
  g_assert_cmpstr (json_array_get_string_element (array, 3), ==, "]]]\"[[[{");
  g_assert_true (is_read (quoted));
}

static void
test_refused (void)
{
  static const char *const texts[]
      = { "", " ", "]", "[", "[1", "\"", "\"a", "\"a\\", "{", "{\"a\"}", "{\"a\":}", "a", "[}", "\xff", "[\"\xff\"]" };
  g_autofree char *large = g_malloc (TOSST_JSON_MAX_BYTES + 2);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (is_read (texts[i]))
      g_error ("“%s” was read", texts[i]);
  g_assert_null (tosst_json_read ("[1]\0[[[", 7));
  g_assert_null (tosst_json_read ("[\"a\0\"]", 6));
  memset (large, ' ', TOSST_JSON_MAX_BYTES + 2);
  large[0] = '1';
  large[TOSST_JSON_MAX_BYTES + 1] = '\0';
  g_assert_false (is_read (large));
}

/* Numbers written by JSON-GLib can be read, and texts are unchanged. */
static void
test_written (void)
{
  static const double numbers[] = { 1e-10, -1e22, 1e300, 0.1, 3, -0.0, 1e-7, 1e16, 1.5e308, 5e-324 };
  static const char *const texts[] = { "1e-10.0", "a\"1e5.0\\", "", "e.0" };
  g_autoptr (JsonNode) root = json_node_alloc ();
  g_autoptr (JsonArray) array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_array_add_double_element (array, numbers[i]);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    json_array_add_string_element (array, texts[i]);
  json_array_add_boolean_element (array, TRUE);
  json_node_init_array (root, array);
  for (int pretty = 0; pretty < 2; pretty++)
    {
      g_autofree char *text = tosst_json_write (root, pretty);
      g_autoptr (JsonNode) same = tosst_json_read (text, strlen (text));
      JsonArray *values;

      g_assert_nonnull (same);
      g_assert_nonnull (strstr (text, "1e-10,"));
      values = json_node_get_array (same);
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        g_assert_cmpfloat (json_array_get_double_element (values, i), ==, numbers[i]);
      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        g_assert_cmpstr (json_array_get_string_element (values, G_N_ELEMENTS (numbers) + i), ==, texts[i]);
      g_assert_true (json_array_get_boolean_element (values, G_N_ELEMENTS (numbers) + G_N_ELEMENTS (texts)));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-text/nested", test_nested);
  g_test_add_func ("/json-text/hidden", test_hidden);
  g_test_add_func ("/json-text/read", test_read);
  g_test_add_func ("/json-text/refused", test_refused);
  g_test_add_func ("/json-text/written", test_written);
  return g_test_run ();
}
