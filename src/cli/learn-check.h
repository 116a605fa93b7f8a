/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "cli/learn-input.h"

/* Checks options and run for n tensors of the shape. */
gboolean cli_learn_check_options (const TosstLearnOptions *options, const TosstLearnRun *run, gsize n, TosstShape shape,
                                  GError **error);
/* Checks the memory, before the first allocation; the error states what is required. minibatch: NULL to learn from all
 * tensors at once. *bytes: of this process, without the tensors that a process alone has read. */
gboolean cli_learn_check_memory (CliCall *call, const CliLearnInput *input, const TosstLearnOptions *options,
                                 const TosstMinibatchOptions *minibatch, double *bytes, GError **error);
/* Seconds between checkpoints, of --checkpoint or by default; 0: none. */
gboolean cli_learn_parse_interval (CliCall *call, double *interval, GError **error);
