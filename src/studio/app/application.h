/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* The program: options, shortcuts, about. */
#define STUDIO_TYPE_APPLICATION (studio_application_get_type ())
G_DECLARE_FINAL_TYPE (StudioApplication, studio_application, STUDIO, APPLICATION, AdwApplication)

StudioApplication *studio_application_new (GApplicationFlags flags); /* in addition to the required ones */

G_END_DECLS
