/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "patches.h"
#include "run.h"

G_BEGIN_DECLS

/* A run under way. Tensors of all distinct patches are kept, in memory or in a file, or described again for each split,
 * image by image. Codes live for one image at a time: they are pooled at once. */
typedef struct
{
  const TosstRecipe      *recipe;
  TosstDataset           *dataset;
  TosstContext           *context;
  const TosstRunObserver *observer;
  TosstPatches           *patches;
  TosstLayout            *layout;
  float                  *tensors; /* patches x m, or NULL when not in memory */
  int                     tensor_file; /* the same in a file, or -1 */
  TosstRunResult         *result;
  const TosstRunOptions  *options;
  guint                   splits, first; /* in all; the first one that is not done yet */
  gsize                   length;  /* of a code and a signature */

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
gboolean tosst_run_one_split (TosstRun *self, guint split, GError **error);

/* run-tensors.c. Describes all patches if they are to be kept. */
gboolean     tosst_run_tensors_open (TosstRun *self, gboolean resident, GError **error);
void         tosst_run_tensors_close (TosstRun *self);
gboolean     tosst_run_keeps_tensors (const TosstRun *self);
/* Of all patches of one image; in scratch (as many) where they are not in memory. NULL with an error. */
const float *tosst_run_tensors_of_image (TosstRun *self, guint image, float *scratch, GError **error);
/* Of patches by number, ascending: count x m. */
gboolean     tosst_run_tensors_gather (TosstRun *self, const gsize *number, gsize count, float *tensors, GError **error);

G_END_DECLS
