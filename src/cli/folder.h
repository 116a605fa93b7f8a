/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"

/* Commands that take a folder of images in place of a recipe. */

/* The row of --preset for the options of such a command. */
#define CLI_PRESET_OPTION                                                                                              \
  {                                                                                                                    \
    "preset", 0, "NAME",                                                                                               \
        N_ ("Values for the images at hand: quick, balanced (the default for a folder), best or tensors; --set "       \
            "changes them")                                                                                            \
  }

/* Whether an operand names a folder of images, or a table of labels, instead of a recipe. */
gboolean cli_is_folder (const char *operand);

/* The recipe of an operand (NULL: none): that of a file, or for a folder the preset of --preset and of its images, with
 * --set applied last. Says in one line on standard error what was chosen, unless --quiet. NULL with error. */
TosstRecipe *cli_folder_recipe (CliCall *call, const char *operand, GError **error);
