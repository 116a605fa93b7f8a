/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/context.h"
#include "engine/image/image.h"

typedef enum
{
  TOSST_FEATURES_LINEAR, /* the values of equation (8) themselves */
  TOSST_FEATURES_RBF,    /* each value linearised by Z Gaussian pivots, equations (11)-(13) */
} TosstFeatureKind;

/* Which feature vector a pixel gets. Domains: position and luminance [0, 1]; first, second derivatives and
 * opponent colour [-range, range]. */
typedef struct
{
  TosstFeatureKind kind;
  bool luminance; /* I is a feature */
  bool opponent;  /* O1, O2 are features (grey images have O1 = O2 = 0) */
  bool absolute;  /* derivatives by absolute value */
  int pivots;     /* Z >= 2, rbf only */
  double sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second;
  double range_first, range_second, range_opponent;
} TosstFeatureOptions;

/* The starting values of the method: rbf, luminance, Z = 5. */
void tosst_feature_options_default (TosstFeatureOptions *options);

/* NULL if the options make sense, else one sentence (static). */
const char *tosst_feature_options_check (const TosstFeatureOptions *options);

/* d, the length of a feature vector: 6, 7, 8 or 9, times Z for rbf. */
int tosst_feature_dimension (const TosstFeatureOptions *options);

/* A short name of component i, such as "I_x" or "I_x 3" (third pivot). Writes at most size bytes with the final 0. */
void tosst_feature_label (const TosstFeatureOptions *options, int i, char *label, size_t size);

/* Equation (13): phi_z(u) / ||phi(u)||_2 for Z pivots uniform on [low, high], u clamped to it first. Never NaN,
 * whatever sigma > 0: exponents are taken relative to the nearest pivot. out: Z numbers. */
void tosst_rbf_map (double u, double low, double high, int pivots, double sigma, double *out);
