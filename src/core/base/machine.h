/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Incremented whenever a change of the program changes results by more than rounding. Part of the hash of a run. */
#define TOSST_NUMERICS 5

/* Model of the processor. New. */
char *tosst_machine_cpu (void);
char *tosst_machine_blas (void); /* kernel of OpenBLAS in use, or name of another library */
char *tosst_machine_boot (void); /* identifier that changes with each boot of the system */
