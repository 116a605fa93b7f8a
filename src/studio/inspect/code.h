/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/plot/draw-slices.h"
#include "engine/coding/recode.h"
#include "engine/descriptor/describe.h"
#include "studio/atoms/atom-set.h"

G_BEGIN_DECLS

/* What is asked of a session (code-session.h). Everything in it is the asker's. */
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

/* A question with everything in it its own. */
StudioCodeQuestion *studio_code_question_copy (const StudioCodeQuestion *question);
void studio_code_question_free (StudioCodeQuestion *self); /* of such a copy */

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

G_END_DECLS
