/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/data/features.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/data/frames.h"
#include "core/local/image-tensors.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/image-loader.h"

#define MOST_MARKS 1500
#define COLOURS 3     /* components that colour a mark */
#define DEVIATIONS 2. /* of a component from the middle to the end of a colour */
#define SIZE (1 / 6.) /* of a mark, of the radius of its feature */

typedef struct
{
  guint image;
  char *text; /* about the features, or why there are none */
  StudioImageMarks *marks;
} Answer;

struct _StudioImageFeatures
{
  AdwBin parent_instance;
  StudioWorker *worker;  /* NULL before the first question */
  TosstPca *components;  /* of a run; NULL: none */
  TosstDataset *dataset; /* with the image and the recipe: what is wanted; NULL: nothing */
  guint image;
  TosstRecipe *recipe;
  GtkWidget *label;
};

G_DEFINE_FINAL_TYPE (StudioImageFeatures, studio_image_features, ADW_TYPE_BIN)

TOSST_DEFINE_FREE (Answer, answer_free, (text, g_free), (marks, studio_image_marks_unref))

/* The worker. */

/* Numbers of some features, evenly distributed over positions and scales, those of large scales first: small marks are
 * above large ones. */
static GArray *
thin (gsize n)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (gsize));
  double share = MIN (1, (double)MOST_MARKS / (double)n);

  for (gsize i = n; i-- > 0;)
    if (((guint32)i * 2654435761u) / 4294967296.0 < share)
      g_array_append_val (chosen, i);
  return chosen;
}

/* Components of the features of one image. */
static TosstPca *
own_components (const TosstFeatures *features, TosstContext *context)
{
  TosstScatter scatter;
  TosstPca *pca = NULL;
  TosstStatus status = TOSST_ERROR_MEMORY;

  if (tosst_scatter_init (&scatter, features->D))
    {
      status = tosst_scatter_add (&scatter, features->x, features->n);
      if (status == TOSST_OK)
        status = tosst_pca_compute (context, &scatter, MIN (COLOURS, features->D), TRUE, FALSE, &pca);
      tosst_scatter_clear (&scatter);
    }
  return status == TOSST_OK ? pca : NULL;
}

/* Side of the area of one feature, in pixels of the image. */
static double
radius_of (const StudioPatchQuestion *question, const TosstFeatures *features, gsize i, const TosstSiftOptions *sift)
{
  const TosstDatasetImage *image = tosst_dataset_image (question->dataset, question->image);
  const float *a = features->frames != NULL ? features->frames[i].a : NULL;
  int longest = question->recipe->descriptor.longest_side, side = MAX (image->width, image->height);

  if (a != NULL)
    return TOSST_FRAME_EXTENT * sqrt (fabs ((double)a[0] * a[3] - (double)a[1] * a[2]));
  if (features->scale == NULL || features->scale[i] >= sift->scales)
    return 2 * sqrt ((double)image->width * image->height / (double)features->n);
  return sift->radius[features->scale[i]] * (longest > 0 && side > longest ? (double)side / longest : 1);
}

static StudioImageMarks *
mark (const StudioPatchQuestion *question, const TosstFeatures *features, const TosstPca *pca)
{
  g_autoptr (GArray) chosen = thin (features->n);
  StudioImageMarks *marks = studio_image_marks_new (chosen->len);
  TosstSiftOptions sift = { 0 };

  tosst_recipe_sift_options (question->recipe, &sift, NULL);
  for (guint i = 0; i < chosen->len; i++)
    {
      gsize number = g_array_index (chosen, gsize, i);
      double radius = SIZE * radius_of (question, features, number, &sift);

      marks->mark[i] = (StudioImageMark){ .x = (float)features->xy[2 * number],
                                          .y = (float)features->xy[2 * number + 1],
                                          .radius = (float)MAX (radius, 1),
                                          .rgb = { 0.5, 0.5, 0.5 } };
    }
  if (pca != NULL && chosen->len > 0)
    {
      /* Deviation in one component as a colour in [0, 1]. */
      for (int c = 0; c < MIN (COLOURS, pca->q); c++)
        {
          g_autofree double *value = g_new0 (double, chosen->len);
          double squares = 0;

          for (guint i = 0; i < chosen->len; i++)
            {
              const float *x = features->x + g_array_index (chosen, gsize, i) * (gsize)features->D;

              for (int j = 0; j < features->D; j++)
                value[i] += (x[j] - pca->mean[j]) * pca->basis[(gsize)j * (gsize)pca->q + (gsize)c];
              squares += value[i] * value[i];
            }
          double unit = DEVIATIONS * sqrt (squares / chosen->len);
          for (guint i = 0; i < chosen->len && unit > 0; i++)
            marks->mark[i].rgb[c] = (float)CLAMP (0.5 + value[i] / (2 * unit), 0, 1);
        }
    }
  return marks;
}

static char *
describe (const TosstFeatures *features, const StudioImageMarks *marks, gboolean of_run)
{
  g_autofree char *all = studio_format_count (features->n), *some = studio_format_count (marks->n);
  g_autofree char *count = marks->n < features->n ? g_strdup_printf (_ ("%s features of %d numbers, %s of them shown"),
                                                                     all, features->D, some)
                                                  : g_strdup_printf (_ ("%s features of %d numbers"), all, features->D);

  return g_strdup_printf ("%s · %s", count,
                          of_run ? _ ("colours: first three principal components of the run")
                                 : _ ("colours: first three principal components of this image"));
}

static void
work (StudioWorker *worker, TosstContext *context, const StudioPatchQuestion *question, gpointer *session)
{
  Answer *answer = g_new0 (Answer, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features
      = tosst_local_features (question->recipe, question->dataset, question->image, &error);

  answer->image = question->image;
  if (features != NULL)
    {
      const TosstPca *of_run = question->more;
      g_autoptr (TosstPca) own = NULL;

      if (of_run != NULL && of_run->D != features->D)
        of_run = NULL;
      if (of_run == NULL)
        own = own_components (features, context);
      answer->marks = mark (question, features, of_run != NULL ? of_run : own);
      answer->text = describe (features, answer->marks, of_run != NULL);
    }
  else
    answer->text = studio_format_problem (error->message);
  studio_worker_put (worker, answer);
}

/* What is shown. */

static void
on_answer (StudioImageFeatures *self, Answer *answer)
{
  if (self->dataset == NULL || answer->image != self->image)
    return;
  gtk_label_set_label (GTK_LABEL (self->label), answer->text);
  g_signal_emit_by_name (self, "marked", answer->image, answer->marks);
}

static const StudioWork features_work = { G_CALLBACK (work), studio_patch_question_free, answer_free,
                                          .take = G_CALLBACK (on_answer), .interrupts = TRUE };

static void
forget (StudioImageFeatures *self)
{
  g_clear_pointer (&self->dataset, tosst_dataset_unref);
  g_clear_pointer (&self->recipe, tosst_recipe_free);
}

void
studio_image_features_set_components (StudioImageFeatures *self, const TosstPca *pca)
{
  TosstPca *copy = pca != NULL ? tosst_pca_copy (pca) : NULL;

  g_clear_pointer (&self->components, tosst_pca_free);
  self->components = copy;
  forget (self); /* has other colours */
}

/* Whether two recipes have the same local features. */
static gboolean
are_same (const TosstRecipe *a, const TosstRecipe *b)
{
  return a->descriptor.kind == b->descriptor.kind && a->descriptor.root == b->descriptor.root
         && a->descriptor.flat == b->descriptor.flat && tosst_frames_are_same (a, b)
         && g_strcmp0 (a->descriptor.radii, b->descriptor.radii) == 0
         && g_strcmp0 (a->descriptor.strides, b->descriptor.strides) == 0
         && g_strcmp0 (a->descriptor.folder, b->descriptor.folder) == 0
         && g_strcmp0 (a->dataset.path, b->dataset.path) == 0;
}

void
studio_image_features_show (StudioImageFeatures *self, TosstDataset *dataset, guint image, const TosstRecipe *recipe)
{
  if (self->dataset == dataset && self->image == image && are_same (self->recipe, recipe))
    return;
  forget (self);
  self->dataset = tosst_dataset_ref (dataset);
  self->image = image;
  self->recipe = tosst_recipe_copy (recipe);
  gtk_label_set_label (GTK_LABEL (self->label), _ ("Computing local features…"));
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  g_signal_emit_by_name (self, "marked", image, NULL);
  StudioPatchQuestion *question = studio_patch_question_new (dataset, image, recipe, (TosstPoint){ 0, 0 });
  question->more = self->components != NULL ? tosst_pca_copy (self->components) : NULL;
  question->free_more = (GDestroyNotify)tosst_pca_free;
  studio_worker_ask_first (&self->worker, &features_work, NULL, self, question);
}

void
studio_image_features_hide (StudioImageFeatures *self)
{
  forget (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  g_signal_emit_by_name (self, "marked", self->image, NULL);
}

STUDIO_DEFINE_DISPOSE (StudioImageFeatures, studio_image_features, (worker, studio_worker_free),
                       (components, tosst_pca_free), (dataset, tosst_dataset_unref), (recipe, tosst_recipe_free))

static void
studio_image_features_class_init (StudioImageFeaturesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_image_features_dispose;
  studio_add_signal (klass, "marked", 2, G_TYPE_UINT, G_TYPE_POINTER);
}

static void
studio_image_features_init (StudioImageFeatures *self)
{
  self->label = studio_label ("", "caption", "dim-label", NULL);
  gtk_label_set_wrap (GTK_LABEL (self->label), TRUE);
  adw_bin_set_child (ADW_BIN (self), self->label);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
