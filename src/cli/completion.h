/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of command lines in shells: scripts made of the tables of commands and parameters.
 */
#pragma once

#include "cli/call.h"

/* What may follow an option, or stand for the operands of a command. */
typedef enum
{
  CLI_VALUE_OTHER,   /* a number, a text: nothing to offer */
  CLI_VALUE_WORDS,   /* one of a few words */
  CLI_VALUE_SETTING, /* KEY=VALUE of a parameter */
  CLI_VALUE_KEY,     /* KEY of a parameter */
  CLI_VALUE_FILE,    /* a file, perhaps of one suffix */
  CLI_VALUE_FOLDER,
} CliValueKind;

typedef struct
{
  CliValueKind kind;
  GStrv words;  /* of CLI_VALUE_WORDS, else NULL */
  char *suffix; /* of CLI_VALUE_FILE: ".npz"; NULL: any */
} CliValue;

/* Both return values to clear. */
CliValue cli_value_of_option (const CliOption *option);
CliValue cli_value_of_operands (const CliCommand *command);
void cli_value_clear (CliValue *self);

/* The words of a parameter's value; NULL for a number or a text. New. */
GStrv cli_value_of_parameter (const TosstParameter *parameter);
/* Whether the value of a parameter is the path of a file or a folder. */
gboolean cli_value_is_path (const TosstParameter *parameter);

/* Scripts, new. */
char *cli_completion_bash (void);
char *cli_completion_zsh (void);
char *cli_completion_fish (void);
