/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What the user has set: the schema APP_ID, data/io.github.tosst.Studio.gschema.xml. Kept where the desktop keeps settings
 * (dconf); where it keeps none, in tosst-studio/settings.ini in the user's state folder. The program's own; NULL where not
 * even the schema that the program brings can be read: then defaults hold. Main thread. */
GSettings *studio_settings_get (void);

G_END_DECLS
