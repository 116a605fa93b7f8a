/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/inspect/code-session.h"

/* A code and its reconstruction of the tensor: slices side by side, a film strip of all of them, numbers, stems.
 * Signal: "atom-chosen" (int atom) when a stem is clicked. */
#define STUDIO_TYPE_CODE_PANEL (studio_code_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioCodePanel, studio_code_panel, STUDIO, CODE_PANEL, AdwBin)

void studio_code_panel_set_code (StudioCodePanel *self, StudioCode *code); /* NULL: none */
StudioCode *studio_code_panel_get_code (StudioCodePanel *self);
void studio_code_panel_set_groups (StudioCodePanel *self, GArray *groups); /* of TosstFeatureGroup, or NULL */
GArray *studio_code_panel_get_groups (StudioCodePanel *self);
int studio_code_panel_get_slice (StudioCodePanel *self);

/* Its figures in one line, translated: new. */
char *studio_code_facts (const StudioCode *code);
