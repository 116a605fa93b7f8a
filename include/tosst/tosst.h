/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of the engine.
 */
#pragma once

#include "tosst/code.h"
#include "tosst/context.h"
#include "tosst/describe.h"
#include "tosst/dictionary.h"
#include "tosst/fisher.h"
#include "tosst/frames.h"
#include "tosst/kernel.h"
#include "tosst/learn.h"
#include "tosst/local.h"
#include "tosst/macros.h"
#include "tosst/pool.h"
#include "tosst/ranks.h"
#include "tosst/svm.h"
#include "tosst/tensor.h"
#include "tosst/texture.h"
