/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Difference of two methods on the same splits. */
typedef struct
{
  double mean; /* of the differences a - b */
  double p;    /* two-sided; NAN for fewer than two splits */
} TosstPaired;

/* Corrected resampled t test (Nadeau & Bengio 2003): splits of one data set share samples, so that the variance of the
 * mean difference is (1 / n + tests / trains) s^2 instead of s^2 / n. trains, tests: samples of each split. */
TosstPaired tosst_paired_compare (const double *a, const double *b, guint n, double trains, double tests);

/* P (|T| > |t|) of Student's distribution. */
double tosst_student_two_sided (double t, guint degrees);
