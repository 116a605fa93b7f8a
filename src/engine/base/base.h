/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What most files of the engine use: the standard library, memory, sums over vectors, and BLAS.
 */
#pragma once

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/base/memory.h"
#include "engine/base/vector.h"
