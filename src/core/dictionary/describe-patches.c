/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/describe-patches.h"

#include "tosst/tensor.h"

TosstStatus
tosst_describe_patches (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                        const TosstPoint *points, gsize n, float *tensors)
{
  double eigen = recipe->descriptor.gamma_eigen, coefficient = recipe->descriptor.gamma_coefficient;
  TosstFeatureOptions features;
  TosstStatus status;

  tosst_recipe_feature_options (recipe, &features);
  status = tosst_describe_moment (context, image, &features, tosst_recipe_moment (recipe), recipe->descriptor.patch,
                                  points, n, tensors);
  if (status != TOSST_OK || (eigen == 1 && coefficient == 1))
    return status;
  TosstLayout *layout
      = tosst_layout_new_shape (tosst_moment_shape (tosst_recipe_moment (recipe), tosst_feature_dimension (&features)));
  if (layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to whiten tensors");
  status = tosst_whiten (context, layout, tensors, n, eigen, coefficient);
  tosst_layout_free (layout);
  return status;
}

TosstStatus
tosst_mean_features (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, int size,
                     TosstPoint point, double *means)
{
  TosstFeatureOptions options;
  gsize n = (gsize)size * size, d;
  g_autofree float *features = NULL;
  TosstStatus status;

  tosst_recipe_feature_options (recipe, &options);
  d = (gsize)tosst_feature_dimension (&options);
  features = g_new (float, n *d);
  status = tosst_patch_features (context, image, &options, size, point, features);
  for (gsize k = 0; k < d && status == TOSST_OK; k++)
    {
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += features[i * d + k];
      means[k] = sum / n;
    }
  return status;
}
