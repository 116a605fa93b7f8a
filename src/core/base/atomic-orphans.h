/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* ".tosst-" and 16 hexadecimal digits and ".tmp": a temporary file that has a name. New, in this folder. */
char *tosst_atomic_temporary_name (const char *folder);

/* Removes temporary files that programs which were killed have left in a folder; the first time that this program writes
 * there, later calls do nothing. */
void tosst_atomic_remove_orphans (const char *folder);

G_END_DECLS
