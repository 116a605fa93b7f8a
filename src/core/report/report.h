/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/document.h"
#include "core/report/run.h"
#include "core/run/scores.h"

/* Creates a report on runs of a store: for each run its result, recipe, curves, atoms, confusions, times and the
 * command that repeats it; for several runs first their differences. Failed and stopped runs have the available
 * parts. Returns a new document, or NULL with the error of the store or, without runs, TOSST_FAILED_INPUT. */
TosstDocument *tosst_report_new (TosstStore *store, const gint64 *runs, gsize n, GError **error);

/* Saves a report as a file (tosst_document_save()), dated by the end of the last run. */
gboolean tosst_report_save (TosstStore *store, const gint64 *runs, gsize n, GFile *file, GError **error);

/* A row per class with both kinds of its average precision and the number of its positives and negatives, then one of
 * the means. score: the kind that the bars show. New. */
TosstTable *tosst_score_table (const TosstClassScore *classes, char *const *names, guint n, const TosstClassScore *mean,
                               TosstScore score);

#define TOSST_MAX_CURVES 30 /* in one chart */

/* The precision-recall curves of the first TOSST_MAX_CURVES classes, those without positives left out. New; NULL with
 * error. */
TosstChart *tosst_precision_recall_chart (const TosstScores *scores, char *const *names, GError **error);

/* A program that repeats a run: for a shell, or for Python with the package tosst. Both take the folder of their results
 * as argument, use the program that the variable TOSST names, and print the accuracy beside that of the run. */
typedef enum
{
  TOSST_SCRIPT_SHELL,
  TOSST_SCRIPT_PYTHON,
  TOSST_N_SCRIPTS,
} TosstScriptKind;

const char *tosst_script_name (TosstScriptKind kind); /* "shell", "python" */

/* In English and the C locale, whatever the language of the program. New; NULL with TOSST_FAILED_INPUT for a run of a
 * version with other parameters. */
char *tosst_script_new (const TosstReportRun *run, TosstScriptKind kind, GError **error);
