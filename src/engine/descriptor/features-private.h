/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "descriptor/features.h"

#define TOSST_MAX_FEATURES 9

/* One scalar feature of equation (8) and its RBF domain. */
typedef struct
{
  const char *name;
  double low, high, sigma;
} TosstFeature;

/* The scalar features that the options ask for, in the order of equation (8): the first two are the position. */
int tosst_feature_list (const TosstFeatureOptions *options, TosstFeature *list);

/* Equation (13) for u in [low, low + (pivots - 1) h], h the distance of pivots, s2 = sigma^2, q = exp (-2 h^2 / s2). */
void tosst_rbf_spread (double u, double low, double h, int pivots, double s2, double q, double *out);
