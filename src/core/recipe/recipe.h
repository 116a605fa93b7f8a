/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/classify.h"
#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/learn.h"
#include "tosst/local.h"

typedef enum
{
  TOSST_DATASET_SAMPLES,
  TOSST_DATASET_BRODATZ,
  TOSST_DATASET_FOLDERS,
  TOSST_DATASET_VOC2007,
  TOSST_DATASET_LABELS
} TosstDatasetKind;
/* Descriptor of a patch: the third-order tensor of one kind of features, or a matrix of the features of
 * descriptor.features. sift and features describe a whole image by its local features: dense SIFT, or those in files; lbp,
 * image-covariance and invariant-covariance a whole sample by one vector of its pixels (tosst/describe.h); combined by
 * several methods together, each with a recipe of its own (core/method/parts.h). */
typedef enum
{
  TOSST_DESCRIPTOR_LINEAR,
  TOSST_DESCRIPTOR_RBF,
  TOSST_DESCRIPTOR_COVARIANCE,
  TOSST_DESCRIPTOR_AUTOCORRELATION,
  TOSST_DESCRIPTOR_SIFT,
  TOSST_DESCRIPTOR_FEATURES,
  TOSST_DESCRIPTOR_LBP,
  TOSST_DESCRIPTOR_IMAGE_COVARIANCE,
  TOSST_DESCRIPTOR_INVARIANT_COVARIANCE,
  TOSST_DESCRIPTOR_COMBINED
} TosstDescriptorKind;
/* Where patches are, and features of kind sift: on a grid at one size (dense SIFT: a few), on a grid at sizes that grow by
 * the square root of 2, or at the keypoints of the image. */
typedef enum
{
  TOSST_FRAMES_GRID,
  TOSST_FRAMES_DENSE_SCALES,
  TOSST_FRAMES_KEYPOINTS
} TosstFrameSource;
typedef enum
{
  TOSST_SPATIAL_NONE,
  TOSST_SPATIAL_SPM
} TosstSpatial;
/* How a classifier is judged. Accuracy needs one class a sample; samples with several labels are judged by the mean
 * over classes of an average precision (TosstAveragePrecision), ap11 unless area is asked for. */
typedef enum
{
  TOSST_SCORE_ACCURACY,
  TOSST_SCORE_AP11,
  TOSST_SCORE_AREA
} TosstScore;
/* Codes to pool: by a dictionary, plain descriptors, or linear maps of these to K numbers (tosst/code.h); or Fisher vectors
 * of local features, which need no tensors (tosst/local.h). */
typedef enum
{
  TOSST_CODING_SPARSE,
  TOSST_CODING_SPAN,
  TOSST_CODING_LOG_EUCLIDEAN,
  TOSST_CODING_RAW,
  TOSST_CODING_PROJECTION,
  TOSST_CODING_PCA,
  TOSST_CODING_FISHER
} TosstCodingMethod;
typedef enum
{
  TOSST_PROTOCOL_RANDOM,
  TOSST_PROTOCOL_LEAVE_ONE_OUT,
  TOSST_PROTOCOL_FIXED
} TosstProtocol;

typedef enum
{
  TOSST_SOURCE_LEARNED,
  TOSST_SOURCE_RANDOM
} TosstSource;

typedef enum
{
  TOSST_LOSS_HINGE, /* squared hinge: an SVM */
  TOSST_LOSS_SQUARES
} TosstLoss;

/* All parameters of a job: one plain struct for file, command line, window and log. Strings are owned. A field with
 * a derived default (coding.lambda: the dictionary's) is NAN until tosst_recipe_coding_options() resolves it. */
typedef struct
{
  struct
  {
    TosstDatasetKind kind;
    gboolean hard; /* textures of samples */
    char *path;    /* folder; not used for samples */
    int block;     /* pixels; 0: a whole image is one sample; -1: default of the kind (brodatz 160, else 0) */
    int block_step;
    int train_per_class; /* 0: default of the kind; see tosst_recipe_train_units() */
    double train_share;  /* of folders without train_per_class */
    int splits;
    guint64 seed;
    char *exclude;   /* file or class names, comma-separated, without suffix; NULL: default of the kind (brodatz D14) */
    char *additions; /* list of images that train as well (core/data/additions.h); NULL: none */
    TosstProtocol protocol;
    int within;   /* outer split, from 1, whose training samples only are divided again; 0: all samples are used */
    int validate; /* number of validation units per class in such a division; 0: see tosst_recipe_validate_units() */
    int copies;   /* rotated and rescaled ones of each training sample */
    /* Not a parameter: whether kind was set. Otherwise the path implies it; see tosst_dataset_imply_kind(). */
    gboolean kind_given;
  } dataset;
  struct
  {
    TosstDescriptorKind kind;
    char *parts;               /* of kind combined: names of methods, separated by semicolons */
    char *weights;             /* of these or of classifier.beside, or "choose"; NULL: by errors */
    TosstFeatureKind features; /* of covariance and autocorrelation; unused by kinds linear and rbf */
    gboolean luminance, opponent, absolute;
    int patch, step, pivots;
    double sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second;
    double range_first, range_second, range_opponent;
    double gamma_eigen, gamma_coefficient; /* 1: no whitening */
    TosstFrameSource frames;
    TosstDetector detector;
    gboolean affine;      /* shape = affine */
    gboolean upright;     /* not turned into the dominant direction */
    int most;             /* frames of an image; 0: all */
    gboolean photometric; /* patches without their brightness and contrast */
    double finest;        /* scale of the finest level of dense-scales, in pixels */

    /* Local features only have these. */
    int order;             /* 3, or 2: the mean of v v' */
    char *radii, *strides; /* of dense SIFT, in pixels, such as "12;16;24;32" */
    gboolean root;         /* RootSIFT */
    double flat;           /* smallest mass of a descriptor */
    int longest_side;      /* larger images are reduced to it; 0: never */
    char *folder;          /* of the files of features */
    int length;            /* D of such a file; 0: unknown */
    TosstNormalise normalise;
    int pca; /* components; 0: features as they are */
    gboolean pca_centre, pca_whiten;
    int pca_sample; /* features drawn from each training image for the components */
    TosstSpatial spatial;
    double spatial_weight;
    gboolean regions; /* learns from five parts of each training image, too */
  } descriptor;
  struct
  {
    int atoms;
    TosstScheme scheme;
    int rank; /* 0: half of d */
    double lambda, gamma;
    int iterations;
    double tolerance;
    TosstSolver solver;
    double eta;        /* of the gradient solver; NAN: automatic */
    int sample;        /* maximum number of tensors drawn from the training set */
    int minibatch;     /* tensors per batch; 0: all at once */
    double forgetting; /* of learning from batches */
    guint64 seed;
    gboolean signed_b;
    TosstInit init;
    TosstSource source; /* random: drawn from the distribution of learned atoms */
  } dictionary;
  struct
  {
    TosstCodingMethod method;
    double lambda, gamma; /* NAN: the dictionary's */
    gboolean signed_alpha, nonnegative_beta;
    int gaussians;       /* of the mixture of Fisher vectors */
    int gaussian_sample; /* local features of the training images that it is learned from */
  } coding;
  struct
  {
    int order;         /* 2: the co-occurrence of atoms */
    double code_power; /* of the codes of order 2 */
    int kind;          /* TosstPoolKind */
    double parameter;  /* of the kind; NAN: default of the kind */
    double power;
    gboolean l2; /* normalise = l2 */
  } pooling;
  struct
  {
    char *beside; /* methods whose similarities are added to those of the signatures (core/method/parts.h), or NULL */
    TosstLoss loss;
    TosstKernel kernel;
    double width;     /* of rbf and chi2; NAN: from the mean distance of training samples */
    double sharpness; /* factor of the exponents at that width */
    double c;
    gboolean choose_c;
    TosstScore score;
  } classifier;
} TosstRecipe;

typedef enum
{
  TOSST_PARAMETER_BOOLEAN,
  TOSST_PARAMETER_INTEGER,
  TOSST_PARAMETER_SEED, /* guint64 */
  TOSST_PARAMETER_REAL,
  TOSST_PARAMETER_CHOICE, /* an enum stored as int; choices are the words in files */
  TOSST_PARAMETER_TEXT,
} TosstParameterType;

/* A row of the table of parameters, shared by recipe files, --set, --help, tosst recipe --explain, validation and
 * the studio's rows. Texts marked N_() are translated when displayed. Symbols are Unicode text. */
typedef struct
{
  const char *name;        /* "dictionary.lambda" */
  const char *group, *key; /* as in files: "dictionary", "lambda" */
  TosstParameterType type;
  gsize offset;             /* into TosstRecipe */
  const char *default_text; /* as in files; "" for a derived default */
  double minimum, maximum;  /* of numbers; INFINITY is also valid with allow_infinite */
  gboolean allow_infinite;
  gboolean logarithmic;       /* use a log scale for sliders */
  gboolean added;             /* its default gives the results of versions without it, and is not in hashes of runs */
  gboolean basic;             /* one of the few that most users change; the others are advanced */
  const char *const *choices; /* NULL-terminated */
  const char *symbol;         /* symbol in the paper: "λ", "γ", "K"; or NULL */
  const char *unit;           /* "px", or NULL */
  const char *label;          /* N_("Sparsity"): short name in the window */
  const char *help;           /* N_(one sentence: meaning) */
  const char *more,
      *less; /* N_(effect of larger and of smaller values; of on and off; of changing and of keeping it), or NULL */
  const char *typical;  /* N_("10⁻⁴ to 10⁻¹"), or NULL */
  double caution_above; /* values above this are valid but hardly useful; 0: none */
  const char *caution;  /* N_(one sentence: why), or NULL */
  const char *trial;    /* N_(one sentence: an experiment to try), or NULL */
  const char *formula;  /* formula in which it occurs, in the notation of formula.h, or NULL */
  const char *equation; /* "(5)" of the paper, or NULL */
} TosstParameter;

/* n may be NULL; a row without a name follows the last one. */
const TosstParameter *tosst_parameters (guint *n);
/* "Low rank" for the file's "low-rank", not translated yet. */
const char *tosst_choice_label (const char *choice);
const TosstParameter *tosst_parameter_find (const char *name); /* name: "group.key"; NULL if unknown */
gboolean tosst_parameter_sets_defaults (const char *name);     /* whether defaults of others depend on its value */
const char *tosst_parameter_group_label (const char *group);   /* N_() */
/* The known name most similar to an unknown one, or NULL if none is similar. */
const char *tosst_parameter_guess_group (const char *wrong);
const char *tosst_parameter_guess_key (const char *group, const char *wrong);

/* Why the value of a parameter is hardly useful, N_(); NULL: it may be useful, or has no effect. */
const char *tosst_recipe_caution (const TosstRecipe *recipe, const TosstParameter *parameter);

TosstRecipe *tosst_recipe_new (void); /* all defaults */
/* Recipe for the sample textures: defaults except for a coarser patch grid and a small dictionary, so that three splits
 * take well under a minute. */
TosstRecipe *tosst_recipe_new_samples (void);
TosstRecipe *tosst_recipe_copy (const TosstRecipe *recipe);
void tosst_recipe_free (TosstRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRecipe, tosst_recipe_free)

/* Sets one value, in the C locale; "" restores a derived default. Fails with one sentence on an unknown name, an
 * invalid value or one out of range.
 *
 * Some defaults depend on descriptor.kind, descriptor.frames and coding.method: a parameter that has its default has the
 * new one after these have changed. Where several values are read, these therefore are set first; see
 * tosst_parameter_sets_defaults(). */
gboolean tosst_recipe_set (TosstRecipe *recipe, const char *name, const char *text, GError **error);
/* Passes the values of "group.key=value group.key=value ..." (NULL: none) to the setter, in order, until one fails. */
typedef gboolean (*TosstValueSetter) (gpointer target, const char *name, const char *text, GError **error);
gboolean tosst_values_set (const char *values, TosstValueSetter set, gpointer target, GError **error);
gboolean tosst_values_have (const char *values, const char *name); /* whether one of these has this name */
/* As tosst_recipe_set(), for a known parameter. */
gboolean tosst_recipe_set_parameter (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error);
/* Value in the form of files (shortest text that reads back as the same number); "" for a derived default. New. */
char *tosst_recipe_get (const TosstRecipe *recipe, const TosstParameter *parameter);
/* Default with the recipe's kind of descriptor and method of coding, in the form of files. */
const char *tosst_recipe_default_text (const TosstRecipe *recipe, const TosstParameter *parameter);
gboolean tosst_recipe_is_default (const TosstRecipe *recipe, const TosstParameter *parameter);
gboolean tosst_recipe_equal (const TosstRecipe *a, const TosstRecipe *b);

/* Whether it says which data set: its kind or its folder. Another value is another data set, not a change of a recipe. */
gboolean tosst_parameter_is_source (const TosstParameter *parameter);
/* Changes of a recipe relative to a base, such as the recipe of a data set or a preset. Where the base has the default,
 * the default of the recipe takes its place, as it may depend on other values. */
char *tosst_recipe_base_text (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p); /* new */
gboolean tosst_recipe_is_changed (const TosstRecipe *recipe, const TosstRecipe *base, const TosstParameter *p);
/* Sets the changed values in another recipe, except for path and kind of the data set, and for additional images of
 * another one. Returns their parameters (const TosstParameter *), new. */
GPtrArray *tosst_recipe_carry_changes (TosstRecipe *to, const TosstRecipe *recipe, const TosstRecipe *base);

/* Returns NULL if the parameter has an effect with the other values, else a translated sentence with the reason
 * ("Only for rbf features"): no other value changes what a run finds. Defined beside the methods, whose values a combination
 * has (core/method/inactive.c). */
const char *tosst_recipe_why_inactive (const TosstRecipe *recipe, const TosstParameter *parameter);

/* Checks combinations of values: a rank without low-rank, train-per-class < 1, an unknown protocol for the kind and
 * so on. */
gboolean tosst_recipe_check (const TosstRecipe *recipe, GError **error);

/* Reads a GKeyFile; an unknown group or key is an error that names its line. Missing keys have their defaults.
 * Returns a new recipe, or NULL with error. */
TosstRecipe *tosst_recipe_load (GFile *file, GError **error);
TosstRecipe *tosst_recipe_parse (const char *text, const char *name, GError **error);
/* only_changes: omits defaults. New. */
char *tosst_recipe_to_text (const TosstRecipe *recipe, gboolean only_changes);
/* "tosst classify --set a.b=c ...", quoted for a shell. New. */
char *tosst_recipe_command (const TosstRecipe *recipe);

/* Conversion to options of the engine. */
void tosst_recipe_feature_options (const TosstRecipe *recipe, TosstFeatureOptions *options);
void tosst_recipe_learn_options (const TosstRecipe *recipe, TosstLearnOptions *options);
/* Returns FALSE if all tensors are learned from at once. */
gboolean tosst_recipe_minibatch_options (const TosstRecipe *recipe, TosstMinibatchOptions *options);
void tosst_recipe_coding_options (const TosstRecipe *recipe, TosstCodingOptions *options);
/* coding.method; raw where the descriptor of a sample is a vector. */
TosstCodingMethod tosst_recipe_coding (const TosstRecipe *recipe);
int tosst_recipe_dimension (const TosstRecipe *recipe);      /* d; 0 while descriptor.length is unknown */
TosstMoment tosst_recipe_moment (const TosstRecipe *recipe); /* statistic computed from the features of a patch */
gboolean
tosst_recipe_has_dictionary (const TosstRecipe *recipe); /* coding.method=sparse or span: a dictionary is learned */
/* Whether codes are a linear map to K numbers, K that of a dictionary: coding.method=projection or pca. */
gboolean tosst_recipe_is_linear (const TosstRecipe *recipe);
/* Whether images are described by Fisher vectors of local features: coding.method=fisher. */
gboolean tosst_recipe_is_fisher (const TosstRecipe *recipe);
/* Whether several methods are compared in one similarity: descriptor.kind=combined. Keys of their recipes are in effect
 * where a method does not set them. */
gboolean tosst_recipe_is_combined (const TosstRecipe *recipe);
/* Whether similarities of several parts are added (core/method/parts.h): of a combination, or of classifier.beside. */
gboolean tosst_recipe_has_parts (const TosstRecipe *recipe);
/* Whether a run computes tensors. */
gboolean tosst_recipe_has_tensors (const TosstRecipe *recipe);
/* Length of a code: K, the numbers of a tensor, or two for each number of each Gaussian; and of a signature. */
int tosst_recipe_code_length (const TosstRecipe *recipe);
int tosst_recipe_signature_length (const TosstRecipe *recipe);
TosstShape tosst_recipe_shape (const TosstRecipe *recipe); /* shape of the tensors for the scheme */
int tosst_recipe_block (const TosstRecipe *recipe);        /* block with -1 resolved */
/* train-per-class and validate with defaults of the kind resolved; 0: a share of each class. */
int tosst_recipe_train_per_class (const TosstRecipe *recipe);
int tosst_recipe_validate (const TosstRecipe *recipe);
/* Number of units that train of the n of a class, and that validate of the n training units of a class. */
gsize tosst_recipe_train_units (const TosstRecipe *recipe, gsize n);
gsize tosst_recipe_validate_units (const TosstRecipe *recipe, gsize n);

/* Whether images may have several labels: lists determine the division into training and tests. */
gboolean tosst_recipe_has_several_labels (const TosstRecipe *recipe);
/* The score of the results: accuracy, or with several labels an average precision. */
TosstScore tosst_recipe_score (const TosstRecipe *recipe);
/* Whether images are described by their local features: one tensor for each image, and none for patches. */
gboolean tosst_recipe_is_local (const TosstRecipe *recipe);
/* Whether samples are described by one vector of their pixels each: kinds lbp, image-covariance and
 * invariant-covariance, *kind. The vector is treated as the raw tensor of the only patch of a sample. kind: or NULL. */
gboolean tosst_recipe_is_texture (const TosstRecipe *recipe, TosstTexture *kind);
/* Images without blocks that are larger are reduced to this longest side before they become such a vector: filters of some
 * pixels say little about a photograph of many megapixels, and memory and time are bounded. */
#define TOSST_TEXTURE_LONGEST 1024
/* The longest side to which images are reduced before anything else; 0: pixels are needed as they are, or by a part of a
 * combination. */
int tosst_recipe_longest (const TosstRecipe *recipe);
/* Whether descriptors are those of patches of descriptor.patch pixels. */
gboolean tosst_recipe_has_patches (const TosstRecipe *recipe);
/* Whether samples are pooled by the co-occurrence of the numbers of their codes (pooling.order=2). */
gboolean tosst_recipe_pools_pairs (const TosstRecipe *recipe);
/* Pools the codes of a sample (K each; index and n as of tosst_pool()) into its signature, with power and
 * normalisation. signature: tosst_recipe_signature_length() values. Any thread. */
TosstStatus tosst_recipe_pool_codes (const TosstRecipe *recipe, const float *codes, int K, const gsize *index, gsize n,
                                     float *signature);
/* Whether the tensors depend on the training samples of a split, by their principal components or their regions. */
gboolean tosst_recipe_has_split_tensors (const TosstRecipe *recipe);
/* Scales of dense SIFT; fails on invalid radii and strides. */
gboolean tosst_recipe_sift_options (const TosstRecipe *recipe, TosstSiftOptions *options, GError **error);
/* Whether patches and features are at frames found in the image, or on a pyramid; not those of files. */
gboolean tosst_recipe_has_frames (const TosstRecipe *recipe);
/* Whether training samples have copies (dataset.copies), which need pixels and one class a sample. */
gboolean tosst_recipe_has_copies (const TosstRecipe *recipe);
void tosst_recipe_frame_options (const TosstRecipe *recipe, TosstFrameOptions *options);
/* Pixels on each side of a resampled patch: those that its derivatives use. */
#define TOSST_PATCH_MARGIN 2
/* How a patch is resampled at a frame: descriptor.patch pixels that cover TOSST_FRAME_EXTENT to each side, and the
 * margin. */
TosstFramePatch tosst_recipe_frame_patch (const TosstRecipe *recipe);
/* How local features become a tensor. mean and basis are of pca, or NULL; pca is borrowed, and NULL without
 * components. */
void tosst_recipe_local_encoding (const TosstRecipe *recipe, const TosstPca *pca, TosstLocalEncoding *encoding);
/* Parts of a training image to learn from, the whole image first: 1, or 6 with descriptor.regions. */
guint tosst_recipe_regions (const TosstRecipe *recipe, const TosstRegion **regions);

/* Name of the group of sweeps; see sweep.h. */
#define SWEEP_GROUP "sweep"

/* Receives one line key=value of that group, with the value as in the file. */
typedef gboolean (*TosstSweepLineFunc) (const char *key, guint line, const char *value, gpointer data, GError **error);

/* Reads the text of a recipe file. New; NULL with error for other files. */
char *tosst_recipe_read (GFile *file, GError **error);

/* As tosst_recipe_parse(), passing the lines of the group [sweep] to the function sweep; its errors are prefixed
 * with the line. */
TosstRecipe *tosst_recipe_parse_sweep (const char *text, const char *name, TosstSweepLineFunc sweep, gpointer data,
                                       GError **error);
