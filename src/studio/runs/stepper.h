/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/step.h"
#include "studio/atoms/atom-set.h"

/* Learns one block at a time in the background, and holds the results of the blocks done. Main thread. Signal:
 * "changed": the members, which other files only read, have new values. */
#define STUDIO_TYPE_STEPPER (studio_stepper_get_type ())
G_DECLARE_FINAL_TYPE (StudioStepper, studio_stepper, STUDIO, STEPPER, GObject)

struct _StudioStepper
{
  GObject parent_instance;
  struct StudioSteppedWork *work; /* NULL: nothing is open nor being opened */
  gboolean busy, single;          /* single: a step updates the B of one atom */
  GArray *steps;                  /* of TosstStep */
  StudioAtoms *atoms;             /* NULL: none yet */
  StudioAtomSet *set;             /* the same atoms with their properties; or NULL */
  TosstStep next;
  gboolean has_next;
  int kept;        /* steps that can be undone */
  gboolean forgot; /* the first steps can no longer be undone */
  char *problem;   /* why the last block failed; NULL */
};

#define STUDIO_STEPPER_HISTORY ((gsize)256 << 20) /* maximum bytes kept for undoing blocks */

/* Samples and computes the tensors of the first split of a run, and does the first block. dataset NULL: opened from the
 * recipe. store and run: a stopped or paused run of this recipe, whose last checkpoint is resumed; NULL and 0: from the
 * beginning. Closes a previous session. */
void studio_stepper_begin (StudioStepper *self, const TosstRecipe *recipe, TosstDataset *dataset, GFile *store,
                           gint64 run);
void studio_stepper_step (StudioStepper *self); /* both: no effect while busy or without a further block */
void studio_stepper_back (StudioStepper *self);
/* Whether a step updates the B of a single atom; initially FALSE. It can be changed at any time. */
void studio_stepper_set_single (StudioStepper *self, gboolean single);
void studio_stepper_end (StudioStepper *self); /* drops all blocks */

gboolean studio_stepper_can_back (StudioStepper *self);
char *studio_stepper_describe_next (StudioStepper *self); /* "codes", translated, new; NULL: not yet known */

char *studio_step_describe (const TosstStep *step); /* its block, translated, new: "codes", "all B", "B of atom 3" */
