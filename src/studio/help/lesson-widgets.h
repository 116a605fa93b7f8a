/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/textures.h"
#include "core/recipe/recipe.h"
#include "studio/atoms/atom-set.h"
#include "studio/tasks/worker.h"
#include "studio/widgets/picture-view.h"
#include "tosst/describe.h"

/* The small dictionary of the lessons: forty atoms of rbf features with three pivots (d = 21), learned from all sample
 * textures in about a second. */
typedef struct
{
  char *problem; /* then the other members are not set */
  StudioAtomSet *atoms;
  TosstDataset *dataset; /* the sample textures */
} StudioLessonAtoms;

/* The live widgets of the lessons, each of one of the kinds below. lesson-widgets.c makes them: an AdwBin that owns the
 * state of its kind, which begins with this. */
typedef struct
{
  StudioWorker *worker; /* NULL before the first request; ended before clear() */
  /* Kinds with ready() have it. */
  GtkWidget *stack;
  StudioLessonAtoms *atoms; /* NULL: not yet */
} StudioLessonState;

typedef struct
{
  const char *name;
  gsize size; /* of the state */
  GtkWidget *(*build) (gpointer state);
  void (*map) (gpointer state);   /* the widget is shown; NULL with ready() */
  void (*ready) (gpointer state); /* there are atoms, learned when the widget was shown first */
  void (*clear) (gpointer state); /* frees the members, which no picture borrows any more; or NULL */
  void (*set_mode) (gpointer state, const char *mode); /* NULL: there are no modes */
  gboolean (*is_ready) (gpointer state); /* all requests have been answered and shown; NULL: there are atoms */
} StudioLessonKind;

/* Defines studio_lesson_NAME, whose functions have the type of the state. */
#define STUDIO_LESSON_KIND(name, Type, build, map, ready, clear, set_mode, is_ready)                                   \
  const StudioLessonKind studio_lesson_##name = { #name,                                                               \
                                                  sizeof (Type),                                                       \
                                                  (GtkWidget * (*)(gpointer)) G_CALLBACK (build),                      \
                                                  (void (*) (gpointer))G_CALLBACK (map),                               \
                                                  (void (*) (gpointer))G_CALLBACK (ready),                             \
                                                  (void (*) (gpointer))G_CALLBACK (clear),                             \
                                                  (void (*) (gpointer, const char *))G_CALLBACK (set_mode),            \
                                                  (gboolean (*) (gpointer))G_CALLBACK (is_ready) }

/* A patch of a texture and its tensor. Modes: "features" (the mean of the contributions of its pixels), "tensor" (its
 * slices), "eigenvalues" (a slice and its eigenvalues), "signs" (the same, with settings that make some of them
 * negative). */
extern const StudioLessonKind studio_lesson_patch;

/* Learning six atoms from a few patches, step by step, forwards and back: its objective and its atoms. All steps are
 * computed when a setting changes, so that each can be shown at once. Mode "eta" shows the length of steps, "solvers"
 * the choice of the solver as well. */
extern const StudioLessonKind studio_lesson_steps;

/* A patch and its code by forty atoms, recomputed while lambda is dragged. Mode "sparsity" shows slices, error and
 * non-zeros, "ranks" the ranks of Theorem 2. */
extern const StudioLessonKind studio_lesson_code;

/* An atom and its approximation by its R largest eigenvalues. */
extern const StudioLessonKind studio_lesson_rank;

/* Learning with more and more atoms from one picture of each texture, and evaluating them on others, live: accuracy and
 * the mean objective of a tensor, for training and for new pictures. Mode "accuracy" or "objective"; "whole" shows the
 * objective of atoms that are whole tensors. */
extern const StudioLessonKind studio_lesson_overfit;

/* Forty atoms, each as the patch that uses it most; the chosen one with its patches, matrix, vector and slices. */
extern const StudioLessonKind studio_lesson_atoms;

/* Parts of the live widgets of lessons. */

/* A picture with a heading above it; heading NULL: none. *view: the StudioPictureView in it, with its accessible
 * label. */
GtkWidget *studio_lesson_picture (const char *heading, const char *name, GtkWidget **view);

/* A row: a name, a slider, and its value in words. *scale receives the GtkScale, *value its label. */
GtkWidget *studio_lesson_slider (const char *name, double low, double high, double step, GtkWidget **scale,
                                 GtkWidget **value);
/* A number with its name below, like in the other views. *value: the label of the number. */
GtkWidget *studio_lesson_stat (const char *name, GtkWidget **value);
/* A line of stats, equally wide; the last ones may be NULL. */
GtkWidget *studio_lesson_stats (GtkWidget *first, GtkWidget *second, GtkWidget *third, GtkWidget *fourth);
/* Controls or parts in a line, or in several where the window is narrow, up to NULL. Parts of equal_width have that width
 * at least and share what is left; 0: controls. */
GtkWidget *studio_lesson_line (int equal_width, ...) G_GNUC_NULL_TERMINATED;

/* Recipes of the lessons: small tensors of linear features (d = 7), absolute or not; and d = 21 with three pivots. */
TosstRecipe *studio_lesson_recipe (gboolean rbf, gboolean absolute);

/* Tensors of the patches of images first .. first + images - 1 of the first `classes` textures, on a grid without
 * overlap: *n x m float32, new; NULL with a message in the context. per_image receives the patches of an image. */
float *studio_lesson_tensors (TosstContext *context, const TosstRecipe *recipe, guint classes, guint first,
                              guint images, gsize *n, gsize *per_image);

/* A sample texture and a patch of it, chosen with the pointer or the arrow keys. Signal: "changed". */
#define STUDIO_TYPE_LESSON_PICKER (studio_lesson_picker_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPicker, studio_lesson_picker, STUDIO, LESSON_PICKER, AdwBin)

GtkWidget *studio_lesson_picker_new (int patch); /* side of a patch, pixels */
guint studio_lesson_picker_get_texture (StudioLessonPicker *self);
TosstPoint studio_lesson_picker_get_point (StudioLessonPicker *self);
