/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* A group of the table of parameters: one file parameters-GROUP.c each, joined in parameters.c. */

#include "core/recipe/recipe.h"

typedef struct
{
  const char *name, *label; /* as in files; N_() */
  const TosstParameter *rows;
  guint n;
} TosstParameterGroup;

extern const TosstParameterGroup tosst_parameters_dataset, tosst_parameters_descriptor, tosst_parameters_dictionary,
    tosst_parameters_coding, tosst_parameters_pooling, tosst_parameters_classifier;

#define ROW(group_, key_, field, type_, default_)                                                                      \
  .group = group_, .key = key_, .type = TOSST_PARAMETER_##type_, .offset = G_STRUCT_OFFSET (TosstRecipe, field),       \
  .default_text = default_
/* Those that a first run is about: shown without being asked for. */
#define BASIC .basic = TRUE
#define ADDED .added = TRUE
#define RANGE(low, high) .minimum = low, .maximum = high
#define LOG_RANGE(low, high) .minimum = low, .maximum = high, .logarithmic = TRUE
/* Tensors have a mean square norm of 1, and b of an atom a norm of 1: above 2 the codes of most tensors are zero. */
#define LAMBDA_DOUBT                                                                                                   \
  .doubtful = 2, .doubt = N_ ("So large a value leaves most codes without a non-zero; 10⁻⁴ to 10⁻¹ is typical.")
