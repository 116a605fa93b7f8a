/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/learn/patch-tensor.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/dictionary/patch-coder.h"
#include "core/plot/draw-code.h"
#include "studio/widgets/build.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/picture-view.h"
#include "tosst/tensor.h"

#define PAUSE_MS 450           /* between patches: slow enough to look at */
#define MOST_PIXELS (32 << 20) /* of an image: the run needs memory and processors more */

typedef StudioPatchSlices Answer;

G_DEFINE_FINAL_TYPE (StudioPatchTensor, studio_patch_tensor, ADW_TYPE_BIN)

/* The worker. */

TOSST_DEFINE_FREE (Answer, answer_free, (texture, g_object_unref), (means, g_free), (slices, g_free),
                   (groups, g_array_unref))

static TosstStatus
take_slices (const StudioPatchQuestion *question, TosstContext *context, StudioPixels *pixels, const TosstImage *part,
             TosstPoint place, Answer *answer)
{
  TosstLayout *layout = tosst_layout_new (answer->d);
  g_autofree float *tensor = g_new (float, tosst_shape_numbers (tosst_recipe_shape (question->recipe)));
  TosstStatus status = studio_patch_describe (pixels, question->recipe, context, part, place, &answer->frame, tensor);
  gsize slice = (gsize)answer->d * (gsize)answer->d;

  answer->slices = g_new0 (double, slice *(gsize)answer->d);
  for (int s = 0; s < answer->d && status == TOSST_OK; s++)
    tosst_slice_matrix (layout, tensor, s, answer->slices + (gsize)s * slice);
  tosst_layout_free (layout);
  return status;
}

static gboolean
describe_patch (const StudioPatchQuestion *question, TosstContext *context, StudioPixels *pixels, Answer *answer,
                GError **error)
{
  int size = question->recipe->descriptor.patch;
  TosstPoint place = question->point;
  TosstImage *part = studio_patch_cut (pixels, question->recipe, &place, &answer->frame, error);
  TosstFeatureOptions options;
  TosstStatus status = TOSST_ERROR_MEMORY;

  answer->at = tosst_recipe_has_frames (question->recipe)
                   ? (TosstPoint){ (int)lroundf (answer->frame.x), (int)lroundf (answer->frame.y) }
                   : question->point;
  tosst_recipe_feature_options (question->recipe, &options);
  answer->d = tosst_feature_dimension (&options);
  answer->groups = tosst_feature_groups (&options);
  answer->means = g_new0 (double, answer->d);
  if (part != NULL)
    status = tosst_mean_features (question->recipe, context, part, size, place, answer->means);
  if (status == TOSST_OK)
    status = take_slices (question, context, pixels, part, place, answer);
  if (status == TOSST_OK)
    answer->texture = studio_image_texture (part, place.x, place.y, size, size, 0);
  tosst_image_free (part);
  return status == TOSST_OK;
}

/* A patch that cannot be described is passed over: the run itself says what is wrong. */
static void
work (StudioWorker *worker, TosstContext *context, StudioPatchQuestion *question, gpointer *session)
{
  g_autoptr (GError) error = NULL;
  Answer *answer = g_new0 (Answer, 1);
  StudioPixels *pixels = studio_pixels_get (question->dataset, question->image, &error);

  answer->image = question->image;
  answer->place = question->point;
  if (pixels == NULL || !describe_patch (question, context, pixels, answer, &error))
    g_debug ("no patch to show: %s", error != NULL ? error->message : tosst_context_message (context));
  g_clear_pointer (&pixels, studio_pixels_unref);
  studio_worker_put (worker, answer);
}

/* What is shown. */

static char *
describe (gpointer data)
{
  const Answer *answer = ((StudioPatchTensor *)data)->answer;

  return g_strdup_printf (
      _ ("A patch of image %u at %d, %d: the means of its %d features, and the %d slices of its tensor"),
      answer->image + 1, answer->at.x, answer->at.y, answer->d, answer->d);
}

static const StudioPictureFuncs funcs = { .describe = G_CALLBACK (describe) };

static void
show_answer (StudioPatchTensor *self)
{
  const Answer *answer = self->answer;
  gboolean any = answer != NULL;
  StudioDrawing bars = { STUDIO_DRAWING_BARS }, strip = { STUDIO_DRAWING_STRIP };
  g_autofree char *caption = NULL;

  if (any)
    {
      bars.bars = (TosstBarsDrawing){ answer->means, answer->d, answer->groups };
      strip.strip = (TosstStripDrawing){ answer->slices, answer->d, answer->d, answer->d, -1 };
      strip.groups = answer->groups;
      caption = describe (self);
    }
  gtk_picture_set_paintable (GTK_PICTURE (self->picture), any ? GDK_PAINTABLE (answer->texture) : NULL);
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->features), any ? &bars : NULL);
  studio_picture_view_show (STUDIO_PICTURE_VIEW (self->strip), any ? &strip : NULL);
  gtk_widget_set_focusable (self->features, FALSE);
  gtk_widget_set_focusable (self->strip, FALSE);
  gtk_label_set_label (GTK_LABEL (self->caption), any ? caption : "");
}

/* Drawings borrow the answer until others are shown. */
static void
replace_answer (StudioPatchTensor *self, Answer *answer)
{
  Answer *old = self->answer;

  self->answer = answer;
  show_answer (self);
  g_clear_pointer (&old, answer_free);
}

/* Whether a patch of a grid fits into the image, and it is read in no time. */
static gboolean
is_suitable (const TosstDatasetImage *image, int patch)
{
  return image->width >= patch && image->height >= patch && (gint64)image->width * image->height <= MOST_PIXELS;
}

static void
ask (StudioPatchTensor *self)
{
  guint images = self->recipe != NULL ? self->dataset->entries->len : 0;
  guint image = images > 0 ? (guint)g_rand_int_range (self->random, 0, (gint32)images) : 0;
  const TosstDatasetImage *of = images > 0 ? tosst_dataset_image (self->dataset, image) : NULL;
  gboolean framed = images > 0 && tosst_recipe_has_frames (self->recipe);
  int patch = images == 0 ? 0 : framed ? 1 : self->recipe->descriptor.patch;
  TosstPoint place;

  if (of == NULL || !is_suitable (of, patch) || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  place.x = framed ? g_rand_int_range (self->random, 0, G_MAXINT)
                   : g_rand_int_range (self->random, 0, of->width - patch + 1);
  place.y = framed ? 0 : g_rand_int_range (self->random, 0, of->height - patch + 1);
  studio_worker_ask (self->worker, studio_patch_question_new (self->dataset, image, self->recipe, place));
}

static gboolean
may_move (void)
{
  gboolean animations = TRUE;

  g_object_get (gtk_settings_get_default (), "gtk-enable-animations", &animations, NULL);
  return animations;
}

static gboolean
on_pause (StudioPatchTensor *self)
{
  if (!studio_worker_is_busy (self->worker) && (self->shown == 0 || may_move ()))
    ask (self);
  return G_SOURCE_CONTINUE;
}

static void
on_answer (StudioPatchTensor *self, Answer *answer)
{
  if (self->recipe == NULL || answer->texture == NULL)
    {
      answer_free (answer);
      return;
    }
  self->shown++;
  replace_answer (self, answer);
}

static const StudioWork tensor_work
    = { G_CALLBACK (work), studio_patch_question_free, answer_free, NULL, G_CALLBACK (on_answer), .keeps = TRUE };

void
studio_patch_tensor_begin (StudioPatchTensor *self, TosstDataset *dataset, const TosstRecipe *recipe)
{
  studio_patch_tensor_end (self);
  if (dataset == NULL || recipe == NULL
      || !(tosst_recipe_has_tensors (recipe) && tosst_recipe_has_patches (recipe)
           && tosst_recipe_moment (recipe) == TOSST_MOMENT_THIRD_ORDER))
    return;
  self->dataset = tosst_dataset_ref (dataset);
  self->recipe = tosst_recipe_copy (recipe);
  self->random = g_rand_new_with_seed (1);
  self->shown = 0;
  if (self->worker == NULL)
    self->worker = studio_worker_new (&tensor_work, NULL, self);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  self->source = g_timeout_add (PAUSE_MS, G_SOURCE_FUNC (on_pause), self);
  ask (self);
}

void
studio_patch_tensor_end (StudioPatchTensor *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
  g_clear_pointer (&self->random, g_rand_free);
  replace_answer (self, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioPatchTensor, studio_patch_tensor,
                            if (self->picture != NULL) studio_patch_tensor_end (self);
                            self->picture = NULL, (worker, studio_worker_free))

static void
studio_patch_tensor_class_init (StudioPatchTensorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_patch_tensor_dispose;
}

static GtkWidget *
drawing_new (StudioPatchTensor *self, const char *name, int width, int height)
{
  GtkWidget *view = g_object_new (STUDIO_TYPE_PICTURE_VIEW, "width-request", width, "height-request", height, NULL);

  studio_picture_view_set_funcs (STUDIO_PICTURE_VIEW (view), &funcs, self);
  studio_set_name (view, name);
  gtk_widget_set_hexpand (view, TRUE);
  return view;
}

static void
studio_patch_tensor_init (StudioPatchTensor *self)
{
  self->picture = g_object_new (GTK_TYPE_PICTURE, "width-request", 112, "height-request", 112, NULL);
  studio_set_name (self->picture, _ ("Patch"));
  self->features = drawing_new (self, _ ("Mean of the features"), 160, 112);
  self->strip = drawing_new (self, _ ("All slices of the tensor"), 280, 96);
  self->caption = studio_label ("", "caption", "dim-label", NULL);
  g_object_set (self->caption, "wrap", TRUE, "justify", GTK_JUSTIFY_CENTER, "xalign", 0.5, NULL);
  GtkWidget *box = studio_column (
      6,
      studio_row (
          12, studio_column (4, studio_label (_ ("Patch"), "caption-heading", NULL), self->picture, NULL),
          studio_column (4, studio_label (_ ("Mean of the Features"), "caption-heading", NULL), self->features, NULL),
          NULL),
      studio_label (_ ("Slices of the Tensor"), "caption-heading", NULL), self->strip, self->caption, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect (self, "map", G_CALLBACK (ask), NULL);
}
