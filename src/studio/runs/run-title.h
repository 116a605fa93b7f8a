/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/run-list.h"

/* What the user wrote about a run of a store: its name, tags and note, with a button that edits them. Hidden without a
 * run, and until the run was read. */
#define STUDIO_TYPE_RUN_TITLE (studio_run_title_get_type ())
G_DECLARE_FINAL_TYPE (StudioRunTitle, studio_run_title, STUDIO, RUN_TITLE, AdwBin)

void studio_run_title_set_run (StudioRunTitle *self, GFile *store, gint64 run); /* 0: none; then store may be NULL */
