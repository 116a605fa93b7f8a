/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/model.h"

#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/format/tensor-array.h"
#include "tosst/dictionary.h"
#include "tosst/pool.h"

/* Maximum side of an atom. */
#define MAX_SIDE 1000

static const char *const members[] = { "B.npy", "b.npy", "scale.npy", "symmetric.npy", "meta.json", NULL };

TOSST_DEFINE_PUBLIC_CLEAR (TosstDictionaryMeta, tosst_dictionary_meta_clear, TosstDictionaryMeta *, (recipe, g_free),
                           (fingerprint, g_free), (version, g_free))

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
check_symmetric (const TosstNpy *B, const char *name, GError **error)
{
  for (gsize k = 0; k < B->shape[0]; k++)
    if (!tosst_tensor_array_is_symmetric (B, k, B->shape[1]))
      return tosst_fail_input (error, name, _ ("holds matrices that must be symmetric, but number %zu is not"), k);
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

  *scale = 1;
  if (!array && !tosst_npz_bytes (npz, "scale.npy"))
    return TRUE;
  if (!array || array->count != 1)
    return tosst_fail_input (error, name, _ ("has a member scale that is not one number"));
  g_autofree double *value = to_double (array);
  *scale = *value;
  if (!(*scale > 0))
    return tosst_fail_input (error, name, _ ("has a scale that is not positive"));
  /* Tensors with other scales are not representable in float32. */
  return (*scale >= 1 / TOSST_LARGEST && *scale <= TOSST_LARGEST)
         || tosst_fail_input (error, name, _ ("has a scale of %.3g, which is not between %.0e and %.0e"), *scale,
                              1 / TOSST_LARGEST, TOSST_LARGEST);
}

/* name is used in messages. */
static TosstDictionary *
tosst_dictionary_from_npz (TosstNpz *npz, const char *name, GError **error)
{
  TosstShape shape;
  double scale;

  if (!read_shape (npz, name, &shape, error) || !read_scale (npz, name, &scale, error))
    return NULL;
  TosstDictionary *dictionary = tosst_dictionary_new_shape (shape, (int)tosst_npz_array (npz, "B")->shape[0]);
  if (!dictionary)
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), name), NULL;
  g_autofree double *B_values = to_double (tosst_npz_array (npz, "B"));
  g_autofree double *b_values = to_double (tosst_npz_array (npz, "b"));
  if (!check_size (B_values, tosst_npz_array (npz, "B")->count, "B", name, error)
      || !check_size (b_values, tosst_npz_array (npz, "b")->count, "b", name, error)
      || ((shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC || shape.kind == TOSST_SHAPE_SYMMETRIC)
          && !check_symmetric (tosst_npz_array (npz, "B"), name, error)))
    {
      tosst_dictionary_free (dictionary);
      return NULL;
    }
  tosst_dictionary_set (dictionary, B_values, b_values);
  dictionary->scale = scale;
  return dictionary;
}

/* Adds member meta.json; takes the object. */
static void
tosst_npz_write_meta (TosstNpz *npz, JsonObject *object)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (root, object);
  char *text = tosst_json_write (root, TRUE);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));
  tosst_npz_add_bytes (npz, "meta.json", bytes);
}

/* Reads member meta.json. *object is NULL without error if it is missing. */
static gboolean
tosst_npz_read_meta (TosstNpz *npz, const char *name, JsonObject **object, GError **error)
{
  GBytes *bytes = tosst_npz_bytes (npz, "meta.json");
  gsize size;

  *object = NULL;
  if (!bytes)
    return TRUE;
  const char *text = g_bytes_get_data (bytes, &size);
  g_autoptr (JsonNode) root = tosst_json_read (text, size);
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

/* Reads a member of meta.json: a text, new, NULL if missing; or a number, unchanged if missing. Returns FALSE with
 * an error that starts with name if the member has another type. */
static gboolean
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

static gboolean
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

/* Sets a seed as a number, or as a string if it exceeds a signed 64-bit integer, the largest number of JSON-GLib. */
static void
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
      g_autoptr (TosstRecipe) recipe = meta->recipe ? tosst_recipe_parse (meta->recipe, "meta.json", NULL) : NULL;
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

  if (meta)
    *meta = (TosstDictionaryMeta){ .objective = NAN };
  if (!npz || !tosst_npz_read_meta (npz, name, &object, error))
    return NULL;
  if (meta && object && !read_meta (object, name, meta, error))
    {
      tosst_dictionary_meta_clear (meta);
      return NULL;
    }
  TosstDictionary *dictionary = tosst_dictionary_from_npz (npz, name, error);
  if (!dictionary && meta)
    tosst_dictionary_meta_clear (meta);
  return dictionary;
}

TosstDictionary *
tosst_dictionary_load (GFile *file, TosstDictionaryMeta *meta, GError **error)
{
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

  if (recipe->dictionary.source != TOSST_SOURCE_RANDOM || *dictionary == NULL)
    return TRUE;
  TosstShape shape = (*dictionary)->shape;
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

/* Signatures that are compared at a time: bounds the memory of their similarities. */
#define ROWS ((gsize)256)

TOSST_DEFINE_PUBLIC_FREE (TosstKernelModel, tosst_kernel_model_free, TosstKernelModel *, (rows, g_free),
                          (machine, tosst_kernel_machine_free))

TosstStatus
tosst_kernel_model_margins (const TosstKernelModel *self, TosstContext *context, const float *signatures, gsize n,
                            double *margins)
{
  const TosstKernelMachine *machine = self->machine;
  g_autofree double *similar = g_try_malloc_n (MIN (n, ROWS), machine->n * sizeof (double));
  TosstStatus status = TOSST_OK;

  if (similar == NULL && n > 0)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to compare signatures");
  for (gsize first = 0; first < n && status == TOSST_OK; first += ROWS)
    {
      gsize count = MIN (ROWS, n - first);

      status = tosst_kernel_compare (context, self->kernel, signatures + first * self->length, count, self->rows,
                                     machine->n, (int)self->length, similar);
      if (status != TOSST_OK)
        break;
      tosst_kernel_apply (self->kernel, self->width, similar, count * machine->n);
      tosst_kernel_margins (machine, similar, count, margins + first * (gsize)machine->classes);
    }
  return status;
}

/* Adds a member with a copy of the values. columns 0: a vector. */
static void
put (TosstNpz *npz, const char *name, TosstNpyType type, gsize rows, gsize columns, const void *values)
{
  TosstNpy *array = tosst_npy_new (type, columns > 0 ? 2 : 1, (gsize[]){ rows, columns });

  memcpy (array->data, values, array->count * (type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double)));
  tosst_npz_steal_array (npz, name, array);
}

#define put_doubles(npz, name, ...) put (npz, name, TOSST_NPY_FLOAT64, __VA_ARGS__)

/* Members of model files: signatures (n, length) float32, coefficients (classes, n), bias (classes) and width (1) float64.
 * from: NULL with error if they do not match; name is used in messages. */
static void
tosst_kernel_model_to_npz (const TosstKernelModel *self, TosstNpz *npz)
{
  const TosstKernelMachine *machine = self->machine;
  gsize classes = (gsize)machine->classes;

  put (npz, "signatures", TOSST_NPY_FLOAT32, machine->n, self->length, self->rows);
  put_doubles (npz, "coefficients", classes, machine->n, machine->coefficients);
  put_doubles (npz, "bias", classes, 0, machine->bias);
  put_doubles (npz, "width", 1, 0, &self->width);
}

/* A member of this type and shape; NULL if there is none. columns 0: a vector. */
static const TosstNpy *
take (TosstNpz *npz, const char *name, TosstNpyType type, gsize rows, gsize columns)
{
  const TosstNpy *array = tosst_npz_array (npz, name);
  int ndim = columns > 0 ? 2 : 1;

  return array != NULL && array->type == type && array->ndim == ndim && array->shape[0] == rows
                 && (ndim == 1 || array->shape[1] == columns)
             ? array
             : NULL;
}

static TosstKernelModel *
tosst_kernel_model_from_npz (TosstNpz *npz, const char *name, TosstKernel kernel, gsize length, guint classes,
                             GError **error)
{
  const TosstNpy *all = tosst_npz_array (npz, "coefficients");
  gsize n = all != NULL && all->ndim == 2 ? all->shape[1] : 0;
  const TosstNpy *coefficients = n > 0 ? take (npz, "coefficients", TOSST_NPY_FLOAT64, classes, n) : NULL,
                 *rows = n > 0 ? take (npz, "signatures", TOSST_NPY_FLOAT32, n, length) : NULL,
                 *bias = take (npz, "bias", TOSST_NPY_FLOAT64, classes, 0),
                 *width = take (npz, "width", TOSST_NPY_FLOAT64, 1, 0);

  if (coefficients == NULL || rows == NULL || bias == NULL || width == NULL || !(*(double *)width->data > 0))
    return tosst_fail_input (error, name,
                             _ ("has a kernel machine (signatures, coefficients, bias, width) that does not match its "
                                "classes and descriptors")),
           NULL;
  TosstKernelModel *self = g_new0 (TosstKernelModel, 1);
  self->kernel = kernel;
  self->width = *(double *)width->data;
  self->length = length;
  self->rows = g_try_malloc_n (n, length * sizeof (float));
  self->machine = tosst_kernel_machine_new (n, (int)classes);
  if (self->rows == NULL || self->machine == NULL)
    {
      tosst_kernel_model_free (self);
      return tosst_fail_input (error, name, _ ("does not fit into memory")), NULL;
    }
  memcpy (self->rows, rows->data, n * length * sizeof (float));
  memcpy (self->machine->coefficients, coefficients->data, coefficients->count * sizeof (double));
  memcpy (self->machine->bias, bias->data, bias->count * sizeof (double));
  return self;
}

static const char *const model_members[] = { "B.npy",
                                             "b.npy",
                                             "scale.npy",
                                             "symmetric.npy",
                                             "w.npy",
                                             "pca_mean.npy",
                                             "pca_values.npy",
                                             "pca_basis.npy",
                                             "components.npy",
                                             "signatures.npy",
                                             "coefficients.npy",
                                             "bias.npy",
                                             "empty.npy",
                                             "slope.npy",
                                             "sigmoids.npy",
                                             "width.npy",
                                             "gaussian_weights.npy",
                                             "gaussian_means.npy",
                                             "gaussian_variances.npy",
                                             "meta.json",
                                             "part1.npz",
                                             "part2.npz",
                                             "part3.npz",
                                             "part4.npz",
                                             "part5.npz",
                                             "part6.npz",
                                             "part7.npz",
                                             "part8.npz",
                                             NULL };

TOSST_DEFINE_PUBLIC_FREE (TosstTraining, tosst_training_free, TosstTraining *, (labels, g_free), (weights, g_free),
                          (rows, g_ptr_array_unref))

TosstModel *
tosst_model_share (TosstModel *self)
{
  g_atomic_int_inc (&self->shares);
  return self;
}

void
tosst_model_free (TosstModel *self)
{
  if (!self || g_atomic_int_add (&self->shares, -1) > 0)
    return;
  TOSST_CLEAR_MEMBERS (self, (recipe, tosst_recipe_free), (dictionary, tosst_dictionary_free), (pca, tosst_pca_free),
                       (mixture, tosst_mixture_free), (components, tosst_linear_free), (svm, tosst_svm_free),
                       (kernel, tosst_kernel_model_free), (empty, g_free), (sigmoids, g_free),
                       (parts, g_ptr_array_unref), (training, tosst_training_free), (class_names, g_strfreev));
  g_free (self);
}

static gboolean
read_linear (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  gsize m = tosst_shape_numbers (tosst_recipe_shape (self->recipe)), K = (gsize)self->recipe->dictionary.atoms;
  const TosstNpy *rows = take (npz, "components", TOSST_NPY_FLOAT32, m, K);

  if (tosst_recipe_coding (self->recipe) != TOSST_CODING_PCA)
    return TRUE;
  if (!rows)
    return tosst_fail_input (error, name, _ ("has no member components that matches its recipe"));
  self->components = tosst_linear_new (m, (int)K);
  if (!self->components)
    return tosst_fail_input (error, name, _ ("does not fit into memory"));
  memcpy (self->components->rows, rows->data, rows->count * sizeof (float));
  return TRUE;
}

static TosstNpz *
to_npz (const TosstModel *self)
{
  TosstNpz *npz = tosst_npz_new ();
  g_autofree char *recipe = tosst_recipe_to_text (self->recipe, FALSE);
  JsonArray *classes = json_array_new ();

  for (char **name = self->class_names; *name; name++)
    json_array_add_string_element (classes, *name);
  JsonObject *object = TOSST_JSON (("program", "TOSST Studio"), ("version", PACKAGE_VERSION), ("recipe", recipe));
  tosst_json_set_seed (object, self->recipe->dictionary.seed);
  if (self->sample_side > 0)
    json_object_set_int_member (object, "sample", self->sample_side);
  json_object_set_array_member (object, "classes", classes);
  if (self->dictionary)
    tosst_dictionary_to_npz (self->dictionary, npz);
  if (self->pca)
    {
      put_doubles (npz, "pca_mean", self->pca->D, 0, self->pca->mean);
      put_doubles (npz, "pca_values", self->pca->D, 0, self->pca->values);
      put_doubles (npz, "pca_basis", self->pca->D, self->pca->q, self->pca->basis);
    }
  if (self->mixture)
    {
      const TosstMixture *mixture = self->mixture;

      put_doubles (npz, "gaussian_weights", mixture->K, 0, mixture->weights);
      put_doubles (npz, "gaussian_means", mixture->K, mixture->D, mixture->means);
      put_doubles (npz, "gaussian_variances", mixture->K, mixture->D, mixture->variances);
    }
  if (self->components)
    put (npz, "components", TOSST_NPY_FLOAT32, self->components->m, (gsize)self->components->K, self->components->rows);
  if (self->empty)
    put_doubles (npz, "empty", tosst_model_classes (self), 0, self->empty);
  if (self->slope > 0)
    put_doubles (npz, "slope", 1, 0, &self->slope);
  if (self->sigmoids)
    put_doubles (npz, "sigmoids", tosst_model_classes (self), 2, self->sigmoids);
  if (self->kernel)
    tosst_kernel_model_to_npz (self->kernel, npz);
  else if (self->parts)
    for (guint i = 0; i < self->parts->len; i++)
      {
        g_autofree char *name = g_strdup_printf ("part%u.npz", i + 1);
        g_autoptr (TosstNpz) part = to_npz (g_ptr_array_index (self->parts, i));
        g_autoptr (GBytes) bytes = tosst_npz_to_bytes (part, name, NULL);

        if (bytes)
          tosst_npz_add_bytes (npz, name, bytes);
      }
  else
    put_doubles (npz, "w", self->svm->classes, self->svm->p + 1, self->svm->w);
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

  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return tosst_fail_input (error, name, _ ("is not a model: meta.json lists no classes"));
  JsonArray *array = json_node_get_array (node);
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

int
tosst_model_signature_length (const TosstModel *self)
{
  return tosst_recipe_pools_pairs (self->recipe) ? (int)tosst_pool_pairs (tosst_model_code_length (self))
                                                 : tosst_model_code_length (self);
}

gsize
tosst_model_all_lengths (const TosstModel *self)
{
  gsize length = self->parts == NULL ? (gsize)tosst_model_signature_length (self) : 0;

  for (guint i = 0; self->parts != NULL && i < self->parts->len; i++)
    length += (gsize)tosst_model_signature_length (self->parts->pdata[i]);
  return length;
}

int
tosst_model_classes (const TosstModel *self)
{
  return (int)g_strv_length (self->class_names);
}

gboolean
tosst_model_has_grid (const TosstModel *self)
{
  return self->parts == NULL && tosst_recipe_has_patches (self->recipe) && !tosst_recipe_has_frames (self->recipe)
         && !tosst_recipe_pools_pairs (self->recipe);
}

gboolean
tosst_signature_is_empty (const float *signature, int length)
{
  for (int i = 0; i < length; i++)
    if (signature[i] != 0)
      return FALSE;
  return TRUE;
}

gboolean
tosst_model_probabilities (const TosstModel *self, const double *margins, double *probabilities)
{
  double largest = -INFINITY, sum = 0;
  int classes = tosst_model_classes (self);

  for (int c = 0; self->sigmoids && c < classes; c++)
    probabilities[c] = 1 / (1 + exp (-self->sigmoids[2 * c] * margins[c] - self->sigmoids[2 * c + 1]));
  if (!(self->slope > 0))
    return self->sigmoids != NULL;
  for (int c = 0; c < classes; c++)
    largest = fmax (largest, margins[c]);
  for (int c = 0; c < classes; c++)
    sum += probabilities[c] = exp (self->slope * (margins[c] - largest));
  for (int c = 0; c < classes; c++)
    probabilities[c] /= sum;
  return TRUE;
}

gboolean
tosst_model_shows (const TosstModel *self, const double *margins, int class_index)
{
  const double *sigmoids = self->sigmoids;

  return sigmoids ? sigmoids[2 * class_index] * margins[class_index] + sigmoids[2 * class_index + 1] >= 0
                  : margins[class_index] > 0;
}

TosstStatus
tosst_model_margins (const TosstModel *self, TosstContext *context, const float *signatures, gsize n, double *margins)
{
  gsize classes = (gsize)tosst_model_classes (self);
  int length = self->kernel ? (int)self->kernel->length : self->svm->p;
  TosstStatus status = TOSST_OK;

  if (self->kernel)
    status = tosst_kernel_model_margins (self->kernel, context, signatures, n, margins);
  else
    tosst_svm_margins (self->svm, signatures, n, margins);
  for (gsize i = 0; i < n && self->empty && status == TOSST_OK; i++)
    if (tosst_signature_is_empty (signatures + i * (gsize)length, length))
      memcpy (margins + i * classes, self->empty, classes * sizeof *margins);
  return status;
}

static gboolean
read_classifier (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  const TosstNpy *w = tosst_npz_array (npz, "w");
  guint classes = g_strv_length (self->class_names);
  int length = tosst_model_signature_length (self);

  if (self->recipe->classifier.kernel != TOSST_KERNEL_LINEAR)
    {
      self->kernel
          = tosst_kernel_model_from_npz (npz, name, self->recipe->classifier.kernel, (gsize)length, classes, error);
      return self->kernel != NULL;
    }
  if (!w)
    return tosst_fail_input (error, name, _ ("is not a model: it has no member w"));
  if (classes < 1 || take (npz, "w", TOSST_NPY_FLOAT64, classes, (gsize)length + 1) == NULL)
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

/* Copies a member; FALSE if it is missing or has another shape. Arrays with values that are not finite are not read. */
static gboolean
take_doubles (TosstNpz *npz, const char *member, gsize rows, gsize columns, double *values)
{
  const TosstNpy *array = take (npz, member, TOSST_NPY_FLOAT64, rows, columns);

  if (array)
    memcpy (values, array->data, array->count * sizeof *values);
  return array != NULL;
}

/* Files of earlier versions have none. */
static gboolean
read_empty (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  gsize classes = (gsize)tosst_model_classes (self);

  if (!tosst_npz_array (npz, "empty"))
    return TRUE;
  self->empty = g_new (double, classes);
  return take_doubles (npz, "empty", classes, 0, self->empty)
         || tosst_fail_input (error, name, _ ("has a member empty whose shape does not match its classes"));
}

/* The same. */
static gboolean
read_sigmoids (TosstModel *self, TosstNpz *npz)
{
  gsize classes = (gsize)tosst_model_classes (self);

  if (!tosst_npz_array (npz, "sigmoids"))
    return TRUE;
  self->sigmoids = g_new (double, 2 * classes);
  if (!tosst_recipe_has_several_labels (self->recipe) || !take_doubles (npz, "sigmoids", classes, 2, self->sigmoids))
    return FALSE;
  for (gsize i = 0; i < 2 * classes; i++)
    if (!isfinite (self->sigmoids[i]) || (i % 2 == 0 && self->sigmoids[i] < 0))
      return FALSE;
  return TRUE;
}

/* Principal components, and the length of features that they tell. */
static gboolean
read_components (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  const TosstNpy *basis = tosst_npz_array (npz, "pca_basis");
  int q = self->recipe->descriptor.pca, D = self->recipe->descriptor.length;

  if (self->recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)
    D = TOSST_SIFT_LENGTH;
  if (basis && basis->ndim == 2 && D == 0)
    D = (int)MIN (basis->shape[0], (gsize)G_MAXUINT16 + 1);
  if (!basis || D < q)
    return tosst_fail_input (error, name,
                             basis ? _ ("has fewer numbers in a feature than principal components, descriptor.pca")
                                   : _ ("has no member pca_basis, though its recipe has principal components"));
  self->pca = tosst_pca_new (D, q);
  if (!self->pca)
    return tosst_fail_input (error, name, _ ("does not fit into memory"));
  if (!take_doubles (npz, "pca_basis", (gsize)D, (gsize)q, self->pca->basis)
      || !take_doubles (npz, "pca_mean", (gsize)D, 0, self->pca->mean)
      || !take_doubles (npz, "pca_values", (gsize)D, 0, self->pca->values))
    return tosst_fail_input (error, name,
                             _ ("has principal components (pca_mean, pca_values, pca_basis) whose shapes are not those "
                                "of %d numbers and %d components"),
                             D, q);
  if (self->recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    self->recipe->descriptor.length = D;
  return TRUE;
}

static gboolean
read_mixture (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  int K = self->recipe->coding.gaussians, d = tosst_recipe_dimension (self->recipe);

  if (!tosst_recipe_is_fisher (self->recipe))
    return TRUE;
  self->mixture = tosst_mixture_new (d, K);
  if (!self->mixture)
    return tosst_fail_input (error, name, _ ("does not fit into memory"));
  return (take_doubles (npz, "gaussian_weights", (gsize)K, 0, self->mixture->weights)
          && take_doubles (npz, "gaussian_means", (gsize)K, (gsize)d, self->mixture->means)
          && take_doubles (npz, "gaussian_variances", (gsize)K, (gsize)d, self->mixture->variances)
          && tosst_mixture_is_valid (self->mixture))
         || tosst_fail_input (
             error, name,
             _ ("has no mixture (gaussian_weights, gaussian_means, gaussian_variances) of %d Gaussians of "
                "%d numbers, as its recipe has"),
             K, d);
}

/* Reads what a recipe of local features needs. */
static gboolean
read_local (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  g_autoptr (GError) cause = NULL;
  TosstSiftOptions sift;

  if (!tosst_recipe_is_local (self->recipe))
    return !tosst_recipe_is_fisher (self->recipe)
           || tosst_fail_input (error, name,
                                _ ("is not a model: its recipe has Fisher vectors without local features"));
  if (self->recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT
      && !tosst_recipe_sift_options (self->recipe, &sift, &cause))
    return tosst_fail_input (error, name, _ ("is not a model: %s"), cause->message);
  if (self->recipe->descriptor.pca > 0)
    return read_components (self, npz, name, error);
  if (tosst_recipe_dimension (self->recipe) < 1)
    return tosst_fail_input (error, name, _ ("is not a model: its recipe has no descriptor.length"));
  return tosst_shape_numbers (tosst_recipe_shape (self->recipe)) < G_MAXINT
         || tosst_fail_input (error, name, _ ("is not a model: tensors of side %d would be too large"),
                              tosst_recipe_dimension (self->recipe));
}

/* Detects a dictionary file, for a specific error message. */
static gboolean
check_members (TosstNpz *npz, JsonObject *object, const char *name, GError **error)
{
  if ((tosst_npz_array (npz, "w") || tosst_npz_array (npz, "coefficients") || tosst_npz_bytes (npz, "part1.npz"))
      && object)
    return TRUE;
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_from_npz (npz, name, error);
  return dictionary
         && tosst_fail_input (error, name, _ ("is a dictionary, not a model written by tosst classify --model"));
}

static TosstModel *from_npz (TosstNpz *npz, const char *name, gboolean is_part, GError **error);

/* A part is no combination itself, and has the classes of the whole. */
static gboolean
read_parts (TosstModel *self, TosstNpz *npz, const char *name, GError **error)
{
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_model_free);
  for (guint i = 1; i <= TOSST_MODEL_PARTS; i++)
    {
      g_autofree char *member = g_strdup_printf ("part%u.npz", i), *where = g_strdup_printf ("%s, %s", name, member);
      GBytes *bytes = tosst_npz_bytes (npz, member);
      g_autoptr (TosstNpz) content = bytes ? tosst_npz_from_bytes (bytes, model_members, where, error) : NULL;
      TosstModel *part = content ? from_npz (content, where, TRUE, error) : NULL;

      if (!bytes)
        break;
      if (!part)
        return FALSE;
      g_ptr_array_add (self->parts, part);
      if (tosst_model_classes (part) != tosst_model_classes (self))
        return tosst_fail_input (error, where, _ ("has other classes than the model"));
    }
  return self->parts->len > 0 || tosst_fail_input (error, name, _ ("is not a model: it has no member part1.npz"));
}

/* npz NULL: error is already set and NULL is returned. */
static TosstModel *
from_npz (TosstNpz *npz, const char *name, gboolean is_part, GError **error)
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
  if (!self->recipe || !read_class_names (self, object, name, error) || !read_local (self, npz, name, error))
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
  if (is_part && tosst_recipe_has_parts (self->recipe))
    return tosst_fail_input (error, name, _ ("is a combination, and cannot be a part of one")), NULL;
  if (tosst_recipe_has_parts (self->recipe)
          ? !read_parts (self, npz, name, error)
          : !read_linear (self, npz, name, error) || !read_mixture (self, npz, name, error)
                || !read_classifier (self, npz, name, error) || !read_empty (self, npz, name, error))
    return NULL;
  /* Files of earlier versions have no slope. */
  self->slope = NAN;
  if (tosst_npz_array (npz, "slope")
      && !(take_doubles (npz, "slope", 1, 0, &self->slope) && self->slope > 0 && isfinite (self->slope)))
    return tosst_fail_input (error, name, _ ("has a member slope that is no positive number")), NULL;
  if (!read_sigmoids (self, npz))
    return tosst_fail_input (error, name, _ ("has a member sigmoids that does not match its classes")), NULL;
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
  g_autoptr (TosstNpz) npz = tosst_npz_read (file, model_members, error);

  return from_npz (npz, name, FALSE, error);
}

TosstModel *
tosst_model_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (TosstNpz) npz = tosst_npz_from_bytes (bytes, model_members, name, error);

  return from_npz (npz, name, FALSE, error);
}
