/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of all parameters. A new parameter is one row of it and one field of TosstRecipe: files, --set, --help,
 * tosst recipe --explain, validation and the rows of the window are derived from it. */
#include "core/base/base.h"
#include "core/recipe/recipe.h"

#define ROW(group_, key_, field, type_, default_)                                                                      \
  .name = group_ "." key_, .group = group_, .key = key_, .type = TOSST_PARAMETER_##type_,                              \
  .offset = G_STRUCT_OFFSET (TosstRecipe, field), .default_text = default_
/* Those that a first run is about: shown without being asked for. */
#define BASIC .basic = TRUE
#define ADDED .added = TRUE
#define RANGE(low, high) .minimum = low, .maximum = high
#define LOG_RANGE(low, high) .minimum = low, .maximum = high, .logarithmic = TRUE
/* Tensors have a mean square norm of 1, and b of an atom a norm of 1: above 2 the codes of most tensors are zero. */
#define LAMBDA_CAUTION                                                                                                 \
  .caution_above = 2, .caution = N_ ("So large a value leaves most codes without a non-zero; 10⁻⁴ to 10⁻¹ is "  \
                                     "typical.")

static const char *const dataset_kinds[] = { "samples", "brodatz", "folders", "voc2007", "labels", NULL };
static const char *const protocols[] = { "random", "leave-one-out", "fixed", NULL };
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
static const char *const schemes[] = { "psd", "low-rank", "free", "full", NULL };
static const char *const solvers[] = { "exact", "pqn", "gradient", NULL };
static const char *const inits[] = { "slices", "random", NULL };
static const char *const sources[] = { "learned", "random", NULL };
static const char *const coding_methods[]
    = { "sparse", "span", "log-euclidean", "raw", "projection", "pca", "fisher", NULL };
static const char *const pool_kinds[] = { "average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n", NULL };
static const char *const normalisations[] = { "none", "l2", NULL };
static const char *const kernels[] = { "linear", "rbf", "chi2", NULL };
static const char *const losses[] = { "hinge", "squares", NULL };
static const char *const scores[] = { "accuracy", "ap11", "area", NULL };

const char *
tosst_choice_label (const char *choice)
{
  static const struct
  {
    const char *word, *label;
  } labels[] = {
    { "samples", N_ ("Sample textures") },
    { "brodatz", N_ ("Brodatz album") },
    { "folders", N_ ("A folder per class") },
    { "voc2007", N_ ("PASCAL VOC 2007") },
    { "labels", N_ ("Labels in a table") },
    { "random", N_ ("Random") },
    { "leave-one-out", N_ ("Leave one out") },
    { "fixed", N_ ("Fixed") },
    { "linear", N_ ("Linear") },
    { "rbf", N_ ("RBF pivots") },
    { "covariance", N_ ("Covariance") },
    { "autocorrelation", N_ ("Autocorrelation") },
    { "sift", N_ ("SIFT") },
    { "features", N_ ("Feature files") },
    { "lbp", N_ ("Local binary patterns") },
    { "image-covariance", N_ ("Covariance of an image") },
    { "invariant-covariance", N_ ("Rotation-invariant covariance") },
    { "combined", N_ ("Several methods") },
    { "grid", N_ ("Grid") },
    { "dense-scales", N_ ("Grid at all scales") },
    { "keypoints", N_ ("Keypoints") },
    { "hessian", N_ ("Hessian") },
    { "dog", N_ ("Difference of Gaussians") },
    { "similarity", N_ ("Similarity") },
    { "affine", N_ ("Affine") },
    { "spm", N_ ("Spatial pyramid") },
    { "0", N_ ("Whole images only") },
    { "5", N_ ("Five parts, too") },
    { "root", N_ ("Square roots") },
    { "accuracy", N_ ("Accuracy") },
    { "ap11", N_ ("AP (11 points)") },
    { "area", N_ ("AP (area)") },
    { "sparse", N_ ("Sparse codes") },
    { "span", N_ ("Span of atoms") },
    { "log-euclidean", N_ ("Log-Euclidean") },
    { "raw", N_ ("Uncompressed") },
    { "projection", N_ ("Random projection") },
    { "pca", N_ ("Principal components") },
    { "fisher", N_ ("Fisher vectors") },
    { "psd", N_ ("PSD") },
    { "low-rank", N_ ("Low rank") },
    { "free", N_ ("Free") },
    { "full", N_ ("Whole tensors") },
    { "slices", N_ ("Slices") },
    { "learned", N_ ("Learned") },
    { "exact", N_ ("Exact") },
    { "pqn", N_ ("PQN") },
    { "gradient", N_ ("Gradient") },
    { "average", N_ ("Average") },
    { "max", N_ ("Maximum") },
    { "maxexp", N_ ("MaxExp") },
    { "gamma", N_ ("Gamma") },
    { "axmin", N_ ("AxMin") },
    { "exapro", N_ ("ExaPro") },
    { "at-n", N_ ("At n") },
    { "l2", N_ ("ℓ₂ norm") },
    { "none", N_ ("None") },
    { "chi2", N_ ("χ²") },
    { "hinge", N_ ("Squared hinge") },
    { "squares", N_ ("Least squares") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (strcmp (labels[i].word, choice) == 0)
      return labels[i].label;
  return choice;
}

static const TosstParameter parameters[] = {
  { ROW ("dataset", "kind", dataset.kind, CHOICE, "samples"), BASIC, .choices = dataset_kinds, .label = N_ ("Data set"),
    .help = N_ ("Source of the images: the built-in sample textures, a folder with the Brodatz album, or a folder with "
                "one subfolder of images for each class. With several classes an image: voc2007 is the layout of "
                "PASCAL VOC 2007, labels a folder with the table labels.csv."),
    .more = N_ ("Your own textures, with a folder for each class, photographs with lists of labels, or the album of "
                "the paper."),
    .less = N_ ("The sample textures need no files, and a run on them takes well under a minute."),
    .typical = N_ ("the sample textures at first"),
    .trial = N_ ("Start a run on the sample textures, then open a folder of your own and compare accuracy.") },
  { ROW ("dataset", "hard", dataset.hard, BOOLEAN, "false"), BASIC, .label = N_ ("Hard textures"),
    .help
    = N_ ("The sample textures with more rotation, scale, noise and shadow, each blended with the pattern of a similar "
          "class, so that a classifier makes errors that can be explained."),
    .more = N_ ("On: errors to learn from, mostly between two similar classes."),
    .less = N_ ("Off: nearly all textures are classified correctly."), .typical = N_ ("off"),
    .trial = N_ ("Set it, run, and open the largest error of the confusion matrix in Results.") },
  { ROW ("dataset", "path", dataset.path, TEXT, ""), BASIC, .label = N_ ("Folder"),
    .help = N_ ("The folder of the images. The sample textures need none."),
    .trial = N_ ("Drop a folder on the window: path and kind are filled in.") },
  { ROW ("dataset", "block", dataset.block, INTEGER, ""), RANGE (0, 16384), .unit = N_ ("px"), .label = N_ ("Block"),
    .formula = "n = (\\frac{w - \\text{block}}{\\text{step}} + 1)(\\frac{h - \\text{block}}{\\text{step}} + 1)",
    .help = N_ ("Side of the square blocks into which every image is cut; each block is one sample to classify. With 0 "
                "a whole image is one sample. Left empty it is 160 for Brodatz and 0 otherwise."),
    .more = N_ ("Each sample pools more patches and is easier to classify, but an image gives fewer samples."),
    .less = N_ ("More samples, each with fewer patches and therefore a noisier signature."),
    .typical = N_ ("0, or 100 to 200"),
    .trial = N_ ("Halve it, compare the number of samples in Data, then run again.") },
  { ROW ("dataset", "block-step", dataset.block_step, INTEGER, "80"), RANGE (1, 16384), .unit = N_ ("px"),
    .label = N_ ("Block step"), .formula = "\\text{overlap} = 1 - \\frac{\\text{step}}{\\text{block}}",
    .help = N_ ("Distance from one block to the next, in both directions."),
    .more = N_ ("Fewer blocks that overlap less."),
    .less = N_ ("More blocks. When they overlap, training and test blocks of one image share pixels."),
    .typical = N_ ("half of the block, or the block itself"),
    .trial = N_ ("Set it to the block: no pixel is in two samples, and accuracy is less biased.") },
  { ROW ("dataset", "train-per-class", dataset.train_per_class, INTEGER, ""), BASIC, RANGE (1, 1000000),
    .label = N_ ("Training samples"), .formula = "n_{\\text{test}} = n - n_{\\text{train}}",
    .help = N_ ("Samples of each class that train the classifier in a split; all other samples of the class are tests. "
                "Left empty it is 24 for the sample textures and Brodatz; of folders the share “Training share” "
                "trains."),
    .more = N_ ("A better classifier, measured on fewer tests."), .less = N_ ("A harder task, measured on more tests."),
    .typical = N_ ("half of the samples of a class"),
    .trial = N_ ("Try 1, 2, 4 and 8: how many examples does a class need?") },
  { ROW ("dataset", "train-share", dataset.train_share, REAL, "0.5"), BASIC, RANGE (0.01, 0.99),
    .label = N_ ("Training share"), .formula = "n_{\\text{train}} = \\text{share} \\cdot n",
    .help = N_ ("Share of the images of each class of a folder that train, where no number of training samples is "
                "given: at least one image of a class trains and at least one tests. A class of one image is left "
                "out."),
    .more = N_ ("A better classifier, measured on fewer tests."), .less = N_ ("A harder task, measured on more tests."),
    .typical = N_ ("0.5 to 0.8"), .trial = N_ ("Compare 0.25 with 0.75: does the classifier need more images?") },
  { ROW ("dataset", "splits", dataset.splits, INTEGER, "10"), BASIC, RANGE (1, 1000), .label = N_ ("Splits"),
    .formula = "\\bar{a} \\pm \\sqrt{\\frac{1}{S - 1} \\sum_{i=1}^{S} (a_i - \\bar{a})^2}",
    .help = N_ ("Number of random draws of the training samples. Each split learns its own dictionary and classifier; "
                "accuracy is reported as mean and standard deviation over splits."),
    .more = N_ ("A more certain mean, in proportionally more time."), .less = N_ ("Faster, with a less certain mean."),
    .typical = N_ ("3 to 10"), .trial = N_ ("Run with 3 and with 10, and compare the deviations in Results.") },
  { ROW ("dataset", "seed", dataset.seed, SEED, "1"), .label = N_ ("Seed of the splits"),
    .formula = "S = S(\\text{seed})",
    .help = N_ ("Start of the random numbers that draw training samples. The same seed gives the same splits."),
    .more = N_ ("Other training samples are drawn: accuracy changes by about its deviation."),
    .less = N_ ("The same splits every time: differences come only from your changes."),
    .typical = N_ ("any number; the same one for runs that are compared"),
    .trial = N_ ("Run with three seeds. Is your improvement larger than the effect of the seed?") },
  { ROW ("dataset", "exclude", dataset.exclude, TEXT, ""), .label = N_ ("Leave out"),
    .help = N_ ("Files or classes to leave out, by name without suffix, separated by commas. Left empty it is D14 for "
                "Brodatz and nothing otherwise; the word none leaves nothing out."),
    .typical = N_ ("D14"), .more = N_ ("Fewer classes or images: unsuitable ones are excluded."),
    .less = N_ ("All classes and images are used."),
    .trial = N_ ("Leave out the class with the lowest accuracy in Results, and compare the accuracy of the others.") },
  { ROW ("dataset", "additions", dataset.additions, TEXT, ""), .label = N_ ("Additional images"),
    .help
    = N_ ("A list of images that train in every split beside those of the data set, such as corrected predictions: "
          "a text file with a line for each image, its class, a tab and its path. They are never tests."),
    .more = N_ ("The classifier learns from images that were predicted wrong."),
    .less = N_ ("Left empty only the images of the data set train."), .typical = N_ ("left empty"),
    .trial = N_ ("Correct a prediction in Predict, run again, and predict the image once more.") },
  { ROW ("dataset", "protocol", dataset.protocol, CHOICE, "random"), .choices = protocols, .label = N_ ("Protocol"),
    .formula = "\\text{train} \\cap \\text{test} = \\empty",
    .help = N_ ("Division of the samples: random draws training samples for each split; leave-one-out tests one sample "
                "of each class at a time; fixed takes the subfolders train and test, or without them the first samples "
                "of each class for training."),
    .more = N_ ("leave-one-out uses all other samples for training; fixed uses the division of the folders."),
    .less = N_ ("random draws a new division for every split, which shows its influence."), .typical = N_ ("random"),
    .trial = N_ ("Compare random with leave-one-out on the sample textures: which accuracy is higher, and why?") },
  { ROW ("dataset", "within", dataset.within, INTEGER, "0"), ADDED, RANGE (0, 1000), .label = N_ ("Nested split"),
    .formula = "\\text{train}_i = \\text{train}_i' \\cup \\text{valid}_i",
    .help
    = N_ ("Choice of parameters without tests: with a number from 1 only the training samples of that split are used, "
          "divided again into training and validation samples. With 0 all samples are divided by the protocol."),
    .typical = N_ ("0; 1 to choose parameters"), .more = N_ ("Parameters are chosen without the tests of that split."),
    .less = N_ ("With 0 accuracy is measured on tests: do not choose parameters by it."),
    .trial = N_ ("Sweep λ with 1 here, take the best, then set 0 and run once.") },
  { ROW ("dataset", "validate", dataset.validate, INTEGER, ""), RANGE (1, 1000000), .label = N_ ("Validation samples"),
    .formula = "n_{\\text{train}}' = n_{\\text{train}} - n_{\\text{valid}}",
    .help = N_ ("Number of training samples of each class used for validation when they are divided again; the others "
                "train. Whole images where the protocol draws images. Left empty it is 8, or a third of the training "
                "images of a class that has no more, or where “Training share” divides a folder."),
    .more = N_ ("A more certain choice among classifiers with fewer training samples."),
    .less = N_ ("Classifiers closer to the final ones, compared on fewer samples."),
    .typical = N_ ("a third of the training samples"), .trial = N_ ("Set “Nested split” to 1 and compare 4 with 12.") },
  { ROW ("dataset", "copies", dataset.copies, INTEGER, "0"), ADDED, RANGE (0, 100), .label = N_ ("Training copies"),
    .formula = "I_k(u) = I(s_k^{-1} R(θ_k) u), \\quad 0.6 \\le s_k \\le 1.6",
    .help
    = N_ ("Number of rotated and rescaled copies of every training sample, which train, too. A copy is turned by any "
          "angle and rescaled by a factor of 0.6 to 1.6, both drawn by the seed of the splits, and cropped to the "
          "pixels of its sample. Tests have no copies, and C and weights of parts are chosen without them."),
    .more = N_ ("Textures are recognised in more directions and sizes, in proportionally more time and memory."),
    .less = N_ ("Faster. Only descriptors at keypoints follow directions and sizes that no training image shows."),
    .typical = N_ ("0; 2 to 8 for photographs from any side and distance"),
    .trial = N_ ("Compare 0 with 4 for dense descriptors, then for keypoints: which need copies?") },
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
    .trial = N_ ("Run linear, then rbf, with the same atoms: how much accuracy do pivots add?") },
  { ROW ("descriptor", "parts", descriptor.parts, TEXT, ""), .label = N_ ("Parts"), .formula = "k = \\sum_p w_p k_p",
    .help
    = N_ ("Methods whose similarities are added, by name, separated by semicolons; tosst compare --list lists "
          "them. Each has a recipe of its own: the values of the method, and those of this recipe for all others."),
    .more = N_ ("Methods that err on different images correct each other; each takes its own time and memory."),
    .less = N_ ("Faster."), .typical = N_ ("two or three"),
    .trial = N_ ("Compare the parts alone, then combine the best with the one that differs most from it.") },
  { ROW ("descriptor", "weights", descriptor.weights, TEXT, ""), .label = N_ ("Weights of the parts"), .symbol = "w",
    .formula = "k = \\sum_p w_p k_p, \\quad \\sum_p w_p = 1",
    .help = N_ ("Weights of the parts, separated by semicolons, which are divided by their sum. Left empty they "
                "follow the leave-one-out errors of the parts on the training samples of each split; with choose "
                "they are searched for so that the leave-one-out error of the sum is smallest."),
    .typical = N_ ("empty"), .more = N_ ("A part with a larger weight decides more."),
    .less = N_ ("A part of weight 0 is computed and has no effect."),
    .trial = N_ ("Choose them and look at the weights of each split in the report: do they agree?") },
  { ROW ("descriptor", "features", descriptor.features, CHOICE, "linear"), .choices = feature_kinds,
    .label = N_ ("Features"), .equation = "(8)", .formula = "x = [x, y, I, I_x, I_y, I_{xx}, I_{yy}, O_1, O_2]^\\T",
    .help = N_ ("Features of a pixel in a covariance or autocorrelation matrix: linear uses position, intensity and "
                "derivatives themselves; rbf expresses each of them by Gaussian pivots."),
    .more = N_ ("rbf distinguishes values of a feature, so that a matrix records which of them occur together; its "
                "size grows with the square of the pivots."),
    .less = N_ ("linear is small and fast, and captures linear relations only."), .typical = N_ ("rbf"),
    .trial = N_ ("Choose covariance and switch between the two.") },
  { ROW ("descriptor", "luminance", descriptor.luminance, BOOLEAN, "true"), BASIC, .symbol = "I", .equation = "(8)",
    .label = N_ ("Luminance"), .formula = "x = [x, y, I, I_x, I_y, \\dots]^\\T",
    .help = N_ ("Whether the intensity of a pixel is a feature beside its position and derivatives. Without it the "
                "descriptor does not depend on overall brightness."),
    .more = N_ ("Dark and bright textures of the same structure are distinguished."),
    .less = N_ ("Overall brightness has no effect, nor have its slow changes over the image."), .typical = N_ ("on"),
    .trial = N_ ("Switch it off: which classes in the confusion matrix were distinguished by brightness alone?") },
  { ROW ("descriptor", "opponent", descriptor.opponent, BOOLEAN, "false"), .symbol = "O₁, O₂", .equation = "(8)",
    .label = N_ ("Opponent colour"),
    .formula = "O_1 = \\frac{R - G}{\\sqrt{2}}, \\quad O_2 = \\frac{R + G - 2B}{\\sqrt{6}}",
    .help = N_ ("Whether two colour differences, red against green and yellow against blue, are features too. In grey "
                "images both are zero."),
    .more = N_ ("Colour distinguishes classes, in tensors of 2 Z more rows."),
    .less = N_ ("Only grey values are used."), .typical = N_ ("on for coloured images, else off"),
    .trial = N_ ("Switch it on with the sample textures: which errors disappear?") },
  { ROW ("descriptor", "absolute", descriptor.absolute, BOOLEAN, "false"), .symbol = "|Iₓ|",
    .label = N_ ("Absolute derivatives"),
    .formula = "I_x \\leftarrow \\abs{I_x}, \\quad I_{xx} \\leftarrow \\abs{I_{xx}}",
    .help = N_ ("Whether derivatives are taken by absolute value. The descriptor then does not distinguish edges from "
                "dark to bright and from bright to dark, and linear features other than colour are non-negative, as "
                "Definition 1 requires."),
    .more = N_ ("Linear features have no signs: their slices are positive semi-definite, as Definition 1 requires."),
    .less = N_ ("Edges from dark to bright differ from those from bright to dark."),
    .typical = N_ ("off for rbf; on for linear"),
    .trial = N_ ("With linear features, look in Inspect at the eigenvalues with it on and off.") },
  { ROW ("descriptor", "patch", descriptor.patch, INTEGER, "20"), BASIC, RANGE (2, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch"), .equation = "(1)",
    .formula = "\\cal{X} = \\frac{1}{N} \\sum_{n=1}^{N} x_n \\otimes x_n \\otimes x_n, \\quad N = \\text{patch}^2",
    .help = N_ ("Side of the square region whose pixels are averaged into one tensor."),
    .more = N_ ("Each tensor covers a larger piece of texture and is more stable; small structures are averaged away."),
    .less = N_ ("Tensors describe finer detail and are noisier; more of them fit into a block."),
    .typical = N_ ("16 to 40"), .trial = N_ ("Double it and drag λ in Inspect: do larger patches need more atoms?") },
  { ROW ("descriptor", "step", descriptor.step, INTEGER, "10"), BASIC, RANGE (1, 4096), .unit = N_ ("px"),
    .label = N_ ("Patch step"), .formula = "n = (\\frac{w - \\text{patch}}{\\text{step}} + 1)^2",
    .help = N_ ("Distance from one patch to the next, in both directions."),
    .more = N_ ("Fewer patches: faster, with less to pool."),
    .less
    = N_ ("More patches that overlap more: slower, with smoother signatures. Halving it takes four times as long."),
    .typical = N_ ("half of the patch"),
    .trial = N_ ("Halve it once: is the gain in accuracy worth four times as long?") },
  { ROW ("descriptor", "frames", descriptor.frames, CHOICE, "grid"), ADDED, BASIC, .choices = frame_sources,
    .label = N_ ("Frames"), .formula = "x = t + A u",
    .help = N_ ("Where patches and SIFT descriptors are taken in an image: grid, at regular distances and fixed sizes; "
                "dense-scales, on a grid at sizes that grow by √2; keypoints, at spots that a detector finds, in their "
                "size and direction, so that descriptors move with a surface that is rotated or seen from another "
                "distance."),
    .more = N_ ("keypoints does not depend on rotation and scale, dense-scales only little on scale."),
    .less = N_ ("grid uses every part of an image and distinguishes directions and sizes."),
    .typical = N_ ("keypoints for photographs from many distances, grid for images of one size and direction"),
    .trial = N_ ("Turn some images by 90 degrees and compare keypoints with grid.") },
  { ROW ("descriptor", "detector", descriptor.detector, CHOICE, "dog"), .choices = detectors, .label = N_ ("Detector"),
    .formula = "σ^4 (I_{xx} I_{yy} - I_{xy}^2), \\quad I_{2^{1/3} σ} - I_σ",
    .help = N_ ("What keypoints are: hessian takes maxima of the determinant of second derivatives over place and "
                "scale, dog extrema of differences of Gaussians, as SIFT does."),
    .more = N_ ("dog finds fewer keypoints, on spots alone."), .less = N_ ("hessian finds more, on spots and saddles."),
    .typical = N_ ("dog; hessian for affine shapes"), .trial = N_ ("Look at both in Data.") },
  { ROW ("descriptor", "shape", descriptor.affine, CHOICE, "similarity"), .choices = shapes, .label = N_ ("Shape"),
    .formula = "A = s R, \\quad A = s L R",
    .help = N_ ("Shape of a keypoint: similarity is a circle; affine an ellipse in which gradients are equally strong "
                "in all directions, so that descriptors also change less when a surface is tilted."),
    .more = N_ ("affine follows tilted surfaces; textures that differ by stretching look alike."),
    .less = N_ ("similarity is faster and distinguishes more."), .typical = N_ ("similarity"),
    .trial = N_ ("Compare both with photographs taken at an angle.") },
  { ROW ("descriptor", "upright", descriptor.upright, BOOLEAN, "false"), .label = N_ ("Upright"), .formula = "R = 1",
    .help = N_ ("Whether keypoints are not turned into the dominant direction of their gradients. One with several "
                "such directions is used once for each unless it is upright."),
    .more = N_ ("Directions are distinguished: better where images have one orientation, as photographs of scenes."),
    .less = N_ ("Descriptors do not depend on rotation."), .typical = N_ ("off for textures"),
    .trial = N_ ("Compare both: does the direction of your textures carry information?") },
  { ROW ("descriptor", "most", descriptor.most, INTEGER, "2000"), LOG_RANGE (0, 1000000),
    .label = N_ ("Frames of an image"), .formula = "n \\le \\text{most}",
    .help = N_ ("Largest number of frames of an image: the keypoints of strongest response are kept, and the grid of "
                "dense-scales has larger distances. With 0 all are used."),
    .more = N_ ("More certain signatures of large images, in more time."), .less = N_ ("Faster."),
    .typical = N_ ("500 to 5000"), .trial = N_ ("Halve it: how much accuracy do the weaker keypoints add?") },
  { ROW ("descriptor", "photometric", descriptor.photometric, BOOLEAN, "false"), ADDED, .label = N_ ("Normalise light"),
    .formula = "I \\leftarrow \\frac{1}{2} + \\frac{I - \\bar{I}}{5 s}",
    .help = N_ ("Whether the brightness and contrast of every patch are removed before its features are computed: its "
                "mean becomes 0.5 and its deviation 0.2. SIFT does not depend on them anyway."),
    .more = N_ ("Shadows and exposure have no effect; nor has the brightness of a material."),
    .less = N_ ("Brightness and contrast distinguish materials."),
    .typical = N_ ("off, on for photographs in changing light"), .trial = N_ ("Darken some images and compare both.") },
  { ROW ("descriptor", "finest", descriptor.finest, REAL, "1.6"), LOG_RANGE (0.25, 100), .unit = N_ ("px"),
    .label = N_ ("Finest scale"), .formula = "σ_l = \\text{finest} \\cdot 2^{\\frac{l}{2}}",
    .help
    = N_ ("Scale of the smallest frames of dense-scales; the next ones are larger by √2. A SIFT descriptor covers "
          "12 scales."),
    .more = N_ ("Coarser texture is described, and noise is not."),
    .less = N_ ("Finer texture is described, which small images of equal distance have."), .typical = N_ ("0.7 to 2"),
    .trial = N_ ("Halve it for images of 200 pixels.") },
  { ROW ("descriptor", "pivots", descriptor.pivots, INTEGER, "5"), BASIC, RANGE (2, 32), .symbol = "Z",
    .label = N_ ("Pivots"), .equation = "(11)–(13)",
    .formula = "φ_z(u) = \\exp(-\\frac{(u - ζ_z)^2}{σ^2}), \\quad z = 1 \\dots Z \\\\ d = Z \\cdot \\text{features}, "
               "\\quad m = \\frac{d(d + 1)(d + 2)}{6}",
    .help
    = N_ ("Number of Gaussians, spread evenly over the range of a feature, by which rbf features express its value."),
    .more
    = N_ ("Values are distinguished more finely; the side d of a tensor grows in proportion, its size with the cube."),
    .less = N_ ("Smaller tensors and faster runs; values are distinguished more coarsely."), .typical = N_ ("3 to 7"),
    .trial = N_ ("Try 3: tensors have about a fifth of the numbers. What does it cost in accuracy?") },
  { ROW ("descriptor", "sigma-position", descriptor.sigma_position, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, position"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the position in a patch, which runs from 0 to 1."),
    .more = N_ ("Neighbouring positions are blurred together."),
    .less = N_ ("Positions are distinguished more sharply."), .typical = N_ ("0.1 to 0.5"),
    .trial = N_ ("Make it 0.05 and look at the slices of y in Inspect: bands appear.") },
  { ROW ("descriptor", "sigma-luminance", descriptor.sigma_luminance, REAL, "0.25"), LOG_RANGE (1e-4, 100),
    .symbol = "σ", .label = N_ ("Width, luminance"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over luminance, which runs from 0 to 1."),
    .more = N_ ("Similar intensities are blurred together."),
    .less = N_ ("Intensities are distinguished more sharply."), .typical = N_ ("0.1 to 0.5"),
    .trial = N_ ("Double it: do neighbouring pivots of I still differ in Inspect?") },
  { ROW ("descriptor", "sigma-opponent", descriptor.sigma_opponent, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, colour"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the two opponent colours."),
    .more = N_ ("Similar colours are blurred together."), .less = N_ ("Colours are distinguished more sharply."),
    .typical = N_ ("0.1 to 0.5"),
    .trial = N_ ("Double it with coloured images, and compare the classes of pale colours.") },
  { ROW ("descriptor", "sigma-first", descriptor.sigma_first, REAL, "0.1"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, first derivatives"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the first derivatives of the image."),
    .more = N_ ("Weak and strong edges are blurred together."),
    .less = N_ ("Strengths of edges are distinguished more sharply."), .typical = N_ ("0.05 to 0.2"),
    .trial = N_ ("Halve it: weak edges begin to distinguish classes.") },
  { ROW ("descriptor", "sigma-second", descriptor.sigma_second, REAL, "0.15"), LOG_RANGE (1e-4, 100), .symbol = "σ",
    .label = N_ ("Width, second derivatives"), .equation = "(12)", .formula = "\\exp(-\\frac{(u - ζ_z)^2}{σ^2})",
    .help = N_ ("Width of the Gaussians over the second derivatives of the image."),
    .more = N_ ("Weak and strong ridges are blurred together."),
    .less = N_ ("Strengths of ridges are distinguished more sharply."), .typical = N_ ("0.05 to 0.3"),
    .trial = N_ ("Halve it together with the one of first derivatives.") },
  { ROW ("descriptor", "range-first", descriptor.range_first, REAL, "0.25"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, first derivatives"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help = N_ ("First derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong edges are distinguished, with fewer pivots for the weak ones."),
    .less = N_ ("Weak edges are distinguished; all strong ones are equal."), .typical = N_ ("0.1 to 0.5"),
    .trial = N_ ("Set it to 0.1: all edges of a strong texture are equal.") },
  { ROW ("descriptor", "range-second", descriptor.range_second, REAL, "0.5"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, second derivatives"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help = N_ ("Second derivatives are clamped to plus or minus this value; the pivots are spread over it."),
    .more = N_ ("Strong ridges are distinguished, with fewer pivots for the weak ones."),
    .less = N_ ("Weak ridges are distinguished; all strong ones are equal."), .typical = N_ ("0.2 to 1"),
    .trial = N_ ("Set it to 0.2 and look at the outer pivots of I_xx in Inspect.") },
  { ROW ("descriptor", "range-opponent", descriptor.range_opponent, REAL, "0.7071067811865476"), LOG_RANGE (1e-4, 10),
    .label = N_ ("Range, colour"), .formula = "u \\leftarrow \\min(\\max(u, -r), r)",
    .help
    = N_ ("Opponent colours are clamped to plus or minus this value; the pivots are spread over it. The red-green "
          "axis ends at 1/√2."),
    .more = N_ ("Saturated colours are distinguished, with fewer pivots for pale ones."),
    .less = N_ ("Pale colours are distinguished; all saturated ones are equal."), .typical = N_ ("0.2 to 0.7"),
    .trial = N_ ("Set it to 0.3 for pale images.") },
  { ROW ("descriptor", "gamma-eigen", descriptor.gamma_eigen, REAL, "1"), BASIC, RANGE (0.01, 1), .symbol = "γₑ",
    .label = N_ ("Whitening"), .equation = "(15)–(20)",
    .formula = "E = \\cal{X} \\times_1 A^\\T \\times_2 A^\\T \\times_3 A^\\T \\\\ E \\leftarrow \\sgn(E)\\abs{E}^{γ_e}",
    .help = N_ ("Exponent of the core of every tensor, which is the tensor in the eigenvectors A of its own "
                "correlations; of a matrix, of its eigenvalues. Below 1 it levels strong and weak correlations before "
                "learning; slices of tensors are then not guaranteed to be positive semi-definite. With 1 it is off."),
    .more = N_ ("Tensors stay closer to the measured ones; at 1 the few strongest correlations dominate."),
    .less = N_ ("Weak correlations weigh nearly as much as strong ones, and so does noise."),
    .typical = N_ ("0.5, or 1 to leave it off"),
    .trial = N_ ("Run with 1 and with 0.5 and few atoms: whitening improves small dictionaries most.") },
  { ROW ("descriptor", "gamma-coefficient", descriptor.gamma_coefficient, REAL, "1"), RANGE (0.01, 1), .symbol = "γ_c",
    .label = N_ ("Entry power"), .equation = "(15)–(20)",
    .formula = "\\cal{X} \\leftarrow \\sgn(\\cal{X})\\abs{\\cal{X}}^{γ_c}",
    .help
    = N_ ("Exponent of every entry of a tensor, with its sign kept, after whitening of its core. Below 1 large entries "
          "have less weight, and slices are not guaranteed to be positive semi-definite. With 1 it is off."),
    .more = N_ ("Large entries dominate."), .less = N_ ("Small entries weigh nearly as much as large ones."),
    .typical = N_ ("0.7 to 1"), .trial = N_ ("Set 0.5 and look at the smallest eigenvalue of a slice in Inspect.") },
  { ROW ("descriptor", "order", descriptor.order, INTEGER, "3"), RANGE (2, 3), .label = N_ ("Order"),
    .equation = "(15)–(16)",
    .formula
    = "\\cal{X} = \\frac{1}{N} \\sum_n v_n \\otimes v_n \\otimes v_n \\\\ R = \\frac{1}{N} \\sum_n v_n v_n^\\T",
    .help = N_ ("Order of the tensor of an image: 3, or 2 for the mean of products of two vectors."),
    .more = N_ ("Which three components occur together, in d times as many numbers."),
    .less = N_ ("Only pairs of components: small and fast, at some cost in precision."), .typical = N_ ("3"),
    .trial = N_ ("Compare 2 with 3 and raw coding.") },
  { ROW ("descriptor", "radii", descriptor.radii, TEXT, "12;16;24;32"), RANGE (4, 4096), .unit = N_ ("px"),
    .label = N_ ("Radii"), .formula = "r = 2 \\cdot \\text{bin}, \\quad \\text{side} = 4 \\cdot \\text{bin}",
    .help
    = N_ ("Radii of the descriptors of dense SIFT, one for each scale, even and separated by “;”. A descriptor has "
          "4 by 4 bins of half a radius. A scale larger than the image is left out."),
    .more = N_ ("Larger radii describe larger parts of objects."), .less = N_ ("Smaller radii describe finer detail."),
    .typical = N_ ("12;16;24;32 for photographs of 500 pixels"),
    .trial = N_ ("Use the largest scale alone: how much do the fine ones add?") },
  { ROW ("descriptor", "strides", descriptor.strides, TEXT, "4;6;8;10"), RANGE (1, 4096), .unit = N_ ("px"),
    .label = N_ ("Strides"),
    .formula = "n = (\\frac{w - 3 \\text{bin}}{\\text{stride}} + 1)(\\frac{h - 3 \\text{bin}}{\\text{stride}} + 1)",
    .help = N_ ("Distance from one descriptor of dense SIFT to the next, in both directions, one for each radius."),
    .more = N_ ("Fewer descriptors: faster, with noisier tensors."),
    .less = N_ ("More descriptors: halving a stride takes four times as long."),
    .typical = N_ ("a third of the radius"),
    .trial = N_ ("Double all strides: what does a fourth of the descriptors cost in precision?") },
  { ROW ("descriptor", "root", descriptor.root, BOOLEAN, "false"), .label = N_ ("RootSIFT"),
    .formula = "x \\leftarrow \\sqrt{\\frac{x}{\\norm{x}_1}}",
    .help = N_ ("Whether SIFT descriptors are divided by their sum and their square root is taken."),
    .more = N_ ("Small entries weigh more, as in RootSIFT."), .less = N_ ("Descriptors of length 1, as in SIFT."),
    .typical = N_ ("off"), .trial = N_ ("Switch it on with raw coding and compare.") },
  { ROW ("descriptor", "flat", descriptor.flat, REAL, "0.0001"), LOG_RANGE (0, 1), .label = N_ ("Flat"),
    .formula = "\\frac{1}{(3 \\text{bin} + 1)^2} \\sum_i x_i \\ge \\text{flat}",
    .help = N_ ("SIFT descriptors whose mean gradient is below this are left out: a flat region has no direction."),
    .more = N_ ("Weakly textured regions are left out, too."), .less = N_ ("With 0 all descriptors are used."),
    .typical = N_ ("10⁻⁴"), .trial = N_ ("Look in Data at the descriptors of a sky with 0 and with 0.01.") },
  { ROW ("descriptor", "longest-side", descriptor.longest_side, INTEGER, "500"), RANGE (0, 16384), .unit = N_ ("px"),
    .label = N_ ("Longest side"), .formula = "\\max(w, h) \\le \\text{side}",
    .help = N_ ("Larger images are reduced to this longest side before SIFT is computed, by the mean of areas. With 0 "
                "images keep their size."),
    .more = N_ ("Finer detail and more descriptors, in time that grows with the square."),
    .less = N_ ("Faster; objects are seen at a coarser scale."), .typical = N_ ("300 to 600"),
    .trial = N_ ("Halve it: radii then cover twice as much of an object.") },
  { ROW ("descriptor", "folder", descriptor.folder, TEXT, ""), .label = N_ ("Feature files"),
    .help = N_ ("Folder with one file of features for each image, named as the image: ID.npz with x (N, D) and xy "
                "(N, 2), ID.npy with a map (H, W, D), or ID.npy (N, D) with ID.xy.npy (N, 2). Left empty the files are "
                "in the folder of the data set."),
    .typical = N_ ("the output of tosst features, or of a network"),
    .trial = N_ ("Drop a folder of features on the window.") },
  { ROW ("descriptor", "length", descriptor.length, INTEGER, ""), RANGE (1, 65536), .symbol = "D",
    .label = N_ ("Length of features"), .formula = "d = D + 11",
    .help = N_ ("Numbers of a feature in the files. Left empty it is that of the first file; needed where features "
                "are used without principal components."),
    .typical = N_ ("empty"), .more = N_ ("It must be the length of the features in the files."),
    .less = N_ ("It must be the length of the features in the files."), .trial = N_ ("Leave it empty.") },
  { ROW ("descriptor", "normalise", descriptor.normalise, CHOICE, "none"), .choices = local_normalisations,
    .label = N_ ("Normalise features"), .formula = "x \\leftarrow \\frac{x}{\\norm{x}_2}",
    .help = N_ ("What is done to every local feature first: nothing, division by its Euclidean norm (l2), or division "
                "by its sum of absolute values and the square root with signs kept (root)."),
    .more = N_ ("Features of strong and weak responses weigh alike."), .less = N_ ("none keeps their strength."),
    .typical = N_ ("none for SIFT, l2 for features of networks"),
    .trial = N_ ("Compare none and l2 with the maps of a network.") },
  { ROW ("descriptor", "pca", descriptor.pca, INTEGER, "90"), RANGE (0, 1024), .symbol = "q",
    .label = N_ ("Components"), .formula = "v = U_q^\\T (x - \\bar{x}), \\quad d = q + 11",
    .help = N_ ("Number of principal components of the features of the training images. With 0 features are used as "
                "they are."),
    .more = N_ ("More of each feature is kept; the size of tensors grows with the cube."),
    .less = N_ ("Smaller tensors: with 30 components a 14th of the cost of 90."), .typical = N_ ("30 to 90"),
    .trial = N_ ("Compare 30 with 90.") },
  { ROW ("descriptor", "pca-centre", descriptor.pca_centre, BOOLEAN, "true"), .label = N_ ("Centre"),
    .formula = "v = U_q^\\T (x - \\bar{x})", .help = N_ ("Whether the mean of the features is subtracted."),
    .more = N_ ("Components describe differences from the mean feature."),
    .less = N_ ("The first component is close to the mean feature."), .typical = N_ ("on"),
    .trial = N_ ("Switch it off: slices of tensors lose their signs.") },
  { ROW ("descriptor", "pca-whiten", descriptor.pca_whiten, BOOLEAN, "false"), .label = N_ ("Whiten components"),
    .formula = "v_i \\leftarrow \\frac{v_i}{\\sqrt{λ_i}}",
    .help = N_ ("Whether each component is divided by its standard deviation."),
    .more = N_ ("Weak components weigh as much as strong ones, and so does noise."),
    .less = N_ ("Components keep their variances; whitening of the tensor levels them."), .typical = N_ ("off"),
    .trial = N_ ("Switch it on and set γₑ to 1.") },
  { ROW ("descriptor", "pca-sample", descriptor.pca_sample, INTEGER, "400"), LOG_RANGE (1, 1000000),
    .label = N_ ("Features for components"), .formula = "C = \\frac{1}{n} \\sum_i (x_i - \\bar{x})(x_i - \\bar{x})^\\T",
    .help = N_ ("Number of features drawn from each training image for the principal components."),
    .more = N_ ("More certain components."), .less = N_ ("Faster."), .typical = N_ ("100 to 1000"),
    .trial = N_ ("Halve it: precision should not change.") },
  { ROW ("descriptor", "spatial", descriptor.spatial, CHOICE, "spm"), .choices = spatials,
    .label = N_ ("Spatial codes"), .formula = "v = (U_q^\\T (x - \\bar{x}), w c)",
    .help = N_ ("Whether 11 numbers of the position of a feature are appended to it (spm): 1 for the image, and 1 for "
                "its band from top to bottom, its band from left to right, and its quarter."),
    .more = N_ ("The tensor records where in the image features occur."), .less = N_ ("Position has no effect."),
    .typical = N_ ("spm"), .trial = N_ ("Compare both: which classes have a typical layout?") },
  { ROW ("descriptor", "spatial-weight", descriptor.spatial_weight, REAL, "0.25"), LOG_RANGE (1e-4, 100), .symbol = "w",
    .label = N_ ("Spatial weight"), .formula = "v = (U_q^\\T (x - \\bar{x}), w c)",
    .help = N_ ("Weight of the spatial codes beside the components."),
    .more = N_ ("Position weighs more than appearance."), .less = N_ ("Appearance weighs more than position."),
    .typical = N_ ("0.1 to 0.5"), .trial = N_ ("Sweep it on training and validation images.") },
  { ROW ("descriptor", "regions", descriptor.regions, CHOICE, "0"), .choices = region_counts, .label = N_ ("Regions"),
    .formula = "N \\leftarrow 6 N",
    .help = N_ ("Parts of each training image from which the dictionary is learned as well: with 5 its four "
                "overlapping quarters and its centre."),
    .more = N_ ("Six tensors an image: atoms overfit less."), .less = N_ ("Faster; atoms of few images overfit."),
    .typical = N_ ("5 with fewer than 10,000 images"),
    .trial = N_ ("Compare validation precision of both with K = 300.") },
  { ROW ("dictionary", "atoms", dictionary.atoms, INTEGER, "200"), BASIC, LOG_RANGE (1, 100000), .symbol = "K",
    .label = N_ ("Atoms"), .equation = "(5)", .formula = "\\cal{X} \\approx \\sum_{k=1}^{K} α_k B_k \\otimes b_k",
    .help = N_ ("Number of atoms in the dictionary: each is a positive semi-definite matrix B and a vector b, and a "
                "tensor becomes a sparse sum of them."),
    .more
    = N_ ("Closer reconstruction and usually better accuracy; learning and coding take longer, and too many overfit."),
    .less = N_ ("Faster and more compact, with larger reconstruction errors."), .typical = N_ ("20 to 2000"),
    .trial = N_ ("Run with 10, 40 and 160 and plot accuracy against K in Sweep.") },
  { ROW ("dictionary", "scheme", dictionary.scheme, CHOICE, "psd"), .choices = schemes, .symbol = "Bₖ",
    .label = N_ ("Atom type"), .equation = "(5)", .formula = "B_k \\succeq 0, \\quad \\tr B_k \\le 1",
    .help = N_ ("Constraint on the matrix of an atom: psd is positive semi-definite with trace at most 1, low-rank "
                "also limits its rank, free drops positive semi-definiteness and limits the Frobenius norm. With full "
                "an atom is a whole third-order tensor, with every slice positive semi-definite, as in problem (2): it "
                "has so many numbers that it overfits, and serves for comparison. The side may be 10 at most."),
    .more = N_ ("free and full atoms express more, without the guarantee for reconstructed slices (free) or with "
                "overfitting (full)."),
    .less = N_ ("low-rank atoms are the simplest; psd is the set of the paper."), .typical = N_ ("psd"),
    .trial = N_ ("Compare psd and free in Atoms: which ones have negative eigenvalues?") },
  { ROW ("dictionary", "rank", dictionary.rank, INTEGER, ""), RANGE (1, 1000), .symbol = "R", .label = N_ ("Rank"),
    .formula = "\\rank(B_k) \\le R",
    .help = N_ ("Largest rank of an atom's matrix in the low-rank scheme. Left empty it is half of the side d."),
    .more = N_ ("Atoms may describe richer slices; at d the scheme equals psd."),
    .less = N_ ("Simpler atoms, of which a slice needs more."), .typical = N_ ("2 to d/2"),
    .trial = N_ ("Choose low-rank with R = 1: how many atoms does a patch need now, in Inspect?") },
  { ROW ("dictionary", "lambda", dictionary.lambda, REAL, "2e-3"), BASIC, LOG_RANGE (0, 10000), .symbol = "λ",
    .label = N_ ("Sparsity"), .equation = "(5)",
    .formula = "\\sum_s \\norm{X^s - \\sum_k B_k β_k^s}_F^2 + γ\\sum_s \\norm{β^s - b^s \\circ α}_2^2 + λ\\norm{α}_1",
    .help = N_ ("Weight of the ℓ₁ norm of codes in learning, counted once for each tensor. Tensors have a mean square "
                "norm of 1, so that λ is comparable between data sets."),
    .more = N_ ("Fewer atoms for each tensor, and larger reconstruction errors. Above a limit all codes are zero."),
    .less = N_ ("Smaller reconstruction errors with more atoms; coding takes longer."), .typical = N_ ("10⁻⁴ to 10⁻¹"),
    LAMBDA_CAUTION,
    .trial
    = N_ ("Drag λ in Inspect over its whole range until all stems vanish, then learn with a value of your choice.") },
  { ROW ("dictionary", "gamma", dictionary.gamma, REAL, "1"), BASIC, LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE,
    .symbol = "γ", .label = N_ ("Proximity"), .equation = "(5)", .formula = "γ\\sum_s \\norm{β^s - b^s \\circ α}_2^2",
    .help = N_ ("Weight of the distance between the codes β of a tensor's slices and its shared code α in learning. "
                "With inf they are equal: problem (3) of the paper."),
    .more = N_ ("One code must explain all slices, as in the exact model."),
    .less = N_ ("Slices may deviate from the shared code, which lowers reconstruction errors."),
    .typical = N_ ("0.1 to 100, or inf"), .trial = N_ ("Compare 0.1 with inf: look at proximity and fit in Learn.") },
  { ROW ("dictionary", "iterations", dictionary.iterations, INTEGER, "50"), BASIC, RANGE (1, 100000),
    .label = N_ ("Iterations"), .formula = "f_1 \\ge f_2 \\ge \\dots \\ge f_T",
    .help
    = N_ ("Maximum number of iterations of learning. Each codes every tensor once and then updates every atom once."),
    .more = N_ ("A lower objective, with less and less gain."), .less = N_ ("Faster, with a higher objective."),
    .typical = N_ ("10 to 50"),
    .trial = N_ ("Look at the curve in Learn with a logarithmic axis: from which iteration on is it flat?") },
  { ROW ("dictionary", "tolerance", dictionary.tolerance, REAL, "1e-4"), LOG_RANGE (0, 1), .label = N_ ("Tolerance"),
    .formula = "\\frac{f_{t-1} - f_t}{f_{t-1}} < \\text{tolerance}",
    .help = N_ ("Learning stops when an iteration lowers the objective by less than this fraction of it. With 0 all "
                "iterations are done."),
    .more = N_ ("Learning stops earlier."), .less = N_ ("Learning continues for smaller gains."),
    .typical = N_ ("10⁻⁵ to 10⁻³"), .trial = N_ ("Set it to 0.01 and compare accuracy and time.") },
  { ROW ("dictionary", "solver", dictionary.solver, CHOICE, "exact"), .choices = solvers, .label = N_ ("Solver"),
    .formula = "B_k \\leftarrow \\Pro(B_k - η \\frac{\\partial f}{\\partial B_k})",
    .help = N_ ("Solver of learning: exact finds the minimum over every block at once, with beta minimised out. The "
                "other two are those of the paper, for comparison: pqn does the same with general optimisers "
                "(projected quasi-Newton, bounded L-BFGS), gradient takes steps of one length. Both store beta for "
                "every tensor, d times as many numbers as the codes, and take far longer."),
    .more = N_ ("The two solvers of the paper, for comparison: slower, and with gradient the objective may rise."),
    .less = N_ ("exact finds the minimum over every block at once."), .typical = N_ ("exact"),
    .trial = N_ ("Learn with gradient and with exact from the same seed, and compare the curves in Compare.") },
  { ROW ("dictionary", "eta", dictionary.eta, REAL, ""), LOG_RANGE (1e-9, 1e6), .symbol = "η",
    .label = N_ ("Step size"), .formula = "B_k \\leftarrow \\Pro(B_k - η \\frac{\\partial f}{\\partial B_k})",
    .help = N_ ("Length of the steps of the gradient solver, on the mean objective of a tensor. Left empty it is the "
                "inverse of the largest curvature of a block at the start."),
    .more = N_ ("Faster. Beyond twice the inverse of the curvature the objective rises."),
    .less = N_ ("Slower and safer."), .typical = N_ ("empty, or 10⁻⁴ to 10⁻¹"),
    .trial = N_ ("Choose the gradient solver and multiply η by 10 until the curve goes up.") },
  { ROW ("dictionary", "sample", dictionary.sample, INTEGER, "20000"), LOG_RANGE (1, 100000000), .symbol = "N",
    .label = N_ ("Tensors to learn from"), .formula = "f = \\sum_{n=1}^{N} f_n",
    .help = N_ ("Maximum number of tensors for learning, drawn at random without repetition from the training part."),
    .more = N_ ("Atoms fit the data better; memory and time grow in proportion."),
    .less = N_ ("Faster learning of less representative atoms. The tensors must have at least as many slices as there "
                "are atoms."),
    .typical = N_ ("5000 to 50000"), .trial = N_ ("Take as many tensors as atoms: every atom reproduces one patch.") },
  { ROW ("dictionary", "minibatch", dictionary.minibatch, INTEGER, "0"), LOG_RANGE (0, 100000000),
    .label = N_ ("Batch"), .formula = "(Y, P) \\leftarrow (1 - \\frac{1}{t})^ρ (Y, P) + (Y_t, P_t)",
    .help = N_ ("Number of tensors in memory at a time; each batch updates the dictionary, and an iteration processes "
                "all batches. With 0 all tensors are in memory and form one batch."),
    .more = N_ ("Steadier updates in more memory, and fewer of them in an iteration."),
    .less = N_ ("Less memory. The tensors of a batch must have at least as many slices as there are atoms."),
    .typical = N_ ("0, or 4000 to 20000"), .trial = N_ ("Set 1000, and compare memory and the curve.") },
  { ROW ("dictionary", "forgetting", dictionary.forgetting, REAL, "10"), RANGE (0, 1000), .allow_infinite = TRUE,
    .symbol = "ρ", .label = N_ ("Forgetting"), .formula = "(1 - \\frac{1}{t})^ρ",
    .help = N_ ("Decay of the weights of older batches: after t batches, batch s has weight (s/t)^ρ. With 0 all "
                "batches have equal weight, with inf only the current batch counts."),
    .more = N_ ("Old codes, found with worse atoms, lose weight sooner; steps are noisier."),
    .less = N_ ("Steadier atoms that converge more slowly."), .typical = N_ ("2 to 20"),
    .trial = N_ ("With batches, compare 0 with 10.") },
  { ROW ("dictionary", "seed", dictionary.seed, SEED, "1"), .label = N_ ("Seed of learning"),
    .formula = "(B, b)_0 = g(\\text{seed})",
    .help = N_ ("Start of the random numbers that draw the tensors for learning and the initial atoms."),
    .more = N_ ("Other initial atoms: another minimum, usually about as low."),
    .less = N_ ("The same atoms, to the last bit, from the same recipe."), .typical = N_ ("any number"),
    .trial = N_ ("Learn with two seeds and look for the same atoms in Atoms.") },
  { ROW ("dictionary", "init", dictionary.init, CHOICE, "slices"), .choices = inits, .label = N_ ("Initialization"),
    .formula = "B_k \\leftarrow \\Pro(X_n^s)",
    .help = N_ ("Initial atoms of learning: slices are projected slices of sampled tensors; random are projected "
                "normal matrices and weights uniform on the simplex, independent of the data."),
    .more = N_ ("random shows the effect of learning alone; it needs more iterations."),
    .less = N_ ("slices are close to the data."), .typical = N_ ("slices"),
    .trial = N_ ("Learn once from each and compare the first ten iterations.") },
  { ROW ("dictionary", "source", dictionary.source, CHOICE, "learned"), .choices = sources, .label = N_ ("Atoms used"),
    .formula = "(\\vec B_k, b_k) \\sim (μ, Σ), \\quad B_k \\leftarrow \\Pro(B_k)",
    .help = N_ ("Atoms used for coding. With random as many atoms are drawn from the Gaussian with the mean and "
                "covariance of all learned (B, b), and projected onto their constraints: the baseline of section 6.5, "
                "which shows the gain from learning."),
    .more = N_ ("random is the baseline: the difference in accuracy is the gain from learning."),
    .less = N_ ("learned atoms are used as they are."), .typical = N_ ("learned"),
    .trial = N_ ("Run both with the same seed and compare their accuracies.") },
  { ROW ("dictionary", "signed-b", dictionary.signed_b, BOOLEAN, "false"), .symbol = "bₖ", .equation = "(5)",
    .label = N_ ("Signed vectors"), .formula = "\\norm{b_k}_1 \\le 1, \\quad b_k \\ge 0",
    .help = N_ ("Whether the vectors b of atoms may have negative entries. Slices reconstructed from psd atoms are "
                "then not guaranteed to be positive semi-definite."),
    .more = N_ ("Atoms express differences between slices, with fewer of them."),
    .less = N_ ("Reconstructed slices are sums of positive semi-definite matrices."), .typical = N_ ("off"),
    .trial = N_ ("Switch it on and look at the film strip of an atom: which slices turn negative?") },
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
    .trial = N_ ("Run raw on the sample textures: how long is its signature?") },
  { ROW ("coding", "lambda", coding.lambda, REAL, ""), LOG_RANGE (0, 10000), .symbol = "λ", .label = N_ ("Sparsity"),
    .equation = "(5)", .formula = "\\min_{α \\ge 0} α^\\T H α - 2q^\\T α + λ\\norm{α}_1",
    .help = N_ (
        "Weight of the ℓ₁ norm of codes in coding with the learned dictionary. Left empty it is λ of the dictionary."),
    .more = N_ ("Sparser codes, faster coding, larger errors."),
    .less = N_ ("Codes with more non-zeros, smaller errors."), .typical = N_ ("10⁻⁴ to 10⁻¹"), LAMBDA_CAUTION,
    .trial = N_ ("Learn with a small λ and code with a large one.") },
  { ROW ("coding", "gamma", coding.gamma, REAL, ""), LOG_RANGE (1e-6, 1e6), .allow_infinite = TRUE, .symbol = "γ",
    .label = N_ ("Proximity"), .equation = "(5)", .formula = "W = (I + \\frac{1}{γ} V V^\\T)^{-1}",
    .help = N_ ("Weight of the distance between the codes of slices and the shared code in coding with the learned "
                "dictionary. Left empty it is γ of the dictionary."),
    .more = N_ ("One code must explain all slices."), .less = N_ ("Slices may deviate from the shared code."),
    .typical = N_ ("0.1 to 100, or inf"),
    .trial = N_ ("In Inspect switch between “By Slices” and “By the Code” while you drag γ.") },
  { ROW ("coding", "signed-alpha", coding.signed_alpha, BOOLEAN, "false"), .symbol = "α", .equation = "(5)",
    .label = N_ ("Signed codes"), .formula = "α \\ge 0",
    .help = N_ ("Whether codes may be negative, in learning and in coding. Non-negative codes only add atoms, which "
                "keeps reconstructed slices positive semi-definite."),
    .more = N_ ("Codes may subtract atoms, and errors become smaller."),
    .less = N_ ("Atoms are only added, which keeps reconstructed slices positive semi-definite."),
    .typical = N_ ("off"), .trial = N_ ("Switch it on and count the negative stems in Inspect.") },
  { ROW ("coding", "nonnegative-beta", coding.nonnegative_beta, BOOLEAN, "false"), .symbol = "β", .equation = "(5)",
    .label = N_ ("Non-negative weights"), .formula = "β \\ge 0",
    .help = N_ ("Whether the weights of a tensor's slices must be non-negative, in learning and in coding, so that "
                "reconstructed slices are sums of atoms. Then β is found together with α, which takes many times as "
                "long as with free β."),
    .more = N_ ("Every reconstructed slice is a sum of atoms; coding takes many times as long."),
    .less = N_ ("Slices may subtract atoms, which lowers errors."), .typical = N_ ("off"),
    .trial = N_ ("With K = 50, compare errors and time with it on and off.") },
  { ROW ("coding", "gaussians", coding.gaussians, INTEGER, "64"), BASIC, LOG_RANGE (1, 4096), .symbol = "G",
    .label = N_ ("Gaussians"), .formula = "p(x) = \\sum_{k=1}^G w_k \\cal{N}(x; μ_k, σ_k^2)",
    .help
    = N_ ("Number of Gaussians in the mixture of Fisher vectors. A signature has two numbers for each Gaussian and "
          "each number of a feature: the gradients to its means and to its deviations."),
    .more = N_ ("Finer distinctions, longer signatures, more time; a Gaussian that few features of an image belong to "
                "says little."),
    .less = N_ ("Shorter signatures, and less memory."), .typical = N_ ("32 to 256"),
    .trial = N_ ("Double it until the accuracy no longer grows.") },
  { ROW ("coding", "gaussian-sample", coding.gaussian_sample, INTEGER, "60000"), LOG_RANGE (1, 100000000),
    .label = N_ ("Features for the mixture"), .formula = "\\max \\sum_{i=1}^{n} \\log \\sum_k w_k N(x_i; μ_k, σ_k^2)",
    .help = N_ ("Number of local features that the mixture of Fisher vectors is learned from, drawn at random from all "
                "training images of a split alike."),
    .more = N_ ("A better mixture of many Gaussians, in proportionally more time and memory."),
    .less = N_ ("Faster learning."), .typical = N_ ("a thousand for each Gaussian"),
    .trial = N_ ("Halve it and compare accuracy.") },
  { ROW ("pooling", "order", pooling.order, INTEGER, "1"), ADDED, BASIC, RANGE (1, 2), .label = N_ ("Order"),
    .formula = "M = \\frac{1}{N} \\sum_n α_n α_n^\\T = V \\diag(e) V^\\T, \\quad M \\leftarrow V \\diag(e^p) V^\\T",
    .help = N_ ("What is recorded of the codes of a sample: 1 how much of each atom it has, 2 how much of each pair of "
                "atoms occurs in the same patches, K (K + 1) / 2 numbers. The power is applied to the eigenvalues of "
                "their matrix, so that frequent combinations do not hide rare ones."),
    .more = N_ ("Far better with few atoms; signatures are longer and take an eigenvalue problem a sample."),
    .less = N_ ("Short signatures, with a number for each atom."), .typical = N_ ("2 for K up to 400"),
    .trial = N_ ("Run order 1 and 2 with K = 200.") },
  { ROW ("pooling", "code-power", pooling.code_power, REAL, "1"), ADDED, RANGE (0.01, 2), .symbol = "q",
    .label = N_ ("Power of the codes"), .formula = "α \\leftarrow \\sgn(α)\\abs{α}^q",
    .help
    = N_ ("Exponent applied to the entries of each code before pairs of them are pooled. With 1 it has no effect."),
    .more = N_ ("The largest codes of a patch dominate."), .less = N_ ("All atoms of a patch count alike."),
    .typical = N_ ("1, or 0.5"), .trial = N_ ("Compare 1 and 0.5 on images of regular textures.") },
  { ROW ("pooling", "kind", pooling.kind, CHOICE, "average"), BASIC, .choices = pool_kinds, .label = N_ ("Pooling"),
    .formula = "\\frac{1}{N} \\sum_n a_n, \\quad \\max_n a_n, \\quad 1 - \\prod_n (1 - u_n)",
    .help = N_ ("Pooling of the codes of all patches of a sample into one signature: average is the mean of the codes "
                "of each atom, max the largest one, at-n the mean of the n largest, gamma a power of the mean. The "
                "others interpret codes, divided by the largest of the sample, as probabilities: exapro is the "
                "probability that at least one patch has the atom, maxexp the same for that many average patches, "
                "axmin a straight line up to 1 that approximates it."),
    .more = N_ ("Kinds close to max show whether an atom occurs at all; they suit large dictionaries."),
    .less = N_ ("average is stable and suits small dictionaries."), .typical = N_ ("average"),
    .trial = N_ ("Compare average and max with K = 20 and with K = 500.") },
  { ROW ("pooling", "parameter", pooling.parameter, REAL, ""), LOG_RANGE (1e-3, 1e6), .symbol = "p",
    .label = N_ ("Pooling parameter"),
    .formula = "1 - (1 - \\bar{u})^p, \\quad \\sgn(\\bar{a})\\abs{\\bar{a}}^p, \\quad \\min(p \\sum_n u_n, 1)",
    .help = N_ ("Parameter of the kind of pooling: trials for maxexp, from 1 on; exponent for gamma, at most 1; slope "
                "for axmin; number of averaged codes for at-n, a whole number. Left empty it is the number of patches, "
                "0.5, 1 and 5."),
    .more = N_ ("Closer to whether an atom occurs, until all atoms seem to occur (maxexp, axmin); closer to the "
                "average (gamma, at-n)."),
    .less = N_ ("Closer to the average (maxexp, axmin), or to whether an atom occurs (gamma, at-n)."),
    .typical = N_ ("empty; fewer trials than patches or a slope below 1 where most probabilities reach 1"),
    .trial = N_ ("Choose maxexp and try 1, 10 and 100.") },
  { ROW ("pooling", "power", pooling.power, REAL, "0.4"), BASIC, RANGE (0.01, 2), .symbol = "p", .label = N_ ("Power"),
    .formula = "h \\leftarrow \\sgn(h)\\abs{h}^p",
    .help = N_ ("Exponent applied to every entry of a pooled signature, with its sign kept. With 1 it has no effect."),
    .more = N_ ("Frequent atoms dominate the signature."),
    .less = N_ ("Rare atoms have nearly the same weight as frequent ones."), .typical = N_ ("0.3 to 1"),
    .trial = N_ ("Set 1 and compare accuracy.") },
  { ROW ("pooling", "normalise", pooling.l2, CHOICE, "l2"), .choices = normalisations, .label = N_ ("Normalisation"),
    .formula = "h \\leftarrow \\frac{h}{\\norm{h}_2}",
    .help = N_ ("Whether signatures are divided by their Euclidean norm, so that samples of low contrast have the same "
                "weight as those of high contrast."),
    .more = N_ ("none keeps the amounts, contrast included."), .less = N_ ("l2 keeps the proportions only."),
    .typical = N_ ("l2"), .trial = N_ ("Set none, and look for classes of low contrast in the confusion matrix.") },
  { ROW ("classifier", "beside", classifier.beside, TEXT, ""), ADDED, BASIC, .label = N_ ("Beside"),
    .formula = "k = w_0 k_0 + \\sum_p w_p k_p",
    .help = N_ ("Methods whose similarities of images are added to those of the signatures, by name, separated by "
                "semicolons, such as fisher;image-covariance; tosst compare --list lists them. Weights follow the "
                "leave-one-out errors of each on training samples."),
    .more = N_ ("Methods that err on different images correct each other; each takes its own time and memory."),
    .less = N_ ("Left empty, the signatures alone decide; faster."), .typical = N_ ("empty, or one or two"),
    .trial = N_ ("Add image-covariance, and compare the accuracy of each part alone with that of both.") },
  { ROW ("classifier", "kernel", classifier.kernel, CHOICE, "linear"), ADDED, BASIC, .choices = kernels,
    .label = N_ ("Kernel"),
    .formula
    = "k(x, y) = x^\\T y \\\\ k(x, y) = \\exp(-\\frac{1}{2 w^2} \\norm{x - y}^2) \\\\ k(x, y) = \\exp(-\\frac{1}{w} "
      "\\sum_j \\frac{(x_j - y_j)^2}{|x_j| + |y_j|})",
    .help
    = N_ ("Similarity of two signatures by which the SVM separates classes: linear is their product; rbf falls with "
          "their distance, and chi2 with the distance that suits histograms. rbf and chi2 compare an image with "
          "every training sample, which a model then contains."),
    .more = N_ ("rbf and chi2 separate classes by curved surfaces, which short signatures need."),
    .less = N_ ("linear is the fastest, and enough for signatures of some hundred numbers and more."),
    .typical = N_ ("linear for codes of a dictionary, rbf for covariances of images, chi2 for lbp"),
    .trial = N_ ("Run descriptor lbp with linear and with chi2.") },
  { ROW ("classifier", "width", classifier.width, REAL, ""), LOG_RANGE (1e-6, 1e9), .symbol = "w",
    .label = N_ ("Kernel width"), .formula = "k(x, y) = \\exp(-\\frac{1}{2 w^2} \\norm{x - y}^2)",
    .help
    = N_ ("Distance at which similarity has fallen: of rbf by the factor 0.61, of chi2 by 0.37. Left empty it is "
          "taken from the training samples of each split, so that the exponent is on average -0.1 (rbf) or -1 (chi2)."),
    .more = N_ ("Smoother boundaries: the classifier approaches a linear one."),
    .less = N_ ("Only close training samples count, at some risk of overfitting."), .typical = N_ ("empty"),
    .trial = N_ ("Set a tenth and ten times the mean distance: where does accuracy fall?") },
  { ROW ("classifier", "sharpness", classifier.sharpness, REAL, "1"), ADDED, LOG_RANGE (1e-3, 1e4), .symbol = "s",
    .label = N_ ("Sharpness"),
    .formula = "k(x, y) = \\exp(-\\frac{s}{2 w^2} \\norm{x - y}^2) \\\\ k(x, y) = \\exp(-\\frac{s}{w} \\sum_j "
               "\\frac{(x_j - y_j)^2}{|x_j| + |y_j|})",
    .help
    = N_ ("Factor of the exponents of the similarities where the width is taken from the training samples: with 10 the "
          "exponent of rbf is on average -1 instead of -0.1."),
    .more = N_ ("Only close training samples count: for classes of many kinds, as with rotated and rescaled copies."),
    .less = N_ ("Smoother boundaries: the classifier approaches a linear one."),
    .typical = N_ ("1; 10 for invariant-covariance"),
    .trial = N_ ("Run descriptor image-covariance with copies and 1, then 10.") },
  { ROW ("classifier", "loss", classifier.loss, CHOICE, "hinge"), ADDED, .choices = losses, .label = N_ ("Loss"),
    .formula = "\\sum_i \\max(0, 1 - t_i f(x_i))^2 \\\\ \\sum_i (t_i - f(x_i))^2",
    .help
    = N_ ("What the classifier minimises on training samples: hinge counts samples on the wrong side of the margin, "
          "as an SVM does; squares fits +1 and -1 by regression, which has a closed form, and chooses C by leaving "
          "one sample out."),
    .more = N_ ("squares often is better for few training samples and descriptors of some hundred numbers."),
    .less = N_ ("hinge ignores samples that are classified well."),
    .typical = N_ ("hinge for codes of a dictionary; squares for covariances of images and combined"),
    .trial = N_ ("Run descriptor image-covariance with both.") },
  { ROW ("classifier", "c", classifier.c, REAL, "100"), BASIC, LOG_RANGE (1e-6, 1e9), .symbol = "C",
    .label = N_ ("SVM cost"), .formula = "\\frac{1}{2}\\norm{w}^2 + C \\sum_i \\max(0, 1 - t_i w^\\T x_i)^2",
    .help = N_ ("Weight of the errors on training samples against the width of the margin in the linear SVM."),
    .more = N_ ("Training samples are fitted more closely, at some risk of overfitting."),
    .less = N_ ("A wider margin with more errors on training samples."), .typical = N_ ("1 to 1000"),
    .trial = N_ ("Set 0.01 and 10000: where does accuracy fall?") },
  { ROW ("classifier", "choose-c", classifier.choose_c, BOOLEAN, "false"), .label = N_ ("Choose C"),
    .formula = "C \\in \\{0.1, 1, 10, 100, 1000, 10^4\\}",
    .help = N_ ("Whether C is chosen in each split by cross-validation: the training part is cut into five, each fifth "
                "is classified by a classifier of the other four, and the C with the highest accuracy is taken. Tests "
                "are not used; training takes about thirty times as long."),
    .more = N_ ("C fits the split; training takes longer."), .less = N_ ("C is the value of “SVM cost”."),
    .typical = N_ ("off"), .trial = N_ ("Switch it on and compare the C of the splits in Results.") },
  { ROW ("classifier", "score", classifier.score, CHOICE, "accuracy"), .choices = scores, .label = N_ ("Score"),
    .formula = "\\text{AP} = \\frac{1}{11} \\sum_{t=0}^{10} \\max_{r \\ge t / 10} p(r)",
    .help = N_ ("What judges a classifier of images with several labels: ap11 is the mean over classes of the average "
                "precision at 11 recalls, as in PASCAL VOC 2007; area is the area under the precision-recall curve, as "
                "from VOC 2010 on. accuracy is for samples of one class; with several labels it stands for ap11."),
    .more = N_ ("area uses every positive image."), .less = N_ ("ap11 is comparable with results on VOC 2007."),
    .typical = N_ ("ap11 for VOC 2007"), .trial = N_ ("Compare both in Results.") },
  { .name = NULL },
};

static const struct
{
  const char *name, *label;
} groups[] = {
  { "dataset", N_ ("Data") },  { "descriptor", N_ ("Descriptor") }, { "dictionary", N_ ("Dictionary") },
  { "coding", N_ ("Coding") }, { "pooling", N_ ("Pooling") },       { "classifier", N_ ("Classifier") },
};

const TosstParameter *
tosst_parameters (guint *n)
{
  if (n)
    *n = G_N_ELEMENTS (parameters) - 1;
  return parameters;
}

const TosstParameter *
tosst_parameter_find (const char *name)
{
  for (const TosstParameter *p = parameters; p->name; p++)
    if (strcmp (p->name, name) == 0)
      return p;
  return NULL;
}

gboolean
tosst_parameter_sets_defaults (const char *name)
{
  return g_str_equal (name, "descriptor.kind") || g_str_equal (name, "coding.method")
         || g_str_equal (name, "descriptor.frames");
}

const char *
tosst_parameter_group_label (const char *group)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (strcmp (groups[i].name, group) == 0)
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
    consider (wrong, groups[i].name, &best, &guess);
  return guess;
}

const char *
tosst_parameter_guess_key (const char *group, const char *wrong)
{
  const char *guess = NULL;
  guint best = MIN (3, MAX (2, strlen (wrong) / 2));

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (strcmp (p->group, group) == 0)
      consider (wrong, p->key, &best, &guess);
  return guess;
}
