/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods.
 */
#include "core/method/methods.h"

#include "core/base/base.h"

/* Whole images are few: regression, with C by leaving one out. */
#define SQUARES "classifier.loss=squares classifier.choose-c=true"

/* Codes of whitened tensors by 200 atoms, pooled by pairs. */
#define PAIRS                                                                                                          \
  "descriptor.gamma-eigen=0.5 dictionary.lambda=2e-2 dictionary.sample=5000 dictionary.iterations=10 "                 \
  "pooling.order=2 pooling.code-power=0.5 pooling.power=0.3 " SQUARES

static const TosstMethod methods[] = {
  { "tosst-keypoints", N_ ("Third-order tensors at keypoints, dictionary"),
    N_ ("Sparse codes of tensors of patches whose scale and orientation follow the image, their light normalised, "
        "pooled by pairs of atoms."),
    "descriptor.kind=rbf descriptor.frames=keypoints descriptor.detector=hessian descriptor.most=500 "
    "descriptor.photometric=true " PAIRS },
  { "tosst-dense", N_ ("Third-order tensors on all scales, dictionary"),
    N_ ("The same on a dense grid of several scales, without the rotation of the image."),
    "descriptor.kind=rbf descriptor.frames=dense-scales descriptor.finest=1 descriptor.most=250 "
    "descriptor.photometric=true " PAIRS },
  { "tosst-light", N_ ("Third-order tensors on all scales with their light, dictionary"),
    N_ ("The same with brightness and contrast of the patches, which tell materials apart under equal light."),
    "descriptor.kind=rbf descriptor.frames=dense-scales descriptor.finest=1 descriptor.most=250 " PAIRS },
  { "tosst-rbf", N_ ("Third-order tensors, dictionary"),
    N_ ("Sparse codes of whitened third-order tensors of patches: position, luminance and derivatives by Gaussians."),
    "descriptor.kind=rbf descriptor.gamma-eigen=0.5 dictionary.atoms=300 dictionary.lambda=3e-3 "
    "dictionary.sample=10000 "
    "dictionary.iterations=20 pooling.power=0.5 classifier.choose-c=true" },
  { "tosst-covariance", N_ ("Covariances, dictionary"),
    N_ ("Sparse codes of whitened covariance matrices of the same features: second order in place of third."),
    "descriptor.kind=covariance descriptor.features=rbf descriptor.gamma-eigen=0.5 dictionary.atoms=300 "
    "dictionary.lambda=3e-3 dictionary.sample=10000 dictionary.iterations=20 pooling.power=0.5 "
    "classifier.choose-c=true" },
  { "raw", N_ ("Third-order tensors, uncompressed"),
    N_ ("The mean of the whitened tensors of an image's patches, without a dictionary."),
    "descriptor.kind=rbf descriptor.gamma-eigen=0.5 coding.method=raw pooling.power=0.5 classifier.choose-c=true" },
  { "log-covariance", N_ ("Log-Euclidean covariances of patches"),
    N_ ("The mean of the matrix logarithms of the covariances of an image's patches."),
    "descriptor.kind=covariance descriptor.features=rbf coding.method=log-euclidean pooling.power=1 "
    "classifier.choose-c=true" },
  { "tensor", N_ ("Third-order tensor of SIFT at keypoints"),
    N_ ("One third-order tensor of an image's SIFT descriptors at keypoints, 40 components, whitened, uncompressed."),
    "descriptor.kind=sift descriptor.frames=keypoints coding.method=raw descriptor.pca=40 descriptor.root=true "
    "classifier.choose-c=true" },
  { "fisher", N_ ("Fisher vectors of SIFT at keypoints"),
    N_ ("Fisher vectors of SIFT whose scale and orientation follow the image, 64 components and 64 Gaussians."),
    "descriptor.kind=sift descriptor.frames=keypoints descriptor.detector=dog descriptor.most=2000 "
    "coding.method=fisher descriptor.pca=64 coding.gaussians=64 descriptor.root=true " SQUARES },
  { "fisher-affine", N_ ("Fisher vectors of SIFT at affine keypoints"),
    N_ ("The same at Hessian keypoints whose shape follows the tilt of a surface, too."),
    "descriptor.kind=sift descriptor.frames=keypoints descriptor.detector=hessian descriptor.shape=affine "
    "coding.method=fisher descriptor.pca=64 coding.gaussians=64 descriptor.root=true " SQUARES },
  { "fisher-dense", N_ ("Fisher vectors of upright SIFT on all scales"),
    N_ ("Fisher vectors of SIFT on a dense grid of several scales, without the rotation of the image."),
    "descriptor.kind=sift descriptor.frames=dense-scales descriptor.finest=0.67 coding.method=fisher "
    "descriptor.pca=64 coding.gaussians=64 "
    "descriptor.root=true " SQUARES },
  { "image-covariance", N_ ("Covariance of derivatives"),
    N_ ("One log-Euclidean covariance of an image's derivatives at several scales, with a Gaussian kernel."),
    "descriptor.kind=image-covariance" },
  { "invariant-covariance", N_ ("Rotation-invariant covariance of derivatives"),
    N_ ("One log-Euclidean matrix of means and covariances of derivatives that stay the same when an image turns, at "
        "six "
        "scales, with a Gaussian kernel."),
    "descriptor.kind=invariant-covariance" },
  { "lbp", N_ ("Local binary patterns"),
    N_ ("Histograms of rotation-invariant local binary patterns at three scales, with a chi-squared kernel."),
    "descriptor.kind=lbp " SQUARES },
  { "fisher-covariance", N_ ("Fisher vectors at keypoints and covariances"),
    N_ ("The sum of the similarities of fisher and image-covariance, by their errors on training images."),
    "descriptor.kind=combined descriptor.parts=fisher;image-covariance" },
  { "combined", N_ ("Fisher vectors and covariances"),
    N_ ("The sum of the similarities of fisher, fisher-affine, fisher-dense and image-covariance, by their errors on "
        "training images."),
    "descriptor.kind=combined descriptor.parts=fisher;fisher-affine;fisher-dense;image-covariance" },
};

const TosstMethod *
tosst_methods (guint *n)
{
  *n = G_N_ELEMENTS (methods);
  return methods;
}

const TosstMethod *
tosst_method_find (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      if (g_str_equal (methods[i].name, name))
        return &methods[i];
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", methods[i].name);
    }
  tosst_fail (error, TOSST_FAILED_RECIPE, _ ("there is no method “%s”; there are %s"), name, names->str);
  return NULL;
}

GPtrArray *
tosst_methods_parse (const char *names, GError **error)
{
  g_auto (GStrv) list = g_strsplit (names, ";", -1);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  for (char **name = list; *name; name++)
    {
      if (!*g_strstrip (*name))
        continue;
      const TosstMethod *method = tosst_method_find (*name, error);
      if (!method)
        return NULL;
      if (!g_ptr_array_find (found, method, NULL))
        g_ptr_array_add (found, (gpointer)method);
    }
  if (found->len == 0)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("no method is named")), NULL;
  return g_steal_pointer (&found);
}

gboolean
tosst_method_set (TosstRecipe *copy, const TosstRecipe *base, const char *name, const char *text)
{
  const TosstParameter *p = tosst_parameter_find (name);
  g_autofree char *own = p ? tosst_recipe_get (base, p) : NULL;

  return p && (tosst_recipe_is_default (base, p) || strcmp (own, text) == 0)
         && tosst_recipe_set_parameter (copy, p, text, NULL);
}

gboolean
tosst_method_apply (const TosstMethod *method, const TosstRecipe *base, TosstRecipe *recipe)
{
  g_auto (GStrv) values = g_strsplit (method->values, " ", -1);

  /* Those that determine defaults of others come first. */
  for (int pass = 0; pass < 2; pass++)
    for (char **value = values; *value; value++)
      {
        g_auto (GStrv) sides = g_strsplit (*value, "=", 2);
        g_autoptr (GError) error = NULL;

        if (tosst_parameter_sets_defaults (sides[0]) != (pass == 0))
          continue;
        if (base && !tosst_method_set (recipe, base, sides[0], sides[1]))
          return FALSE;
        if (!base && !tosst_recipe_set (recipe, sides[0], sides[1], &error))
          g_error ("method %s is wrong: %s", method->name, error->message);
      }
  return TRUE;
}
