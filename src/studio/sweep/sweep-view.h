/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/project.h"

/* Many runs of the window's recipe: what varies, doing them, and what came out as table and pictures.
 *
 * Signals: "edited": what varies has changed; "toast" (const char *sentence); "open-run" (StudioSweepRow *): it is to
 * be shown in Results; "run-again" (StudioSweepRow *): its recipe is the window's now, and is to be run.
 * Actions: sweep.start, pause, stop, retry, clear, open, use, again, star, hide, compare, copy-command,
 * copy-run-command; sweep.example (s: "lambda", "atoms" or "scheme"); sweep.export-KIND-as, and sweep.export (ss: KIND
 * and path) with KIND table, picture, recipe or run. */
#define STUDIO_TYPE_SWEEP_VIEW (studio_sweep_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepView, studio_sweep_view, STUDIO, SWEEP_VIEW, AdwBin)

/* Once. No sweep can begin while an ordinary run is under way. */
void studio_sweep_view_set_project (StudioSweepView *self, StudioProject *project);

/* The axes of sweep, and its recipe for the window, as one step that can be undone; go_on: its missing
 * runs are begun as soon as it is planned. Not while a sweep goes on. */
void studio_sweep_view_take (StudioSweepView *self, const TosstSweep *sweep, gboolean go_on);
/* The same from a file, with what varies in sight. FALSE, and nothing is taken, with a sentence where it makes no sense,
 * cannot be shown, or a sweep goes on. */
gboolean studio_sweep_view_open (StudioSweepView *self, const TosstSweep *sweep, GError **error);
void studio_sweep_view_begin (StudioSweepView *self);      /* its missing runs, as soon as it is planned */
gboolean studio_sweep_view_varies (StudioSweepView *self); /* there are axes */
/* What is edited, as text, new; NULL: nothing varies. And begun with again, which cannot be undone. */
char *studio_sweep_view_get_text (StudioSweepView *self);
void studio_sweep_view_restore (StudioSweepView *self, const char *text);

/* How many runs at once. */
int studio_sweep_view_get_jobs (StudioSweepView *self);
void studio_sweep_view_set_jobs (StudioSweepView *self, int jobs);

/* kind is "table", "picture", "recipe" or "run". */
gboolean studio_sweep_view_can_export (StudioSweepView *self, const char *kind);
void studio_sweep_view_export (StudioSweepView *self, const char *kind, GFile *file);
void studio_sweep_view_export_dialog (StudioSweepView *self, const char *kind);
