/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recipes as text: a GKeyFile, read line by line so that every error names its line. */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/input-file.h"
#include "core/recipe/recipe.h"

/* More than any recipe needs; a wrong file is not read as a whole. */
#define MAX_BYTES (1 << 20)

typedef struct
{
  const char *name; /* of the file, for messages */
  GKeyFile *values;
  GHashTable *seen; /* "group.key" */
  TosstRecipe *recipe;
  char *group;
  TosstSweepLineFunc sweep; /* receives the values of [sweep]; NULL: the group is an error */
  gpointer sweep_data;
} Reader;

static gboolean
fail_line (Reader *reader, guint line, const char *why, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s, line %u: %s"), reader->name, line, why);
}

static gboolean
read_group (Reader *reader, guint line, const char *text, GError **error)
{
  gsize length = strlen (text);
  const char *guess;
  g_autofree char *why = NULL;

  if (length < 3 || text[length - 1] != ']')
    return fail_line (reader, line, _ ("a group is written [name]"), error);
  g_free (reader->group);
  reader->group = g_strndup (text + 1, length - 2);
  if (strcmp (reader->group, SWEEP_GROUP) == 0)
    return reader->sweep
           || fail_line (reader, line, _ ("[sweep] is for tosst sweep; this command needs the recipe of one run"),
                         error);
  guess = tosst_parameter_guess_group (reader->group);
  if (guess && strcmp (guess, reader->group) == 0)
    return TRUE;
  why = guess ? g_strdup_printf (_ ("unknown group [%s]; did you mean [%s]?"), reader->group, guess)
              : g_strdup_printf (_ ("unknown group [%s]"), reader->group);
  return fail_line (reader, line, why, error);
}

static gboolean
take_value (Reader *reader, guint line, const char *key, const char *name, GError **error)
{
  gboolean sweeps = strcmp (reader->group, SWEEP_GROUP) == 0;
  g_autofree char *value = NULL;

  /* Values of [sweep] are split into lists by their own parser. */
  if (sweeps)
    value = g_key_file_get_value (reader->values, reader->group, key, error);
  else if (tosst_parameter_find (name))
    value = g_key_file_get_string (reader->values, reader->group, key, error);
  if (error && *error)
    return FALSE;
  return sweeps ? reader->sweep (key, line, value ? value : "", reader->sweep_data, error)
                : tosst_recipe_set (reader->recipe, name, value ? value : "", error);
}

static gboolean
read_line (Reader *reader, guint line, char *text, GError **error)
{
  g_strstrip (text);
  if (text[0] == '\0' || text[0] == '#')
    return TRUE;
  if (text[0] == '[')
    return read_group (reader, line, text, error);

  const char *equals = strchr (text, '=');
  g_autofree char *key = NULL, *name = NULL, *why = NULL;
  g_autoptr (GError) cause = NULL;

  if (!equals || equals == text)
    return fail_line (reader, line, _ ("expected key=value, [group] or a comment that begins with #"), error);
  if (!reader->group)
    return fail_line (reader, line, _ ("a value precedes the first [group]"), error);
  key = g_strstrip (g_strndup (text, equals - text));
  name = g_strdup_printf ("%s.%s", reader->group, key);
  if (g_hash_table_contains (reader->seen, name))
    {
      why = g_strdup_printf (_ ("%s is given twice"), name);
      return fail_line (reader, line, why, error);
    }
  if (!take_value (reader, line, key, name, &cause))
    return fail_line (reader, line, cause->message, error);
  g_hash_table_add (reader->seen, g_steal_pointer (&name));
  return TRUE;
}

/* Sets the values that determine defaults of others. Invalid ones are reported with their lines later. */
static void
set_first (Reader *reader)
{
  static const char *const first[][2] = { { "descriptor", "kind" }, { "coding", "method" } };

  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    {
      g_autofree char *value = g_key_file_get_string (reader->values, first[i][0], first[i][1], NULL);
      g_autofree char *name = g_strdup_printf ("%s.%s", first[i][0], first[i][1]);

      if (value)
        tosst_recipe_set (reader->recipe, name, value, NULL);
    }
}

TosstRecipe *
tosst_recipe_parse_sweep (const char *text, const char *name, TosstSweepLineFunc sweep, gpointer data, GError **error)
{
  g_autoptr (GKeyFile) values = g_key_file_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_auto (GStrv) lines = NULL;
  Reader reader
      = { .name = name, .values = values, .seen = seen, .recipe = recipe, .sweep = sweep, .sweep_data = data };
  gboolean ok = TRUE;

  if (!g_utf8_validate (text, -1, NULL))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s is not a recipe: it is not valid UTF-8 text"), name), NULL;
  /* Errors of GKeyFile are detected again below, with their line. */
  g_key_file_load_from_data (values, text, strlen (text), G_KEY_FILE_NONE, NULL);
  set_first (&reader);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] && ok; i++)
    ok = read_line (&reader, i + 1, lines[i], error);
  g_free (reader.group);
  return ok ? g_steal_pointer (&recipe) : NULL;
}

TosstRecipe *
tosst_recipe_parse (const char *text, const char *name, GError **error)
{
  return tosst_recipe_parse_sweep (text, name, NULL, NULL, error);
}

char *
tosst_recipe_read (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (GBytes) bytes = tosst_input_load (file, MAX_BYTES, error);
  const char *text;
  gsize length;

  if (!bytes)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  if (length == MAX_BYTES || (length > 0 && memchr (text, '\0', length)))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s is not a recipe"), name), NULL;
  return g_strndup (text, length);
}

TosstRecipe *
tosst_recipe_load (GFile *file, GError **error)
{
  g_return_val_if_fail (G_IS_FILE (file), NULL);

  g_autofree char *name = g_file_get_parse_name (file), *text = tosst_recipe_read (file, error);

  return text ? tosst_recipe_parse (text, name, error) : NULL;
}

char *
tosst_recipe_to_text (const TosstRecipe *recipe, gboolean only_changes)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    if (!only_changes
        || !tosst_recipe_is_default (recipe, &p[i])
        /* A path without a kind would imply another one. */
        || (p[i].offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind) && recipe->dataset.path))
      {
        g_autofree char *value = tosst_recipe_get (recipe, &p[i]);

        g_key_file_set_string (file, p[i].group, p[i].key, value);
      }
  return g_key_file_to_data (file, NULL, NULL);
}

char *
tosst_recipe_command (const TosstRecipe *recipe)
{
  GString *command = g_string_new ("tosst classify");
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = NULL, *pair = NULL, *quoted = NULL;
      gboolean plain;

      /* A command needs a recipe or at least one --set: without changes the data set is named. */
      if (tosst_recipe_is_default (recipe, &p[i]) && i > 0)
        continue;
      value = tosst_recipe_get (recipe, &p[i]);
      pair = g_strdup_printf ("%s.%s=%s", p[i].group, p[i].key, value);
      plain = strspn (pair, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=/+,-") == strlen (pair);
      quoted = g_shell_quote (pair);
      g_string_append_printf (command, " --set %s", plain ? pair : quoted);
    }
  return g_string_free (command, FALSE);
}
