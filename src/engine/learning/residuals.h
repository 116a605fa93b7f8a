/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of the residuals that residuals.c and residuals-rounded.c share.
 */
#pragma once

#include "engine/learning/state.h"

/* Some columns of Scc. */
void tosst_learning_mix (TosstLearning *self, size_t first, size_t count);

/* E for Sxc and Exc as they are. R and DD are used. */
TosstStatus tosst_learning_leave (TosstLearning *self);

/* residuals-rounded.c. Exc, E and R = Exc + E M' by products of floats, done set, unless what rounding spoils is more than a small part
 * of what the last pass gained. A_float then holds Scc. R, DK, DD, A_float and A_diagonal are used in any case. */
TosstStatus tosst_learning_round_residuals (TosstLearning *self, bool *done);
