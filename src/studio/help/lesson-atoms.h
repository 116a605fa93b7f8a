/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"
#include "studio/tasks/worker.h"

G_BEGIN_DECLS

/* The small dictionary that lessons try things on: forty atoms of rbf features with three pivots (d = 21), learned from
 * all sample textures in about a second. Plain data, any thread. */
typedef struct
{
  char *problem; /* then there is nothing else */
  StudioAtomSet *atoms;
  TosstDataset *dataset; /* the sample textures */
} StudioLessonAtoms;

void studio_lesson_atoms_free (gpointer atoms);

/* A worker that learns them; ready is called with data on the main thread when it has. */
StudioWorker *studio_lesson_atoms_learn (void (*ready) (gpointer data), gpointer data);
/* A GtkStack that says that they are being learned, until studio_lesson_atoms_take() shows this page of it. */
GtkWidget *studio_lesson_atoms_stack (GtkWidget *work);
/* For ready: *atoms, NULL before, receives what the worker has, and the stack shows its page or what the problem was.
 * TRUE: there are atoms to work with. */
gboolean studio_lesson_atoms_take (StudioWorker *worker, GtkWidget *stack, StudioLessonAtoms **atoms);

G_END_DECLS
