/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "patches.h"
#include "run.h"

G_BEGIN_DECLS

/* A run under way. Tensors of all distinct patches are kept when they fit (resident); else each split describes what it needs again, image
 * by image. Codes live for one image at a time: they are pooled at once. */
typedef struct
{
  const TosstRecipe      *recipe;
  TosstDataset           *dataset;
  TosstContext           *context;
  const TosstRunObserver *observer;
  TosstPatches           *patches;
  TosstLayout            *layout;
  float                  *tensors; /* patches x m, or NULL when not resident */
  TosstRunResult         *result;
  guint                   splits;

  /* Where the engine's progress belongs. */
  TosstStage stage;
  int        split;
  double     low, high; /* of the stage's fraction */
  double     done, weight, total; /* work behind us, of the stage at hand, of all */
  double     start;
  double     stage_start;
} TosstRun;

/* run-progress.c */
void tosst_run_enter (TosstRun *self, TosstStage stage, int split);
void tosst_run_leave (TosstRun *self);
/* What the engine reports next is this part of the stage. */
void tosst_run_part (TosstRun *self, double low, double high);

void tosst_run_on_progress (double fraction, void *data); /* for the engine's context */
double tosst_run_total_work (const TosstRun *self);

/* run-estimate.c */
gsize    tosst_run_largest_image (const TosstPatches *patches); /* patches of the image that has most */
void     tosst_run_measure (const TosstRecipe *recipe, TosstDataset *dataset, const TosstPatches *patches,
                            const TosstLayout *layout, int threads, TosstRunEstimate *out);
/* Fills in what the lists of patches alone say; FALSE if those would not fit. */
gboolean tosst_run_measure_lists (const TosstRecipe *recipe, TosstDataset *dataset, TosstRunEstimate *out);
gboolean tosst_run_fits (const TosstRunEstimate *needs, GError **error);

/* run-split.c */
gboolean tosst_run_describe_all (TosstRun *self, GError **error);
gboolean tosst_run_one_split (TosstRun *self, guint split, GError **error);
/* Tensors of the given patches (ascending) of one image. */
gboolean tosst_run_describe_image (TosstRun *self, guint image, const TosstPoint *points, gsize n, float *tensors, GError **error);

G_END_DECLS
