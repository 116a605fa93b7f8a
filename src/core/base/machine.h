/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of this machine; new. */
char *tosst_machine_cpu (void);
char *tosst_machine_blas (void); /* the kernel of OpenBLAS in use, or another library */
char *tosst_machine_boot (void); /* another one each time the system starts */

G_END_DECLS
