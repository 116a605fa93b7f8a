/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/data/features.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/dictionary/patch-coder.h"
#include "core/plot/draw-code.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/picture-view.h"

typedef struct
{
  char *problem; /* then there are no means */
  TosstPoint point;
  int d;
  double *means;
  GArray *groups;
  GdkTexture *patch; /* at a frame; NULL: on a grid */
} Answer;

struct _StudioPatchFeatures
{
  AdwBin parent_instance;
  StudioWorker *worker; /* NULL before the first question */
  Answer *answer;       /* NULL: none yet */
  TosstPoint wanted;
  GtkWidget *title, *patch, *patch_place, *picture, *problem;
};

G_DEFINE_FINAL_TYPE (StudioPatchFeatures, studio_patch_features, ADW_TYPE_BIN)

/* The worker. */

TOSST_DEFINE_FREE (Answer, answer_free, (problem, g_free), (means, g_free), (groups, g_array_unref),
                   (patch, g_object_unref))

/* Pointing at an image is no reason to fill the memory. */
static TosstStatus
check_memory (const StudioPatchQuestion *question, TosstContext *context)
{
  const TosstDatasetImage *image = tosst_dataset_image (question->dataset, question->image);
  gsize bytes = 3 * sizeof (float) * (gsize)image->width * (gsize)image->height;

  return bytes < tosst_memory_available () / 4
             ? TOSST_OK
             : tosst_context_fail (context, TOSST_ERROR_MEMORY, "the image is too large for the memory that is free");
}

static gboolean
take_means (StudioPixels *pixels, const StudioPatchQuestion *question, TosstContext *context, Answer *answer,
            GError **error)
{
  int size = question->recipe->descriptor.patch;
  TosstPoint place = question->point;
  TosstFrame frame;
  TosstImage *part = studio_patch_cut (pixels, question->recipe, &place, &frame, error);
  TosstFeatureOptions options;

  if (part == NULL)
    return FALSE;
  tosst_recipe_feature_options (question->recipe, &options);
  answer->d = tosst_feature_dimension (&options);
  answer->groups = tosst_feature_groups (&options);
  answer->means = g_new0 (double, answer->d);
  TosstStatus status = tosst_mean_features (question->recipe, context, part, size, place, answer->means);
  if (status == TOSST_OK && tosst_recipe_has_frames (question->recipe))
    answer->patch = studio_image_texture (part, place.x, place.y, size, size, 0);
  tosst_image_free (part);
  return tosst_error_from_status (status, context, _ ("Describing"), error);
}

/* Holds the image of the last question, for patches of one image follow each other. */
static void
work (StudioWorker *worker, TosstContext *context, StudioPatchQuestion *question, gpointer *held)
{
  Answer *answer = g_new0 (Answer, 1);
  g_autoptr (GError) error = NULL;

  answer->point = question->point;
  if (!studio_pixels_are (*held, question->dataset, question->image))
    {
      g_clear_pointer (held, studio_pixels_unref);
      if (tosst_error_from_status (check_memory (question, context), context, _ ("Describing"), &error))
        *held = studio_pixels_get (question->dataset, question->image, &error);
    }
  if (*held == NULL || !take_means (*held, question, context, answer, &error))
    answer->problem = g_strdup (error->message);
  studio_worker_put (worker, answer);
}

/* What is shown. */

static char *
describe (StudioPatchFeatures *self)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < self->answer->d; i++)
    {
      g_autofree char *name = tosst_feature_group_label (self->answer->groups, i);
      g_autofree char *value = studio_format_real (self->answer->means[i], 2);

      g_string_append_printf (text, "%s%s %s", i > 0 ? "; " : "", name, value);
    }
  return g_string_free (text, FALSE);
}

static const StudioPictureFuncs funcs = { .describe = G_CALLBACK (describe) };

static void
show_answer (StudioPatchFeatures *self)
{
  const Answer *answer = self->answer;
  StudioDrawing bars = { STUDIO_DRAWING_BARS };

  if (answer != NULL)
    bars.bars = (TosstBarsDrawing){ answer->means, answer->d, answer->groups };
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->picture),
                            answer != NULL && answer->problem == NULL ? &bars : NULL);
  gtk_widget_set_focusable (self->picture, FALSE);
  gtk_picture_set_paintable (GTK_PICTURE (self->patch), answer != NULL ? GDK_PAINTABLE (answer->patch) : NULL);
  gtk_widget_set_visible (self->patch_place, answer != NULL && answer->patch != NULL);
  studio_label_show_problem (self->problem, answer != NULL ? answer->problem : NULL);
}

static void
on_answer (StudioPatchFeatures *self, Answer *answer)
{
  Answer *old = self->answer;

  self->answer = answer;
  show_answer (self);
  g_clear_pointer (&old, answer_free);
}

static const StudioWork features_work = { G_CALLBACK (work),
                                          studio_patch_question_free,
                                          answer_free,
                                          (GDestroyNotify)studio_pixels_unref,
                                          G_CALLBACK (on_answer),
                                          .keeps = TRUE };

void
studio_patch_features_show (StudioPatchFeatures *self, const char *title, TosstDataset *dataset, guint image,
                            const TosstRecipe *recipe, TosstPoint point)
{
  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  self->wanted = point;
  studio_worker_ask_first (&self->worker, &features_work, NULL, self,
                           studio_patch_question_new (dataset, image, recipe, point));
}

const double *
studio_patch_features_peek (StudioPatchFeatures *self, int *d)
{
  const Answer *answer = self->answer;

  if (answer == NULL || answer->problem != NULL || answer->point.x != self->wanted.x
      || answer->point.y != self->wanted.y)
    return NULL;
  *d = answer->d;
  return answer->means;
}

static void
studio_patch_features_dispose (GObject *object)
{
  StudioPatchFeatures *self = STUDIO_PATCH_FEATURES (object);

  g_clear_pointer (&self->worker, studio_worker_free);
  if (self->answer != NULL)
    {
      g_clear_pointer (&self->answer, answer_free);
      show_answer (self);
    }
  G_OBJECT_CLASS (studio_patch_features_parent_class)->dispose (object);
}

static void
studio_patch_features_class_init (StudioPatchFeaturesClass *klass)
{
  g_type_ensure (STUDIO_TYPE_PICTURE_VIEW);
  G_OBJECT_CLASS (klass)->dispose = studio_patch_features_dispose;
  STUDIO_SET_TEMPLATE (klass, StudioPatchFeatures, "patch-features", title, patch, patch_place, picture, problem);
}

static void
studio_patch_features_init (StudioPatchFeatures *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (self->picture), &funcs, self);
}
