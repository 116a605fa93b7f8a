/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Name of a temporary file in folder: ".tosst-", 16 hexadecimal digits, ".tmp". New. */
char *tosst_atomic_temporary_name (const char *folder);

/* Removes temporary files of killed programs from a folder. Runs once per process and folder; later calls do
 * nothing. */
void tosst_atomic_remove_stale (const char *folder);

G_END_DECLS
