/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion in bash. The script needs no package of helpers. Bash takes the “=” of KEY=VALUE for a word of its own
 * unless COMP_WORDBREAKS says otherwise, so that both ways are read.
 */
#include "config.h"

#include "cli/completion.h"

static const char head[]
    = "# bash completion of tosst; written by “tosst completion bash”\n"
      "\n"
      "_tosst_words ()\n"
      "{\n"
      "  mapfile -t COMPREPLY < <(compgen -P \"$2\" -W \"$1\" -- \"$current\")\n"
      "}\n"
      "\n"
      "# Files of a suffix, or all, and folders to go through.\n"
      "_tosst_files ()\n"
      "{\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  if [[ -n $1 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -f -X \"!*$1\" -- \"$current\"; compgen -d -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "\n"
      "_tosst_folders ()\n"
      "{\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
      "}\n";

static const char setting[] = "\n"
                              "# KEY=VALUE, whose “=” is a word of its own, or is not.\n"
                              "_tosst_setting ()\n"
                              "{\n"
                              "  local key before=\n"
                              "  if [[ $current == *=* ]]; then\n"
                              "    key=${current%%=*} before=$key= current=${current#*=}\n"
                              "    _tosst_value \"$key\" \"$before\"\n"
                              "  else\n"
                              "    compopt -o nospace 2>/dev/null\n"
                              "    mapfile -t COMPREPLY < <(compgen -S = -W \"$_tosst_keys\" -- \"$current\")\n"
                              "  fi\n"
                              "}\n";

static const char body[]
    = "\n"
      "_tosst ()\n"
      "{\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac\n"
      "  done\n"
      "  if [[ $current == = && ${COMP_WORDS[COMP_CWORD-2]} == --set ]]; then\n"
      "    current=\n"
      "    _tosst_value \"$previous\"\n"
      "    return\n"
      "  elif [[ $previous == = && $COMP_CWORD -ge 4 && ${COMP_WORDS[COMP_CWORD-3]} == --set ]]; then\n"
      "    _tosst_value \"${COMP_WORDS[COMP_CWORD-2]}\"\n"
      "    return\n"
      "  fi\n";

static void
append_words (GString *text, GStrv words)
{
  g_autofree char *joined = g_strjoinv (" ", words);

  g_string_append_printf (text, "_tosst_words \"%s\"", joined);
}

static void
append_value (GString *text, const CliValue *value)
{
  if (value->kind == CLI_VALUE_WORDS)
    append_words (text, value->words);
  else if (value->kind == CLI_VALUE_SETTING)
    g_string_append (text, "_tosst_setting");
  else if (value->kind == CLI_VALUE_KEY)
    g_string_append (text, "_tosst_words \"$_tosst_keys\"");
  else if (value->kind == CLI_VALUE_FILE)
    g_string_append_printf (text, "_tosst_files %s", value->suffix ? value->suffix : "");
  else
    g_string_append (text, value->kind == CLI_VALUE_FOLDER ? "_tosst_folders" : ":");
}

static void
append_parameters (GString *text)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  g_string_append (text, "\n_tosst_keys=\"");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s.%s", i ? "\n" : "", p[i].group, p[i].key);
  g_string_append (text, "\"\n\n_tosst_value ()\n{\n  case $1 in\n");
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) words = cli_value_of_parameter (&p[i]);
      g_autofree char *joined = words ? g_strjoinv (" ", words) : NULL;

      if (joined)
        g_string_append_printf (text, "    %s.%s) _tosst_words \"%s\" \"$2\" ;;\n", p[i].group, p[i].key, joined);
      else if (cli_value_is_path (&p[i]))
        g_string_append_printf (text, "    %s.%s) [[ -n $2 ]] || _tosst_files ;;\n", p[i].group, p[i].key);
    }
  g_string_append (text, "  esac\n}\n");
}

/* Values of the option, as a branch for its long and its short name. */
static void
append_option_value (GString *text, const CliOption *option)
{
  CliValue value = cli_value_of_option (option);

  g_string_append_printf (text, "        --%s", option->name);
  if (option->letter)
    g_string_append_printf (text, "|-%c", option->letter);
  g_string_append (text, ") ");
  append_value (text, &value);
  g_string_append (text, "; return ;;\n");
  cli_value_clear (&value);
}

static void
append_options (GString *names, GString *values, const CliOption *options)
{
  for (const CliOption *option = options; option && option->name; option++)
    {
      if (option->letter)
        g_string_append_printf (names, "-%c ", option->letter);
      g_string_append_printf (names, "--%s ", option->name);
      if (option->argument)
        append_option_value (values, option);
    }
}

static void
append_command (GString *text, const CliCommand *command)
{
  g_autoptr (GString) names = g_string_new (NULL), values = g_string_new (NULL);
  CliValue operands = cli_value_of_operands (command);

  append_options (names, values, command->options);
  append_options (names, values, cli_common_options);
  g_string_append_printf (text, "    %s)\n      case $previous in\n%s      esac\n", command->name, values->str);
  g_string_append_printf (text, "      if [[ $current == -* ]]; then _tosst_words \"%s\"; else ",
                          g_strchomp (names->str));
  append_value (text, &operands);
  g_string_append (text, "; fi ;;\n");
  cli_value_clear (&operands);
}

char *
cli_completion_bash (void)
{
  GString *text = g_string_new (head);
  g_autoptr (GString) names = g_string_new ("help");

  append_parameters (text);
  g_string_append (text, setting);
  g_string_append (text, body);
  for (const CliCommand *const *command = cli_commands; *command; command++)
    g_string_append_printf (names, " %s", (*command)->name);
  g_string_append (text, "  case $command in\n");
  g_string_append_printf (text, "    \"\") _tosst_words \"%s --help --version\" ;;\n", names->str);
  g_string_append_printf (text, "    help) _tosst_words \"%s\" ;;\n", names->str);
  for (const CliCommand *const *command = cli_commands; *command; command++)
    append_command (text, *command);
  g_string_append (text, "  esac\n}\n\ncomplete -F _tosst tosst\n");
  return g_string_free (text, FALSE);
}
