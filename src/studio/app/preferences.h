/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

/* The window of the user's settings, over the active window; the one that is open already, if any. */
void studio_preferences_show (GtkApplication *application);
void studio_preferences_apply (void); /* light or dark windows, the disk; at the start of the program */
