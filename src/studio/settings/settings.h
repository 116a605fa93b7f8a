/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The user's settings: the schema APP_ID, data/io.github.tosst.Studio.gschema.xml. Stored in the settings of the
 * desktop (dconf), or without these in tosst-studio/settings.ini in the user's state folder. Owned by the program; NULL
 * if even the built-in schema cannot be read: then defaults apply. Main thread. */
GSettings *studio_settings_get (void);

G_END_DECLS
