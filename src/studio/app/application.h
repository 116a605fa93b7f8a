/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

/* The program: options, shortcuts, about. */
#define STUDIO_TYPE_APPLICATION (studio_application_get_type ())
G_DECLARE_FINAL_TYPE (StudioApplication, studio_application, STUDIO, APPLICATION, AdwApplication)

StudioApplication *studio_application_new (GApplicationFlags flags); /* in addition to the required ones */
/* Whether another instance was to open the arguments; valid also after g_application_run(). */
gboolean studio_application_was_remote (StudioApplication *self);
