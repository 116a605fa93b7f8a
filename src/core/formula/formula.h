/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Formulas: one notation, a small part of TeX's, which scripts/typeset makes outlines of for the window.
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
 * Letters are italic, functions and digits upright. */
typedef struct TosstFormula TosstFormula;

/* Parses a formula. Returns a new formula, or NULL with TOSST_FAILED_INPUT, which names the position of the fault. */
TosstFormula *tosst_formula_new (const char *source, GError **error);
void tosst_formula_free (TosstFormula *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFormula, tosst_formula_free)

/* Translated text for screen readers: "sum over k of alpha sub k". New. */
char *tosst_formula_words (const TosstFormula *self);
/* One line of Unicode text, for a terminal: "Σₖ αₖ Bₖ ⊗ bₖ". New. */
char *tosst_formula_text (const TosstFormula *self);
