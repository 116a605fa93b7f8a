/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-table.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/table.h"
#include "studio/runs/run-list.h"
#include "studio/runs/sweep-row.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/table-columns.h"
#include "studio/widgets/wrap.h"

typedef enum
{
  EVERYWHERE,
  PARAMETER,
  METRIC,
  STATE,
  REASON,
  WORDS,
} Subject;

typedef struct
{
  Subject subject;
  const TosstParameter *parameter;
  StudioSweepMetric metric;
  const char *sign; /* static; NULL: everywhere */
  char *value;      /* folded */
  double number;    /* NAN: the value is none */
} Condition;

static const char *const operators[] = { "<=", ">=", "!=", "=", "<", ">", "~" };

TOSST_DEFINE_FREE (Condition, condition_free, (value, g_free))

static const TosstParameter *
find_parameter (const char *key, const TosstSweepPlan *plan)
{
  const TosstParameter *parameter = tosst_parameter_find (key);

  for (guint i = 0; parameter == NULL && plan != NULL && i < plan->varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (plan->varying, i);
      g_autofree char *label = g_utf8_casefold (_ (p->label), -1), *wanted = g_utf8_casefold (key, -1);

      if (strcmp (p->key, key) == 0 || g_strcmp0 (p->symbol, key) == 0 || strcmp (label, wanted) == 0)
        parameter = p;
    }
  return parameter;
}

static gboolean
find_subject (Condition *self, const char *key, const TosstSweepPlan *plan, GError **error)
{
  static const struct
  {
    const char *key;
    Subject subject;
  } words[] = { { "state", STATE }, { "reason", REASON }, { "name", WORDS } };

  for (guint m = 0; m < STUDIO_SWEEP_N_METRICS; m++)
    if (strcmp (studio_sweep_metric_name (m), key) == 0)
      {
        self->subject = METRIC;
        self->metric = m;
        return TRUE;
      }
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i].key, key) == 0)
      {
        self->subject = words[i].subject;
        return TRUE;
      }
  self->subject = PARAMETER;
  self->parameter = find_parameter (key, plan);
  return self->parameter != NULL
         || tosst_fail (error, TOSST_FAILED_INPUT,
                        _ ("“%s” is not a column: use a parameter, accuracy, seconds, nonzeros, residual, objective, "
                           "state, reason or name"),
                        key);
}

static gboolean
read_condition (Condition *self, const char *words, const TosstSweepPlan *plan, GError **error)
{
  const char *at = words + strcspn (words, "<>=!~");
  g_autofree char *key = g_strstrip (g_strndup (words, at - words)), *value = NULL, *number = NULL;
  char *end;

  for (guint i = 0; i < G_N_ELEMENTS (operators) && self->sign == NULL; i++)
    if (g_str_has_prefix (at, operators[i]))
      self->sign = operators[i];
  value = g_strstrip (g_strdup (self->sign != NULL ? at + strlen (self->sign) : words));
  self->value = g_utf8_casefold (value, -1);
  number = studio_number_to_c (value);
  self->number = g_ascii_strtod (number, &end);
  if (*number == 0 || *end != 0)
    self->number = NAN;
  if (self->sign == NULL)
    {
      self->subject = EVERYWHERE;
      return TRUE;
    }
  return find_subject (self, key, plan, error);
}

StudioSweepFilter *
studio_sweep_filter_new (const char *text, const TosstSweepPlan *plan, GError **error)
{
  g_autoptr (StudioSweepFilter) self = g_ptr_array_new_with_free_func (condition_free);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    if (*g_strstrip (*part) != 0)
      {
        Condition *condition = g_new0 (Condition, 1);

        g_ptr_array_add (self, condition);
        if (!read_condition (condition, *part, plan, error))
          return NULL;
      }
  return g_steal_pointer (&self);
}

static gboolean
contains (char *text, const char *part)
{
  g_autofree char *owned = text;

  return studio_text_contains (owned, part);
}

static gboolean
is_anywhere (const Condition *self, StudioSweepRow *row)
{
  const GPtrArray *varying = row->plan->plan->varying;

  for (guint i = 0; i < varying->len; i++)
    if (contains (studio_sweep_row_text (row, g_ptr_array_index (varying, i)), self->value)
        || contains (studio_sweep_row_value (row, g_ptr_array_index (varying, i)), self->value))
      return TRUE;
  return studio_text_contains (row->words, self->value) || contains (studio_sweep_row_state (row), self->value)
         || contains (studio_sweep_row_title (row), self->value);
}

/* What the row has, as text (new), and as number. */
static char *
value_of (const Condition *self, StudioSweepRow *row, double *number)
{
  *number = NAN;
  switch (self->subject)
    {
    case PARAMETER:
      *number = studio_sweep_row_number (row, self->parameter);
      return studio_sweep_row_value (row, self->parameter);
    case METRIC:
      *number = studio_sweep_row_metric (row, self->metric);
      return NULL;
    case REASON:
      return g_strdup (row->outcome.reason);
    case WORDS:
      return g_strdup (row->words);
    case STATE:
    case EVERYWHERE:
    default:
      return g_strdup (tosst_run_state_label (row->outcome.state));
    }
}

static gboolean
holds (const Condition *self, StudioSweepRow *row)
{
  double number, order = NAN;

  if (self->subject == EVERYWHERE)
    return is_anywhere (self, row);
  g_autofree char *text = value_of (self, row, &number);
  g_autofree char *folded = g_utf8_casefold (text != NULL ? text : "", -1);
  if (self->sign[0] == '~')
    return studio_text_contains (text, self->value);
  if (!isnan (self->number) && !isnan (number))
    order = number < self->number ? -1 : number > self->number;
  else if (text != NULL && isnan (number))
    order = strcmp (folded, self->value);
  /* A state may be meant by the word that the store has. */
  if (self->subject == STATE && order != 0 && strcmp (tosst_run_state_name (row->outcome.state), self->value) == 0)
    order = 0;
  /* Nothing is smaller, larger or equal to what does not exist. */
  if (isnan (order))
    return strcmp (self->sign, "!=") == 0;
  switch (self->sign[0])
    {
    case '<':
      return self->sign[1] == '=' ? order <= 0 : order < 0;
    case '>':
      return self->sign[1] == '=' ? order >= 0 : order > 0;
    case '!':
      return order != 0;
    default:
      return order == 0;
    }
}

gboolean
studio_sweep_filter_match (const StudioSweepFilter *self, StudioSweepRow *row)
{
  for (guint i = 0; i < self->len; i++)
    if (!holds (g_ptr_array_index (self, i), row))
      return FALSE;
  return TRUE;
}

/* The columns of the table of runs. A cell carries its GtkListItem as data "studio-item". */

/* What a column shows. */
typedef enum
{
  STAR,
  NUMBER,
  VALUE, /* of a parameter */
  FIGURE,
  NAME, /* that the user gave, and tags */
  OUTCOME,
} Content;

typedef struct
{
  Content content;
  const TosstParameter *parameter; /* of a VALUE */
  StudioSweepMetric metric;        /* of a FIGURE */
  gboolean right, wide;
} Column;

static char *
figure_text (StudioSweepRow *row, StudioSweepMetric metric)
{
  const TosstSweepOutcome *outcome = &row->outcome;
  double value = studio_sweep_row_metric (row, metric);
  g_autofree char *accuracy = studio_format_percent (outcome->accuracy, 1);

  if (isnan (value))
    return g_strdup ("");
  if (metric == STUDIO_SWEEP_SECONDS)
    return studio_format_run_time (outcome->seconds, outcome->shared);
  if (metric != STUDIO_SWEEP_ACCURACY)
    return studio_format_real (value, metric == STUDIO_SWEEP_OBJECTIVE ? 4 : 3);
  if (isnan (outcome->deviation) || outcome->splits_done < 2)
    return g_steal_pointer (&accuracy);
  return g_strdup_printf ("%s ± %.1f", accuracy, outcome->deviation);
}

/* New. */
static char *
cell_text (StudioSweepRow *row, const Column *column)
{
  switch (column->content)
    {
    case NUMBER:
      return studio_format_count (row->index + 1);
    case VALUE:
      return studio_sweep_row_text (row, column->parameter);
    case FIGURE:
      return figure_text (row, column->metric);
    case NAME:
      return g_strdup (row->words != NULL ? row->words : "");
    case OUTCOME:
      return studio_sweep_row_state (row);
    case STAR:
    default:
      return g_strdup (row->outcome.starred ? _ ("starred") : _ ("not starred"));
    }
}

/* NULL: it shares nothing. */
static char *
seconds_tip (StudioSweepRow *row)
{
  const TosstSweepOutcome *outcome = &row->outcome;

  if (isnan (outcome->seconds) || !(outcome->shared > 0))
    return NULL;
  g_autofree char *own = studio_format_duration (outcome->seconds);
  g_autofree char *shared = studio_format_duration (outcome->shared);
  /* Translators: two durations */
  return g_strdup_printf (_ ("It took %s; stages shared with other runs took %s before"), own, shared);
}

/* Choices in the order of the table of parameters. */
static double
parameter_number (StudioSweepRow *row, const TosstParameter *parameter)
{
  if (parameter->type != TOSST_PARAMETER_CHOICE)
    return studio_sweep_row_number (row, parameter);
  g_autofree char *value = studio_sweep_row_value (row, parameter);
  for (int i = 0; value != NULL && parameter->choices[i] != NULL; i++)
    if (g_str_equal (parameter->choices[i], value))
      return i;
  return NAN;
}

/* By which the rows are sorted. */
static double
cell_number (StudioSweepRow *row, const Column *column)
{
  switch (column->content)
    {
    case STAR:
      return !row->outcome.starred;
    case VALUE:
      return parameter_number (row, column->parameter);
    case FIGURE:
      return studio_sweep_row_metric (row, column->metric);
    case OUTCOME:
      return row->outcome.state;
    case NUMBER:
    case NAME:
    default:
      return row->index;
    }
}

/* Words in the order of the alphabet. What does not exist is larger than anything. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  StudioSweepRow *p = (StudioSweepRow *)a, *q = (StudioSweepRow *)b;
  double x, y;

  if (column->content == NAME)
    return p->words != NULL && q->words != NULL ? g_utf8_collate (p->words, q->words)
                                                : (p->words == NULL) - (q->words == NULL);
  x = cell_number (p, column);
  y = cell_number (q, column);
  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x < y ? -1 : x > y;
}

/* Cells. */

static void
show_cell (gconstpointer data, GtkListItem *item)
{
  const Column *column = data;
  StudioSweepRow *row = gtk_list_item_get_item (item);
  GtkWidget *cell = gtk_list_item_get_child (item);
  g_autofree char *text = cell_text (row, column);

  if (column->content == STAR)
    {
      gtk_image_set_from_icon_name (GTK_IMAGE (cell), row->outcome.starred ? "starred-symbolic" : NULL);
      studio_set_name (cell, text);
      return;
    }
  gtk_label_set_label (GTK_LABEL (cell), text);
  studio_set_class (cell, "error", column->content == OUTCOME && row->outcome.state == TOSST_RUN_FAILED);
  studio_set_class (cell, "dim-label",
                    row->hidden || (column->content == OUTCOME && row->outcome.state == TOSST_RUN_QUEUED));
}

/* Made when it is shown: for each text that is set beforehand, GTK asks the display where the pointer is. */
static gboolean
on_tooltip (GtkWidget *cell, int x, int y, gboolean keyboard, GtkTooltip *tooltip, GtkListItem *item)
{
  const Column *column = g_object_get_data (G_OBJECT (item), "column");
  StudioSweepRow *row = gtk_list_item_get_item (item);
  g_autofree char *text = row == NULL ? NULL : column->wide ? cell_text (row, column) : seconds_tip (row);

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL && *text != 0;
}

static void
set_up_cell (gconstpointer data, GtkListItem *item)
{
  const Column *column = data;
  GtkWidget *cell = column->content == STAR ? gtk_image_new () : gtk_label_new (NULL);

  g_object_set_data (G_OBJECT (item), "column", (gpointer)data);
  g_object_set_data (G_OBJECT (cell), "studio-item", item);
  if (column->content != STAR)
    {
      gtk_label_set_xalign (GTK_LABEL (cell), column->right ? 1 : 0);
      gtk_label_set_ellipsize (GTK_LABEL (cell), column->wide ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
      gtk_label_set_width_chars (GTK_LABEL (cell), column->wide ? 14 : 4);
      gtk_widget_add_css_class (cell, "numeric");
    }
  if (column->wide || column->metric == STUDIO_SWEEP_SECONDS)
    {
      gtk_widget_set_has_tooltip (cell, TRUE);
      g_signal_connect (cell, "query-tooltip", G_CALLBACK (on_tooltip), item);
    }
  gtk_list_item_set_child (item, cell);
}

static void
add_column (GtkColumnView *table, const char *title, const Column *column)
{
  static const StudioCells mark = { set_up_cell, show_cell, compare },
                           text = { set_up_cell, show_cell, compare, .resizable = TRUE },
                           number = { set_up_cell, show_cell, compare, .resizable = TRUE, .right = TRUE },
                           words = { set_up_cell, show_cell, compare, .resizable = TRUE, .expand = TRUE };
  GtkColumnViewColumn *view = studio_table_add_column (table, title,
                                                       column->content == STAR ? &mark
                                                       : column->right         ? &number
                                                       : column->wide          ? &words
                                                                               : &text,
                                                       g_memdup2 (column, sizeof *column), g_free);

  g_object_set_data (G_OBJECT (view), "parameter", (gpointer)column->parameter);
  gtk_column_view_column_set_visible (view, column->content != NAME); /* until a run has words */
}

/* plan: NULL: no runs. */
static void
columns_set (GtkColumnView *table, const TosstSweepPlan *plan)
{
  const GPtrArray *varying = plan != NULL ? plan->varying : NULL;
  guint metrics = studio_sweep_count_metrics (plan);
  gboolean several
      = plan != NULL && plan->runs->len > 0 && tosst_recipe_has_several_labels (tosst_sweep_plan_run (plan, 0)->recipe);

  gtk_column_view_sort_by_column (table, NULL, GTK_SORT_ASCENDING);
  studio_table_remove_columns (table, 0);
  add_column (table, "★", &(Column){ STAR });
  add_column (table, _ ("Run"), &(Column){ NUMBER, .right = TRUE });
  for (guint i = 0; varying != NULL && i < varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (varying, i);
      gboolean number = p->type != TOSST_PARAMETER_CHOICE && p->type != TOSST_PARAMETER_TEXT;
      g_autofree char *title = studio_sweep_label (plan->axes, p, FALSE);

      add_column (table, title, &(Column){ VALUE, p, .right = number });
    }
  for (StudioSweepMetric m = 0; m < metrics; m++)
    add_column (table,
                m == STUDIO_SWEEP_ACCURACY && several ? tosst_score_label (TOSST_SCORE_AP11)
                : m == STUDIO_SWEEP_NONZEROS          ? _ ("Non-zeros")
                : m == STUDIO_SWEEP_RESIDUAL          ? _ ("Residual")
                                                      : studio_sweep_metric_label (m, NULL),
                &(Column){ FIGURE, .metric = m, .right = TRUE });
  add_column (table, _ ("Name"), &(Column){ NAME, .wide = TRUE });
  add_column (table, _ ("State"), &(Column){ OUTCOME, .wide = TRUE });
}

static gboolean
differs (GListModel *rows, const TosstParameter *parameter)
{
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0);
  g_autofree char *value = first != NULL ? studio_sweep_row_value (first, parameter) : NULL;

  for (guint i = 1; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      g_autofree char *other = studio_sweep_row_value (row, parameter);

      if (g_strcmp0 (value, other) != 0)
        return TRUE;
    }
  return FALSE;
}

/* As a file. */

static void
append_number (GString *csv, double value)
{
  if (isnan (value))
    g_string_append_c (csv, ',');
  else
    tosst_csv_next_real (csv, value);
}

static void
append_row (GString *csv, StudioSweepRow *row, const GPtrArray *axes)
{
  const TosstSweepOutcome *outcome = &row->outcome;

  g_string_append_printf (csv, "%u,%" PRId64, row->index + 1, outcome->id);
  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      const TosstSweepAxis *axis = axes->pdata[i];
      g_autofree char *value = studio_sweep_row_value (row, axis->parameter);

      tosst_csv_next_field (csv, value != NULL ? value : "");
    }
  append_number (csv, outcome->accuracy);
  append_number (csv, outcome->splits_done > 1 ? outcome->deviation : NAN);
  append_number (csv, outcome->objective);
  append_number (csv, outcome->seconds);
  append_number (csv, isnan (outcome->seconds) ? NAN : outcome->shared);
  g_string_append_printf (csv, ",%d,%s", outcome->splits_done, tosst_run_state_name (outcome->state));
  tosst_csv_next_field (csv, outcome->reason != NULL ? outcome->reason : "");
  g_string_append_printf (csv, ",%d", outcome->starred);
  append_number (csv, outcome->nonzeros);
  append_number (csv, outcome->residual);
  g_string_append_c (csv, '\n');
}

#define LATER_MS 150  /* news of runs are sorted in together */
#define MORE_ROWS 50  /* of a new plan are shown at a time, */
#define MADE_ROWS 250 /* then all: GTK makes cells of no more */

G_DEFINE_FINAL_TYPE (StudioSweepTable, studio_sweep_table, ADW_TYPE_BIN)

static gboolean
matches (StudioSweepRow *row, StudioSweepTable *self)
{
  return (!row->hidden || studio_is_on (self->hidden_button))
         && (row->outcome.starred || !studio_is_on (self->starred_button))
         && (self->conditions == NULL || studio_sweep_filter_match (self->conditions, row));
}

static gboolean
shows_all (StudioSweepTable *self)
{
  return (!self->any_hidden || studio_is_on (self->hidden_button)) && !studio_is_on (self->starred_button)
         && (self->conditions == NULL || self->conditions->len == 0);
}

static gboolean
is_brushed (gpointer item, StudioSweepTable *self)
{
  return self->brush == NULL || g_hash_table_contains (self->brush, item);
}

static void
show_count (StudioSweepTable *self)
{
  guint all = g_list_model_get_n_items (self->planner->rows);
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->brushed));

  studio_label_take (self->count, all == shown ? g_strdup_printf (ngettext ("%u run", "%u runs", all), all)
                                               : g_strdup_printf (_ ("%u of %u runs"), shown, all));
}

/* func: NULL: GTK passes the rows on without looking at each, however many there are. */
static void
set_filter (GtkCustomFilter *filter, GtkCustomFilterFunc func, StudioSweepTable *self)
{
  gtk_custom_filter_set_filter_func (filter, func, func != NULL ? self : NULL, NULL);
}

static void
refilter (StudioSweepTable *self)
{
  GtkColumnViewColumn *column;

  if (self->planner == NULL)
    return;
  set_filter (self->filter, shows_all (self) ? NULL : (GtkCustomFilterFunc)matches, self);
  /* Hides the columns of parameters in which the rows (StudioSweepRow) do not differ, if only differences are wanted. */
  for (guint i = 0; (column = studio_table_get_column (self->table, i)) != NULL; i++)
    {
      const TosstParameter *parameter = g_object_get_data (G_OBJECT (column), "parameter");

      if (parameter != NULL)
        gtk_column_view_column_set_visible (column, !studio_is_on (self->differences_button)
                                                        || differs (G_LIST_MODEL (self->brushed), parameter));
    }
  show_count (self);
  g_signal_emit_by_name (self, "filtered");
}

void
studio_sweep_table_set_brush (StudioSweepTable *self, GHashTable *rows)
{
  g_clear_pointer (&self->brush, g_hash_table_unref);
  self->brush = rows != NULL ? g_hash_table_ref (rows) : NULL;
  set_filter (self->brush_filter, rows != NULL ? (GtkCustomFilterFunc)is_brushed : NULL, self);
  show_count (self);
}

static void
on_search (StudioSweepTable *self)
{
  StudioSweepPlan *plan = self->planner != NULL ? self->planner->plan : NULL;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autoptr (GError) error = NULL;
  StudioSweepFilter *conditions = studio_sweep_filter_new (text, plan != NULL ? plan->plan : NULL, &error);

  studio_label_show_problem (self->search_error, error != NULL ? error->message : NULL);
  if (conditions == NULL)
    return;
  g_clear_pointer (&self->conditions, g_ptr_array_unref);
  self->conditions = conditions;
  refilter (self);
}

/* News. */

static void
on_later (StudioSweepTable *self)
{
  StudioSweepRow *selected = studio_sweep_table_get_selected (self);
  g_autoptr (StudioSweepRow) keep = selected != NULL ? g_object_ref (selected) : NULL;
  GtkSorter *sorter = gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->table));

  /* Rows that stand as they were planned stay there whatever becomes of them. */
  if (gtk_sorter_get_order (sorter) != GTK_SORTER_ORDER_NONE)
    gtk_sorter_changed (sorter, GTK_SORTER_CHANGE_DIFFERENT);
  /* By something that may change while runs finish. */
  if (studio_is_on (self->starred_button) || *gtk_editable_get_text (GTK_EDITABLE (self->search)) != 0)
    refilter (self);
  if (keep != NULL && studio_sweep_table_get_selected (self) != keep)
    studio_sweep_table_select (self, keep);
}

static void
on_run (StudioSweepTable *self)
{
  studio_later (&self->later_source, LATER_MS, on_later, self);
}

static StudioRunRow *
run_of (StudioSweepTable *self, StudioSweepRow *row)
{
  return self->list != NULL && row->outcome.id != 0 ? studio_run_list_find (self->list, row->outcome.id) : NULL;
}

/* The user's marks are kept with the runs of the store. */
static void
read_marks (StudioSweepTable *self)
{
  GListModel *rows = self->planner->rows;
  gboolean any_words = FALSE;

  self->any_hidden = FALSE;
  STUDIO_EACH (StudioSweepRow, row, rows)
    {
      StudioRunRow *run = run_of (self, row);

      if (run != NULL)
        {
          g_autofree char *words = studio_run_row_get_words (run);

          studio_sweep_row_mark (row, studio_run_row_has_tag (run, STUDIO_TAG_STAR),
                                 studio_run_row_has_tag (run, STUDIO_TAG_HIDDEN), words);
        }
      self->any_hidden |= row->hidden;
      any_words |= row->words != NULL;
    }
  /* Shows the column of the users' names and tags, if any row has some. */
  guint n = g_list_model_get_n_items (gtk_column_view_get_columns (GTK_COLUMN_VIEW (self->table)));
  GtkColumnViewColumn *column = n > 1 ? studio_table_get_column (self->table, n - 2) : NULL;
  if (column != NULL && gtk_column_view_column_get_visible (column) != any_words)
    gtk_column_view_column_set_visible (column, any_words);
}

static void
on_marks (StudioSweepTable *self)
{
  read_marks (self);
  refilter (self);
}

/* GTK makes the cells of some 200 rows in one step, if it may. */
static gboolean
make_more (StudioSweepTable *self)
{
  guint rows = gtk_slice_list_model_get_size (self->slice);

  gtk_slice_list_model_set_size (self->slice, rows < MADE_ROWS ? rows + MORE_ROWS : G_MAXUINT);
  if (rows < MADE_ROWS)
    return G_SOURCE_CONTINUE;
  self->more_source = 0;
  return G_SOURCE_REMOVE;
}

static gboolean
make_first (StudioSweepTable *self)
{
  read_marks (self);
  if (self->any_hidden)
    refilter (self);
  self->more_source = g_idle_add (G_SOURCE_FUNC (make_more), self);
  make_more (self);
  return G_SOURCE_REMOVE;
}

/* In steps, as 100,000 rows may have come: the columns, the marks and first rows before the next frame, the others. */
static void
on_planned (StudioSweepTable *self)
{
  StudioSweepPlan *plan = self->planner->plan;

  g_clear_handle_id (&self->more_source, g_source_remove);
  gtk_slice_list_model_set_size (self->slice, 0);
  columns_set (GTK_COLUMN_VIEW (self->table), plan != NULL ? plan->plan : NULL);
  gtk_filter_list_model_set_model (self->filtered, self->planner->rows);
  self->any_hidden = FALSE;
  on_search (self); /* other columns: a filter may make sense now, or no longer */
  self->more_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, G_SOURCE_FUNC (make_first), self, NULL);
}

static void
on_selected (StudioSweepTable *self)
{
  g_signal_emit_by_name (self, "selected");
}

GPtrArray *
studio_sweep_table_get_selection (StudioSweepTable *self)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GtkBitset) selected = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));

  for (guint64 i = 0; i < gtk_bitset_get_size (selected); i++)
    g_ptr_array_add (rows,
                     g_list_model_get_item (G_LIST_MODEL (self->selection), gtk_bitset_get_nth (selected, (guint)i)));
  return rows;
}

StudioSweepRow *
studio_sweep_table_get_selected (StudioSweepTable *self)
{
  g_autoptr (GPtrArray) rows = studio_sweep_table_get_selection (self);

  return rows->len == 1 ? rows->pdata[0] : NULL;
}

static void
select_at (StudioSweepTable *self, guint position)
{
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (self->selection), position, TRUE);
}

void
studio_sweep_table_select (StudioSweepTable *self, StudioSweepRow *row)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sorted));

  gtk_slice_list_model_set_size (self->slice, G_MAXUINT);
  for (guint i = 0; row != NULL && i < n; i++)
    {
      g_autoptr (StudioSweepRow) item = g_list_model_get_item (G_LIST_MODEL (self->sorted), i);

      if (item != row)
        continue;
      select_at (self, i);
      /* GTK 4.8 has no scroll-to but this action of the list inside. */
      gtk_widget_activate_action (gtk_widget_get_last_child (self->table), "list.scroll-to-item", "u", i);
      return;
    }
  gtk_selection_model_unselect_all (GTK_SELECTION_MODEL (self->selection));
}

/* Marks. */

/* All of them as the first is not. */
void
studio_sweep_table_toggle_star (StudioSweepTable *self)
{
  g_autoptr (GPtrArray) rows = studio_sweep_table_get_selection (self);
  gboolean star = rows->len > 0 && !((StudioSweepRow *)rows->pdata[0])->outcome.starred;

  for (guint i = 0; i < rows->len; i++)
    {
      StudioSweepRow *row = rows->pdata[i];
      StudioRunRow *run = run_of (self, row);

      if (run == NULL)
        continue;
      studio_sweep_row_mark (row, star, row->hidden, row->words);
      studio_run_list_set_tag (self->list, run, STUDIO_TAG_STAR, star);
    }
  refilter (self);
}

void
studio_sweep_table_toggle_hidden (StudioSweepTable *self)
{
  g_autoptr (GPtrArray) rows = studio_sweep_table_get_selection (self);
  gboolean hide = rows->len > 0 && !((StudioSweepRow *)rows->pdata[0])->hidden;

  self->any_hidden |= hide;
  for (guint i = 0; i < rows->len; i++)
    {
      StudioSweepRow *row = rows->pdata[i];
      StudioRunRow *run = run_of (self, row);

      studio_sweep_row_mark (row, row->outcome.starred, hide, row->words);
      if (run != NULL) /* one that is only planned is hidden as long as the plan is shown */
        studio_run_list_set_tag (self->list, run, STUDIO_TAG_HIDDEN, hide);
    }
  refilter (self);
}

void
studio_sweep_table_rename (StudioSweepTable *self)
{
  StudioSweepRow *row = studio_sweep_table_get_selected (self);
  StudioRunRow *run = row != NULL ? run_of (self, row) : NULL;

  if (run != NULL)
    studio_run_editor_present (GTK_WIDGET (self), self->list, run);
}

static void
show_menu (StudioSweepTable *self, double x, double y)
{
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, StudioSweepTable *self)
{
  g_autoptr (GtkBitset) selected = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || gtk_bitset_is_empty (selected))
    return FALSE;
  if (key == GDK_KEY_s)
    studio_sweep_table_toggle_star (self);
  else if (key == GDK_KEY_h)
    studio_sweep_table_toggle_hidden (self);
  else if (key == GDK_KEY_n)
    studio_sweep_table_rename (self);
  else if (key == GDK_KEY_c)
    gtk_widget_activate_action (GTK_WIDGET (self), "sweep.compare", NULL);
  else if (key == GDK_KEY_Menu || (key == GDK_KEY_F10 && (state & GDK_SHIFT_MASK) != 0))
    {
      GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));
      double x = 0, y = 0;

      /* Below the focus, or else at the top of the table. */
      if (focus == NULL || !gtk_widget_is_ancestor (focus, self->table))
        focus = self->table;
      gtk_widget_translate_coordinates (focus, GTK_WIDGET (self), 80, MIN (gtk_widget_get_height (focus), 40), &x, &y);
      show_menu (self, x, y);
    }
  else
    return FALSE;
  return TRUE;
}

/* The context menu, for the row under the pointer. */

/* A position may be beside the text of a cell, or beside all cells of a row: any text of the row will do. */
static GtkListItem *
item_at (GtkWidget *table, double x, double y)
{
  GtkWidget *widget = gtk_widget_pick (table, x, y, GTK_PICK_DEFAULT);

  for (; widget != NULL && widget != table; widget = gtk_widget_get_parent (widget))
    for (GtkWidget *inner = widget; inner != NULL; inner = gtk_widget_get_first_child (inner))
      if (g_object_get_data (G_OBJECT (inner), "studio-item") != NULL)
        return GTK_IS_COLUMN_VIEW (gtk_widget_get_parent (widget))
                   ? NULL
                   : g_object_get_data (G_OBJECT (inner), "studio-item");
  return NULL;
}

static void
on_secondary (GtkGestureClick *gesture, int n_press, double x, double y, StudioSweepTable *self)
{
  GtkListItem *item = item_at (self->table, x, y);

  if (item == NULL)
    return;
  /* One of several that are selected stands for all of them. */
  if (!gtk_list_item_get_selected (item))
    select_at (self, gtk_list_item_get_position (item));
  gtk_widget_translate_coordinates (self->table, GTK_WIDGET (self), x, y, &x, &y);
  show_menu (self, x, y);
}

/* A click with Ctrl adds a row to the selection or takes it out. GTK 4.8 does so for the row and again for its cell,
 * which leaves all as it was. */
static void
on_primary (GtkGestureClick *gesture, int n_press, double x, double y, StudioSweepTable *self)
{
  GtkSelectionModel *selection = GTK_SELECTION_MODEL (self->selection);
  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  GtkListItem *item = item_at (self->table, x, y);

  if (item == NULL || (state & GDK_CONTROL_MASK) == 0)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (gtk_list_item_get_selected (item))
    gtk_selection_model_unselect_item (selection, gtk_list_item_get_position (item));
  else
    gtk_selection_model_select_item (selection, gtk_list_item_get_position (item), FALSE);
}

static void
on_activate (StudioSweepTable *self, guint position)
{
  select_at (self, position);
  gtk_widget_activate_action (GTK_WIDGET (self), "sweep.open", NULL);
}

char *
studio_sweep_table_to_csv (StudioSweepTable *self)
{
  StudioSweepPlan *plan = self->planner->plan;
  const GPtrArray *axes = plan != NULL ? plan->plan->axes : NULL;
  GString *csv = g_string_new ("run,id");

  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      g_autofree char *name = tosst_sweep_axis_name (axes->pdata[i]);

      g_string_append_printf (csv, ",%s", name);
    }
  g_string_append (csv, ",accuracy,deviation,objective,seconds,shared,splits,state,reason,star,nonzeros,residual\n");
  STUDIO_EACH (StudioSweepRow, row, self->sorted)
    append_row (csv, row, axes);
  return g_string_free (csv, FALSE);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioSweepTable, studio_sweep_table,
                            if (self->planner != NULL) g_signal_handlers_disconnect_by_data (self->planner, self);
                            studio_sweep_table_set_list (self, NULL), (later_source, g_source_remove),
                            (more_source, g_source_remove), (menu, gtk_widget_unparent), (planner, g_object_unref),
                            (brush, g_hash_table_unref), (conditions, g_ptr_array_unref))

static void
studio_sweep_table_class_init (StudioSweepTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_table_dispose;
  studio_add_signal (klass, "selected", 0);
  studio_add_signal (klass, "filtered", 0);
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  STUDIO_SET_TEMPLATE (klass, StudioSweepTable, "sweep-table", search, search_error, starred_button, hidden_button,
                       differences_button, count, table, menu, filtered, brushed, sorted, slice, selection, filter,
                       brush_filter);
  STUDIO_BIND_CALLBACKS (klass, studio_menu, on_search, refilter, on_activate, on_selected, on_key, on_primary,
                         on_secondary);
}

static void
studio_sweep_table_init (StudioSweepTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_object_ref_sink (self->menu);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  g_object_unref (self->menu);
  studio_table_begin_with_first (GTK_COLUMN_VIEW (self->table));
}

void
studio_sweep_table_set_list (StudioSweepTable *self, StudioRunList *list)
{
  studio_follow (self, &self->list, list, "changed", G_CALLBACK (on_marks));
  if (list != NULL)
    on_marks (self);
}

void
studio_sweep_table_set_planner (StudioSweepTable *self, StudioSweepPlanner *planner)
{
  self->planner = g_object_ref (planner);
  studio_connect (planner, "run", on_run, self);
  studio_connect (planner, "planned", on_planned, self);
  on_planned (self);
}
