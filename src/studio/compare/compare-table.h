/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/compare/compare-set.h"

/* The results of the compared runs, with differences to the first, and their parameters: those that differ, or all. One
 * column per run. */
#define STUDIO_TYPE_COMPARE_TABLE (studio_compare_table_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareTable, studio_compare_table, STUDIO, COMPARE_TABLE, AdwBin)

void studio_compare_table_set_set (StudioCompareTable *self, StudioCompareSet *set); /* NULL: none */
