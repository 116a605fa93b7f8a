/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

/* Typeset formulas for the window and for files: one notation, a small part of TeX's.
 *
 *     x_n^s  x'            lower and upper index, prime; groups in braces
 *     \frac{a}{b}  \sqrt{a}  \bar{a}  \hat{a}
 *     (a)  [a]  \{a\}  \norm{a}  \abs{a}     paired brackets, as high as their contents
 *     \sum_{k=1}^{K}  \prod  \min_{a}      limits below and above in display style, beside in text style
 *     \cal{X}  \text{where}
 *     α ... Ω: Greek letters themselves; \tr \rank \log ...; \le \in \otimes ...; \, \quad
 *     a \\ b               a new line, outside of all groups
 *     \inline{a}           text style: lower, with limits beside
 *
 * Letters are italic, functions and digits upright. A formula is used by one thread at a time. */
typedef struct TosstFormula TosstFormula;

/* Parses a formula. Returns a new formula, or NULL with TOSST_FAILED_INPUT, which names the position of the fault. */
TosstFormula *tosst_formula_new (const char *source, GError **error);
void tosst_formula_free (TosstFormula *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFormula, tosst_formula_free)

/* Extents of the ink and its required clear space at so many units per em; ascent is above the baseline of the first
 * line. */
typedef struct
{
  double width, ascent, descent;
} TosstFormulaExtent;

void tosst_formula_measure (TosstFormula *self, double size, TosstFormulaExtent *extent);
/* Draws in the current colour of cr, with the left end at x and the first baseline at y. */
void tosst_formula_draw (TosstFormula *self, cairo_t *cr, double x, double y, double size);

/* Translated text for screen readers: "sum over k of alpha sub k". New. */
char *tosst_formula_words (const TosstFormula *self);
/* One line of Unicode text, for a terminal: "Σₖ αₖ Bₖ ⊗ bₖ". New. */
char *tosst_formula_text (const TosstFormula *self);
