/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/plot/chart.h"
#include "core/report/table.h"
#include "core/run/scores.h"

/* A row per class with both kinds of its average precision and the number of its positives and negatives, then one of
 * the means. score: the kind that the bars show. New. */
TosstTable *tosst_score_table (const TosstClassScore *classes, char *const *names, guint n, const TosstClassScore *mean,
                               TosstScore score);

#define TOSST_MAX_CURVES 30 /* in one chart */

/* The precision-recall curves of the first TOSST_MAX_CURVES classes, those without positives left out. New; NULL with
 * error. */
TosstChart *tosst_precision_recall_chart (const TosstScores *scores, char *const *names, GError **error);
