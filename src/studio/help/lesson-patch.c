/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>

#include "core/dictionary/patch-coder.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "tosst/tensor.h"

#define PATCH 32

typedef struct
{
  guint texture;
  TosstPoint point;
  TosstRecipe *recipe;
} Question;

typedef struct
{
  char *problem; /* then the members below are not set */
  int d;
  double *mean;    /* d: of the features of the pixels */
  double *planes;  /* d x d x d */
  double *spectra; /* d x d, largest first */
  GArray *groups;
  double smallest; /* relative to the largest eigenvalue */
  int negative;    /* slices that are not PSD */
} Answer;

typedef struct
{
  StudioLessonState base;
  Answer *answer; /* NULL: none yet */
  int slice;
  GtkWidget *picker, *kind, *absolute, *power, *power_value, *power_row;
  GtkWidget *mean, *mean_box, *matrix, *matrix_box, *strip, *strip_box, *eigen, *eigen_box;
  GtkWidget *title, *smallest, *negative, *stats, *problem;
} Lesson;

/* The worker. */

TOSST_DEFINE_FREE (Question, question_free, (recipe, tosst_recipe_free))

TOSST_DEFINE_FREE (Answer, answer_free, (problem, g_free), (mean, g_free), (planes, g_free), (spectra, g_free),
                   (groups, g_array_unref))

static TosstStatus
take_tensor (TosstContext *context, const TosstImage *image, const Question *question, Answer *answer)
{
  int d = answer->d;
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, d);
  gsize m = tosst_shape_numbers (shape);
  g_autofree float *tensor = g_new (float, m);
  g_autofree double *wide = g_new (double, m);
  TosstLayout *layout = tosst_layout_new (d);
  TosstTensorRank rank;
  TosstStatus status = tosst_describe_patches (question->recipe, context, image, &question->point, 1, tensor);

  answer->planes = g_new (double, d *d *d);
  answer->spectra = g_new (double, d *d);
  for (int s = 0; s < d && status == TOSST_OK; s++)
    tosst_slice_matrix (layout, tensor, s, answer->planes + (gsize)s * d * d);
  for (gsize i = 0; i < m && status == TOSST_OK; i++)
    wide[i] = tensor[i];
  if (status == TOSST_OK)
    status = tosst_tensor_rank (context, shape, wide, 1, 1e-5, &rank, answer->spectra);
  if (status == TOSST_OK)
    {
      answer->smallest = rank.largest > 0 ? rank.smallest / rank.largest : 0;
      answer->negative = rank.negative;
    }
  tosst_layout_free (layout);
  return status;
}

static void
work (StudioWorker *worker, TosstContext *context, Question *question, gpointer *session)
{
  Answer *answer = g_new0 (Answer, 1);
  TosstImage *image = tosst_textures_render (question->texture, 0, FALSE);
  TosstFeatureOptions options;
  TosstStatus status = TOSST_ERROR_MEMORY;

  tosst_recipe_feature_options (question->recipe, &options);
  answer->d = tosst_feature_dimension (&options);
  answer->groups = tosst_feature_groups (&options);
  answer->mean = g_new0 (double, answer->d);
  if (image != NULL)
    status = tosst_mean_features (question->recipe, context, image, PATCH, question->point, answer->mean);
  if (status == TOSST_OK)
    status = take_tensor (context, image, question, answer);
  if (status != TOSST_OK)
    answer->problem = g_strdup (status == TOSST_CANCELLED ? "" : tosst_context_message (context));
  tosst_image_free (image);
  studio_worker_put (worker, answer);
}

/* Pictures. */

static char *
describe (Lesson *self)
{
  g_autofree char *name = tosst_feature_group_label (self->answer->groups, self->slice);
  g_autofree char *value = studio_format_real (self->answer->smallest, 2);

  return g_strdup_printf (_ ("Slice %s; smallest eigenvalue of all slices relative to the largest: %s; slices that are "
                             "not positive semi-definite: %d"),
                          name, value, self->answer->negative);
}

static void
show_answer (Lesson *self)
{
  GtkWidget *const views[] = { self->mean, self->matrix, self->strip, self->eigen };
  const Answer *answer = self->answer;
  gboolean any = answer != NULL && answer->problem == NULL;
  StudioDrawing drawings[G_N_ELEMENTS (views)] = { 0 };

  if (any)
    {
      int d = answer->d;

      drawings[0] = (StudioDrawing){ STUDIO_DRAWING_BARS, .bars = { answer->mean, d, answer->groups } };
      drawings[1] = (StudioDrawing){ STUDIO_DRAWING_MATRIX,
                                     .matrix = { answer->planes + (gsize)self->slice * d * d, d, d, answer->groups } };
      drawings[2] = (StudioDrawing){ STUDIO_DRAWING_STRIP, .strip = { answer->planes, d, d, d, self->slice },
                                     .groups = answer->groups };
      drawings[3]
          = (StudioDrawing){ STUDIO_DRAWING_BARS, .bars = { answer->spectra + (gsize)self->slice * d, d, NULL } };
      studio_label_take (self->negative, g_strdup_printf (_ ("%d of %d"), d - answer->negative, d));
      studio_label_take (self->smallest, studio_format_real (answer->smallest, 2));
    }
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    studio_picture_view_show (STUDIO_PICTURE_VIEW (views[i]), any ? &drawings[i] : NULL);
  studio_label_show_problem (self->problem, answer != NULL ? answer->problem : NULL);
}

static void
choose_slice (int slice, Lesson *self)
{
  self->slice = CLAMP (slice, 0, self->answer->d - 1);
  g_autofree char *name = tosst_feature_group_label (self->answer->groups, self->slice);
  g_autofree char *symbol = studio_symbol_markup (name);
  g_autofree char *title = g_strdup_printf (_ ("Slice %s, %d of %d"), symbol, self->slice + 1, self->answer->d);
  gtk_label_set_markup (GTK_LABEL (self->title), title);
  show_answer (self);
}

static const StudioPictureFuncs funcs = { .describe = G_CALLBACK (describe) };
static const StudioPictureFuncs strip_funcs
    = { .choose = G_CALLBACK (choose_slice), .describe = G_CALLBACK (describe) };

static void
on_answer (Lesson *self, Answer *answer)
{
  Answer *old = self->answer;

  self->answer = answer;
  if (answer->problem == NULL)
    choose_slice (self->slice, self);
  else
    show_answer (self);
  g_clear_pointer (&old, answer_free);
}

static const StudioWork lesson_work
    = { G_CALLBACK (work), question_free, answer_free, NULL, G_CALLBACK (on_answer), .keeps = TRUE };

static void
ask (Lesson *self)
{
  Question *question = g_new0 (Question, 1);
  double power = gtk_range_get_value (GTK_RANGE (self->power));

  gtk_widget_set_sensitive (self->absolute, gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kind)) == 0);
  studio_label_take (self->power_value, studio_format_setting (power));
  question->texture = studio_lesson_picker_get_texture (STUDIO_LESSON_PICKER (self->picker));
  question->point = studio_lesson_picker_get_point (STUDIO_LESSON_PICKER (self->picker));
  question->recipe = studio_lesson_recipe (gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kind)) == 1,
                                           studio_is_on (self->absolute));
  question->recipe->descriptor.gamma_eigen = power;
  studio_worker_ask_first (&self->base.worker, &lesson_work, NULL, self, question);
}

/* The widget. */

static void
clear (Lesson *self)
{
  g_clear_pointer (&self->answer, answer_free);
  show_answer (self);
}

static GtkWidget *
controls_new (Lesson *self)
{
  const char *kinds[] = { _ ("Linear features, d = 7"), _ ("Gaussian pivots, d = 21"), NULL };

  self->kind = gtk_drop_down_new_from_strings (kinds);
  studio_set_name (self->kind, _ ("Features"));
  self->absolute = gtk_toggle_button_new_with_label (_ ("Absolute Derivatives"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->absolute), TRUE);
  self->power_row = studio_lesson_slider (_ ("Whitening γₑ"), 0.1, 1, 0.05, &self->power, &self->power_value);
  gtk_range_set_value (GTK_RANGE (self->power), 1);
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->absolute, "toggled", G_CALLBACK (ask), self);
  g_signal_connect_swapped (self->power, "value-changed", G_CALLBACK (ask), self);
  return studio_column (12, studio_lesson_line (0, self->kind, self->absolute, NULL), self->power_row, NULL);
}

static GtkWidget *
pictures_new (Lesson *self)
{
  self->picker = studio_lesson_picker_new (PATCH);
  self->title = studio_label ("", "caption-heading", NULL);
  self->matrix_box = studio_lesson_picture (NULL, _ ("Slice of the tensor"), &self->matrix);
  gtk_box_prepend (GTK_BOX (self->matrix_box), self->title);
  self->mean_box = studio_lesson_picture (_ ("Mean of the Features"), _ ("Mean of the features"), &self->mean);
  self->eigen_box
      = studio_lesson_picture (_ ("Eigenvalues of the Slice"), _ ("Eigenvalues of the slice"), &self->eigen);
  self->strip_box = studio_lesson_picture (_ ("All Slices"), _ ("All slices of the tensor"), &self->strip);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->mean), &funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->matrix), &funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->eigen), &funcs, self);
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->strip), &strip_funcs, self);
  gtk_widget_set_size_request (self->mean, -1, 140);
  gtk_widget_set_size_request (self->matrix, -1, 140);
  gtk_widget_set_size_request (self->eigen, -1, 140);
  gtk_widget_set_size_request (self->strip, -1, 96);
  gtk_widget_set_vexpand (self->strip, FALSE);
  GtkWidget *row = studio_lesson_line (
      180, self->picker, studio_column (8, self->mean_box, self->matrix_box, self->eigen_box, NULL), NULL);
  g_signal_connect_swapped (self->picker, "changed", G_CALLBACK (ask), self);
  return studio_column (12, row, self->strip_box, NULL);
}

static GtkWidget *
build (Lesson *self)
{
  self->stats = studio_lesson_stats (
      studio_lesson_stat (_ ("slices that are PSD"), &self->negative),
      studio_lesson_stat (_ ("smallest eigenvalue relative to the largest"), &self->smallest), NULL, NULL);
  self->problem = studio_label ("", "error", NULL);
  gtk_widget_set_visible (self->problem, FALSE);
  return studio_column (12, controls_new (self), pictures_new (self), self->stats, self->problem, NULL);
}

static void
set_mode (Lesson *self, const char *mode)
{
  gboolean features = g_strcmp0 (mode, "features") == 0, tensor = g_strcmp0 (mode, "tensor") == 0;
  gboolean signs = g_strcmp0 (mode, "signs") == 0;

  gtk_widget_set_visible (self->mean_box, features);
  gtk_widget_set_visible (self->matrix_box, !features);
  gtk_widget_set_visible (self->strip_box, !features);
  gtk_widget_set_visible (self->eigen_box, !features && !tensor);
  gtk_widget_set_visible (self->stats, !features && !tensor);
  gtk_widget_set_visible (self->absolute, signs || features);
  gtk_widget_set_visible (self->power_row, signs);
}

static gboolean
is_ready (const Lesson *self)
{
  return self->answer != NULL && self->answer->problem == NULL && !studio_worker_is_busy (self->base.worker);
}

STUDIO_LESSON_KIND (patch, Lesson, build, ask, NULL, clear, set_mode, is_ready);
