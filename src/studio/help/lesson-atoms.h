/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/atoms/atom-set.h"
#include "studio/tasks/worker.h"

/* The small dictionary of the lessons: forty atoms of rbf features with three pivots (d = 21), learned from all sample
 * textures in about a second. Plain data, any thread. */
typedef struct
{
  char *problem; /* then the other members are not set */
  StudioAtomSet *atoms;
  TosstDataset *dataset; /* the sample textures */
} StudioLessonAtoms;

void studio_lesson_atoms_free (gpointer atoms);

/* A worker that learns them; ready is called with data on the main thread when they are available. */
StudioWorker *studio_lesson_atoms_learn (void (*ready) (gpointer data), gpointer data);
/* A GtkStack that shows a page about the learning until studio_lesson_atoms_take() shows this page of it. */
GtkWidget *studio_lesson_atoms_stack (GtkWidget *work);
/* For ready: *atoms, NULL before, receives the result of the worker, and the stack shows its page or the problem. TRUE:
 * atoms are available. */
gboolean studio_lesson_atoms_take (StudioWorker *worker, GtkWidget *stack, StudioLessonAtoms **atoms);
