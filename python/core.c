/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "python/core.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/feature-files.h"
#include "core/data/private.h"
#include "core/dictionary/part-kernel.h"
#include "core/local/image-tensors.h"
#include "core/method/methods.h"
#include "core/method/parts.h"
#include "core/predict/class-map.h"
#include "core/predict/predictor.h"
#include "core/preset/preset.h"
#include "core/run/run.h"
#include "python/images.h"

/* Of the training images for explanations: a part's similarities in the feature space. */
typedef struct
{
  TosstPartKernel kernel; /* rows are those of the model, and there is no matrix */
  double *squares;        /* n: k' (x, x) */
} Similar;

struct TosstCoreModel
{
  TosstModel *model;
  TosstPredictor *predictor;
  TosstParts *parts; /* or NULL */
  Similar *similar;  /* of each part; NULL before it is needed */
};

void
tosst_core_hand_over (GError *cause, TosstCoreError *error)
{
  gboolean mine = cause->domain == TOSST_ERROR;

  *error = (TosstCoreError){ mine && cause->code == TOSST_FAILED_MEMORY      ? TOSST_CORE_MEMORY
                             : mine && cause->code == TOSST_FAILED_CANCELLED ? TOSST_CORE_CANCELLED
                                                                             : TOSST_CORE_VALUE,
                             g_strdup (cause->message) };
  g_error_free (cause);
}

void
tosst_core_free (void *memory)
{
  g_free (memory);
}

void
tosst_core_free_list (char **list)
{
  g_strfreev (list);
}

void
tosst_core_settle (void)
{
  g_free (g_content_type_guess (NULL, (const guchar *)"GIF89a", 6, NULL));
  g_vfs_get_default ();
  g_slist_free (gdk_pixbuf_get_formats ());
}

/* Recipes. */

char *
tosst_core_why_inactive (const char *text, const char *name, TosstCoreError *error)
{
  GError *cause = NULL;
  g_autoptr (TosstRecipe) recipe = tosst_recipe_parse (text, "recipe", &cause);
  const TosstParameter *parameter = tosst_parameter_find (name);

  if (recipe != NULL && parameter == NULL)
    tosst_fail (&cause, TOSST_FAILED_RECIPE, "unknown key %s", name);
  if (cause != NULL)
    return tosst_core_hand_over (cause, error), NULL;
  return g_strdup (tosst_recipe_why_inactive (recipe, parameter));
}

char *
tosst_core_preset (const char *name, TosstCoreError *error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  const TosstFacts none = { 0 };
  GError *cause = NULL;
  TosstPreset preset;

  if (!tosst_preset_find (name, &preset, &cause))
    return tosst_core_hand_over (cause, error), NULL;
  tosst_preset_apply (preset, recipe, &none); /* presets with a name do not depend on the images */
  return tosst_recipe_to_text (recipe, TRUE);
}

char *
tosst_core_method (const char *name, TosstCoreError *error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  GError *cause = NULL;
  const TosstMethod *method = tosst_method_find (name, &cause);

  if (method == NULL)
    return tosst_core_hand_over (cause, error), NULL;
  tosst_method_apply (method, NULL, recipe);
  return tosst_recipe_to_text (recipe, TRUE);
}

/* Training. */

/* The recipe of a run on these images. */
static TosstRecipe *
recipe_of (const char *text, const TosstCoreImages *images, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_parse (text, "recipe", error);

  if (recipe == NULL
      || !tosst_recipe_set (recipe, "dataset.kind", images->targets != NULL ? "labels" : "folders", error)
      || !tosst_recipe_set (recipe, "dataset.path", images->where, error)
      || !tosst_recipe_set (recipe, "dataset.additions", "", error)
      || !tosst_recipe_set (recipe, "dataset.protocol", "random", error))
    return NULL;
  recipe->dataset.splits = 1;
  recipe->dataset.within = recipe->dataset.block = 0;
  /* The length of features is known from the first file. */
  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES && recipe->descriptor.length == 0)
    return g_steal_pointer (&recipe);
  return tosst_recipe_check (recipe, error) ? g_steal_pointer (&recipe) : NULL;
}

static TosstCoreModel *
core_model_new (TosstModel *model, TosstContext *context, GError **error)
{
  TosstCoreModel *self = g_new0 (TosstCoreModel, 1);

  self->model = model;
  self->predictor = tosst_predictor_new (model, context, error);
  if (self->predictor != NULL && model->parts != NULL)
    self->parts = tosst_parts_new (model->recipe, error);
  if (self->predictor != NULL && (self->parts != NULL || model->parts == NULL))
    return self;
  tosst_core_model_free (self);
  return NULL;
}

typedef struct
{
  void (*report) (double fraction, void *data);
  void *data;
} Report;

static void
on_progress (double fraction, double seconds_left G_GNUC_UNUSED, gpointer data)
{
  const Report *self = data;

  if (self->report != NULL)
    self->report (fraction, self->data);
}

TosstCoreModel *
tosst_core_train (TosstContext *context, const char *text, const TosstCoreImages *images,
                  void (*report) (double fraction, void *data), void *data, TosstCoreError *error)
{
  GError *cause = NULL;
  g_autoptr (TosstRecipe) recipe = recipe_of (text, images, &cause);
  g_autoptr (TosstDataset) dataset = recipe != NULL ? tosst_core_dataset (recipe, images, &cause) : NULL;
  g_autoptr (TosstRunResult) result = NULL;
  Report listener = { report, data };
  const TosstRunObserver observer = { .progress = on_progress, .data = &listener };
  const TosstRunOptions options = { .training = TRUE };
  TosstCoreModel *self = NULL;

  if (dataset != NULL && tosst_local_complete_recipe (recipe, dataset, &cause) && tosst_recipe_check (recipe, &cause))
    result = tosst_run_execute_with (recipe, dataset, context, &observer, &options, NULL, &cause);
  if (result != NULL)
    self = core_model_new (g_steal_pointer (&result->model), context, &cause);
  if (self == NULL)
    tosst_core_hand_over (cause, error);
  return self;
}

static void
drop_similar (TosstCoreModel *self)
{
  for (gsize k = 0; self->similar != NULL && k < tosst_core_model_parts (self); k++)
    {
      self->similar[k].kernel.rows = NULL;
      tosst_part_kernel_clear (&self->similar[k].kernel);
      g_free (self->similar[k].squares);
    }
  g_clear_pointer (&self->similar, g_free);
}

void
tosst_core_model_free (TosstCoreModel *self)
{
  if (self == NULL)
    return;
  drop_similar (self);
  tosst_parts_free (self->parts);
  tosst_predictor_free (self->predictor);
  tosst_model_free (self->model);
  g_free (self);
}

/* Files, and what a model says of itself. */

char *
tosst_core_model_to_bytes (const TosstCoreModel *self, size_t *size, TosstCoreError *error)
{
  GError *cause = NULL;
  GBytes *bytes = tosst_model_to_bytes (self->model, "the model", &cause);

  return bytes != NULL ? g_bytes_unref_to_data (bytes, size) : (tosst_core_hand_over (cause, error), NULL);
}

TosstCoreModel *
tosst_core_model_from_bytes (TosstContext *context, const char *data, size_t size, const char *name,
                             TosstCoreError *error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  GError *cause = NULL;
  TosstModel *model = tosst_model_from_bytes (bytes, name, &cause);
  TosstCoreModel *self = model != NULL ? core_model_new (model, context, &cause) : NULL;

  if (self == NULL)
    tosst_core_hand_over (cause, error);
  return self;
}

size_t
tosst_core_model_classes (const TosstCoreModel *self)
{
  return (size_t)tosst_model_classes (self->model);
}

const char *
tosst_core_model_class (const TosstCoreModel *self, size_t index)
{
  return self->model->class_names[index];
}

bool
tosst_core_model_has_labels (const TosstCoreModel *self)
{
  return tosst_recipe_has_several_labels (self->model->recipe);
}

char *
tosst_core_model_recipe (const TosstCoreModel *self)
{
  return tosst_recipe_to_text (self->model->recipe, TRUE);
}

size_t
tosst_core_model_parts (const TosstCoreModel *self)
{
  return self->model->parts != NULL ? self->model->parts->len : 1;
}

const char *
tosst_core_model_part (const TosstCoreModel *self, size_t index, double *weight)
{
  const TosstTraining *training = self->model->training;
  const double *weights = training != NULL && training->weights != NULL ? training->weights
                          : self->parts != NULL                         ? self->parts->weights
                                                                        : NULL;

  *weight = self->parts == NULL ? 1 : weights != NULL ? weights[index] : NAN;
  if (self->parts != NULL)
    return tosst_parts_name (self->parts, (guint)index);
  return self->model->dictionary != NULL ? "dictionary" : "descriptor";
}

static const TosstModel *
part_of (const TosstCoreModel *self, gsize index)
{
  return self->model->parts != NULL ? self->model->parts->pdata[index] : self->model;
}

size_t
tosst_core_model_length (const TosstCoreModel *self, size_t index)
{
  return (size_t)tosst_model_signature_length (part_of (self, index));
}

size_t
tosst_core_model_training (const TosstCoreModel *self)
{
  return self->model->training != NULL ? self->model->training->n : 0;
}

/* Prediction. */

/* An error of reading an image, with the name that the caller has for it. Takes the cause. */
static GError *
named (const char *name, GFile *file, GError *cause)
{
  GError *error = g_error_new (cause->domain, cause->code, "%s: %s", name, tosst_dataset_reason (file, cause));

  g_error_free (cause);
  return error;
}

static TosstImage *
read_image (const TosstCoreModel *self, const char *path, const char *name, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GError *cause = NULL;
  TosstImage *image = tosst_image_read_for (file, tosst_recipe_longest (self->model->recipe), 0, &cause);

  if (image == NULL)
    g_propagate_error (error, named (name, file, cause));
  return image;
}

static gboolean
find_margins (const TosstCoreModel *self, TosstContext *context, const char *path, const char *name, double *margins,
              GError **error)
{
  const TosstRecipe *recipe = self->model->recipe;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *base = g_file_get_basename (file), *id = tosst_feature_files_id (base);
  g_autoptr (TosstFeatures) features = NULL;
  g_autoptr (TosstImage) image = NULL;

  if (tosst_recipe_is_local (recipe))
    {
      features = tosst_local_features_of_file (recipe, file, id, error);
      return features != NULL
             && tosst_predictor_classify_features (self->predictor, context, features, margins, error) >= 0;
    }
  image = read_image (self, path, name, error);
  if (image == NULL)
    return FALSE;
  if (tosst_predictor_classify (self->predictor, context, image, margins, error) >= 0)
    return TRUE;
  g_prefix_error (error, "%s: ", name);
  return FALSE;
}

bool
tosst_core_predict (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name,
                    double *margins, double *probabilities, TosstCoreError *error)
{
  GError *cause = NULL;

  if (!find_margins (self, context, path, name, margins, &cause))
    return tosst_core_hand_over (cause, error), false;
  if (!tosst_model_probabilities (self->model, margins, probabilities))
    for (gsize c = 0; c < tosst_core_model_classes (self); c++)
      probabilities[c] = NAN;
  return true;
}

/* The signatures of all parts; new. */
static float *
sign (const TosstCoreModel *self, TosstContext *context, const char *path, const char *name, GError **error)
{
  g_autoptr (TosstImage) image = read_image (self, path, name, error);
  float *signatures = image != NULL ? tosst_predictor_sign (self->predictor, context, image, error) : NULL;

  if (image != NULL && signatures == NULL)
    g_prefix_error (error, "%s: ", name);
  return signatures;
}

bool
tosst_core_sign (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name,
                 float *signature, TosstCoreError *error)
{
  GError *cause = NULL;
  g_autofree float *found = sign (self, context, path, name, &cause);
  gsize length = 0;

  if (found == NULL)
    return tosst_core_hand_over (cause, error), false;
  for (gsize k = 0; k < tosst_core_model_parts (self); k++)
    length += tosst_core_model_length (self, k);
  memcpy (signature, found, length * sizeof *signature);
  return true;
}

/* Explanation. */

/* The similarities among the training images, of which their means remain. */
static gboolean
prepare_part (TosstCoreModel *self, gsize index, TosstContext *context, GError **error)
{
  const TosstTraining *training = self->model->training;
  const TosstModel *model = part_of (self, index);
  const float *own = training->rows->pdata[index];
  Similar *part = &self->similar[index];
  TosstPartKernel *kernel = &part->kernel;
  TosstStatus status;

  *kernel = (TosstPartKernel){ .kernel = model->recipe->classifier.kernel,
                               .width = model->kernel != NULL ? model->kernel->width : NAN,
                               .n = training->n,
                               .length = (gsize)tosst_model_signature_length (model),
                               .rows = (float *)(own != NULL ? own : model->kernel->rows) };
  status = tosst_part_kernel_compare (kernel, context, model->recipe, training->weights != NULL);
  if (!tosst_error_from_status (status, context, "Comparing signatures", error))
    return FALSE;
  tosst_part_kernel_centre (kernel);
  part->squares = g_new (double, training->n);
  for (gsize i = 0; i < training->n; i++)
    part->squares[i] = kernel->gram[i * training->n + i];
  g_clear_pointer (&kernel->gram, g_free);
  return TRUE;
}

/* Adds |x - x_i|^2 = k' (x, x) - 2 k' (x, x_i) + k' (x_i, x_i) of a part. */
static TosstStatus
add_distances (const Similar *part, TosstContext *context, const float *signature, double weight, double *distances)
{
  const TosstPartKernel *kernel = &part->kernel;
  gsize n = kernel->n;
  g_autofree double *row = g_new (double, n + 1);
  gboolean empty = tosst_signature_is_empty (signature, (int)kernel->length);
  double own = 1, mean = 0, square;
  gsize there = 0;
  TosstStatus status
      = tosst_kernel_compare (context, kernel->kernel, signature, 1, kernel->rows, n, (int)kernel->length, row);

  if (status != TOSST_OK)
    return status;
  tosst_kernel_apply (kernel->kernel, kernel->width, row, n);
  if (kernel->kernel == TOSST_KERNEL_LINEAR)
    tosst_kernel_diagonal (kernel->kernel, signature, 1, (int)kernel->length, &own);
  if (kernel->diagonal != NULL)
    {
      tosst_kernel_normalise (row, 1, n, &own, kernel->diagonal);
      own = 1;
    }
  for (gsize i = 0; i < n; i++)
    if (!kernel->empty[i])
      {
        mean += row[i];
        there++;
      }
  mean = there > 0 ? mean / (double)there : 0;
  square = empty ? 0 : (own - 2 * mean + kernel->mean) / kernel->scale;
  tosst_part_kernel_centre_row (kernel, row, empty);
  for (gsize i = 0; i < n; i++)
    distances[i] += weight * (square - 2 * row[i] + part->squares[i]);
  return TOSST_OK;
}

static gboolean
prepare (TosstCoreModel *self, TosstContext *context, GError **error)
{
  if (self->similar != NULL || self->model->training == NULL)
    return TRUE;
  self->similar = g_new0 (Similar, tosst_core_model_parts (self));
  for (gsize k = 0; k < tosst_core_model_parts (self); k++)
    if (!prepare_part (self, k, context, error))
      return drop_similar (self), FALSE;
  return TRUE;
}

/* Of a part that finds nothing its margins of such an image. */
static TosstStatus
set_terms (const TosstCoreModel *self, gsize index, TosstContext *context, const float *signature, double *terms)
{
  const TosstModel *part = part_of (self, index);

  if (self->model->parts == NULL || part->empty == NULL
      || !tosst_signature_is_empty (signature, tosst_model_signature_length (part)))
    return tosst_model_margins (part, context, signature, 1, terms);
  memcpy (terms, part->empty, tosst_core_model_classes (self) * sizeof *terms);
  return TOSST_OK;
}

static gboolean
explain (TosstCoreModel *self, TosstContext *context, const char *path, const char *name, double *terms,
         double *distances, GError **error)
{
  g_autofree float *signatures = sign (self, context, path, name, error);
  const float *signature = signatures;
  TosstStatus status = TOSST_OK;

  if (signatures == NULL || !prepare (self, context, error))
    return FALSE;
  memset (distances, 0, tosst_core_model_training (self) * sizeof *distances);
  for (gsize k = 0; k < tosst_core_model_parts (self) && status == TOSST_OK; k++)
    {
      double weight;

      tosst_core_model_part (self, k, &weight);
      status = set_terms (self, k, context, signature, terms + k * tosst_core_model_classes (self));
      if (status == TOSST_OK && self->similar != NULL)
        status = add_distances (&self->similar[k], context, signature, weight, distances);
      signature += tosst_model_signature_length (part_of (self, k));
    }
  return tosst_error_from_status (status, context, "Classifying the image", error);
}

bool
tosst_core_explain (TosstContext *context, TosstCoreModel *self, const char *path, const char *name, double *terms,
                    double *distances, TosstCoreError *error)
{
  GError *cause = NULL;

  if (explain (self, context, path, name, terms, distances, &cause))
    return true;
  tosst_core_hand_over (cause, error);
  return false;
}

/* Maps. */

int *
tosst_core_map (TosstContext *context, const TosstCoreModel *self, const char *path, const char *name, int *size,
                float **margins, TosstCoreError *error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = NULL;
  g_autoptr (TosstClassMap) map = NULL;
  GError *cause = NULL;

  if (!tosst_class_map_is_possible (self->model))
    tosst_fail (&cause, TOSST_FAILED_INPUT, "the model needs features from files, which windows of a map do not have");
  else if ((image = tosst_image_read_for (file, 0, 0, &cause)) == NULL)
    cause = named (name, file, cause);
  else if ((map = tosst_class_map_new (self->predictor, context, image, size[2], size[3], &cause)) == NULL)
    g_prefix_error (&cause, "%s: ", name);
  if (map == NULL)
    return tosst_core_hand_over (cause, error), NULL;
  size[0] = map->rows;
  size[1] = map->columns;
  size[2] = map->window;
  size[3] = map->step;
  *margins = g_steal_pointer (&map->margins);
  return g_steal_pointer (&map->class_index);
}
