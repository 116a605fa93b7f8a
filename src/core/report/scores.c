/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Average precision of runs with several labels an image: a table, the precision-recall curves, and their section.
 */
#include "config.h"

#include "core/report/scores.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/report/private.h"

static void
add_percent (TosstTable *table, double value, gboolean bar)
{
  g_autofree char *text = isnan (value) ? g_strdup ("–") : g_strdup_printf ("%.2f", value);

  if (bar && !isnan (value))
    tosst_table_add_bar (table, value / 100, text);
  else
    tosst_table_add (table, text);
}

static void
add_class (TosstTable *table, const char *name, const TosstClassScore *score, TosstScore kind)
{
  tosst_table_add (table, name);
  add_percent (table, score->ap11, kind != TOSST_SCORE_AREA);
  add_percent (table, score->area, kind == TOSST_SCORE_AREA);
  tosst_table_add_printf (table, "%zu", score->positives);
  tosst_table_add_printf (table, "%zu", score->negatives);
}

static void
add_mean (TosstTable *table, const TosstClassScore *mean)
{
  tosst_table_add (table, _ ("Mean"));
  add_percent (table, mean->ap11, FALSE);
  add_percent (table, mean->area, FALSE);
  tosst_table_add (table, NULL);
  tosst_table_add (table, NULL);
}

TosstTable *
tosst_score_table (const TosstClassScore *classes, char *const *names, guint n, const TosstClassScore *mean,
                   TosstScore score)
{
  TosstTable *table = tosst_table_new ();

  tosst_table_add_column (table, _ ("Class"), FALSE);
  tosst_table_add_column (table, _ ("AP (11 points), %"), TRUE);
  tosst_table_add_column (table, _ ("AP (area), %"), TRUE);
  tosst_table_add_column (table, _ ("Positives"), TRUE);
  tosst_table_add_column (table, _ ("Negatives"), TRUE);
  for (guint i = 0; i < n; i++)
    add_class (table, names[i], &classes[i], score);
  add_mean (table, mean);
  return table;
}

static gboolean
add_curve (TosstChart *chart, const TosstScores *scores, int class_index, const char *name, GError **error)
{
  gsize n;
  g_autofree TosstRecallPoint *curve = tosst_scores_curve (scores, class_index, &n, error);
  guint series;

  if (curve == NULL)
    return FALSE;
  if (n == 0)
    return TRUE;
  series = tosst_chart_add_series (chart, name);
  /* Up to the last positive: what is ranked below it would end all curves in the same corner. */
  for (gsize i = 0; i < n && (i == 0 || curve[i - 1].recall < 1); i++)
    tosst_chart_append (chart, series, curve[i].recall, curve[i].precision);
  return TRUE;
}

TosstChart *
tosst_precision_recall_chart (const TosstScores *scores, char *const *names, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Precision and recall"), _ ("Recall"), _ ("Precision"));

  tosst_chart_set_x_range (chart, 0, 1);
  tosst_chart_set_y_bounds (chart, 0, 1);
  for (int i = 0; i < MIN (scores->classes, TOSST_MAX_CURVES); i++)
    if (!add_curve (chart, scores, i, names[i], error))
      return NULL;
  return g_steal_pointer (&chart);
}

static void
add_curves (TosstDocument *document, const TosstReportRun *run)
{
  const TosstScores *first = g_ptr_array_index (run->scores, 0);
  TosstChart *chart = tosst_precision_recall_chart (first, run->class_names, NULL);

  if (chart != NULL)
    tosst_document_add_chart (document, chart, TOSST_REPORT_WIDTH, 480, FALSE);
  if (run->scores->len > 1)
    tosst_document_add_remark (document, _ ("The curves are those of the first split."));
  if (run->classes > TOSST_MAX_CURVES)
    {
      g_autofree char *text = g_strdup_printf (_ ("The first %d of %u classes."), TOSST_MAX_CURVES, run->classes);

      tosst_document_add_remark (document, text);
    }
}

void
tosst_report_add_scores (TosstDocument *document, const TosstReportRun *run)
{
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, run->classes + 1);
  TosstClassScore mean;

  if (run->scores->len == 0
      || !tosst_scores_summarise ((TosstScores *const *)(gpointer)run->scores->pdata, run->scores->len, classes, &mean,
                                  NULL))
    return;
  tosst_document_add_heading (document, 2, _ ("Average precision of each class"));
  tosst_document_add_table (document, tosst_score_table (classes, run->class_names, run->classes, &mean, run->score));
  add_curves (document, run);
  tosst_report_add_ranked (document, run);
}
