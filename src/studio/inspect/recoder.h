/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/plot/draw-slices.h"
#include "engine/coding/recode.h"
#include "engine/descriptor/describe.h"
#include "studio/atoms/atom-set.h"
#include "studio/tasks/waker.h"

G_BEGIN_DECLS

/* Codes of one patch while lambda, gamma and the number of atoms are dragged. A thread of its own describes the patch
 * and codes it, from the last code on; of the questions asked meanwhile only the newest counts. What both threads hold
 * is plain data: the worker never owns an object of the window.
 *
 *   main thread                        worker
 *   ask(): puts the question  ----->   takes the newest question
 *   wake()                    <-----   puts the answer, in place of one that was not taken
 *   take(): moves it out
 *   free(): cancels, goes on           ends by itself and lets go of its part
 */
typedef struct StudioRecoder StudioRecoder;

/* Everything in it is the asker's; ask() copies. */
typedef struct
{
  StudioAtomSet *atoms;
  const TosstRecipe *recipe; /* its descriptor, and signs of codes */
  TosstDataset *dataset;
  guint image;
  TosstPoint point;
  double lambda, gamma;
  int n_atoms;   /* that may be used: the first of atoms->order */
  gboolean tied; /* the reconstruction is sum_k alpha_k B_k (x) b_k, else sum_k B_k beta_k^s: equation (5) */
} StudioCodeQuestion;

/* What is known of the patch then: plain data, reference-counted, immutable, any thread. */
typedef struct
{
  gatomicrefcount references;
  StudioAtomSet *atoms;
  guint image;
  TosstPoint point;
  double lambda, gamma;
  int n_atoms;
  gboolean tied;
  char *problem; /* a sentence; then nothing below is filled in */

  int planes, rows, columns;
  double *tensor, *reconstruction, *residual; /* each planes x rows x columns, in the tensor's unit */
  double *code;                               /* K of all atoms */
  TosstRecodingState state;
  double error;                  /* ||residual|| / ||tensor|| */
  int rank, rank_limit;          /* TRank of the tensor, and its most */
  int rank_reconstructed, bound; /* TRank of sum_k alpha_k B_k (x) b_k, and Theorem 2's bound of it */
  long rank_sum;                 /* sum of rank (B_k) over the support */
  double seconds;                /* that this answer took */
} StudioCode;

StudioCode *studio_code_ref (StudioCode *self);
void studio_code_unref (StudioCode *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioCode, studio_code_unref)
/* Its tensor, reconstruction and residual as a drawing, which borrows all of it. */
TosstSlicesDrawing studio_code_slices (const StudioCode *self, int chosen, GArray *groups);

/* Main thread. wake is called there with data until studio_recoder_free(), when there is something to take. */
StudioRecoder *studio_recoder_new (int threads, StudioWakeFunc wake, gpointer data);
void studio_recoder_free (StudioRecoder *self); /* returns at once */
void studio_recoder_ask (StudioRecoder *self, const StudioCodeQuestion *question);
StudioCode *studio_recoder_take (StudioRecoder *self); /* the caller's; NULL: nothing new */

G_END_DECLS
