/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/results/results-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/data/textures.h"
#include "core/method/parts.h"
#include "core/report/against.h"
#include "core/reproduce/reproduce.h"
#include "core/run/scores.h"
#include "studio/results/result-images.h"
#include "studio/runs/run-list.h"
#include "studio/widgets/build.h"
#include "studio/widgets/confusion-view.h"
#include "studio/widgets/format.h"
#include "studio/widgets/table-columns.h"
#include "studio/widgets/wrap.h"

#define ROWS_AT_ONCE 4 /* rows of the class table added per frame, limited by their time */

/* The cells of a row of the class table or of the split table. */
enum
{
  CELL_NAME,  /* of the class, or number of the split */
  CELL_SCORE, /* accuracy, or the first kind of average precision */
  CELL_TESTS,
  CELL_AREA = CELL_TESTS,
  CELL_OBJECTIVE = CELL_TESTS,
  CELL_CONFUSED,
  CELL_POSITIVES = CELL_CONFUSED,
  CELL_NONZEROS = CELL_CONFUSED,
  N_CELLS,
};

typedef struct
{
  char *text[N_CELLS];
  double value[N_CELLS]; /* to sort by; NAN: by the text */
  int class_index;
} Row;

TOSST_DEFINE_FREE (Row, row_free, (text[0], g_free), (text[1], g_free), (text[2], g_free), (text[3], g_free))

/* Takes text. */
static void
set_cell (Row *self, guint cell, double value, char *text)
{
  self->value[cell] = value;
  self->text[cell] = text;
}

/* Class, accuracy, number of its test samples (tests, if that is 0), and the class it was most often confused with. */
static Row *
class_row_new (const TosstRunResult *result, const char **labels, int class_index, guint samples)
{
  Row *self = g_new0 (Row, 1);
  const int *row = result->confusion + class_index * result->classes;
  int worst = -1, tests = 0;

  for (int j = 0; j < result->classes; j++)
    {
      tests += row[j];
      if (j != class_index && row[j] > 0 && (worst < 0 || row[j] > row[worst]))
        worst = j;
    }
  set_cell (self, CELL_NAME, NAN, g_strdup (labels[class_index]));
  set_cell (self, CELL_SCORE, result->per_class[class_index],
            studio_format_percent (result->per_class[class_index], 1));
  set_cell (self, CELL_TESTS, samples > 0 ? samples : (guint)tests,
            studio_format_count (samples > 0 ? samples : (guint)tests));
  set_cell (self, CELL_CONFUSED, worst >= 0 ? row[worst] : 0,
            worst >= 0 ? g_strdup_printf (ngettext ("%s (%d of %d test)", "%s (%d of %d tests)", (gulong)tests),
                                          labels[worst], row[worst], tests)
                       : g_strdup (""));
  return self;
}

static void
set_percent (Row *self, guint cell, double percent)
{
  set_cell (self, cell, isnan (percent) ? -1 : percent,
            isnan (percent) ? g_strdup ("–") : studio_format_percent (percent, 1));
}

/* A row of a run with several labels: class, both kinds of average precision, and positive tests. */
static Row *
score_row_new (const char **labels, int class_index, const TosstClassScore *score)
{
  Row *self = g_new0 (Row, 1);

  self->class_index = class_index;
  set_cell (self, CELL_NAME, NAN, g_strdup (labels[class_index]));
  set_percent (self, CELL_SCORE, score->ap11);
  set_percent (self, CELL_AREA, score->area);
  set_cell (self, CELL_POSITIVES, score->positives, studio_format_count (score->positives));
  return self;
}

/* Split, accuracy, objective and non-zeros. */
static Row *
split_row_new (const StudioSplit *split)
{
  Row *self = g_new0 (Row, 1);

  set_cell (self, CELL_NAME, split->split, g_strdup_printf ("%d", split->split + 1));
  set_cell (self, CELL_SCORE, split->accuracy, studio_format_percent (split->accuracy, 1));
  set_cell (self, CELL_OBJECTIVE, split->objective, studio_format_real (split->objective, 4));
  set_cell (self, CELL_NONZEROS, split->mean_nonzeros, studio_format_real (split->mean_nonzeros, 3));
  return self;
}

/* Columns. */

/* The columns of a table, in the order of the cells of its rows. */
typedef struct
{
  const char *title; /* N_() */
  guint cell;
  gboolean number, bar; /* bar: of a percentage, before its text */
} Column;

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  const Row *x = studio_row_of (a), *y = studio_row_of (b);
  double p = x->value[column->cell], q = y->value[column->cell];

  if (!isnan (p) || !isnan (q))
    return p < q ? -1 : p > q;
  g_autofree char *first = g_utf8_collate_key_for_filename (x->text[column->cell], -1); /* D2 before D10 */
  g_autofree char *second = g_utf8_collate_key_for_filename (y->text[column->cell], -1);
  return strcmp (first, second);
}

static void
set_up_cell (gconstpointer data, GtkListItem *item)
{
  const Column *column = data;
  GtkWidget *label = gtk_label_new (NULL), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_label_set_xalign (GTK_LABEL (label), column->number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), column->number ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, !column->bar);
  if (!column->number && !column->bar)
    {
      gtk_label_set_width_chars (GTK_LABEL (label), 10);
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_lines (GTK_LABEL (label), 2);
    }
  if (column->number)
    gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  if (column->bar) /* after its number, which so is below the title with or without it */
    {
      GtkWidget *bar = gtk_progress_bar_new ();

      gtk_widget_set_hexpand (bar, TRUE);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_accessible_update_state (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
      gtk_label_set_width_chars (GTK_LABEL (label), 7);
      gtk_box_append (GTK_BOX (box), bar);
    }
  gtk_list_item_set_child (item, box);
}

static void
show_cell (gconstpointer data, GtkListItem *item)
{
  const Column *column = data;
  const Row *row = studio_row_of (gtk_list_item_get_item (item));
  GtkWidget *box = gtk_list_item_get_child (item);

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (box)), row->text[column->cell]);
  if (!column->number)
    gtk_widget_set_tooltip_text (box, row->text[column->cell]);
  if (column->bar)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (gtk_widget_get_last_child (box)),
                                   CLAMP (row->value[column->cell] / 100, 0, 1));
}

/* The view. */

struct _StudioResultsView
{
  AdwBin parent_instance;
  StudioRunner *runner;
  StudioWorkspace *workspace;
  StudioRunList *list; /* with the run; NULL: it is in none */
  GListStore *classes, *splits;
  const char **labels;              /* of the classes, of sample textures translated; or NULL */
  guint *class_samples;             /* test samples of each class, each counted once; 0: not known; or NULL */
  guint feed_source;                /* adds the remaining rows of classes */
  TosstClassScore *scores;          /* of classes of a run with several labels, else NULL */
  GtkSingleSelection *class_chosen; /* of the table of such classes */
  GtkNoSelection *class_listed;     /* of the table of others */

  GtkWidget *stack, *running, *title, *heading, *tags, *note, *accuracy, *deviation, *detail, *sentence, *against,
      *warning, *paper, *matrix, *part_part, *part_table, *cell_hint, *class_part, *confusion, *blocks, *class_table,
      *split_table, *scores_part, *class_scores;
};

G_DEFINE_FINAL_TYPE (StudioResultsView, studio_results_view, ADW_TYPE_BIN)

static const Column class_columns[N_CELLS] = { { N_ ("Class"), CELL_NAME, FALSE, FALSE },
                                               { N_ ("Accuracy"), CELL_SCORE, TRUE, TRUE },
                                               { N_ ("Tests"), CELL_TESTS, TRUE, FALSE },
                                               { N_ ("Most confused with"), CELL_CONFUSED, FALSE, FALSE } };
static const Column score_columns[N_CELLS] = { { N_ ("Class"), CELL_NAME, FALSE, FALSE },
                                               { N_ ("AP (11 points)"), CELL_SCORE, TRUE, TRUE },
                                               { N_ ("AP (area)"), CELL_AREA, TRUE, FALSE },
                                               { N_ ("Positives"), CELL_POSITIVES, TRUE, FALSE } };
static const Column split_columns[N_CELLS] = { { N_ ("Split"), CELL_NAME, TRUE, FALSE },
                                               { N_ ("Accuracy"), CELL_SCORE, TRUE, TRUE },
                                               { N_ ("Objective"), CELL_OBJECTIVE, TRUE, FALSE },
                                               { N_ ("Non-zeros"), CELL_NONZEROS, TRUE, FALSE } };

static GListModel *
sorted_rows (GtkWidget *table, GListStore *store)
{
  GtkSorter *sorter = g_object_ref (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (table)));

  return G_LIST_MODEL (gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (store)), sorter));
}

static void
set_up_table (GtkWidget *table, const Column *columns, gpointer selection)
{
  static const StudioCells wide = { set_up_cell, show_cell, compare, .expand = TRUE },
                           number = { set_up_cell, show_cell, compare, .right = TRUE };

  studio_table_remove_columns (GTK_COLUMN_VIEW (table), 0);
  for (guint i = 0; i < N_CELLS; i++)
    studio_table_add_column (GTK_COLUMN_VIEW (table), _ (columns[i].title),
                             columns[i].bar || !columns[i].number ? &wide : &number, (gpointer)&columns[i], NULL);
  gtk_column_view_set_model (GTK_COLUMN_VIEW (table), selection);
}

/* The classes of a run with several labels are chosen from, to see their curves. */
static void
show_class_table (StudioResultsView *self)
{
  gpointer selection = self->scores != NULL ? (gpointer)self->class_chosen : self->class_listed;

  if ((gpointer)gtk_column_view_get_model (GTK_COLUMN_VIEW (self->class_table)) != selection)
    {
      set_up_table (self->class_table, self->scores != NULL ? score_columns : class_columns, selection);
      studio_table_wrap_titles (GTK_COLUMN_VIEW (self->class_table));
    }
}

/* Figures at the top; during a run, of the finished splits. */

static void
mean_of_splits (const GArray *splits, double *mean, double *deviation)
{
  double sum = 0, squares = 0;

  for (guint i = 0; i < splits->len; i++)
    sum += g_array_index (splits, StudioSplit, i).accuracy;
  *mean = sum / splits->len;
  for (guint i = 0; i < splits->len; i++)
    squares += pow (g_array_index (splits, StudioSplit, i).accuracy - *mean, 2);
  *deviation = splits->len > 1 ? sqrt (squares / (splits->len - 1)) : NAN;
}

static char *
describe_mean (StudioResultsView *self, guint splits)
{
  const TosstRecipe *recipe = self->runner->recipe;
  int wanted = recipe->dataset.splits;

  if (tosst_recipe_has_several_labels (recipe)) /* a single split */
    return g_strdup (tosst_score_label (tosst_recipe_score (recipe)));
  return (int)splits < wanted
             ? g_strdup_printf (_ ("mean accuracy of %u of %d splits"), splits, wanted)
             : g_strdup_printf (ngettext ("accuracy of %u split", "mean accuracy of %u splits", splits), splits);
}

/* The run shown against the latest earlier one of the same data. */
typedef struct
{
  gint64 run;
  char *sentence; /* NULL: none */
} Against;

TOSST_DEFINE_FREE (Against, free_against, (sentence, g_free))

static gboolean
find_earlier (TosstStore *store, Against *self, GError **error)
{
  self->sentence = tosst_against_earlier (store, self->run, error);
  return TRUE;
}

static void
on_earlier (StudioResultsView *self, const Against *found, const GError *error)
{
  if (error != NULL)
    g_debug ("%s", error->message);
  if (self->runner != NULL && self->runner->run == found->run)
    studio_label_show_problem (self->against, found->sentence);
}

/* Takes text. */
static void
attach (GtkWidget *grid, int column, int row, char *text, const char *class)
{
  GtkWidget *label = studio_label (text, class, column > 0 ? "numeric" : NULL, NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column > 0 ? 1 : 0);
  gtk_label_set_wrap (GTK_LABEL (label), column == 0);
  gtk_widget_set_hexpand (label, column == 0);
  gtk_grid_attach (GTK_GRID (grid), label, column, row, 1, 1);
  g_free (text);
}

/* A part: its accuracy alone, the range of it, and its weight; the numbers are means over splits. */
static void
add_part (StudioResultsView *self, const TosstRunResult *result, int row, const char *name, const char *title)
{
  double alone = 0, weight = 0, low = INFINITY, high = -INFINITY;

  for (int s = 0; s < result->splits; s++)
    {
      const GArray *parts = result->split[s].parts;
      double accuracy = tosst_run_part_accuracy (&result->split[s], name);

      low = fmin (low, accuracy);
      high = fmax (high, accuracy);
      alone += accuracy / result->splits;
      for (guint i = 0; parts != NULL && i < parts->len; i++)
        if (g_str_equal (g_array_index (parts, TosstPartResult, i).name, name))
          weight += g_array_index (parts, TosstPartResult, i).weight / result->splits;
    }
  attach (self->part_table, 0, row, g_strdup (title), NULL);
  attach (self->part_table, 1, row, isnan (alone) ? g_strdup ("–") : studio_format_percent (alone, 1), NULL);
  if (!isnan (alone) && result->splits > 1)
    attach (self->part_table, 2, row, g_strdup_printf (_ ("%.1f to %.1f"), low, high), NULL);
  attach (self->part_table, 3, row, studio_format_real (weight, 2), NULL);
}

/* The parts of a run that has several. */
static void
show_parts (StudioResultsView *self, const TosstRunResult *result)
{
  const TosstRecipe *recipe = self->runner->recipe;
  gboolean has = tosst_recipe_has_parts (recipe) && result->split[0].parts != NULL;
  g_autoptr (TosstParts) parts = has ? tosst_parts_new (recipe, NULL) : NULL;
  const char *const titles[] = { _ ("Part"), _ ("Alone"), _ ("In splits"), _ ("Weight") };

  for (int i = 0; parts != NULL && i < (int)G_N_ELEMENTS (titles); i++)
    if (i != 2 || result->splits > 1) /* the range of one split would be that number again */
      attach (self->part_table, i, 0, g_strdup (titles[i]), "dim-label");
  for (guint i = 0; parts != NULL && i < parts->n; i++)
    add_part (self, result, (int)i + 1, tosst_parts_name (parts, i), _ (tosst_parts_title (parts, i)));
  gtk_widget_set_visible (self->part_part, parts != NULL);
}

/* How many different samples of each class are tested; all 0 where predictions are missing. New. */
static guint *
count_tested (TosstDataset *dataset, const TosstRunResult *result)
{
  g_autofree guint *tested = g_new0 (guint, result->classes);
  g_autofree gboolean *seen = g_new0 (gboolean, dataset->samples->len);

  for (int s = 0; s < result->splits; s++)
    {
      const GArray *predictions = result->split[s].predictions;

      for (guint i = 0; predictions != NULL && i < predictions->len; i++)
        {
          const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);

          if (one->sample >= dataset->samples->len)
            return g_new0 (guint, result->classes);
          tested[one->truth] += !seen[one->sample];
          seen[one->sample] = TRUE;
        }
      if (predictions == NULL)
        return g_new0 (guint, result->classes);
    }
  return g_steal_pointer (&tested);
}

static void
on_split (StudioResultsView *self)
{
  const GArray *splits = self->runner->splits;
  GtkWidget *scroller = gtk_widget_get_ancestor (self->split_table, GTK_TYPE_SCROLLED_WINDOW);
  double mean, deviation;
  gboolean objective, nonzeros;

  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->splits)); i < splits->len; i++)
    studio_rows_append (self->splits, split_row_new (&g_array_index (splits, StudioSplit, i)), row_free);
  /* A scrollbar needs more height than one or two rows: the table would have an empty part. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  splits->len <= 2 ? GTK_POLICY_NEVER : GTK_POLICY_AUTOMATIC);
  mean_of_splits (splits, &mean, &deviation);
  studio_label_take (self->accuracy, studio_format_percent (mean, 1));
  studio_label_take (self->deviation, isnan (deviation)
                                          ? g_strdup ("")
                                          : studio_format_isolated (g_strdup_printf ("± %.1f", deviation)));
  studio_label_take (self->detail, describe_mean (self, splits->len));
  /* Columns with a value: of methods without a dictionary there is neither objective nor code. */
  objective = FALSE;
  nonzeros = FALSE;
  for (guint i = 0; i < splits->len; i++)
    {
      objective = objective || isfinite (g_array_index (splits, StudioSplit, i).objective);
      nonzeros = nonzeros || isfinite (g_array_index (splits, StudioSplit, i).mean_nonzeros);
    }
  gtk_column_view_column_set_visible (studio_table_get_column (self->split_table, CELL_OBJECTIVE), objective);
  gtk_column_view_column_set_visible (studio_table_get_column (self->split_table, CELL_NONZEROS), nonzeros);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "results");
}

static void
show_cost (StudioResultsView *self, const TosstRunResult *result)
{
  g_autofree char *detail = g_strdup (gtk_label_get_label (GTK_LABEL (self->detail)));
  g_autofree char *seconds = studio_format_run_time (result->seconds_total, result->seconds_shared);
  g_autofree char *tensors = studio_format_count (result->tensors);
  const TosstRecipe *recipe = self->runner->recipe;
  const char *format = tosst_recipe_is_texture (recipe, NULL) ? _ ("%s · %s samples · %d numbers each · %s")
                       : !tosst_recipe_is_local (recipe)      ? _ ("%s · %s patches · d = %d · %s")
                       : recipe->descriptor.regions           ? _ ("%s · %s images and regions · d = %d · %s")
                                                              : _ ("%s · %s images · d = %d · %s");
  /* An opened run has no number of patches, several methods together have no common one. */
  g_autoptr (GString) text = g_string_new (NULL);

  if (result->tensors > 0 && result->d > 0)
    g_string_append_printf (text, format, detail, tensors, result->d, seconds);
  else
    g_string_append_printf (text, "%s · %s", detail, seconds);
  g_string_replace (text, " = ", "\u00a0=\u00a0", 0); /* "d = 35" stays in one line */
  gtk_label_set_label (GTK_LABEL (self->detail), text->str);
}

static void
on_cell (StudioResultsView *self, guint truth, guint said)
{
  const TosstRunResult *result = self->runner->result;
  TosstDataset *dataset = self->runner->dataset;

  if (result == NULL || dataset == NULL)
    return;
  studio_confusion_view_hold (STUDIO_CONFUSION_VIEW (self->confusion));
  studio_cell_blocks_show (STUDIO_CELL_BLOCKS (self->blocks), dataset, result, self->runner->learned, truth, said);
}

static void
on_class (StudioResultsView *self)
{
  const TosstRunResult *result = self->runner->result;
  gpointer item = gtk_single_selection_get_selected_item (self->class_chosen);

  if (self->scores != NULL && result != NULL && item != NULL)
    studio_class_scores_show (STUDIO_CLASS_SCORES (self->class_scores), self->runner->dataset, result,
                              ((const Row *)studio_row_of (item))->class_index);
}

static void
on_image (StudioResultsView *self, guint image)
{
  g_signal_emit_by_name (self, "block-chosen", image, 0, 0);
}

static void
on_block (StudioResultsView *self, guint image, int x, int y)
{
  g_signal_emit_by_name (self, "block-chosen", image, x, y);
}

/* The first class that has a score; the first of all until the table is complete. */
static void
choose_class (StudioResultsView *self)
{
  for (guint i = 0; self->scores != NULL && i < g_list_model_get_n_items (G_LIST_MODEL (self->class_chosen)); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->class_chosen), i);

      if (self->scores[((const Row *)studio_row_of (item))->class_index].positives == 0)
        continue;
      gtk_single_selection_set_selected (self->class_chosen, i);
      return;
    }
}

static gboolean
on_feed (StudioResultsView *self)
{
  const TosstRunResult *result = self->runner->result;
  int first = g_list_model_get_n_items (G_LIST_MODEL (self->classes));

  for (int c = first; c < MIN (first + ROWS_AT_ONCE, result->classes); c++)
    studio_rows_append (self->classes,
                        self->scores != NULL ? score_row_new (self->labels, c, &self->scores[c])
                                             : class_row_new (result, self->labels, c, self->class_samples[c]),
                        row_free);
  if (first + ROWS_AT_ONCE < result->classes)
    return G_SOURCE_CONTINUE;
  self->feed_source = 0;
  choose_class (self);
  return G_SOURCE_REMOVE;
}

/* What the run classifies. */
static void
show_units (StudioResultsView *self)
{
  const TosstRecipe *recipe = self->runner->recipe;
  gboolean blocks = tosst_recipe_block (recipe) > 0, known = self->class_samples != NULL && self->class_samples[0] > 0;
  GtkColumnViewColumn *column = studio_table_get_column (self->class_table, CELL_TESTS);

  if (self->scores == NULL)
    gtk_column_view_column_set_title (column, !known ? _ ("Tests") : blocks ? _ ("Blocks") : _ ("Images"));
  gtk_label_set_label (GTK_LABEL (self->cell_hint), tosst_recipe_has_dictionary (recipe)
                                                        ? _ ("Choose a cell to see its images and their shared atoms")
                                                        : _ ("Choose a cell to see its images"));
}

/* What the user wrote about the run: its name, tags and note. */

static StudioRunRow *
row_of_run (StudioResultsView *self)
{
  return self->list != NULL ? studio_run_list_find (self->list, self->runner->run) : NULL;
}

static void
show_row (StudioResultsView *self)
{
  StudioRunRow *row = row_of_run (self);

  gtk_widget_set_visible (self->title, row != NULL);
  if (row == NULL)
    return;
  g_autofree char *tags = studio_run_row_get_tag_words (row);

  studio_label_take (self->heading, studio_run_row_get_heading (row));
  studio_label_show_problem (self->tags, *tags != 0 ? tags : NULL);
  studio_label_show_problem (self->note, *row->note != 0 ? row->note : NULL);
  gtk_widget_set_tooltip_text (self->heading, studio_run_row_get_name (row)); /* it may be cut short */
  gtk_widget_set_tooltip_text (self->note, row->note);
}

static void
on_edit (StudioResultsView *self)
{
  StudioRunRow *row = row_of_run (self);

  if (row != NULL)
    studio_run_editor_present (GTK_WIDGET (self), self->list, row);
}

/* A run is in the store from its "recorded" on, and its name with it. */
static void
show_title (StudioResultsView *self)
{
  g_autoptr (StudioRunList) list = self->runner->run != 0 ? studio_run_list_get (self->workspace->file) : NULL;

  studio_follow (self, &self->list, list, "changed", G_CALLBACK (show_row));
  show_row (self);
}

/* Before the first split is finished: what is being done, and how much of the run is. */
static void
on_progress (StudioResultsView *self)
{
  const char *look = self->runner->look;

  if (gtk_stack_get_visible_child (GTK_STACK (self->stack)) != self->running)
    return;
  g_autofree char *stage = studio_runner_get_stage (self->runner);
  g_autofree char *percent = studio_format_percent (100 * self->runner->status.fraction, 0);
  /* Translators: a stage, such as “Describing the images”, and a percentage */
  g_autofree char *text = g_strdup_printf (
      _ ("%s: %s of the run is done. The first numbers appear when a split is finished."), stage, percent);
  g_autofree char *both = look != NULL ? g_strdup_printf ("%s\n\n%s", look, text) : NULL;
  adw_status_page_set_description (ADW_STATUS_PAGE (self->running), both != NULL ? both : text);
}

static void
on_started (StudioResultsView *self)
{
  GtkWidget *child;

  g_clear_handle_id (&self->feed_source, g_source_remove);
  /* The mean of average precisions is in the place of accuracy. */
  GtkColumnViewColumn *column = studio_table_get_column (self->split_table, CELL_SCORE);
  gboolean several = tosst_recipe_has_several_labels (self->runner->recipe);
  gtk_column_view_column_set_title (column, several ? _ ("MAP") : _ ("Accuracy"));
  show_title (self);
  studio_confusion_view_set_counts (STUDIO_CONFUSION_VIEW (self->confusion), NULL, 0, NULL);
  g_list_store_remove_all (self->classes);
  g_list_store_remove_all (self->splits);
  g_clear_pointer (&self->scores, g_free);
  g_clear_pointer (&self->class_samples, g_free);
  g_clear_pointer (&self->labels, g_free);
  studio_cell_blocks_clear (STUDIO_CELL_BLOCKS (self->blocks));
  studio_class_scores_clear (STUDIO_CLASS_SCORES (self->class_scores));
  gtk_widget_set_visible (self->scores_part, FALSE);
  gtk_widget_set_visible (self->paper, FALSE);
  gtk_widget_set_visible (self->sentence, FALSE);
  gtk_widget_set_visible (self->against, FALSE);
  gtk_widget_set_visible (self->warning, FALSE);
  while ((child = gtk_widget_get_first_child (self->part_table)) != NULL)
    gtk_grid_remove (GTK_GRID (self->part_table), child);
  gtk_widget_set_visible (self->part_part, FALSE);
  gtk_widget_set_visible (self->matrix, FALSE);
  gtk_widget_set_visible (self->class_part, FALSE);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "running");
  on_progress (self); /* not what was said of an earlier run */
}

/* New; the names are borrowed. */
static const char **
label_classes (StudioResultsView *self, const TosstRunResult *result)
{
  gboolean samples = self->runner->recipe->dataset.kind == TOSST_DATASET_SAMPLES;
  const char **labels = g_new0 (const char *, result->classes + 1);

  for (int c = 0; c < result->classes; c++)
    labels[c] = samples ? tosst_textures_label (result->class_names[c]) : result->class_names[c];
  return labels;
}

static void
on_finished (StudioResultsView *self)
{
  const TosstRunResult *result = self->runner->result;
  TosstClassScore mean;

  if (result == NULL || result->splits == 0)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "empty");
      return;
    }
  on_split (self);
  show_title (self);
  show_cost (self, result);
  g_autofree double *accuracy = g_new (double, result->splits);
  for (int s = 0; s < result->splits; s++)
    accuracy[s] = result->split[s].accuracy;
  g_autofree char *sentence
      = tosst_run_sentence (self->runner->recipe, accuracy, (guint)result->splits, (guint)result->classes);
  studio_label_show_problem (self->sentence, sentence);
  g_autofree char *warning = tosst_dataset_describe_duplicates (result->duplicates);
  studio_label_show_problem (self->warning, warning);
  if (self->runner->run != 0 && result->splits > 1)
    {
      Against *against = g_new0 (Against, 1);

      against->run = self->runner->run;
      studio_workspace_run (self->workspace, TOSST_STORE_READ, find_earlier, against, free_against, self, on_earlier);
    }
  show_parts (self, result);
  const TosstExperimentPart *part = tosst_experiment_of_recipe (self->runner->recipe, (guint)result->classes);
  g_autofree char *paper
      = part != NULL ? g_strdup_printf (_ ("The paper: %.1f ± %.2g %%"), part->accuracy, part->deviation) : NULL;
  studio_label_show_problem (self->paper, paper);
  if (result->score != TOSST_SCORE_ACCURACY)
    self->scores = tosst_run_result_class_scores (result, &mean, NULL);
  else
    self->class_samples = count_tested (self->runner->dataset, result);
  self->labels = label_classes (self, result);
  show_class_table (self);
  show_units (self);
  self->feed_source = g_idle_add (G_SOURCE_FUNC (on_feed), self);
  if (self->scores == NULL)
    studio_confusion_view_set_counts (STUDIO_CONFUSION_VIEW (self->confusion), result->confusion,
                                      (guint)result->classes, self->labels);
  gtk_widget_set_visible (self->matrix, self->scores == NULL);
  gtk_widget_set_visible (self->scores_part, self->scores != NULL);
  gtk_widget_set_visible (self->class_part, TRUE);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioResultsView, studio_results_view, studio_follow (self, &self->list, NULL, NULL, NULL),
                            (feed_source, g_source_remove), (runner, g_object_unref), (workspace, g_object_unref),
                            (class_chosen, g_object_unref), (class_listed, g_object_unref), (scores, g_free),
                            (class_samples, g_free), (labels, g_free), (classes, g_object_unref),
                            (splits, g_object_unref))

static void
studio_results_view_class_init (StudioResultsViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_CELL_BLOCKS, STUDIO_TYPE_CLASS_SCORES, STUDIO_TYPE_CONFUSION_VIEW,
                       STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_results_view_dispose;
  studio_add_signal (klass, "block-chosen", 3, G_TYPE_UINT, G_TYPE_INT, G_TYPE_INT);
  studio_add_signal (klass, "atom-chosen", 1, G_TYPE_INT);
  STUDIO_SET_TEMPLATE (klass, StudioResultsView, "results-view", stack, running, title, heading, tags, note, accuracy,
                       deviation, detail, sentence, against, warning, paper, matrix, class_part, confusion, blocks,
                       cell_hint, class_table, split_table, part_part, part_table, scores_part, class_scores);
  STUDIO_BIND_CALLBACKS (klass, on_image, on_cell, on_block, studio_choose_atom, on_edit);
}

static void
studio_results_view_init (StudioResultsView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->classes = g_list_store_new (G_TYPE_OBJECT);
  self->splits = g_list_store_new (G_TYPE_OBJECT);
  self->class_listed = gtk_no_selection_new (sorted_rows (self->class_table, self->classes));
  self->class_chosen = gtk_single_selection_new (sorted_rows (self->class_table, self->classes));
  g_autoptr (GtkNoSelection) splits = gtk_no_selection_new (sorted_rows (self->split_table, self->splits));
  studio_connect (self->class_chosen, "notify::selected-item", on_class, self);
  show_class_table (self);
  set_up_table (self->split_table, split_columns, splits);
  GtkWidget *const tables[] = { self->class_table, self->split_table };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      studio_table_begin_with_first (GTK_COLUMN_VIEW (tables[i]));
      studio_table_fit (GTK_COLUMN_VIEW (tables[i]));
    }
}

void
studio_results_view_set_runner (StudioResultsView *self, StudioRunner *runner, StudioWorkspace *workspace)
{
  self->runner = g_object_ref (runner);
  self->workspace = g_object_ref (workspace);
  studio_connect (runner, "started", on_started, self);
  studio_connect (runner, "progress", on_progress, self);
  studio_connect (runner, "recorded", show_title, self);
  studio_connect (runner, "split", on_split, self);
  studio_connect (runner, "finished", on_finished, self);
}
