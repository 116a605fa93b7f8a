/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory of each process that learns from a file of tensors.
 */
#pragma once

#include <gio/gio.h>

#include "core/recipe/recipe.h"

/* Reads only the beginning of the file. threads: of a process. Fails as learning would: the recipe does not fit the
 * tensors, or its solver is not divided. */
gboolean tosst_job_learn_memory (const TosstRecipe *recipe, GFile *tensors, int processes, int threads, guint64 *bytes,
                                 GError **error);
