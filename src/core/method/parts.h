/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/method/methods.h"

/* Value of descriptor.weights: searched for on training samples. */
#define TOSST_WEIGHTS_CHOSEN "choose"

/* The parts of descriptor.kind=combined: each has the recipe of the combination with the values of its method. Or those of
 * a recipe with classifier.beside: first the recipe itself without it, then methods with their own values, which the
 * recipe changes in the data set and the classifier's C only. */
typedef struct
{
  guint n;
  const TosstMethod **method; /* n; NULL: the recipe itself */
  TosstRecipe **recipe;       /* n */
  double *weights; /* n, of sum 1; NULL: from the training samples, by the errors of the parts or by search */
  gboolean search;
} TosstParts;

/* Fails with TOSST_FAILED_RECIPE for an unknown method, a part that is a combination itself or has an invalid recipe, and
 * for weights that do not match. */
TosstParts *tosst_parts_new (const TosstRecipe *recipe, GError **error);
void tosst_parts_free (TosstParts *self);
/* In reports: the name of the method, or "dictionary", "descriptor" of the recipe itself; static. Its title: N_(). */
const char *tosst_parts_name (const TosstParts *self, guint i);
const char *tosst_parts_title (const TosstParts *self, guint i);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstParts, tosst_parts_free)
