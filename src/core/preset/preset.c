/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presets: values of a recipe by numbers and sizes of images.
 */
#include "core/preset/preset.h"

#include "core/base/base.h"
#include "core/method/methods.h"

static const struct
{
  const char *label, *help, *splits;
} efforts[TOSST_N_EFFORTS] = {
  { N_ ("Quick"), N_ ("A first impression: a small dictionary, few keypoints, three splits."), "3" },
  { N_ ("Balanced"), N_ ("For most purposes: five splits."), "5" },
  { N_ ("Best"), N_ ("The highest accuracy, in several times the time: ten splits."), "10" },
};

/* Those of a dictionary at keypoints have values of their own for each effort; the others differ in splits. */
#define N_DICTIONARIES 2

static const struct
{
  const char *label, *help;
} dictionaries[N_DICTIONARIES] = {
  { N_ ("Tensor dictionary"), N_ ("Codes of third-order tensors at keypoints; from Balanced on with Fisher vectors and "
                                  "covariances beside it.") },
  { N_ ("Tensor dictionaries alone"),
    N_ ("Dictionaries of third-order tensors alone: at keypoints, and on all scales without and with their light.") },
};

static const struct
{
  const char *name, *most, *atoms, *beside;
} presets[N_DICTIONARIES * TOSST_N_EFFORTS] = {
  { "quick", "200", "100", "" },
  { "balanced", "1000", "200", "fisher;image-covariance" },
  { "best", "2000", "200", "tosst-dense;fisher;fisher-affine;fisher-dense;image-covariance" },
  { NULL, "200", "100", "tosst-light" },
  { "tensors", "1000", "200", "tosst-dense;tosst-light" },
  { NULL, "2000", "200", "tosst-dense;tosst-light" },
};

static const char *const references[TOSST_N_PRESET_METHODS - N_DICTIONARIES]
    = { "tosst-rbf", "tosst-covariance", "raw", "log-covariance", "combined", "fisher", "image-covariance", "lbp" };

const char *
tosst_preset_name (TosstPreset preset)
{
  return preset < G_N_ELEMENTS (presets) ? presets[preset].name : NULL;
}

const char *
tosst_preset_effort (int effort, const char **help)
{
  *help = efforts[effort].help;
  return efforts[effort].label;
}

const char *
tosst_preset_method (int method, const char **help)
{
  const TosstMethod *reference
      = method < N_DICTIONARIES ? NULL : tosst_method_find (references[method - N_DICTIONARIES], NULL);

  *help = reference != NULL ? reference->help : dictionaries[method].help;
  return reference != NULL ? reference->title : dictionaries[method].label;
}

char *
tosst_preset_title (TosstPreset preset)
{
  const char *help, *effort = _ (tosst_preset_effort (preset % TOSST_N_EFFORTS, &help));
  const char *method = _ (tosst_preset_method (preset / TOSST_N_EFFORTS, &help));

  /* Translators: a method and an effort, such as “Local binary patterns, Quick” */
  return preset < TOSST_N_EFFORTS ? g_strdup (effort) : g_strdup_printf (_ ("%s, %s"), method, effort);
}

gboolean
tosst_preset_find (const char *name, TosstPreset *preset, GError **error)
{
  for (int i = 0; i < TOSST_N_PRESETS; i++)
    if (g_strcmp0 (tosst_preset_name (i), name) == 0)
      {
        *preset = i;
        return TRUE;
      }
  return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("a preset is quick, balanced, best or tensors, not “%s”"), name);
}

static int
compare_ints (gconstpointer a, gconstpointer b)
{
  return *(const int *)a - *(const int *)b;
}

void
tosst_facts_init (TosstFacts *facts, TosstDataset *dataset)
{
  guint n = dataset->entries->len, classes = dataset->classes->len;
  g_autofree int *width = g_new (int, MAX (n, 1)), *height = g_new (int, MAX (n, 1));
  g_autofree guint *of_class = g_new0 (guint, MAX (classes, 1));

  *facts = (TosstFacts){ .images = n, .classes = classes, .smallest = n };
  for (guint i = 0; i < n; i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (dataset, i);

      width[i] = image->width;
      height[i] = image->height;
      of_class[image->class_index]++;
    }
  for (guint i = 0; i < classes; i++)
    facts->smallest = MIN (facts->smallest, of_class[i]);
  if (n == 0)
    return;
  qsort (width, n, sizeof *width, compare_ints);
  qsort (height, n, sizeof *height, compare_ints);
  facts->width = width[n / 2];
  facts->height = height[n / 2];
}

gboolean
tosst_preset_set_folder (TosstRecipe *recipe, GFile *folder, GError **error)
{
  g_autofree char *path = g_file_get_path (folder);

  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (folder);

      return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is not on a local disk: copy it there first"), uri);
    }
  return tosst_recipe_set (recipe, "dataset.kind",
                           tosst_parameter_find ("dataset.kind")->choices[tosst_dataset_guess_kind (folder)], error)
         && tosst_recipe_set (recipe, "dataset.path", path, error);
}

gboolean
tosst_preset_is_unfit (const TosstRecipe *recipe)
{
  return !tosst_recipe_is_default (recipe, tosst_parameter_find ("descriptor.kind"))
         || !tosst_recipe_is_default (recipe, tosst_parameter_find ("coding.method"));
}

/* A value that is known to be valid. */
static void
set (TosstRecipe *recipe, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;

  if (!tosst_recipe_set (recipe, name, text, &error))
    g_error ("a preset is wrong: %s", error->message);
}

static void
set_integer (TosstRecipe *recipe, const char *name, int value)
{
  g_autofree char *text = g_strdup_printf ("%d", value);

  set (recipe, name, text);
}

/* The side of a patch is the default, and a fifth of that of small images. */
void
tosst_preset_set_patches (TosstRecipe *recipe, const TosstFacts *facts)
{
  int least = MIN (facts->width, facts->height), patch = CLAMP (least / 5, 6, 20);
  double free = (double)(facts->width - patch) * (double)(facts->height - patch);

  if (least < patch)
    return;
  set_integer (recipe, "descriptor.patch", patch);
  set_integer (recipe, "descriptor.step", CLAMP ((int)round (sqrt (free / TOSST_PRESET_PATCHES)), 2, 4096));
}

void
tosst_preset_apply (TosstPreset preset, TosstRecipe *recipe, const TosstFacts *facts)
{
  int method = (int)preset / TOSST_N_EFFORTS - N_DICTIONARIES;

  if (preset < TOSST_N_PRESETS)
    {
      tosst_method_apply (tosst_method_find (method < 0 ? "tosst-keypoints" : references[method], NULL), NULL, recipe);
      set (recipe, "dataset.splits", efforts[preset % TOSST_N_EFFORTS].splits);
    }
  if (method < 0)
    {
      set (recipe, "descriptor.most", presets[preset].most);
      set (recipe, "dictionary.atoms", presets[preset].atoms);
      set (recipe, "classifier.beside", presets[preset].beside);
    }
  else if (preset == TOSST_N_PRESETS || !tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.step")))
    tosst_preset_set_patches (recipe, facts);
}

TosstRecipe *
tosst_preset_recipe (TosstPreset preset, const TosstRecipe *source, const TosstFacts *facts)
{
  TosstRecipe *recipe = tosst_recipe_new ();

  recipe->dataset.kind = source->dataset.kind;
  recipe->dataset.kind_given = source->dataset.kind_given;
  recipe->dataset.path = g_strdup (source->dataset.path);
  tosst_preset_apply (preset, recipe, facts);
  return recipe;
}

TosstPreset
tosst_preset_of (const TosstRecipe *recipe, const TosstFacts *facts)
{
  TosstPreset preset = 0;

  for (; preset < TOSST_N_PRESETS; preset++)
    {
      g_autoptr (TosstRecipe) given = tosst_preset_recipe (preset, recipe, facts);

      if (tosst_recipe_equal (recipe, given))
        break;
    }
  return preset;
}

/* How many images train. */
static char *
training_text (const TosstRecipe *recipe)
{
  int train = tosst_recipe_train_per_class (recipe);

  if (tosst_recipe_has_several_labels (recipe))
    return g_strdup (_ ("the lists say which images train"));
  if (recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return g_strdup (_ ("all images of a class but one train"));
  if (train > 0)
    return g_strdup_printf (ngettext ("%d image of each class trains", "%d images of each class train", train), train);
  return g_strdup_printf (_ ("%.0f %% of the images of each class train"), 100 * recipe->dataset.train_share);
}

char *
tosst_preset_sentence (const TosstRecipe *recipe, const TosstFacts *facts)
{
  GString *text = g_string_new (NULL);
  g_autofree char *training = training_text (recipe);

  g_string_append_printf (text, _ ("%u images of about %d × %d pixels: %s"), facts->images, facts->width, facts->height,
                          training);
  if (!tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.step")))
    g_string_append_printf (text, _ ("; patches of %d pixels every %d"), recipe->descriptor.patch,
                            recipe->descriptor.step);
  return g_string_free (text, FALSE);
}
