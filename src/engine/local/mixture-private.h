/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Posteriors of a mixture for blocks of vectors. With y = (x - shift) / scale, where shift and scale are those of the whole
 * mixture, the logarithms of w_k N (x; mu_k, sigma_k^2) are a product and a constant:
 *     (y, y^2) F + c,   F = (mu_k / sigma_k^2; -1 / (2 sigma_k^2)) in the units of y.
 * Standardised values keep the differences that float32 would lose in features with a large mean.
 */
#pragma once

#include "tosst/local.h"

/* Vectors in a block. */
#define MIXTURE_BLOCK ((size_t)256)

typedef struct
{
  int D, K;
  size_t width;     /* 2 D, rounded up */
  size_t stride;    /* K, rounded up */
  double *shift;    /* D */
  double *scale;    /* D: 1 / scale of the text above */
  float *units;     /* 2 D: shift and scale, which float32 holds exactly */
  float *factors;   /* width x stride */
  float *constants; /* stride */
  double offset;    /* sum log scale: log p (x) = log p (y) + offset */
} TosstDensities;

/* Copies the parameters of a mixture of the same shape. */
void tosst_mixture_assign (TosstMixture *self, const TosstMixture *from);

bool tosst_densities_init (TosstDensities *self, int D, int K);
void tosst_densities_clear (TosstDensities *self);
/* Sets shift and scale of number j of a vector, rounded to float32. */
void tosst_densities_set_unit (TosstDensities *self, size_t j, double mean, double variance);
/* Sets shift and scale to mean and deviation of the whole mixture. */
void tosst_densities_set_units (TosstDensities *self, const TosstMixture *mixture);
/* Sets the factors of a mixture; shift and scale are set. */
void tosst_densities_set (TosstDensities *self, const TosstMixture *mixture);

/* Work space of one thread. */
typedef struct
{
  float *vectors;    /* MIXTURE_BLOCK x width: y, y^2, zeros */
  float *posteriors; /* MIXTURE_BLOCK x stride */
  float *sums;       /* stride x width, of a block */
  float *totals;     /* stride, of a block */
  double *logs;      /* MIXTURE_BLOCK */
} TosstDensityWork;

bool tosst_density_work_init (TosstDensityWork *self, const TosstDensities *densities);
void tosst_density_work_clear (TosstDensityWork *self);

/* Sums over vectors: of gamma_k, gamma_k y and gamma_k y^2, and of log p (x). */
typedef struct
{
  double *totals;  /* K */
  double *moments; /* K x 2 D */
  double likelihood;
} TosstMixtureSums;

bool tosst_mixture_sums_init (TosstMixtureSums *self, int D, int K); /* zeros */
void tosst_mixture_sums_clear (TosstMixtureSums *self);

/* Adds n vectors. is_hard: the whole weight goes to the most likely component. Returns TOSST_ERROR_NUMERIC for a
 * likelihood that is not finite. */
TosstStatus tosst_mixture_sums_add (TosstMixtureSums *self, const TosstDensities *densities, const float *x, size_t n,
                                    bool is_hard, TosstDensityWork *work);
