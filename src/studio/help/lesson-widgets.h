/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

/* The live widgets of the lessons. is_ready: all requests have been answered and shown. */

/* A patch of a texture and its tensor. Modes: "features" (the mean of the contributions of its pixels), "tensor" (its
 * slices), "eigenvalues" (a slice and its eigenvalues), "signs" (the same, with settings that make some of them
 * negative). */
#define STUDIO_TYPE_LESSON_PATCH (studio_lesson_patch_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPatch, studio_lesson_patch, STUDIO, LESSON_PATCH, AdwBin)
void studio_lesson_patch_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_patch_is_ready (GtkWidget *self);

/* Learning six atoms from a few patches, step by step, forwards and back: its objective and its atoms. All steps are
 * computed when a setting changes, so that each can be shown at once. Mode "eta" shows the length of steps, "solvers"
 * the choice of the solver as well. */
#define STUDIO_TYPE_LESSON_STEPS (studio_lesson_steps_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonSteps, studio_lesson_steps, STUDIO, LESSON_STEPS, AdwBin)
void studio_lesson_steps_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_steps_is_ready (GtkWidget *self);

/* A patch and its code by forty atoms, recomputed while lambda is dragged. Mode "sparsity" shows slices, error and
 * non-zeros, "ranks" the ranks of Theorem 2. */
#define STUDIO_TYPE_LESSON_CODE (studio_lesson_code_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonCode, studio_lesson_code, STUDIO, LESSON_CODE, AdwBin)
void studio_lesson_code_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_code_is_ready (GtkWidget *self);

/* An atom and its approximation by its R largest eigenvalues. */
#define STUDIO_TYPE_LESSON_RANK (studio_lesson_rank_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonRank, studio_lesson_rank, STUDIO, LESSON_RANK, AdwBin)
gboolean studio_lesson_rank_is_ready (GtkWidget *self);

/* Learning with more and more atoms from one picture of each texture, and evaluating them on others, live: accuracy and
 * the mean objective of a tensor, for training and for new pictures. Mode "accuracy" or "objective"; "whole" shows the
 * objective of atoms that are whole tensors. */
#define STUDIO_TYPE_LESSON_OVERFIT (studio_lesson_overfit_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonOverfit, studio_lesson_overfit, STUDIO, LESSON_OVERFIT, AdwBin)
void studio_lesson_overfit_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_overfit_is_ready (GtkWidget *self);

/* Forty atoms, each as the patch that uses it most; the chosen one with its patches, matrix, vector and slices. */
#define STUDIO_TYPE_LESSON_ATOMS_VIEW (studio_lesson_atoms_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonAtomsView, studio_lesson_atoms_view, STUDIO, LESSON_ATOMS_VIEW, AdwBin)
gboolean studio_lesson_atoms_view_is_ready (GtkWidget *self);
