/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/plot/chart.h"
#include "studio/compare/compare-set.h"

/* The parts of the Compare view. Each follows its set of runs; NULL: none. */

typedef enum
{
  STUDIO_COMPARE_OBJECTIVE,
  STUDIO_COMPARE_NONZEROS,
  STUDIO_COMPARE_ACCURACY, /* by split */
  STUDIO_COMPARE_MEANS,    /* over splits, with their deviation, by run */
  STUDIO_N_COMPARE_CURVES,
} StudioCompareCurve;

/* Curves of the compared runs over each other; the first two share their x axis. */
#define STUDIO_TYPE_COMPARE_CURVES (studio_compare_curves_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareCurves, studio_compare_curves, STUDIO, COMPARE_CURVES, AdwBin)

void studio_compare_curves_set_set (StudioCompareCurves *self, StudioCompareSet *set);
/* The visible curves, for export; borrowed. */
TosstChart *studio_compare_curves_get_chart (StudioCompareCurves *self, StudioCompareCurve curve);

/* The results of the compared runs, with differences to the first, and their parameters: those that differ, or all. One
 * column per run. */
#define STUDIO_TYPE_COMPARE_TABLE (studio_compare_table_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareTable, studio_compare_table, STUDIO, COMPARE_TABLE, AdwBin)

void studio_compare_table_set_set (StudioCompareTable *self, StudioCompareSet *set);

/* Confusion matrices of the compared runs side by side, or the differences of each to the first. */
#define STUDIO_TYPE_COMPARE_CONFUSION (studio_compare_confusion_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareConfusion, studio_compare_confusion, STUDIO, COMPARE_CONFUSION, AdwBin)

void studio_compare_confusion_set_set (StudioCompareConfusion *self, StudioCompareSet *set);

/* Dictionaries of the compared runs side by side: each atom of the first beside the most similar atoms of the others,
 * matched one to one, with their similarities. */
#define STUDIO_TYPE_COMPARE_ATOMS (studio_compare_atoms_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareAtoms, studio_compare_atoms, STUDIO, COMPARE_ATOMS, AdwBin)

void studio_compare_atoms_set_set (StudioCompareAtoms *self, StudioCompareSet *set);
gboolean studio_compare_atoms_is_matching (StudioCompareAtoms *self); /* in the background, now */

/* The dictionary of one run beside those of others: plain data, reference-counted, immutable once it is matched. */
typedef struct
{
  guint n;                  /* runs with a dictionary */
  StudioRunReport **report; /* n; the others are matched to the first */
  guint *color;             /* n */
  char **name;              /* n: "Run 12", and NULL */
  int **atom;               /* n: match of each atom of the first, -1: none. NULL: the tensors differ in size */
  double **similarity;      /* n: similarities of the matches, 0 .. 1 */
  double *energy, *mean;    /* atoms of the first: ||B_k||^2, and the mean of similarities; NAN: none */
  double *agreement;        /* n: mean of similarities of the run; NAN */
} StudioMatch;

/* One entry for each run with a dictionary. NULL: none has one. */
StudioMatch *studio_match_new (StudioCompareSet *set);
void studio_match_run (StudioMatch *self); /* slow: not for the main thread */
void studio_match_unref (StudioMatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioMatch, studio_match_unref)

typedef enum
{
  STUDIO_MATCH_BY_ENERGY,
  STUDIO_MATCH_MOST_ALIKE,
  STUDIO_MATCH_LEAST_ALIKE,
} StudioMatchOrder;

/* Numbers of the atoms of the first, new. */
int *studio_match_sorted (const StudioMatch *self, StudioMatchOrder order);
