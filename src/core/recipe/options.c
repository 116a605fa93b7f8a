/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options of the engine, and what else follows from the values of a recipe.
 */
#include "config.h"

#include <math.h>

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/recipe/private.h"

int
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
    case TOSST_DESCRIPTOR_LBP:
    case TOSST_DESCRIPTOR_IMAGE_COVARIANCE:
    case TOSST_DESCRIPTOR_INVARIANT_COVARIANCE:
    default:
      return recipe->descriptor.features;
    }
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

TosstPoolKind
tosst_recipe_pool (const TosstRecipe *recipe)
{
  return tosst_recipe_has_patches (recipe) ? recipe->pooling.kind : TOSST_POOL_AVERAGE;
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
  TosstStatus status;

  if (tosst_recipe_pools_pairs (recipe))
    return tosst_pool_second_order (codes, K, index, n, recipe->pooling.code_power, power, l2, signature);
  status = tosst_pool (tosst_recipe_pool (recipe), recipe->pooling.parameter, codes, K, index, n, signature);
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
  int n;

  *options = (TosstSiftOptions){ .root = recipe->descriptor.root };
  options->scales = tosst_parameter_numbers (radii, recipe->descriptor.radii, options->radius, error);
  n = options->scales ? tosst_parameter_numbers (strides, recipe->descriptor.strides, options->stride, error) : 0;
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
  TosstShape shape;

  if (tosst_recipe_is_texture (recipe, NULL))
    return (TosstShape){ TOSST_SHAPE_GENERAL, tosst_recipe_dimension (recipe), 1, 1 };
  shape = tosst_moment_shape (tosst_recipe_moment (recipe), tosst_recipe_dimension (recipe));
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
  int validate = tosst_recipe_validate (recipe);

  return validate > 0 ? (gsize)validate : share_of (1.0 / 3, n);
}
