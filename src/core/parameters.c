/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of all parameters. A new parameter is one row here and one field of TosstRecipe: files, --set, --help,
 * tosst recipe --explain, validation and the rows of the window follow from it. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "recipe.h"

static const char *const dataset_kinds[] = { "samples", "brodatz", "folders", NULL };
static const char *const protocols[] = { "random", "leave-one-out", "fixed", NULL };
static const char *const descriptor_kinds[] = { "linear", "rbf", "covariance", "autocorrelation", NULL };
static const char *const feature_kinds[] = { "linear", "rbf", NULL };
static const char *const coding_methods[] = { "sparse", "log-euclidean", "raw", NULL };
static const char *const schemes[] = { "psd", "low-rank", "free", "full", NULL };
static const char *const solvers[] = { "exact", "pqn", "gradient", NULL };
static const char *const inits[] = { "slices", "random", NULL };
static const char *const sources[] = { "learned", "random", NULL };
static const char *const pool_kinds[] = { "average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n", NULL };
static const char *const normalisations[] = { "none", "l2", NULL };

#define ROW(group_, key_, field, type_, default_)                                                                      \
  .group = group_, .key = key_, .type = TOSST_PARAMETER_##type_, .offset = G_STRUCT_OFFSET (TosstRecipe, field),       \
  .default_text = default_
#define RANGE(low, high) .minimum = low, .maximum = high
#define LOG_RANGE(low, high) .minimum = low, .maximum = high, .logarithmic = TRUE

static const TosstParameter parameters[] = {
  { ROW ("dataset", "kind", dataset.kind, CHOICE, "samples"), .choices = dataset_kinds, .label = N_ ("Data set"),
    .help = N_ ("Where images come from: the built-in sample textures, a folder with the Brodatz album, or a folder "
                "with one subfolder of images for each class.") },
  { ROW ("dataset", "path", dataset.path, TEXT, ""), .label = N_ ("Folder"),
    .help = N_ ("The folder that holds the images. The sample textures need none.") },
  { ROW ("dataset", "block", dataset.block, INTEGER, ""), RANGE (0, 16384), .unit = N_ ("px"), .label = N_ ("Block"),
    .help = N_ ("Side of the square blocks into which every image is cut; each block is one sample to classify. With 0 "
                "a whole image is one sample. Left empty it is 160 for Brodatz and 0 otherwise."),
    .more = N_ ("Each sample pools more patches and is easier to tell, but an image gives fewer samples."),
    .less = N_ ("More samples, each with fewer patches and so a noisier signature."),
    .typical = N_ ("0, or 100 to 200") },
  { ROW ("dataset", "block-step", dataset.block_step, INTEGER, "80"), RANGE (1, 16384), .unit = N_ ("px"),
    .label = N_ ("Block step"), .help = N_ ("Distance from one block to the next, in both directions."),
    .more = N_ ("Fewer blocks that overlap less."),
    .less = N_ ("More blocks. When they overlap, training and test blocks of one image share pixels."),
    .typical = N_ ("half of the block, or the block itself") },
  { ROW ("dataset", "train-per-class", dataset.train_per_class, INTEGER, "24"), RANGE (1, 1000000),
    .label = N_ ("Training samples"),
    .help = N_ ("Samples of each class that train the classifier in a split; all others of the class are tests."),
    .more = N_ ("A better classifier, measured on fewer tests."), .less = N_ ("A harder task, measured on more tests."),
    .typical = N_ ("half of the samples of a class") },
  { ROW ("dataset", "splits", dataset.splits, INTEGER, "10"), RANGE (1, 1000), .label = N_ ("Splits"),
    .help = N_ ("How many times training samples are drawn anew. Each split learns its own dictionary and classifier; "
                "accuracy is reported as mean and standard deviation over splits."),
    .more = N_ ("A more certain mean, in proportionally more time."), .less = N_ ("Faster, with a less certain mean."),
    .typical = N_ ("3 to 10") },
  { ROW ("dataset", "seed", dataset.seed, SEED, "1"), .label = N_ ("Seed of the splits"),
    .help = N_ ("Start of the random numbers that draw training samples. The same seed gives the same splits.") },
  { ROW ("dataset", "exclude", dataset.exclude, TEXT, ""), .label = N_ ("Leave out"),
    .help = N_ ("Files or classes to leave out, by name without suffix, separated by commas. Left empty it is D14 for "
                "Brodatz and nothing otherwise; the word none leaves nothing out."),
    .typical = N_ ("D14") },
  { ROW ("dataset", "protocol", dataset.protocol, CHOICE, "random"), .choices = protocols, .label = N_ ("Protocol"),
    .help = N_ ("How samples are divided: random draws training samples for each split; leave-one-out tests one sample "
                "of each class at a time; fixed takes the subfolders train and test, or without them the first samples "
                "of each class for training.") },
  { ROW ("dataset", "within", dataset.within, INTEGER, "0"), RANGE (0, 1000), .label = N_ ("Within split"),
    .help = N_ ("To choose parameters without looking at tests: with a number from 1 only the training samples of that "
                "split are used, and divided again into samples that train and samples that validate. With 0 all "
                "samples are divided as the protocol says."),
    .typical = N_ ("0; 1 to choose parameters") },
  { ROW ("dataset", "validate", dataset.validate, INTEGER, "8"), RANGE (1, 1000000),
    .label = N_ ("Validation samples"),
    .help = N_ ("How many of the training samples of each class validate, when they are divided again; the others "
                "train. Whole images where the protocol draws images."),
    .more = N_ ("A more certain choice among classifiers that are trained on less."),
    .less = N_ ("Classifiers nearer to the final ones, compared on fewer samples."),
    .typical = N_ ("a third of the training samples") },

  { ROW ("descriptor", "kind", descriptor.kind, CHOICE, "rbf"), .choices = descriptor_kinds, .label = N_ ("Descriptor"),
    .formula = "X = (1/N) Σ x ⊗ x ⊗ x,  C = 1/(N − 1) Σ (x − x̄)(x − x̄)ᵀ,  R = (1/N) Σ x xᵀ", .equation = "(1)",
    .help
    = N_ ("What describes a patch. linear and rbf are third-order tensors: of position, intensity and derivatives "
          "themselves, or of each of them spread over Gaussian pivots, so that the tensor records which values occur "
          "together, not only how they correlate. covariance and autocorrelation are the matrices that they are "
          "compared with: of the features of a patch about their mean, and about zero.") },
  { ROW ("descriptor", "features", descriptor.features, CHOICE, "linear"), .choices = feature_kinds,
    .label = N_ ("Features"), .formula = "x = [x, y, I, Iₓ, I_y, Iₓₓ, I_yy, O₁, O₂]ᵀ", .equation = "(8)",
    .help = N_ ("What a pixel contributes to a covariance or autocorrelation matrix: linear uses position, intensity "
                "and derivatives themselves; rbf spreads each of them over Gaussian pivots.") },
  { ROW ("descriptor", "luminance", descriptor.luminance, BOOLEAN, "true"), .symbol = "I", .equation = "(8)",
    .label = N_ ("Luminance"),
    .help = N_ ("Whether the intensity of a pixel is a feature beside its position and derivatives. Without it the "
                "descriptor ignores overall brightness.") },
  { ROW ("descriptor", "opponent", descriptor.opponent, BOOLEAN, "false"), .symbol = "O₁, O₂", .equation = "(8)",
    .label = N_ ("Opponent colour"), .formula = "O₁ = (R − G)/√2,  O₂ = (R + G − 2B)/√6",
    .help = N_ ("Whether two colour differences, red against green and yellow against blue, are features too. In grey "
                "images both are zero.") },
  { ROW ("descriptor", "absolute", descriptor.absolute, BOOLEAN, "false"), .symbol = "|Iₓ|",
    .label = N_ ("Absolute derivatives"),
    .help = N_ ("Whether derivatives count by their absolute value. The descriptor then no longer tells a bright edge "
                "from a dark one, and linear features other than colour are non-negative, as Definition 1 asks.") },
  { ROW ("descriptor", "patch", descriptor.patch, INTEGER, "20"), RANGE (2, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch"), .formula = "X = (1/N) Σₙ xₙ ⊗ xₙ ⊗ xₙ,  N = patch²", .equation = "(1)",
    .help = N_ ("Side of the square region whose pixels are averaged into one tensor."),
    .more = N_ ("Each tensor sees a larger piece of texture and is more stable; small structures are averaged away."),
    .less = N_ ("Tensors describe finer detail and are noisier; more of them fit into a block."),
    .typical = N_ ("16 to 40") },
  { ROW ("descriptor", "step", descriptor.step, INTEGER, "10"), RANGE (1, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch step"), .help = N_ ("Distance from one patch to the next, in both directions."),
    .more = N_ ("Fewer patches: faster, with less to pool."),
    .less
    = N_ ("More patches that overlap more: slower, with smoother signatures. Halving it takes four times as long."),
    .typical = N_ ("half of the patch") },
  { ROW ("descriptor", "pivots", descriptor.pivots, INTEGER, "5"), RANGE (2, 32), .symbol = "Z", .label = N_ ("Pivots"),
    .formula = "φ_z(u) = exp(−(u − ζ_z)²/σ²),  z = 1 … Z", .equation = "(11)–(13)",
    .help
    = N_ ("Number of Gaussians, spread evenly over the range of a feature, by which rbf features express its value."),
    .more
    = N_ ("Values are told apart more finely; the side d of a tensor grows in proportion, its size with the cube."),
    .less = N_ ("Smaller tensors and faster runs that tell values apart more coarsely."), .typical = N_ ("3 to 7") },
  { ROW ("descriptor", "sigma-position", descriptor.sigma_position, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, position"), .formula = "exp(−(u − ζ_z)²/σ²)", .equation = "(12)",
    .help = N_ ("Width of the Gaussians over the position in a patch, which runs from 0 to 1."),
    .more = N_ ("Neighbouring positions are blurred together."), .less = N_ ("Positions are told apart more sharply."),
    .typical = N_ ("0.1 to 0.5") },
  { ROW ("descriptor", "sigma-luminance", descriptor.sigma_luminance, REAL, "0.25"), LOG_RANGE (1e-4, 100),
    .symbol = "σ", .label = N_ ("Width, luminance"), .formula = "exp(−(u − ζ_z)²/σ²)", .equation = "(12)",
    .help = N_ ("Width of the Gaussians over luminance, which runs from 0 to 1."),
    .more = N_ ("Similar intensities are blurred together."), .less = N_ ("Intensities are told apart more sharply."),
    .typical = N_ ("0.1 to 0.5") },
  { ROW ("descriptor", "sigma-opponent", descriptor.sigma_opponent, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, colour"), .formula = "exp(−(u − ζ_z)²/σ²)", .equation = "(12)",
    .help = N_ ("Width of the Gaussians over the two opponent colours."),
    .more = N_ ("Similar colours are blurred together."), .less = N_ ("Colours are told apart more sharply."),
    .typical = N_ ("0.1 to 0.5") },
  { ROW ("descriptor", "sigma-first", descriptor.sigma_first, REAL, "0.1"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, first derivatives"), .formula = "exp(−(u − ζ_z)²/σ²)", .equation = "(12)",
    .help = N_ ("Width of the Gaussians over the first derivatives of the image."),
    .more = N_ ("Weak and strong edges are blurred together."),
    .less = N_ ("Strengths of edges are told apart more sharply."), .typical = N_ ("0.05 to 0.2") },
  { ROW ("descriptor", "sigma-second", descriptor.sigma_second, REAL, "0.15"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, second derivatives"), .formula = "exp(−(u − ζ_z)²/σ²)", .equation = "(12)",
    .help = N_ ("Width of the Gaussians over the second derivatives of the image."),
    .more = N_ ("Weak and strong ridges are blurred together."),
    .less = N_ ("Strengths of ridges are told apart more sharply."), .typical = N_ ("0.05 to 0.3") },
  { ROW ("descriptor", "range-first", descriptor.range_first, REAL, "0.25"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, first derivatives"), .formula = "u ∈ [−r, r]",
    .help = N_ ("First derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong edges are told apart, with fewer pivots for the weak ones."),
    .less = N_ ("Weak edges are told apart; all strong ones count as equal."), .typical = N_ ("0.1 to 0.5") },
  { ROW ("descriptor", "range-second", descriptor.range_second, REAL, "0.5"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, second derivatives"), .formula = "u ∈ [−r, r]",
    .help = N_ ("Second derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong ridges are told apart, with fewer pivots for the weak ones."),
    .less = N_ ("Weak ridges are told apart; all strong ones count as equal."), .typical = N_ ("0.2 to 1") },
  { ROW ("descriptor", "range-opponent", descriptor.range_opponent, REAL, "0.7071067811865476"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, colour"), .formula = "u ∈ [−r, r]",
    .help
    = N_ ("Opponent colours are clamped to plus or minus this value; the pivots are spread over it. The red-green "
          "axis ends at 1/√2."),
    .more = N_ ("Saturated colours are told apart, with fewer pivots for pale ones."),
    .less = N_ ("Pale colours are told apart; all saturated ones count as equal."), .typical = N_ ("0.2 to 0.7") },
  { ROW ("descriptor", "gamma-eigen", descriptor.gamma_eigen, REAL, "1"), RANGE (0.01, 1), .symbol = "γₑ",
    .label = N_ ("Whitening"), .formula = "E = X ×₁A′ ×₂A′ ×₃A′,  E ← sgn(E)|E|^γₑ", .equation = "(15)–(20)",
    .help = N_ ("Exponent of the core of every tensor, which is the tensor seen along the eigenvectors A of its own "
                "correlations; of a matrix, of its eigenvalues. Below 1 it levels strong and weak correlations before "
                "anything is learned; slices of tensors are then no longer sure to be positive semi-definite. With 1 "
                "it is off."),
    .more = N_ ("Tensors stay closer to what was measured; at 1 the few strongest correlations dominate."),
    .less = N_ ("Weak correlations weigh nearly as much as strong ones, and so does noise."),
    .typical = N_ ("0.5, or 1 to leave it off") },
  { ROW ("descriptor", "gamma-coefficient", descriptor.gamma_coefficient, REAL, "1"), RANGE (0.01, 1), .symbol = "γ_c",
    .label = N_ ("Entry power"), .formula = "X ← sgn(X)|X|^γ_c", .equation = "(15)–(20)",
    .help = N_ ("Exponent of every entry of a tensor, its sign kept, after whitening of its core. Below 1 large "
                "entries count less and slices are no longer sure to be positive semi-definite. With 1 it is off."),
    .more = N_ ("Large entries dominate."), .less = N_ ("Small entries weigh nearly as much as large ones."),
    .typical = N_ ("0.7 to 1") },

  { ROW ("dictionary", "atoms", dictionary.atoms, INTEGER, "200"), LOG_RANGE (1, 100000), .symbol = "K",
    .label = N_ ("Atoms"), .formula = "X ≈ Σₖ αₖ Bₖ ⊗ bₖ,  k = 1 … K", .equation = "(5)",
    .help = N_ ("Number of atoms in the dictionary: each is a positive semi-definite matrix B and a vector b, and a "
                "tensor becomes a sparse sum of them."),
    .more
    = N_ ("Closer reconstruction and usually better accuracy; learning and coding take longer, and too many overfit."),
    .less = N_ ("Faster and more compact, with larger reconstruction errors."), .typical = N_ ("20 to 2000") },
  { ROW ("dictionary", "scheme", dictionary.scheme, CHOICE, "psd"), .choices = schemes, .symbol = "Bₖ",
    .label = N_ ("Kind of atoms"), .formula = "Bₖ ⪰ 0, tr Bₖ ≤ 1", .equation = "(5)",
    .help
    = N_ ("What an atom's matrix may be: psd is positive semi-definite with trace at most 1, low-rank also limits "
          "its rank, free drops positive semi-definiteness and limits the Frobenius norm. With full an atom is a "
          "third-order tensor of its own, every slice positive semi-definite, as in problem (2): it has so many "
          "numbers that it overfits, and is there to show that. The side may be 10 at the most.") },
  { ROW ("dictionary", "rank", dictionary.rank, INTEGER, ""), RANGE (1, 1000), .symbol = "R", .label = N_ ("Rank"),
    .formula = "rank Bₖ ≤ R",
    .help = N_ ("Largest rank of an atom's matrix in the low-rank scheme. Left empty it is half of the side d."),
    .more = N_ ("Atoms may describe richer slices; at d the scheme equals psd."),
    .less = N_ ("Simpler atoms that need more of each other to rebuild a slice."), .typical = N_ ("2 to d/2") },
  { ROW ("dictionary", "lambda", dictionary.lambda, REAL, "2e-3"), LOG_RANGE (0, 10000), .symbol = "λ",
    .label = N_ ("Sparsity"), .formula = "Σ‖Xˢ − Σₖ Bₖβₖˢ‖² + γ‖βˢ − bˢ∘α‖² + λ‖α‖₁", .equation = "(5)",
    .help
    = N_ ("Price of every unit of a code while learning, counted once for each tensor. Tensors have a mean square "
          "norm of 1, so it means the same on every data set."),
    .more
    = N_ ("Fewer atoms are used for a tensor, and it is rebuilt less closely. Beyond a limit all codes are zero."),
    .less = N_ ("Closer reconstruction by more atoms; coding takes longer."), .typical = N_ ("10⁻⁴ to 10⁻¹") },
  { ROW ("dictionary", "gamma", dictionary.gamma, REAL, "1"), LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE,
    .symbol = "γ", .label = N_ ("Proximity"), .formula = "γ‖βˢ − bˢ∘α‖²", .equation = "(5)",
    .help
    = N_ ("How strongly the weights of a tensor's slices are tied to its one code while learning. With inf they are "
          "equal, which is problem (3) of the paper."),
    .more = N_ ("One code must explain all slices, as in the exact model."),
    .less = N_ ("Slices may deviate from the shared code, which forgives what atoms cannot express."),
    .typical = N_ ("0.1 to 100, or inf") },
  { ROW ("dictionary", "iterations", dictionary.iterations, INTEGER, "50"), RANGE (1, 100000),
    .label = N_ ("Iterations"),
    .help = N_ ("Most iterations of learning. Each codes every tensor once and then updates every atom once."),
    .more = N_ ("A lower objective, with less and less gain."), .less = N_ ("Faster, with a higher objective."),
    .typical = N_ ("10 to 50") },
  { ROW ("dictionary", "tolerance", dictionary.tolerance, REAL, "1e-4"), LOG_RANGE (0, 1), .label = N_ ("Tolerance"),
    .help = N_ ("Learning stops when an iteration lowers the objective by less than this fraction of it. With 0 it "
                "always goes on to the last iteration."),
    .more = N_ ("Learning stops earlier."), .less = N_ ("Learning goes on for smaller gains."),
    .typical = N_ ("10⁻⁵ to 10⁻³") },
  { ROW ("dictionary", "solver", dictionary.solver, CHOICE, "exact"), .choices = solvers, .label = N_ ("Solver"),
    .help
    = N_ ("How the objective is lowered: exact finds the minimum over every block at once, beta minimised out. The "
          "other two are the paper's, to compare with: pqn does the same with general optimisers (projected "
          "quasi-Newton, bounded L-BFGS), gradient takes steps of one length. Both store beta for every tensor, "
          "d times as many numbers as the codes, and take far longer.") },
  { ROW ("dictionary", "eta", dictionary.eta, REAL, ""), LOG_RANGE (1e-9, 1e6), .symbol = "η",
    .label = N_ ("Step size"), .formula = "Bₖ ← Pro(Bₖ − η ∂f/∂Bₖ)",
    .help = N_ ("Length of the steps of the gradient solver, on the mean objective of a tensor. Left empty it is the "
                "inverse of the largest curvature of a block at the start."),
    .more = N_ ("Faster. Beyond twice the inverse of the curvature the objective rises."),
    .less = N_ ("Slower, and surer to fall."), .typical = N_ ("empty, or 10⁻⁴ to 10⁻¹") },
  { ROW ("dictionary", "sample", dictionary.sample, INTEGER, "20000"), LOG_RANGE (1, 100000000), .symbol = "N",
    .label = N_ ("Tensors to learn from"),
    .help
    = N_ ("Most tensors from which the dictionary is learned, drawn at random without repetition from the training "
          "part."),
    .more = N_ ("Atoms fit the data better; memory and time grow in proportion."),
    .less = N_ ("Faster learning of less representative atoms. There must be at least as many as atoms."),
    .typical = N_ ("5000 to 50000") },
  { ROW ("dictionary", "minibatch", dictionary.minibatch, INTEGER, "0"), LOG_RANGE (0, 100000000),
    .label = N_ ("Batch"),
    .help
    = N_ ("Tensors that learning takes into memory at a time; each batch improves the dictionary, and an iteration "
          "goes through all of them. With 0 all tensors are kept in memory and learned from at once."),
    .more = N_ ("Steadier steps in more memory, and fewer of them in an iteration."),
    .less = N_ ("Less memory. There must be at least as many tensors in a batch as atoms."),
    .typical = N_ ("0, or 4000 to 20000") },
  { ROW ("dictionary", "forgetting", dictionary.forgetting, REAL, "10"), RANGE (0, 1000), .allow_infinite = TRUE,
    .symbol = "ρ", .formula = "(1 − 1/t)^ρ", .label = N_ ("Forgetting"),
    .help = N_ ("How fast older batches lose their weight against the one at hand: after t batches, batch s weighs "
                "(s/t)^ρ. With 0 nothing is forgotten, with inf only the batch at hand counts."),
    .more = N_ ("Old codes, found with worse atoms, fade sooner; steps are noisier."),
    .less = N_ ("Steadier atoms that take longer to settle."), .typical = N_ ("2 to 20") },
  { ROW ("dictionary", "seed", dictionary.seed, SEED, "1"), .label = N_ ("Seed of learning"),
    .help = N_ ("Start of the random numbers that draw the tensors to learn from and the first atoms.") },
  { ROW ("dictionary", "init", dictionary.init, CHOICE, "slices"), .choices = inits, .label = N_ ("First atoms"),
    .help = N_ ("The atoms that learning begins with: slices takes projected slices of sampled tensors, random takes "
                "projected normal matrices and weights uniform on the simplex, which know nothing of the data.") },
  { ROW ("dictionary", "source", dictionary.source, CHOICE, "learned"), .choices = sources, .label = N_ ("Atoms used"),
    .help
    = N_ ("Which atoms tensors are coded with. With random the learned ones are only a model: as many new ones are "
          "drawn from the Gaussian with the mean and covariance of all (B, b), and projected onto their "
          "constraints. It is the baseline that shows what learning is worth (section 6.5).") },
  { ROW ("dictionary", "signed-b", dictionary.signed_b, BOOLEAN, "false"), .symbol = "bₖ", .formula = "‖bₖ‖₁ ≤ 1",
    .equation = "(5)", .label = N_ ("Signed vectors"),
    .help
    = N_ ("Whether the vectors b of atoms may have negative entries. Slices rebuilt by psd atoms are then no longer "
          "sure to be positive semi-definite.") },

  { ROW ("coding", "method", coding.method, CHOICE, "sparse"), .choices = coding_methods, .label = N_ ("Method"),
    .formula = "α,  log(C + ε tr(C)/d · I),  X",
    .help = N_ ("What of a patch is pooled: sparse is its code, the few atoms of a learned dictionary that rebuild it. "
                "The others learn nothing and are there to compare with: raw is the tensor or matrix itself, "
                "log-euclidean the logarithm of a covariance or autocorrelation matrix, which turns distances between "
                "such matrices into ordinary ones.") },
  { ROW ("coding", "lambda", coding.lambda, REAL, ""), LOG_RANGE (0, 10000), .symbol = "λ", .label = N_ ("Sparsity"),
    .formula = "min α′Hα − 2q′α + λ‖α‖₁", .equation = "(5)",
    .help
    = N_ ("Price of every unit of a code once the dictionary is learned. Left empty it is the one of the dictionary."),
    .more = N_ ("Sparser codes, faster coding, larger errors."),
    .less = N_ ("Codes with more non-zeros that rebuild tensors more closely."), .typical = N_ ("10⁻⁴ to 10⁻¹") },
  { ROW ("coding", "gamma", coding.gamma, REAL, ""), LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE, .symbol = "γ",
    .label = N_ ("Proximity"), .formula = "W = (I + VV′/γ)⁻¹", .equation = "(5)",
    .help
    = N_ ("How strongly slices are tied to the shared code once the dictionary is learned. Left empty it is the one "
          "of the dictionary."),
    .more = N_ ("One code must explain all slices."), .less = N_ ("Slices may deviate from the shared code."),
    .typical = N_ ("0.1 to 100, or inf") },
  { ROW ("coding", "signed-alpha", coding.signed_alpha, BOOLEAN, "false"), .symbol = "α", .formula = "α ≥ 0",
    .equation = "(5)", .label = N_ ("Signed codes"),
    .help
    = N_ ("Whether codes may be negative, in learning and in coding. Non-negative codes only add atoms, which keeps "
          "rebuilt slices positive semi-definite.") },
  { ROW ("coding", "nonnegative-beta", coding.nonnegative_beta, BOOLEAN, "false"), .symbol = "β", .formula = "β ≥ 0",
    .equation = "(5)", .label = N_ ("Non-negative weights"),
    .help = N_ ("Whether the weights of a tensor's slices must not be negative, in learning and in coding, so that "
                "rebuilt slices are sums of atoms. Then β is found together with α, which takes many times as long as "
                "with free β.") },

  { ROW ("pooling", "kind", pooling.kind, CHOICE, "average"), .choices = pool_kinds, .label = N_ ("Pooling"),
    .formula = "uₙ = |aₙ| / max|a|",
    .help = N_ ("How the codes of all patches of a sample become one signature: average tells how much of each atom "
                "there is, max whether it occurs at all, at-n averages the largest few, gamma is a power of the "
                "average. The others read codes, divided by the sample's largest one, as chances: exapro is the chance "
                "that at least one patch has the atom, maxexp the same for that many patches like the average one, "
                "axmin a straight line up to 1 that approximates it.") },
  { ROW ("pooling", "parameter", pooling.parameter, REAL, ""), LOG_RANGE (1e-3, 1e6), .symbol = "p",
    .label = N_ ("Pooling parameter"), .formula = "1 − (1 − ū)ᵖ,  sgn(ā)|ā|ᵖ,  min(p Σuₙ, 1),  p largest aₙ",
    .help = N_ ("The number that a kind of pooling needs: trials for maxexp, from 1 on; exponent for gamma, at most 1; "
                "slope for axmin; how many codes at-n averages, a whole number. Left empty it is the number of "
                "patches, 0.5, 1 and 5."),
    .more
    = N_ ("Closer to whether an atom occurs, until all atoms seem to (maxexp, axmin); closer to the average (gamma, "
          "at-n)."),
    .less = N_ ("Closer to the average (maxexp, axmin), or to whether an atom occurs (gamma, at-n)."),
    .typical = N_ ("empty; fewer trials than patches or a slope below 1 where most chances reach 1") },
  { ROW ("pooling", "power", pooling.power, REAL, "0.4"), RANGE (0.01, 2), .symbol = "p", .label = N_ ("Power"),
    .formula = "sgn(h)|h|ᵖ",
    .help = N_ ("Exponent applied to every entry of a pooled signature, with its sign kept. With 1 it does nothing."),
    .more = N_ ("Frequent atoms dominate the signature."),
    .less = N_ ("Rare atoms weigh nearly as much as frequent ones."), .typical = N_ ("0.3 to 1") },
  { ROW ("pooling", "normalise", pooling.l2, CHOICE, "l2"), .choices = normalisations, .formula = "h / ‖h‖₂",
    .label = N_ ("Normalisation"),
    .help
    = N_ ("Whether signatures are divided by their Euclidean norm, so that samples of low contrast count as much as "
          "those of high contrast.") },

  { ROW ("classifier", "c", classifier.c, REAL, "100"), LOG_RANGE (1e-6, 1e9), .symbol = "C", .label = N_ ("SVM cost"),
    .formula = "½‖w‖² + C Σᵢ max(0, 1 − tᵢ w′xᵢ)²",
    .help = N_ ("Weight of the errors on training samples against the width of the margin in the linear SVM."),
    .more = N_ ("Training samples are fitted more closely, at some risk of overfitting."),
    .less = N_ ("A wider margin that lets more training samples be wrong."), .typical = N_ ("1 to 1000") },
  { ROW ("classifier", "choose-c", classifier.choose_c, BOOLEAN, "false"), .label = N_ ("Choose C"),
    .formula = "C ∈ {0.1, 1, 10, 100, 1000, 10⁴}",
    .help = N_ ("Whether C is chosen anew in each split, by cross-validation: the training part is cut into five, each "
                "fifth is classified by what the other four teach, and the C that gets most samples right is taken. "
                "Tests are never looked at; training takes some thirty times as long.") },
};

static const struct
{
  const char *group, *label;
} groups[] = {
  { "dataset", N_ ("Data") },  { "descriptor", N_ ("Descriptor") }, { "dictionary", N_ ("Dictionary") },
  { "coding", N_ ("Coding") }, { "pooling", N_ ("Pooling") },       { "classifier", N_ ("Classifier") },
};

const TosstParameter *
tosst_parameters (guint *n)
{
  if (n)
    *n = G_N_ELEMENTS (parameters);
  return parameters;
}

const TosstParameter *
tosst_parameter_find (const char *name)
{
  const char *dot = strchr (name, '.');

  if (!dot)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    {
      const TosstParameter *p = &parameters[i];

      if (strlen (p->group) == (gsize)(dot - name) && strncmp (p->group, name, dot - name) == 0
          && strcmp (p->key, dot + 1) == 0)
        return p;
    }
  return NULL;
}

const char *
tosst_parameter_group_label (const char *group)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (strcmp (groups[i].group, group) == 0)
      return groups[i].label;
  return group;
}

/* Levenshtein distance, one row at a time. */
static guint
edit_distance (const char *a, const char *b)
{
  guint row[65], na = strlen (a), nb = strlen (b);

  if (na > 64 || nb > 64)
    return G_MAXUINT;
  for (guint j = 0; j <= nb; j++)
    row[j] = j;
  for (guint i = 1; i <= na; i++)
    {
      guint diagonal = row[0];

      row[0] = i;
      for (guint j = 1; j <= nb; j++)
        {
          guint above = row[j];

          row[j] = MIN (MIN (row[j] + 1, row[j - 1] + 1), diagonal + (a[i - 1] != b[j - 1]));
          diagonal = above;
        }
    }
  return row[nb];
}

static void
consider (const char *wrong, const char *candidate, guint *best, const char **guess)
{
  guint distance = edit_distance (wrong, candidate);

  if (distance < *best)
    {
      *best = distance;
      *guess = candidate;
    }
}

const char *
tosst_parameter_guess_group (const char *wrong)
{
  const char *guess = NULL;
  guint best = 3;

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    consider (wrong, groups[i].group, &best, &guess);
  return guess;
}

const char *
tosst_parameter_guess_key (const char *group, const char *wrong)
{
  const char *guess = NULL;
  guint best = MIN (3, MAX (2, strlen (wrong) / 2));

  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (strcmp (parameters[i].group, group) == 0)
      consider (wrong, parameters[i].key, &best, &guess);
  return guess;
}
