/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "studio/compare/compare-set.h"
#include "studio/tasks/background-write.h"

/* All files are written in the background. */

/* .svg, .pdf, .png, or .csv with its points. title: for pictures. */
void studio_export_chart (TosstChart *chart, const char *title, GFile *file, GObject *object,
                          StudioWrittenFunc written);
/* All figures and parameters of the runs, one line each. */
void studio_export_numbers (GFile *store, StudioCompareSet *set, GFile *file, GObject *object,
                            StudioWrittenFunc written);
/* .html or .pdf: the differences, and a section for each run. */
void studio_export_report (GFile *store, StudioCompareSet *set, GFile *file, GObject *object,
                           StudioWrittenFunc written);
