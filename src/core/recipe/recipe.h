/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "engine/coding/coder.h"
#include "engine/descriptor/features.h"
#include "engine/descriptor/moments.h"
#include "engine/learning/minibatch.h"
#include "engine/pooling/pool.h"

G_BEGIN_DECLS

typedef enum
{
  TOSST_DATASET_SAMPLES,
  TOSST_DATASET_BRODATZ,
  TOSST_DATASET_FOLDERS
} TosstDatasetKind;
/* Descriptor of a patch: the third-order tensor of one kind of features, or a matrix of the features of
 * descriptor.features. */
typedef enum
{
  TOSST_DESCRIPTOR_LINEAR,
  TOSST_DESCRIPTOR_RBF,
  TOSST_DESCRIPTOR_COVARIANCE,
  TOSST_DESCRIPTOR_AUTOCORRELATION
} TosstDescriptorKind;
/* Pooled vectors: codes by a dictionary, or descriptors without one (coding/plain.h). */
typedef enum
{
  TOSST_CODING_SPARSE,
  TOSST_CODING_LOG_EUCLIDEAN,
  TOSST_CODING_RAW
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

/* Every parameter of a job: one plain struct for file, command line, window and log. Strings are owned. A field that
 * the recipe leaves to another one (coding.lambda: the dictionary's) is NAN until tosst_recipe_coding_options()
 * resolves it. */
typedef struct
{
  struct
  {
    TosstDatasetKind kind;
    char *path; /* folder; unused for samples */
    int block;  /* pixels; 0: a whole image is one sample; -1: the kind's own default (brodatz 160, else 0) */
    int block_step;
    int train_per_class;
    int splits;
    guint64 seed;
    char *exclude; /* file or class names, comma-separated, without suffix; NULL: the kind's default (brodatz D14) */
    TosstProtocol protocol;
    int within;   /* outer split whose training samples alone are divided again, from 1; 0: all samples are */
    int validate; /* of each class, in a division of training samples: those that test */
  } dataset;
  struct
  {
    TosstDescriptorKind kind;
    TosstFeatureKind features; /* of covariance and autocorrelation; kinds linear and rbf are of their own name */
    gboolean luminance, opponent, absolute;
    int patch, step, pivots;
    double sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second;
    double range_first, range_second, range_opponent;
    double gamma_eigen, gamma_coefficient; /* 1: no whitening */
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
    double eta;        /* of the gradient solver; NAN: chosen by it */
    int sample;        /* tensors drawn from the training part at most */
    int minibatch;     /* tensors in a batch; 0: all at once */
    double forgetting; /* of batches */
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
  } coding;
  struct
  {
    TosstPoolKind kind;
    double parameter; /* of the kind; NAN: its default */
    double power;
    gboolean l2; /* normalise = l2 */
  } pooling;
  struct
  {
    double c;
    gboolean choose_c;
  } classifier;
} TosstRecipe;

typedef enum
{
  TOSST_PARAMETER_BOOLEAN,
  TOSST_PARAMETER_INTEGER,
  TOSST_PARAMETER_SEED, /* guint64 */
  TOSST_PARAMETER_REAL,
  TOSST_PARAMETER_CHOICE, /* an enum stored as int; choices are the file's words */
  TOSST_PARAMETER_TEXT,
} TosstParameterType;

/* One row of the table that recipe files, --set, --help, tosst recipe --explain, validation and the studio's rows
 * share. Texts marked N_() are translated where they are shown. Symbols are Unicode text. */
typedef struct
{
  const char *group, *key; /* as in files: "dictionary", "lambda" */
  TosstParameterType type;
  gsize offset;             /* into TosstRecipe */
  const char *default_text; /* as a file would write it; "" for "taken from elsewhere" */
  double minimum, maximum;  /* of numbers; INFINITY allowed as a value where allow_infinite */
  gboolean allow_infinite;
  gboolean logarithmic;       /* a slider should run on a log scale */
  const char *const *choices; /* NULL-terminated */
  const char *symbol;         /* the paper's: "λ", "γ", "K"; or NULL */
  const char *unit;           /* "px", or NULL */
  const char *label;          /* N_("Sparsity") : short name in the window */
  const char *help;           /* N_(one sentence: what it is) */
  const char *more,
      *less;            /* N_(what a larger, a smaller value does; on and off; to change it and to leave it), or NULL */
  const char *typical;  /* N_("10⁻⁴ to 10⁻¹"), or NULL */
  const char *attempt;  /* N_(one sentence: a thing to try with it), or NULL */
  const char *formula;  /* where it stands, in the notation of formula.h, or NULL */
  const char *equation; /* "(5)" of the paper, or NULL */
} TosstParameter;

const TosstParameter *tosst_parameters (guint *n);
const TosstParameter *tosst_parameter_find (const char *name); /* "group.key"; NULL if there is none */
const char *tosst_parameter_group_label (const char *group);   /* N_() */
/* The nearest known name to one that is unknown, or NULL if none is near. */
const char *tosst_parameter_guess_group (const char *wrong);
const char *tosst_parameter_guess_key (const char *group, const char *wrong);

TosstRecipe *tosst_recipe_new (void); /* all defaults */
/* Recipe for the sample textures: defaults except for a coarser patch grid and a small dictionary, so that three splits
 * take well under a minute. */
TosstRecipe *tosst_recipe_new_samples (void);
TosstRecipe *tosst_recipe_copy (const TosstRecipe *recipe);
void tosst_recipe_free (TosstRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRecipe, tosst_recipe_free)

/* One value, in the C locale; "" takes it from elsewhere where the default does. An unknown name, a value that cannot
 * be read or is out of range is an error with one sentence. */
gboolean tosst_recipe_set (TosstRecipe *recipe, const char *name, const char *text, GError **error);
/* The same for a known parameter. */
gboolean tosst_recipe_set_parameter (TosstRecipe *recipe, const TosstParameter *p, const char *text, GError **error);
/* The value as a file would write it (shortest text that reads back as the same number); "" when taken from elsewhere. */
char *tosst_recipe_get (const TosstRecipe *recipe, const TosstParameter *parameter);
gboolean tosst_recipe_is_default (const TosstRecipe *recipe, const TosstParameter *parameter);
gboolean tosst_recipe_equal (const TosstRecipe *a, const TosstRecipe *b);

/* NULL if the parameter has an effect given the other values, else a translated sentence why not ("Only for rbf
 * features"). */
const char *tosst_recipe_why_inactive (const TosstRecipe *recipe, const TosstParameter *parameter);

/* Combinations: a rank without low-rank, train-per-class < 1, an unknown protocol for the kind ... */
gboolean tosst_recipe_check (const TosstRecipe *recipe, GError **error);

/* A GKeyFile; an unknown group or key is an error that names its line. Loading starts from defaults. */
TosstRecipe *tosst_recipe_load (GFile *file, GError **error);
TosstRecipe *tosst_recipe_parse (const char *text, const char *name, GError **error);
gboolean tosst_recipe_save (const TosstRecipe *recipe, GFile *file, GError **error);
/* only_changes leaves defaults out. */
char *tosst_recipe_to_text (const TosstRecipe *recipe, gboolean only_changes);
/* "tosst classify --set a.b=c ...", quoted for a shell. */
char *tosst_recipe_command (const TosstRecipe *recipe);

/* Options of the engine. */
void tosst_recipe_feature_options (const TosstRecipe *recipe, TosstFeatureOptions *options);
void tosst_recipe_learn_options (const TosstRecipe *recipe, TosstLearnOptions *options);
/* FALSE if all tensors are learned from at once. */
gboolean tosst_recipe_minibatch_options (const TosstRecipe *recipe, TosstMinibatchOptions *options);
void tosst_recipe_coding_options (const TosstRecipe *recipe, TosstCodingOptions *options);
int tosst_recipe_dimension (const TosstRecipe *recipe);           /* d */
TosstMoment tosst_recipe_moment (const TosstRecipe *recipe);      /* what is taken of the features of a patch */
gboolean tosst_recipe_has_dictionary (const TosstRecipe *recipe); /* coding.method=sparse: something is learned */
int
tosst_recipe_code_length (const TosstRecipe *recipe); /* numbers in a code and a signature: K, or those of a tensor */
TosstShape tosst_recipe_shape (const TosstRecipe *recipe); /* of tensors, as its scheme reads them */
int tosst_recipe_block (const TosstRecipe *recipe);        /* block with -1 resolved */

/* The group of sweeps: sweep.h. */
#define SWEEP_GROUP "sweep"

/* One line key=value of that group, the value as the file has it. */
typedef gboolean (*TosstSweepLineFunc) (const char *key, guint line, const char *value, gpointer data, GError **error);

/* Reads the text of a recipe file. New; NULL with error for other files. */
char *tosst_recipe_read (GFile *file, GError **error);

/* tosst_recipe_parse(), with the group [sweep] given to sweep line by line; errors of it get the line in front. */
TosstRecipe *tosst_recipe_parse_sweep (const char *text, const char *name, TosstSweepLineFunc sweep, gpointer data,
                                       GError **error);

G_END_DECLS
