/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/features.h"

/* Luminance of row y, and of the row nearest to it where there is none: width + 2 numbers, the first and the last pixel
 * being there twice. */
void tosst_luminance_row (const TosstImage *image, int y, double *out);

/* Equation (8) without the position for row y, feature by feature: as many times width numbers as the options ask for.
 * light: tosst_luminance_row() of rows y - 1, y and y + 1, one after the other. */
void tosst_feature_row (const TosstImage *image, const TosstFeatureOptions *options, int y, const double *light,
                        double *out);
