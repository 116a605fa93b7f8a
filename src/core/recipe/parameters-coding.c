/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [coding] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const coding_methods[]
    = { "sparse", "span", "log-euclidean", "raw", "projection", "pca", "fisher", NULL };

static const TosstParameter rows[] = {
  { ROW ("coding", "method", coding.method, CHOICE, "sparse"), BASIC, .choices = coding_methods, .label = N_ ("Method"),
    .formula = "α, \\quad \\log(C + ε\\frac{\\tr C}{d} I), \\quad \\cal{X}",
    .help = N_ (
        "Representation of a patch that is pooled: sparse is its code over a learned dictionary, span the projection "
        "of its "
        "tensor onto the span of the atoms, as K numbers in an orthonormal basis. The others learn no "
        "dictionary and serve for comparison: raw is the tensor or matrix itself, log-euclidean the logarithm of a "
        "covariance or autocorrelation matrix, which makes Euclidean distances of such matrices meaningful. "
        "projection is a Gaussian random projection of the tensor to K numbers, pca its first K principal "
        "components, at most as many as there are training tensors. fisher is the Fisher vector of the local features "
        "of an image: how a mixture of Gaussians would have to change to fit them better."),
    .more = N_ (
        "The others learn no dictionary; the difference in accuracy is the gain from a dictionary. projection and pca "
        "have signatures of the same length K."),
    .less = N_ ("sparse gives short signatures that show which atoms occur."), .typical = N_ ("sparse"),
    .attempt = N_ ("Run raw on the sample textures: how long is its signature?") },
  { ROW ("coding", "lambda", coding.lambda, REAL, ""), LOG_RANGE (0, 10000), .symbol = "λ", .label = N_ ("Sparsity"),
    .equation = "(5)", .formula = "\\min_{α \\ge 0} α^\\T H α - 2q^\\T α + λ\\norm{α}_1",
    .help = N_ (
        "Weight of the ℓ₁ norm of codes in coding with the learned dictionary. Left empty it is λ of the dictionary."),
    .more = N_ ("Sparser codes, faster coding, larger errors."),
    .less = N_ ("Codes with more non-zeros, smaller errors."), .typical = N_ ("10⁻⁴ to 10⁻¹"), LAMBDA_DOUBT,
    .attempt = N_ ("Learn with a small λ and code with a large one.") },
  { ROW ("coding", "gamma", coding.gamma, REAL, ""), LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE, .symbol = "γ",
    .label = N_ ("Proximity"), .equation = "(5)", .formula = "W = (I + \\frac{1}{γ} V V^\\T)^{-1}",
    .help = N_ ("Weight of the distance between the codes of slices and the shared code in coding with the learned "
                "dictionary. Left empty it is γ of the dictionary."),
    .more = N_ ("One code must explain all slices."), .less = N_ ("Slices may deviate from the shared code."),
    .typical = N_ ("0.1 to 100, or inf"),
    .attempt = N_ ("In Inspect switch between “By Slices” and “By the Code” while you drag γ.") },
  { ROW ("coding", "signed-alpha", coding.signed_alpha, BOOLEAN, "false"), .symbol = "α", .equation = "(5)",
    .label = N_ ("Signed codes"), .formula = "α \\ge 0",
    .help = N_ ("Whether codes may be negative, in learning and in coding. Non-negative codes only add atoms, which "
                "keeps reconstructed slices positive semi-definite."),
    .more = N_ ("Codes may subtract atoms, and errors become smaller."),
    .less = N_ ("Atoms are only added, which keeps reconstructed slices positive semi-definite."),
    .typical = N_ ("off"), .attempt = N_ ("Switch it on and count the negative stems in Inspect.") },
  { ROW ("coding", "nonnegative-beta", coding.nonnegative_beta, BOOLEAN, "false"), .symbol = "β", .equation = "(5)",
    .label = N_ ("Non-negative weights"), .formula = "β \\ge 0",
    .help = N_ ("Whether the weights of a tensor's slices must be non-negative, in learning and in coding, so that "
                "reconstructed slices are sums of atoms. Then β is found together with α, which takes many times as "
                "long as with free β."),
    .more = N_ ("Every reconstructed slice is a sum of atoms; coding takes many times as long."),
    .less = N_ ("Slices may subtract atoms, which lowers errors."), .typical = N_ ("off"),
    .attempt = N_ ("With K = 50, compare errors and time with it on and off.") },
  { ROW ("coding", "gaussians", coding.gaussians, INTEGER, "64"), BASIC, LOG_RANGE (1, 4096), .symbol = "G",
    .label = N_ ("Gaussians"), .formula = "p(x) = \\sum_{k=1}^G w_k \\cal{N}(x; μ_k, σ_k^2)",
    .help
    = N_ ("Number of Gaussians in the mixture of Fisher vectors. A signature has two numbers for each Gaussian and "
          "each number of a feature: the gradients to its means and to its deviations."),
    .more = N_ ("Finer distinctions, longer signatures, more time; a Gaussian that few features of an image belong to "
                "says little."),
    .less = N_ ("Shorter signatures, and less memory."), .typical = N_ ("32 to 256"),
    .attempt = N_ ("Double it until the accuracy no longer grows.") },
  { ROW ("coding", "gaussian-sample", coding.gaussian_sample, INTEGER, "60000"), LOG_RANGE (1, 100000000),
    .label = N_ ("Features for the mixture"), .formula = "\\max \\sum_{i=1}^{n} \\log \\sum_k w_k N(x_i; μ_k, σ_k^2)",
    .help = N_ ("Number of local features that the mixture of Fisher vectors is learned from, drawn at random from all "
                "training images of a split alike."),
    .more = N_ ("A better mixture of many Gaussians, in proportionally more time and memory."),
    .less = N_ ("Faster learning."), .typical = N_ ("a thousand for each Gaussian"),
    .attempt = N_ ("Halve it and compare accuracy.") },
};

const TosstParameterGroup tosst_parameters_coding = { "coding", N_ ("Coding"), rows, G_N_ELEMENTS (rows) };
