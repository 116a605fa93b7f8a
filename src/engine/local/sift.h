/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/local.h"

#define TOSST_SIFT_CLAMP 0.2f

/* Filter and weights of bins of `bin` pixels. taps: 2 bin - 1; window: 16. */
void tosst_sift_filter (int bin, float *taps, float *window);

/* Turns a descriptor into RootSIFT. */
void tosst_sift_take_root (float *descriptor);
