/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/report.h"
#include "core/report/run.h"

/* Adds the parts of one run: sections.c. */
void tosst_report_add_run (TosstDocument *document, const TosstReportRun *run);
#define TOSST_REPORT_WIDTH 800 /* of a full-width figure; equals two half figures and the gap */
#define TOSST_REPORT_HALF 392
