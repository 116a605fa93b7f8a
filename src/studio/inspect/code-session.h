/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/plot/draw-slices.h"
#include "studio/atoms/atom-set.h"
#include "studio/tasks/worker.h"
#include "tosst/code.h"
#include "tosst/describe.h"

/* A request to a session. Its members are owned by the caller. */
typedef struct
{
  StudioAtomSet *atoms;
  const TosstRecipe *recipe; /* its descriptor, and signs of codes */
  TosstDataset *dataset;
  guint image;
  TosstPoint point; /* of frames x is a number, of local features that of a region (tosst_recipe_regions()) */
  double lambda, gamma;
  int n_atoms;   /* number of atoms to use: the first of atoms->order */
  gboolean tied; /* the reconstruction is sum_k alpha_k B_k (x) b_k, else sum_k B_k beta_k^s: equation (5) */
} StudioCodeQuestion;

/* The answer for a patch: plain data, reference-counted, immutable, any thread. */
typedef struct
{
  StudioAtomSet *atoms;
  guint image;
  gboolean local;  /* the tensor is of local features, of an image or of a region */
  gboolean framed; /* or of the patch at a frame */
  TosstPoint point;
  double lambda, gamma;
  int n_atoms;
  gboolean tied;
  char *problem; /* a sentence; then the members below are not set */

  int planes, rows, columns;
  double *tensor, *reconstruction, *residual; /* each planes x rows x columns, in the unit of the tensor */
  double *code;                               /* K of all atoms */
  TosstRecodingState state;
  double error;                  /* ||residual|| / ||tensor|| */
  int rank, rank_limit;          /* TRank of the tensor, and its maximum */
  int rank_reconstructed, bound; /* TRank of sum_k alpha_k B_k (x) b_k, and its bound by Theorem 2 */
  long rank_sum;                 /* sum of rank (B_k) over the support */
  double seconds;                /* duration of this answer */
} StudioCode;

#define studio_code_ref(self) g_atomic_rc_box_acquire (self)
void studio_code_unref (StudioCode *self);
/* What it is of: "patch at 16, 32", "whole image". New. */
char *studio_code_place (const StudioCode *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioCode, studio_code_unref)
/* Its tensor, reconstruction and residual as a drawing, which borrows them. */
TosstSlicesDrawing studio_code_slices (const StudioCode *self, int chosen, GArray *groups);

/* Codes of one patch while lambda, gamma and the number of atoms are dragged: answers requests one after the other and
 * caches intermediate results for the next: the pixels of the image, the tensor of the patch, the atoms in use and
 * their codes. One thread at a time. */
typedef struct StudioCodeSession StudioCodeSession;

StudioCodeSession *studio_code_session_new (TosstContext *context); /* the context must outlive it */
void studio_code_session_free (StudioCodeSession *self);
/* NULL when the context was cancelled. */
StudioCode *studio_code_session_answer (StudioCodeSession *self, const StudioCodeQuestion *question);

/* Such a session in a separate thread. Main thread; wake as for studio_worker_new(). */
StudioWorker *studio_code_worker_new (StudioNotifyFunc wake, gpointer data);
void studio_code_worker_ask (StudioWorker *worker, const StudioCodeQuestion *question); /* copies the request */
StudioCode *studio_code_worker_take (StudioWorker *worker); /* the newest answer, owned by the caller, or NULL */
