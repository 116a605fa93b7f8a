/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

gsize tosst_memory_available (
    void); /* bytes that can still be used without swapping: the machine's, or the control group's if less */
gsize tosst_memory_for_coding (void); /* the part of them that a coder may take; see tosst_coder_memory() */
double tosst_memory_peak_mb (void);   /* of this process so far, MiB */

/* Whether a folder's disk takes so many bytes and has some left for others. */
gboolean tosst_disk_has_room (GFile *folder, guint64 bytes);

G_END_DECLS
