/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of precision in coding. Residuals and thresholds are relative to max |q|, the largest gradient at alpha = 0.
 */
#pragma once

/* Lowest KKT residuals reliably reached with H in float and in double; smaller tolerances are raised to these. */
#define TOSST_FLOOR_FLOAT 1e-6
#define TOSST_FLOOR_DOUBLE 1e-13

/* Recoding solves in float for residuals above this: five times the float limit. */
#define TOSST_FLOAT_TOLERANCE 5e-6

/* Thresholds lambda / 2 below this do not regularise H. In float it need not be positive semi-definite, so that
 * TOSST_RIDGE times the root of the number of active atoms, relative to its largest entry, is added to its diagonal:
 * rounding an entry to float has a relative error of at most 6e-8, and such errors grow like the root of their
 * number. */
#define TOSST_ILL_CONDITIONED_BELOW 1e-4
#define TOSST_RIDGE 1e-7
