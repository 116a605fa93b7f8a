/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/dictionary/file.h"
#include "core/dictionary/model.h"

static const char *const members[] = { "B.npy", "b.npy", "scale.npy", "symmetric.npy", "w.npy", "meta.json", NULL };

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

static TosstNpz *
to_npz (const TosstModel *self)
{
  TosstNpz *npz = tosst_npz_new ();
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
  tosst_json_set_seed (object, self->recipe->dictionary.seed);
  if (self->sample_side > 0)
    json_object_set_int_member (object, "sample", self->sample_side);
  json_object_set_array_member (object, "classes", classes);
  memcpy (w->data, self->svm->w, w->count * sizeof (double));
  if (self->dictionary)
    tosst_dictionary_to_npz (self->dictionary, npz);
  tosst_npz_steal_array (npz, "w", w);
  tosst_npz_write_meta (npz, object);
  return npz;
}

gboolean
tosst_model_save (const TosstModel *self, GFile *file, GError **error)
{
  g_autoptr (TosstNpz) npz = to_npz (self);

  return tosst_npz_write (npz, file, error);
}

GBytes *
tosst_model_to_bytes (const TosstModel *self, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = to_npz (self);

  return tosst_npz_to_bytes (npz, name, error);
}

static gboolean
read_class_names (TosstModel *self, JsonObject *object, const char *name, GError **error)
{
  JsonNode *node = json_object_get_member (object, "classes");
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  JsonArray *array;

  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return tosst_fail_input (error, name, _ ("is not a model: meta.json lists no classes"));
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      const char *text = JSON_NODE_HOLDS_VALUE (element) ? json_node_get_string (element) : NULL;

      if (!text)
        return tosst_fail_input (error, name, _ ("is not a model: a class in meta.json has no name"));
      g_strv_builder_add (names, text);
    }
  self->class_names = g_strv_builder_end (names);
  return TRUE;
}

int
tosst_model_code_length (const TosstModel *self)
{
  return self->dictionary ? self->dictionary->K : tosst_recipe_code_length (self->recipe);
}

static gboolean
read_classifier (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  const TosstNpy *w = tosst_npz_array (npz, "w");
  guint classes = g_strv_length (self->class_names);
  int length = tosst_model_code_length (self);

  if (w->ndim != 2 || w->type != TOSST_NPY_FLOAT64 || classes < 1 || w->shape[0] != classes
      || w->shape[1] != (gsize)length + 1)
    return tosst_fail_input (error, name, "%s",
                             self->dictionary
                                 ? _ ("has a member w whose shape does not match its classes and atoms")
                                 : _ ("has a member w whose shape does not match its classes and descriptors"));
  self->svm = tosst_svm_new (length, (int)classes);
  if (!self->svm)
    return tosst_fail_input (error, name, _ ("does not fit into memory"));
  memcpy (self->svm->w, w->data, w->count * sizeof (double));
  return TRUE;
}

/* Detects a dictionary file, for a specific error message. */
static gboolean
check_members (TosstNpz *npz, JsonObject *object, const char *name, GError **error)
{
  g_autoptr (TosstDictionary) dictionary = NULL;

  if (tosst_npz_array (npz, "w") && object)
    return TRUE;
  dictionary = tosst_dictionary_from_npz (npz, name, error);
  return dictionary
         && tosst_fail_input (error, name, _ ("is a dictionary, not a model written by tosst classify --model"));
}

/* npz NULL: error is already set and NULL is returned. */
static TosstModel *
from_npz (TosstNpz *npz, const char *name, GError **error)
{
  g_autoptr (TosstModel) self = g_new0 (TosstModel, 1);
  g_autoptr (JsonObject) object = NULL;

  if (!npz || !tosst_npz_read_meta (npz, name, &object, error) || !check_members (npz, object, name, error))
    return NULL;
  g_autofree char *where = g_strdup_printf (_ ("the recipe in %s"), name), *text = NULL;

  if (!tosst_meta_text (object, "recipe", name, &text, error))
    return NULL;
  if (!text)
    return tosst_fail_input (error, name, _ ("is not a model: meta.json has no recipe")), NULL;
  self->recipe = tosst_recipe_parse (text, where, error);
  if (!self->recipe || !read_class_names (self, object, name, error))
    return NULL;
  /* A recipe without a dictionary requires a file without one. */
  if (tosst_recipe_has_dictionary (self->recipe))
    {
      self->dictionary = tosst_dictionary_from_npz (npz, name, error);
      if (!self->dictionary)
        return NULL;
      if (!tosst_shape_equal (tosst_recipe_shape (self->recipe), self->dictionary->shape))
        return tosst_fail_input (error, name, _ ("has a recipe whose tensors do not match its dictionary")), NULL;
    }
  if (!read_classifier (self, npz, name, error))
    return NULL;
  /* Files of other programs and of early versions have no size of samples: the block size of the recipe is used. */
  double side = 0;

  if (!tosst_meta_number (object, "sample", name, &side, error))
    return NULL;
  self->sample_side = side >= 1 && side <= G_MAXINT ? (int)side : tosst_recipe_block (self->recipe);
  return g_steal_pointer (&self);
}

TosstModel *
tosst_model_load (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, members, error);

  return from_npz (npz, name, error);
}

TosstModel *
tosst_model_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_from_bytes (bytes, members, name, error);

  return from_npz (npz, name, error);
}
