/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/sweep/sweep.h"

G_BEGIN_DECLS

/* Values that an axis of a sweep begins with, about that of the recipe, as core/sweep.h reads axes; new. */
char *studio_sweep_axis_default (const TosstParameter *parameter, const TosstRecipe *recipe);

G_END_DECLS
