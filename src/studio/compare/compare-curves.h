/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/plot/chart.h"
#include "studio/compare/compare-set.h"

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

void studio_compare_curves_set_set (StudioCompareCurves *self, StudioCompareSet *set); /* NULL: none */
/* The visible curves, for export; borrowed. */
TosstChart *studio_compare_curves_get_chart (StudioCompareCurves *self, StudioCompareCurve curve);
