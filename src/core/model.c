/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "describe-patches.h"
#include "dictionary-file-private.h"
#include "error.h"
#include "memory.h"
#include "model.h"

void
tosst_model_free (TosstModel *self)
{
  if (!self)
    return;
  tosst_recipe_free (self->recipe);
  tosst_dictionary_free (self->dictionary);
  tosst_svm_free (self->svm);
  g_strfreev (self->class_names);
  g_free (self);
}

gboolean
tosst_model_save (const TosstModel *self, GFile *file, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_new ();
  g_autofree char *recipe = tosst_recipe_to_text (self->recipe, FALSE);
  JsonObject *object = json_object_new ();
  JsonArray *classes = json_array_new ();
  gsize shape[2] = { self->svm->classes, self->svm->p + 1 };
  TosstNpy *w = tosst_npy_new (TOSST_NPY_FLOAT64, 2, shape);

  for (char **name = self->class_names; *name; name++)
    json_array_add_string_element (classes, *name);
  json_object_set_string_member (object, "program", "TOSST Studio");
  json_object_set_string_member (object, "version", PACKAGE_VERSION);
  json_object_set_string_member (object, "recipe", recipe);
  json_object_set_int_member (object, "seed", (gint64)self->recipe->dictionary.seed);
  json_object_set_array_member (object, "classes", classes);
  memcpy (w->data, self->svm->w, w->count * sizeof (double));
  tosst_dictionary_to_npz (self->dictionary, npz);
  tosst_npz_take_array (npz, "w", w);
  tosst_npz_write_meta (npz, object);
  return tosst_npz_write (npz, file, error);
}

static gboolean
fail (GError **error, const char *name, const char *why)
{
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, "%s %s", name, why);
  return FALSE;
}

static gboolean
read_class_names (TosstModel *self, JsonObject *object, const char *name, GError **error)
{
  JsonNode *node = json_object_get_member (object, "classes");
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  JsonArray *array;

  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return fail (error, name, _ ("is no model: meta.json lists no classes"));
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      const char *text = JSON_NODE_HOLDS_VALUE (element) ? json_node_get_string (element) : NULL;

      if (!text)
        return fail (error, name, _ ("is no model: a class in meta.json has no name"));
      g_strv_builder_add (names, text);
    }
  self->class_names = g_strv_builder_end (names);
  return TRUE;
}

static gboolean
read_recipe (TosstModel *self, JsonObject *object, const char *name, GError **error)
{
  g_autofree char *text = tosst_json_dup_string (object, "recipe");
  g_autofree char *where = g_strdup_printf (_ ("the recipe in %s"), name);

  if (!text)
    return fail (error, name, _ ("is no model: meta.json has no recipe"));
  self->recipe = tosst_recipe_parse (text, where, error);
  return self->recipe != NULL;
}

static gboolean
read_classifier (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  const TosstNpy *w = tosst_npz_array (npz, "w");
  guint classes = g_strv_length (self->class_names);

  if (!w)
    return fail (error, name, _ ("is a dictionary, not a model: it has no member w"));
  if (w->ndim != 2 || w->type != TOSST_NPY_FLOAT64 || classes < 1 || w->shape[0] != classes
      || w->shape[1] != (gsize)self->dictionary->K + 1)
    return fail (error, name, _ ("has a member w that does not fit its classes and atoms"));
  self->svm = tosst_svm_new (self->dictionary->K, (int)classes);
  if (!self->svm)
    return fail (error, name, _ ("does not fit into memory"));
  memcpy (self->svm->w, w->data, w->count * sizeof (double));
  return TRUE;
}

TosstModel *
tosst_model_load (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, error);
  g_autoptr (TosstModel) self = g_new0 (TosstModel, 1);
  g_autoptr (JsonObject) object = NULL;

  if (!npz || !tosst_npz_read_meta (npz, name, &object, error))
    return NULL;
  self->dictionary = tosst_dictionary_from_npz (npz, name, error);
  if (!self->dictionary)
    return NULL;
  if (!tosst_npz_array (npz, "w") || !object)
    {
      fail (error, name, _ ("is a dictionary, not a model that tosst classify --model wrote"));
      return NULL;
    }
  if (!read_recipe (self, object, name, error) || !read_class_names (self, object, name, error)
      || !read_classifier (self, npz, name, error))
    return NULL;
  if (tosst_recipe_dimension (self->recipe) != self->dictionary->d)
    {
      fail (error, name, _ ("has a recipe whose tensors do not fit its dictionary"));
      return NULL;
    }
  return g_steal_pointer (&self);
}

/* Tensors held at a time. */
#define CHUNK_BYTES ((gsize)128 << 20)

static TosstStatus
code_chunks (const TosstModel *self, TosstContext *context, const TosstCoder *coder, const TosstImage *image,
             const TosstPoint *points, gsize n, float *tensors, gsize chunk, float *codes)
{
  TosstStatus status = TOSST_OK;

  for (gsize from = 0; from < n && status == TOSST_OK; from += chunk)
    {
      gsize count = MIN (chunk, n - from);

      status = tosst_describe_patches (self->recipe, context, image, points + from, count, tensors);
      if (status == TOSST_OK)
        status = tosst_code (context, coder, tensors, count, false, codes + from * (gsize)self->dictionary->K, NULL);
    }
  return status;
}

/* Codes of all patches of an image: n x K. */
static TosstStatus
code_patches (const TosstModel *self, TosstContext *context, const TosstImage *image, const TosstPoint *points, gsize n,
              float *codes)
{
  TosstLayout *layout = tosst_layout_new (self->dictionary->d);
  gsize chunk = layout ? MIN (n, MAX (1, CHUNK_BYTES / (layout->m * sizeof (float)))) : 0;
  float *tensors = layout ? g_try_new (float, chunk * layout->m) : NULL;
  TosstCoder *coder = NULL;
  TosstCodingOptions coding;
  TosstStatus status = TOSST_ERROR_MEMORY;

  tosst_recipe_coding_options (self->recipe, &coding);
  if (tensors)
    status = tosst_coder_new (context, self->dictionary, layout, &coding, &coder);
  if (status == TOSST_OK)
    status = code_chunks (self, context, coder, image, points, n, tensors, chunk, codes);
  tosst_coder_free (coder);
  g_free (tensors);
  tosst_layout_free (layout);
  return status;
}

static gboolean
check_memory (gsize n, gsize K, GError **error)
{
  gsize needed = n * (K * sizeof (float) + 2 * sizeof (TosstPoint)) + CHUNK_BYTES, there = tosst_memory_available ();

  if ((double)needed <= 0.85 * (double)there)
    return TRUE;
  g_autofree char *much = g_format_size (needed), *available = g_format_size (there);
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_MEMORY,
               _ ("its %zu patches need %s of memory and %s are available: scale the image down or crop it"), n, much,
               available);
  return FALSE;
}

int
tosst_model_predict (const TosstModel *self, TosstContext *context, const TosstImage *image, double **margins,
                     GError **error)
{
  const int patch = self->recipe->descriptor.patch, step = self->recipe->descriptor.step, K = self->dictionary->K;
  gsize n = tosst_patch_grid (image->width, image->height, patch, step, NULL);
  g_autofree TosstPoint *points = NULL;
  g_autofree float *codes = NULL, *signature = g_new (float, K);
  TosstStatus status;

  if (n == 0)
    {
      g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT,
                   _ ("an image of %d × %d pixels is smaller than a patch of %d"), image->width, image->height, patch);
      return -1;
    }
  if (!check_memory (n, (gsize)K, error))
    return -1;
  points = g_new (TosstPoint, n);
  tosst_patch_grid (image->width, image->height, patch, step, points);
  codes = g_try_malloc_n (n, K * sizeof (float));
  status = codes ? code_patches (self, context, image, points, n, codes) : TOSST_ERROR_MEMORY;
  if (!tosst_error_from_status (status, context, _ ("coding the image"), error))
    return -1;
  status = tosst_pool (self->recipe->pooling.kind, self->recipe->pooling.parameter, codes, K, NULL, n, signature);
  if (!tosst_error_from_status (status, NULL, _ ("Pooling"), error))
    return -1;
  tosst_normalise_signature (signature, K, self->recipe->pooling.power, self->recipe->pooling.l2);
  *margins = g_new (double, self->svm->classes);
  tosst_svm_margins (self->svm, signature, 1, *margins);
  return tosst_svm_decide (self->svm, *margins);
}
