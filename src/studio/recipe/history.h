/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

/* What can be undone, each entry with a name: two states of a target and the function that gives it one of them. Signal:
 * "changed" when there is something else to undo or redo. */
#define STUDIO_TYPE_HISTORY (studio_history_get_type ())
G_DECLARE_FINAL_TYPE (StudioHistory, studio_history, STUDIO, HISTORY, GObject)

typedef void (*StudioHistoryFunc) (gpointer target, gconstpointer state);

StudioHistory *studio_history_new (void);

/* The target, which outlives the history, has gone from one state to the other: both are taken, and freed by free_state.
 * name: of what was changed, for the user. key: changes of the same key that follow each other quickly, as a slider's or
 * those of arrow keys do, are undone as one; NULL: it stands for itself. Nothing happens while an entry is being undone
 * or redone. */
void studio_history_add (StudioHistory *self, const char *name, const char *key, StudioHistoryFunc apply,
                         gpointer target, gpointer before, gpointer after, GDestroyNotify free_state);
/* The same of what is still to be done: the target is given the state after. What it adds meanwhile is part of this. */
void studio_history_do (StudioHistory *self, const char *name, StudioHistoryFunc apply, gpointer target,
                        gpointer before, gpointer after, GDestroyNotify free_state);
void studio_history_clear (StudioHistory *self);

void studio_history_undo (StudioHistory *self);
void studio_history_redo (StudioHistory *self);

const char *studio_history_get_undo_name (StudioHistory *self); /* NULL: nothing to undo */
const char *studio_history_get_redo_name (StudioHistory *self);
