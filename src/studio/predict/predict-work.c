/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/predict/predict-work.h"

#include <glib/gi18n.h>

#include "core/base/each.h"
#include "core/data/feature-files.h"
#include "core/local/image-tensors.h"
#include "studio/tasks/shared.h"
#include "studio/widgets/image-loader.h"

#define PROGRESS_US 100000 /* between news of progress */
#define MOST_WINDOWS 200   /* of the longer side of a map: finer ones cannot be distinguished on a screen */
#define MOST_CROPS 20      /* the same of models that describe each window by itself, which takes long */

static void
clear_file (gpointer file)
{
  g_object_unref (((StudioPredictFile *)file)->file);
}

StudioPredictQuestion *
studio_predict_question_new (TosstModel *model)
{
  StudioPredictQuestion *self = g_new0 (StudioPredictQuestion, 1);

  self->model = tosst_model_share (model);
  self->files = g_array_new (FALSE, FALSE, sizeof (StudioPredictFile));
  self->corrections = g_array_new (FALSE, FALSE, sizeof (StudioPredictFile));
  self->labels = g_array_new (FALSE, FALSE, sizeof (int));
  g_array_set_clear_func (self->files, clear_file);
  g_array_set_clear_func (self->corrections, clear_file);
  return self;
}

void
studio_predict_question_add (StudioPredictQuestion *self, guint id, GFile *file)
{
  g_array_append_val (self->files, ((StudioPredictFile){ id, g_object_ref (file) }));
}

TOSST_DEFINE_PUBLIC_FREE (StudioPredictQuestion, studio_predict_question_free, gpointer, (files, g_array_unref),
                          (corrections, g_array_unref), (labels, g_array_unref), (map.file, g_object_unref),
                          (model, tosst_model_free))

STUDIO_DEFINE_UNREF (StudioPredictMap, studio_predict_map_unref, (map, tosst_class_map_free), (image, tosst_image_free),
                     (model, tosst_model_free))

TOSST_DEFINE_PUBLIC_FREE (StudioPredictAnswer, studio_predict_answer_free, StudioPredictAnswer *,
                          (model, tosst_model_free), (margins, g_free), (texture, g_object_unref),
                          (map, studio_predict_map_unref), (retrained, tosst_model_free), (problem, g_free),
                          (map_problem, g_free))

static void
answer_free (gpointer data)
{
  studio_predict_answer_free (data);
}

/* The first window of a map in pixels: the size that the classifier was trained on, and half of the image where that is
 * no larger, so that a map has several windows. */
static int
first_window (const TosstModel *model, int width, int height)
{
  int shorter = MIN (width, height), trained = model->sample_side > 0 ? model->sample_side : shorter;

  return MAX (trained < 0.75 * shorter ? trained : shorter / 2, MIN (model->recipe->descriptor.patch, shorter));
}

/* Worker. */

/* Kept between requests. */
typedef struct
{
  TosstModel *model; /* of the predictor */
  TosstPredictor *predictor;
} Session;

/* What one request needs. */
typedef struct
{
  StudioWorker *worker;
  TosstContext *context;
  const StudioPredictQuestion *question;
  Session *session;
  guint mapped; /* id of the image being mapped; 0: none */
  gint64 told;
} Work;

TOSST_DEFINE_FREE (Session, session_free, (predictor, tosst_predictor_free), (model, tosst_model_free))

static StudioPredictAnswer *
answer_new (const Work *self, guint id)
{
  StudioPredictAnswer *answer = g_new0 (StudioPredictAnswer, 1);

  answer->model = tosst_model_share (self->question->model);
  answer->id = id;
  answer->fraction = -1;
  answer->class_index = -1;
  return answer;
}

/* Unless it came too late; takes it. */
static void
give (Work *self, StudioPredictAnswer *answer)
{
  if (tosst_context_is_cancelled (self->context))
    studio_predict_answer_free (answer);
  else
    studio_worker_put (self->worker, answer);
}

static void
on_progress (double fraction, Work *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->mapped == 0 || now - self->told < PROGRESS_US)
    return;
  self->told = now;
  StudioPredictAnswer *answer = answer_new (self, self->mapped);
  answer->fraction = fraction;
  studio_worker_put (self->worker, answer);
}

static TosstImage *
grey_of (TosstImage *image)
{
  gsize plane = (gsize)image->width * image->height;

  if (image->channels == 1)
    return image;
  TosstImage *grey = tosst_image_new (image->width, image->height, 1);
  for (gsize i = 0; grey != NULL && i < plane; i++)
    grey->data[i]
        = (float)(0.299 * image->data[i] + 0.587 * image->data[plane + i] + 0.114 * image->data[2 * plane + i]);
  if (grey == NULL)
    return image;
  tosst_image_free (image);
  return grey;
}

static int
find_class (Work *self, const StudioPredictFile *file, const TosstImage *image, double *margins, GError **error)
{
  const TosstRecipe *recipe = self->question->model->recipe;
  g_autofree char *base = g_file_get_basename (file->file), *id = tosst_feature_files_id (base);

  if (!tosst_recipe_is_local (recipe))
    return image != NULL ? tosst_predictor_classify (self->session->predictor, self->context, image, margins, error)
                         : -1;
  g_autoptr (TosstFeatures) features = tosst_local_features_of_file (recipe, file->file, id, error);
  return features != NULL
             ? tosst_predictor_classify_features (self->session->predictor, self->context, features, margins, error)
             : -1;
}

static void
predict (Work *self, const StudioPredictFile *file)
{
  StudioPredictAnswer *answer = answer_new (self, file->id);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstImage) image = tosst_image_read_for (file->file, 0, 0, &error);

  if (image != NULL)
    answer->texture = studio_image_texture (image, 0, 0, image->width, image->height, STUDIO_PREDICT_SIDE);
  if (tosst_recipe_is_local (self->question->model->recipe))
    g_clear_error (&error); /* a model of features in files needs no pixels */
  answer->margins = g_new0 (double, tosst_model_classes (self->question->model));
  answer->class_index = error == NULL ? find_class (self, file, image, answer->margins, &error) : -1;
  if (answer->class_index < 0)
    {
      g_clear_pointer (&answer->margins, g_free);
      answer->problem = g_strdup (error != NULL ? error->message : _ ("The image cannot be predicted"));
    }
  give (self, answer);
}

/* The class map of an image that was read; takes it. */
static StudioPredictMap *
map_image (Work *self, TosstImage *image, GError **error)
{
  const TosstModel *model = self->question->model;
  int window = self->question->window, step;

  if (window <= 0)
    window = first_window (model, image->width, image->height);
  step = tosst_class_map_step (model, window);
  step *= 1
          + (MAX (image->width, image->height) - window)
                / (step * (tosst_model_has_grid (model) ? MOST_WINDOWS : MOST_CROPS));
  TosstClassMap *map = tosst_class_map_new (self->session->predictor, self->context, image, window, step, error);
  if (map == NULL)
    {
      tosst_image_free (image);
      return NULL;
    }
  StudioPredictMap *answer = g_atomic_rc_box_new0 (StudioPredictMap);
  *answer = (StudioPredictMap){ map, grey_of (image), tosst_model_share (self->question->model), self->mapped };
  return answer;
}

static TosstModel *
train_again (Work *self, GError **error)
{
  const StudioPredictQuestion *question = self->question;
  g_autoptr (GPtrArray) signatures = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < question->corrections->len; i++)
    {
      GFile *file = g_array_index (question->corrections, StudioPredictFile, i).file;
      g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, error);
      float *signature
          = image != NULL ? tosst_predictor_sign (self->session->predictor, self->context, image, error) : NULL;

      if (signature == NULL)
        return NULL;
      g_ptr_array_add (signatures, signature);
    }
  return tosst_model_retrain (question->model, self->context, (const float *const *)signatures->pdata,
                              (const int *)question->labels->data, signatures->len, error);
}

static void
retrain (Work *self)
{
  StudioPredictAnswer *answer = answer_new (self, 0);
  g_autoptr (GError) error = NULL;

  answer->retrained = train_again (self, &error);
  answer->problem = error != NULL ? g_strdup (error->message) : NULL;
  give (self, answer);
}

static gboolean
open_session (Work *self)
{
  Session *session = self->session;
  TosstModel *model = self->question->model;
  g_autoptr (GError) error = NULL;

  if (session->model == model && session->predictor != NULL)
    return TRUE;
  g_clear_pointer (&session->predictor, tosst_predictor_free);
  g_clear_pointer (&session->model, tosst_model_free);
  session->model = tosst_model_share (model);
  session->predictor = tosst_predictor_new (model, self->context, &error);
  if (session->predictor != NULL)
    return TRUE;
  StudioPredictAnswer *answer = answer_new (self, 0);
  answer->problem = g_strdup (error->message);
  give (self, answer);
  return FALSE;
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer question, gpointer *session)
{
  Work self = { worker, context, question };

  if (*session == NULL)
    *session = g_new0 (Session, 1);
  self.session = *session;
  if (!self.question->wants_map && self.question->files->len + self.question->corrections->len == 0)
    return;
  tosst_context_set_progress (context, (TosstProgressFunc)on_progress, &self);
  if (open_session (&self) && self.question->corrections->len > 0)
    retrain (&self);
  else if (self.session->predictor != NULL)
    {
      /* The classes of all images are known sooner than a map, which takes as long as many of them. */
      for (guint i = 0; i < self.question->files->len && !tosst_context_is_cancelled (context); i++)
        predict (&self, &g_array_index (self.question->files, StudioPredictFile, i));
      if (self.question->wants_map && !tosst_context_is_cancelled (context))
        {
          const StudioPredictFile *file = &self.question->map;
          StudioPredictAnswer *answer = answer_new (&self, file->id);
          g_autoptr (GError) error = NULL;
          TosstImage *image = tosst_image_read_for (file->file, 0, 0, &error);

          self.mapped = file->id;
          if (image != NULL)
            answer->map = map_image (&self, image, &error);
          answer->map_problem = error != NULL ? g_strdup (error->message) : NULL;
          self.mapped = 0;
          give (&self, answer);
        }
    }
  tosst_context_set_progress (context, NULL, NULL);
}

StudioWorker *
studio_predict_worker_new (StudioNotifyFunc notify, gpointer data)
{
  static const StudioWork predicting = { .work = G_CALLBACK (work),
                                         .free_question = studio_predict_question_free,
                                         .free_answer = answer_free,
                                         .free_session = session_free,
                                         .interrupts = TRUE,
                                         .parallel = TRUE };

  return studio_worker_new (&predicting, notify, data);
}
