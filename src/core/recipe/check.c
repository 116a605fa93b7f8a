/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Combinations of values that are refused.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/recipe/private.h"

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
/* Of 1000 numbers there are half a million pairs, 2 MB a sample. */
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
  const char *why;
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
  why = !tosst_recipe_has_patches (recipe) ? NULL : tosst_feature_options_check (&features);
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
