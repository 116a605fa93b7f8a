/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/run.h"
#include "core/report/table.h"

/* Difference of two methods on the same splits. */
typedef struct
{
  double mean;      /* of the differences a - b */
  double p;         /* two-sided; NAN for fewer than two splits */
  double low, high; /* interval of 95 %; NAN with it */
} TosstPaired;

/* Corrected resampled t test (Nadeau & Bengio 2003): splits of one data set share samples, so that the variance of the
 * mean difference is (1 / n + tests / trains) s^2 instead of s^2 / n. trains, tests: samples of each split. */
TosstPaired tosst_paired_compare (const double *a, const double *b, guint n, double trains, double tests);

/* Below this a difference is called significant. */
#define TOSST_SIGNIFICANT 0.05

/* Holm's correction of n values of p for their number, in place; NAN stays and does not count. */
void tosst_holm (double *p, guint n);

/* P (|T| > |t|) of Student's distribution. */
double tosst_student_two_sided (double t, guint degrees);

/* Whether another value of a parameter has other images tested by a split or, with objective, another objective minimised. */
gboolean tosst_parameter_changes_problem (const TosstParameter *p, gboolean objective);
/* Whether splits of one number test the same images for both recipes on the same data and, with objective, learning
 * minimises the same objective: of the same tensors, lambda and gamma. */
gboolean tosst_recipes_are_alike (const TosstRecipe *a, const TosstRecipe *b, gboolean objective);

/* A run against another one on the splits that both have. */
typedef struct
{
  gint64 run;
  TosstPaired paired; /* mean is NAN, too, of a run that cannot be compared */
  double holm;        /* p corrected for the number of runs */
  char *why;          /* it cannot be compared, a sentence; or NULL */
} TosstAgainst;

/* An empty list of TosstAgainst. New. */
GArray *tosst_against_new (void);
/* Appends a run, unless it is the reference itself. */
void tosst_against_add (GArray *found, const TosstReportRun *run, const TosstReportRun *reference);
/* Sets holm of all. */
void tosst_against_correct (GArray *found);
/* All runs (TosstReportRun *) but the first against the first. New. */
GArray *tosst_against_first (const GPtrArray *runs);
/* Run, difference, interval, p and what it says. New. */
TosstTable *tosst_against_table (const GArray *against);
/* "-1.20 … +0.40". New. */
char *tosst_against_interval (const TosstAgainst *one);
/* "p = 0.031"; "" where it is not known. New. */
char *tosst_significance_text (double p);

/* One sentence on a run against another one, by its name: the difference, its interval, and whether the splits can show one. New;
 * NULL where they cannot be compared. */
char *tosst_against_sentence (const TosstReportRun *run, const TosstReportRun *reference, const char *name);
/* The same of a run against the latest earlier one of the store with the same data and the same splits. New; NULL without
 * such a run, or with error. */
char *tosst_against_earlier (TosstStore *store, gint64 run, GError **error);
