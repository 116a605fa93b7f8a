/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [descriptor] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const descriptor_kinds[]
    = { "linear",   "rbf", "covariance",       "autocorrelation",      "sift",
        "features", "lbp", "image-covariance", "invariant-covariance", "combined",
        NULL };
static const char *const feature_kinds[] = { "linear", "rbf", NULL };
static const char *const local_normalisations[] = { "none", "l2", "root", NULL };
static const char *const frame_sources[] = { "grid", "dense-scales", "keypoints", NULL };
static const char *const detectors[] = { "hessian", "dog", NULL };
static const char *const shapes[] = { "similarity", "affine", NULL };
static const char *const spatials[] = { "none", "spm", NULL };
static const char *const region_counts[] = { "0", "5", NULL };

static const TosstParameter rows[] = {
  { ROW ("descriptor", "kind", descriptor.kind, CHOICE, "rbf"), BASIC, .choices = descriptor_kinds,
    .label = N_ ("Descriptor"), .equation = "(1)",
    .formula = "\\cal{X} = \\frac{1}{N} \\sum_n x_n \\otimes x_n \\otimes x_n \\\\ C = \\frac{1}{N - 1} \\sum_n (x_n - "
               "\\bar{x})(x_n - \\bar{x})^\\T \\\\ R = \\frac{1}{N} \\sum_n x_n x_n^\\T",
    .help = N_ ("Descriptor of a patch. linear and rbf are third-order tensors: of position, intensity and derivatives "
                "themselves, or of each of them expressed by Gaussian pivots, so that the tensor records which values "
                "occur together, not only how they correlate. covariance and autocorrelation are matrices for "
                "comparison: of the features of a patch about their mean, and about zero. sift and features "
                "describe a whole image by one tensor of its local features: dense SIFT, or vectors that other "
                "programs have written to files, such as the feature maps of a network. lbp, image-covariance and "
                "invariant-covariance describe a whole sample by few numbers: histograms of local binary patterns at "
                "three scales, the log-Euclidean covariance of intensity and derivatives at three scales, and that of "
                "derivatives at six scales that stay the same when an image turns. combined adds "
                "the similarities of several methods, which descriptor.parts names."),
    .more = N_ ("Matrices, tensors, tensors of Gaussian pivots: each captures more co-occurrence, with more numbers."),
    .less = N_ ("covariance is the smallest and fastest, and captures only how pairs of features vary together."),
    .typical = N_ ("rbf for textures, sift for photographs of objects, image-covariance where time is short, "
                   "invariant-covariance where textures are turned"),
    .attempt = N_ ("Run linear, then rbf, with the same atoms: how much accuracy do pivots add?") },
  { ROW ("descriptor", "parts", descriptor.parts, TEXT, ""), .label = N_ ("Parts"), .formula = "k = \\sum_p w_p k_p",
    .help
    = N_ ("Methods whose similarities are added, by name, separated by semicolons; tosst compare --list lists "
          "them. Each has a recipe of its own: the values of the method, and those of this recipe for all others."),
    .more = N_ ("Methods that err on different images correct each other; each takes its own time and memory."),
    .less = N_ ("Faster."), .typical = N_ ("two or three"),
    .attempt = N_ ("Compare the parts alone, then combine the best with the one that differs most from it.") },
  { ROW ("descriptor", "weights", descriptor.weights, TEXT, ""), .label = N_ ("Weights of the parts"), .symbol = "w",
    .formula = "k = \\sum_p w_p k_p, \\quad \\sum_p w_p = 1",
    .help = N_ ("Weights of the parts, separated by semicolons, which are divided by their sum. Left empty they "
                "follow the leave-one-out errors of the parts on the training samples of each split; with choose "
                "they are searched for so that the leave-one-out error of the sum is smallest."),
    .typical = N_ ("empty"), .more = N_ ("A part with a larger weight decides more."),
    .less = N_ ("A part of weight 0 is computed and has no effect."),
    .attempt = N_ ("Choose them and look at the weights of each split in the report: do they agree?") },
  { ROW ("descriptor", "features", descriptor.features, CHOICE, "linear"), .choices = feature_kinds,
    .label = N_ ("Features"), .equation = "(8)", .formula = "x = [x, y, I, I_x, I_y, I_{xx}, I_{yy}, O_1, O_2]^\\T",
    .help = N_ ("Features of a pixel in a covariance or autocorrelation matrix: linear uses position, intensity and "
                "derivatives themselves; rbf expresses each of them by Gaussian pivots."),
    .more = N_ ("rbf distinguishes values of a feature, so that a matrix records which of them occur together; its "
                "size grows with the square of the pivots."),
    .less = N_ ("linear is small and fast, and captures linear relations only."), .typical = N_ ("rbf"),
    .attempt = N_ ("Choose covariance and switch between the two.") },
  { ROW ("descriptor", "luminance", descriptor.luminance, BOOLEAN, "true"), BASIC, .symbol = "I", .equation = "(8)",
    .label = N_ ("Luminance"), .formula = "x = [x, y, I, I_x, I_y, \\dots]^\\T",
    .help = N_ ("Whether the intensity of a pixel is a feature beside its position and derivatives. Without it the "
                "descriptor does not depend on overall brightness."),
    .more = N_ ("Dark and bright textures of the same structure are distinguished."),
    .less = N_ ("Overall brightness has no effect, nor have its slow changes over the image."), .typical = N_ ("on"),
    .attempt = N_ ("Switch it off: which classes in the confusion matrix were distinguished by brightness alone?") },
  { ROW ("descriptor", "opponent", descriptor.opponent, BOOLEAN, "false"), .symbol = "O₁, O₂", .equation = "(8)",
    .label = N_ ("Opponent colour"),
    .formula = "O_1 = \\frac{R - G}{\\sqrt{2}}, \\quad O_2 = \\frac{R + G - 2B}{\\sqrt{6}}",
    .help = N_ ("Whether two colour differences, red against green and yellow against blue, are features too. In grey "
                "images both are zero."),
    .more = N_ ("Colour distinguishes classes, in tensors of 2 Z more rows."),
    .less = N_ ("Only grey values are used."), .typical = N_ ("on for coloured images, else off"),
    .attempt = N_ ("Switch it on with the sample textures: which errors disappear?") },
  { ROW ("descriptor", "absolute", descriptor.absolute, BOOLEAN, "false"), .symbol = "|Iₓ|",
    .label = N_ ("Absolute derivatives"),
    .formula = "I_x \\leftarrow \\abs{I_x}, \\quad I_{xx} \\leftarrow \\abs{I_{xx}}",
    .help = N_ ("Whether derivatives are taken by absolute value. The descriptor then does not distinguish edges from "
                "dark to bright and from bright to dark, and linear features other than colour are non-negative, as "
                "Definition 1 requires."),
    .more = N_ ("Linear features have no signs: their slices are positive semi-definite, as Definition 1 requires."),
    .less = N_ ("Edges from dark to bright differ from those from bright to dark."),
    .typical = N_ ("off for rbf; on for linear"),
    .attempt = N_ ("With linear features, look in Inspect at the eigenvalues with it on and off.") },
  { ROW ("descriptor", "patch", descriptor.patch, INTEGER, "20"), BASIC, RANGE (2, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch"), .equation = "(1)",
    .formula = "\\cal{X} = \\frac{1}{N} \\sum_{n=1}^{N} x_n \\otimes x_n \\otimes x_n, \\quad N = \\text{patch}^2",
    .help = N_ ("Side of the square region whose pixels are averaged into one tensor."),
    .more = N_ ("Each tensor covers a larger piece of texture and is more stable; small structures are averaged away."),
    .less = N_ ("Tensors describe finer detail and are noisier; more of them fit into a block."),
    .typical = N_ ("16 to 40"), .attempt = N_ ("Double it and drag λ in Inspect: do larger patches need more atoms?") },
  { ROW ("descriptor", "step", descriptor.step, INTEGER, "10"), BASIC, RANGE (1, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch step"), .formula = "n = (\\frac{w - \\text{patch}}{\\text{step}} + 1)^2",
    .help = N_ ("Distance from one patch to the next, in both directions."),
    .more = N_ ("Fewer patches: faster, with less to pool."),
    .less
    = N_ ("More patches that overlap more: slower, with smoother signatures. Halving it takes four times as long."),
    .typical = N_ ("half of the patch"),
    .attempt = N_ ("Halve it once: is the gain in accuracy worth four times as long?") },
  { ROW ("descriptor", "frames", descriptor.frames, CHOICE, "grid"), ADDED, BASIC, .choices = frame_sources,
    .label = N_ ("Frames"), .formula = "x = t + A u",
    .help = N_ ("Where patches and SIFT descriptors are taken in an image: grid, at regular distances and fixed sizes; "
                "dense-scales, on a grid at sizes that grow by √2; keypoints, at spots that a detector finds, in their "
                "size and direction, so that descriptors move with a surface that is rotated or seen from another "
                "distance."),
    .more = N_ ("keypoints does not depend on rotation and scale, dense-scales only little on scale."),
    .less = N_ ("grid uses every part of an image and distinguishes directions and sizes."),
    .typical = N_ ("keypoints for photographs from many distances, grid for images of one size and direction"),
    .attempt = N_ ("Turn some images by 90 degrees and compare keypoints with grid.") },
  { ROW ("descriptor", "detector", descriptor.detector, CHOICE, "dog"), .choices = detectors, .label = N_ ("Detector"),
    .formula = "σ^4 (I_{xx} I_{yy} - I_{xy}^2), \\quad I_{2^{1/3} σ} - I_σ",
    .help = N_ ("What keypoints are: hessian takes maxima of the determinant of second derivatives over place and "
                "scale, dog extrema of differences of Gaussians, as SIFT does."),
    .more = N_ ("dog finds fewer keypoints, on spots alone."), .less = N_ ("hessian finds more, on spots and saddles."),
    .typical = N_ ("dog; hessian for affine shapes"), .attempt = N_ ("Look at both in Data.") },
  { ROW ("descriptor", "shape", descriptor.affine, CHOICE, "similarity"), .choices = shapes, .label = N_ ("Shape"),
    .formula = "A = s R, \\quad A = s L R",
    .help = N_ ("Shape of a keypoint: similarity is a circle; affine an ellipse in which gradients are equally strong "
                "in all directions, so that descriptors also change less when a surface is tilted."),
    .more = N_ ("affine follows tilted surfaces; textures that differ by stretching look alike."),
    .less = N_ ("similarity is faster and distinguishes more."), .typical = N_ ("similarity"),
    .attempt = N_ ("Compare both with photographs taken at an angle.") },
  { ROW ("descriptor", "upright", descriptor.upright, BOOLEAN, "false"), .label = N_ ("Upright"), .formula = "R = 1",
    .help = N_ ("Whether keypoints are not turned into the dominant direction of their gradients. One with several "
                "such directions is used once for each unless it is upright."),
    .more = N_ ("Directions are distinguished: better where images have one orientation, as photographs of scenes."),
    .less = N_ ("Descriptors do not depend on rotation."), .typical = N_ ("off for textures"),
    .attempt = N_ ("Compare both: does the direction of your textures carry information?") },
  { ROW ("descriptor", "most", descriptor.most, INTEGER, "2000"), LOG_RANGE (0, 1000000),
    .label = N_ ("Frames of an image"), .formula = "n \\le \\text{most}",
    .help = N_ ("Largest number of frames of an image: the keypoints of strongest response are kept, and the grid of "
                "dense-scales has larger distances. With 0 all are used."),
    .more = N_ ("More certain signatures of large images, in more time."), .less = N_ ("Faster."),
    .typical = N_ ("500 to 5000"), .attempt = N_ ("Halve it: how much accuracy do the weaker keypoints add?") },
  { ROW ("descriptor", "photometric", descriptor.photometric, BOOLEAN, "false"), ADDED, .label = N_ ("Normalise light"),
    .formula = "I \\leftarrow \\frac{1}{2} + \\frac{I - \\bar{I}}{5 s}",
    .help = N_ ("Whether the brightness and contrast of every patch are removed before its features are computed: its "
                "mean becomes 0.5 and its deviation 0.2. SIFT does not depend on them anyway."),
    .more = N_ ("Shadows and exposure have no effect; nor has the brightness of a material."),
    .less = N_ ("Brightness and contrast distinguish materials."),
    .typical = N_ ("off, on for photographs in changing light"),
    .attempt = N_ ("Darken some images and compare both.") },
  { ROW ("descriptor", "finest", descriptor.finest, REAL, "1.6"), LOG_RANGE (0.25, 100), .unit = N_ ("px"),
    .label = N_ ("Finest scale"), .formula = "σ_l = \\text{finest} \\cdot 2^{\\frac{l}{2}}",
    .help
    = N_ ("Scale of the smallest frames of dense-scales; the next ones are larger by √2. A SIFT descriptor covers "
          "12 scales."),
    .more = N_ ("Coarser texture is described, and noise is not."),
    .less = N_ ("Finer texture is described, which small images of equal distance have."), .typical = N_ ("0.7 to 2"),
    .attempt = N_ ("Halve it for images of 200 pixels.") },
  { ROW ("descriptor", "pivots", descriptor.pivots, INTEGER, "5"), BASIC, RANGE (2, 32), .symbol = "Z",
    .label = N_ ("Pivots"), .equation = "(11)–(13)",
    .formula = "φ_z(u) = \\exp(-\\frac{(u - ζ_z)^2}{σ^2}), \\quad z = 1 \\dots Z \\\\ d = Z \\cdot \\text{features}, "
               "\\quad m = \\frac{d(d + 1)(d + 2)}{6}",
    .help
    = N_ ("Number of Gaussians, spread evenly over the range of a feature, by which rbf features express its value."),
    .more
    = N_ ("Values are distinguished more finely; the side d of a tensor grows in proportion, its size with the cube."),
    .less = N_ ("Smaller tensors and faster runs; values are distinguished more coarsely."), .typical = N_ ("3 to 7"),
    .attempt = N_ ("Try 3: tensors have about a fifth of the numbers. What does it cost in accuracy?") },
  { ROW ("descriptor", "sigma-position", descriptor.sigma_position, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, position"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the position in a patch, which runs from 0 to 1."),
    .more = N_ ("Neighbouring positions are blurred together."),
    .less = N_ ("Positions are distinguished more sharply."), .typical = N_ ("0.1 to 0.5"),
    .attempt = N_ ("Make it 0.05 and look at the slices of y in Inspect: bands appear.") },
  { ROW ("descriptor", "sigma-luminance", descriptor.sigma_luminance, REAL, "0.25"), LOG_RANGE (1e-4, 100),
    .symbol = "σ", .label = N_ ("Width, luminance"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over luminance, which runs from 0 to 1."),
    .more = N_ ("Similar intensities are blurred together."),
    .less = N_ ("Intensities are distinguished more sharply."), .typical = N_ ("0.1 to 0.5"),
    .attempt = N_ ("Double it: do neighbouring pivots of I still differ in Inspect?") },
  { ROW ("descriptor", "sigma-opponent", descriptor.sigma_opponent, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, colour"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the two opponent colours."),
    .more = N_ ("Similar colours are blurred together."), .less = N_ ("Colours are distinguished more sharply."),
    .typical = N_ ("0.1 to 0.5"),
    .attempt = N_ ("Double it with coloured images, and compare the classes of pale colours.") },
  { ROW ("descriptor", "sigma-first", descriptor.sigma_first, REAL, "0.1"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, first derivatives"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the first derivatives of the image."),
    .more = N_ ("Weak and strong edges are blurred together."),
    .less = N_ ("Strengths of edges are distinguished more sharply."), .typical = N_ ("0.05 to 0.2"),
    .attempt = N_ ("Halve it: weak edges begin to distinguish classes.") },
  { ROW ("descriptor", "sigma-second", descriptor.sigma_second, REAL, "0.15"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, second derivatives"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the second derivatives of the image."),
    .more = N_ ("Weak and strong ridges are blurred together."),
    .less = N_ ("Strengths of ridges are distinguished more sharply."), .typical = N_ ("0.05 to 0.3"),
    .attempt = N_ ("Halve it together with the one of first derivatives.") },
  { ROW ("descriptor", "range-first", descriptor.range_first, REAL, "0.25"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, first derivatives"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help = N_ ("First derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong edges are distinguished, with fewer pivots for the weak ones."),
    .less = N_ ("Weak edges are distinguished; all strong ones are equal."), .typical = N_ ("0.1 to 0.5"),
    .attempt = N_ ("Set it to 0.1: all edges of a strong texture are equal.") },
  { ROW ("descriptor", "range-second", descriptor.range_second, REAL, "0.5"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, second derivatives"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help = N_ ("Second derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong ridges are distinguished, with fewer pivots for the weak ones."),
    .less = N_ ("Weak ridges are distinguished; all strong ones are equal."), .typical = N_ ("0.2 to 1"),
    .attempt = N_ ("Set it to 0.2 and look at the outer pivots of I_xx in Inspect.") },
  { ROW ("descriptor", "range-opponent", descriptor.range_opponent, REAL, "0.7071067811865476"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, colour"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help
    = N_ ("Opponent colours are clamped to plus or minus this value; the pivots are spread over it. The red-green "
          "axis ends at 1/√2."),
    .more = N_ ("Saturated colours are distinguished, with fewer pivots for pale ones."),
    .less = N_ ("Pale colours are distinguished; all saturated ones are equal."), .typical = N_ ("0.2 to 0.7"),
    .attempt = N_ ("Set it to 0.3 for pale images.") },
  { ROW ("descriptor", "gamma-eigen", descriptor.gamma_eigen, REAL, "1"), BASIC, RANGE (0.01, 1), .symbol = "γₑ",
    .label = N_ ("Whitening"), .equation = "(15)–(20)",
    .formula = "E = \\cal{X} \\times_1 A^\\T \\times_2 A^\\T \\times_3 A^\\T \\\\ E \\leftarrow \\sgn(E)\\abs{E}^{γ_e}",
    .help = N_ ("Exponent of the core of every tensor, which is the tensor in the eigenvectors A of its own "
                "correlations; of a matrix, of its eigenvalues. Below 1 it levels strong and weak correlations before "
                "learning; slices of tensors are then not guaranteed to be positive semi-definite. With 1 it is off."),
    .more = N_ ("Tensors stay closer to the measured ones; at 1 the few strongest correlations dominate."),
    .less = N_ ("Weak correlations weigh nearly as much as strong ones, and so does noise."),
    .typical = N_ ("0.5, or 1 to leave it off"),
    .attempt = N_ ("Run with 1 and with 0.5 and few atoms: whitening improves small dictionaries most.") },
  { ROW ("descriptor", "gamma-coefficient", descriptor.gamma_coefficient, REAL, "1"), RANGE (0.01, 1), .symbol = "γ_c",
    .label = N_ ("Entry power"), .equation = "(15)–(20)",
    .formula = "\\cal{X} \\leftarrow \\sgn(\\cal{X})\\abs{\\cal{X}}^{γ_c}",
    .help
    = N_ ("Exponent of every entry of a tensor, with its sign kept, after whitening of its core. Below 1 large entries "
          "have less weight, and slices are not guaranteed to be positive semi-definite. With 1 it is off."),
    .more = N_ ("Large entries dominate."), .less = N_ ("Small entries weigh nearly as much as large ones."),
    .typical = N_ ("0.7 to 1"), .attempt = N_ ("Set 0.5 and look at the smallest eigenvalue of a slice in Inspect.") },
  { ROW ("descriptor", "order", descriptor.order, INTEGER, "3"), RANGE (2, 3), .label = N_ ("Order"),
    .equation = "(15)–(16)",
    .formula
    = "\\cal{X} = \\frac{1}{N} \\sum_n v_n \\otimes v_n \\otimes v_n \\\\ R = \\frac{1}{N} \\sum_n v_n v_n^\\T",
    .help = N_ ("Order of the tensor of an image: 3, or 2 for the mean of products of two vectors."),
    .more = N_ ("Which three components occur together, in d times as many numbers."),
    .less = N_ ("Only pairs of components: small and fast, at some cost in precision."), .typical = N_ ("3"),
    .attempt = N_ ("Compare 2 with 3 and raw coding.") },
  { ROW ("descriptor", "radii", descriptor.radii, TEXT, "12;16;24;32"), RANGE (4, 4096), .unit = N_ ("px"),
    .label = N_ ("Radii"), .formula = "r = 2 \\cdot \\text{bin}, \\quad \\text{side} = 4 \\cdot \\text{bin}",
    .help
    = N_ ("Radii of the descriptors of dense SIFT, one for each scale, even and separated by “;”. A descriptor has "
          "4 by 4 bins of half a radius. A scale larger than the image is left out."),
    .more = N_ ("Larger radii describe larger parts of objects."), .less = N_ ("Smaller radii describe finer detail."),
    .typical = N_ ("12;16;24;32 for photographs of 500 pixels"),
    .attempt = N_ ("Use the largest scale alone: how much do the fine ones add?") },
  { ROW ("descriptor", "strides", descriptor.strides, TEXT, "4;6;8;10"), RANGE (1, 4096), .unit = N_ ("px"),
    .label = N_ ("Strides"),
    .formula = "n = (\\frac{w - 3 \\text{bin}}{\\text{stride}} + 1)(\\frac{h - 3 \\text{bin}}{\\text{stride}} + 1)",
    .help = N_ ("Distance from one descriptor of dense SIFT to the next, in both directions, one for each radius."),
    .more = N_ ("Fewer descriptors: faster, with noisier tensors."),
    .less = N_ ("More descriptors: halving a stride takes four times as long."),
    .typical = N_ ("a third of the radius"),
    .attempt = N_ ("Double all strides: what does a fourth of the descriptors cost in precision?") },
  { ROW ("descriptor", "root", descriptor.root, BOOLEAN, "false"), .label = N_ ("RootSIFT"),
    .formula = "x \\leftarrow \\sqrt{\\frac{x}{\\norm{x}_1}}",
    .help = N_ ("Whether SIFT descriptors are divided by their sum and their square root is taken."),
    .more = N_ ("Small entries weigh more, as in RootSIFT."), .less = N_ ("Descriptors of length 1, as in SIFT."),
    .typical = N_ ("off"), .attempt = N_ ("Switch it on with raw coding and compare.") },
  { ROW ("descriptor", "flat", descriptor.flat, REAL, "0.0001"), LOG_RANGE (0, 1), .label = N_ ("Flat"),
    .formula = "\\frac{1}{(3 \\text{bin} + 1)^2} \\sum_i x_i \\ge \\text{flat}",
    .help = N_ ("SIFT descriptors whose mean gradient is below this are left out: a flat region has no direction."),
    .more = N_ ("Weakly textured regions are left out, too."), .less = N_ ("With 0 all descriptors are used."),
    .typical = N_ ("10⁻⁴"), .attempt = N_ ("Look in Data at the descriptors of a sky with 0 and with 0.01.") },
  { ROW ("descriptor", "longest-side", descriptor.longest_side, INTEGER, "500"), RANGE (0, 16384), .unit = N_ ("px"),
    .label = N_ ("Longest side"), .formula = "\\max(w, h) \\le \\text{side}",
    .help = N_ ("Larger images are reduced to this longest side before SIFT is computed, by the mean of areas. With 0 "
                "images keep their size."),
    .more = N_ ("Finer detail and more descriptors, in time that grows with the square."),
    .less = N_ ("Faster; objects are seen at a coarser scale."), .typical = N_ ("300 to 600"),
    .attempt = N_ ("Halve it: radii then cover twice as much of an object.") },
  { ROW ("descriptor", "folder", descriptor.folder, TEXT, ""), .label = N_ ("Feature files"),
    .help = N_ ("Folder with one file of features for each image, named as the image: ID.npz with x (N, D) and xy "
                "(N, 2), ID.npy with a map (H, W, D), or ID.npy (N, D) with ID.xy.npy (N, 2). Left empty the files are "
                "in the folder of the data set."),
    .typical = N_ ("the output of tosst features, or of a network"),
    .attempt = N_ ("Drop a folder of features on the window.") },
  { ROW ("descriptor", "length", descriptor.length, INTEGER, ""), RANGE (1, 65536), .symbol = "D",
    .label = N_ ("Length of features"), .formula = "d = D + 11",
    .help = N_ ("Numbers of a feature in the files. Left empty it is that of the first file; needed where features "
                "are used without principal components."),
    .typical = N_ ("empty"), .more = N_ ("It must be the length of the features in the files."),
    .less = N_ ("It must be the length of the features in the files."), .attempt = N_ ("Leave it empty.") },
  { ROW ("descriptor", "normalise", descriptor.normalise, CHOICE, "none"), .choices = local_normalisations,
    .label = N_ ("Normalise features"), .formula = "x \\leftarrow \\frac{x}{\\norm{x}_2}",
    .help = N_ ("What is done to every local feature first: nothing, division by its Euclidean norm (l2), or division "
                "by its sum of absolute values and the square root with signs kept (root)."),
    .more = N_ ("Features of strong and weak responses weigh alike."), .less = N_ ("none keeps their strength."),
    .typical = N_ ("none for SIFT, l2 for features of networks"),
    .attempt = N_ ("Compare none and l2 with the maps of a network.") },
  { ROW ("descriptor", "pca", descriptor.pca, INTEGER, "90"), RANGE (0, 1024), .symbol = "q",
    .label = N_ ("Components"), .formula = "v = U_q^\\T (x - \\bar{x}), \\quad d = q + 11",
    .help = N_ ("Number of principal components of the features of the training images. With 0 features are used as "
                "they are."),
    .more = N_ ("More of each feature is kept; the size of tensors grows with the cube."),
    .less = N_ ("Smaller tensors: with 30 components a 14th of the cost of 90."), .typical = N_ ("30 to 90"),
    .attempt = N_ ("Compare 30 with 90.") },
  { ROW ("descriptor", "pca-centre", descriptor.pca_centre, BOOLEAN, "true"), .label = N_ ("Centre"),
    .formula = "v = U_q^\\T (x - \\bar{x})", .help = N_ ("Whether the mean of the features is subtracted."),
    .more = N_ ("Components describe differences from the mean feature."),
    .less = N_ ("The first component is close to the mean feature."), .typical = N_ ("on"),
    .attempt = N_ ("Switch it off: slices of tensors lose their signs.") },
  { ROW ("descriptor", "pca-whiten", descriptor.pca_whiten, BOOLEAN, "false"), .label = N_ ("Whiten components"),
    .formula = "v_i \\leftarrow \\frac{v_i}{\\sqrt{λ_i}}",
    .help = N_ ("Whether each component is divided by its standard deviation."),
    .more = N_ ("Weak components weigh as much as strong ones, and so does noise."),
    .less = N_ ("Components keep their variances; whitening of the tensor levels them."), .typical = N_ ("off"),
    .attempt = N_ ("Switch it on and set γₑ to 1.") },
  { ROW ("descriptor", "pca-sample", descriptor.pca_sample, INTEGER, "400"), LOG_RANGE (1, 1000000),
    .label = N_ ("Features for components"), .formula = "C = \\frac{1}{n} \\sum_i (x_i - \\bar{x})(x_i - \\bar{x})^\\T",
    .help = N_ ("Number of features drawn from each training image for the principal components."),
    .more = N_ ("More certain components."), .less = N_ ("Faster."), .typical = N_ ("100 to 1000"),
    .attempt = N_ ("Halve it: precision should not change.") },
  { ROW ("descriptor", "spatial", descriptor.spatial, CHOICE, "spm"), .choices = spatials,
    .label = N_ ("Spatial codes"), .formula = "v = (U_q^\\T (x - \\bar{x}), w c)",
    .help = N_ ("Whether 11 numbers of the position of a feature are appended to it (spm): 1 for the image, and 1 for "
                "its band from top to bottom, its band from left to right, and its quarter."),
    .more = N_ ("The tensor records where in the image features occur."), .less = N_ ("Position has no effect."),
    .typical = N_ ("spm"), .attempt = N_ ("Compare both: which classes have a typical layout?") },
  { ROW ("descriptor", "spatial-weight", descriptor.spatial_weight, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "w",
    .label = N_ ("Spatial weight"), .formula = "v = (U_q^\\T (x - \\bar{x}), w c)",
    .help = N_ ("Weight of the spatial codes beside the components."),
    .more = N_ ("Position weighs more than appearance."), .less = N_ ("Appearance weighs more than position."),
    .typical = N_ ("0.1 to 0.5"), .attempt = N_ ("Sweep it on training and validation images.") },
  { ROW ("descriptor", "regions", descriptor.regions, CHOICE, "0"), .choices = region_counts, .label = N_ ("Regions"),
    .formula = "N \\leftarrow 6 N",
    .help = N_ ("Parts of each training image from which the dictionary is learned as well: with 5 its four "
                "overlapping quarters and its centre."),
    .more = N_ ("Six tensors an image: atoms overfit less."), .less = N_ ("Faster; atoms of few images overfit."),
    .typical = N_ ("5 with fewer than 10,000 images"),
    .attempt = N_ ("Compare validation precision of both with K = 300.") },
};

const TosstParameterGroup tosst_parameters_descriptor = { "descriptor", N_ ("Descriptor"), rows, G_N_ELEMENTS (rows) };
