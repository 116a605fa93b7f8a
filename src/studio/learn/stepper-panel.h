/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/stepper.h"

/* The blocks done, each with its changes, and the buttons for the next block and for undoing. */
#define STUDIO_TYPE_STEPPER_PANEL (studio_stepper_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioStepperPanel, studio_stepper_panel, STUDIO, STEPPER_PANEL, AdwBin)

void studio_stepper_panel_set_stepper (StudioStepperPanel *self, StudioStepper *stepper); /* once */
