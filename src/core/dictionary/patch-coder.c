/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/patch-coder.h"

#include <math.h>

#include "core/base/memory.h"
#include "tosst/code.h"

/* Tensors, codes and matrices in float64. */
#define MOST_CERTIFIED_BYTES ((gsize)256 << 20)

struct TosstPatchCoder
{
  TosstCodingMethod method;
  TosstCoder *coder;         /* for methods sparse and span */
  gsize m, K;                /* numbers of a tensor and of a code, for method sparse */
  TosstLayout *layout;       /* for other methods */
  TosstLinear *projection;   /* for method projection, owned */
  const TosstLinear *linear; /* for methods projection and pca */
};

static TosstStatus
init_coder (TosstPatchCoder *self, const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary)
{
  TosstLayout *layout = tosst_layout_new_shape (dictionary->shape);
  TosstCodingOptions options;
  TosstStatus status;

  if (layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  tosst_recipe_coding_options (recipe, &options);

  /* Limits the memory of a coder to its share; its minimum was part of the estimate before the run. */
  options.memory = 1;
  gsize least = tosst_coder_memory (layout, dictionary->K, &options, tosst_context_threads (context)),
        share = tosst_memory_for_coding ();

  options.memory = MAX (least, share);
  self->m = layout->m;
  self->K = dictionary->K;
  status = tosst_coder_new (context, dictionary, layout, &options, &self->coder);
  tosst_layout_free (layout);
  return status;
}

/* A third-order tensor is treated as one vector. */
static TosstStatus
init_plain (TosstPatchCoder *self, const TosstRecipe *recipe, TosstContext *context)
{
  TosstShape shape = tosst_recipe_shape (recipe);

  if (shape.kind == TOSST_SHAPE_SUPER_SYMMETRIC)
    shape.kind = TOSST_SHAPE_WHOLE;
  self->layout = tosst_layout_new_shape (shape);
  if (self->layout == NULL)
    return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory for coding");
  if (self->method != TOSST_CODING_PROJECTION)
    return TOSST_OK;
  TosstStatus status = tosst_linear_random (context, self->layout->m, recipe->dictionary.atoms, recipe->dictionary.seed,
                                            TOSST_PROJECTION_BYTES, &self->projection);
  self->linear = self->projection;
  return status;
}

TosstStatus
tosst_patch_coder_new (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                       TosstPatchCoder **coder)
{
  g_autoptr (TosstPatchCoder) self = g_new0 (TosstPatchCoder, 1);
  TosstStatus status;

  self->method = tosst_recipe_coding (recipe);
  status = tosst_recipe_has_dictionary (recipe) ? init_coder (self, recipe, context, dictionary)
                                                : init_plain (self, recipe, context);
  *coder = status == TOSST_OK ? g_steal_pointer (&self) : NULL;
  return status;
}

void
tosst_patch_coder_set_components (TosstPatchCoder *self, const TosstLinear *components)
{
  if (self->method == TOSST_CODING_PCA)
    self->linear = components;
}

void
tosst_patch_coder_free (TosstPatchCoder *self)
{
  if (self == NULL)
    return;
  tosst_coder_free (self->coder);
  tosst_layout_free (self->layout);
  tosst_linear_free (self->projection);
  g_free (self);
}

TosstStatus
tosst_patch_coder_code (const TosstPatchCoder *self, TosstContext *context, const float *tensors, gsize n, float *codes,
                        TosstCodingReport *report)
{
  if (self->coder != NULL)
    return tosst_code (context, self->coder, tensors, n, false, codes, report);
  if (report != NULL)
    *report = (TosstCodingReport){ .worst_kkt = NAN, .mean_nonzeros = NAN };
  if (self->method == TOSST_CODING_PCA && self->linear == NULL)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "principal components are missing");
  if (self->linear != NULL)
    return tosst_linear_map (context, self->layout, self->linear, tensors, n, codes);
  if (self->method == TOSST_CODING_LOG_EUCLIDEAN)
    return tosst_plain_log_euclidean (context, self->layout, tensors, n, codes);
  return tosst_plain_raw (context, self->layout, tensors, n, codes);
}

static double *
widen (const float *from, gsize n)
{
  double *to = g_try_new (double, n);

  for (gsize i = 0; to != NULL && i < n; i++)
    to[i] = from[i];
  return to;
}

TosstStatus
tosst_patch_coder_certify (const TosstPatchCoder *self, TosstContext *context, const float *tensors, gsize n,
                           const float *codes, TosstCodingReport *report)
{
  if (self->method != TOSST_CODING_SPARSE || n == 0
      || (n + self->K) * (self->m + self->K) * sizeof (double) > MOST_CERTIFIED_BYTES)
    return TOSST_OK;
  g_autofree double *x = widen (tensors, n * self->m), *alpha = widen (codes, n * self->K), *kkt = g_new (double, n);
  if (x == NULL || alpha == NULL)
    return TOSST_OK;
  TosstStatus status = tosst_code_certificate (context, self->coder, x, n, alpha, kkt);
  for (gsize i = 0; i < n && status == TOSST_OK; i++)
    report->worst_kkt = fmax (report->worst_kkt, kkt[i]);
  return status;
}
