/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/plot/draw-code.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/format.h"
#include "tosst/learn.h"

#define ATOMS 6
#define CLASSES 8
#define STEPS 60
#define SIDE 7 /* d of linear features with luminance */

typedef struct
{
  TosstSolver solver;
  double eta; /* 0: chosen by the solver */
  guint seed; /* of the first atoms */
} Question;

/* The path: the result of each step. */
typedef struct
{
  char *problem; /* reason of a failure: a sentence */
  int n;         /* steps */
  double objective[STEPS], fit[STEPS], proximity[STEPS], sparsity[STEPS];
  double atoms[STEPS][ATOMS][SIDE * SIDE];
} Way;

typedef struct
{
  TosstRecipe *recipe;
  TosstLayout *layout;
  float *tensors;
  gsize n;
} Session;

typedef struct
{
  StudioLessonState base;
  Way *way; /* NULL: none yet */
  int step; /* shown, from 1 */
  guint seed;
  guint play_source;
  TosstChart *chart;
  GtkWidget *solver, *eta, *eta_value, *eta_row, *back, *next, *play, *random, *position;
  GtkWidget *curve, *atoms, *problem, *spinner, *fit, *proximity, *sparsity, *objective;
} Lesson;

/* The worker. */

TOSST_DEFINE_FREE (Way, way_free, (problem, g_free))

TOSST_DEFINE_FREE (Session, session_free, (recipe, tosst_recipe_free), (layout, tosst_layout_free), (tensors, g_free))

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Way *way = data;
  int i = way->n;

  if (i >= STEPS)
    return;
  way->objective[i] = iteration->objective;
  way->fit[i] = iteration->fit;
  way->proximity[i] = iteration->proximity;
  way->sparsity[i] = iteration->sparsity;
  for (int k = 0; k < ATOMS; k++)
    tosst_dictionary_matrix (dictionary, k, way->atoms[i][k]);
  way->n++;
}

static Session *
session_new (TosstContext *context)
{
  Session *session = g_new0 (Session, 1);

  session->recipe = studio_lesson_recipe (FALSE, TRUE);
  session->layout = tosst_layout_new (SIDE);
  session->tensors = studio_lesson_tensors (context, session->recipe, CLASSES, 0, 1, &session->n, NULL);
  return session;
}

static void
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *kept)
{
  Session *session = *kept != NULL ? *kept : (*kept = session_new (context));
  Way *way = g_new0 (Way, 1);
  TosstLearnOptions options;
  TosstDictionary *dictionary = NULL;
  TosstStatus status = TOSST_ERROR_MEMORY;

  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.problem.lambda = 0.01;
  options.problem.gamma = 1;
  options.iterations = STEPS;
  options.tolerance = 0;
  options.solver = question->solver;
  options.eta = question->eta;
  options.init = TOSST_INIT_RANDOM;
  options.seed = question->seed;
  if (session->tensors != NULL)
    status = tosst_learn (context, session->layout, session->tensors, session->n, &options, NULL, on_iteration, way,
                          &dictionary);
  if (status != TOSST_OK && status != TOSST_CANCELLED)
    way->problem = g_strdup (tosst_context_message (context));
  tosst_dictionary_free (dictionary);
  if (status == TOSST_CANCELLED)
    way_free (way);
  else
    studio_worker_put (worker, way);
}

/* Pictures. */

static void
draw_atoms (cairo_t *cr, double width, double height, const TosstChartStyle *style, Lesson *self)
{
  int columns = width > 1.6 * height ? 6 : width > height * 0.6 ? 3 : 2, rows = ATOMS / columns;
  double gap = 8,
         side = floor (MIN ((width - 2 - gap * (columns - 1)) / columns, (height - 2 - gap * (rows - 1)) / rows));
  double left = floor ((width - columns * side - (columns - 1) * gap) / 2);

  for (int k = 0; k < ATOMS; k++)
    {
      guint32 pixels[SIDE * SIDE];
      const double *B = self->way->atoms[self->step - 1][k];
      double x = left + k % columns * (side + gap), y = 1 + k / columns * (side + gap);

      tosst_atom_pixels (B, SIDE, SIDE, 1, style->dark, pixels);
      cairo_surface_t *surface
          = cairo_image_surface_create_for_data ((guchar *)pixels, CAIRO_FORMAT_ARGB32, SIDE, SIDE, 4 * SIDE);
      cairo_save (cr);
      cairo_translate (cr, x, y);
      cairo_scale (cr, side / SIDE, side / SIDE);
      cairo_set_source_surface (cr, surface, 0, 0);
      cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
      cairo_paint (cr);
      cairo_restore (cr);
      cairo_surface_destroy (surface);
      cairo_set_source_rgba (cr, style->dark, style->dark, style->dark, style->high_contrast ? 0.6 : 0.25);
      cairo_set_line_width (cr, 1);
      cairo_rectangle (cr, x - 0.5, y - 0.5, side + 1, side + 1);
      cairo_stroke (cr);
    }
}

static char *
describe_atoms (Lesson *self)
{
  g_autofree char *value = studio_format_real (self->way->objective[self->step - 1], 3);

  return g_strdup_printf (_ ("Six atoms after step %d, objective %s"), self->step, value);
}

static const StudioPictureFuncs atoms_funcs
    = { .draw = G_CALLBACK (draw_atoms), .describe = G_CALLBACK (describe_atoms) };

static void
show_step (Lesson *self, int step)
{
  GtkWidget *const labels[] = { self->objective, self->fit, self->proximity, self->sparsity };
  const Way *way = self->way;
  gboolean any = way != NULL && way->n > 0;

  studio_picture_view_show_own (STUDIO_PICTURE_VIEW (self->atoms), any);
  self->step = any ? CLAMP (step, 1, way->n) : 1;
  gtk_widget_set_sensitive (self->back, any && self->step > 1);
  gtk_widget_set_sensitive (self->next, any && self->step < way->n);
  gtk_widget_set_sensitive (self->play, any && self->step < way->n);
  studio_label_take (self->position, any ? g_strdup_printf (_ ("Step %d"), self->step) : g_strdup (""));
  if (!any)
    return;
  {
    const double *const values[] = { way->objective, way->fit, way->proximity, way->sparsity };

    for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
      studio_label_take (labels[i], studio_format_real (values[i][self->step - 1], 3));
  }
  tosst_chart_clear (self->chart);
  for (int i = 0; i < way->n; i++)
    {
      if (i < self->step)
        tosst_chart_append (self->chart, 0, i + 1, way->objective[i]);
      if (i + 1 >= self->step)
        tosst_chart_append (self->chart, 1, i + 1, way->objective[i]);
    }
  studio_chart_view_refresh (STUDIO_CHART_VIEW (self->curve));
}

static void
stop_playing (Lesson *self)
{
  g_clear_handle_id (&self->play_source, g_source_remove);
  gtk_button_set_icon_name (GTK_BUTTON (self->play), "media-playback-start-symbolic");
}

static gboolean
on_play_tick (Lesson *self)
{
  show_step (self, self->step + 1);
  if (self->way != NULL && self->step < self->way->n)
    return G_SOURCE_CONTINUE;
  self->play_source = 0;
  stop_playing (self);
  return G_SOURCE_REMOVE;
}

static void
on_play (Lesson *self)
{
  if (self->play_source != 0)
    {
      stop_playing (self);
      return;
    }
  gtk_button_set_icon_name (GTK_BUTTON (self->play), "media-playback-pause-symbolic");
  self->play_source = g_timeout_add (120, G_SOURCE_FUNC (on_play_tick), self);
}

static void
on_back (Lesson *self)
{
  stop_playing (self);
  show_step (self, self->step - 1);
}

static void
on_next (Lesson *self)
{
  stop_playing (self);
  show_step (self, self->step + 1);
}

static void
on_way (Lesson *self, Way *way)
{
  g_clear_pointer (&self->way, way_free);
  self->way = way;
  studio_label_show_problem (self->problem, way->problem);
  show_step (self, self->step);
}

static void
on_wake (Lesson *self)
{
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), studio_worker_is_busy (self->base.worker));
}

static const StudioWork lesson_work
    = { G_CALLBACK (work), g_free, way_free, session_free, G_CALLBACK (on_way), .keeps = TRUE, .interrupts = TRUE };

static void
ask (Lesson *self)
{
  Question *question = g_new0 (Question, 1);
  gboolean gradient = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->solver)) == 0;

  gtk_widget_set_visible (self->eta_row, gradient);
  question->solver = gradient ? TOSST_SOLVER_GRADIENT : TOSST_SOLVER_EXACT;
  question->eta = gradient ? pow (10, gtk_range_get_value (GTK_RANGE (self->eta))) : 0;
  studio_label_take (self->eta_value, studio_format_setting (question->eta));
  question->seed = self->seed;
  stop_playing (self);
  studio_worker_ask_first (&self->base.worker, &lesson_work, on_wake, self, question);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
}

/* Other first atoms, from their first step on. */
static void
on_random (Lesson *self)
{
  self->seed++;
  self->step = 1;
  ask (self);
}

static void
on_map (Lesson *self)
{
  if (self->way == NULL)
    ask (self);
}

/* The widget. */

static void
clear (Lesson *self)
{
  g_clear_handle_id (&self->play_source, g_source_remove);
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->curve), NULL);
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->atoms), NULL);
  g_clear_pointer (&self->chart, tosst_chart_free);
  g_clear_pointer (&self->way, way_free);
}

static GtkWidget *
controls_new (Lesson *self)
{
  const char *solvers[] = { _ ("Algorithm 1: gradient steps"), _ ("Exact minimum of every block"), NULL };

  self->solver = gtk_drop_down_new_from_strings (solvers);
  studio_set_name (self->solver, _ ("Solver"));
  self->back = studio_icon_button ("go-previous-symbolic", _ ("One step back"));
  self->next = studio_icon_button ("go-next-symbolic", _ ("One step forward"));
  self->play = studio_icon_button ("media-playback-start-symbolic", _ ("Play to the end"));
  self->random = studio_icon_button ("view-refresh-symbolic", _ ("Other random first atoms"));
  self->position = studio_label ("", "numeric", NULL);
  self->spinner = gtk_spinner_new ();
  self->eta_row = studio_lesson_slider (_ ("Step length η"), -2.5, 0.5, 0.05, &self->eta, &self->eta_value);
  gtk_range_set_value (GTK_RANGE (self->eta), -1);
  g_signal_connect_swapped (self->solver, "notify::selected", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->eta, "value-changed", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->back, "clicked", G_CALLBACK (on_back), self);
  g_signal_connect_swapped (self->next, "clicked", G_CALLBACK (on_next), self);
  g_signal_connect_swapped (self->play, "clicked", G_CALLBACK (on_play), self);
  g_signal_connect_swapped (self->random, "clicked", G_CALLBACK (on_random), self);
  return studio_column (12,
                        studio_lesson_line (0, self->solver,
                                            studio_row (8, self->back, self->play, self->next, self->random,
                                                        self->position, self->spinner, NULL),
                                            NULL),
                        self->eta_row, NULL);
}

static GtkWidget *
build (Lesson *self)
{
  GtkWidget *atoms_box = studio_lesson_picture (_ ("The Atoms Bₖ"), _ ("Atoms"), &self->atoms), *stats;

  self->step = 1;
  self->seed = 1;
  self->problem = studio_label ("", "error", NULL);
  g_object_set (self->problem, "wrap", TRUE, "visible", FALSE, NULL);
  self->chart = tosst_chart_new (NULL, _ ("Step"), _ ("Objective"));
  tosst_chart_add_series (self->chart, _ ("done"));
  tosst_chart_add_series (self->chart, _ ("to do"));
  tosst_chart_set_integer_x (self->chart, TRUE);
  tosst_chart_set_logarithmic (self->chart, FALSE, TRUE);
  self->curve = g_object_new (STUDIO_TYPE_CHART_VIEW, "vexpand", TRUE, "hexpand", TRUE, "height-request", 170, NULL);
  studio_set_name (self->curve, _ ("Objective"));
  studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->curve), self->chart);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->atoms), &atoms_funcs, self);
  gtk_widget_set_size_request (self->atoms, -1, 120);
  gtk_widget_set_vexpand (self->atoms, FALSE);
  stats = studio_lesson_stats (
      studio_lesson_stat (_ ("objective"), &self->objective), studio_lesson_stat (_ ("fit"), &self->fit),
      studio_lesson_stat (_ ("proximity"), &self->proximity), studio_lesson_stat (_ ("sparsity"), &self->sparsity));
  return studio_column (12, controls_new (self), self->problem, self->curve, atoms_box, stats, NULL);
}

static void
set_mode (Lesson *self, const char *mode)
{
  gtk_widget_set_visible (self->solver, g_strcmp0 (mode, "solvers") == 0);
  if (g_strcmp0 (mode, "solvers") != 0)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->solver), 0);
}

static gboolean
is_ready (const Lesson *self)
{
  return self->way != NULL && !studio_worker_is_busy (self->base.worker);
}

STUDIO_LESSON_KIND (steps, Lesson, build, on_map, NULL, clear, set_mode, is_ready);
