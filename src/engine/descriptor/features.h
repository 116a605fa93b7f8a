/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/context.h"
#include "engine/image/image.h"

typedef enum
{
  TOSST_FEATURES_LINEAR, /* the values of equation (8) */
  TOSST_FEATURES_RBF,    /* each value encoded by Z Gaussian pivots, equations (11)-(13) */
} TosstFeatureKind;

/* Feature vector of a pixel. Domains: position and luminance [0, 1]; first derivatives, second derivatives and
 * opponent colour [-range, range]. */
typedef struct
{
  TosstFeatureKind kind;
  bool luminance; /* include I */
  bool opponent;  /* include O1, O2 (0 for grey images) */
  bool absolute;  /* absolute values of derivatives */
  int pivots;     /* Z >= 2, RBF only */
  double sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second;
  double range_first, range_second, range_opponent;
} TosstFeatureOptions;

/* Sets the defaults: RBF, luminance, Z = 5. */
void tosst_feature_options_default (TosstFeatureOptions *options);

/* Returns NULL if the options are valid, else an error message (static). */
const char *tosst_feature_options_check (const TosstFeatureOptions *options);

/* Returns d, the length of a feature vector: 6, 7, 8 or 9, times Z for RBF. */
int tosst_feature_dimension (const TosstFeatureOptions *options);

/* Writes the name of component i, such as "I_x" or "I_x 3" (third pivot), to label: at most size bytes including the
 * terminating 0. */
void tosst_feature_label (const TosstFeatureOptions *options, int i, char *label, size_t size);

/* Equation (13): phi_z(u) / ||phi(u)||_2 for Z pivots uniform on [low, high]; u is clamped to this interval.
 * Exponents are relative to the nearest pivot, so that the result is finite for every sigma > 0. out: Z elements. */
void tosst_rbf_map (double u, double low, double high, int pivots, double sigma, double *out);
