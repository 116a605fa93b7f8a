/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mixtures of Gaussians and Fisher vectors: codes of a set of local features without a dictionary.
 */
#pragma once

#include "tosst/context.h"
#include "tosst/macros.h"

TOSST_BEGIN_DECLS

/* Mixture of K Gaussians with diagonal covariances over vectors x of length D,
 *     p (x) = sum_k w_k N (x; mu_k, diag (sigma_k^2));
 * plain data, written to and read from model files. */
typedef struct
{
  int D, K;
  double *weights;   /* K, positive, of sum 1. Owned. */
  double *means;     /* K x D, row-major. Owned. */
  double *variances; /* K x D, positive. Owned. */
} TosstMixture;

TosstMixture *tosst_mixture_new (int D, int K);                 /* zeros; NULL if out of memory, or D or K < 1 */
TosstMixture *tosst_mixture_copy (const TosstMixture *mixture); /* NULL if out of memory */
/* Frees a mixture; NULL is ignored. */
void tosst_mixture_free (TosstMixture *mixture);
/* Whether weights and variances are positive and all values finite. */
bool tosst_mixture_is_valid (const TosstMixture *mixture);

/* How a mixture is learned. */
typedef struct
{
  int gaussians;    /* K >= 1 */
  int iterations;   /* of EM at most; >= 0 */
  double tolerance; /* EM ends with a smaller increase of the mean log-likelihood (nats a vector); >= 0 */
  double floor;     /* smallest variance, relative to that of all vectors; in (0, 1) */
  uint64_t seed;
} TosstMixtureOptions;

/* Sets the defaults. */
void tosst_mixture_options_default (TosstMixtureOptions *options);

/* How a mixture was learned. */
typedef struct
{
  int iterations;    /* of EM */
  int reseeded;      /* components without vectors that were placed again */
  double likelihood; /* mean of log p (x) over the vectors */
} TosstMixtureReport;

/* Learns a mixture of n >= K vectors x (n x D float32) by expectation maximisation, which starts from k-means with seeds of
 * k-means++. trace: options->iterations + 1 values, or NULL; receives the mean log-likelihood of the start and after each
 * iteration, which never decreases. A component that loses its vectors is placed beside the one with the most, unless
 * that lowers the likelihood. The result is the same for any number of threads. report may be NULL. The caller owns
 * *mixture. Returns TOSST_ERROR_ARGUMENT, TOSST_ERROR_MEMORY, TOSST_CANCELLED, or TOSST_ERROR_NUMERIC for a
 * value that is not finite. */
TosstStatus tosst_mixture_learn (TosstContext *context, const float *x, size_t n, int D,
                                 const TosstMixtureOptions *options, double *trace, TosstMixtureReport *report,
                                 TosstMixture **mixture);

/* Coder of Fisher vectors of a mixture; constant. */
typedef struct TosstFisher TosstFisher;

TosstFisher *tosst_fisher_new (const TosstMixture *mixture); /* the mixture is copied; NULL if out of memory */
/* Frees what tosst_fisher_new() returned; NULL is ignored. */
void tosst_fisher_free (TosstFisher *fisher);
size_t tosst_fisher_length (const TosstMixture *mixture); /* 2 K D */

/* Computes the Fisher vector of n vectors x (n x D float32): the gradient of their mean log-likelihood to means and
 * deviations, normalised by the diagonal approximation of the Fisher information,
 *     G_mu,k    = 1 / (n sqrt w_k)       sum_i gamma_ik (x_i - mu_k) / sigma_k,
 *     G_sigma,k = 1 / (n sqrt (2 w_k))   sum_i gamma_ik ((x_i - mu_k)^2 / sigma_k^2 - 1),
 *     gamma_ik  = w_k N (x_i; mu_k, sigma_k^2) / p (x_i)
 * (Perronnin, Sanchez & Mensink 2010; Sanchez, Perronnin, Mensink & Verbeek 2013), without the power and the
 * normalisation, which tosst_normalise_signature() does. Posteriors gamma below 1e-6 are taken as zero.
 *
 * out: G_mu,1 .. G_mu,K, G_sigma,1 .. G_sigma,K, 2 K D float32. likelihood: the mean of log p (x_i), or NULL. Returns
 * TOSST_ERROR_ARGUMENT for n = 0, TOSST_ERROR_NUMERIC for a value that is not finite, and TOSST_ERROR_MEMORY. Any thread; inside a
 * parallel loop BLAS runs on the calling thread. */
TosstStatus tosst_fisher_code (const TosstFisher *fisher, const float *x, size_t n, float *out, double *likelihood);

TOSST_END_DECLS
