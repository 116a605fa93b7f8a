/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/call.h"
#include "core/base/base.h"
#include "core/formula/formula.h"

#define WIDTH 80
#define INDENT 26

void
cli_help_program (const CliCommand *const *commands)
{
  printf ("%s\n\n%s\n\n", _ ("Usage: tosst COMMAND [OPERAND...] [OPTION...]"),
          _ ("Learns dictionaries of third-order super-symmetric tensors from textures."));
  puts (_ ("Commands:"));
  for (; *commands; commands++)
    printf ("  %-10s %s\n", (*commands)->name, _ ((*commands)->summary));
  printf ("  %-10s %s\n\n", "help", _ ("Show this help or the help of a command"));
  puts (
      _ ("“tosst COMMAND --help” lists the options of a command; “tosst recipe --explain KEY” explains a parameter."));
  puts (_ ("Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."));
}

static void
print_option (const CliOption *option)
{
  g_autoptr (GString) left = g_string_new (NULL);

  if (option->letter)
    g_string_append_printf (left, "-%c, ", option->letter);
  g_string_append_printf (left, "--%s", option->name);
  if (option->argument)
    g_string_append_printf (left, " %s", option->argument);
  printf ("  %-*s %s\n", INDENT - 3, left->str, _ (option->help));
}

void
cli_help_command (const CliCommand *command)
{
  g_autofree char *usage = g_strchomp (g_strjoin (" ", command->name, command->operands, NULL));

  printf (_ ("Usage: tosst %s [OPTION...]"), usage);
  printf ("\n\n%s\n\n%s\n", _ (command->summary), _ ("Options:"));
  for (const CliOption *o = command->options; o && o->name; o++)
    print_option (o);
  for (const CliOption *o = cli_common_options; o->name; o++)
    print_option (o);
  if (!command->groups)
    return;
  printf ("\n%s\n", _ ("Parameters for --set and recipes, with their defaults:"));
  for (const char *const *group = command->groups; *group; group++)

    {
      printf ("\n[%s]\n", *group);
      for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
        if (strcmp (p->group, *group) == 0)
          {
            g_autofree char *choices = p->choices ? g_strjoinv (" | ", (char **)p->choices) : NULL;
            g_autofree char *left = g_strdup_printf ("%s=%s", p->name, p->default_text);

            printf ("  %-34s %s%s%s%s%s\n", left, _ (p->label), p->symbol ? ", " : "", p->symbol ? p->symbol : "",
                    choices ? ": " : "", choices ? choices : "");
          }
    }
}

/* Appends text, wrapped at the right margin. */
static void
print_wrapped (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = 0;

  for (char **word = words; *word; word++)
    {
      glong length = g_utf8_strlen (*word, -1);

      if (column > 0 && column + 1 + length > WIDTH)
        {
          putchar ('\n');
          column = 0;
        }
      printf ("%s%s", column > 0 ? " " : "", *word);
      column += length + (column > 0);
    }
  putchar ('\n');
}

static void
print_field (const char *label, const char *text)
{
  if (!text)
    return;
  g_autofree char *line = g_strdup_printf ("%s %s", label, text);
  print_wrapped (line);
}

/* "0 to 10000 px, or inf"; NULL without a range. */
static char *
range_text (const TosstParameter *p)
{
  char low[32], high[32];

  if (p->choices)
    return g_strjoinv (", ", (char **)p->choices);
  if (p->type == TOSST_PARAMETER_BOOLEAN)
    return g_strdup ("true, false");
  if (p->type != TOSST_PARAMETER_INTEGER && p->type != TOSST_PARAMETER_REAL)
    return NULL;
  g_ascii_formatd (low, sizeof low, "%.9g", p->minimum);
  g_ascii_formatd (high, sizeof high, "%.9g", p->maximum);
  return g_strdup_printf (_ ("%s to %s%s%s%s"), low, high, p->unit ? " " : "", p->unit ? _ (p->unit) : "",
                          p->allow_infinite ? _ (", or inf") : "");
}

void
cli_help_parameter (const TosstParameter *p)
{
  g_autofree char *range = range_text (p);

  printf ("%s: %s%s%s\n", p->name, _ (p->label), p->symbol ? ", " : "", p->symbol ? p->symbol : "");
  print_wrapped (_ (p->help));

  g_autoptr (TosstFormula) formula = p->formula ? tosst_formula_new (p->formula, NULL) : NULL;
  g_autofree char *text = formula ? tosst_formula_text (formula) : NULL;

  if (text)
    printf ("    %s%s%s\n", text, p->equation ? "    " : "", p->equation ? p->equation : "");

  gboolean number = p->type == TOSST_PARAMETER_INTEGER || p->type == TOSST_PARAMETER_REAL;
  gboolean onoff = p->type == TOSST_PARAMETER_BOOLEAN;

  print_field (number ? _ ("More:") : onoff ? _ ("On:") : _ ("Change:"), p->more ? _ (p->more) : NULL);
  print_field (number ? _ ("Less:") : onoff ? _ ("Off:") : _ ("Keep:"), p->less ? _ (p->less) : NULL);
  print_field (_ ("Default:"), p->default_text[0] ? p->default_text : _ ("(empty)"));
  print_field (_ ("Range:"), range);
  print_field (_ ("Typical:"), p->typical ? _ (p->typical) : NULL);
  print_field (_ ("Try:"), p->trial ? _ (p->trial) : NULL);
  print_field (_ ("Level:"), p->basic ? _ ("basic") : _ ("advanced"));
}
