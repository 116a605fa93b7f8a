/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

extern const CliCommand cli_describe, cli_learn, cli_code, cli_classify, cli_predict, cli_export, cli_rank,
    cli_sparsify, cli_recipe, cli_report, cli_reproduce, cli_runs, cli_sweep, cli_textures, cli_doctor;
