/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of command lines. The script of a shell (resources/completion) passes the words up to the cursor to
 * `tosst __complete`, which answers from the tables of commands and parameters: a word that may stand at the cursor and
 * its meaning, separated by a tab, in each line; or “:file SUFFIX” or “:folder” in one line, for the shell's own
 * completion of paths. Bash takes the “=” of KEY=VALUE for a word of its own unless COMP_WORDBREAKS says otherwise.
 */
#include "cli/call.h"
#include "core/base/base.h"
#include "core/method/methods.h"
#include "core/preset/preset.h"

/* The word at the cursor: "--set=" or "", and what is to be completed after it. */
typedef struct
{
  char *before;
  const char *begun;
} Current;

static void
offer (const Current *current, const char *word, const char *meaning)
{
  if (g_str_has_prefix (word, current->begun))
    printf ("%s%s\t%s\n", current->before, word, meaning);
}

static void
offer_parameters (const Current *current, const char *end)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *word = g_strdup_printf ("%s%s", p->name, end);

      offer (current, word, _ (p->label));
    }
}

static void
offer_settings (const Current *current)
{
  static const char *const onoff[] = { "true", "false", NULL }, *const paths[]
                                                                = { "path", "additions", "folder", NULL };
  const char *equals = strchr (current->begun, '=');
  g_autofree char *name = equals ? g_strndup (current->begun, (gsize)(equals - current->begun)) : NULL;
  const TosstParameter *p = equals ? tosst_parameter_find (name) : NULL;

  if (!equals)
    offer_parameters (current, "=");
  if (!p)
    return;
  if (p->type == TOSST_PARAMETER_TEXT && g_strv_contains (paths, p->key))
    printf (":file\n");
  for (const char *const *choice = p->type == TOSST_PARAMETER_BOOLEAN ? onoff : p->choices; choice && *choice; choice++)
    {
      g_autofree char *word = g_strdup_printf ("%s=%s", name, *choice);

      offer (current, word, "");
    }
}

/* By a word of usage lines: "D.npz", "FILE.csv", "FOLDER", "KEY=VALUE", "N". Small letters stand for themselves:
 * "table1|fig1a". */
static void
offer_argument (const Current *current, const char *argument)
{
  const char *point = strchr (argument, '.');

  if (g_ascii_islower (argument[0]))
    {
      g_auto (GStrv) words = g_strsplit (argument, "|", -1);

      for (char **word = words; *word; word++)
        offer (current, *word, "");
    }
  else if (strcmp (argument, "KEY=VALUE") == 0)
    offer_settings (current);
  else if (strcmp (argument, "KEY") == 0)
    offer_parameters (current, "");
  else if (strcmp (argument, "FOLDER") == 0 || strcmp (argument, "DIR") == 0)
    printf (":folder\n");
  /* No suffix of "IMAGE...", nor of a choice. */
  else if (point && g_ascii_isalpha (point[1]) && !strchr (argument, '|'))
    printf (":file %s\n", point);
  else if (strstr (argument, "FILE") || strstr (argument, "IMAGE") || strstr (argument, "RECIPE")
           || strcmp (argument, "OUT") == 0 || (point && !strstr (argument, "..")))
    printf (":file\n");
}

static void
offer_value (const Current *current, const CliOption *option)
{
  guint n;
  const TosstMethod *method = tosst_methods (&n);

  if (strcmp (option->name, "preset") == 0)
    for (TosstPreset preset = 0; preset < TOSST_N_PRESETS; preset++)
      {
        g_autofree char *title = tosst_preset_title (preset);

        if (tosst_preset_name (preset) != NULL)
          offer (current, tosst_preset_name (preset), title);
      }
  else if (strcmp (option->name, "methods") == 0)
    for (guint i = 0; i < n; i++)
      offer (current, method[i].name, _ (method[i].title));
  else
    offer_argument (current, option->argument);
}

static void
offer_options (const Current *current, const CliOption *options)
{
  for (const CliOption *option = options; option && option->name; option++)
    {
      g_autofree char *word = g_strconcat ("--", option->name, NULL);
      const char letter[] = { '-', option->letter, '\0' };

      offer (current, word, _ (option->help));
      if (option->letter)
        offer (current, letter, _ (option->help));
    }
}

/* words: those after the command. */
static void
complete_command (const CliCommand *command, int n, char **words)
{
  const char *last = words[n - 1], *equals = g_str_has_prefix (last, "--") ? strchr (last, '=') : NULL;
  const CliOption *option = equals || n > 1 ? cli_option_find (command, equals ? last : words[n - 2]) : NULL;
  g_autofree char *before = equals ? g_strndup (last, (gsize)(equals + 1 - last)) : g_strdup ("");
  Current current = { before, equals ? equals + 1 : last };

  if (option && option->argument)
    offer_value (&current, option);
  else if (last[0] == '-')
    {
      offer_options (&current, command->options);
      offer_options (&current, cli_common_options);
    }
  else
    {
      g_auto (GStrv) operands = g_strsplit_set (command->operands, "[]", -1);

      offer_argument (&current, operands[0] && !operands[0][0] && operands[1] ? operands[1] : command->operands);
    }
}

void
cli_complete (int n, char **words)
{
  Current current = { "", n > 0 ? words[n - 1] : "" };
  const CliCommand *command = NULL;
  int i = 0;

  while (i < n - 1 && words[i][0] == '-')
    i++;
  if (i < n - 1 && (command = cli_command_find (words[i])))
    complete_command (command, n - 1 - i, words + i + 1);
  else if (i >= n - 1 || strcmp (words[i], "help") == 0)
    {
      offer (&current, "help", _ ("Show this help or the help of a command"));
      for (const CliCommand *const *one = cli_commands; *one; one++)
        offer (&current, (*one)->name, _ ((*one)->summary));
    }
  if (i >= n - 1)
    {
      offer (&current, "--help", _ ("Show this help"));
      offer (&current, "--version", "");
    }
}

static gboolean
run (CliCall *call, GError **error)
{
  const char *shell = call->operand[0];
  g_autofree char *path = g_strconcat ("/io/github/tosst/cli/completion/", shell, NULL);
  g_autoptr (GBytes) script = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  if (script)
    return fputs (g_bytes_get_data (script, NULL), stdout) != EOF;
  return cli_usage_error (error, _ ("there is no completion for “%s”; the shells are bash, fish and zsh"), shell);
}

static const CliOption options[] = { { NULL } };

const CliCommand cli_completion = {
  "completion", "bash|fish|zsh", N_ ("Print a script with which a shell completes command lines"), options, NULL, 1, 1,
  run
};
