/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/model.h"
#include "core/store/store.h"

/* A project: one file, a zip of what another person needs to go on with the work.
 *
 *   recipe.tosst   the recipe; dataset.path is "images" where there are images
 *   runs.sqlite    the finished runs on its data set
 *   model.npz      the model of the run on show
 *   images/        the images, in their folders
 *   additions.txt, additions/   the images of dataset.additions, and their list
 *
 * The last four are optional. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;   /* of the recipe */
  gboolean images;         /* of a folder of classes: whether they are in the project */
  GFile *store;            /* NULL: no runs */
  const TosstModel *model; /* NULL: none */
} TosstProject;

#define TOSST_PROJECT_SUFFIX ".tosst-project"

/* Whether the images of a data set can be part of a project. */
gboolean tosst_project_takes_images (const TosstRecipe *recipe, TosstDataset *dataset);
/* Writes a project. FALSE with error; the file is then as before. */
gboolean tosst_project_save (const TosstProject *self, GFile *file, GError **error);
/* Unpacks a project into a new folder below `parent`, which is named after it, and sets the paths of its recipe. Nothing is
 * written outside of that folder; after a failure there is none. The folder, new; NULL with error. */
GFile *tosst_project_unpack (GFile *file, GFile *parent, GError **error);
