/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "chart.h"
#include "compare-set.h"

G_BEGIN_DECLS

/* Writes in a thread; done is called on the main thread with NULL, or with a sentence why nothing was written. The object
 * is not kept alive: done is not called once it is gone. */
typedef void (*StudioExportDone) (GObject *object, GFile *file, const char *problem);

/* .svg, .pdf, .png, or .csv: its points. title: for pictures. */
void studio_export_chart (TosstChart *chart, const char *title, GFile *file, GObject *object, StudioExportDone done);
/* All numbers and parameters of the runs, a line each. */
void studio_export_numbers (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioExportDone done);
/* .html or .pdf: what differs, and a part for each run. */
void studio_export_report (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioExportDone done);

G_END_DECLS
