/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A target in which every run is a finding, for check-status.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  (void)data;
  (void)size;
  abort ();
}
