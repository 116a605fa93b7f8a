/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-parts.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/report/against.h"
#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/table-columns.h"
#include "studio/widgets/wrap.h"

/* A line of the table. */
typedef struct
{
  char *label;
  const char *tooltip; /* the key, or NULL */
  GPtrArray *texts;    /* char *, one per run */
} Line;

struct _StudioCompareTable
{
  AdwBin parent_instance;
  StudioCompareSet *set;
  GListStore *lines;

  GtkWidget *table, *all_button, *same_label;
};

G_DEFINE_FINAL_TYPE (StudioCompareTable, studio_compare_table, ADW_TYPE_BIN)

static Line *
line_new (const char *label, const char *tooltip)
{
  Line *self = g_new (Line, 1);

  *self = (Line){ g_strdup (label), tooltip, g_ptr_array_new_with_free_func (g_free) };
  return self;
}

TOSST_DEFINE_FREE (Line, line_free, (label, g_free), (texts, g_ptr_array_unref))

/* A text that is the same for all. */
static gboolean
all_same (const Line *line)
{
  for (guint i = 1; i < line->texts->len; i++)
    if (strcmp (line->texts->pdata[i], line->texts->pdata[0]) != 0)
      return FALSE;
  return TRUE;
}

/* Results. */

/* "+12 %" or "−4.1 %" of the first, or "×114" for a large multiple. */
static char *
format_difference (double value, double first)
{
  double difference = 100 * (value / first - 1), size = fabs (difference);
  const char *sign = difference < 0 ? "−" : "+";

  if (size < 0.05)
    return g_strdup (_ ("same"));
  if (difference > 900)
    return g_strdup_printf ("×%.0f", value / first);
  return g_strdup_printf (size < 10 ? "%s%.1f %%" : "%s%.0f %%", sign, size);
}

static char *
number_text (StudioRunRow *row, StudioRunRow *first, const char *key, gboolean compares)
{
  double value = studio_run_row_get_number (row, key), reference = studio_run_row_get_number (first, key);
  double deviation = studio_run_row_get_number (row, "deviation");
  g_autofree char *text = studio_run_row_get_text (row, key);

  if (strcmp (key, "accuracy") == 0 && deviation > 0)
    {
      g_autofree char *mean = g_steal_pointer (&text);

      text = g_strdup_printf ("%s ± %.1f", mean, deviation);
    }
  if (row == first || !compares || !isfinite (value) || !isfinite (reference) || reference == 0)
    return g_steal_pointer (&text);
  g_autofree char *difference = format_difference (value, reference);
  return g_strdup_printf ("%s (%s)", text, difference);
}

static StudioRunRow *
row_at (StudioCompareTable *self, guint i)
{
  return studio_compare_set_at (self->set, i)->row;
}

static void
add_line (StudioCompareTable *self, Line *line)
{
  studio_rows_append (self->lines, line, line_free);
}

static void
add_number_line (StudioCompareTable *self, const char *label, const char *key, gboolean compares)
{
  Line *line = line_new (label, NULL);

  for (guint i = 0; i < self->set->runs->len; i++)
    g_ptr_array_add (line->texts, number_text (row_at (self, i), row_at (self, 0), key, compares));
  add_line (self, line);
}

/* A minus sign for each hyphen. Takes text. */
static char *
with_minus (char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "-", -1);

  g_free (text);
  return g_strjoinv ("−", parts);
}

/* Differences of scores to the first run on the same splits, their intervals, and their significance among all of them. None
 * where no run can be compared, or one is being read. */
static void
add_difference_lines (StudioCompareTable *self)
{
  guint n = self->set->runs->len;
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  Line *lines[]
      = { line_new (_ ("Difference"), _ ("In percent points, to the first run on the same splits")),
          line_new (_ ("Interval (95 %)"), _ ("Of each difference alone")),
          line_new (_ ("Significance"), _ ("By the test of Nadeau and Bengio, with Holm's correction where several "
                                           "runs are compared with the first")) };
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++)
    if (studio_compare_set_at (self->set, i)->report != NULL)
      g_ptr_array_add (runs, studio_compare_set_at (self->set, i)->report->run);
  g_autoptr (GArray) found = n > 1 && runs->len == n ? tosst_against_first (runs) : NULL;
  for (guint i = 0; found != NULL && i < n; i++)
    {
      const TosstAgainst *one = i > 0 ? &g_array_index (found, TosstAgainst, i - 1) : NULL;
      gboolean known = one != NULL && one->why == NULL;
      g_autofree char *p = known ? tosst_significance_text (one->holm) : NULL;

      any |= known;
      g_ptr_array_add (lines[0]->texts,
                       known ? with_minus (g_strdup_printf ("%+.2f", one->paired.mean)) : g_strdup ("–"));
      g_ptr_array_add (lines[1]->texts, known ? with_minus (tosst_against_interval (one)) : g_strdup ("–"));
      g_ptr_array_add (lines[2]->texts, !known                          ? g_strdup ("–")
                                        : one->holm < TOSST_SIGNIFICANT ? g_strdup (p)
                                                                        : g_strdup_printf (_ ("%s: no difference"), p));
    }
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (any)
      add_line (self, lines[i]);
    else
      line_free (lines[i]);
}

/* key NULL: the splits. */
static char *
row_text (StudioRunRow *row, const char *key)
{
  const TosstStoreRun *run = row->run;
  g_autofree char *text = key != NULL ? studio_run_row_get_text (row, key) : NULL;

  if (key == NULL)
    return run->splits_done < run->splits ? g_strdup_printf (_ ("%d of %d"), run->splits_done, run->splits)
                                          : g_strdup_printf ("%d", run->splits);
  return strcmp (key, "reason") == 0 ? studio_format_problem (text) : g_steal_pointer (&text);
}

static void
add_result_lines (StudioCompareTable *self)
{
  static const struct
  {
    const char *label, *key; /* NULL: splits */
  } texts[] = { { N_ ("State"), "state" },
                { N_ ("Reason"), "reason" },
                { N_ ("Data set"), "dataset" },
                { N_ ("Splits"), NULL },
                { N_ ("Note"), "note" } };

  add_number_line (self, studio_compare_set_score_label (self->set), "accuracy", FALSE);
  add_difference_lines (self);
  add_number_line (self, _ ("Objective"), "objective", studio_compare_set_alike (self->set) == STUDIO_ALIKE_OBJECTIVE);
  add_number_line (self, _ ("Relative residual"), "residual", TRUE);
  add_number_line (self, _ ("Non-zeros per code"), "nonzeros", TRUE);
  add_number_line (self, _ ("Time"), "seconds", TRUE);
  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      Line *line = line_new (_ (texts[t].label), NULL);

      for (guint i = 0; i < self->set->runs->len; i++)
        g_ptr_array_add (line->texts, row_text (row_at (self, i), texts[t].key));
      if (all_same (line) && strcmp (line->texts->pdata[0], "") == 0)
        line_free (line);
      else
        add_line (self, line);
    }
}

/* Parameters. */

/* "–" if it has no effect on the run. */
static Line *
parameter_line (StudioCompareTable *self, const TosstParameter *p)
{
  g_autofree char *label = tosst_report_label (p);
  Line *line = line_new (label, p->name);

  for (guint i = 0; i < self->set->runs->len; i++)
    {
      const StudioRunReport *report = studio_compare_set_at (self->set, i)->report;
      g_autofree char *text = studio_run_row_get_text (row_at (self, i), p->name);
      gboolean shown = *text != 0 && (report == NULL || tosst_recipe_why_inactive (report->run->recipe, p) == NULL);

      g_ptr_array_add (line->texts, shown ? g_steal_pointer (&text) : g_strdup ("–"));
    }
  return line;
}

/* Two of the runs that the parameter affects have different values. */
static gboolean
differs (const Line *line)
{
  const char *first = NULL;

  for (guint i = 0; i < line->texts->len; i++)
    {
      const char *text = line->texts->pdata[i];

      if (strcmp (text, "–") == 0)
        continue;
      if (first != NULL && strcmp (first, text) != 0)
        return TRUE;
      first = text;
    }
  return FALSE;
}

/* In the form of the recipe panel: few digits, and words. */
static char *
short_text (const TosstParameter *p, const char *text)
{
  g_autofree char *value = p->type == TOSST_PARAMETER_REAL ? studio_number_to_c (text) : g_strdup (text);

  return strcmp (text, "–") != 0 ? studio_value_text (p, value) : g_steal_pointer (&value);
}

static void
add_parameter_lines (StudioCompareTable *self)
{
  gboolean all = studio_is_on (self->all_button), any = FALSE;

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      Line *line = parameter_line (self, p);
      gboolean different = differs (line);

      any |= different;
      /* As long as different values remain distinct. */
      GPtrArray *exact = line->texts;
      line->texts = g_ptr_array_new_with_free_func (g_free);
      for (guint i = 0; i < exact->len; i++)
        g_ptr_array_add (line->texts, short_text (p, exact->pdata[i]));
      if (different && !differs (line))
        {
          GPtrArray *brief = line->texts;

          line->texts = exact;
          exact = brief;
        }
      g_ptr_array_unref (exact);
      if (all || different)
        add_line (self, line);
      else
        line_free (line);
    }
  gtk_widget_set_visible (self->same_label, !any && self->set->runs->len > 1);
}

/* Columns. */

/* data: the number of the run; -1: the labels. */
static void
set_up_cell (gconstpointer data, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), GPOINTER_TO_INT (data) < 0 ? 17 : 12);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
show_cell (gconstpointer data, GtkListItem *item)
{
  const Line *line = studio_row_of (gtk_list_item_get_item (item));
  GtkWidget *label = gtk_list_item_get_child (item);
  int run = GPOINTER_TO_INT (data);
  const char *text = run < 0 ? line->label : (guint)run < line->texts->len ? line->texts->pdata[run] : "";

  gtk_label_set_label (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, run < 0 && line->tooltip != NULL ? line->tooltip : text);
}

static void
add_column (StudioCompareTable *self, const char *title, int run)
{
  static const StudioCells cells = { set_up_cell, show_cell, .expand = TRUE, .resizable = TRUE };

  studio_table_add_column (GTK_COLUMN_VIEW (self->table), title, &cells, GINT_TO_POINTER (run), NULL);
}

/* GTK titles are text only: the swatch of the run is inserted before it. */
static void
add_swatch (StudioCompareTable *self, guint color)
{
  GtkWidget *header = gtk_widget_get_first_child (self->table);
  GtkWidget *title = header != NULL ? gtk_widget_get_last_child (header) : NULL;
  GtkWidget *box = title != NULL ? gtk_widget_get_first_child (title) : NULL, *swatch;

  if (!GTK_IS_BOX (box))
    return;
  swatch = studio_run_swatch_new ((int)color);
  gtk_widget_set_margin_end (swatch, 6);
  gtk_box_prepend (GTK_BOX (box), swatch);
}

static void
show_lines (StudioCompareTable *self)
{
  g_list_store_remove_all (self->lines);
  if (self->set == NULL || self->set->runs->len == 0)
    return;
  add_result_lines (self);
  add_parameter_lines (self);
}

static void
on_set_changed (StudioCompareTable *self)
{
  studio_table_remove_columns (GTK_COLUMN_VIEW (self->table), 1); /* after the labels */
  for (guint i = 0; i < self->set->runs->len; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (self->set, i);
      g_autofree char *name = studio_run_row_get_heading (run->row);

      add_column (self, name, (int)i);
      add_swatch (self, run->color);
    }
  show_lines (self);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCompareTable, studio_compare_table,
                            studio_follow (self, &self->set, NULL, NULL, NULL))

static void
studio_compare_table_class_init (StudioCompareTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_compare_table_dispose;
  g_type_ensure (STUDIO_TYPE_TAB_STOP);
  STUDIO_SET_TEMPLATE (klass, StudioCompareTable, "compare-table", table, all_button, same_label, lines);
  STUDIO_BIND_CALLBACKS (klass, show_lines);
}

static void
studio_compare_table_init (StudioCompareTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_table_begin_with_first (GTK_COLUMN_VIEW (self->table));
  add_column (self, "", -1);
}

void
studio_compare_table_set_set (StudioCompareTable *self, StudioCompareSet *set)
{
  studio_follow (self, &self->set, set, "changed", G_CALLBACK (on_set_changed));
  if (set != NULL)
    on_set_changed (self);
  else
    show_lines (self);
}
