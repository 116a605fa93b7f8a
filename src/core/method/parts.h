/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/method/methods.h"

G_BEGIN_DECLS

/* Value of descriptor.weights: searched for on training samples. */
#define TOSST_WEIGHTS_CHOSEN "choose"

/* The parts of descriptor.kind=combined. */
typedef struct
{
  guint n;
  const TosstMethod **method; /* n */
  TosstRecipe **recipe;       /* n: that of the combination with the values of the method */
  double *weights; /* n, of sum 1; NULL: from the training samples, by the errors of the parts or by search */
  gboolean search;
} TosstParts;

/* Fails with TOSST_FAILED_RECIPE for an unknown method, a part that is a combination itself or has an invalid recipe, and
 * for weights that do not match. */
TosstParts *tosst_parts_new (const TosstRecipe *recipe, GError **error);
void tosst_parts_free (TosstParts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstParts, tosst_parts_free)

G_END_DECLS
