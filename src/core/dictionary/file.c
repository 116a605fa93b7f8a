/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/file.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/json-text.h"
#include "tosst/dictionary.h"

/* Maximum side of an atom. */
#define MAX_SIDE 1000

/* Tolerance of symmetry, relative to the largest entry of the matrix. */
#define ASYMMETRY 1e-5

static const char *const members[] = { "B.npy", "b.npy", "scale.npy", "symmetric.npy", "meta.json", NULL };

void
tosst_dictionary_meta_clear (TosstDictionaryMeta *meta)
{
  g_clear_pointer (&meta->recipe, g_free);
  g_clear_pointer (&meta->fingerprint, g_free);
  g_clear_pointer (&meta->version, g_free);
}

void
tosst_dictionary_to_npz (const TosstDictionary *dictionary, TosstNpz *npz)
{
  TosstShape shape = dictionary->shape;
  gsize K = dictionary->K;
  TosstNpy *B = tosst_npy_new (TOSST_NPY_FLOAT64, shape.kind == TOSST_SHAPE_WHOLE ? 4 : 3,
                               (gsize[]){ K, shape.d1, shape.d2, shape.d3 });
  TosstNpy *b = tosst_npy_new (TOSST_NPY_FLOAT64, 2, (gsize[]){ K, dictionary->S });
  TosstNpy *scale = tosst_npy_new (TOSST_NPY_FLOAT64, 0, NULL);

  tosst_dictionary_get (dictionary, B->data, b->data);
  *(double *)scale->data = dictionary->scale;
  tosst_npz_steal_array (npz, "B", B);
  tosst_npz_steal_array (npz, "b", b);
  tosst_npz_steal_array (npz, "scale", scale);
  /* The members alone do not determine whether a square B must be symmetric. */
  if (shape.kind == TOSST_SHAPE_GENERAL)
    tosst_npz_steal_array (npz, "symmetric", tosst_npy_new (TOSST_NPY_FLOAT64, 0, NULL));
}

/* As float64; new. */
static double *
to_double (const TosstNpy *array)
{
  double *values = g_new (double, MAX (array->count, 1));

  for (gsize i = 0; i < array->count; i++)
    values[i] = array->type == TOSST_NPY_FLOAT64 ? ((const double *)array->data)[i] : ((const float *)array->data)[i];
  return values;
}

static gboolean
read_shape (TosstNpz *npz, const char *name, TosstShape *shape, GError **error)
{
  const TosstNpy *B = tosst_npz_array (npz, "B"), *b = tosst_npz_array (npz, "b");

  if (!B || !b)
    return tosst_fail_input (
        error, name, B ? _ ("is not a dictionary: it has no member b") : _ ("is not a dictionary: it has no member B"));
  for (int i = 0; i < B->ndim; i++)
    if (B->shape[i] < 1 || B->shape[i] > (gsize)(i == 0 ? G_MAXINT / 2 : MAX_SIDE))
      return tosst_fail_input (error, name, _ ("has a member B without atoms, or of an invalid size"));
  if (b->ndim != 2 || b->shape[0] != B->shape[0] || b->shape[1] < 1)
    return tosst_fail_input (error, name, _ ("has members B and b of shapes that do not match"));

  gboolean square = B->ndim >= 3 && B->shape[1] == B->shape[2], general = tosst_npz_array (npz, "symmetric") != NULL;
  if (B->ndim == 4 && square && B->shape[3] == B->shape[1] && B->shape[1] <= TOSST_FULL_SIDE && b->shape[1] == 1)
    *shape = tosst_shape (TOSST_SHAPE_WHOLE, (int)B->shape[1]);
  else if (B->ndim == 3 && square && !general && b->shape[1] == B->shape[1])
    *shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, (int)B->shape[1]);
  else if (B->ndim == 3 && square && !general && b->shape[1] == 1)
    *shape = tosst_shape (TOSST_SHAPE_SYMMETRIC, (int)B->shape[1]);
  else if (B->ndim == 3 && general && b->shape[1] <= MAX_SIDE)
    *shape = (TosstShape){ TOSST_SHAPE_GENERAL, (int)B->shape[1], (int)B->shape[2], (int)b->shape[1] };
  else if (B->ndim == 3 && square)
    return tosst_fail_input (error, name, _ ("has members B and b of shapes that do not match"));
  else
    return tosst_fail_input (error, name, _ ("has a member B that is not (K, d, d)"));
  return TRUE;
}

/* Coding uses upper triangles: a different lower one would be ignored silently. */
static gboolean
check_symmetric (const double *B, gsize K, gsize d, const char *name, GError **error)
{
  for (gsize k = 0; k < K; k++, B += d * d)
    {
      double largest = 0, difference = 0;

      for (gsize i = 0; i < d; i++)
        for (gsize j = 0; j <= i; j++)
          {
            largest = MAX (largest, MAX (fabs (B[i * d + j]), fabs (B[j * d + i])));
            difference = MAX (difference, fabs (B[i * d + j] - B[j * d + i]));
          }
      if (difference > ASYMMETRY * largest)
        return tosst_fail_input (error, name, _ ("holds matrices that must be symmetric, but number %zu is not"), k);
    }
  return TRUE;
}

/* Limits the entries so that sums of their squares do not overflow. */
static gboolean
check_size (const double *values, gsize n, const char *member, const char *name, GError **error)
{
  double largest = 0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, fabs (values[i]));
  return largest <= TOSST_LARGEST
         || tosst_fail_input (error, name, _ ("has a member %s with entries up to %.3g, more than %.0e"), member,
                              largest, TOSST_LARGEST);
}

static gboolean
read_scale (TosstNpz *npz, const char *name, double *scale, GError **error)
{
  const TosstNpy *array = tosst_npz_array (npz, "scale");
  g_autofree double *value = NULL;

  *scale = 1;
  if (!array && !tosst_npz_bytes (npz, "scale.npy"))
    return TRUE;
  if (!array || array->count != 1)
    return tosst_fail_input (error, name, _ ("has a member scale that is not one number"));
  value = to_double (array);
  *scale = *value;
  if (!(*scale > 0))
    return tosst_fail_input (error, name, _ ("has a scale that is not positive"));
  /* Tensors with other scales are not representable in float32. */
  return (*scale >= 1 / TOSST_LARGEST && *scale <= TOSST_LARGEST)
         || tosst_fail_input (error, name, _ ("has a scale of %.3g, which is not between %.0e and %.0e"), *scale,
                              1 / TOSST_LARGEST, TOSST_LARGEST);
}

TosstDictionary *
tosst_dictionary_from_npz (TosstNpz *npz, const char *name, GError **error)
{
  g_autofree double *B_values = NULL, *b_values = NULL;
  TosstDictionary *dictionary;
  TosstShape shape;
  double scale;

  if (!read_shape (npz, name, &shape, error) || !read_scale (npz, name, &scale, error))
    return NULL;
  dictionary = tosst_dictionary_new_shape (shape, (int)tosst_npz_array (npz, "B")->shape[0]);
  if (!dictionary)
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), name), NULL;
  B_values = to_double (tosst_npz_array (npz, "B"));
  b_values = to_double (tosst_npz_array (npz, "b"));
  if (!check_size (B_values, tosst_npz_array (npz, "B")->count, "B", name, error)
      || !check_size (b_values, tosst_npz_array (npz, "b")->count, "b", name, error)
      || ((shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC || shape.kind == TOSST_SHAPE_SYMMETRIC)
          && !check_symmetric (B_values, dictionary->K, shape.d1, name, error)))
    {
      tosst_dictionary_free (dictionary);
      return NULL;
    }
  tosst_dictionary_set (dictionary, B_values, b_values);
  dictionary->scale = scale;
  return dictionary;
}

void
tosst_npz_write_meta (TosstNpz *npz, JsonObject *object)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (GBytes) bytes = NULL;
  char *text;

  json_node_take_object (root, object);
  text = tosst_json_write (root, TRUE);
  bytes = g_bytes_new_take (text, strlen (text));
  tosst_npz_add_bytes (npz, "meta.json", bytes);
}

gboolean
tosst_npz_read_meta (TosstNpz *npz, const char *name, JsonObject **object, GError **error)
{
  GBytes *bytes = tosst_npz_bytes (npz, "meta.json");
  g_autoptr (JsonNode) root = NULL;
  gsize size;
  const char *text;

  *object = NULL;
  if (!bytes)
    return TRUE;
  text = g_bytes_get_data (bytes, &size);
  root = tosst_json_read (text, size);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return tosst_fail_input (error, name, _ ("has a member meta.json that is not a JSON object"));
  *object = json_node_dup_object (root);
  return TRUE;
}

static gboolean
fail_type (const char *name, const char *member, GError **error)
{
  return tosst_fail_input (error, name, _ ("has a member meta.json whose “%s” has an invalid type"), member);
}

/* Returns NULL for null, too. */
static JsonNode *
find_member (JsonObject *object, const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  return node && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

gboolean
tosst_meta_text (JsonObject *object, const char *member, const char *name, char **text, GError **error)
{
  JsonNode *node = find_member (object, member);

  *text = NULL;
  if (node && !(JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING))
    return fail_type (name, member, error);
  if (node)
    *text = json_node_dup_string (node);
  return TRUE;
}

gboolean
tosst_meta_number (JsonObject *object, const char *member, const char *name, double *number, GError **error)
{
  JsonNode *node = find_member (object, member);
  GType type = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (!node)
    return TRUE;
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return fail_type (name, member, error);
  *number = type == G_TYPE_INT64 ? (double)json_node_get_int (node) : json_node_get_double (node);
  return TRUE;
}

void
tosst_json_set_seed (JsonObject *object, guint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, seed);

  if (seed <= G_MAXINT64)
    json_object_set_int_member (object, "seed", (gint64)seed);
  else
    json_object_set_string_member (object, "seed", text);
}

static void
set_string (JsonObject *object, const char *member, const char *value)
{
  if (value)
    json_object_set_string_member (object, member, value);
}

TosstNpz *
tosst_dictionary_make_npz (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta)
{
  TosstNpz *npz = tosst_npz_new ();
  JsonObject *object = json_object_new ();
  g_autoptr (TosstRecipe) recipe = NULL;

  json_object_set_string_member (object, "program", "TOSST Studio");
  set_string (object, "version", meta && meta->version ? meta->version : PACKAGE_VERSION);
  if (meta)
    {
      set_string (object, "recipe", meta->recipe);
      set_string (object, "fingerprint", meta->fingerprint);
      json_object_set_int_member (object, "iterations", meta->iterations);
      if (meta->batches)
        json_object_set_int_member (object, "batches", (gint64)meta->batches);
      if (isfinite (meta->objective))
        json_object_set_double_member (object, "objective", meta->objective);
      recipe = meta->recipe ? tosst_recipe_parse (meta->recipe, "meta.json", NULL) : NULL;
      if (recipe)
        tosst_json_set_seed (object, recipe->dictionary.seed);
    }
  tosst_dictionary_to_npz (dictionary, npz);
  tosst_npz_write_meta (npz, object);
  return npz;
}

gboolean
tosst_dictionary_save (const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, GFile *file, GError **error)
{
  g_return_val_if_fail (dictionary != NULL, FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  g_autoptr (TosstNpz) npz = tosst_dictionary_make_npz (dictionary, meta);

  return tosst_npz_write (npz, file, error);
}

static gboolean
read_meta (JsonObject *object, const char *name, TosstDictionaryMeta *meta, GError **error)
{
  double iterations = 0, batches = 0;

  if (!tosst_meta_text (object, "recipe", name, &meta->recipe, error)
      || !tosst_meta_text (object, "fingerprint", name, &meta->fingerprint, error)
      || !tosst_meta_text (object, "version", name, &meta->version, error)
      || !tosst_meta_number (object, "objective", name, &meta->objective, error)
      || !tosst_meta_number (object, "iterations", name, &iterations, error)
      || !tosst_meta_number (object, "batches", name, &batches, error))
    return FALSE;
  meta->iterations = (int)CLAMP (iterations, 0, G_MAXINT);
  meta->batches = (gsize)CLAMP (batches, 0, 0x1p53);
  return TRUE;
}

TosstDictionary *
tosst_dictionary_read_npz (TosstNpz *npz, const char *name, TosstDictionaryMeta *meta, GError **error)
{
  g_autoptr (JsonObject) object = NULL;
  TosstDictionary *dictionary;

  if (meta)
    *meta = (TosstDictionaryMeta){ .objective = NAN };
  if (!npz || !tosst_npz_read_meta (npz, name, &object, error))
    return NULL;
  if (meta && object && !read_meta (object, name, meta, error))
    {
      tosst_dictionary_meta_clear (meta);
      return NULL;
    }
  dictionary = tosst_dictionary_from_npz (npz, name, error);
  if (!dictionary && meta)
    tosst_dictionary_meta_clear (meta);
  return dictionary;
}

TosstDictionary *
tosst_dictionary_load (GFile *file, TosstDictionaryMeta *meta, GError **error)
{
  g_return_val_if_fail (G_IS_FILE (file), NULL);

  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, members, error);

  return tosst_dictionary_read_npz (npz, name, meta, error);
}

TosstDictionary *
tosst_dictionary_from_bytes (GBytes *bytes, const char *name, TosstDictionaryMeta *meta, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_from_bytes (bytes, members, name, error);

  return tosst_dictionary_read_npz (npz, name, meta, error);
}

gboolean
tosst_dictionary_randomize (const TosstRecipe *recipe, TosstContext *context, TosstDictionary **dictionary,
                            GError **error)
{
  TosstDictionary *drawn = NULL;
  TosstLearnOptions options;
  TosstShape shape;

  if (recipe->dictionary.source != TOSST_SOURCE_RANDOM || *dictionary == NULL)
    return TRUE;
  shape = (*dictionary)->shape;
  tosst_recipe_learn_options (recipe, &options);
  if (recipe->dictionary.rank <= 0)
    options.rank = MAX (1, shape.d1 / 2);
  TosstStatus status
      = tosst_dictionary_draw (context, *dictionary, &(TosstAtomSet){ shape, options.scheme, options.rank },
                               options.signed_b, (*dictionary)->K, options.seed, &drawn);
  if (!tosst_error_from_status (status, context, _ ("random dictionary"), error))
    return FALSE;
  tosst_dictionary_free (*dictionary);
  *dictionary = drawn;
  return TRUE;
}
