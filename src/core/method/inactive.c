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

/* Whether a value of a combination is that of a part, too. A method has its own value, or the default. */
static gboolean
is_of_part (const TosstParts *parts, guint i, const TosstParameter *p)
{
  return !tosst_values_have (parts->method[i]->values, p->name)
         && tosst_recipe_why_inactive (parts->recipe[i], p) == NULL;
}

/* Why a part of a combination has the value in effect: NULL if one has. */
static const char *
why_no_part (const TosstRecipe *recipe, const TosstParameter *p)
{
  g_autoptr (TosstParts) parts = tosst_parts_new (recipe, NULL);

  for (guint i = 0; parts && i < parts->n; i++)
    if (is_of_part (parts, i, p))
      return NULL;
  return parts ? _ ("No part uses it") : NULL;
}

/* When parameters have no effect. names: "group.key", or "group.*" of several, separated by spaces. why NULL: they have an
 * effect, and no further rule counts. */
typedef struct
{
  const char *names;
  gboolean when;
  const char *why; /* N_() */
} Rule;

static gboolean
is_named (const char *names, const char *name)
{
  for (gsize n; *names != '\0'; names += n + strspn (names + n, " "))
    {
      n = strcspn (names, " ");
      if (names[n - 1] == '*' ? strncmp (names, name, n - 1) == 0 : strncmp (names, name, n) == 0 && name[n] == '\0')
        return TRUE;
    }
  return FALSE;
}

/* Whether one of n rules applies; *why: that of the first. */
static gboolean
find_rule (const Rule *rules, gsize n, const TosstParameter *p, const char **why)
{
  for (const Rule *rule = rules; rule < rules + n; rule++)
    if (rule->when && is_named (rule->names, p->name))
      {
        *why = rule->why;
        return TRUE;
      }
  return FALSE;
}

/* Keys of local features, and those that only patches have. */
#define SIFT_KEYS "descriptor.radii descriptor.strides descriptor.root descriptor.flat descriptor.longest-side "
#define FILE_KEYS "descriptor.folder descriptor.length "
#define TENSOR_KEYS "descriptor.order descriptor.spatial descriptor.spatial-weight descriptor.regions "
#define FRAME_KEYS "descriptor.detector descriptor.shape descriptor.upright "
#define MAP_KEYS "descriptor.pivots descriptor.sigma-* descriptor.range-* "

/* Rules on the data set, and on what all recipes have. With descriptor.kind=combined each part has the kernel and the
 * normalisation of its method; loss and the choice of C are those of the combination, and act on the sum. */
static gboolean
find_common (const TosstRecipe *recipe, const TosstParameter *p, const char **why)
{
  gboolean lists = tosst_recipe_has_several_labels (recipe), combined = tosst_recipe_is_combined (recipe);
  gboolean drawn = recipe->dataset.protocol == TOSST_PROTOCOL_RANDOM || recipe->dataset.within > 0;
  gboolean files = recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES, more = draws_more (recipe);
  TosstDatasetKind kind = recipe->dataset.kind;
  const Rule rules[] = {
    { "descriptor.weights", tosst_recipe_has_parts (recipe), NULL },
    { "descriptor.parts descriptor.kind", combined, NULL },
    { "descriptor.weights descriptor.parts", TRUE, N_ ("Only for several methods together") },
    { "classifier.kernel classifier.width classifier.sharpness pooling.normalise", combined,
      N_ ("Each part has a value of its own") },
    { "classifier.beside", combined, N_ ("Its parts are those of descriptor.parts") },
    { "classifier.score", !lists, N_ ("Only for images with several labels") },
    { "classifier.c", recipe->classifier.choose_c, N_ ("Chosen by cross-validation") },
    { "classifier.*", combined, NULL },
    { "dataset.hard", kind != TOSST_DATASET_SAMPLES, N_ ("Only for the sample textures") },
    { "dataset.additions", lists || kind == TOSST_DATASET_BRODATZ || files,
      N_ ("Only for folders of classes and the sample textures, described by their pixels") },
    { "dataset.copies", lists, N_ ("Not for images with several labels") },
    { "dataset.copies", files, N_ ("Not for features in files, which have no pixels") },
    { "dataset.block*", lists, N_ ("With several labels an image each whole image is one sample") },
    { "dataset.train-* dataset.splits dataset.protocol dataset.validate", lists,
      N_ ("The lists of the data set say which images train and which test") },
    { "dataset.seed", lists && !more, N_ ("The lists of the data set say which images train and which test") },
    { "dataset.path", kind == TOSST_DATASET_SAMPLES, N_ ("The sample textures need no folder") },
    { "dataset.block-step", tosst_recipe_block (recipe) == 0, N_ ("Only when images are cut into blocks") },
    { "dataset.splits", !drawn, N_ ("Only for the random protocol") },
    { "dataset.seed", !drawn && !more, N_ ("Only for the random protocol") },
    { "dataset.validate", recipe->dataset.within == 0,
      N_ ("Only when the training samples of a split are divided again") },
    { "dataset.train-share", tosst_recipe_train_per_class (recipe) > 0,
      N_ ("Only for folders, without a number of training samples") },
    { "dataset.train-*", recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT,
      N_ ("Leave-one-out trains on all samples but one of each class") },
  };

  return find_rule (rules, G_N_ELEMENTS (rules), p, why);
}

/* Rules on the descriptor of one method. */
static gboolean
find_descriptor (const TosstRecipe *recipe, const TosstParameter *p, const char **why)
{
  gboolean texture = tosst_recipe_is_texture (recipe, NULL), local = tosst_recipe_is_local (recipe);
  gboolean files = recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES;
  TosstFrameSource frames = recipe->descriptor.frames;
  TosstFeatureOptions features;

  tosst_recipe_feature_options (recipe, &features);
  const Rule rules[] = {
    { "descriptor.kind", texture, NULL },
    { "descriptor.*", texture, N_ ("Not for descriptors of whole images by their pixels, which have no parameters") },
    { FRAME_KEYS "descriptor.frames descriptor.most descriptor.finest", files, N_ ("Not for features in files") },
    { FRAME_KEYS, frames != TOSST_FRAMES_KEYPOINTS, N_ ("Only for keypoints") },
    { "descriptor.finest", frames != TOSST_FRAMES_DENSE_SCALES, N_ ("Only for dense-scales") },
    { "descriptor.most", frames == TOSST_FRAMES_GRID, N_ ("Only for keypoints and dense-scales") },
    { "descriptor.step descriptor.radii descriptor.strides", frames != TOSST_FRAMES_GRID && !files,
      N_ ("Only for a grid") },
    { MAP_KEYS "descriptor.luminance descriptor.opponent descriptor.absolute descriptor.patch descriptor.step "
               "descriptor.features descriptor.photometric",
      local, N_ ("Only for descriptors of patches") },
    { TENSOR_KEYS "descriptor.gamma-*", local && !tosst_recipe_has_tensors (recipe),
      N_ ("Only for tensors, which Fisher vectors do not need") },
    { SIFT_KEYS, files, N_ ("Only for dense SIFT") },
    { FILE_KEYS, local && !files, N_ ("Only for features in files") },
    { "descriptor.pca-*", local && recipe->descriptor.pca == 0, N_ ("Only with principal components") },
    { "descriptor.spatial-weight", local && recipe->descriptor.spatial == TOSST_SPATIAL_NONE,
      N_ ("Only with spatial codes") },
    { "descriptor.regions", local && !tosst_recipe_has_dictionary (recipe),
      N_ ("Only for methods with a dictionary, sparse and span") },
    { "descriptor.longest-side", tosst_recipe_has_frames (recipe), NULL },
    { SIFT_KEYS FILE_KEYS TENSOR_KEYS "descriptor.normalise descriptor.pca*", !local, N_ ("Only for local features") },
    { "descriptor.features", tosst_recipe_moment (recipe) == TOSST_MOMENT_THIRD_ORDER,
      N_ ("Only for covariance and autocorrelation") },
    { MAP_KEYS, features.kind != TOSST_FEATURES_RBF, N_ ("Only for rbf features") },
    { "descriptor.sigma-luminance", !recipe->descriptor.luminance, N_ ("Only when luminance is a feature") },
    { "descriptor.sigma-opponent descriptor.range-opponent", !recipe->descriptor.opponent,
      N_ ("Only when opponent colour is a feature") },
  };

  return find_rule (rules, G_N_ELEMENTS (rules), p, why);
}

/* Rules on what follows the descriptor. A linear map has K atoms, too, and its random numbers or training tensors. */
static gboolean
find_coding (const TosstRecipe *recipe, const TosstParameter *p, const char **why)
{
  gboolean texture = tosst_recipe_is_texture (recipe, NULL), patches = tosst_recipe_has_patches (recipe);
  gboolean dictionary = tosst_recipe_has_dictionary (recipe), pairs = tosst_recipe_pools_pairs (recipe);
  gboolean linear = recipe->classifier.kernel == TOSST_KERNEL_LINEAR;
  gboolean full = recipe->dictionary.scheme == TOSST_SCHEME_FULL;
  int pool = recipe->pooling.kind;
  const Rule rules[] = {
    { "coding.*", texture, N_ ("A sample has one vector, which is not coded") },
    { "coding.gaussian*", tosst_recipe_is_fisher (recipe), NULL },
    { "coding.gaussian*", TRUE, N_ ("Only for Fisher vectors") },
    { "dictionary.atoms dictionary.seed", tosst_recipe_is_linear (recipe), NULL },
    { "dictionary.sample", tosst_recipe_coding (recipe) == TOSST_CODING_PCA, NULL },
    { "coding.method", TRUE, NULL },
    { "dictionary.* coding.*", !dictionary, N_ ("Only for sparse codes, which need a dictionary") },
    { "coding.lambda coding.gamma", recipe->coding.method == TOSST_CODING_SPAN, N_ ("Only for sparse codes") },
    { "classifier.width classifier.sharpness", linear, N_ ("Only for rbf and chi2 kernels") },
    { "classifier.sharpness", !isnan (recipe->classifier.width), N_ ("Only where the kernel width is empty") },
    { "pooling.kind pooling.parameter", tosst_recipe_is_local (recipe),
      N_ ("Images of local features have one code, which needs no pooling") },
    { "pooling.kind pooling.parameter", texture, N_ ("A sample has one vector, which needs no pooling") },
    { "pooling.order", !patches, N_ ("Only for descriptors of patches") },
    { "pooling.code-power", !pairs, N_ ("Only for pooling of order 2") },
    { "pooling.kind pooling.parameter", pairs, N_ ("Order 2 is the mean of the products of codes") },
    { "pooling.parameter", pool == TOSST_POOL_AVERAGE || pool == TOSST_POOL_MAX || pool == TOSST_POOL_EXAPRO,
      N_ ("Only for maxexp, gamma, axmin and at-n pooling") },
    { "dictionary.rank", recipe->dictionary.scheme != TOSST_SCHEME_LOW_RANK, N_ ("Only for low-rank atoms") },
    { "dictionary.forgetting", recipe->dictionary.minibatch == 0, N_ ("Only when learning from batches") },
    { "dictionary.eta", recipe->dictionary.solver != TOSST_SOLVER_GRADIENT, N_ ("Only for the gradient solver") },
    { "dictionary.gamma coding.gamma dictionary.signed-b", full, N_ ("Not for atoms that are whole tensors") },
    { "coding.nonnegative-beta", full && !recipe->coding.signed_alpha,
      N_ ("Codes of atoms that are whole tensors are without a sign already") },
  };

  return find_rule (rules, G_N_ELEMENTS (rules), p, why);
}

const char *
tosst_recipe_why_inactive (const TosstRecipe *recipe, const TosstParameter *p)
{
  const char *why = NULL;

  if (!find_common (recipe, p, &why) && !g_str_equal (p->group, "dataset"))
    {
      if (tosst_recipe_is_combined (recipe))
        return why_no_part (recipe, p);
      (g_str_equal (p->group, "descriptor") ? find_descriptor : find_coding) (recipe, p, &why);
    }
  return why != NULL ? _ (why) : NULL;
}

const char *
tosst_recipe_caution (const TosstRecipe *recipe, const TosstParameter *parameter)
{
  return parameter->caution_above > 0 && G_STRUCT_MEMBER (double, recipe, parameter->offset) > parameter->caution_above
                 && tosst_recipe_why_inactive (recipe, parameter) == NULL
             ? parameter->caution
             : NULL;
}
