/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/step.h"
#include "studio/atoms/atom-snapshot.h"

G_BEGIN_DECLS

/* Learning one block at a time in the background, and what is known of the blocks that were done. Main thread. Signal:
 * "changed": the getters below have news. */
#define STUDIO_TYPE_STEPPER (studio_stepper_get_type ())
G_DECLARE_FINAL_TYPE (StudioStepper, studio_stepper, STUDIO, STEPPER, GObject)

#define STUDIO_STEPPER_HISTORY ((gsize)256 << 20) /* bytes kept for going back, at most */

StudioStepper *studio_stepper_new (void);

/* Draws and describes the tensors of the first split of a run, and does the first block. dataset NULL: opened from the
 * recipe. store and run: of a run of this recipe that was stopped or is paused, whose last checkpoint it goes on from;
 * NULL and 0: from the beginning. Ends what was open. */
void studio_stepper_begin (StudioStepper *self, const TosstRecipe *recipe, TosstDataset *dataset, GFile *store,
                           gint64 run);
void
studio_stepper_step (StudioStepper *self); /* both: nothing while it is busy, or where there is nothing to be done */
void studio_stepper_back (StudioStepper *self);
/* Whether a step moves the B of one atom only; at first it does not. It can be changed at any time. */
void studio_stepper_set_single (StudioStepper *self, gboolean single);
void studio_stepper_cancel (StudioStepper *self); /* the block under way has not happened */
void studio_stepper_end (StudioStepper *self);    /* forgets all */

gboolean studio_stepper_is_open (StudioStepper *self); /* or is being opened */
gboolean studio_stepper_is_busy (StudioStepper *self);
gboolean studio_stepper_can_back (StudioStepper *self);
gboolean studio_stepper_has_forgotten (StudioStepper *self);  /* the first steps cannot be undone any more */
const GArray *studio_stepper_get_steps (StudioStepper *self); /* of TosstStep */
StudioAtoms *studio_stepper_get_atoms (StudioStepper *self);  /* NULL: none yet */
const TosstRecipe *studio_stepper_get_recipe (StudioStepper *self);
char *studio_stepper_describe_next (StudioStepper *self);     /* "codes", translated, new; NULL: not known yet */
const char *studio_stepper_get_problem (StudioStepper *self); /* why the last one failed; NULL */

char *studio_step_describe (const TosstStep *step); /* its block, translated, new: "codes", "all B", "B of atom 3" */

G_END_DECLS
