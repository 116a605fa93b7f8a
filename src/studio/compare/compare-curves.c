/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-parts.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/format.h"
#include "studio/widgets/wrap.h"

#define BRIEF_CHARS 8  /* of a name that charts have space for, also of several runs */
#define SHORT_CHARS 10 /* of "Run 12" in other languages */
#define MOST_NAMES 3   /* for which an axis has space in a narrow window */

typedef struct
{
  StudioCompareCurves *owner;
  TosstChart *chart; /* with the names of runs */
  TosstChart *brief; /* what is shown in place of it: "Run 3"; NULL: the same */
} Curve;

struct _StudioCompareCurves
{
  AdwBin parent_instance;
  StudioCompareSet *set;
  StudioChartSession *session; /* of objective and non-zeros */
  Curve curves[STUDIO_N_COMPARE_CURVES];
  int split; /* of objective and non-zeros */

  GtkWidget *key, *axes, *objective, *nonzeros, *accuracy, *means, *seconds_button, *splits;
  GtkStringList *split_names;
};

G_DEFINE_FINAL_TYPE (StudioCompareCurves, studio_compare_curves, ADW_TYPE_BIN)

static gboolean
is_active (GtkWidget *button)
{
  return studio_is_on (button);
}

static const StudioComparedRun *
run_of_slot (StudioCompareSet *set, guint slot)
{
  for (guint i = 0; i < set->runs->len; i++)
    if (studio_compare_set_at (set, i)->slot == slot)
      return studio_compare_set_at (set, i);
  return NULL;
}

static char *
brief_name_of (const StudioComparedRun *run)
{
  return g_strdup_printf (_ ("Run %" PRId64), run->row->run->id);
}

/* Where there is little space, and in languages in which that is longer, "12". */
static char *
short_name_of (const StudioComparedRun *run)
{
  g_autofree char *name = brief_name_of (run);

  return g_utf8_strlen (name, -1) <= SHORT_CHARS ? g_steal_pointer (&name)
                                                 : g_strdup_printf ("%" PRId64, run->row->run->id);
}

/* The name of a run, such as its method, or "Run 12"; new. */
static char *
name_of (const StudioComparedRun *run)
{
  const char *name = studio_run_row_get_name (run->row);

  return *name != 0 ? g_strdup (name) : brief_name_of (run);
}

/* Several long names, of methods for example, have no space within the charts. */
static gboolean
needs_key (StudioCompareCurves *self)
{
  guint n = self->set->runs->len;
  glong longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX (longest, g_utf8_strlen (studio_run_row_get_name (studio_compare_set_at (self->set, i)->row), -1));
  return n > 1 && longest > BRIEF_CHARS;
}

static gboolean
are_numbers_long (StudioCompareCurves *self)
{
  g_autofree char *name = self->set->runs->len > 0 ? brief_name_of (studio_compare_set_at (self->set, 0)) : NULL;

  return name != NULL && g_utf8_strlen (name, -1) > SHORT_CHARS;
}

/* "Run 12: 310.2, iteration 7". */
static char *
label_point (guint slot, double x, double y, gpointer data)
{
  StudioCompareCurves *self = ((const Curve *)data)->owner;
  StudioCompareCurve curve = (StudioCompareCurve)((const Curve *)data - self->curves);
  const StudioComparedRun *run = self->set != NULL ? run_of_slot (self->set, slot) : NULL;
  g_autofree char *name = run != NULL ? studio_run_row_get_heading (run->row) : g_strdup ("");
  g_autofree char *value = curve == STUDIO_COMPARE_ACCURACY ? studio_format_percent (y, 1) : studio_format_real (y, 5);
  g_autofree char *at = NULL;

  if (curve == STUDIO_COMPARE_ACCURACY)
    at = g_strdup_printf (_ ("split %.0f"), x + 1);
  else if (is_active (self->seconds_button))
    at = studio_format_duration (x);
  else
    at = g_strdup_printf (_ ("iteration %.0f"), x);
  /* Translators: the name of a run, a number, and where: "Run 12: 310.2, iteration 7". */
  return g_strdup_printf (_ ("%s: %s, %s"), name, value, at);
}

/* "Fisher vectors: 96.8 ± 0.5 %". */
static char *
label_means (guint series, double x, double y, gpointer data)
{
  StudioCompareCurves *self = ((const Curve *)data)->owner;
  const StudioComparedRun *run = self->set != NULL ? run_of_slot (self->set, series) : NULL;
  g_autofree char *name = run != NULL ? name_of (run) : g_strdup ("");
  g_autofree char *value = run != NULL && run->report != NULL
                               ? tosst_report_percent (run->report->run->accuracy, run->report->run->deviation)
                               : studio_format_percent (y, 1);

  return g_strdup_printf ("%s: %s", name, value);
}

/* Charts. A series is a slot; unused slots are hidden. */

/* Maximum over the runs. */
static guint
count_splits (StudioCompareCurves *self)
{
  guint n = 0;

  for (guint i = 0; i < self->set->runs->len; i++)
    n = MAX (n, (guint)MAX (1, studio_compare_set_at (self->set, i)->row->run->splits));
  return n;
}

/* Runs in the order of choice; in brief by the number, as the axis is of runs. */
static void
name_runs (StudioCompareCurves *self, TosstChart *chart, gboolean brief)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->set->runs->len; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (self->set, i);

      g_ptr_array_add (names, brief ? g_strdup_printf ("%" PRId64, run->row->run->id) : name_of (run));
    }
  tosst_chart_set_categories (chart, (const char *const *)names->pdata, names->len);
}

static TosstChart *
chart_for (StudioCompareCurves *self, StudioCompareCurve curve, gboolean brief)
{
  static const char *const labels[] = { N_ ("Objective"), N_ ("Non-zeros") };
  gboolean seconds = is_active (self->seconds_button), means = curve == STUDIO_COMPARE_MEANS,
           accuracy = curve == STUDIO_COMPARE_ACCURACY || means;
  const char *score = studio_compare_set_score_label (self->set);
  /* Translators: a mean over splits; %s is “Accuracy” or “Mean average precision”. */
  g_autofree char *label = g_strdup_printf (means ? _ ("%s (%%), mean") : "%s (%%)", score);
  TosstChart *chart = tosst_chart_new ("",
                                       means      ? _ ("Run")
                                       : accuracy ? _ ("Split")
                                       : seconds  ? _ ("Seconds")
                                                  : _ ("Iteration"),
                                       accuracy ? label : _ (labels[curve]));

  for (guint slot = 0; slot < studio_compare_set_slots (self->set); slot++)
    {
      const StudioComparedRun *run = run_of_slot (self->set, slot);
      g_autofree char *name = run == NULL ? g_strdup ("")
                              : brief     ? short_name_of (run)
                                          : studio_run_row_get_heading (run->row);

      tosst_chart_add_series (chart, name);
      tosst_chart_set_series_visible (chart, slot, run != NULL);
      if (run != NULL)
        tosst_chart_set_series_color (chart, slot, run->color);
    }
  if (accuracy)
    {
      if (means)
        name_runs (self, chart, brief);
      else
        {
          g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

          /* Splits are numbered: the axis has no fractions. */
          for (guint i = count_splits (self); i > 0; i--)
            g_ptr_array_add (names, g_strdup_printf ("%u", names->len + 1));
          tosst_chart_set_categories (chart, (const char *const *)names->pdata, names->len);
        }
      tosst_chart_set_y_bounds (chart, 0, 100);
    }
  tosst_chart_set_integer_x (chart, !accuracy && !seconds);
  return chart;
}

static StudioChartView *
view_of (StudioCompareCurves *self, StudioCompareCurve curve)
{
  GtkWidget *const views[] = { self->objective, self->nonzeros, self->accuracy, self->means };

  return STUDIO_CHART_VIEW (views[curve]);
}

static void
show_chart (StudioCompareCurves *self, StudioCompareCurve curve, TosstChart *chart, TosstChart *brief)
{
  studio_chart_view_set_chart (view_of (self, curve), brief != NULL ? brief : chart);
  g_clear_pointer (&self->curves[curve].chart, tosst_chart_free);
  g_clear_pointer (&self->curves[curve].brief, tosst_chart_free);
  self->curves[curve].chart = chart;
  self->curves[curve].brief = brief;
}

/* Whether a dictionary was learned in one of the runs, or may have been in one that is not read yet. */
static gboolean
have_learned (StudioCompareCurves *self)
{
  gboolean learned = self->set->runs->len == 0;

  for (guint i = 0; i < self->set->runs->len && !learned; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (self->set, i);
      const TosstRecipe *recipe = run->report != NULL ? run->report->run->recipe : NULL;

      learned = recipe == NULL || tosst_recipe_has_dictionary (recipe);
    }
  return learned;
}

static TosstChart *
make_chart (StudioCompareCurves *self, StudioCompareCurve curve, gboolean brief)
{
  static const char *const names[] = { "objective", "mean_nonzeros" };
  TosstChart *chart = chart_for (self, curve, brief);

  for (guint i = 0; i < self->set->runs->len; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (self->set, i);

      if (run->report == NULL)
        continue;
      if (curve == STUDIO_COMPARE_MEANS)
        {
          if (run->report->run->done->len > 0)
            tosst_chart_append_error (chart, run->slot, i, run->report->run->accuracy, run->report->run->deviation);
        }
      else if (curve == STUDIO_COMPARE_ACCURACY)
        for (guint j = 0; j < run->report->run->done->len; j++)
          {
            const TosstSplitResult *split = &g_array_index (run->report->run->done, TosstSplitResult, j);

            tosst_chart_append (chart, run->slot, split->split, split->accuracy);
          }
      else
        {
          guint n, n_seconds;
          g_autofree double *values = tosst_report_run_series (run->report->run, self->split, names[curve], &n);
          g_autofree double *seconds = tosst_report_run_series (run->report->run, self->split, "seconds", &n_seconds);

          for (guint j = 0; j < n; j++)
            {
              double x = !is_active (self->seconds_button) ? j + 1 : j < n_seconds ? seconds[j] : NAN;

              tosst_chart_append (chart, run->slot, x, values[j]);
            }
        }
    }
  return chart;
}

static void
redraw (StudioCompareCurves *self)
{
  gboolean brief, shown;
  GtkWidget *child;

  if (self->set == NULL)
    return;
  StudioAlike alike = studio_compare_set_alike (self->set);
  brief = needs_key (self) || self->set->runs->len > MOST_NAMES || are_numbers_long (self);
  /* The whole names above the charts, which then have numbers. */
  shown = needs_key (self);
  while ((child = gtk_widget_get_first_child (self->key)) != NULL)
    gtk_widget_unparent (child);
  gtk_widget_set_visible (self->key, shown);
  for (guint i = 0; shown && i < self->set->runs->len; i++)
    {
      const StudioComparedRun *run = studio_compare_set_at (self->set, i);
      const char *name = studio_run_row_get_name (run->row);
      g_autofree char *number = brief_name_of (run),
                      *text = *name != 0 ? g_strdup_printf ("%s: %s", number, name) : g_strdup (number);

      gtk_widget_set_parent (studio_run_caption_new ((int)run->color, text, "caption"), self->key);
    }
  gtk_widget_set_visible (self->axes, have_learned (self));
  /* Numbers of different problems have no common axis. */
  gtk_widget_set_visible (self->objective, have_learned (self) && alike == STUDIO_ALIKE_OBJECTIVE);
  gtk_widget_set_visible (self->accuracy, alike != STUDIO_ALIKE_NOTHING);
  gtk_widget_set_visible (self->means, alike != STUDIO_ALIKE_NOTHING);
  gtk_widget_set_visible (self->nonzeros, have_learned (self));
  for (int curve = 0; curve < STUDIO_N_COMPARE_CURVES; curve++)
    show_chart (self, curve, make_chart (self, curve, FALSE), brief ? make_chart (self, curve, TRUE) : NULL);
}

static void
on_set_changed (StudioCompareCurves *self)
{
  guint n = count_splits (self), there = g_list_model_get_n_items (G_LIST_MODEL (self->split_names));

  for (; there < n; there++)
    {
      g_autofree char *name = g_strdup_printf (_ ("Split %u"), there + 1);
      gtk_string_list_append (self->split_names, name);
    }
  while (n > 0 && there > n)
    gtk_string_list_remove (self->split_names, --there);
  if (n > 0)
    gtk_widget_set_visible (self->splits, n > 1);
  redraw (self);
}

/* The units changed: the zoom is reset. */
static void
on_axes (StudioCompareCurves *self)
{
  studio_chart_session_set_range (self->session, NAN, NAN);
  redraw (self);
}

static void
on_split (StudioCompareCurves *self)
{
  guint chosen = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->splits));

  self->split = chosen == GTK_INVALID_LIST_POSITION ? 0 : (int)chosen;
  redraw (self);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCompareCurves, studio_compare_curves,
                            if (self->session != NULL) studio_compare_curves_set_set (self, NULL),
                            (session, g_object_unref))

static void
studio_compare_curves_class_init (StudioCompareCurvesClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_CHART_VIEW, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_compare_curves_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioCompareCurves, "compare-curves", key, axes, objective, nonzeros, accuracy, means,
                       seconds_button, splits, split_names);
  STUDIO_BIND_CALLBACKS (klass, on_axes, on_split);
}

static void
studio_compare_curves_init (StudioCompareCurves *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->session = studio_chart_session_new ();
  for (int curve = 0; curve < STUDIO_N_COMPARE_CURVES; curve++)
    {
      self->curves[curve].owner = self;
      studio_chart_view_set_label_func (
          view_of (self, curve), curve == STUDIO_COMPARE_MEANS ? label_means : label_point, &self->curves[curve]);
      if (curve < STUDIO_COMPARE_ACCURACY)
        studio_chart_view_set_session (view_of (self, curve), self->session);
    }
}

void
studio_compare_curves_set_set (StudioCompareCurves *self, StudioCompareSet *set)
{
  studio_follow (self, &self->set, set, "changed", G_CALLBACK (on_set_changed));
  for (int curve = 0; curve < STUDIO_N_COMPARE_CURVES; curve++)
    show_chart (self, curve, NULL, NULL);
  if (set != NULL)
    on_set_changed (self);
}

TosstChart *
studio_compare_curves_get_chart (StudioCompareCurves *self, StudioCompareCurve curve)
{
  return self->curves[curve].chart;
}
