/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "tosst/learn.h"

/* Learning of a split one block at a time (tosst/learn.h), from the same tensors as a run of the recipe. Not
 * thread-safe; each call blocks. */
typedef struct TosstStepLearning TosstStepLearning;

/* Draws the sample and describes its tensors. checkpoint: of this split of a run of the recipe (checkpoint.h), to
 * resume; NULL or an unusable one: start from the beginning. history: maximum bytes for undoing steps. Fails with
 * TOSST_FAILED_RECIPE for a recipe without learning, or without complete passes of the exact solver. */
TosstStepLearning *tosst_step_learning_new (const TosstRecipe *recipe, TosstDataset *dataset, int split,
                                            GBytes *checkpoint, gsize history, TosstContext *context, GError **error);
void tosst_step_learning_free (TosstStepLearning *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstStepLearning, tosst_step_learning_free)

/* Takes the next step. After TOSST_FAILED_CANCELLED the state is unchanged. */
gboolean tosst_step_learning_step (TosstStepLearning *self, TosstContext *context, TosstStep *done, GError **error);

TosstStepper *tosst_step_learning_stepper (TosstStepLearning *self); /* for undoing steps and for inspection */
gsize tosst_step_learning_tensors (TosstStepLearning *self);         /* number of tensors learned from */
