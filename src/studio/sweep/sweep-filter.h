/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/sweep-row.h"

/* Which runs of a sweep are wanted: conditions that must all hold, with commas between. A condition is KEY OP VALUE with
 * = != < <= > >= or ~ (contains), as in tosst runs --filter; KEY is a parameter (dictionary.atoms, atoms or its symbol),
 * accuracy, objective, seconds, state or reason. Words without an operator are looked for in all columns. */
typedef struct StudioSweepFilter StudioSweepFilter;

/* text is what the user typed; numbers in their locale or C. NULL with a sentence. plan may be NULL. */
StudioSweepFilter *studio_sweep_filter_new (const char *text, const TosstSweepPlan *plan, GError **error);
void studio_sweep_filter_free (StudioSweepFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepFilter, studio_sweep_filter_free)
gboolean studio_sweep_filter_is_empty (const StudioSweepFilter *self); /* every run matches */
gboolean studio_sweep_filter_match (const StudioSweepFilter *self, StudioSweepRow *row);
