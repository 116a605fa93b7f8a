/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/sweep/sweep-charts.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/sweep/sweep-parallel.h"
#include "studio/sweep/sweep-pictures.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/picture-view.h"
#include "studio/widgets/wrap.h"

#define MOST_CURVES 8 /* that are chosen unasked: colours and marks tell no more apart */
#define LATER_MS 150  /* news of runs are drawn together */
#define WIDTH 900     /* of a picture in a file */
#define HEIGHT 560
#define SHARES_TOP 56 /* one of shares is as high as its bars need */
#define SHARES_ROW 24

/* As in the drop-down. */
typedef enum
{
  KIND_CURVES,
  KIND_MAP,
  KIND_PARALLEL,
  KIND_IMPORTANCE,
} Kind;

struct _StudioSweepCharts
{
  AdwBin parent_instance;
  StudioSweepPlanner *planner;
  GListModel *rows;
  GPtrArray *varying; /* const TosstParameter *, as in the drop-downs */
  StudioSweepCurves *curves;
  StudioSweepMap *map;
  GPtrArray *lines; /* StudioSweepRow of each line */
  StudioSweepRow *chosen;
  gboolean filling;
  gboolean replanned; /* since they were drawn */
  guint later_source;

  GtkWidget *metric, *x, *by, *against_label, *by_label, *stack, *kind, *chart_view, *parallel, *caption;
  GtkWidget *waiting, *map_view, *importance;
};

G_DEFINE_FINAL_TYPE (StudioSweepCharts, studio_sweep_charts, ADW_TYPE_BIN)

static const TosstParameter *
chosen_parameter (StudioSweepCharts *self, GtkWidget *drop_down, guint before)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (drop_down));

  if (selected == GTK_INVALID_LIST_POSITION || selected < before || selected - before >= self->varying->len)
    return NULL;
  return g_ptr_array_index (self->varying, selected - before);
}

static StudioSweepMetric
chosen_metric (StudioSweepCharts *self)
{
  return MIN (gtk_drop_down_get_selected (GTK_DROP_DOWN (self->metric)), STUDIO_SWEEP_N_METRICS - 1);
}

static Kind
chosen_kind (StudioSweepCharts *self)
{
  return (Kind)MIN (gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kind)), KIND_IMPORTANCE);
}

/* What stands for what, in words. */
static void
show_caption (StudioSweepCharts *self)
{
  Kind kind = chosen_kind (self);
  guint left_out = kind == KIND_CURVES && self->curves != NULL ? self->curves->left_out
                   : kind == KIND_MAP && self->map != NULL     ? self->map->left_out
                                                               : 0;
  g_autofree char *text = NULL;

  if (kind == KIND_PARALLEL)
    text = g_strdup (_ ("Drag along an axis to select a range of runs, its name to move it; a double click flips it"));
  else if (left_out > 0)
    text = g_strdup_printf (kind == KIND_MAP
                                ? ngettext ("Each cell is the best of its runs; %u run is not shown",
                                            "Each cell is the best of its runs; %u runs are not shown", left_out)
                                : ngettext ("Each point is the best of its runs; %u run is not shown",
                                            "Each point is the best of its runs; %u runs are not shown", left_out),
                            left_out);
  gtk_label_set_label (GTK_LABEL (self->caption), text != NULL ? text : "");
  /* Why there is no picture; while there is no plan, the head of the view shows the state. */
  gtk_label_set_label (GTK_LABEL (self->waiting),
                       kind == KIND_MAP && self->varying->len < 2           ? _ ("A map needs two parameters that vary")
                       : g_list_model_get_n_items (self->rows) > 0          ? _ ("Points appear when runs are finished")
                       : g_list_model_get_n_items (self->planner->rows) > 0 ? _ ("No run passes the filter")
                                                                            : "");
}

static void
drop_curves (StudioSweepCharts *self)
{
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), NULL);
  g_clear_pointer (&self->curves, studio_sweep_curves_free);
}

static void
mark_chosen (StudioSweepCharts *self)
{
  guint series;
  double x;
  gboolean there = self->curves != NULL && self->chosen != NULL
                   && studio_sweep_curves_find (self->curves, self->chosen, &series, &x);

  studio_chart_view_mark (STUDIO_CHART_VIEW (self->chart_view), there ? (int)series : -1, there ? x : NAN);
}

static void
draw_curves (StudioSweepCharts *self)
{
  const TosstParameter *x = chosen_parameter (self, self->x, 0), *by = chosen_parameter (self, self->by, 1);
  StudioSweepCurves *curves = NULL;
  double low, high;

  if (x != NULL)
    curves = studio_sweep_curves_new (self->rows, self->planner->sweep, chosen_metric (self), x, by != x ? by : NULL);
  if (curves != NULL && self->curves != NULL && !self->replanned)
    {
      /* What the user zoomed to stays while runs finish. */
      tosst_chart_get_x_range (self->curves->chart, &low, &high);
      tosst_chart_set_x_range (curves->chart, low, high);
      tosst_chart_get_y_range (self->curves->chart, &low, &high);
      tosst_chart_set_y_range (curves->chart, low, high);
    }
  drop_curves (self);
  self->curves = curves;
  if (curves != NULL)
    studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->chart_view), curves->chart);
  mark_chosen (self);
}

static gboolean
has_points (StudioSweepCharts *self)
{
  return self->curves != NULL && g_hash_table_size (self->curves->rows) > 0;
}

static int
line_of (StudioSweepCharts *self, StudioSweepRow *row)
{
  guint line;

  return row != NULL && g_ptr_array_find (self->lines, row, &line) ? (int)line : -1;
}

static gboolean
has_cells (StudioSweepCharts *self)
{
  guint column, row;

  return self->map != NULL && tosst_grid_best (self->map->grid, &column, &row);
}

static void
drop_map (StudioSweepCharts *self)
{
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map_view), FALSE);
  g_clear_pointer (&self->map, studio_sweep_map_free);
}

/* Without a second parameter the first other one. */
static void
draw_map (StudioSweepCharts *self)
{
  const TosstParameter *x = chosen_parameter (self, self->x, 0), *y = chosen_parameter (self, self->by, 1);

  for (guint i = 0; (y == NULL || y == x) && i < self->varying->len; i++)
    y = self->varying->pdata[i];
  drop_map (self);
  if (x == NULL || y == NULL || x == y || g_list_model_get_n_items (self->rows) == 0)
    return;
  self->map = studio_sweep_map_new (self->rows, self->planner->sweep, chosen_metric (self), x, y);
  studio_sweep_map_choose (self->map, self->chosen);
  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map_view), TRUE);
}

static void
draw_lines (StudioSweepCharts *self)
{
  g_ptr_array_set_size (self->lines, 0);
  for (guint i = 0; i < g_list_model_get_n_items (self->rows); i++)
    g_ptr_array_add (self->lines, g_list_model_get_item (self->rows, i));
  studio_sweep_parallel_take (STUDIO_SWEEP_PARALLEL (self->parallel),
                              self->varying->len > 0 ? studio_sweep_lines_new (self->rows, self->planner->sweep,
                                                                               self->varying, chosen_metric (self))
                                                     : NULL);
  studio_sweep_parallel_choose (STUDIO_SWEEP_PARALLEL (self->parallel), line_of (self, self->chosen));
}

/* Draws the chosen picture; returns its page. */
static const char *
draw (StudioSweepCharts *self)
{
  switch (chosen_kind (self))
    {
    case KIND_MAP:
      draw_map (self);
      return has_cells (self) ? "map" : "waiting";
    case KIND_PARALLEL:
      draw_lines (self);
      return "parallel";
    case KIND_IMPORTANCE:
      studio_sweep_show_importance (self->importance, self->rows, self->varying, chosen_metric (self),
                                    self->planner->sweep);
      return "importance";
    case KIND_CURVES:
    default:
      draw_curves (self);
      return has_points (self) ? "curves" : "waiting";
    }
}

static void
show (StudioSweepCharts *self)
{
  Kind kind = chosen_kind (self);
  gboolean axes = kind == KIND_CURVES || kind == KIND_MAP;

  gtk_widget_set_visible (self->x, axes);
  gtk_widget_set_visible (self->by, axes && self->varying->len > 1);
  gtk_widget_set_visible (self->against_label, axes);
  gtk_widget_set_visible (self->by_label, axes && self->varying->len > 1);
  gtk_label_set_label (GTK_LABEL (self->by_label),
                       /* Translators: accuracy against one parameter and another */
                       kind == KIND_MAP ? _ ("and") : _ ("a curve for each"));
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), draw (self));
  show_caption (self);
}

static void
on_later (StudioSweepCharts *self)
{
  show (self);
  self->replanned = FALSE;
}

void
studio_sweep_charts_refresh (StudioSweepCharts *self)
{
  studio_later (&self->later_source, LATER_MS, on_later, self);
}

/* Another metric, parameter or kind of picture: all of it is shown. */
static void
on_choice (StudioSweepCharts *self)
{
  if (self->filling || self->planner == NULL)
    return;
  if (self->curves != NULL)
    {
      tosst_chart_set_x_range (self->curves->chart, NAN, NAN);
      tosst_chart_set_y_range (self->curves->chart, NAN, NAN);
    }
  studio_chart_view_forget_axes (STUDIO_CHART_VIEW (self->chart_view));
  show (self);
  g_signal_emit_by_name (self, "brushed");
}

static gboolean
is_same (const GPtrArray *a, const GPtrArray *b)
{
  for (guint i = 0; a->len == b->len && i < a->len; i++)
    if (a->pdata[i] != b->pdata[i])
      return FALSE;
  return a->len == b->len;
}

/* The drop-downs above the pictures. */

/* StudioSweepMetric; the chosen one stays. Of samples with several labels the first one is an average precision. plan and
 * sweep: NULL without a plan. */
static void
fill_metrics (GtkWidget *drop_down, const TosstSweepPlan *plan, const TosstSweep *sweep)
{
  guint n = studio_sweep_count_metrics (plan);
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (drop_down));
  g_autoptr (GtkStringList) metrics = gtk_string_list_new (NULL);

  for (guint m = 0; m < n; m++)
    gtk_string_list_append (metrics, studio_sweep_metric_label (m, sweep));
  gtk_drop_down_set_model (GTK_DROP_DOWN (drop_down), G_LIST_MODEL (metrics));
  if (chosen < n)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (drop_down), chosen);
}

/* The button of a drop-down gives long names little room, its list all that they need. */
static void
shorten (GtkWidget *drop_down)
{
  g_autoptr (GtkListItemFactory) factory
      = gtk_builder_list_item_factory_new_from_resource (NULL, "/io/github/tosst/Studio/short-item.ui");

  g_object_set (drop_down, "list-factory", gtk_drop_down_get_factory (GTK_DROP_DOWN (drop_down)), NULL);
  gtk_drop_down_set_factory (GTK_DROP_DOWN (drop_down), factory);
}

/* The parameters, in `by` after "Nothing". axes: TosstSweepAxis * of each of them. */
static void
fill_parameters (StudioSweepCharts *self, const GPtrArray *varying, const GPtrArray *axes)
{
  g_autoptr (GtkStringList) first = gtk_string_list_new (NULL), second = gtk_string_list_new (NULL);

  gtk_string_list_append (second, _ ("Nothing"));
  for (guint i = 0; i < varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (varying, i);
      gboolean tied = ((const TosstSweepAxis *)axes->pdata[i])->tied != NULL;
      g_autofree char *label = tied ? studio_sweep_label (axes, p, TRUE) : g_strdup (_ (p->label));

      gtk_string_list_append (first, label);
      gtk_string_list_append (second, label);
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->x), G_LIST_MODEL (first));
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->by), G_LIST_MODEL (second));
}

void
studio_sweep_charts_plan (StudioSweepCharts *self)
{
  StudioSweepPlan *plan = self->planner->plan;
  g_autoptr (GPtrArray) varying = g_ptr_array_new ();

  for (guint i = 0; plan != NULL && i < plan->plan->varying->len; i++)
    g_ptr_array_add (varying, g_ptr_array_index (plan->plan->varying, i));
  self->filling = TRUE;
  fill_metrics (self->metric, plan != NULL ? plan->plan : NULL, self->planner->sweep);
  if (!is_same (varying, self->varying))
    {
      guint first = 0, second = 0;

      g_ptr_array_unref (self->varying);
      self->varying = g_steal_pointer (&varying);
      fill_parameters (self, self->varying, plan != NULL ? plan->plan->axes : NULL);
      /* Numbers make the x axis, and another parameter that has not too many values the curves. */
      while (first < self->varying->len
             && ((const TosstParameter *)g_ptr_array_index (self->varying, first))->type != TOSST_PARAMETER_REAL
             && ((const TosstParameter *)g_ptr_array_index (self->varying, first))->type != TOSST_PARAMETER_INTEGER)
        first++;
      if (first == self->varying->len)
        first = 0;
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->x), first);
      while (second < self->varying->len && (second == first || plan->values[second].n > MOST_CURVES))
        second++;
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->by), second < self->varying->len ? second + 1 : 0);
    }
  self->filling = FALSE;
  self->chosen = NULL;
  self->replanned = TRUE;
  drop_map (self);
  /* Apart from what the table does for the same plan, but before the next frame. */
  g_clear_handle_id (&self->later_source, g_source_remove);
  studio_later_at (&self->later_source, G_PRIORITY_HIGH_IDLE, 0, G_CALLBACK (on_later), self);
}

/* The map. */

static void
draw_grid (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_grid (cr, width, height, style, STUDIO_SWEEP_CHARTS (data)->map->grid);
}

static StudioSweepRow *
row_at_cell (StudioSweepCharts *self, const StudioPicturePoint *point)
{
  guint column, row;

  return self->map != NULL
                 && tosst_grid_pick (self->map->grid, point->width, point->height, &point->style, point->x, point->y,
                                     &column, &row)
             ? studio_sweep_map_row (self->map, column, row)
             : NULL;
}

/* Under the pointer. */

static char *
label_run (StudioSweepRow *row)
{
  g_autofree char *title = row != NULL ? studio_sweep_row_title (row) : NULL;

  /* Translators: a run and its values: "Run 3: λ 0.01, K 60: 91.2 %" */
  return row != NULL ? g_strdup_printf (_ ("Run %u: %s"), row->index + 1, title) : g_strdup ("");
}

static char *
label_point (guint series, double x, double y, StudioSweepCharts *self)
{
  return label_run (studio_sweep_curves_row (self->curves, series, x));
}

static char *
label_cell (StudioPicturePoint *point, gpointer data)
{
  StudioSweepRow *row = row_at_cell (data, point);

  return row != NULL ? label_run (row) : NULL;
}

static void
press_cell (const StudioPicturePoint *point, gpointer data)
{
  StudioSweepRow *row = row_at_cell (data, point);

  if (row != NULL)
    g_signal_emit_by_name (data, "picked", row);
}

static char *
describe_map (StudioSweepCharts *self)
{
  return self->map != NULL ? tosst_grid_describe (self->map->grid) : g_strdup ("");
}

static const StudioPictureFuncs map_funcs = { .draw = G_CALLBACK (draw_grid),
                                              .label = G_CALLBACK (label_cell),
                                              .pressed = G_CALLBACK (press_cell),
                                              .describe = G_CALLBACK (describe_map) };

static void
copy_map (StudioSweepCharts *self, const char *name)
{
  g_autofree char *csv = self->map != NULL ? tosst_grid_to_csv (self->map->grid) : NULL;

  if (self->map == NULL)
    return;
  if (g_str_equal (name, "map.copy-picture"))
    studio_copy_drawing (self->map_view, draw_grid, self);
  else
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), csv);
}

static char *
label_line (guint line, StudioSweepCharts *self)
{
  return label_run (line < self->lines->len ? g_ptr_array_index (self->lines, line) : NULL);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, StudioSweepCharts *self)
{
  guint series;
  double at, value, x_at, y_at;

  if (n_press != 1 || self->curves == NULL
      || !tosst_chart_pick (self->curves->chart, x, y, &series, &at, &value, &x_at, &y_at))
    return;
  StudioSweepRow *row = studio_sweep_curves_row (self->curves, series, at);
  if (row != NULL)
    g_signal_emit_by_name (self, "picked", row);
}

static void
on_line (StudioSweepCharts *self, guint line)
{
  if (line < self->lines->len)
    g_signal_emit_by_name (self, "picked", g_ptr_array_index (self->lines, line));
}

static void
on_brushed (StudioSweepCharts *self)
{
  g_signal_emit_by_name (self, "brushed");
}

static void
studio_sweep_charts_dispose (GObject *object)
{
  StudioSweepCharts *self = STUDIO_SWEEP_CHARTS (object);

  g_clear_handle_id (&self->later_source, g_source_remove);
  if (self->lines != NULL)
    {
      drop_curves (self);
      drop_map (self);
      g_ptr_array_set_size (self->lines, 0);
    }
  g_clear_object (&self->planner);
  g_clear_object (&self->rows);
  G_OBJECT_CLASS (studio_sweep_charts_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE (StudioSweepCharts, studio_sweep_charts, (lines, g_ptr_array_unref),
                        (varying, g_ptr_array_unref))

static void
studio_sweep_charts_class_init (StudioSweepChartsClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_CHART_VIEW, STUDIO_TYPE_SWEEP_PARALLEL, STUDIO_TYPE_PICTURE_VIEW, STUDIO_TYPE_WRAP);
  STUDIO_INSTALL_ACTIONS (klass, ("map.copy-picture", NULL, copy_map), ("map.copy-numbers", NULL, copy_map));
  G_OBJECT_CLASS (klass)->dispose = studio_sweep_charts_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_sweep_charts_finalize;
  studio_add_signal (klass, "picked", 1, STUDIO_TYPE_SWEEP_ROW);
  studio_add_signal (klass, "brushed", 0);
  STUDIO_SET_TEMPLATE (klass, StudioSweepCharts, "sweep-charts", metric, x, by, against_label, by_label, stack, kind,
                       map_view, importance, chart_view, parallel, caption, waiting);
  STUDIO_BIND_CALLBACKS (klass, on_choice, on_line, on_brushed, on_released);
}

static void
studio_sweep_charts_init (StudioSweepCharts *self)
{
  self->varying = g_ptr_array_new ();
  self->lines = g_ptr_array_new_with_free_func (g_object_unref);
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  shorten (self->x);
  shorten (self->by);
  fill_metrics (self->metric, NULL, NULL);
  self->filling = FALSE;
  studio_chart_view_set_label_func (STUDIO_CHART_VIEW (self->chart_view), (StudioChartLabelFunc)label_point, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->map_view), &map_funcs, self);
  studio_add_context_menu (self->map_view, "map_menu", NULL, NULL);
  studio_sweep_parallel_set_label_func (STUDIO_SWEEP_PARALLEL (self->parallel), (StudioSweepLabelFunc)label_line, self);
}

void
studio_sweep_charts_set_planner (StudioSweepCharts *self, StudioSweepPlanner *planner, GListModel *rows)
{
  self->planner = g_object_ref (planner);
  self->rows = g_object_ref (rows);
}

void
studio_sweep_charts_choose (StudioSweepCharts *self, StudioSweepRow *row)
{
  self->chosen = row;
  mark_chosen (self);
  if (self->map != NULL)
    {
      studio_sweep_map_choose (self->map, row);
      studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->map_view), TRUE);
    }
  studio_sweep_parallel_choose (STUDIO_SWEEP_PARALLEL (self->parallel), line_of (self, row));
}

GHashTable *
studio_sweep_charts_get_brushed (StudioSweepCharts *self)
{
  TosstParallel *parallel = STUDIO_SWEEP_PARALLEL (self->parallel)->parallel;
  g_autoptr (GHashTable) rows = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);

  if (chosen_kind (self) != KIND_PARALLEL || parallel == NULL)
    return NULL;
  for (guint i = 0; i < self->lines->len; i++)
    if (tosst_parallel_passes (parallel, i))
      g_hash_table_add (rows, g_object_ref (g_ptr_array_index (self->lines, i)));
  return g_hash_table_size (rows) < self->lines->len ? g_steal_pointer (&rows) : NULL;
}

gboolean
studio_sweep_charts_has_picture (StudioSweepCharts *self)
{
  g_autoptr (TosstImportance) importance = NULL;
  Kind kind = chosen_kind (self);

  if (self->varying->len == 0 || self->rows == NULL || g_list_model_get_n_items (self->rows) == 0)
    return FALSE;
  if (kind == KIND_IMPORTANCE)
    importance = studio_sweep_importance (self->rows, self->varying, chosen_metric (self));
  return kind == KIND_CURVES ? has_points (self)
         : kind == KIND_MAP  ? has_cells (self)
                             : kind == KIND_PARALLEL || importance != NULL;
}

static StudioContent
picture_of (gpointer data, TosstDrawFunc paint, GDestroyNotify free, double height)
{
  return (StudioContent){ data, free, NULL, paint, WIDTH, MIN (HEIGHT, height) };
}

StudioContent
studio_sweep_charts_copy (StudioSweepCharts *self)
{
  TosstParallel *parallel = STUDIO_SWEEP_PARALLEL (self->parallel)->parallel;
  TosstMarginsDrawing *shares;

  switch (chosen_kind (self))
    {
    case KIND_MAP:
      return picture_of (self->map != NULL ? tosst_grid_copy (self->map->grid) : NULL, (TosstDrawFunc)tosst_draw_grid,
                         (GDestroyNotify)tosst_grid_free, HEIGHT);
    case KIND_PARALLEL:
      return picture_of (parallel != NULL ? tosst_parallel_copy (parallel) : NULL, (TosstDrawFunc)tosst_draw_parallel,
                         (GDestroyNotify)tosst_parallel_free, HEIGHT);
    case KIND_IMPORTANCE:
      shares = studio_sweep_shares (self->rows, self->varying, chosen_metric (self), self->planner->sweep);
      return picture_of (shares, studio_sweep_draw_shares, (GDestroyNotify)studio_sweep_shares_free,
                         shares != NULL ? SHARES_TOP + SHARES_ROW * (double)shares->classes : 0);
    case KIND_CURVES:
    default:
      return picture_of (self->curves != NULL ? tosst_chart_copy (self->curves->chart) : NULL, studio_chart_draw,
                         (GDestroyNotify)tosst_chart_free, HEIGHT);
    }
}
