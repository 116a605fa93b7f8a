/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of the group [pooling] of the table of parameters. */

#include "config.h"

#include <glib/gi18n.h>

#include "core/recipe/rows.h"

static const char *const pool_kinds[] = { "average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n", NULL };
static const char *const normalisations[] = { "none", "l2", NULL };

static const TosstParameter rows[] = {
  { ROW ("pooling", "order", pooling.order, INTEGER, "1"), ADDED, BASIC, RANGE (1, 2), .label = N_ ("Order"),
    .formula
    = "M = \\frac{1}{N} \\sum_n \\alpha_n \\alpha_n^\\T = V \\diag(e) V^\\T, \\quad M \\leftarrow V \\diag(e^p) V^\\T",
    .help = N_ ("What is recorded of the codes of a sample: 1 how much of each atom it has, 2 how much of each pair of "
                "atoms occurs in the same patches, K (K + 1) / 2 numbers. The power is applied to the eigenvalues of "
                "their matrix, so that frequent combinations do not hide rare ones."),
    .more = N_ ("Far better with few atoms; signatures are longer and take an eigenvalue problem a sample."),
    .less = N_ ("Short signatures, with a number for each atom."), .typical = N_ ("2 for K up to 400"),
    .attempt = N_ ("Run order 1 and 2 with K = 200.") },
  { ROW ("pooling", "code-power", pooling.code_power, REAL, "1"), ADDED, RANGE (0.01, 2), .symbol = "q",
    .label = N_ ("Power of the codes"), .formula = "\\alpha \\leftarrow \\sgn(\\alpha)\\abs{\\alpha}^q",
    .help
    = N_ ("Exponent applied to the entries of each code before pairs of them are pooled. With 1 it has no effect."),
    .more = N_ ("The largest codes of a patch dominate."), .less = N_ ("All atoms of a patch count alike."),
    .typical = N_ ("1, or 0.5"), .attempt = N_ ("Compare 1 and 0.5 on images of regular textures.") },
  { ROW ("pooling", "kind", pooling.kind, CHOICE, "average"), BASIC, .choices = pool_kinds, .label = N_ ("Pooling"),
    .formula = "\\frac{1}{N} \\sum_n a_n, \\quad \\max_n a_n, \\quad 1 - \\prod_n (1 - u_n)",
    .help = N_ ("Pooling of the codes of all patches of a sample into one signature: average is the mean of the codes "
                "of each atom, max the largest one, at-n the mean of the n largest, gamma a power of the mean. The "
                "others interpret codes, divided by the largest of the sample, as probabilities: exapro is the "
                "probability that at least one patch has the atom, maxexp the same for that many average patches, "
                "axmin a straight line up to 1 that approximates it."),
    .more = N_ ("Kinds close to max show whether an atom occurs at all; they suit large dictionaries."),
    .less = N_ ("average is stable and suits small dictionaries."), .typical = N_ ("average"),
    .attempt = N_ ("Compare average and max with K = 20 and with K = 500.") },
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
    .attempt = N_ ("Choose maxexp and try 1, 10 and 100.") },
  { ROW ("pooling", "power", pooling.power, REAL, "0.4"), BASIC, RANGE (0.01, 2), .symbol = "p", .label = N_ ("Power"),
    .formula = "h \\leftarrow \\sgn(h)\\abs{h}^p",
    .help = N_ ("Exponent applied to every entry of a pooled signature, with its sign kept. With 1 it has no effect."),
    .more = N_ ("Frequent atoms dominate the signature."),
    .less = N_ ("Rare atoms have nearly the same weight as frequent ones."), .typical = N_ ("0.3 to 1"),
    .attempt = N_ ("Set 1 and compare accuracy.") },
  { ROW ("pooling", "normalise", pooling.l2, CHOICE, "l2"), .choices = normalisations, .label = N_ ("Normalisation"),
    .formula = "h \\leftarrow \\frac{h}{\\norm{h}_2}",
    .help = N_ ("Whether signatures are divided by their Euclidean norm, so that samples of low contrast have the same "
                "weight as those of high contrast."),
    .more = N_ ("none keeps the amounts, contrast included."), .less = N_ ("l2 keeps the proportions only."),
    .typical = N_ ("l2"), .attempt = N_ ("Set none, and look for classes of low contrast in the confusion matrix.") },
};

const TosstParameterGroup tosst_parameters_pooling = { "pooling", N_ ("Pooling"), rows, G_N_ELEMENTS (rows) };
