/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/pooling/pool.h"

/* Converts the sum or product of an atom to its pooled value; not for MAX and AT_N. */
double tosst_pool_value (TosstPoolKind kind, double p, double value, size_t n);
