/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of the engine.
 */
#pragma once

#include "tosst/classify.h"
#include "tosst/code.h"
#include "tosst/context.h"
#include "tosst/describe.h"
#include "tosst/dictionary.h"
#include "tosst/learn.h"
#include "tosst/local.h"
#include "tosst/pool.h"
#include "tosst/ranks.h"
#include "tosst/tensor.h"
