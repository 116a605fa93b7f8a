/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of projections and random atoms.
 */
#pragma once

/* project.c: the interior point method */
#define WHOLE_GAP 1e-13         /* an iterate is accepted if gap and residual are below this part of 1 + ||x - y||^2 */
#define WHOLE_ROUNDING_GAP 1e-9 /* the same where rounding has prevented a decrease by half in three steps */
/* A tensor is inside the set if its slices are PSD with this on their diagonals: rounding of a unit trace. */
#define WHOLE_ROUNDING 1e-14
#define WHOLE_NEARLY 0.98 /* part of the distance to the boundary at which steps end */
#define WHOLE_STEPS 60    /* steps at most; 10 to 20 are taken for any tensor */

/* dictionary.c */
#define MOST_DRAWS 100 /* draws in a row with a zero projection before drawing fails; documented in random.h */
