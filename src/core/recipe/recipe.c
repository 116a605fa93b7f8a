/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/recipe/recipe.h"

#define FIELD(recipe, parameter, Type) (*(Type *)((char *)(recipe) + (parameter)->offset))
#define CONST_FIELD(recipe, parameter, Type) (*(const Type *)((const char *)(recipe) + (parameter)->offset))

/* Value of an integer field with a derived default. */
static int
unset_integer (const TosstParameter *p)
{
  return (int)p->minimum - 1;
}

static gboolean
may_be_unset (const TosstParameter *p)
{
  return p->default_text[0] == '\0';
}

/* Shortest decimal text that reads back as the same number. */
static char *
real_to_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  /* At least 6 digits, so that 100 is not written as 1e+02. */
  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

/* All errors here are TOSST_FAILED_RECIPE. */
#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

static gboolean
fail_range (const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *low = real_to_text (p->minimum), *high = real_to_text (p->maximum);

  return fail (error,
               p->allow_infinite ? _ ("%s.%s must be between %s and %s or inf, not %s")
                                 : _ ("%s.%s must be between %s and %s, not %s"),
               p->group, p->key, low, high, text);
}

static gboolean
set_integer (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  char *end = NULL;
  gint64 value = g_ascii_strtoll (text, &end, 10);

  if (end == text || *end)
    return fail (error, _ ("%s.%s must be a whole number, not “%s”"), p->group, p->key, text);
  if (value < p->minimum || value > p->maximum)
    return fail_range (p, text, error);
  FIELD (recipe, p, int) = (int)value;
  return TRUE;
}

static gboolean
set_seed (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &value, NULL))
    return fail (error, _ ("%s.%s must be a whole number from 0 to 18446744073709551615, not “%s”"), p->group, p->key,
                 text);
  FIELD (recipe, p, guint64) = value;
  return TRUE;
}

static gboolean
set_real (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  char *end = NULL;
  double value = strcmp (text, "∞") == 0 ? INFINITY : g_ascii_strtod (text, &end);

  if ((end && (end == text || *end)) || isnan (value))
    return fail (error, _ ("%s.%s must be a number, not “%s”"), p->group, p->key, text);
  if (!(value == INFINITY && p->allow_infinite) && (value < p->minimum || value > p->maximum))
    return fail_range (p, text, error);
  FIELD (recipe, p, double) = value;
  return TRUE;
}

static gboolean
set_boolean (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL }, *const no[]
                                                                       = { "false", "no", "off", "0", NULL };

  if (!g_strv_contains (yes, text) && !g_strv_contains (no, text))
    return fail (error, _ ("%s.%s must be true or false, not “%s”"), p->group, p->key, text);
  FIELD (recipe, p, gboolean) = g_strv_contains (yes, text);
  return TRUE;
}

static gboolean
set_choice (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *all = NULL;

  for (int i = 0; p->choices[i]; i++)
    if (strcmp (p->choices[i], text) == 0)
      {
        FIELD (recipe, p, int) = i;
        return TRUE;
      }
  all = g_strjoinv (", ", (char **)p->choices);
  return fail (error, _ ("%s.%s must be one of %s, not “%s”"), p->group, p->key, all, text);
}

/* Whole numbers of a list such as "12;16;24" into values (TOSST_SIFT_MAX_SCALES; may be NULL). Returns their number, or 0
 * with error. */
static int
read_numbers (const TosstParameter *p, const char *text, int *values, GError **error)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ";,", -1);
  int n = (int)g_strv_length (parts);

  if (n > TOSST_SIFT_MAX_SCALES)
    return fail (error, _ ("%s.%s has %d numbers; %d at most are allowed"), p->group, p->key, n, TOSST_SIFT_MAX_SCALES);
  for (int i = 0; i < n; i++)
    {
      guint64 value;

      if (!g_ascii_string_to_unsigned (g_strstrip (parts[i]), 10, (guint64)p->minimum, (guint64)p->maximum, &value,
                                       NULL))
        return fail (error, _ ("%s.%s must be whole numbers from %g to %g separated by “;”, not “%s”"), p->group,
                     p->key, p->minimum, p->maximum, text);
      if (values)
        values[i] = (int)value;
    }
  return n;
}

static void
set_unset (TosstRecipe *recipe, const TosstParameter *p)
{
  if (p->type == TOSST_PARAMETER_INTEGER)
    FIELD (recipe, p, int) = unset_integer (p);
  else if (p->type == TOSST_PARAMETER_REAL)
    FIELD (recipe, p, double) = NAN;
  else if (p->type == TOSST_PARAMETER_TEXT)
    g_clear_pointer (&FIELD (recipe, p, char *), g_free);
}

static gboolean
set_value (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  if (text[0] == '\0')
    {
      if (!may_be_unset (p))
        return fail (error, _ ("%s.%s needs a value"), p->group, p->key);
      set_unset (recipe, p);
      return TRUE;
    }
  switch (p->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return set_boolean (recipe, p, text, error);
    case TOSST_PARAMETER_INTEGER:
      return set_integer (recipe, p, text, error);
    case TOSST_PARAMETER_SEED:
      return set_seed (recipe, p, text, error);
    case TOSST_PARAMETER_REAL:
      return set_real (recipe, p, text, error);
    case TOSST_PARAMETER_CHOICE:
      return set_choice (recipe, p, text, error);
    case TOSST_PARAMETER_TEXT:
      if (!g_utf8_validate (text, -1, NULL))
        return fail (error, _ ("%s.%s is not valid UTF-8 text"), p->group, p->key);
      if (p->maximum > 0 && !read_numbers (p, text, NULL, error))
        return FALSE;
      g_free (FIELD (recipe, p, char *));
      FIELD (recipe, p, char *) = g_strdup (text);
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/* descriptor.features names the features of matrices, and also takes the folder of descriptor.folder. */
static gboolean
names_folder (const char *text)
{
  return strchr (text, G_DIR_SEPARATOR) || g_file_test (text, G_FILE_TEST_IS_DIR);
}

gboolean
tosst_recipe_set (TosstRecipe *recipe, const char *name, const char *text, GError **error)
{
  g_return_val_if_fail (recipe != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (text != NULL, FALSE);

  const TosstParameter *p = tosst_parameter_find (name);

  if (p && p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.features) && names_folder (text))
    p = tosst_parameter_find ("descriptor.folder");
  if (p)
    return tosst_recipe_set_parameter (recipe, p, text, error);

  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  const char *group = NULL, *key = NULL;

  if (!parts[0] || !parts[1])
    return fail (error, _ ("unknown key %s; a key is written group.key, such as dictionary.atoms"), name);
  group = tosst_parameter_guess_group (parts[0]);
  if (!group)
    return fail (error, _ ("unknown key %s; there is no group %s"), name, parts[0]);
  key = tosst_parameter_guess_key (group, parts[1]);
  if (key && strcmp (group, parts[0]) == 0)
    return fail (error, _ ("unknown key %s; did you mean %s?"), name, key);
  if (key)
    return fail (error, _ ("unknown key %s; did you mean %s.%s?"), name, group, key);
  return fail (error, _ ("unknown key %s"), name);
}

/* Defaults with local features: whitening is on, a dictionary of whole images needs a smaller sparsity, and plain
 * tensors are not raised to a power again. */
static const struct
{
  const char *name, *sparse, *plain;
} local_defaults[] = {
  { "descriptor.gamma-eigen", "0.3", "0.3" },
  { "dictionary.lambda", "1e-4", "1e-4" },
  { "pooling.power", "0.5", "1" },
};

const char *
tosst_recipe_default_text (const TosstRecipe *recipe, const TosstParameter *p)
{
  for (gsize i = 0; i < G_N_ELEMENTS (local_defaults) && tosst_recipe_is_local (recipe); i++)
    if (tosst_parameter_find (local_defaults[i].name) == p)
      return tosst_recipe_has_dictionary (recipe) ? local_defaults[i].sparse : local_defaults[i].plain;
  return p->default_text;
}

gboolean
tosst_recipe_set_parameter (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  gboolean kept[G_N_ELEMENTS (local_defaults)] = { FALSE };
  gboolean moves = p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.method);

  for (gsize i = 0; i < G_N_ELEMENTS (kept) && moves; i++)
    kept[i] = tosst_recipe_is_default (recipe, tosst_parameter_find (local_defaults[i].name));
  if (!set_value (recipe, p, trimmed, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (kept[i])
      {
        const TosstParameter *other = tosst_parameter_find (local_defaults[i].name);
        set_value (recipe, other, tosst_recipe_default_text (recipe, other), NULL);
      }
  return TRUE;
}

char *
tosst_recipe_get (const TosstRecipe *recipe, const TosstParameter *p)
{
  g_return_val_if_fail (recipe != NULL, NULL);
  g_return_val_if_fail (p != NULL, NULL);

  const char *text;

  switch (p->type)
    {
    case TOSST_PARAMETER_BOOLEAN:
      return g_strdup (CONST_FIELD (recipe, p, gboolean) ? "true" : "false");
    case TOSST_PARAMETER_INTEGER:
      if (may_be_unset (p) && CONST_FIELD (recipe, p, int) == unset_integer (p))
        return g_strdup ("");
      return g_strdup_printf ("%d", CONST_FIELD (recipe, p, int));
    case TOSST_PARAMETER_SEED:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, CONST_FIELD (recipe, p, guint64));
    case TOSST_PARAMETER_REAL:
      return isnan (CONST_FIELD (recipe, p, double)) ? g_strdup ("") : real_to_text (CONST_FIELD (recipe, p, double));
    case TOSST_PARAMETER_CHOICE:
      return g_strdup (p->choices[CONST_FIELD (recipe, p, int)]);
    case TOSST_PARAMETER_TEXT:
      text = CONST_FIELD (recipe, p, char *);
      return g_strdup (text ? text : "");
    default:
      g_assert_not_reached ();
    }
}

TosstRecipe *
tosst_recipe_new (void)
{
  TosstRecipe *recipe = g_new0 (TosstRecipe, 1);
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!set_value (recipe, &p[i], p[i].default_text, &error))
        g_error ("the table has a wrong default: %s", error->message);
    }
  return recipe;
}

TosstRecipe *
tosst_recipe_new_samples (void)
{
  static const char *const settings[][2] = {
    { "dataset.kind", "samples" }, { "dataset.splits", "3" },         { "descriptor.step", "20" },
    { "dictionary.atoms", "60" },  { "dictionary.iterations", "20" }, { "dictionary.sample", "4000" },
  };
  TosstRecipe *recipe = tosst_recipe_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!tosst_recipe_set (recipe, settings[i][0], settings[i][1], &error))
        g_error ("the recipe of the samples is wrong: %s", error->message);
    }
  return recipe;
}

TosstRecipe *
tosst_recipe_copy (const TosstRecipe *recipe)
{
  TosstRecipe *copy = g_memdup2 (recipe, sizeof *recipe);
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    if (p[i].type == TOSST_PARAMETER_TEXT)
      FIELD (copy, &p[i], char *) = g_strdup (CONST_FIELD (recipe, &p[i], char *));
  return copy;
}

void
tosst_recipe_free (TosstRecipe *recipe)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  if (!recipe)
    return;
  for (guint i = 0; i < n; i++)
    if (p[i].type == TOSST_PARAMETER_TEXT)
      g_free (FIELD (recipe, &p[i], char *));
  g_free (recipe);
}

/* Values, not texts, are compared: 0.001 is the default 1e-3. */
gboolean
tosst_recipe_is_default (const TosstRecipe *recipe, const TosstParameter *parameter)
{
  g_autoptr (TosstRecipe) defaults = g_new0 (TosstRecipe, 1);
  g_autofree char *mine = tosst_recipe_get (recipe, parameter), *theirs = NULL;

  set_value (defaults, parameter, tosst_recipe_default_text (recipe, parameter), NULL);
  theirs = tosst_recipe_get (defaults, parameter);
  return strcmp (mine, theirs) == 0;
}

gboolean
tosst_recipe_equal (const TosstRecipe *a, const TosstRecipe *b)
{
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *x = tosst_recipe_get (a, &p[i]), *y = tosst_recipe_get (b, &p[i]);

      if (strcmp (x, y) != 0)
        return FALSE;
    }
  return TRUE;
}

/* The seed of the splits also draws the folds for choosing C, and the features for principal components. */
static gboolean
draws_more (const TosstRecipe *recipe)
{
  return recipe->classifier.choose_c || (tosst_recipe_is_local (recipe) && recipe->descriptor.pca > 0);
}

static const char *
why_lists_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  static const char *const divide[] = { "train-per-class", "splits", "protocol", "validate", NULL };

  if (g_str_has_prefix (p->key, "block"))
    return _ ("With several labels an image each whole image is one sample");
  if (g_strv_contains (divide, p->key) || (g_str_equal (p->key, "seed") && !draws_more (recipe)))
    return _ ("The lists of the data set say which images train and which test");
  return NULL;
}

static const char *
why_dataset_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  gboolean drawn = recipe->dataset.protocol == TOSST_PROTOCOL_RANDOM || recipe->dataset.within > 0;

  if (tosst_recipe_has_several_labels (recipe))
    return why_lists_inactive (recipe, p);
  if (g_str_equal (p->key, "path") && recipe->dataset.kind == TOSST_DATASET_SAMPLES)
    return _ ("The sample textures need no folder");
  if (g_str_equal (p->key, "block-step") && tosst_recipe_block (recipe) == 0)
    return _ ("Only when images are cut into blocks");
  if (g_str_equal (p->key, "splits") && !drawn)
    return _ ("Only for the random protocol");
  if (g_str_equal (p->key, "seed") && !drawn && !draws_more (recipe))
    return _ ("Only for the random protocol");
  if (g_str_equal (p->key, "validate") && recipe->dataset.within == 0)
    return _ ("Only when the training samples of a split are divided again");
  if (g_str_equal (p->key, "train-per-class") && recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return _ ("Leave-one-out trains on all samples but one of each class");
  return NULL;
}

static TosstFeatureKind
feature_kind (const TosstRecipe *recipe)
{
  switch (recipe->descriptor.kind)
    {
    case TOSST_DESCRIPTOR_LINEAR:
      return TOSST_FEATURES_LINEAR;
    case TOSST_DESCRIPTOR_RBF:
      return TOSST_FEATURES_RBF;
    case TOSST_DESCRIPTOR_COVARIANCE:
    case TOSST_DESCRIPTOR_AUTOCORRELATION:
    case TOSST_DESCRIPTOR_SIFT:
    case TOSST_DESCRIPTOR_FEATURES:
    default:
      return recipe->descriptor.features;
    }
}

/* Keys of local features, and those that only patches have. */
static const char *const sift_keys[] = { "radii", "strides", "root", "flat", "longest-side", NULL };
static const char *const file_keys[] = { "folder", "length", NULL };
static const char *const local_keys[]
    = { "order",   "normalise",      "pca",     "pca-centre", "pca-whiten", "pca-sample",
        "spatial", "spatial-weight", "regions", NULL };
static const char *const patch_keys[] = { "luminance", "opponent", "absolute", "patch", "step", "features", NULL };

static const char *
why_local_inactive (const TosstRecipe *recipe, const TosstParameter *p, gboolean map)
{
  if (map || g_strv_contains (patch_keys, p->key))
    return _ ("Only for descriptors of patches");
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_SIFT && g_strv_contains (sift_keys, p->key))
    return _ ("Only for dense SIFT");
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES && g_strv_contains (file_keys, p->key))
    return _ ("Only for features in files");
  if (recipe->descriptor.pca == 0 && g_str_has_prefix (p->key, "pca-"))
    return _ ("Only with principal components");
  if (recipe->descriptor.spatial == TOSST_SPATIAL_NONE && g_str_equal (p->key, "spatial-weight"))
    return _ ("Only with spatial codes");
  if (!tosst_recipe_has_dictionary (recipe) && g_str_equal (p->key, "regions"))
    return _ ("Only for sparse codes, which need a dictionary");
  return NULL;
}

static const char *
why_descriptor_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  gboolean map
      = g_str_equal (p->key, "pivots") || g_str_has_prefix (p->key, "sigma-") || g_str_has_prefix (p->key, "range-");

  if (tosst_recipe_is_local (recipe))
    return why_local_inactive (recipe, p, map);
  if (g_strv_contains (sift_keys, p->key) || g_strv_contains (file_keys, p->key)
      || g_strv_contains (local_keys, p->key))
    return _ ("Only for local features");
  if (g_str_equal (p->key, "features") && tosst_recipe_moment (recipe) == TOSST_MOMENT_THIRD_ORDER)
    return _ ("Only for covariance and autocorrelation");
  if (map && feature_kind (recipe) != TOSST_FEATURES_RBF)
    return _ ("Only for rbf features");
  if (g_str_equal (p->key, "sigma-luminance") && !recipe->descriptor.luminance)
    return _ ("Only when luminance is a feature");
  if ((g_str_equal (p->key, "sigma-opponent") || g_str_equal (p->key, "range-opponent"))
      && !recipe->descriptor.opponent)
    return _ ("Only when opponent colour is a feature");
  return NULL;
}

/* Whether a parameter of the dictionary is one of a linear map, too: K, and what its random numbers or training tensors
 * depend on. */
static gboolean
is_of_linear (const TosstRecipe *recipe, const TosstParameter *p)
{
  return tosst_recipe_is_linear (recipe)
         && (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.atoms)
             || p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.seed)
             || (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.sample)
                 && recipe->coding.method == TOSST_CODING_PCA));
}

const char *
tosst_recipe_why_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  if (g_str_equal (p->group, "dataset"))
    return why_dataset_inactive (recipe, p);
  if (g_str_equal (p->group, "descriptor"))
    return why_descriptor_inactive (recipe, p);
  if (!tosst_recipe_has_dictionary (recipe) && !is_of_linear (recipe, p)
      && (g_str_equal (p->group, "dictionary")
          || (g_str_equal (p->group, "coding") && !g_str_equal (p->key, "method"))))
    return _ ("Only for sparse codes, which need a dictionary");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.score) && !tosst_recipe_has_several_labels (recipe))
    return _ ("Only for images with several labels");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.c) && recipe->classifier.choose_c)
    return _ ("Chosen by cross-validation");
  if (tosst_recipe_is_local (recipe)
      && (p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.kind)
          || p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.parameter)))
    return _ ("Images of local features have one code, which needs no pooling");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.parameter)
      && (recipe->pooling.kind == TOSST_POOL_AVERAGE || recipe->pooling.kind == TOSST_POOL_MAX
          || recipe->pooling.kind == TOSST_POOL_EXAPRO))
    return _ ("Only for maxexp, gamma, axmin and at-n pooling");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.rank) && recipe->dictionary.scheme != TOSST_SCHEME_LOW_RANK)
    return _ ("Only for low-rank atoms");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.forgetting) && recipe->dictionary.minibatch == 0)
    return _ ("Only when learning from batches");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.eta) && recipe->dictionary.solver != TOSST_SOLVER_GRADIENT)
    return _ ("Only for the gradient solver");
  if ((p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.gamma)
       || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.gamma)
       || p->offset == G_STRUCT_OFFSET (TosstRecipe, dictionary.signed_b))
      && recipe->dictionary.scheme == TOSST_SCHEME_FULL)
    return _ ("Not for atoms that are whole tensors");
  return NULL;
}

const char *
tosst_recipe_doubt (const TosstRecipe *recipe, const TosstParameter *parameter)
{
  return parameter->doubtful > 0 && G_STRUCT_MEMBER (double, recipe, parameter->offset) > parameter->doubtful
                 && tosst_recipe_why_inactive (recipe, parameter) == NULL
             ? parameter->doubt
             : NULL;
}

/* Checks the parameters of a dictionary, if the recipe has one. */
static gboolean
check_dictionary (const TosstRecipe *recipe, GError **error)
{
  TosstLearnOptions learn;
  TosstMinibatchOptions minibatch;
  const char *why;
  int d = tosst_recipe_dimension (recipe), slices = tosst_shape_slices (tosst_recipe_shape (recipe));

  if ((gint64)recipe->dictionary.sample * slices < recipe->dictionary.atoms)
    return fail (error, _ ("%s is %d, too few tensors of %d slices each for dictionary.atoms, which is %d"),
                 "dictionary.sample", recipe->dictionary.sample, slices, recipe->dictionary.atoms);
  if (recipe->dictionary.scheme == TOSST_SCHEME_LOW_RANK && recipe->dictionary.rank > d)
    return fail (error, _ ("dictionary.rank is %d, more than the side of the tensors, which is %d"),
                 recipe->dictionary.rank, d);
  if (recipe->dictionary.minibatch > 0 && (gint64)recipe->dictionary.minibatch * slices < recipe->dictionary.atoms)
    return fail (error, _ ("%s is %d, too few tensors of %d slices each for dictionary.atoms, which is %d"),
                 "dictionary.minibatch", recipe->dictionary.minibatch, slices, recipe->dictionary.atoms);
  tosst_recipe_learn_options (recipe, &learn);
  why = tosst_recipe_minibatch_options (recipe, &minibatch)
            ? tosst_minibatch_check (&minibatch, &learn, tosst_recipe_shape (recipe))
            : NULL;
  if (why)
    return fail (error, "dictionary.minibatch: %s", why);
  why = tosst_atom_set_check (&(TosstAtomSet){ tosst_recipe_shape (recipe), learn.scheme, learn.rank });
  if (why)
    return fail (error, "dictionary.scheme: %s", why);
  why = tosst_learn_options_check (&learn, recipe->dictionary.sample, tosst_recipe_shape (recipe));
  return !why || fail (error, "dictionary: %s", why);
}

static gboolean
check_logarithm (const TosstRecipe *recipe, GError **error)
{
  TosstPoolKind pool = recipe->pooling.kind;

  if (tosst_recipe_moment (recipe) == TOSST_MOMENT_THIRD_ORDER)
    return fail (
        error,
        _ ("coding.method log-euclidean needs matrices: descriptor.kind must be covariance or autocorrelation, or "
           "descriptor.order 2"));
  if (recipe->descriptor.gamma_coefficient < 1)
    return fail (error, _ ("coding.method log-euclidean needs positive semi-definite matrices, which "
                           "descriptor.gamma-coefficient below 1 does not guarantee"));
  if (pool == TOSST_POOL_MAXEXP || pool == TOSST_POOL_AXMIN || pool == TOSST_POOL_EXAPRO)
    return fail (error, _ ("pooling.kind maxexp, axmin and exapro interpret codes as probabilities and cannot be "
                           "combined with coding.method log-euclidean"));
  return TRUE;
}

/* Larger tensors have over 10⁶ numbers. */
#define LARGEST_DIMENSION 180

static gboolean
check_local (const TosstRecipe *recipe, int block, GError **error)
{
  gboolean files = recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;
  int D = files ? recipe->descriptor.length : TOSST_SIFT_LENGTH, d = tosst_recipe_dimension (recipe);
  TosstSiftOptions sift;

  if (block > 0)
    return fail (error, _ ("dataset.block must be 0: local features describe whole images"));
  if (!files && !tosst_recipe_sift_options (recipe, &sift, error))
    return FALSE;
  if (files && !recipe->descriptor.folder && recipe->dataset.kind == TOSST_DATASET_SAMPLES)
    return fail (error, _ ("descriptor.folder must name the folder of the files of features"));
  if (D > 0 && recipe->descriptor.pca > D)
    return fail (error, _ ("descriptor.pca is %d, more than the %d numbers of a feature"), recipe->descriptor.pca, D);
  if (d == 0)
    return fail (error, _ ("descriptor.length must be the length of the features, as descriptor.pca is 0"));
  if (d > LARGEST_DIMENSION)
    return fail (error, _ ("tensors of side %d would be too large: descriptor.pca must be %d at most, and above 0"), d,
                 LARGEST_DIMENSION - (d - (recipe->descriptor.pca > 0 ? recipe->descriptor.pca : D)));
  return TRUE;
}

gboolean
tosst_recipe_check (const TosstRecipe *recipe, GError **error)
{
  TosstFeatureOptions features;
  const char *why;
  int block = tosst_recipe_block (recipe);

  if (recipe->dataset.kind != TOSST_DATASET_SAMPLES && !recipe->dataset.path)
    return fail (error, _ ("dataset.path must name the folder of the images"));
  if (tosst_recipe_is_local (recipe))
    {
      if (!check_local (recipe, block, error))
        return FALSE;
    }
  else if (block == 1 || (block > 0 && block < recipe->descriptor.patch))
    return fail (error, _ ("dataset.block is %d pixels, too small for a patch of %d; lower descriptor.patch"), block,
                 recipe->descriptor.patch);
  if ((tosst_recipe_has_dictionary (recipe) && !check_dictionary (recipe, error))
      || (recipe->coding.method == TOSST_CODING_LOG_EUCLIDEAN && !check_logarithm (recipe, error)))
    return FALSE;
  tosst_recipe_feature_options (recipe, &features);
  why = tosst_recipe_is_local (recipe) ? NULL : tosst_feature_options_check (&features);
  if (why)
    return fail (error, "%s", why);
  why = tosst_pool_check (recipe->pooling.kind, recipe->pooling.parameter);
  if (why)
    return fail (error, "pooling.parameter: %s", why);
  return TRUE;
}

void
tosst_recipe_feature_options (const TosstRecipe *recipe, TosstFeatureOptions *options)
{
  *options = (TosstFeatureOptions){
    .kind = feature_kind (recipe),
    .luminance = recipe->descriptor.luminance,
    .opponent = recipe->descriptor.opponent,
    .absolute = recipe->descriptor.absolute,
    .pivots = recipe->descriptor.pivots,
    .sigma_position = recipe->descriptor.sigma_position,
    .sigma_luminance = recipe->descriptor.sigma_luminance,
    .sigma_opponent = recipe->descriptor.sigma_opponent,
    .sigma_first = recipe->descriptor.sigma_first,
    .sigma_second = recipe->descriptor.sigma_second,
    .range_first = recipe->descriptor.range_first,
    .range_second = recipe->descriptor.range_second,
    .range_opponent = recipe->descriptor.range_opponent,
  };
}

void
tosst_recipe_learn_options (const TosstRecipe *recipe, TosstLearnOptions *options)
{
  tosst_learn_options_default (options);
  options->atoms = recipe->dictionary.atoms;
  options->scheme = recipe->dictionary.scheme;
  options->rank = recipe->dictionary.rank > 0 ? recipe->dictionary.rank : MAX (1, tosst_recipe_dimension (recipe) / 2);
  options->problem.lambda = recipe->dictionary.lambda;
  options->problem.gamma = recipe->dictionary.gamma;
  options->iterations = recipe->dictionary.iterations;
  options->tolerance = recipe->dictionary.tolerance;
  options->seed = recipe->dictionary.seed;
  options->signed_b = recipe->dictionary.signed_b;
  options->init = recipe->dictionary.init;
  options->problem.signed_alpha = recipe->coding.signed_alpha;
  options->problem.nonnegative_beta = recipe->coding.nonnegative_beta;
  options->solver = recipe->dictionary.solver;
  options->eta = isnan (recipe->dictionary.eta) ? 0 : recipe->dictionary.eta;
}

gboolean
tosst_recipe_minibatch_options (const TosstRecipe *recipe, TosstMinibatchOptions *options)
{
  tosst_minibatch_options_default (options);
  options->batch = (size_t)recipe->dictionary.minibatch;
  options->forgetting = recipe->dictionary.forgetting;
  return recipe->dictionary.minibatch > 0;
}

void
tosst_recipe_coding_options (const TosstRecipe *recipe, TosstCodingOptions *options)
{
  tosst_coding_options_default (options);
  options->problem.lambda = isnan (recipe->coding.lambda) ? recipe->dictionary.lambda : recipe->coding.lambda;
  options->problem.gamma = isnan (recipe->coding.gamma) ? recipe->dictionary.gamma : recipe->coding.gamma;
  options->problem.signed_alpha = recipe->coding.signed_alpha;
  options->problem.nonnegative_beta = recipe->coding.nonnegative_beta;
}

gboolean
tosst_recipe_has_several_labels (const TosstRecipe *recipe)
{
  return recipe->dataset.kind == TOSST_DATASET_VOC2007 || recipe->dataset.kind == TOSST_DATASET_LABELS;
}

TosstScore
tosst_recipe_score (const TosstRecipe *recipe)
{
  if (!tosst_recipe_has_several_labels (recipe))
    return TOSST_SCORE_ACCURACY;
  return recipe->classifier.score == TOSST_SCORE_AREA ? TOSST_SCORE_AREA : TOSST_SCORE_AP11;
}

gboolean
tosst_recipe_is_local (const TosstRecipe *recipe)
{
  return recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT || recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;
}

gboolean
tosst_recipe_has_split_tensors (const TosstRecipe *recipe)
{
  return tosst_recipe_is_local (recipe) && (recipe->descriptor.pca > 0 || tosst_recipe_regions (recipe, NULL) > 1);
}

gboolean
tosst_recipe_sift_options (const TosstRecipe *recipe, TosstSiftOptions *options, GError **error)
{
  const TosstParameter *radii = tosst_parameter_find ("descriptor.radii"),
                       *strides = tosst_parameter_find ("descriptor.strides");
  int n;

  *options = (TosstSiftOptions){ .root = recipe->descriptor.root };
  options->scales = read_numbers (radii, recipe->descriptor.radii, options->radius, error);
  n = options->scales ? read_numbers (strides, recipe->descriptor.strides, options->stride, error) : 0;
  if (n == 0)
    return FALSE;
  for (int i = 0; i < options->scales; i++)
    if (options->radius[i] % 2 != 0)
      return fail (error, _ ("descriptor.radii must be even, not %d: a bin is half a radius"), options->radius[i]);
  return n == options->scales
         || fail (error, _ ("descriptor.radii has %d numbers and descriptor.strides %d; each scale needs both"),
                  options->scales, n);
}

void
tosst_recipe_local_encoding (const TosstRecipe *recipe, const TosstPca *pca, TosstLocalEncoding *encoding)
{
  int D = recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT ? TOSST_SIFT_LENGTH : recipe->descriptor.length;

  *encoding = (TosstLocalEncoding){
    .D = pca != NULL ? pca->D : D,
    .q = recipe->descriptor.pca > 0 ? recipe->descriptor.pca : D,
    .mean = pca != NULL ? pca->mean : NULL,
    .basis = pca != NULL ? pca->basis : NULL,
    .weight = recipe->descriptor.spatial == TOSST_SPATIAL_SPM ? recipe->descriptor.spatial_weight : 0,
    .normalise = recipe->descriptor.normalise,
    .order = recipe->descriptor.order,
  };
}

guint
tosst_recipe_regions (const TosstRecipe *recipe, const TosstRegion **regions)
{
  /* The image, four overlapping quarters and the centre. */
  static const TosstRegion parts[] = {
    { 0, 0, 1, 1 },       { 0, 0, 0.55, 0.55 }, { 0.45, 0, 1, 0.55 },
    { 0, 0.45, 0.55, 1 }, { 0.45, 0.45, 1, 1 }, { 0.2, 0.2, 0.8, 0.8 },
  };

  if (regions)
    *regions = parts;
  return recipe->descriptor.regions && tosst_recipe_has_dictionary (recipe) ? G_N_ELEMENTS (parts) : 1;
}

int
tosst_recipe_dimension (const TosstRecipe *recipe)
{
  TosstFeatureOptions options;

  if (tosst_recipe_is_local (recipe))
    {
      TosstLocalEncoding encoding;

      tosst_recipe_local_encoding (recipe, NULL, &encoding);
      return encoding.q > 0 ? tosst_local_dimension (&encoding) : 0;
    }
  tosst_recipe_feature_options (recipe, &options);
  return tosst_feature_dimension (&options);
}

TosstShape
tosst_recipe_shape (const TosstRecipe *recipe)
{
  TosstShape shape = tosst_moment_shape (tosst_recipe_moment (recipe), tosst_recipe_dimension (recipe));

  if (shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC && recipe->dictionary.scheme == TOSST_SCHEME_FULL
      && tosst_recipe_has_dictionary (recipe))
    shape.kind = TOSST_SHAPE_WHOLE;
  return shape;
}

TosstMoment
tosst_recipe_moment (const TosstRecipe *recipe)
{
  switch (recipe->descriptor.kind)
    {
    case TOSST_DESCRIPTOR_COVARIANCE:
      return TOSST_MOMENT_COVARIANCE;
    case TOSST_DESCRIPTOR_AUTOCORRELATION:
      return TOSST_MOMENT_AUTOCORRELATION;
    case TOSST_DESCRIPTOR_SIFT:
    case TOSST_DESCRIPTOR_FEATURES:
      return recipe->descriptor.order == 2 ? TOSST_MOMENT_AUTOCORRELATION : TOSST_MOMENT_THIRD_ORDER;
    case TOSST_DESCRIPTOR_LINEAR:
    case TOSST_DESCRIPTOR_RBF:
    default:
      return TOSST_MOMENT_THIRD_ORDER;
    }
}

gboolean
tosst_recipe_has_dictionary (const TosstRecipe *recipe)
{
  return recipe->coding.method == TOSST_CODING_SPARSE;
}

gboolean
tosst_recipe_is_linear (const TosstRecipe *recipe)
{
  return recipe->coding.method == TOSST_CODING_PROJECTION || recipe->coding.method == TOSST_CODING_PCA;
}

int
tosst_recipe_code_length (const TosstRecipe *recipe)
{
  return tosst_recipe_has_dictionary (recipe) || tosst_recipe_is_linear (recipe)
             ? recipe->dictionary.atoms
             : (int)tosst_shape_numbers (tosst_recipe_shape (recipe));
}

int
tosst_recipe_block (const TosstRecipe *recipe)
{
  if (tosst_recipe_has_several_labels (recipe))
    return 0;
  if (recipe->dataset.block >= 0)
    return recipe->dataset.block;
  return recipe->dataset.kind == TOSST_DATASET_BRODATZ ? 160 : 0;
}
