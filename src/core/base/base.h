/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What most files of core and of the programs use: the standard library, errors, owned members, files that are written
 * at once, memory, and text that is safe to show.
 */
#pragma once

#include <gio/gio.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/base/text.h"
