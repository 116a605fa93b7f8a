/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "tosst/classify.h"
#include "tosst/learn.h"
#include "tosst/pool.h"

#define TRAIN_IMAGES 1
#define TEST_IMAGES 3
#define ITERATIONS 12

typedef struct
{
  TosstScheme scheme;
} Question;

typedef struct
{
  char *problem;
  int K;
  double accuracy[2], objective[2]; /* training, others */
} Point;

/* Tensors of the training pictures and of the others. */
typedef struct
{
  TosstRecipe *recipe;
  gsize n[2], per_image;
  float *tensors[2];
} Session;

typedef struct
{
  StudioLessonState base;
  int points;
  TosstChart *charts[2]; /* accuracy, objective */
  GtkWidget *views[2], *boxes[2], *scheme, *again, *spinner, *status;
} Lesson;

/* The worker. */

TOSST_DEFINE_FREE (Point, point_free, (problem, g_free))

TOSST_DEFINE_FREE (Session, session_free, (recipe, tosst_recipe_free), (tensors[0], g_free), (tensors[1], g_free))

static Session *
session_new (TosstContext *context)
{
  Session *self = g_new0 (Session, 1);
  guint classes = TOSST_TEXTURES;

  self->recipe = studio_lesson_recipe (FALSE, TRUE);
  self->tensors[0]
      = studio_lesson_tensors (context, self->recipe, classes, 0, TRAIN_IMAGES, &self->n[0], &self->per_image);
  self->tensors[1]
      = studio_lesson_tensors (context, self->recipe, classes, TRAIN_IMAGES, TEST_IMAGES, &self->n[1], NULL);
  return self;
}

/* Signatures of the images of one part, and the mean objective of its tensors. */
static TosstStatus
code_part (TosstContext *context, const Session *session, int part, const TosstCoder *coder, gsize m, int K,
           float *signatures, double *objective)
{
  gsize n = session->n[part], images = n / session->per_image;
  g_autofree double *wide = g_new (double, n *m), *codes = g_new0 (double, n *K), *each = g_new (double, n);
  g_autofree float *narrow = g_new (float, session->per_image *K);

  for (gsize i = 0; i < n * m; i++)
    wide[i] = session->tensors[part][i];
  TosstStatus status = tosst_code_double (context, coder, wide, n, FALSE, codes, NULL);
  if (status == TOSST_OK)
    status = tosst_code_objective (context, coder, wide, n, codes, each, NULL);
  *objective = 0;
  for (gsize i = 0; i < n && status == TOSST_OK; i++)
    *objective += each[i] / (double)n;
  for (gsize i = 0; i < images && status == TOSST_OK; i++)
    {
      for (gsize j = 0; j < session->per_image * K; j++)
        narrow[j] = (float)codes[i * session->per_image * K + j];
      status = tosst_pool (TOSST_POOL_AVERAGE, NAN, narrow, K, NULL, session->per_image, signatures + i * K);
      tosst_normalise_signature (signatures + i * K, K, 0.4, TRUE);
    }
  return status;
}

static double
accuracy_of (const TosstSvm *svm, const float *signatures, gsize images, gsize per_class)
{
  g_autofree double *margins = g_new (double, images * svm->classes);
  gsize right = 0;

  tosst_svm_margins (svm, signatures, images, margins);
  for (gsize i = 0; i < images; i++)
    right += tosst_svm_decide (svm, margins + i * svm->classes) == (int)(i / per_class);
  return 100.0 * right / images;
}

static TosstStatus
classify (TosstContext *context, const float *train, const float *test, int K, Point *point)
{
  int classes = (int)TOSST_TEXTURES;
  gsize n = (gsize)classes * TRAIN_IMAGES;
  g_autofree int *labels = g_new (int, n);
  TosstSvmOptions options;
  TosstSvm *svm = NULL;

  for (gsize i = 0; i < n; i++)
    labels[i] = (int)(i / TRAIN_IMAGES);
  tosst_svm_options_default (&options);
  TosstStatus status = tosst_svm_train (context, train, n, K, labels, classes, &options, NULL, &svm);
  if (status != TOSST_OK)
    return status;
  point->accuracy[0] = accuracy_of (svm, train, n, TRAIN_IMAGES);
  point->accuracy[1] = accuracy_of (svm, test, (gsize)classes * TEST_IMAGES, TEST_IMAGES);
  tosst_svm_free (svm);
  return TOSST_OK;
}

static TosstStatus
measure (TosstContext *context, const Session *session, TosstScheme scheme, int K, Point *point)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (session->recipe);
  gsize classes = TOSST_TEXTURES;
  g_autofree float *train = g_new (float, classes *TRAIN_IMAGES *K), *test = g_new (float, classes *TEST_IMAGES *K);
  TosstLearnOptions learning;
  TosstCodingOptions coding;
  TosstDictionary *dictionary = NULL;
  TosstCoder *coder = NULL;

  recipe->dictionary.scheme = scheme;
  recipe->dictionary.atoms = K;
  recipe->dictionary.iterations = ITERATIONS;
  recipe->dictionary.lambda = 1e-3;
  TosstLayout *layout = tosst_layout_new_shape (tosst_recipe_shape (recipe));
  tosst_recipe_learn_options (recipe, &learning);
  tosst_recipe_coding_options (recipe, &coding);
  coding.wide = true;
  TosstStatus status
      = tosst_learn (context, layout, session->tensors[0], session->n[0], &learning, NULL, NULL, NULL, &dictionary);
  if (status == TOSST_OK)
    status = tosst_coder_new (context, dictionary, layout, &coding, &coder);
  if (status == TOSST_OK)
    status = code_part (context, session, 0, coder, layout->m, K, train, &point->objective[0]);
  if (status == TOSST_OK)
    status = code_part (context, session, 1, coder, layout->m, K, test, &point->objective[1]);
  if (status == TOSST_OK)
    status = classify (context, train, test, K, point);
  tosst_coder_free (coder);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  return status;
}

static void
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *kept)
{
  static const int sizes[] = { 2, 4, 8, 16, 32, 64, 128 };
  Session *session = *kept != NULL ? *kept : (*kept = session_new (context));

  for (guint i = 0; i < G_N_ELEMENTS (sizes) && !tosst_context_is_cancelled (context); i++)
    {
      Point *point = g_new0 (Point, 1);
      TosstStatus status = session->tensors[0] != NULL && session->tensors[1] != NULL
                               ? measure (context, session, question->scheme, sizes[i], point)
                               : TOSST_ERROR_MEMORY;

      point->K = sizes[i];
      if (status == TOSST_CANCELLED)
        {
          point_free (point);
          return;
        }
      if (status != TOSST_OK)
        point->problem = g_strdup (tosst_context_message (context));
      studio_worker_put (worker, point);
      if (status != TOSST_OK)
        return;
    }
}

/* The widget. */

static void
on_point (Lesson *self, Point *point)
{
  if (point->problem != NULL)
    gtk_label_set_label (GTK_LABEL (self->status), point->problem);
  for (guint part = 0; part < 2 && point->problem == NULL; part++)
    {
      tosst_chart_append (self->charts[0], part, point->K, point->accuracy[part]);
      tosst_chart_append (self->charts[1], part, point->K, point->objective[part]);
    }
  if (point->problem == NULL)
    studio_label_take (self->status, g_strdup_printf (_ ("K = %d done"), point->K));
  self->points++;
}

static void
on_wake (Lesson *self)
{
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), studio_worker_is_busy (self->base.worker));
  for (int i = 0; i < 2; i++)
    studio_chart_view_refresh (STUDIO_CHART_VIEW (self->views[i]));
}

static const StudioWork lesson_work
    = { G_CALLBACK (work), g_free, point_free, session_free, G_CALLBACK (on_point), .interrupts = TRUE };

static void
ask (Lesson *self)
{
  Question *question = g_new0 (Question, 1);

  question->scheme
      = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->scheme)) == 1 ? TOSST_SCHEME_FULL : TOSST_SCHEME_PSD;
  for (int i = 0; i < 2; i++)
    {
      tosst_chart_clear (self->charts[i]);
      studio_chart_view_refresh (STUDIO_CHART_VIEW (self->views[i]));
    }
  self->points = 0;
  gtk_label_set_label (GTK_LABEL (self->status), _ ("Learning…"));
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
  studio_worker_ask_first (&self->base.worker, &lesson_work, on_wake, self, question);
}

static void
on_map (Lesson *self)
{
  if (self->base.worker == NULL)
    ask (self);
}

static void
clear (Lesson *self)
{
  for (int i = 0; i < 2; i++)
    {
      studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->views[i]), NULL);
      g_clear_pointer (&self->charts[i], tosst_chart_free);
    }
}

static GtkWidget *
build (Lesson *self)
{
  const char *schemes[] = { _ ("Atoms B ⊗ b, problem (3)"), _ ("Whole tensors, problem (2)"), NULL };
  const char *const names[] = { _ ("Accuracy (%)"), _ ("Mean objective of a tensor") };

  self->scheme = gtk_drop_down_new_from_strings (schemes);
  studio_set_name (self->scheme, _ ("Atom type"));
  self->again = gtk_button_new_with_label (_ ("Again"));
  self->spinner = gtk_spinner_new ();
  self->status = studio_label ("", "dim-label", NULL);
  GtkWidget *box
      = studio_column (12, studio_lesson_line (0, self->scheme, self->again, self->spinner, self->status, NULL), NULL);
  for (int i = 0; i < 2; i++)
    {
      self->charts[i] = tosst_chart_new (NULL, _ ("Atoms K"), names[i]);
      tosst_chart_add_series (self->charts[i], _ ("training"));
      tosst_chart_add_series (self->charts[i], _ ("new images"));
      tosst_chart_set_logarithmic (self->charts[i], TRUE, i == 1);
      if (i == 0)
        tosst_chart_set_y_bounds (self->charts[i], 0, 100);
      self->views[i] = g_object_new (STUDIO_TYPE_CHART_VIEW, "vexpand", TRUE, "hexpand", TRUE, NULL);
      studio_set_name (self->views[i], names[i]);
      studio_chart_view_set_chart (STUDIO_CHART_VIEW (self->views[i]), self->charts[i]);
      gtk_box_append (GTK_BOX (box), self->views[i]);
    }
  g_signal_connect_swapped (self->scheme, "notify::selected", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->again, "clicked", G_CALLBACK (ask), self);
  return box;
}

static void
set_mode (Lesson *self, const char *mode)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->scheme), g_strcmp0 (mode, "whole") == 0);
  gtk_widget_set_visible (self->views[0], g_strcmp0 (mode, "accuracy") == 0);
  gtk_widget_set_visible (self->views[1], g_strcmp0 (mode, "accuracy") != 0);
}

static gboolean
is_ready (const Lesson *self)
{
  return self->points > 0 && !studio_worker_is_busy (self->base.worker);
}

STUDIO_LESSON_KIND (overfit, Lesson, build, on_map, NULL, clear, set_mode, is_ready);
