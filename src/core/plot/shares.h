/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"

/* Shares of a whole, each as a bar with its name and its percentage, in the order in which they were added. */
typedef struct
{
  char *title, *note;
  GArray *shares;
} TosstShares;

TosstShares *tosst_shares_new (const char *title, const char *note);       /* copied; note: below the title, or NULL */
void tosst_shares_add (TosstShares *self, const char *name, double share); /* name: copied; share: 0 .. 1 */
void tosst_shares_free (TosstShares *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstShares, tosst_shares_free)

/* Draws into (0, 0, width, height), as the functions of chart.h. */
void tosst_draw_shares (cairo_t *cr, double width, double height, const TosstChartStyle *style,
                        const TosstShares *self);
char *tosst_shares_describe (const TosstShares *self); /* one translated sentence, new */
