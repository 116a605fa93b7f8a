/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/run-list.h"

/* Presents a dialog over the window of parent, to edit name, tags and note of a run. Nothing is changed until it is
 * saved. Returns the dialog, which owns itself. */
GtkWidget *studio_run_editor_present (GtkWidget *parent, StudioRunList *list, StudioRunRow *row);
