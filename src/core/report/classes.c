/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confusions of a run: matrix, worst classes, most frequent confusions.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/report/private.h"

#define WORST 12 /* number of classes and confusions shown first */

typedef struct
{
  int *counts;
  guint classes;
  char **names;
} Confusion;

static void
confusion_free (gpointer data)
{
  Confusion *confusion = data;

  g_free (confusion->counts);
  g_strfreev (confusion->names);
  g_free (confusion);
}

static void
draw_confusion (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  const Confusion *confusion = data;

  tosst_draw_confusion (cr, width, height, style, confusion->counts, confusion->classes,
                        (const char *const *)confusion->names);
}

static int
count (const TosstReportRun *run, guint row, guint column)
{
  return run->confusion[(gsize)row * run->classes + column];
}

static int
tests_of (const TosstReportRun *run, guint row)
{
  int tests = 0;

  for (guint column = 0; column < run->classes; column++)
    tests += count (run, row, column);
  return tests;
}

/* --- classes, the worst first --- */

typedef struct
{
  guint row, column; /* column: predicted class of a confusion; for a class, its most frequent wrong prediction */
  int tests, count;  /* count: of confusions; for a class, correct tests */
} Entry;

static int
compare_classes (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  double p = (double)x->count / x->tests, q = (double)y->count / y->tests;

  return p != q ? (p > q) - (p < q) : (x->row > y->row) - (x->row < y->row);
}

static int
compare_confusions (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->count != y->count)
    return y->count - x->count;
  return x->row != y->row ? (int)x->row - (int)y->row : (int)x->column - (int)y->column;
}

static GArray *
sorted_classes (const TosstReportRun *run)
{
  GArray *classes = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < run->classes; i++)
    {
      Entry entry = { i, i, tests_of (run, i), count (run, i, i) };

      for (guint j = 0; j < run->classes; j++)
        if (j != i && count (run, i, j) > (entry.column == i ? 0 : count (run, i, entry.column)))
          entry.column = j;
      if (entry.tests > 0)
        g_array_append_val (classes, entry);
    }
  g_array_sort (classes, compare_classes);
  return classes;
}

static guint
count_imperfect (const GArray *classes)
{
  guint n = 0;

  while (n < classes->len && g_array_index (classes, Entry, n).count < g_array_index (classes, Entry, n).tests)
    n++;
  return n;
}

static GArray *
sorted_confusions (const TosstReportRun *run)
{
  GArray *confusions = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < run->classes; i++)
    for (guint j = 0; j < run->classes; j++)
      {
        Entry entry = { i, j, tests_of (run, i), count (run, i, j) };

        if (i != j && entry.count > 0)
          g_array_append_val (confusions, entry);
      }
  g_array_sort (confusions, compare_confusions);
  return confusions;
}

static TosstTable *
class_table (const TosstReportRun *run, const GArray *classes, guint first, guint last)
{
  TosstTable *table = tosst_table_new ();

  tosst_table_add_column (table, _ ("Class"), FALSE);
  tosst_table_add_column (table, _ ("Accuracy"), TRUE);
  tosst_table_add_column (table, _ ("Tests"), TRUE);
  tosst_table_add_column (table, _ ("Most confused with"), FALSE);
  for (guint i = first; i < last; i++)
    {
      const Entry *entry = &g_array_index (classes, Entry, i);
      double part = (double)entry->count / entry->tests;
      g_autofree char *accuracy = g_strdup_printf ("%.1f %%", 100 * part);

      tosst_table_add (table, run->class_names[entry->row]);
      tosst_table_add_bar (table, part, accuracy);
      tosst_table_add_printf (table, "%d", entry->tests);
      tosst_table_add (table, entry->column == entry->row ? "" : run->class_names[entry->column]);
    }
  return table;
}

/* Classes without confusions are listed by name only. */
static void
add_perfect (TosstDocument *document, const TosstReportRun *run, const GArray *classes, guint first)
{
  guint n = classes->len - first;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *summary
      = g_strdup_printf (ngettext ("%u class without a confusion", "%u classes without a confusion", n), n);

  if (n == 0)
    return;
  for (guint i = first; i < classes->len; i++)
    g_string_append_printf (names, "%s%s", i > first ? ", " : "",
                            run->class_names[g_array_index (classes, Entry, i).row]);
  tosst_document_begin_fold (document, summary);
  tosst_document_add_text (document, names->str);
  tosst_document_end_fold (document);
}

static void
add_confusion_table (TosstDocument *document, const TosstReportRun *run)
{
  g_autoptr (GArray) confusions = sorted_confusions (run);
  TosstTable *table;

  if (confusions->len == 0)
    {
      tosst_document_add_text (document, _ ("All tests were classified correctly."));
      return;
    }
  table = tosst_table_new ();
  tosst_table_add_column (table, _ ("True class"), FALSE);
  tosst_table_add_column (table, _ ("Predicted as"), FALSE);
  tosst_table_add_column (table, _ ("Times"), TRUE);
  tosst_table_add_column (table, _ ("Share of its tests"), TRUE);
  for (guint i = 0; i < MIN (confusions->len, WORST); i++)
    {
      const Entry *entry = &g_array_index (confusions, Entry, i);

      tosst_table_add (table, run->class_names[entry->row]);
      tosst_table_add (table, run->class_names[entry->column]);
      tosst_table_add_printf (table, "%d", entry->count);
      tosst_table_add_printf (table, "%.1f %%", 100.0 * entry->count / entry->tests);
    }
  tosst_document_add_heading (document, 3, _ ("The main confusions"));
  tosst_document_add_table (document, table);
}

void
tosst_report_add_classes (TosstDocument *document, const TosstReportRun *run)
{
  if (!run->confusion)
    return;
  tosst_document_add_heading (document, 2, _ ("Confusions"));

  Confusion *confusion = g_new0 (Confusion, 1);
  gsize n = (gsize)run->classes * run->classes;
  double height = run->classes > 30 ? TOSST_REPORT_WIDTH - 110 : 560;
  int right = 0, tests = 0;
  g_autofree char *description = NULL;

  confusion->counts = g_memdup2 (run->confusion, n * sizeof (int));
  confusion->classes = run->classes;
  confusion->names = g_strdupv (run->class_names);
  for (guint i = 0; i < run->classes; i++)
    {
      right += count (run, i, i);
      tests += tests_of (run, i);
    }
  description = g_strdup_printf (_ ("Confusion matrix of %u classes: %d of %d tests on its diagonal"), run->classes,
                                 right, tests);
  tosst_document_add_figure (document, draw_confusion, confusion, confusion_free, TOSST_REPORT_WIDTH, height, FALSE,
                             description);

  g_autoptr (GArray) classes = sorted_classes (run);
  guint imperfect = count_imperfect (classes), shown = imperfect > WORST + 3 ? WORST : imperfect;
  g_autofree char *summary
      = g_strdup_printf (ngettext ("%u better class", "%u better classes", imperfect - shown), imperfect - shown);

  if (shown > 0)
    {
      tosst_document_add_heading (document, 3, _ ("The worst classes"));
      tosst_document_add_table (document, class_table (run, classes, 0, shown));
    }
  if (shown < imperfect)
    {
      tosst_document_begin_fold (document, summary);
      tosst_document_add_table (document, class_table (run, classes, shown, imperfect));
      tosst_document_end_fold (document);
    }
  add_perfect (document, run, classes, imperfect);
  add_confusion_table (document, run);
}
