/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/describe.h"

#define TOSST_LBP_LENGTH (10 + 18 + 26)
#define TOSST_LBP_SIDE 7

#define TOSST_CHANNELS 16
#define TOSST_CHANNELS_SIDE 4

/* Rows of the matrix: channels, and one of their means. */
#define TOSST_INVARIANT_SIZE 31

/* grey: height x width, contiguous. */
TosstStatus tosst_lbp (const double *grey, int width, int height, float *histogram);
TosstStatus tosst_image_covariance (const double *grey, int width, int height, float *out);
TosstStatus tosst_invariant_covariance (const double *grey, int width, int height, float *out);
