/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters without effect, and values that are valid but hardly useful.
 */
#include "core/base/base.h"
#include "core/method/parts.h"
#include "tosst/pool.h"

/* The seed of the splits also draws copies, the folds for choosing C, and the features for principal components and mixtures. */
static gboolean
draws_more (const TosstRecipe *recipe)
{
  return tosst_recipe_has_copies (recipe) || recipe->classifier.choose_c || tosst_recipe_is_fisher (recipe)
         || tosst_recipe_has_parts (recipe) || (tosst_recipe_is_local (recipe) && recipe->descriptor.pca > 0);
}

static const char *
why_lists_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  static const char *const divide[] = { "train-per-class", "train-share", "splits", "protocol", "validate", NULL };

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

  if (g_str_equal (p->key, "hard"))
    return recipe->dataset.kind == TOSST_DATASET_SAMPLES ? NULL : _ ("Only for the sample textures");
  if (g_str_equal (p->key, "additions")
      && (tosst_recipe_has_several_labels (recipe) || recipe->dataset.kind == TOSST_DATASET_BRODATZ
          || recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES))
    return _ ("Only for folders of classes and the sample textures, described by their pixels");
  if (g_str_equal (p->key, "copies") && tosst_recipe_has_several_labels (recipe))
    return _ ("Not for images with several labels");
  if (g_str_equal (p->key, "copies") && recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return _ ("Not for features in files, which have no pixels");
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
  if (g_str_equal (p->key, "train-share") && tosst_recipe_train_per_class (recipe) > 0)
    return _ ("Only for folders, without a number of training samples");
  if (g_str_has_prefix (p->key, "train-") && recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return _ ("Leave-one-out trains on all samples but one of each class");
  return NULL;
}

/* Keys of local features, and those that only patches have. */
static const char *const sift_keys[] = { "radii", "strides", "root", "flat", "longest-side", NULL };
static const char *const file_keys[] = { "folder", "length", NULL };
static const char *const local_keys[]
    = { "order",   "normalise",      "pca",     "pca-centre", "pca-whiten", "pca-sample",
        "spatial", "spatial-weight", "regions", NULL };
static const char *const tensor_keys[]
    = { "order", "gamma-eigen", "gamma-coefficient", "spatial", "spatial-weight", "regions", NULL };
static const char *const frame_keys[] = { "detector", "shape", "upright", NULL };
static const char *const patch_keys[]
    = { "luminance", "opponent", "absolute", "patch", "step", "features", "photometric", NULL };

/* Keys of frames, and those that frames replace. */
static const char *
why_frames_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  TosstFrameSource frames = recipe->descriptor.frames;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return g_str_equal (p->key, "frames") || g_str_equal (p->key, "most") || g_str_equal (p->key, "finest")
                   || g_strv_contains (frame_keys, p->key)
               ? _ ("Not for features in files")
               : NULL;
  if (frames != TOSST_FRAMES_KEYPOINTS && g_strv_contains (frame_keys, p->key))
    return _ ("Only for keypoints");
  if (frames != TOSST_FRAMES_DENSE_SCALES && g_str_equal (p->key, "finest"))
    return _ ("Only for dense-scales");
  if (frames == TOSST_FRAMES_GRID && g_str_equal (p->key, "most"))
    return _ ("Only for keypoints and dense-scales");
  if (frames != TOSST_FRAMES_GRID
      && (g_str_equal (p->key, "step") || g_str_equal (p->key, "radii") || g_str_equal (p->key, "strides")))
    return _ ("Only for a grid");
  return NULL;
}

static const char *
why_local_inactive (const TosstRecipe *recipe, const TosstParameter *p, gboolean map)
{
  if (map || g_strv_contains (patch_keys, p->key))
    return _ ("Only for descriptors of patches");
  if (!tosst_recipe_has_tensors (recipe) && g_strv_contains (tensor_keys, p->key))
    return _ ("Only for tensors, which Fisher vectors do not need");
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_SIFT && g_strv_contains (sift_keys, p->key))
    return _ ("Only for dense SIFT");
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES && g_strv_contains (file_keys, p->key))
    return _ ("Only for features in files");
  if (recipe->descriptor.pca == 0 && g_str_has_prefix (p->key, "pca-"))
    return _ ("Only with principal components");
  if (recipe->descriptor.spatial == TOSST_SPATIAL_NONE && g_str_equal (p->key, "spatial-weight"))
    return _ ("Only with spatial codes");
  if (!tosst_recipe_has_dictionary (recipe) && g_str_equal (p->key, "regions"))
    return _ ("Only for methods with a dictionary, sparse and span");
  return NULL;
}

static const char *
why_descriptor_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  gboolean map
      = g_str_equal (p->key, "pivots") || g_str_has_prefix (p->key, "sigma-") || g_str_has_prefix (p->key, "range-");

  TosstFeatureOptions features;

  if (tosst_recipe_is_texture (recipe, NULL))
    return g_str_equal (p->key, "kind")
               ? NULL
               : _ ("Not for descriptors of whole images by their pixels, which have no parameters");
  if (why_frames_inactive (recipe, p) != NULL)
    return why_frames_inactive (recipe, p);
  tosst_recipe_feature_options (recipe, &features);
  if (tosst_recipe_is_local (recipe))
    return why_local_inactive (recipe, p, map);
  if (tosst_recipe_has_frames (recipe) && g_str_equal (p->key, "longest-side"))
    return NULL;
  if (g_strv_contains (sift_keys, p->key) || g_strv_contains (file_keys, p->key)
      || g_strv_contains (local_keys, p->key))
    return _ ("Only for local features");
  if (g_str_equal (p->key, "features") && tosst_recipe_moment (recipe) == TOSST_MOMENT_THIRD_ORDER)
    return _ ("Only for covariance and autocorrelation");
  if (map && features.kind != TOSST_FEATURES_RBF)
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
                 && tosst_recipe_coding (recipe) == TOSST_CODING_PCA));
}

/* Whether a value of a combination is that of a part, too. A method has its own value, or the default. */
static gboolean
is_of_part (const TosstParts *parts, guint i, const TosstParameter *p)
{
  return !tosst_values_have (parts->method[i]->values, p->name)
         && tosst_recipe_why_inactive (parts->recipe[i], p) == NULL;
}

/* With descriptor.kind=combined each part has the kernel and the normalisation of its method, and the values that its
 * method does not set. */
static const char *
why_combined_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  gboolean own
      = g_str_equal (p->group, "classifier")
        && (g_str_equal (p->key, "kernel") || g_str_equal (p->key, "width") || g_str_equal (p->key, "sharpness"));

  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.kind))
    return NULL;
  if (own || (g_str_equal (p->group, "pooling") && g_str_equal (p->key, "normalise")))
    return _ ("Each part has a value of its own");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.beside))
    return _ ("Its parts are those of descriptor.parts");
  /* These are of the combination itself: its loss and the choice of C act on the sum of the similarities, too. */
  if (g_str_equal (p->group, "classifier"))
    {
      if (g_str_equal (p->key, "score") && !tosst_recipe_has_several_labels (recipe))
        return _ ("Only for images with several labels");
      return p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.c) && recipe->classifier.choose_c
                 ? _ ("Chosen by cross-validation")
                 : NULL;
    }
  g_autoptr (TosstParts) parts = tosst_parts_new (recipe, NULL);
  if (!parts)
    return NULL;
  for (guint i = 0; i < parts->n; i++)
    if (is_of_part (parts, i, p))
      return NULL;
  return _ ("No part uses it");
}

const char *
tosst_recipe_why_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.weights))
    return tosst_recipe_has_parts (recipe) ? NULL : _ ("Only for several methods together");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, descriptor.parts))
    return tosst_recipe_is_combined (recipe) ? NULL : _ ("Only for several methods together");
  if (tosst_recipe_is_combined (recipe) && !g_str_equal (p->group, "dataset"))
    return why_combined_inactive (recipe, p);
  if (g_str_equal (p->group, "dataset"))
    return why_dataset_inactive (recipe, p);
  if (g_str_equal (p->group, "descriptor"))
    return why_descriptor_inactive (recipe, p);
  if (tosst_recipe_is_texture (recipe, NULL) && g_str_equal (p->group, "coding"))
    return _ ("A sample has one vector, which is not coded");
  if (g_str_equal (p->group, "coding") && g_str_has_prefix (p->key, "gaussian"))
    return tosst_recipe_is_fisher (recipe) ? NULL : _ ("Only for Fisher vectors");
  if (!tosst_recipe_has_dictionary (recipe) && !is_of_linear (recipe, p)
      && (g_str_equal (p->group, "dictionary")
          || (g_str_equal (p->group, "coding") && !g_str_equal (p->key, "method"))))
    return _ ("Only for sparse codes, which need a dictionary");
  if (recipe->coding.method == TOSST_CODING_SPAN
      && (p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.lambda)
          || p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.gamma)))
    return _ ("Only for sparse codes");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.score) && !tosst_recipe_has_several_labels (recipe))
    return _ ("Only for images with several labels");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.width) && recipe->classifier.kernel == TOSST_KERNEL_LINEAR)
    return _ ("Only for rbf and chi2 kernels");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.sharpness))
    return recipe->classifier.kernel == TOSST_KERNEL_LINEAR ? _ ("Only for rbf and chi2 kernels")
           : !isnan (recipe->classifier.width)              ? _ ("Only where the kernel width is empty")
                                                            : NULL;
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, classifier.c) && recipe->classifier.choose_c)
    return _ ("Chosen by cross-validation");
  if (!tosst_recipe_has_patches (recipe)
      && (p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.kind)
          || p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.parameter)))
    return tosst_recipe_is_local (recipe) ? _ ("Images of local features have one code, which needs no pooling")
                                          : _ ("A sample has one vector, which needs no pooling");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.order) && !tosst_recipe_has_patches (recipe))
    return _ ("Only for descriptors of patches");
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.code_power) && !tosst_recipe_pools_pairs (recipe))
    return _ ("Only for pooling of order 2");
  if ((p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.kind)
       || p->offset == G_STRUCT_OFFSET (TosstRecipe, pooling.parameter))
      && tosst_recipe_pools_pairs (recipe))
    return _ ("Order 2 is the mean of the products of codes");
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
  if (p->offset == G_STRUCT_OFFSET (TosstRecipe, coding.nonnegative_beta)
      && recipe->dictionary.scheme == TOSST_SCHEME_FULL && !recipe->coding.signed_alpha)
    return _ ("Codes of atoms that are whole tensors are without a sign already");
  return NULL;
}

const char *
tosst_recipe_caution (const TosstRecipe *recipe, const TosstParameter *parameter)
{
  return parameter->caution_above > 0 && G_STRUCT_MEMBER (double, recipe, parameter->offset) > parameter->caution_above
                 && tosst_recipe_why_inactive (recipe, parameter) == NULL
             ? parameter->caution
             : NULL;
}
