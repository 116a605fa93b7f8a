/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

/* Prints help to standard output, from the tables of commands and parameters. */
void cli_help_program (const CliCommand *const *commands, guint n);
void cli_help_command (const CliCommand *command);
void cli_help_parameter (const TosstParameter *parameter);
