/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/value-text.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/widgets/format.h"

const char *
studio_choice_label (const char *choice)
{
  static const struct
  {
    const char *word, *label;
  } labels[] = {
    { "samples", N_ ("Sample textures") },
    { "brodatz", N_ ("Brodatz album") },
    { "folders", N_ ("A folder per class") },
    { "voc2007", N_ ("PASCAL VOC 2007") },
    { "labels", N_ ("Labels in a table") },
    { "random", N_ ("Random") },
    { "leave-one-out", N_ ("Leave one out") },
    { "fixed", N_ ("Fixed") },
    { "linear", N_ ("Linear") },
    { "rbf", N_ ("RBF pivots") },
    { "covariance", N_ ("Covariance") },
    { "autocorrelation", N_ ("Autocorrelation") },
    { "sift", N_ ("SIFT") },
    { "features", N_ ("Feature files") },
    { "lbp", N_ ("Local binary patterns") },
    { "image-covariance", N_ ("Covariance of an image") },
    { "invariant-covariance", N_ ("Rotation-invariant covariance") },
    { "combined", N_ ("Several methods") },
    { "grid", N_ ("Grid") },
    { "dense-scales", N_ ("Grid at all scales") },
    { "keypoints", N_ ("Keypoints") },
    { "hessian", N_ ("Hessian") },
    { "dog", N_ ("Difference of Gaussians") },
    { "similarity", N_ ("Similarity") },
    { "affine", N_ ("Affine") },
    { "spm", N_ ("Spatial pyramid") },
    { "0", N_ ("Whole images only") },
    { "5", N_ ("Five parts, too") },
    { "root", N_ ("Square roots") },
    { "accuracy", N_ ("Accuracy") },
    { "ap11", N_ ("AP (11 points)") },
    { "area", N_ ("AP (area)") },
    { "sparse", N_ ("Sparse codes") },
    { "span", N_ ("Span of atoms") },
    { "log-euclidean", N_ ("Log-Euclidean") },
    { "raw", N_ ("Uncompressed") },
    { "projection", N_ ("Random projection") },
    { "pca", N_ ("Principal components") },
    { "fisher", N_ ("Fisher vectors") },
    { "psd", N_ ("PSD") },
    { "low-rank", N_ ("Low rank") },
    { "free", N_ ("Free") },
    { "full", N_ ("Whole tensors") },
    { "slices", N_ ("Slices") },
    { "learned", N_ ("Learned") },
    { "exact", N_ ("Exact") },
    { "pqn", N_ ("PQN") },
    { "gradient", N_ ("Gradient") },
    { "average", N_ ("Average") },
    { "max", N_ ("Maximum") },
    { "maxexp", N_ ("MaxExp") },
    { "gamma", N_ ("Gamma") },
    { "axmin", N_ ("AxMin") },
    { "exapro", N_ ("ExaPro") },
    { "at-n", N_ ("At n") },
    { "l2", N_ ("ℓ₂ norm") },
    { "none", N_ ("None") },
    { "chi2", N_ ("χ²") },
    { "hinge", N_ ("Squared hinge") },
    { "squares", N_ ("Least squares") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (strcmp (labels[i].word, choice) == 0)
      return _ (labels[i].label);
  return choice;
}

const char *
studio_unset_label (const TosstParameter *parameter)
{
  if (parameter->type == TOSST_PARAMETER_TEXT)
    return _ ("none");
  return strcmp (parameter->group, "coding") == 0 ? _ ("from dictionary") : _ ("auto");
}

char *
studio_value_text (const TosstParameter *parameter, const char *value)
{
  if (*value == 0)
    return g_strdup (studio_unset_label (parameter));
  if (parameter->type == TOSST_PARAMETER_CHOICE)
    return g_strdup (studio_choice_label (value));
  if (parameter->type == TOSST_PARAMETER_BOOLEAN)
    return g_strdup (strcmp (value, "true") == 0 ? _ ("on") : _ ("off"));
  if (parameter->type == TOSST_PARAMETER_REAL)
    {
      double number = g_ascii_strtod (value, NULL);
      g_autofree char *text = studio_number_from_c (value);

      return strlen (value) <= 6 ? g_steal_pointer (&text) : studio_format_real (number, 3);
    }
  return g_strdup (value);
}

char *
studio_parameter_markup (const TosstParameter *parameter)
{
  g_autofree char *text = g_strjoin ("  ", _ (parameter->label), parameter->symbol, NULL);

  return studio_symbol_markup (text);
}

char *
studio_parameter_text (const TosstParameter *parameter)
{
  return g_strdup (parameter->symbol != NULL ? parameter->symbol : _ (parameter->label));
}
