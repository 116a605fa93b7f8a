/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/recipe/recipe.h"

G_BEGIN_DECLS

/* What a window is at, so that the next one can begin with it: the recipe with its data set, the dictionary, the run
 * that is shown, what is chosen in the views. Plain data; kept in session.ini in the user's state folder (state.h). */
typedef struct StudioSession
{
  TosstRecipe *recipe;
  char *sweep;       /* what varies about it, as text; NULL: nothing */
  int jobs;          /* runs of a sweep at once; 0: not known */
  gboolean open;     /* a data set is */
  GFile *dictionary; /* that was opened; NULL: none */
  char *view;
  gint64 run;           /* that is shown, in the store of runs; 0: none */
  gboolean interrupted; /* it was under way: whoever reads that finds a program that ended in the middle */
  gboolean logarithmic, over_seconds; /* the chart of Learn */
  gboolean has_patch;
  guint image; /* that Inspect shows, */
  int x, y;    /* and its patch */
  int atom;    /* that Atoms shows; -1: none */
} StudioSession;

StudioSession *studio_session_new (void); /* all defaults, nothing open */
void studio_session_free (StudioSession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSession, studio_session_free)

StudioSession *studio_session_load (void); /* the last one; NULL: none that makes sense */
void studio_session_save (const StudioSession *self, gboolean now);

G_END_DECLS
