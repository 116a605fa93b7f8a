/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion in fish.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "cli/completion.h"

/* In single quotes, where fish knows two escapes. */
static char *
quoted (const char *text)
{
  GString *result = g_string_new ("'");

  for (; *text; text++)
    {
      if (*text == '\'' || *text == '\\')
        g_string_append_c (result, '\\');
      g_string_append_c (result, *text);
    }
  return g_string_free (g_string_append_c (result, '\''), FALSE);
}

static void
append_parameters (GString *text)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  g_string_append (text, "function __tosst_keys\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = quoted (_ (p[i].label));

      g_string_append_printf (text, "  printf '%%s\\t%%s\\n' \"%s.%s$argv\" %s\n", p[i].group, p[i].key, label);
    }
  g_string_append (text, "end\n\n# KEY=VALUE\nfunction __tosst_settings\n"
                         "  set -l key (string split -m 1 = -- (commandline -ct))[1]\n  switch \"$key\"\n");
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) words = cli_value_of_parameter (&p[i]);

      if (!words && !cli_value_is_path (&p[i]))
        continue;
      g_string_append_printf (text, "    case %s.%s\n", p[i].group, p[i].key);
      if (!words)
        g_string_append (text, "      __fish_complete_path (string replace -r '^[^=]*=' '' -- (commandline -ct)) "
                               "| string replace -r '^' \"$key=\"\n");
      else
        {
          g_autofree char *joined = g_strjoinv (" ", words);

          g_string_append_printf (text, "      printf \"$key=%%s\\n\" %s\n", joined);
        }
    }
  g_string_append (text, "    case '*'\n      __tosst_keys =\n  end\nend\n\n");
}

static void
append_value (GString *text, const CliValue *value)
{
  if (value->kind == CLI_VALUE_WORDS)
    {
      g_autofree char *joined = g_strjoinv (" ", value->words);

      g_string_append_printf (text, " -x -a '%s'", joined);
    }
  else if (value->kind == CLI_VALUE_SETTING)
    g_string_append (text, " -x -a '(__tosst_settings)'");
  else if (value->kind == CLI_VALUE_KEY)
    g_string_append (text, " -x -a '(__tosst_keys)'");
  else if (value->kind == CLI_VALUE_FOLDER)
    g_string_append (text, " -x -a '(__fish_complete_directories)'");
  else if (value->kind == CLI_VALUE_FILE && value->suffix)
    g_string_append_printf (text, " -x -a '(__fish_complete_suffix %s)'", value->suffix);
  else if (value->kind == CLI_VALUE_FILE)
    g_string_append (text, " -r -F");
  else
    g_string_append (text, " -x");
}

static void
append_options (GString *text, const CliCommand *command, const CliOption *options)
{
  for (const CliOption *option = options; option && option->name; option++)
    {
      g_autofree char *help = quoted (_ (option->help));

      g_string_append_printf (text, "complete -c tosst -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                              option->name);
      if (option->letter)
        g_string_append_printf (text, " -s %c", option->letter);
      if (option->argument)
        {
          CliValue value = cli_value_of_option (option);

          append_value (text, &value);
          cli_value_clear (&value);
        }
      g_string_append_printf (text, " -d %s\n", help);
    }
}

static void
append_command (GString *text, const CliCommand *command)
{
  g_autofree char *summary = quoted (_ (command->summary));
  CliValue operands = cli_value_of_operands (command);

  g_string_append_printf (text, "\ncomplete -c tosst -n __fish_use_subcommand -a %s -d %s\n", command->name, summary);
  g_string_append_printf (text, "complete -c tosst -n '__fish_seen_subcommand_from help' -a %s -d %s\n", command->name,
                          summary);
  append_options (text, command, command->options);
  append_options (text, command, cli_common_options);
  if (operands.kind != CLI_VALUE_OTHER)
    {
      g_string_append_printf (text, "complete -c tosst -n '__fish_seen_subcommand_from %s'", command->name);
      append_value (text, &operands);
      g_string_append_c (text, '\n');
    }
  cli_value_clear (&operands);
}

char *
cli_completion_fish (void)
{
  GString *text = g_string_new ("# fish completion of tosst; written by “tosst completion fish”\n\n");
  g_autofree char *summary = quoted (_ ("Show this help or the help of a command"));

  append_parameters (text);
  g_string_append (text, "complete -c tosst -f\n"
                         "complete -c tosst -n __fish_use_subcommand -l help -s h\n"
                         "complete -c tosst -n __fish_use_subcommand -l version\n");
  g_string_append_printf (text, "complete -c tosst -n __fish_use_subcommand -a help -d %s\n", summary);
  for (const CliCommand *const *command = cli_commands; *command; command++)
    append_command (text, *command);
  return g_string_free (text, FALSE);
}
