/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "python/core.h"

/* Tells why a call failed, and takes the cause. */
void tosst_core_hand_over (GError *cause, TosstCoreError *error);

/* A data set of images, or of files of features, of which all train, in their order, with the copies that the recipe wants. New,
 * or NULL with error. */
TosstDataset *tosst_core_dataset (const TosstRecipe *recipe, const TosstCoreImages *images, GError **error);
