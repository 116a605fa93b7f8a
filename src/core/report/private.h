/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/report.h"
#include "core/report/run.h"

G_BEGIN_DECLS

/* Adds the parts of one run: sections.c, atoms.c, classes.c, scores.c. */
void tosst_report_add_run (TosstDocument *document, const TosstReportRun *run);
void tosst_report_add_atoms (TosstDocument *document, const TosstReportRun *run);
void tosst_report_add_classes (TosstDocument *document, const TosstReportRun *run);
void tosst_report_add_scores (TosstDocument *document, const TosstReportRun *run);
/* ranked.c: of a run with scores, if its data set is unchanged. */
void tosst_report_add_ranked (TosstDocument *document, const TosstReportRun *run);
/* compare.c */
void tosst_report_add_differences (TosstDocument *document, GPtrArray *runs);

#define TOSST_REPORT_WIDTH 800 /* of a full-width figure; equals two half figures and the gap */
#define TOSST_REPORT_HALF 392

G_END_DECLS
