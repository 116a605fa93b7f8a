/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One target (FUZZ_TARGET: its function) as a program of libFuzzer.
 */
#include "targets.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  FUZZ_TARGET (data, size);
  return 0;
}
