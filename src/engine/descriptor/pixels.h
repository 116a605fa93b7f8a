/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/features.h"

/* Luminance of row y, or of the nearest row of the image. out: width + 2 values; the first and the last pixel are
 * repeated at the borders. */
void tosst_luminance_row (const TosstImage *image, int y, double *out);

/* Equation (8) without the position for row y. light: tosst_luminance_row() of rows y - 1, y and y + 1, contiguous.
 * out: features x width values, feature by feature, for the selected features. */
void tosst_feature_row (const TosstImage *image, const TosstFeatureOptions *options, int y, const double *light,
                        double *out);
