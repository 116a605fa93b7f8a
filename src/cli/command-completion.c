/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "cli/completion.h"
#include "core/method/methods.h"
#include "core/preset/preset.h"

static const struct
{
  const char *shell;
  char *(*script) (void);
} shells[] = { { "bash", cli_completion_bash }, { "fish", cli_completion_fish }, { "zsh", cli_completion_zsh } };

static GStrv
preset_names (void)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (TosstPreset preset = 0; preset < TOSST_N_PRESETS; preset++)
    g_strv_builder_add (names, tosst_preset_name (preset));
  return g_strv_builder_end (names);
}

static GStrv
method_names (void)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  guint n;
  const TosstMethod *method = tosst_methods (&n);

  for (guint i = 0; i < n; i++)
    g_strv_builder_add (names, method[i].name);
  return g_strv_builder_end (names);
}

/* Of a word of usage lines: "D.npz", "FILE.csv", "FOLDER", "KEY=VALUE", "N". */
static CliValue
value_of_word (const char *word)
{
  CliValue value = { CLI_VALUE_OTHER };

  if (strcmp (word, "KEY=VALUE") == 0)
    value.kind = CLI_VALUE_SETTING;
  else if (strcmp (word, "KEY") == 0)
    value.kind = CLI_VALUE_KEY;
  else if (strcmp (word, "FOLDER") == 0 || strcmp (word, "DIR") == 0)
    value.kind = CLI_VALUE_FOLDER;
  else if (strstr (word, "FILE") || strstr (word, "IMAGE") || strstr (word, "RECIPE") || strcmp (word, "OUT") == 0
           || (strchr (word, '.') && !strstr (word, "..")))
    {
      value.kind = CLI_VALUE_FILE;
      const char *point = strchr (word, '.');

      /* Not of "IMAGE...", nor of a choice. */
      if (point && g_ascii_isalpha (point[1]) && !strchr (word, '|'))
        value.suffix = g_strdup (point);
    }
  return value;
}

CliValue
cli_value_of_option (const CliOption *option)
{
  if (strcmp (option->name, "preset") == 0)
    return (CliValue){ CLI_VALUE_WORDS, preset_names () };
  if (strcmp (option->name, "methods") == 0)
    return (CliValue){ CLI_VALUE_WORDS, method_names () };
  return value_of_word (option->argument);
}

/* Operands in small letters stand for themselves: "table1|fig1a". */
CliValue
cli_value_of_operands (const CliCommand *command)
{
  if (!command->operands[0])
    return (CliValue){ CLI_VALUE_OTHER };
  if (g_ascii_islower (command->operands[0]))
    return (CliValue){ CLI_VALUE_WORDS, g_strsplit (command->operands, "|", -1) };
  g_auto (GStrv) words = g_strsplit_set (command->operands, "[]", -1);

  return value_of_word (words[0][0] ? words[0] : words[1]);
}

void
cli_value_clear (CliValue *self)
{
  g_clear_pointer (&self->words, g_strfreev);
  g_clear_pointer (&self->suffix, g_free);
}

GStrv
cli_value_of_parameter (const TosstParameter *parameter)
{
  static const char *const onoff[] = { "true", "false", NULL };

  if (parameter->choices)
    return g_strdupv ((GStrv)parameter->choices);
  return parameter->type == TOSST_PARAMETER_BOOLEAN ? g_strdupv ((GStrv)onoff) : NULL;
}

gboolean
cli_value_is_path (const TosstParameter *parameter)
{
  static const char *const paths[] = { "path", "additions", "folder", NULL };

  return parameter->type == TOSST_PARAMETER_TEXT && g_strv_contains (paths, parameter->key);
}

static gboolean
run (CliCall *call, GError **error)
{
  const char *shell = cli_call_operand (call, 0);

  for (guint i = 0; i < G_N_ELEMENTS (shells); i++)
    if (strcmp (shells[i].shell, shell) == 0)
      {
        g_autofree char *script = shells[i].script ();

        fputs (script, stdout);
        return TRUE;
      }
  return cli_usage_error (error, _ ("there is no completion for “%s”; the shells are bash, fish and zsh"), shell);
}

static const CliOption options[] = { { NULL } };

const CliCommand cli_completion = {
  "completion", "bash|fish|zsh", N_ ("Print a script with which a shell completes command lines"), options, NULL, 1, 1,
  run
};
