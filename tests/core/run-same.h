/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two runs of two splits and three classes have the same result, to the bit.
 */
#pragma once

#include "core/run/run.h"

static inline void
assert_same (const TosstRunResult *a, const TosstRunResult *b)
{
  g_assert_cmpint (a->splits, ==, 2);
  g_assert_cmpint (b->splits, ==, 2);
  for (int s = 0; s < 2; s++)
    {
      const TosstSplitResult *x = &a->split[s], *y = &b->split[s];

      g_assert_cmpfloat (x->accuracy, ==, y->accuracy);
      g_assert_cmpmem (&x->objective, 8, &y->objective, 8);
      g_assert_cmpmem (&x->relative_residual, 8, &y->relative_residual, 8);
      g_assert_cmpmem (&x->mean_nonzeros, 8, &y->mean_nonzeros, 8);
      g_assert_cmpmem (&x->worst_kkt, 8, &y->worst_kkt, 8);
      g_assert_cmpfloat (x->c, ==, y->c);
      g_assert_cmpmem (x->confusion, 9 * sizeof (int), y->confusion, 9 * sizeof (int));
    }
}
