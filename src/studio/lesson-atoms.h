/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "atom-set.h"
#include "lesson-worker.h"

G_BEGIN_DECLS

/* The small dictionary that lessons try things on: forty atoms of rbf features with three pivots (d = 21), learned from
 * all sample textures in about a second. Plain data, any thread. */
typedef struct
{
  char *problem; /* then there is nothing else */
  StudioAtomSet *atoms;
  TosstDataset *dataset; /* the sample textures */
} StudioLessonAtoms;

/* A question of any kind (to be freed by g_free()) is answered with a StudioLessonAtoms. */
extern const StudioLessonWork studio_lesson_atoms_work;
void studio_lesson_atoms_free (gpointer atoms);

G_END_DECLS
