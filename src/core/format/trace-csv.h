/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/learn.h"

/* Exports the iterations of learning as CSV with the columns iteration, seconds, objective, fit, proximity,
 * sparsity, mean_nonzeros, unused_atoms, worst_kkt (C locale). New. */
char *tosst_trace_to_csv (const TosstIteration *iterations, gsize n);
