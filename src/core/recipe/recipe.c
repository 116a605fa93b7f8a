/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options of the engine, and what else follows from the values of a recipe.
 */
#include "core/recipe/recipe.h"

#include "core/base/base.h"
#include "core/base/input-file.h"
#include "tosst/pool.h"

/* All errors here are TOSST_FAILED_RECIPE. */
#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

/* Whole numbers of a list such as "12;16;24" into values (TOSST_SIFT_MAX_SCALES; may be NULL). Returns their number, or 0
 * with error. */
static int
tosst_parameter_numbers (const TosstParameter *p, const char *text, int *values, GError **error)
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

void
tosst_recipe_feature_options (const TosstRecipe *recipe, TosstFeatureOptions *options)
{
  TosstDescriptorKind descriptor = recipe->descriptor.kind;

  *options = (TosstFeatureOptions){
    .kind = descriptor == TOSST_DESCRIPTOR_LINEAR ? TOSST_FEATURES_LINEAR
            : descriptor == TOSST_DESCRIPTOR_RBF  ? TOSST_FEATURES_RBF
                                                  : recipe->descriptor.features,
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
  options->span = tosst_recipe_coding (recipe) == TOSST_CODING_SPAN;
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
tosst_recipe_is_texture (const TosstRecipe *recipe, TosstTexture *kind)
{
  gboolean upright = recipe->descriptor.kind == TOSST_DESCRIPTOR_IMAGE_COVARIANCE;
  gboolean invariant = recipe->descriptor.kind == TOSST_DESCRIPTOR_INVARIANT_COVARIANCE;

  if (kind)
    *kind = upright ? TOSST_TEXTURE_COVARIANCE : invariant ? TOSST_TEXTURE_INVARIANT : TOSST_TEXTURE_LBP;
  return upright || invariant || recipe->descriptor.kind == TOSST_DESCRIPTOR_LBP;
}

int
tosst_recipe_longest (const TosstRecipe *recipe)
{
  if (tosst_recipe_block (recipe) > 0 || tosst_recipe_has_copies (recipe))
    return 0;
  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)
    return recipe->descriptor.longest_side;
  return tosst_recipe_is_texture (recipe, NULL) ? TOSST_TEXTURE_LONGEST : 0;
}

gboolean
tosst_recipe_has_patches (const TosstRecipe *recipe)
{
  return !tosst_recipe_is_local (recipe) && !tosst_recipe_is_texture (recipe, NULL);
}

gboolean
tosst_recipe_pools_pairs (const TosstRecipe *recipe)
{
  return recipe->pooling.order == 2 && tosst_recipe_has_patches (recipe);
}

TosstStatus
tosst_recipe_pool_codes (const TosstRecipe *recipe, const float *codes, int K, const gsize *index, gsize n,
                         float *signature)
{
  double power = recipe->pooling.power;
  gboolean l2 = recipe->pooling.l2;

  if (tosst_recipe_pools_pairs (recipe))
    return tosst_pool_second_order (codes, K, index, n, recipe->pooling.code_power, power, l2, signature);
  /* A sample with one code keeps it: averaging does. */
  TosstPoolKind kind = tosst_recipe_has_patches (recipe) ? recipe->pooling.kind : TOSST_POOL_AVERAGE;
  TosstStatus status = tosst_pool (kind, recipe->pooling.parameter, codes, K, index, n, signature);
  if (status == TOSST_OK)
    tosst_normalise_signature (signature, K, power, l2);
  return status;
}

gboolean
tosst_recipe_has_split_tensors (const TosstRecipe *recipe)
{
  return tosst_recipe_is_local (recipe) && tosst_recipe_has_tensors (recipe)
         && (recipe->descriptor.pca > 0 || tosst_recipe_regions (recipe, NULL) > 1);
}

gboolean
tosst_recipe_sift_options (const TosstRecipe *recipe, TosstSiftOptions *options, GError **error)
{
  const TosstParameter *radii = tosst_parameter_find ("descriptor.radii"),
                       *strides = tosst_parameter_find ("descriptor.strides");

  *options = (TosstSiftOptions){ .root = recipe->descriptor.root };
  options->scales = tosst_parameter_numbers (radii, recipe->descriptor.radii, options->radius, error);
  int n = options->scales ? tosst_parameter_numbers (strides, recipe->descriptor.strides, options->stride, error) : 0;
  if (n == 0)
    return FALSE;
  for (int i = 0; i < options->scales; i++)
    if (options->radius[i] % 2 != 0)
      return fail (error, _ ("descriptor.radii must be even, not %d: a bin is half a radius"), options->radius[i]);
  return n == options->scales
         || fail (error, _ ("descriptor.radii has %d numbers and descriptor.strides %d; each scale needs both"),
                  options->scales, n);
}

gboolean
tosst_recipe_has_copies (const TosstRecipe *recipe)
{
  return recipe->dataset.copies > 0 && !tosst_recipe_has_several_labels (recipe)
         && recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES;
}

gboolean
tosst_recipe_has_frames (const TosstRecipe *recipe)
{
  return recipe->descriptor.frames != TOSST_FRAMES_GRID && recipe->descriptor.kind <= TOSST_DESCRIPTOR_SIFT;
}

void
tosst_recipe_frame_options (const TosstRecipe *recipe, TosstFrameOptions *options)
{
  tosst_frame_options_default (options);
  options->dense = recipe->descriptor.frames == TOSST_FRAMES_DENSE_SCALES;
  options->detector = recipe->descriptor.detector;
  options->affine = recipe->descriptor.affine;
  options->upright = recipe->descriptor.upright;
  options->most = (size_t)recipe->descriptor.most;
  options->finest = recipe->descriptor.finest;
}

TosstFramePatch
tosst_recipe_frame_patch (const TosstRecipe *recipe)
{
  return (TosstFramePatch){ recipe->descriptor.patch, TOSST_PATCH_MARGIN, TOSST_FRAME_EXTENT,
                            recipe->descriptor.photometric };
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
    .weight = recipe->descriptor.spatial == TOSST_SPATIAL_SPM && tosst_recipe_has_tensors (recipe)
                  ? recipe->descriptor.spatial_weight
                  : 0,
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
  TosstTexture texture;

  if (tosst_recipe_is_texture (recipe, &texture))
    return tosst_texture_length (texture);
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
  if (tosst_recipe_is_texture (recipe, NULL))
    return (TosstShape){ TOSST_SHAPE_GENERAL, tosst_recipe_dimension (recipe), 1, 1 };
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
    case TOSST_DESCRIPTOR_LBP:
    case TOSST_DESCRIPTOR_IMAGE_COVARIANCE:
    case TOSST_DESCRIPTOR_INVARIANT_COVARIANCE:
    case TOSST_DESCRIPTOR_COMBINED:
    default:
      return TOSST_MOMENT_THIRD_ORDER;
    }
}

TosstCodingMethod
tosst_recipe_coding (const TosstRecipe *recipe)
{
  return tosst_recipe_is_texture (recipe, NULL) || tosst_recipe_is_combined (recipe) ? TOSST_CODING_RAW
                                                                                     : recipe->coding.method;
}

gboolean
tosst_recipe_is_combined (const TosstRecipe *recipe)
{
  return recipe->descriptor.kind == TOSST_DESCRIPTOR_COMBINED;
}

gboolean
tosst_recipe_has_parts (const TosstRecipe *recipe)
{
  return tosst_recipe_is_combined (recipe) || recipe->classifier.beside != NULL;
}

gboolean
tosst_recipe_has_dictionary (const TosstRecipe *recipe)
{
  TosstCodingMethod method = tosst_recipe_coding (recipe);

  return method == TOSST_CODING_SPARSE || method == TOSST_CODING_SPAN;
}

gboolean
tosst_recipe_is_linear (const TosstRecipe *recipe)
{
  TosstCodingMethod method = tosst_recipe_coding (recipe);

  return method == TOSST_CODING_PROJECTION || method == TOSST_CODING_PCA;
}

gboolean
tosst_recipe_is_fisher (const TosstRecipe *recipe)
{
  return tosst_recipe_coding (recipe) == TOSST_CODING_FISHER;
}

gboolean
tosst_recipe_has_tensors (const TosstRecipe *recipe)
{
  return !tosst_recipe_is_fisher (recipe) && !tosst_recipe_is_combined (recipe);
}

int
tosst_recipe_code_length (const TosstRecipe *recipe)
{
  if (tosst_recipe_is_combined (recipe))
    return 1; /* there is no signature: similarities are added */
  if (tosst_recipe_is_fisher (recipe))
    return 2 * recipe->coding.gaussians * tosst_recipe_dimension (recipe);
  return tosst_recipe_has_dictionary (recipe) || tosst_recipe_is_linear (recipe)
             ? recipe->dictionary.atoms
             : (int)tosst_shape_numbers (tosst_recipe_shape (recipe));
}

int
tosst_recipe_signature_length (const TosstRecipe *recipe)
{
  int length = tosst_recipe_code_length (recipe);

  return tosst_recipe_pools_pairs (recipe) ? (int)MIN (tosst_pool_pairs (length), G_MAXINT) : length;
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

/* Whether training samples are a share of each class. */
static gboolean
trains_share (const TosstRecipe *recipe)
{
  return recipe->dataset.train_per_class == 0 && recipe->dataset.kind == TOSST_DATASET_FOLDERS;
}

int
tosst_recipe_train_per_class (const TosstRecipe *recipe)
{
  return recipe->dataset.train_per_class > 0 || trains_share (recipe) ? recipe->dataset.train_per_class : 24;
}

int
tosst_recipe_validate (const TosstRecipe *recipe)
{
  return recipe->dataset.validate > 0 || trains_share (recipe) ? recipe->dataset.validate : 8;
}

/* The nearest number to a share of n, that leaves some on both sides. */
static gsize
share_of (double share, gsize n)
{
  return n < 2 ? 0 : (gsize)CLAMP (round (share * (double)n), 1, (double)n - 1);
}

gsize
tosst_recipe_train_units (const TosstRecipe *recipe, gsize n)
{
  return trains_share (recipe) ? share_of (recipe->dataset.train_share, n)
                               : (gsize)tosst_recipe_train_per_class (recipe);
}

gsize
tosst_recipe_validate_units (const TosstRecipe *recipe, gsize n)
{
  gsize validate = (gsize)tosst_recipe_validate (recipe);

  return recipe->dataset.validate > 0 || (validate > 0 && validate < n) ? validate : share_of (1.0 / 3, n);
}

/* Combinations of values that are refused. */

/* Checks the parameters of a dictionary, if the recipe has one. */
static gboolean
check_dictionary (const TosstRecipe *recipe, GError **error)
{
  TosstLearnOptions learn;
  TosstMinibatchOptions minibatch;
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
  const char *why = tosst_recipe_minibatch_options (recipe, &minibatch)
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
/* 1000 numbers have half a million pairs, 2 MB a sample. */
#define MOST_PAIRED 1000

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
  if (tosst_recipe_is_fisher (recipe) && recipe->coding.gaussian_sample < recipe->coding.gaussians)
    return fail (error, _ ("coding.gaussian-sample is %d, fewer features than coding.gaussians, which is %d"),
                 recipe->coding.gaussian_sample, recipe->coding.gaussians);
  if (d > LARGEST_DIMENSION && tosst_recipe_is_fisher (recipe))
    return fail (error,
                 _ ("Fisher vectors of %d numbers a feature would be too long: descriptor.pca must be %d at most, "
                    "and above 0"),
                 d, LARGEST_DIMENSION);
  if (d > LARGEST_DIMENSION)
    return fail (error, _ ("tensors of side %d would be too large: descriptor.pca must be %d at most, and above 0"), d,
                 LARGEST_DIMENSION - (d - (recipe->descriptor.pca > 0 ? recipe->descriptor.pca : D)));
  return TRUE;
}

/* Blocks that the descriptor does not fit into. */
static gboolean
check_block (const TosstRecipe *recipe, int block, GError **error)
{
  TosstTexture texture;

  if (tosst_recipe_is_texture (recipe, &texture))
    return block == 0 || block >= tosst_texture_side (texture)
           || fail (error, _ ("dataset.block is %d pixels; descriptor.kind needs %d at least"), block,
                    tosst_texture_side (texture));
  return (block != 1 && (block == 0 || block >= recipe->descriptor.patch))
         || fail (error, _ ("dataset.block is %d pixels, too small for a patch of %d; lower descriptor.patch"), block,
                  recipe->descriptor.patch);
}

gboolean
tosst_recipe_check (const TosstRecipe *recipe, GError **error)
{
  TosstFeatureOptions features;
  int block = tosst_recipe_block (recipe);

  if (recipe->dataset.kind != TOSST_DATASET_SAMPLES && !recipe->dataset.path)
    return fail (error, _ ("dataset.path must name the folder of the images"));
  /* The recipes of the parts are checked where they are made. */
  if (tosst_recipe_is_combined (recipe))
    return recipe->descriptor.parts != NULL
           || fail (error, _ ("descriptor.parts must name the methods that are combined, separated by semicolons"));
  if (tosst_recipe_is_local (recipe))
    {
      if (!check_local (recipe, block, error))
        return FALSE;
    }
  else if (tosst_recipe_is_fisher (recipe))
    return fail (error, _ ("coding.method fisher needs local features: descriptor.kind must be sift or features"));
  else if (block > 0 && tosst_recipe_has_frames (recipe))
    return fail (error, _ ("dataset.block must be 0: frames are found in whole images"));
  else if (!check_block (recipe, block, error))
    return FALSE;
  if ((tosst_recipe_has_dictionary (recipe) && !check_dictionary (recipe, error))
      || (tosst_recipe_coding (recipe) == TOSST_CODING_LOG_EUCLIDEAN && !check_logarithm (recipe, error)))
    return FALSE;
  tosst_recipe_feature_options (recipe, &features);
  const char *why = !tosst_recipe_has_patches (recipe) ? NULL : tosst_feature_options_check (&features);
  if (why)
    return fail (error, "%s", why);
  if (tosst_recipe_pools_pairs (recipe) && tosst_recipe_code_length (recipe) > MOST_PAIRED)
    return fail (error, _ ("pooling.order 2 needs codes of at most %d numbers, not %d: lower dictionary.atoms"),
                 MOST_PAIRED, tosst_recipe_code_length (recipe));
  why = tosst_pool_check (recipe->pooling.kind, recipe->pooling.parameter);
  if (why)
    return fail (error, "pooling.parameter: %s", why);
  return TRUE;
}

/* Recipes as text: a GKeyFile, read line by line so that every error names its line. */

/* More than any recipe needs; a wrong file is not read as a whole. */
#define MAX_BYTES (1 << 20)

typedef struct
{
  const char *name; /* of the file, for messages */
  GKeyFile *values;
  GHashTable *seen; /* "group.key" */
  TosstRecipe *recipe;
  char *group;
  TosstSweepLineFunc sweep; /* receives the values of [sweep]; NULL: the group is an error */
  gpointer sweep_data;
} Reader;

static gboolean
fail_line (Reader *reader, guint line, const char *why, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s, line %u: %s"), reader->name, line, why);
}

static gboolean
read_group (Reader *reader, guint line, const char *text, GError **error)
{
  gsize length = strlen (text);

  if (length < 3 || text[length - 1] != ']')
    return fail_line (reader, line, _ ("a group is written [name]"), error);
  g_free (reader->group);
  reader->group = g_strndup (text + 1, length - 2);
  if (strcmp (reader->group, SWEEP_GROUP) == 0)
    return reader->sweep
           || fail_line (reader, line, _ ("[sweep] is for tosst sweep; this command needs the recipe of one run"),
                         error);
  const char *guess = tosst_parameter_guess_group (reader->group);
  if (guess && strcmp (guess, reader->group) == 0)
    return TRUE;
  g_autofree char *why = guess ? g_strdup_printf (_ ("unknown group [%s]; did you mean [%s]?"), reader->group, guess)
                               : g_strdup_printf (_ ("unknown group [%s]"), reader->group);
  return fail_line (reader, line, why, error);
}

static gboolean
take_value (Reader *reader, guint line, const char *key, const char *name, GError **error)
{
  gboolean sweeps = strcmp (reader->group, SWEEP_GROUP) == 0;
  g_autofree char *value = NULL;

  /* Values of [sweep] are split into lists by their own parser. */
  if (sweeps)
    value = g_key_file_get_value (reader->values, reader->group, key, error);
  else if (tosst_parameter_find (name))
    value = g_key_file_get_string (reader->values, reader->group, key, error);
  if (error && *error)
    return FALSE;
  return sweeps ? reader->sweep (key, line, value ? value : "", reader->sweep_data, error)
                : tosst_recipe_set (reader->recipe, name, value ? value : "", error);
}

static gboolean
read_line (Reader *reader, guint line, char *text, GError **error)
{
  g_strstrip (text);
  if (text[0] == '\0' || text[0] == '#')
    return TRUE;
  if (text[0] == '[')
    return read_group (reader, line, text, error);

  const char *equals = strchr (text, '=');
  g_autofree char *key = NULL, *name = NULL, *why = NULL;
  g_autoptr (GError) cause = NULL;

  if (!equals || equals == text)
    return fail_line (reader, line, _ ("expected key=value, [group] or a comment that begins with #"), error);
  if (!reader->group)
    return fail_line (reader, line, _ ("a value precedes the first [group]"), error);
  key = g_strstrip (g_strndup (text, equals - text));
  name = g_strdup_printf ("%s.%s", reader->group, key);
  if (g_hash_table_contains (reader->seen, name))
    {
      why = g_strdup_printf (_ ("%s is given twice"), name);
      return fail_line (reader, line, why, error);
    }
  if (!take_value (reader, line, key, name, &cause))
    return fail_line (reader, line, cause->message, error);
  g_hash_table_add (reader->seen, g_steal_pointer (&name));
  return TRUE;
}

TosstRecipe *
tosst_recipe_parse_sweep (const char *text, const char *name, TosstSweepLineFunc sweep, gpointer data, GError **error)
{
  static const char *const first[][2] = { { "descriptor", "kind" }, { "coding", "method" } };
  g_autoptr (GKeyFile) values = g_key_file_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  Reader reader
      = { .name = name, .values = values, .seen = seen, .recipe = recipe, .sweep = sweep, .sweep_data = data };
  gboolean ok = TRUE;

  if (!g_utf8_validate (text, -1, NULL))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s is not a recipe: it is not valid UTF-8 text"), name), NULL;
  /* Errors of GKeyFile are detected again below, with their line. */
  g_key_file_load_from_data (values, text, strlen (text), G_KEY_FILE_NONE, NULL);
  /* The values that determine defaults of others. Invalid ones are reported with their lines below. */
  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    {
      g_autofree char *value = g_key_file_get_string (values, first[i][0], first[i][1], NULL);
      g_autofree char *key = g_strdup_printf ("%s.%s", first[i][0], first[i][1]);

      if (value)
        tosst_recipe_set (recipe, key, value, NULL);
    }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] && ok; i++)
    ok = read_line (&reader, i + 1, lines[i], error);
  g_free (reader.group);
  return ok ? g_steal_pointer (&recipe) : NULL;
}

TosstRecipe *
tosst_recipe_parse (const char *text, const char *name, GError **error)
{
  return tosst_recipe_parse_sweep (text, name, NULL, NULL, error);
}

char *
tosst_recipe_read (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autoptr (GBytes) bytes = tosst_input_load (file, MAX_BYTES, error);
  gsize length;

  if (!bytes)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &length);
  if (length == MAX_BYTES || (length > 0 && memchr (text, '\0', length)))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("%s is not a recipe"), name), NULL;
  return g_strndup (text, length);
}

TosstRecipe *
tosst_recipe_load (GFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file), *text = tosst_recipe_read (file, error);

  return text ? tosst_recipe_parse (text, name, error) : NULL;
}

char *
tosst_recipe_to_text (const TosstRecipe *recipe, gboolean only_changes)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (!only_changes
        || !tosst_recipe_is_default (recipe, p)
        /* A path without a kind would imply another one. */
        || (p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind) && recipe->dataset.path))
      {
        g_autofree char *value = tosst_recipe_get (recipe, p);

        g_key_file_set_string (file, p->group, p->key, value);
      }
  return g_key_file_to_data (file, NULL, NULL);
}

char *
tosst_recipe_command (const TosstRecipe *recipe)
{
  GString *command = g_string_new ("tosst classify");

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      /* A command needs a recipe or at least one --set: without changes the data set is named. */
      if (tosst_recipe_is_default (recipe, p) && p != tosst_parameters (NULL))
        continue;
      g_autofree char *value = tosst_recipe_get (recipe, p);
      g_autofree char *pair = g_strdup_printf ("%s=%s", p->name, value);
      gboolean plain
          = strspn (pair, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=/+,-") == strlen (pair);
      g_autofree char *quoted = g_shell_quote (pair);
      g_string_append_printf (command, " --set %s", plain ? pair : quoted);
    }
  return g_string_free (command, FALSE);
}

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
  for (int i = 0; p->choices[i]; i++)
    if (strcmp (p->choices[i], text) == 0)
      {
        FIELD (recipe, p, int) = i;
        return TRUE;
      }
  g_autofree char *all = g_strjoinv (", ", (char **)p->choices);
  return fail (error, _ ("%s.%s must be one of %s, not “%s”"), p->group, p->key, all, text);
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
      if (p->maximum > 0 && !tosst_parameter_numbers (p, text, NULL, error))
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
tosst_values_set (const char *values, TosstValueSetter set, gpointer target, GError **error)
{
  g_auto (GStrv) words = g_strsplit (values ? values : "", " ", -1);

  for (char **word = words; *word; word++)
    {
      char *value = strchr (*word, '=');

      *value = '\0';
      if (!set (target, *word, value + 1, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tosst_values_have (const char *values, const char *name)
{
  g_auto (GStrv) words = g_strsplit (values, " ", -1);
  gboolean has = FALSE;

  for (char **word = words; *word; word++)
    has = has || (g_str_has_prefix (*word, name) && (*word)[strlen (name)] == '=');
  return has;
}

gboolean
tosst_recipe_set (TosstRecipe *recipe, const char *name, const char *text, GError **error)
{
  const TosstParameter *p = tosst_parameter_find (name);

  if (p && p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.features) && names_folder (text))
    p = tosst_parameter_find ("descriptor.folder");
  if (p)
    return tosst_recipe_set_parameter (recipe, p, text, error);

  g_auto (GStrv) parts = g_strsplit (name, ".", 2);

  if (!parts[0] || !parts[1])
    return fail (error, _ ("unknown key %s; a key is written group.key, such as dictionary.atoms"), name);
  const char *group = tosst_parameter_guess_group (parts[0]);
  if (!group)
    return fail (error, _ ("unknown key %s; there is no group %s"), name, parts[0]);
  const char *key = tosst_parameter_guess_key (group, parts[1]);
  if (key && strcmp (group, parts[0]) == 0)
    return fail (error, _ ("unknown key %s; did you mean %s?"), name, key);
  if (key)
    return fail (error, _ ("unknown key %s; did you mean %s.%s?"), name, group, key);
  return fail (error, _ ("unknown key %s"), name);
}

/* Defaults of some kinds; NULL: that of the table. With local features whitening is on, a dictionary of whole images needs
 * a smaller sparsity, plain tensors are not raised to a power again, and Fisher vectors need fewer components. Projections
 * onto the span of atoms are treated as plain tensors, their inner products being those of projected tensors, and free
 * atoms span more of these than psd ones. Short vectors of a sample need a kernel, and are compared as they are. These and
 * sums of similarities suit regression, whose C leaving one out chooses. */
static const struct
{
  const char *name, *sparse, *span, *plain, *fisher; /* of local features */
  const char *lbp, *covariance, *invariant, *combined;
} own_defaults[] = {
  { "descriptor.gamma-eigen", "0.3", "0.3", "0.3", "0.3", NULL, NULL, NULL, NULL },
  { "descriptor.pca", "90", "90", "90", "64", NULL, NULL, NULL, NULL },
  { "dictionary.lambda", "1e-4", "1e-4", "1e-4", "1e-4", NULL, NULL, NULL, NULL },
  { "dictionary.scheme", "psd", "free", "psd", "psd", NULL, NULL, NULL, NULL },
  { "dictionary.signed-b", "false", "true", "false", "false", NULL, NULL, NULL, NULL },
  { "coding.signed-alpha", "false", "true", "false", "false", NULL, NULL, NULL, NULL },
  { "pooling.power", "0.5", "1", "1", "0.5", "1", "1", "1", NULL },
  { "pooling.normalise", "l2", "none", "l2", "l2", "none", "none", "none", NULL },
  { "descriptor.spatial", "spm", "spm", "spm", "spm", NULL, NULL, NULL, NULL },
  { "classifier.kernel", NULL, NULL, NULL, NULL, "chi2", "rbf", "rbf", NULL },
  { "classifier.sharpness", NULL, NULL, NULL, NULL, NULL, NULL, "10", NULL },
  { "classifier.loss", NULL, NULL, NULL, NULL, NULL, "squares", "squares", "squares" },
  { "classifier.choose-c", NULL, NULL, NULL, NULL, NULL, "true", "true", "true" },
};

static const char *
own_default (const TosstRecipe *recipe, gsize i)
{
  if (tosst_recipe_is_local (recipe))
    return tosst_recipe_is_fisher (recipe)                ? own_defaults[i].fisher
           : recipe->coding.method == TOSST_CODING_SPARSE ? own_defaults[i].sparse
           : recipe->coding.method == TOSST_CODING_SPAN   ? own_defaults[i].span
                                                          : own_defaults[i].plain;
  return recipe->descriptor.kind == TOSST_DESCRIPTOR_LBP                    ? own_defaults[i].lbp
         : recipe->descriptor.kind == TOSST_DESCRIPTOR_IMAGE_COVARIANCE     ? own_defaults[i].covariance
         : recipe->descriptor.kind == TOSST_DESCRIPTOR_INVARIANT_COVARIANCE ? own_defaults[i].invariant
         : tosst_recipe_is_combined (recipe)                                ? own_defaults[i].combined
                                                                            : NULL;
}

const char *
tosst_recipe_default_text (const TosstRecipe *recipe, const TosstParameter *p)
{
  /* Keypoints are used where the place in an image says nothing. */
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.spatial)
      && recipe->descriptor.frames == TOSST_FRAMES_KEYPOINTS)
    return "none";
  for (gsize i = 0; i < G_N_ELEMENTS (own_defaults); i++)
    if (own_default (recipe, i) && strcmp (own_defaults[i].name, p->name) == 0)
      return own_default (recipe, i);
  return p->default_text;
}

gboolean
tosst_recipe_set_parameter (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  gboolean kept[G_N_ELEMENTS (own_defaults)] = { FALSE };
  gboolean moves = p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.frames)
                   || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.method);

  for (gsize i = 0; i < G_N_ELEMENTS (kept) && moves; i++)
    kept[i] = tosst_recipe_is_default (recipe, tosst_parameter_find (own_defaults[i].name));
  if (!set_value (recipe, p, trimmed, error))
    return FALSE;
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind))
    recipe->dataset.kind_given = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (kept[i])
      {
        const TosstParameter *other = tosst_parameter_find (own_defaults[i].name);
        set_value (recipe, other, tosst_recipe_default_text (recipe, other), NULL);
      }
  return TRUE;
}

char *
tosst_recipe_get (const TosstRecipe *recipe, const TosstParameter *p)
{
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

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autoptr (GError) error = NULL;

      if (!set_value (recipe, p, p->default_text, &error))
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

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (p->type == TOSST_PARAMETER_TEXT)
      FIELD (copy, p, char *) = g_strdup (CONST_FIELD (recipe, p, char *));
  return copy;
}

void
tosst_recipe_free (TosstRecipe *recipe)
{
  if (!recipe)
    return;
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (p->type == TOSST_PARAMETER_TEXT)
      g_free (FIELD (recipe, p, char *));
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
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *x = tosst_recipe_get (a, p), *y = tosst_recipe_get (b, p);

      if (strcmp (x, y) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Values of a recipe beside those of another one, its base. */

char *
tosst_recipe_base_text (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  return tosst_recipe_is_default (base, p) ? g_strdup (tosst_recipe_default_text (recipe, p))
                                           : tosst_recipe_get (base, p);
}

gboolean
tosst_recipe_is_changed (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p)
{
  if (tosst_recipe_is_default (base, p))
    return !tosst_recipe_is_default (recipe, p);
  g_autofree char *mine = tosst_recipe_get (recipe, p);
  g_autofree char *theirs = tosst_recipe_get (base, p);
  return strcmp (mine, theirs) != 0;
}

gboolean
tosst_parameter_is_source (const TosstParameter *p)
{
  return p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind)
         || p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.path);
}

GPtrArray *
tosst_recipe_carry_changes (TosstRecipe *to, const TosstRecipe *recipe, const TosstRecipe *base)
{
  GPtrArray *carried = g_ptr_array_new ();
  gboolean same = to->dataset.kind == recipe->dataset.kind && g_strcmp0 (to->dataset.path, recipe->dataset.path) == 0;

  /* Those that determine defaults of others come first. */
  for (int pass = 0; pass < 2; pass++)
    for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
      {
        g_autofree char *text = tosst_recipe_get (recipe, p);

        /* A list of additional images belongs to one data set. */
        if (tosst_parameter_is_source (p) || (p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.additions) && !same)
            || tosst_parameter_sets_defaults (p->name) != (pass == 0) || !tosst_recipe_is_changed (recipe, base, p))
          continue;
        tosst_recipe_set_parameter (to, p, text, NULL);
        g_ptr_array_add (carried, (gpointer)p);
      }
  return carried;
}
