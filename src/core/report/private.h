/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/report.h"

/* Adds the parts of one run, fewer of several: sections.c. */
void tosst_report_add_run (TosstDocument *document, const TosstReportRun *run, gboolean several);
#define TOSST_REPORT_WIDTH 800 /* of a full-width figure; equals two half figures and the gap */
#define TOSST_REPORT_HALF 392
