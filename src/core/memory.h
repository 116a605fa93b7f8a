/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gsize  tosst_memory_available (void); /* bytes that can still be used without swapping: the machine's, or the control group's if less */
gsize  tosst_memory_for_coding (void); /* the part of them that a coder may take; see tosst_coder_memory() */
double tosst_memory_peak_mb (void);   /* of this process so far, MiB */

G_END_DECLS
