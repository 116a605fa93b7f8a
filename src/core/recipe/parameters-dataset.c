/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [dataset] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const dataset_kinds[] = { "samples", "brodatz", "folders", "voc2007", "labels", NULL };
static const char *const protocols[] = { "random", "leave-one-out", "fixed", NULL };

static const TosstParameter rows[] = {
  { ROW ("dataset", "kind", dataset.kind, CHOICE, "samples"), BASIC, .choices = dataset_kinds, .label = N_ ("Data set"),
    .help = N_ ("Source of the images: the built-in sample textures, a folder with the Brodatz album, or a folder with "
                "one subfolder of images for each class. With several classes an image: voc2007 is the layout of "
                "PASCAL VOC 2007, labels a folder with the table labels.csv."),
    .more = N_ ("Your own textures, with a folder for each class, photographs with lists of labels, or the album of "
                "the paper."),
    .less = N_ ("The sample textures need no files, and a run on them takes well under a minute."),
    .typical = N_ ("the sample textures at first"),
    .attempt = N_ ("Start a run on the sample textures, then open a folder of your own and compare accuracy.") },
  { ROW ("dataset", "hard", dataset.hard, BOOLEAN, "false"), BASIC, .label = N_ ("Hard textures"),
    .help
    = N_ ("The sample textures with more rotation, scale, noise and shadow, each blended with the pattern of a similar "
          "class, so that a classifier makes errors that can be explained."),
    .more = N_ ("On: errors to learn from, mostly between two similar classes."),
    .less = N_ ("Off: nearly all textures are classified correctly."), .typical = N_ ("off"),
    .attempt = N_ ("Set it, run, and open the largest error of the confusion matrix in Results.") },
  { ROW ("dataset", "path", dataset.path, TEXT, ""), BASIC, .label = N_ ("Folder"),
    .help = N_ ("The folder of the images. The sample textures need none."),
    .attempt = N_ ("Drop a folder on the window: path and kind are filled in.") },
  { ROW ("dataset", "block", dataset.block, INTEGER, ""), RANGE (0, 16384), .unit = N_ ("px"), .label = N_ ("Block"),
    .formula = "n = (\\frac{w - \\text{block}}{\\text{step}} + 1)(\\frac{h - \\text{block}}{\\text{step}} + 1)",
    .help = N_ ("Side of the square blocks into which every image is cut; each block is one sample to classify. With 0 "
                "a whole image is one sample. Left empty it is 160 for Brodatz and 0 otherwise."),
    .more = N_ ("Each sample pools more patches and is easier to classify, but an image gives fewer samples."),
    .less = N_ ("More samples, each with fewer patches and therefore a noisier signature."),
    .typical = N_ ("0, or 100 to 200"),
    .attempt = N_ ("Halve it, compare the number of samples in Data, then run again.") },
  { ROW ("dataset", "block-step", dataset.block_step, INTEGER, "80"), RANGE (1, 16384), .unit = N_ ("px"),
    .label = N_ ("Block step"), .formula = "\\text{overlap} = 1 - \\frac{\\text{step}}{\\text{block}}",
    .help = N_ ("Distance from one block to the next, in both directions."),
    .more = N_ ("Fewer blocks that overlap less."),
    .less = N_ ("More blocks. When they overlap, training and test blocks of one image share pixels."),
    .typical = N_ ("half of the block, or the block itself"),
    .attempt = N_ ("Set it to the block: no pixel is in two samples, and accuracy is less biased.") },
  { ROW ("dataset", "train-per-class", dataset.train_per_class, INTEGER, ""), BASIC, RANGE (1, 1000000),
    .label = N_ ("Training samples"), .formula = "n_{\\text{test}} = n - n_{\\text{train}}",
    .help = N_ ("Samples of each class that train the classifier in a split; all other samples of the class are tests. "
                "Left empty it is 24 for the sample textures and Brodatz; of folders the share “Training share” "
                "trains."),
    .more = N_ ("A better classifier, measured on fewer tests."), .less = N_ ("A harder task, measured on more tests."),
    .typical = N_ ("half of the samples of a class"),
    .attempt = N_ ("Try 1, 2, 4 and 8: how many examples does a class need?") },
  { ROW ("dataset", "train-share", dataset.train_share, REAL, "0.5"), BASIC, RANGE (0.01, 0.99),
    .label = N_ ("Training share"), .formula = "n_{\\text{train}} = \\text{share} \\cdot n",
    .help = N_ ("Share of the images of each class of a folder that train, where no number of training samples is "
                "given: at least one image of a class trains and at least one tests. A class of one image is left "
                "out."),
    .more = N_ ("A better classifier, measured on fewer tests."), .less = N_ ("A harder task, measured on more tests."),
    .typical = N_ ("0.5 to 0.8"), .attempt = N_ ("Compare 0.25 with 0.75: does the classifier need more images?") },
  { ROW ("dataset", "splits", dataset.splits, INTEGER, "10"), BASIC, RANGE (1, 1000), .label = N_ ("Splits"),
    .formula = "\\bar{a} \\pm \\sqrt{\\frac{1}{S - 1} \\sum_{i=1}^{S} (a_i - \\bar{a})^2}",
    .help = N_ ("Number of random draws of the training samples. Each split learns its own dictionary and classifier; "
                "accuracy is reported as mean and standard deviation over splits."),
    .more = N_ ("A more certain mean, in proportionally more time."), .less = N_ ("Faster, with a less certain mean."),
    .typical = N_ ("3 to 10"), .attempt = N_ ("Run with 3 and with 10, and compare the deviations in Results.") },
  { ROW ("dataset", "seed", dataset.seed, SEED, "1"), .label = N_ ("Seed of the splits"),
    .formula = "S = S(\\text{seed})",
    .help = N_ ("Start of the random numbers that draw training samples. The same seed gives the same splits."),
    .more = N_ ("Other training samples are drawn: accuracy changes by about its deviation."),
    .less = N_ ("The same splits every time: differences come only from your changes."),
    .typical = N_ ("any number; the same one for runs that are compared"),
    .attempt = N_ ("Run with three seeds. Is your improvement larger than the effect of the seed?") },
  { ROW ("dataset", "exclude", dataset.exclude, TEXT, ""), .label = N_ ("Leave out"),
    .help = N_ ("Files or classes to leave out, by name without suffix, separated by commas. Left empty it is D14 for "
                "Brodatz and nothing otherwise; the word none leaves nothing out."),
    .typical = N_ ("D14"), .more = N_ ("Fewer classes or images: unsuitable ones are excluded."),
    .less = N_ ("All classes and images are used."),
    .attempt
    = N_ ("Leave out the class with the lowest accuracy in Results, and compare the accuracy of the others.") },
  { ROW ("dataset", "additions", dataset.additions, TEXT, ""), .label = N_ ("Additional images"),
    .help
    = N_ ("A list of images that train in every split beside those of the data set, such as corrected predictions: "
          "a text file with a line for each image, its class, a tab and its path. They are never tests."),
    .more = N_ ("The classifier learns from images that were predicted wrong."),
    .less = N_ ("Left empty only the images of the data set train."), .typical = N_ ("left empty"),
    .attempt = N_ ("Correct a prediction in Predict, run again, and predict the image once more.") },
  { ROW ("dataset", "protocol", dataset.protocol, CHOICE, "random"), .choices = protocols, .label = N_ ("Protocol"),
    .formula = "\\text{train} \\cap \\text{test} = \\empty",
    .help = N_ ("Division of the samples: random draws training samples for each split; leave-one-out tests one sample "
                "of each class at a time; fixed takes the subfolders train and test, or without them the first samples "
                "of each class for training."),
    .more = N_ ("leave-one-out uses all other samples for training; fixed uses the division of the folders."),
    .less = N_ ("random draws a new division for every split, which shows its influence."), .typical = N_ ("random"),
    .attempt = N_ ("Compare random with leave-one-out on the sample textures: which accuracy is higher, and why?") },
  { ROW ("dataset", "within", dataset.within, INTEGER, "0"), ADDED, RANGE (0, 1000), .label = N_ ("Nested split"),
    .formula = "\\text{train}_i = \\text{train}_i' \\cup \\text{valid}_i",
    .help
    = N_ ("Choice of parameters without tests: with a number from 1 only the training samples of that split are used, "
          "divided again into training and validation samples. With 0 all samples are divided by the protocol."),
    .typical = N_ ("0; 1 to choose parameters"), .more = N_ ("Parameters are chosen without the tests of that split."),
    .less = N_ ("With 0 accuracy is measured on tests: do not choose parameters by it."),
    .attempt = N_ ("Sweep λ with 1 here, take the best, then set 0 and run once.") },
  { ROW ("dataset", "validate", dataset.validate, INTEGER, ""), RANGE (1, 1000000), .label = N_ ("Validation samples"),
    .formula = "n_{\\text{train}}' = n_{\\text{train}} - n_{\\text{valid}}",
    .help = N_ ("Number of training samples of each class used for validation when they are divided again; the others "
                "train. Whole images where the protocol draws images. Left empty it is 8, or a third of the training "
                "images of a class where “Training share” divides a folder."),
    .more = N_ ("A more certain choice among classifiers with fewer training samples."),
    .less = N_ ("Classifiers closer to the final ones, compared on fewer samples."),
    .typical = N_ ("a third of the training samples"),
    .attempt = N_ ("Set “Nested split” to 1 and compare 4 with 12.") },
  { ROW ("dataset", "copies", dataset.copies, INTEGER, "0"), ADDED, RANGE (0, 100), .label = N_ ("Training copies"),
    .formula = "I_k(u) = I(s_k^{-1} R(θ_k) u), \\quad 0.6 \\le s_k \\le 1.6",
    .help
    = N_ ("Number of rotated and rescaled copies of every training sample, which train, too. A copy is turned by any "
          "angle and rescaled by a factor of 0.6 to 1.6, both drawn by the seed of the splits, and cropped to the "
          "pixels of its sample. Tests have no copies, and C and weights of parts are chosen without them."),
    .more = N_ ("Textures are recognised in more directions and sizes, in proportionally more time and memory."),
    .less = N_ ("Faster. Only descriptors at keypoints follow directions and sizes that no training image shows."),
    .typical = N_ ("0; 2 to 8 for photographs from any side and distance"),
    .attempt = N_ ("Compare 0 with 4 for dense descriptors, then for keypoints: which need copies?") },
};

const TosstParameterGroup tosst_parameters_dataset = { "dataset", N_ ("Data"), rows, G_N_ELEMENTS (rows) };
