/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [dictionary] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const schemes[] = { "psd", "low-rank", "free", "full", NULL };
static const char *const solvers[] = { "exact", "pqn", "gradient", NULL };
static const char *const inits[] = { "slices", "random", NULL };
static const char *const sources[] = { "learned", "random", NULL };

static const TosstParameter rows[] = {
  { ROW ("dictionary", "atoms", dictionary.atoms, INTEGER, "200"), BASIC, LOG_RANGE (1, 100000), .symbol = "K",
    .label = N_ ("Atoms"), .equation = "(5)", .formula = "\\cal{X} \\approx \\sum_{k=1}^{K} α_k B_k \\otimes b_k",
    .help = N_ ("Number of atoms in the dictionary: each is a positive semi-definite matrix B and a vector b, and a "
                "tensor becomes a sparse sum of them."),
    .more
    = N_ ("Closer reconstruction and usually better accuracy; learning and coding take longer, and too many overfit."),
    .less = N_ ("Faster and more compact, with larger reconstruction errors."), .typical = N_ ("20 to 2000"),
    .attempt = N_ ("Run with 10, 40 and 160 and plot accuracy against K in Sweep.") },
  { ROW ("dictionary", "scheme", dictionary.scheme, CHOICE, "psd"), .choices = schemes, .symbol = "Bₖ",
    .label = N_ ("Atom type"), .equation = "(5)", .formula = "B_k \\succeq 0, \\quad \\tr B_k \\le 1",
    .help = N_ ("Constraint on the matrix of an atom: psd is positive semi-definite with trace at most 1, low-rank "
                "also limits its rank, free drops positive semi-definiteness and limits the Frobenius norm. With full "
                "an atom is a whole third-order tensor, with every slice positive semi-definite, as in problem (2): it "
                "has so many numbers that it overfits, and serves for comparison. The side may be 10 at most."),
    .more = N_ ("free and full atoms express more, without the guarantee for reconstructed slices (free) or with "
                "overfitting (full)."),
    .less = N_ ("low-rank atoms are the simplest; psd is the set of the paper."), .typical = N_ ("psd"),
    .attempt = N_ ("Compare psd and free in Atoms: which ones have negative eigenvalues?") },
  { ROW ("dictionary", "rank", dictionary.rank, INTEGER, ""), RANGE (1, 1000), .symbol = "R", .label = N_ ("Rank"),
    .formula = "\\rank(B_k) \\le R",
    .help = N_ ("Largest rank of an atom's matrix in the low-rank scheme. Left empty it is half of the side d."),
    .more = N_ ("Atoms may describe richer slices; at d the scheme equals psd."),
    .less = N_ ("Simpler atoms, of which a slice needs more."), .typical = N_ ("2 to d/2"),
    .attempt = N_ ("Choose low-rank with R = 1: how many atoms does a patch need now, in Inspect?") },
  { ROW ("dictionary", "lambda", dictionary.lambda, REAL, "2e-3"), BASIC, LOG_RANGE (0, 10000), .symbol = "λ",
    .label = N_ ("Sparsity"), .equation = "(5)",
    .formula = "\\sum_s \\norm{X^s - \\sum_k B_k β_k^s}_F^2 + γ\\sum_s \\norm{β^s - b^s \\circ α}_2^2 + λ\\norm{α}_1",
    .help = N_ ("Weight of the ℓ₁ norm of codes in learning, counted once for each tensor. Tensors have a mean square "
                "norm of 1, so that λ is comparable between data sets."),
    .more = N_ ("Fewer atoms for each tensor, and larger reconstruction errors. Above a limit all codes are zero."),
    .less = N_ ("Smaller reconstruction errors with more atoms; coding takes longer."), .typical = N_ ("10⁻⁴ to 10⁻¹"),
    LAMBDA_DOUBT,
    .attempt
    = N_ ("Drag λ in Inspect over its whole range until all stems vanish, then learn with a value of your choice.") },
  { ROW ("dictionary", "gamma", dictionary.gamma, REAL, "1"), BASIC, LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE,
    .symbol = "γ", .label = N_ ("Proximity"), .equation = "(5)", .formula = "γ\\sum_s \\norm{β^s - b^s \\circ α}_2^2",
    .help = N_ ("Weight of the distance between the codes β of a tensor's slices and its shared code α in learning. "
                "With inf they are equal: problem (3) of the paper."),
    .more = N_ ("One code must explain all slices, as in the exact model."),
    .less = N_ ("Slices may deviate from the shared code, which lowers reconstruction errors."),
    .typical = N_ ("0.1 to 100, or inf"), .attempt = N_ ("Compare 0.1 with inf: look at proximity and fit in Learn.") },
  { ROW ("dictionary", "iterations", dictionary.iterations, INTEGER, "50"), BASIC, RANGE (1, 100000),
    .label = N_ ("Iterations"), .formula = "f_1 \\ge f_2 \\ge \\dots \\ge f_T",
    .help
    = N_ ("Maximum number of iterations of learning. Each codes every tensor once and then updates every atom once."),
    .more = N_ ("A lower objective, with less and less gain."), .less = N_ ("Faster, with a higher objective."),
    .typical = N_ ("10 to 50"),
    .attempt = N_ ("Look at the curve in Learn with a logarithmic axis: from which iteration on is it flat?") },
  { ROW ("dictionary", "tolerance", dictionary.tolerance, REAL, "1e-4"), LOG_RANGE (0, 1), .label = N_ ("Tolerance"),
    .formula = "\\frac{f_{t-1} - f_t}{f_{t-1}} < \\text{tolerance}",
    .help = N_ ("Learning stops when an iteration lowers the objective by less than this fraction of it. With 0 all "
                "iterations are done."),
    .more = N_ ("Learning stops earlier."), .less = N_ ("Learning continues for smaller gains."),
    .typical = N_ ("10⁻⁵ to 10⁻³"), .attempt = N_ ("Set it to 0.01 and compare accuracy and time.") },
  { ROW ("dictionary", "solver", dictionary.solver, CHOICE, "exact"), .choices = solvers, .label = N_ ("Solver"),
    .formula = "B_k \\leftarrow \\Pro(B_k - η \\frac{\\partial f}{\\partial B_k})",
    .help = N_ ("Solver of learning: exact finds the minimum over every block at once, with beta minimised out. The "
                "other two are those of the paper, for comparison: pqn does the same with general optimisers "
                "(projected quasi-Newton, bounded L-BFGS), gradient takes steps of one length. Both store beta for "
                "every tensor, d times as many numbers as the codes, and take far longer."),
    .more = N_ ("The two solvers of the paper, for comparison: slower, and with gradient the objective may rise."),
    .less = N_ ("exact finds the minimum over every block at once."), .typical = N_ ("exact"),
    .attempt = N_ ("Learn with gradient and with exact from the same seed, and compare the curves in Compare.") },
  { ROW ("dictionary", "eta", dictionary.eta, REAL, ""), LOG_RANGE (1e-9, 1e6), .symbol = "η",
    .label = N_ ("Step size"), .formula = "B_k \\leftarrow \\Pro(B_k - η \\frac{\\partial f}{\\partial B_k})",
    .help = N_ ("Length of the steps of the gradient solver, on the mean objective of a tensor. Left empty it is the "
                "inverse of the largest curvature of a block at the start."),
    .more = N_ ("Faster. Beyond twice the inverse of the curvature the objective rises."),
    .less = N_ ("Slower and safer."), .typical = N_ ("empty, or 10⁻⁴ to 10⁻¹"),
    .attempt = N_ ("Choose the gradient solver and multiply η by 10 until the curve goes up.") },
  { ROW ("dictionary", "sample", dictionary.sample, INTEGER, "20000"), LOG_RANGE (1, 100000000), .symbol = "N",
    .label = N_ ("Tensors to learn from"), .formula = "f = \\sum_{n=1}^{N} f_n",
    .help = N_ ("Maximum number of tensors for learning, drawn at random without repetition from the training part."),
    .more = N_ ("Atoms fit the data better; memory and time grow in proportion."),
    .less = N_ ("Faster learning of less representative atoms. The tensors must have at least as many slices as there "
                "are atoms."),
    .typical = N_ ("5000 to 50000"),
    .attempt = N_ ("Take as many tensors as atoms: every atom reproduces one patch.") },
  { ROW ("dictionary", "minibatch", dictionary.minibatch, INTEGER, "0"), LOG_RANGE (0, 100000000),
    .label = N_ ("Batch"), .formula = "(Y, P) \\leftarrow (1 - \\frac{1}{t})^ρ (Y, P) + (Y_t, P_t)",
    .help = N_ ("Number of tensors in memory at a time; each batch updates the dictionary, and an iteration processes "
                "all batches. With 0 all tensors are in memory and form one batch."),
    .more = N_ ("Steadier updates in more memory, and fewer of them in an iteration."),
    .less = N_ ("Less memory. The tensors of a batch must have at least as many slices as there are atoms."),
    .typical = N_ ("0, or 4000 to 20000"), .attempt = N_ ("Set 1000, and compare memory and the curve.") },
  { ROW ("dictionary", "forgetting", dictionary.forgetting, REAL, "10"), RANGE (0, 1000), .allow_infinite = TRUE,
    .symbol = "ρ", .label = N_ ("Forgetting"), .formula = "(1 - \\frac{1}{t})^ρ",
    .help = N_ ("Decay of the weights of older batches: after t batches, batch s has weight (s/t)^ρ. With 0 all "
                "batches have equal weight, with inf only the current batch counts."),
    .more = N_ ("Old codes, found with worse atoms, lose weight sooner; steps are noisier."),
    .less = N_ ("Steadier atoms that converge more slowly."), .typical = N_ ("2 to 20"),
    .attempt = N_ ("With batches, compare 0 with 10.") },
  { ROW ("dictionary", "seed", dictionary.seed, SEED, "1"), .label = N_ ("Seed of learning"),
    .formula = "(B, b)_0 = g(\\text{seed})",
    .help = N_ ("Start of the random numbers that draw the tensors for learning and the initial atoms."),
    .more = N_ ("Other initial atoms: another minimum, usually about as low."),
    .less = N_ ("The same atoms, to the last bit, from the same recipe."), .typical = N_ ("any number"),
    .attempt = N_ ("Learn with two seeds and look for the same atoms in Atoms.") },
  { ROW ("dictionary", "init", dictionary.init, CHOICE, "slices"), .choices = inits, .label = N_ ("Initialization"),
    .formula = "B_k \\leftarrow \\Pro(X_n^s)",
    .help = N_ ("Initial atoms of learning: slices are projected slices of sampled tensors; random are projected "
                "normal matrices and weights uniform on the simplex, independent of the data."),
    .more = N_ ("random shows the effect of learning alone; it needs more iterations."),
    .less = N_ ("slices are close to the data."), .typical = N_ ("slices"),
    .attempt = N_ ("Learn once from each and compare the first ten iterations.") },
  { ROW ("dictionary", "source", dictionary.source, CHOICE, "learned"), .choices = sources, .label = N_ ("Atoms used"),
    .formula = "(\\vec B_k, b_k) \\sim (μ, Σ), \\quad B_k \\leftarrow \\Pro(B_k)",
    .help = N_ ("Atoms used for coding. With random as many atoms are drawn from the Gaussian with the mean and "
                "covariance of all learned (B, b), and projected onto their constraints: the baseline of section 6.5, "
                "which shows the gain from learning."),
    .more = N_ ("random is the baseline: the difference in accuracy is the gain from learning."),
    .less = N_ ("learned atoms are used as they are."), .typical = N_ ("learned"),
    .attempt = N_ ("Run both with the same seed and compare their accuracies.") },
  { ROW ("dictionary", "signed-b", dictionary.signed_b, BOOLEAN, "false"), .symbol = "bₖ", .equation = "(5)",
    .label = N_ ("Signed vectors"), .formula = "\\norm{b_k}_1 \\le 1, \\quad b_k \\ge 0",
    .help = N_ ("Whether the vectors b of atoms may have negative entries. Slices reconstructed from psd atoms are "
                "then not guaranteed to be positive semi-definite."),
    .more = N_ ("Atoms express differences between slices, with fewer of them."),
    .less = N_ ("Reconstructed slices are sums of positive semi-definite matrices."), .typical = N_ ("off"),
    .attempt = N_ ("Switch it on and look at the film strip of an atom: which slices turn negative?") },
};

const TosstParameterGroup tosst_parameters_dictionary = { "dictionary", N_ ("Dictionary"), rows, G_N_ELEMENTS (rows) };
