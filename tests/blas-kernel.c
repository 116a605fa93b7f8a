/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linked into every test program: chooses the BLAS kernel before main(), as the programs do.
 */
#include <stdlib.h>

#include "tosst/context.h"

static void __attribute__ ((constructor)) choose_kernel (void)
{
  tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE));
}
