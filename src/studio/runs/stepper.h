/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/step.h"
#include "studio/atoms/atom-set.h"

/* Learns one block at a time in the background, and holds the results of the blocks done. Main thread. Signal:
 * "changed": the getters below have new values. */
#define STUDIO_TYPE_STEPPER (studio_stepper_get_type ())
G_DECLARE_FINAL_TYPE (StudioStepper, studio_stepper, STUDIO, STEPPER, GObject)

#define STUDIO_STEPPER_HISTORY ((gsize)256 << 20) /* maximum bytes kept for undoing blocks */

StudioStepper *studio_stepper_new (void);

/* Samples and computes the tensors of the first split of a run, and does the first block. dataset NULL: opened from the
 * recipe. store and run: a stopped or paused run of this recipe, whose last checkpoint is resumed; NULL and 0: from the
 * beginning. Closes a previous session. */
void studio_stepper_begin (StudioStepper *self, const TosstRecipe *recipe, TosstDataset *dataset, GFile *store,
                           gint64 run);
void studio_stepper_step (StudioStepper *self); /* both: no effect while busy or without a further block */
void studio_stepper_back (StudioStepper *self);
/* Whether a step updates the B of a single atom; initially FALSE. It can be changed at any time. */
void studio_stepper_set_single (StudioStepper *self, gboolean single);
void studio_stepper_cancel (StudioStepper *self); /* discards the block under way */
void studio_stepper_end (StudioStepper *self);    /* drops all blocks */

gboolean studio_stepper_is_open (StudioStepper *self); /* open, or being opened */
gboolean studio_stepper_is_busy (StudioStepper *self);
gboolean studio_stepper_can_back (StudioStepper *self);
gboolean studio_stepper_has_forgotten (StudioStepper *self);      /* the first steps can no longer be undone */
const GArray *studio_stepper_get_steps (StudioStepper *self);     /* of TosstStep */
StudioAtoms *studio_stepper_get_atoms (StudioStepper *self);      /* NULL: none yet */
StudioAtomSet *studio_stepper_get_atom_set (StudioStepper *self); /* the same atoms with their properties; or NULL */
char *studio_stepper_describe_next (StudioStepper *self);         /* "codes", translated, new; NULL: not yet known */
const char *studio_stepper_get_problem (StudioStepper *self);     /* why the last block failed; NULL */

char *studio_step_describe (const TosstStep *step); /* its block, translated, new: "codes", "all B", "B of atom 3" */
