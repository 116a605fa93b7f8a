/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/compare/compare-set.h"

/* Confusion matrices of the compared runs side by side, or the differences of each to the first. */
#define STUDIO_TYPE_COMPARE_CONFUSION (studio_compare_confusion_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareConfusion, studio_compare_confusion, STUDIO, COMPARE_CONFUSION, AdwBin)

void studio_compare_confusion_set_set (StudioCompareConfusion *self, StudioCompareSet *set); /* NULL: none */
