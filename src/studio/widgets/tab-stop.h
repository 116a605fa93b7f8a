/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

/* A container of a list with a single stop of the Tab key, at the row that was focused last; arrow keys move between
 * rows. */
#define STUDIO_TYPE_TAB_STOP (studio_tab_stop_get_type ())
G_DECLARE_FINAL_TYPE (StudioTabStop, studio_tab_stop, STUDIO, TAB_STOP, AdwBin)
