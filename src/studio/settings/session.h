/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/recipe/recipe.h"

/* The state of a window, for the next one to restore: the recipe with its data set, the dictionary, the visible run,
 * the choices in the views. Plain data; kept in session.ini in the user's state folder (state.h). */
typedef struct StudioSession
{
  TosstRecipe *recipe;
  TosstRecipe *base; /* of the data set or preset; NULL: all defaults */
  char *sweep;       /* the axes of a sweep, as text; NULL: none */
  int jobs;          /* parallel runs of a sweep; 0: unknown */
  gboolean open;     /* a data set is open */
  GFile *dictionary; /* opened file; NULL: none */
  char *view;
  gint64 run;           /* id in the store of the visible run; 0: none */
  gboolean interrupted; /* it was under way; if set when read, the program was interrupted */
  gboolean logarithmic_x, logarithmic, over_seconds; /* the chart of Learn */
  gboolean has_patch;
  guint image;          /* image of Inspect, */
  int x, y;             /* and its patch */
  int atom;             /* atom of Atoms; -1: none */
  gboolean patch_tiles; /* its tiles: top patches instead of matrices, */
  int tile_size;        /* side in pixels, 0: the default, */
  double tile_contrast; /* contrast, 0: the default */
  GFile *model;         /* model file of Predict; NULL: none */
  GPtrArray *predicted; /* GFile, images of Predict */
  double opacity;       /* of its map; < 0: the default */
  gboolean uncertain;   /* its map fades */
} StudioSession;

StudioSession *studio_session_new (void); /* all defaults, nothing open */
void studio_session_free (StudioSession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSession, studio_session_free)

StudioSession *studio_session_load (void); /* the last one; NULL: none or invalid */
void studio_session_save (const StudioSession *self, gboolean now);
