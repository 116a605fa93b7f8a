/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion in zsh.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "cli/completion.h"

/* For single quotes, with a backslash before each of the special characters. */
static char *
escaped (const char *text, const char *special)
{
  GString *result = g_string_new (NULL);

  for (; *text; text++)
    if (*text == '\'')
      g_string_append (result, "'\\''");
    else
      {
        if (*text == '\\' || strchr (special, *text))
          g_string_append_c (result, '\\');
        g_string_append_c (result, *text);
      }
  return g_string_free (result, FALSE);
}

static void
append_parameters (GString *text)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  g_string_append (text, "_tosst_keys ()\n{\n  local -a keys=(\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = escaped (_ (p[i].label), ":");

      g_string_append_printf (text, "    '%s.%s:%s'\n", p[i].group, p[i].key, label);
    }
  g_string_append (text,
                   "  )\n  _describe -t parameters parameter keys \"$@\"\n}\n\n# KEY=VALUE\n_tosst_settings ()\n{\n"
                   "  if ! compset -P 1 '*='; then\n    _tosst_keys -S =\n    return\n  fi\n  case ${IPREFIX%=} in\n");
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) words = cli_value_of_parameter (&p[i]);
      g_autofree char *joined = words ? g_strjoinv (" ", words) : NULL;

      if (joined)
        g_string_append_printf (text, "    (*|)%s.%s) _values value %s ;;\n", p[i].group, p[i].key, joined);
      else if (cli_value_is_path (&p[i]))
        g_string_append_printf (text, "    (*|)%s.%s) _files ;;\n", p[i].group, p[i].key);
    }
  g_string_append (text, "  esac\n}\n");
}

/* The action of a specification of _arguments. */
static char *
action_of (const CliValue *value)
{
  if (value->kind == CLI_VALUE_WORDS)
    {
      g_autofree char *joined = g_strjoinv (" ", value->words);

      return g_strdup_printf ("(%s)", joined);
    }
  if (value->kind == CLI_VALUE_FILE && value->suffix)
    return g_strdup_printf ("_files -g \"*%s\"", value->suffix);
  return g_strdup (value->kind == CLI_VALUE_SETTING  ? "_tosst_settings"
                   : value->kind == CLI_VALUE_KEY    ? "_tosst_keys"
                   : value->kind == CLI_VALUE_FOLDER ? "_files -/"
                   : value->kind == CLI_VALUE_FILE   ? "_files"
                                                     : " ");
}

static void
append_options (GString *text, const CliOption *options)
{
  for (const CliOption *option = options; option && option->name; option++)
    {
      g_autofree char *help = escaped (_ (option->help), ":[]"), *argument = NULL;

      if (option->argument)
        {
          CliValue value = cli_value_of_option (option);
          g_autofree char *action = action_of (&value), *name = escaped (option->argument, ":");

          argument = g_strdup_printf (":%s:%s", name, action);
          cli_value_clear (&value);
        }
      /* --set may be repeated. */
      const char *again = g_strcmp0 (option->argument, "KEY=VALUE") == 0 ? "\\*" : "";

      g_string_append_printf (text, "        %s'--%s[%s]%s'", again, option->name, help, argument ? argument : "");
      if (option->letter)
        g_string_append_printf (text, " '-%c[%s]%s'", option->letter, help, argument ? argument : "");
      g_string_append (text, " \\\n");
    }
}

static void
append_command (GString *text, const CliCommand *command)
{
  CliValue operands = cli_value_of_operands (command);
  g_autofree char *action = action_of (&operands), *name = escaped (command->operands, ":");

  g_string_append_printf (text, "    %s)\n      _arguments \\\n", command->name);
  append_options (text, command->options);
  append_options (text, cli_common_options);
  if (operands.kind != CLI_VALUE_OTHER)
    g_string_append_printf (text, "        '*:%s:%s'\n", name, action);
  else
    g_string_append (text, "        && return\n");
  g_string_append (text, "      ;;\n");
  cli_value_clear (&operands);
}

char *
cli_completion_zsh (void)
{
  GString *text = g_string_new ("#compdef tosst\n# zsh completion of tosst; written by “tosst completion zsh”\n\n");
  g_autofree char *help = escaped (_ ("Show this help or the help of a command"), ":");

  append_parameters (text);
  g_string_append_printf (text, "\n_tosst_commands ()\n{\n  local -a commands=(\n    'help:%s'\n", help);
  for (const CliCommand *const *command = cli_commands; *command; command++)
    {
      g_autofree char *summary = escaped (_ ((*command)->summary), ":");

      g_string_append_printf (text, "    '%s:%s'\n", (*command)->name, summary);
    }
  g_string_append (text, "  )\n  _describe -t commands command commands\n}\n\n"
                         "_tosst ()\n{\n"
                         "  local curcontext=$curcontext state line\n"
                         "  local -A opt_args\n"
                         "  _arguments -C '(- *)'{-h,--help}'[Help]' '(- *)--version[Version]' \\\n"
                         "    '1:command:_tosst_commands' '*::argument:->argument' && return\n"
                         "  [[ $state == argument ]] || return\n"
                         "  case $words[1] in\n"
                         "    help) _arguments '1:command:_tosst_commands' ;;\n");
  for (const CliCommand *const *command = cli_commands; *command; command++)
    append_command (text, *command);
  g_string_append (text, "  esac\n}\n\n_tosst \"$@\"\n");
  return g_string_free (text, FALSE);
}
