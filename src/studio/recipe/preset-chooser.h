/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/preset/preset.h"

/* The preset of a recipe as two choices: its method, and its effort with the estimated time of each. Signals: "chosen"
 * (guint preset); "opened": the efforts were opened, and show the times that studio_preset_chooser_set_time() is given.
 */
#define STUDIO_TYPE_PRESET_CHOOSER (studio_preset_chooser_get_type ())
G_DECLARE_FINAL_TYPE (StudioPresetChooser, studio_preset_chooser, STUDIO, PRESET_CHOOSER, AdwBin)

/* preset: TOSST_N_PRESETS: none of them. learns: the recipe has a dictionary. sentence: what was chosen by the images, or
 * NULL. */
void studio_preset_chooser_show (StudioPresetChooser *self, TosstPreset preset, gboolean changed, gboolean learns,
                                 const char *sentence);
void studio_preset_chooser_set_time (StudioPresetChooser *self, TosstPreset preset, double seconds); /* NAN: unknown */
const char *studio_preset_chooser_get_time (StudioPresetChooser *self, int effort); /* as it is shown */
