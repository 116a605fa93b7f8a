/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [classifier] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const kernels[] = { "linear", "rbf", "chi2", NULL };
static const char *const losses[] = { "hinge", "squares", NULL };
static const char *const scores[] = { "accuracy", "ap11", "area", NULL };

static const TosstParameter rows[] = {
  { ROW ("classifier", "beside", classifier.beside, TEXT, ""), ADDED, BASIC, .label = N_ ("Beside"),
    .formula = "k = w_0 k_0 + \\sum_p w_p k_p",
    .help = N_ ("Methods whose similarities of images are added to those of the signatures, by name, separated by "
                "semicolons, such as fisher;image-covariance; tosst compare --list lists them. Weights follow the "
                "leave-one-out errors of each on training samples."),
    .more = N_ ("Methods that err on different images correct each other; each takes its own time and memory."),
    .less = N_ ("Left empty, the signatures alone decide; faster."), .typical = N_ ("empty, or one or two"),
    .attempt = N_ ("Add image-covariance, and compare the accuracy of each part alone with that of both.") },
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
    .attempt = N_ ("Run descriptor lbp with linear and with chi2.") },
  { ROW ("classifier", "width", classifier.width, REAL, ""), LOG_RANGE (1e-6, 1e9), .symbol = "w",
    .label = N_ ("Kernel width"), .formula = "k(x, y) = \\exp(-\\frac{1}{2 w^2} \\norm{x - y}^2)",
    .help
    = N_ ("Distance at which similarity has fallen: of rbf by the factor 0.61, of chi2 by 0.37. Left empty it is "
          "taken from the training samples of each split, so that the exponent is on average -0.1 (rbf) or -1 (chi2)."),
    .more = N_ ("Smoother boundaries: the classifier approaches a linear one."),
    .less = N_ ("Only close training samples count, at some risk of overfitting."), .typical = N_ ("empty"),
    .attempt = N_ ("Set a tenth and ten times the mean distance: where does accuracy fall?") },
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
    .attempt = N_ ("Run descriptor image-covariance with copies and 1, then 10.") },
  { ROW ("classifier", "loss", classifier.loss, CHOICE, "hinge"), ADDED, .choices = losses, .label = N_ ("Loss"),
    .formula = "\\sum_i \\max(0, 1 - t_i f(x_i))^2 \\\\ \\sum_i (t_i - f(x_i))^2",
    .help
    = N_ ("What the classifier minimises on training samples: hinge counts samples on the wrong side of the margin, "
          "as an SVM does; squares fits +1 and -1 by regression, which has a closed form, and chooses C by leaving "
          "one sample out."),
    .more = N_ ("squares often is better for few training samples and descriptors of some hundred numbers."),
    .less = N_ ("hinge ignores samples that are classified well."),
    .typical = N_ ("hinge for codes of a dictionary; squares for covariances of images and combined"),
    .attempt = N_ ("Run descriptor image-covariance with both.") },
  { ROW ("classifier", "c", classifier.c, REAL, "100"), BASIC, LOG_RANGE (1e-6, 1e9), .symbol = "C",
    .label = N_ ("SVM cost"), .formula = "\\frac{1}{2}\\norm{w}^2 + C \\sum_i \\max(0, 1 - t_i w^\\T x_i)^2",
    .help = N_ ("Weight of the errors on training samples against the width of the margin in the linear SVM."),
    .more = N_ ("Training samples are fitted more closely, at some risk of overfitting."),
    .less = N_ ("A wider margin with more errors on training samples."), .typical = N_ ("1 to 1000"),
    .attempt = N_ ("Set 0.01 and 10000: where does accuracy fall?") },
  { ROW ("classifier", "choose-c", classifier.choose_c, BOOLEAN, "false"), .label = N_ ("Choose C"),
    .formula = "C \\in \\{0.1, 1, 10, 100, 1000, 10^4\\}",
    .help = N_ ("Whether C is chosen in each split by cross-validation: the training part is cut into five, each fifth "
                "is classified by a classifier of the other four, and the C with the highest accuracy is taken. Tests "
                "are not used; training takes about thirty times as long."),
    .more = N_ ("C fits the split; training takes longer."), .less = N_ ("C is the value of “SVM cost”."),
    .typical = N_ ("off"), .attempt = N_ ("Switch it on and compare the C of the splits in Results.") },
  { ROW ("classifier", "score", classifier.score, CHOICE, "accuracy"), .choices = scores, .label = N_ ("Score"),
    .formula = "\\text{AP} = \\frac{1}{11} \\sum_{t=0}^{10} \\max_{r \\ge t / 10} p(r)",
    .help = N_ ("What judges a classifier of images with several labels: ap11 is the mean over classes of the average "
                "precision at 11 recalls, as in PASCAL VOC 2007; area is the area under the precision-recall curve, as "
                "from VOC 2010 on. accuracy is for samples of one class; with several labels it stands for ap11."),
    .more = N_ ("area uses every positive image."), .less = N_ ("ap11 is comparable with results on VOC 2007."),
    .typical = N_ ("ap11 for VOC 2007"), .attempt = N_ ("Compare both in Results.") },
};

const TosstParameterGroup tosst_parameters_classifier = { "classifier", N_ ("Classifier"), rows, G_N_ELEMENTS (rows) };
