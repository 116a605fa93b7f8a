/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/pooling/pool.h"

/* From the sum or product of an atom to its number; not for MAX and AT_N. */
double tosst_pool_value (TosstPoolKind kind, double p, double value, size_t n);
