/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/features.h"

#define TOSST_MAX_FEATURES 9

/* Scalar feature of equation (8) and its RBF domain. */
typedef struct
{
  const char *name;
  double low, high, sigma;
} TosstFeature;

/* Lists the scalar features selected by the options in the order of equation (8); the first two are the position.
 * list: up to TOSST_MAX_FEATURES elements. Returns their number. */
int tosst_feature_list (const TosstFeatureOptions *options, TosstFeature *list);
