/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (8), the features of a pixel, and equations (11)-(13), their RBF encoding.
 */
#include "tosst/describe.h"

#include <math.h>
#include <stdio.h>

#include "engine/descriptor/private.h"

void
tosst_feature_options_default (TosstFeatureOptions *options)
{
  *options = (TosstFeatureOptions){
    .kind = TOSST_FEATURES_RBF,
    .luminance = true,
    .pivots = 5,
    .sigma_position = 0.25,
    .sigma_luminance = 0.25,
    .sigma_opponent = 0.25,
    .sigma_first = 0.1,
    .sigma_second = 0.15,
    .range_first = 0.25,
    .range_second = 0.5,
    .range_opponent = M_SQRT1_2,
  };
}

static bool
is_positive (double x)
{
  return isfinite (x) && x > 0;
}

const char *
tosst_feature_options_check (const TosstFeatureOptions *options)
{
  if (options->kind == TOSST_FEATURES_LINEAR)
    return NULL;
  if (options->pivots < 2 || options->pivots > 64)
    return "the number of pivots must be between 2 and 64";
  if (!is_positive (options->sigma_position) || !is_positive (options->sigma_luminance)
      || !is_positive (options->sigma_opponent) || !is_positive (options->sigma_first)
      || !is_positive (options->sigma_second))
    return "every sigma must be a positive number";
  if (!is_positive (options->range_first) || !is_positive (options->range_second)
      || !is_positive (options->range_opponent))
    return "every range must be a positive number";
  return NULL;
}

int
tosst_feature_list (const TosstFeatureOptions *options, TosstFeature *list)
{
  const TosstFeature all[TOSST_MAX_FEATURES] = {
    { "x", 0, 1, options->sigma_position },
    { "y", 0, 1, options->sigma_position },
    { "I", 0, 1, options->sigma_luminance },
    { "I_x", -options->range_first, options->range_first, options->sigma_first },
    { "I_y", -options->range_first, options->range_first, options->sigma_first },
    { "I_xx", -options->range_second, options->range_second, options->sigma_second },
    { "I_yy", -options->range_second, options->range_second, options->sigma_second },
    { "O1", -options->range_opponent, options->range_opponent, options->sigma_opponent },
    { "O2", -options->range_opponent, options->range_opponent, options->sigma_opponent },
  };
  int n = 0;
  for (int i = 0; i < TOSST_MAX_FEATURES; i++)
    if ((i != 2 || options->luminance) && (i < 7 || options->opponent))
      list[n++] = all[i];
  return n;
}

int
tosst_feature_dimension (const TosstFeatureOptions *options)
{
  int n = 6 + (options->luminance ? 1 : 0) + (options->opponent ? 2 : 0);
  return options->kind == TOSST_FEATURES_RBF ? n * options->pivots : n;
}

void
tosst_feature_label (const TosstFeatureOptions *options, int i, char *label, size_t size)
{
  TosstFeature list[TOSST_MAX_FEATURES];
  int n = tosst_feature_list (options, list);
  if (options->kind == TOSST_FEATURES_LINEAR)
    snprintf (label, size, "%s", i < n ? list[i].name : "");
  else
    snprintf (label, size, "%s %d", i / options->pivots < n ? list[i / options->pivots].name : "",
              i % options->pivots + 1);
}

/* Equation (13) for u in [low, low + (pivots - 1) h], h the distance between pivots, s2 = sigma^2, q = exp (-2 h^2 /
 * s2). With u = zeta_c + delta and zeta_c the pivot nearest to u, a pivot k steps away has
 *     phi_{c+k}(u) / phi_c(u) = exp ((2 k h delta - (k h)^2) / sigma^2),
 * which is at most 1, so that no sigma makes all pivots underflow. The ratio of consecutive terms is itself
 * multiplied by q at each step: one exponential per direction gives all pivots. */
static void
spread (double u, double low, double h, int pivots, double s2, double q, double *out)
{
  int c = (int)lrint ((u - low) / h);
  double delta = u - low - c * h, sum = 1;
  double up = exp ((2 * h * delta - h * h) / s2),
         down = up > 1e-280 && q > 1e-280 ? q / up : exp ((-2 * h * delta - h * h) / s2);
  double value = 1, factor = up;
  out[c] = 1;
  for (int z = c + 1; z < pivots; z++, factor *= q)
    {
      out[z] = value *= factor;
      sum += value * value;
    }
  value = 1;
  factor = down;
  for (int z = c - 1; z >= 0; z--, factor *= q)
    {
      out[z] = value *= factor;
      sum += value * value;
    }
  double scale = 1 / sqrt (sum);
  for (int z = 0; z < pivots; z++)
    out[z] *= scale;
}

void
tosst_rbf_map (double u, double low, double high, int pivots, double sigma, double *out)
{
  double h = (high - low) / (pivots - 1), s2 = sigma * sigma;
  spread (fmin (fmax (u, low), high), low, h, pivots, s2, exp (-2 * h * h / s2), out);
}
